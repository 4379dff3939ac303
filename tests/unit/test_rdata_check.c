/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hostile octets: every sample cut at every length, and every octet of it set
 * to values that lengths are afraid of, in memory of the exact size.
 */
#include "rdata.h"

#include <errno.h>

#include "dns/name.h"
#include "unit.h"

static uint8_t wire[RDATA_MAX];

static uint16_t sample_type(size_t i)
{
	return (uint16_t)dns_type_from_text(samples[i].type,
					    strlen(samples[i].type));
}

static int check_copy(uint16_t type, const uint8_t *rdata, size_t len)
{
	uint8_t *copy = malloc(len ? len : 1);
	int result;

	memcpy(copy, rdata, len);
	result = rdata_check(type, copy, len);
	free(copy);
	ck_assert(result == 0 || result == -EBADMSG);
	return result;
}

/* The names that the builder finds in checked RDATA lie inside it. */
static void check_names(uint16_t type, const uint8_t *rdata, size_t len)
{
	const struct dns_type *row = dns_type_find(type);
	const char *form = row ? row->form : NULL;
	bool compressible;
	size_t pos = 0;
	int at;

	while ((at = dns_rdata_next_name(&form, rdata, len, &pos,
					 &compressible)) >= 0)
		ck_assert_int_gt(dns_name_check(rdata + at, len - (size_t)at),
				 0);
	ck_assert_uint_le(pos, len);
}

START_TEST(samples_cut_anywhere)
{
	for (size_t i = 0; i < SAMPLE_NR; i++) {
		uint16_t type = sample_type(i);
		int len = from_text(wire, type, samples[i].text);

		ck_assert_int_eq(check_copy(type, wire, (size_t)len), 0);
		check_names(type, wire, (size_t)len);
		for (size_t cut = 0; cut < (size_t)len; cut++)
			if (!check_copy(type, wire, cut))
				check_names(type, wire, cut);
	}
}
END_TEST

START_TEST(samples_with_octets_changed)
{
	static const uint8_t values[] = {0, 1, 63, 64, 127, 128, 192, 255};

	for (size_t i = 0; i < SAMPLE_NR; i++) {
		uint16_t type = sample_type(i);
		int len = from_text(wire, type, samples[i].text);

		for (int at = 0; at < len; at++) {
			uint8_t old = wire[at];

			for (size_t k = 0; k < sizeof(values); k++) {
				wire[at] = values[k];
				if (!check_copy(type, wire, (size_t)len))
					check_names(type, wire, (size_t)len);
			}
			wire[at] = old;
		}
	}
}
END_TEST

struct row {
	uint16_t type;
	const char *rdata;
	size_t len;
	bool right;
};

/* The octets of a string without its end, and how many. */
#define OCTETS(rdata) rdata, sizeof(rdata) - 1

