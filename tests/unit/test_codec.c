/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/codec.h"
#include "unit.h"

#include <errno.h>
#include <string.h>

static int base64_all(uint8_t *out, size_t max, const char *text, size_t cut)
{
	struct base64_state state = {0};
	size_t len = strlen(text);
	int a = base64_feed(&state, out, max, text, cut), b;

	if (a < 0)
		return a;
	b = base64_feed(&state, out + a, max - (size_t)a, text + cut,
			len - cut);
	if (b < 0)
		return b;
	return base64_end(&state) ? -EINVAL : a + b;
}

/* The same result wherever white space cuts the text. */
static void check_base64(const char *text, const void *want, int len)
{
	uint8_t out[64];

	for (size_t cut = 0; cut <= strlen(text); cut++) {
		int got = base64_all(out, sizeof(out), text, cut);

		ck_assert_msg(got == len, "%s at %zu: %d", text, cut, got);
		if (len > 0)
			ck_assert_mem_eq(out, want, (size_t)len);
	}
}

START_TEST(base64_reads)
{
	/* RFC 4648 section 10 */
	check_base64("", "", 0);
	check_base64("Zg==", "f", 1);
	check_base64("Zm8=", "fo", 2);
	check_base64("Zm9v", "foo", 3);
	check_base64("Zm9vYmFy", "foobar", 6);
	check_base64("+/+/", "\373\377\277", 3);
	check_base64("Zg", NULL, -EINVAL);
	check_base64("Zg=", NULL, -EINVAL);
	check_base64("Z===", NULL, -EINVAL);
	check_base64("====", NULL, -EINVAL);
	check_base64("Zh==", NULL, -EINVAL); /* bits left over */
	check_base64("Zm9=", NULL, -EINVAL);
	check_base64("Zg==Zg==", NULL, -EINVAL);
	check_base64("Zg=a", NULL, -EINVAL);
	check_base64("Zg===", NULL, -EINVAL);
	check_base64("Zm9v!m9v", NULL, -EINVAL);
	check_base64("Zm9v-_8=", NULL, -EINVAL);
}
END_TEST

START_TEST(base64_stops_at_the_end_of_the_buffer)
{
	uint8_t out[8];

	ck_assert_int_eq(base64_all(out, 5, "Zm9vYmE=", 3), 5);
	ck_assert_int_eq(base64_all(out, 4, "Zm9vYmE=", 3), -ENOSPC);
	ck_assert_int_eq(base64_all(out, 2, "Zm9v", 0), -ENOSPC);
	ck_assert_int_eq(base64_all(out, 0, "Zg==", 0), -ENOSPC);
}
END_TEST

START_TEST(hex_reads)
{
	struct hex_state state = {0};
	uint8_t out[4];

	ck_assert_int_eq(hex_feed(&state, out, 4, "0", 1), 0);
	ck_assert_int_eq(hex_end(&state), -EINVAL);
	ck_assert_int_eq(hex_feed(&state, out, 4, "1aF", 3), 2);
	ck_assert_mem_eq(out, "\x01\xaf", 2);
	ck_assert_int_eq(hex_end(&state), 0);
	ck_assert_int_eq(hex_feed(&state, out, 4, "zz", 2), -EINVAL);
	ck_assert_int_eq(hex_feed(&state, out, 1, "0102", 4), -ENOSPC);
}
END_TEST

static void check_base32hex(const char *text, const char *want, int len)
{
	uint8_t out[32];
	int got = base32hex_decode(out, sizeof(out), text, strlen(text));

	ck_assert_msg(got == len, "%s: %d", text, got);
	if (len > 0)
		ck_assert_mem_eq(out, want, (size_t)len);
}

START_TEST(base32hex_reads)
{
	check_base32hex("", "", 0);
	check_base32hex("CO", "f", 1);
	check_base32hex("CPNG", "fo", 2);
	check_base32hex("cpnmu", "foo", 3);
	check_base32hex("CPNMUOG", "foob", 4);
	check_base32hex("CPNMUOJ1", "fooba", 5);
	check_base32hex("CPNMUOJ1E8", "foobar", 6);
	check_base32hex("C", NULL, -EINVAL);
	check_base32hex("CP", NULL, -EINVAL);
	check_base32hex("CPN", NULL, -EINVAL);
	check_base32hex("W0", NULL, -EINVAL);
	check_base32hex("CO======", NULL, -EINVAL);
	ck_assert_int_eq(base32hex_decode((uint8_t[2]){0}, 2, "CPNMU", 5),
			 -ENOSPC);
}
END_TEST

static void check_escape(const char *text, size_t max, const char *want,
			 int len)
{
	uint8_t out[16];
	int got = escape_decode(out, max, text, strlen(text));

	ck_assert_msg(got == len, "%s: %d", text, got);
	if (len > 0)
		ck_assert_mem_eq(out, want, (size_t)len);
}

START_TEST(escapes_read)
{
	check_escape("abc", 16, "abc", 3);
	check_escape("a\\\"\\\\\\;", 16, "a\"\\;", 4);
	check_escape("\\000\\255x", 16, "\0\377x", 3);
	check_escape("\\256", 16, NULL, -EINVAL);
	check_escape("\\25", 16, NULL, -EINVAL);
	check_escape("\\25x", 16, NULL, -EINVAL);
	check_escape("x\\", 16, NULL, -EINVAL);
	check_escape("\\097\\098", 2, "ab", 2);
	check_escape("\\097\\098", 1, NULL, -ENOSPC);
	check_escape("ab", 1, NULL, -ENOSPC);
}
END_TEST

/* What is written reads back, for every length and every octet. */
START_TEST(round_trip)
{
	uint8_t in[256], out[256];
	char text[1024];

	for (size_t i = 0; i < sizeof(in); i++)
		in[i] = (uint8_t)(i * 167 + 13);
	for (size_t len = 0; len <= sizeof(in); len++) {
		struct base64_state base64 = {0};
		struct hex_state hex = {0};
		size_t nr = base64_encode(text, in, len);

		ck_assert_uint_eq(nr, BASE64_LEN(len));
		ck_assert_int_eq(base64_feed(&base64, out, 256, text, nr), len);
		ck_assert_int_eq(base64_end(&base64), 0);
		ck_assert(!memcmp(in, out, len));
		nr = hex_encode(text, in, len);
		ck_assert_int_eq(hex_feed(&hex, out, 256, text, nr), len);
		ck_assert(!memcmp(in, out, len));
		nr = base32hex_encode(text, in, len);
		ck_assert_uint_eq(nr, BASE32HEX_LEN(len));
		ck_assert_int_eq(base32hex_decode(out, 256, text, nr), len);
		ck_assert(!memcmp(in, out, len));
		nr = escape_encode(text, in, len);
		ck_assert_uint_le(nr, ESCAPE_LEN(len));
		ck_assert_int_eq(escape_decode(out, 256, text, nr), len);
		ck_assert(!memcmp(in, out, len));
	}
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("codec");

	tcase_add_test(tcase, base64_reads);
	tcase_add_test(tcase, base64_stops_at_the_end_of_the_buffer);
	tcase_add_test(tcase, hex_reads);
	tcase_add_test(tcase, base32hex_reads);
	tcase_add_test(tcase, escapes_read);
	tcase_add_test(tcase, round_trip);
	return unit_run("base/codec", tcase);
}
