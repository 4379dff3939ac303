/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * There and back: octets to text to the same octets, for the samples of every
 * type and for octets that no text was the start of.
 */
#include "rdata.h"

#include <errno.h>

#include "unit.h"

static uint8_t wire[RDATA_MAX], again[RDATA_MAX];

static void check_round_trip(uint16_t type, const uint8_t *rdata, size_t len)
{
	char *text = rdata_to_text(type, rdata, len);
	int got;

	ck_assert_ptr_nonnull(text);
	ck_assert_msg(!strchr(text, '\n'), "%u: %s", type, text);
	got = from_text(again, type, text);
	ck_assert_msg(got == (int)len, "%u: %s: %d, not %zu (%s)", type, text,
		      got, len, rdata_error.text);
	ck_assert_msg(!memcmp(rdata, again, len), "%u: %s", type, text);
	free(text);
}

START_TEST(samples_read_back)
{
	for (size_t i = 0; i < SAMPLE_NR; i++) {
		const char *name = samples[i].type;
		int type = dns_type_from_text(name, strlen(name));
		int len = from_text(wire, (uint16_t)type, samples[i].text);

		ck_assert_msg(len >= 0, "%s", samples[i].text);
		check_round_trip((uint16_t)type, wire, (size_t)len);
	}
}
END_TEST

static uint32_t seed;

static unsigned draw(unsigned limit)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % limit;
}

/*
 * Octets changed, cut or added: most are refused, the rest must have a text
 * that reads back. The copy on the heap has the exact size, so that a
 * sanitizer sees what is read past its end.
 */
static bool mutant_round_trip(uint16_t type, const uint8_t *rdata, size_t len)
{
	size_t new_len = len + draw(3) - (len ? draw(3) : 0);
	uint8_t *mutant;
	bool valid;

	if (draw(8) == 0)
		new_len = draw((unsigned)len + 1);
	if (new_len > len + 2)
		new_len = len;
	mutant = malloc(new_len ? new_len : 1);
	memset(mutant, 0, new_len ? new_len : 1);
	memcpy(mutant, rdata, len < new_len ? len : new_len);
	for (unsigned i = draw(4); i && new_len; i--)
		mutant[draw((unsigned)new_len)] =
		    (uint8_t)(draw(2) ? draw(256) : draw(4));
	valid = !rdata_check(type, mutant, new_len);
	if (valid)
		check_round_trip(type, mutant, new_len);
	free(mutant);
	return valid;
}

START_TEST(B_RD05_mutants_are_refused_or_read_back)
{
	unsigned valid = 0;

	seed = 20261201;
	for (size_t i = 0; i < SAMPLE_NR; i++) {
		const char *name = samples[i].type;
		uint16_t type =
		    (uint16_t)dns_type_from_text(name, strlen(name));
		int len = from_text(wire, type, samples[i].text);

		for (int round = 0; round < 400; round++)
			valid += mutant_round_trip(type, wire, (size_t)len);
	}
	ck_assert_uint_gt(valid, 10000);
}
END_TEST

static void check_text(uint16_t type, const char *text, const char *want)
{
	int len = from_text(wire, type, text);
	char *got;

	ck_assert_msg(len >= 0, "%s: %s", text, rdata_error.text);
	got = rdata_to_text(type, wire, (size_t)len);
	ck_assert_str_eq(got, want);
	free(got);
}

START_TEST(texts)
{
	check_text(DNS_TYPE_A, "192.0.2.1", "192.0.2.1");
	check_text(DNS_TYPE_AAAA, "2001:DB8:0::1", "2001:db8::1");
	check_text(DNS_TYPE_MX, "010 Mail", "10 Mail.example.");
	check_text(DNS_TYPE_SOA, "@ hm 1 1h 2 3 4",
		   "example. hm.example. 1 3600 2 3 4");
	check_text(DNS_TYPE_TXT, "a\"b;\\\"\"\\010",
		   "\"a\" \"b;\\\"\" \"\\010\"");
	check_text(DNS_TYPE_NSEC, "b type1 mx TYPE65280",
		   "b.example. A MX TYPE65280");
	check_text(DNS_TYPE_NSEC3, "1 0 0 - 2t7b4g4vsa5smi47k61mv5bv1a22bojr",
		   "1 0 0 - 2T7B4G4VSA5SMI47K61MV5BV1A22BOJR");
	check_text(DNS_TYPE_RRSIG, "a ED25519 2 1 951782400 0 3 . AA == ",
		   "A 15 2 1 20000229000000 19700101000000 3 . AA==");
	check_text(DNS_TYPE_CAA, "0 Issue ca.test", "0 Issue \"ca.test\"");
	check_text(
	    DNS_TYPE_SVCB,
	    "1 . alpn=\"f\\\\\\\\oo\\\\,bar,h2\" mandatory=alpn key9999",
	    "1 . mandatory=alpn alpn=\"f\\\\\\\\oo\\\\,bar,h2\" key9999");
	check_text(DNS_TYPE_APL, "!1:10.1.0.0/16", "!1:10.1.0.0/16");
	check_text(DNS_TYPE_LOC, "42 21 54.5 N 71 6 18 W -24m 30m",
		   "42 21 54.500 N 71 6 18.000 W -24.00m 30.00m 10000.00m "
		   "10.00m");
	check_text(DNS_TYPE_NULL, "\\# 0", "\\# 0");
	check_text(65280, "\\# 2 0a0B", "\\# 2 0A0B");
}
END_TEST

/* Every date is what the C library says. */
START_TEST(times_read_back)
{
	uint8_t rdata[20] = {0, 1, 8, 0, 0, 0, 0, 0};

	for (uint64_t t = 0; t <= UINT32_MAX; t += 86399 * 7) {
		rdata[8] = (uint8_t)(t >> 24);
		rdata[9] = (uint8_t)(t >> 16);
		rdata[10] = (uint8_t)(t >> 8);
		rdata[11] = (uint8_t)t;
		check_round_trip(DNS_TYPE_RRSIG, rdata, sizeof(rdata));
	}
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("rdata_text");

	tcase_set_timeout(tcase, 60); /* a hang, not slowness */
	tcase_add_test(tcase, samples_read_back);
	tcase_add_test(tcase, B_RD05_mutants_are_refused_or_read_back);
	tcase_add_test(tcase, texts);
	tcase_add_test(tcase, times_read_back);
	return unit_run("zone/rdata_text", tcase);
}
