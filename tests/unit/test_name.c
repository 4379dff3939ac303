/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns/name.h"
#include "unit.h"

#include <errno.h>
#include <string.h>

static const uint8_t origin[] = "\7example\3com";

static void check_text(const char *text, const void *wire, int len)
{
	uint8_t out[DNS_NAME_MAX];
	int got = dns_name_from_text(out, text, strlen(text), origin);

	ck_assert_msg(got == len, "%s: %d, not %d", text, got, len);
	if (len > 0)
		ck_assert_mem_eq(out, wire, (size_t)len);
}

START_TEST(text_to_name)
{
	check_text(".", "", 1);
	check_text("@", origin, sizeof(origin));
	check_text("www", "\3www\7example\3com", 17);
	check_text("www.", "\3www", 5);
	check_text("a\\.b.", "\3a.b", 5);
	check_text("\\@.", "\1@", 3);
	check_text("\\097.", "\1a", 3);
	check_text("\\256.", NULL, -EINVAL);
	check_text("\\25x.", NULL, -EINVAL);
	check_text("a\\", NULL, -EINVAL);
	check_text("a..b", NULL, -EINVAL);
	check_text(".a", NULL, -EINVAL);
	check_text("", NULL, -EINVAL);
}
END_TEST

/* 63+63+63+n letters below example. are 255 octets with n = 53 (B-RD01). */
static int long_name(size_t last)
{
	char text[300];
	uint8_t out[DNS_NAME_MAX];

	memset(text, 'x', sizeof(text));
	text[63] = text[127] = text[191] = '.';
	return dns_name_from_text(out, text, 192 + last,
				  (const uint8_t *)"\7example");
}

START_TEST(B_RD01_name_with_origin_over_255)
{
	ck_assert_int_eq(long_name(53), 255);
	ck_assert_int_eq(long_name(54), -ENAMETOOLONG);
	ck_assert_int_eq(long_name(64), -ENAMETOOLONG);
}
END_TEST

static void check_wire(const void *wire, size_t max, int result)
{
	ck_assert_int_eq(dns_name_check(wire, max), result);
}

START_TEST(wire_names)
{
	uint8_t longest[256];

	check_wire("", 1, 1);
	check_wire("\1a", 3, 3);
	check_wire("\1a", 2, -EBADMSG);
	check_wire("\1a", 1, -EBADMSG);
	check_wire("\xc0\x0c", 3, -EBADMSG);
	check_wire("\x41", 2, -EBADMSG);
	memset(longest, 1, sizeof(longest));
	longest[254] = 0;
	check_wire(longest, 256, 255);
	memset(longest, 1, sizeof(longest));
	check_wire(longest, 256, -EBADMSG);
}
END_TEST

START_TEST(order)
{
	/* RFC 4034 section 6.1 */
	static const char *const names[] = {
	    "\7example",
	    "\1a\7example",
	    "\010yljkjljk\1a\7example",
	    "\1Z\1a\7example",
	    "\4zABC\1a\7EXAMPLE",
	    "\1z\7example",
	    "\1\1\1z\7example",
	    "\1*\1z\7example",
	    "\1\xc8\1z\7example",
	};
	const size_t nr = sizeof(names) / sizeof(names[0]);

	for (size_t i = 0; i < nr; i++) {
		for (size_t k = 0; k < nr; k++) {
			int diff = dns_name_cmp((const uint8_t *)names[i],
						(const uint8_t *)names[k]);

			ck_assert_int_eq((diff > 0) - (diff < 0),
					 (i > k) - (i < k));
		}
	}
}
END_TEST

START_TEST(suffix)
{
	const uint8_t *name = (const uint8_t *)"\3www\7EXAMPLE\3com";

	ck_assert_int_eq(dns_name_suffix(name, origin), 4);
	ck_assert_int_eq(dns_name_suffix(name, name), 0);
	ck_assert_int_eq(dns_name_suffix(name, (const uint8_t *)""), 16);
	ck_assert_int_eq(dns_name_suffix(origin, name), -1);
	ck_assert_int_eq(
	    dns_name_suffix((const uint8_t *)"\016ww\7example\3com", origin),
	    -1);
	ck_assert(dns_name_eq(name, (const uint8_t *)"\3WWW\7example\3com"));
	ck_assert(!dns_name_eq(name, origin));
}
END_TEST

START_TEST(name_to_text)
{
	char text[DNS_NAME_TEXT_MAX];

	ck_assert_uint_eq(dns_name_to_text(text, (const uint8_t *)""), 1);
	ck_assert_str_eq(text, ".");
	dns_name_to_text(text, (const uint8_t *)"\5a.\1\\$\2B@");
	ck_assert_str_eq(text, "a\\.\\001\\\\\\$.B\\@.");
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("name");

	tcase_add_test(tcase, text_to_name);
	tcase_add_test(tcase, B_RD01_name_with_origin_over_255);
	tcase_add_test(tcase, wire_names);
	tcase_add_test(tcase, order);
	tcase_add_test(tcase, suffix);
	tcase_add_test(tcase, name_to_text);
	return unit_run("dns/name", tcase);
}