static const struct row rows[] = {
    /* B-RD10 */
    {DNS_TYPE_A, OCTETS("\300\0\2\1"), true},
    {DNS_TYPE_A, OCTETS("\300\0\2\1\0"), false},
    {DNS_TYPE_A, OCTETS(""), false},
    {DNS_TYPE_MX, OCTETS("\0\12\300\14"), false},
    {DNS_TYPE_TXT, OCTETS("\5aa"), false},
    {DNS_TYPE_TXT, OCTETS("\0"), true},
    {DNS_TYPE_TXT, OCTETS(""), false},
    {DNS_TYPE_NULL, OCTETS(""), true},
    {65280, OCTETS(""), true},
    /* bitmaps: windows in order, 1-32 octets, the last not 0, no type 0 */
    {DNS_TYPE_NSEC, OCTETS("\0\0\1\100"), true},
    {DNS_TYPE_NSEC, OCTETS("\0\0\1\200"), false},
    {DNS_TYPE_NSEC, OCTETS("\0\0\1\0"), false},
    {DNS_TYPE_NSEC, OCTETS("\0\0\0"), false},
    {DNS_TYPE_NSEC, OCTETS("\0\0\2\100"), false},
    {DNS_TYPE_NSEC, OCTETS("\0\0\1\100\0\1\100"), false},
    {DNS_TYPE_NSEC, OCTETS("\0\1\1\100\0\1\100"), false},
    {DNS_TYPE_NSEC, OCTETS("\0\0\1\100\1\1\200"), true},
    {DNS_TYPE_NSEC, OCTETS("\0\0\41xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"), false},
    {DNS_TYPE_NSEC, OCTETS("\0"), false},
    {DNS_TYPE_CSYNC, OCTETS("\0\0\0\1\0\3"), true},
    /* B-RD06 */
    {DNS_TYPE_APL, OCTETS("\0\1\40\4\300\0\2\1"), true},
    {DNS_TYPE_APL, OCTETS("\0\1\41\4\300\0\2\1"), false},
    {DNS_TYPE_APL, OCTETS("\0\1\40\5\300\0\2\1\1"), false},
    {DNS_TYPE_APL, OCTETS("\0\1\40\4\300\0\2\0"), false},
    {DNS_TYPE_APL, OCTETS("\0\7\377\1\0"), true},
    /* a LOC version to come, and ours with numbers out of range */
    {DNS_TYPE_LOC, OCTETS("\1xyz"), true},
    {DNS_TYPE_LOC, OCTETS("\0\22\26\23\200\0\0\0\200\0\0\0\0\0\0\0"), true},
    {DNS_TYPE_LOC, OCTETS("\0\22\26\23\0\0\0\0\200\0\0\0\0\0\0\0"), false},
    {DNS_TYPE_LOC, OCTETS("\0\240\26\23\200\0\0\0\200\0\0\0\0\0\0\0"), false},
    {DNS_TYPE_LOC, OCTETS(""), false},
    {DNS_TYPE_AMTRELAY, OCTETS("\12\177abc"), true},
    {DNS_TYPE_AMTRELAY, OCTETS("\12\1abc"), false},
    {DNS_TYPE_IPSECKEY, OCTETS("\12\4\2abc"), false},
    {DNS_TYPE_HIP, OCTETS("\0\2\0\1a"), false},
    {DNS_TYPE_HIP, OCTETS("\1\2\0\1ab"), true},
    {DNS_TYPE_HIP, OCTETS("\1\2\0\1ab\300\0"), false},
    {DNS_TYPE_CAA, OCTETS("\0\0x"), false},
    {DNS_TYPE_CAA, OCTETS("\0\1ax"), true},
    {DNS_TYPE_CAA, OCTETS("\0\1a"), true},
};

START_TEST(B_RD10_rows)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		int got = check_copy(row->type, (const uint8_t *)row->rdata,
				     row->len);

		ck_assert_msg(got == (row->right ? 0 : -EBADMSG),
			      "row %zu, type %u", i, row->type);
	}
}
END_TEST

/* A name of 256 octets, one too long (B-RD01), and RDATA that is too long. */
START_TEST(sizes)
{
	static uint8_t rdata[RDATA_MAX + 1];

	memset(rdata, 1, 256);
	ck_assert_int_eq(rdata_check(DNS_TYPE_NS, rdata, 256), -EBADMSG);
	memset(rdata, 1, 254);
	rdata[254] = 0;
	ck_assert_int_eq(rdata_check(DNS_TYPE_NS, rdata, 255), 0);
	ck_assert_int_eq(rdata_check(65280, rdata, RDATA_MAX), 0);
	ck_assert_int_eq(rdata_check(65280, rdata, RDATA_MAX + 1), -EBADMSG);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("rdata_check");

	tcase_add_test(tcase, samples_cut_anywhere);
	tcase_add_test(tcase, samples_with_octets_changed);
	tcase_add_test(tcase, B_RD10_rows);
	tcase_add_test(tcase, sizes);
	return unit_run("zone/rdata_check", tcase);
}
