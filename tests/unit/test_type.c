/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns/type.h"
#include "unit.h"

#include <ctype.h>
#include <errno.h>
#include <ldns/ldns.h>
#include <string.h>

static int from_text(const char *text)
{
	return dns_type_from_text(text, strlen(text));
}

START_TEST(every_mnemonic_reads_back)
{
	char text[DNS_TYPE_TEXT_MAX];
	unsigned known = 0;

	for (unsigned type = 0; type < 65536; type++) {
		const struct dns_type *row = dns_type_find((uint16_t)type);

		dns_type_to_text(text, (uint16_t)type);
		ck_assert_int_eq(from_text(text), (int)type);
		for (char *p = text; *p; p++)
			*p = (char)tolower(*p);
		ck_assert_int_eq(from_text(text), (int)type);
		if (row) {
			ck_assert_uint_eq(row->type, type);
			known++;
		}
	}
	ck_assert_uint_eq(known, 97);
}
END_TEST

START_TEST(same_mnemonics_as_ldns)
{
	unsigned compared = 0;

	for (unsigned type = 1; type < 65536; type++) {
		const ldns_rr_descriptor *d = ldns_rr_descript((uint16_t)type);
		const struct dns_type *row = dns_type_find((uint16_t)type);

		if (!d || !d->_name || !strncmp(d->_name, "TYPE", 4))
			continue;
		/* 1.8.4 gives WALLET the name TXT, which reads back as TXT. */
		if (ldns_get_rr_type_by_name(d->_name) != type)
			continue;
		ck_assert_msg(row, "%s", d->_name);
		ck_assert_str_eq(row->mnemonic, d->_name);
		compared++;
	}
	ck_assert_uint_gt(compared, 70);
}
END_TEST

START_TEST(words_that_are_no_type)
{
	static const char *const words[] = {
	    "",	      "FOO",	    "TYPE",	 "TYPE65536", "TYPE-1",
	    "TYPE1x", "TYPE000001", "# comment", "//",	      "AA",
	    "MXX",    "N",	    "CLASS1",	 "\xff",      "1",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		ck_assert_msg(from_text(words[i]) == -EINVAL, "%s", words[i]);
	ck_assert_int_eq(dns_type_from_text("MX 10", 2), DNS_TYPE_MX);
	ck_assert_int_eq(from_text("type65280"), 65280);
	ck_assert_int_eq(from_text("TYPE1"), DNS_TYPE_A);
	ck_assert_int_eq(from_text("TYPE0"), 0);
}
END_TEST

START_TEST(B_ZS16_meta_types)
{
	static const uint16_t data[] = {1, 10, 42, 99, 127, 256, 65280, 65535};

	ck_assert(dns_type_is_meta(0));
	ck_assert(dns_type_is_meta(DNS_TYPE_OPT));
	for (uint16_t type = 128; type < 256; type++)
		ck_assert(dns_type_is_meta(type));
	for (size_t i = 0; i < sizeof(data) / sizeof(data[0]); i++)
		ck_assert(!dns_type_is_meta(data[i]));
}
END_TEST

static void check_names(uint16_t type, const void *rdata, size_t len,
			const int want[3])
{
	const char *form = dns_type_find(type)->form;
	bool compressible;
	size_t pos = 0;

	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(
		    dns_rdata_next_name(&form, rdata, len, &pos, &compressible),
		    want[i]);
		if (want[i] >= 0)
			ck_assert_int_eq(compressible, type < DNS_TYPE_TXT);
	}
}

START_TEST(names_in_rdata)
{
	check_names(DNS_TYPE_A, "\300\0\2\1", 4, (int[]){-1, -1, -1});
	check_names(DNS_TYPE_NS, "\1a", 3, (int[]){0, -1, -1});
	check_names(DNS_TYPE_MX, "\0\1\1a", 5, (int[]){2, -1, -1});
	check_names(DNS_TYPE_SOA, "\1a\0\2bc\0aaaabbbbccccddddeeee", 27,
		    (int[]){0, 3, -1});
	check_names(DNS_TYPE_SRV, "\0\1\0\1\0\1\1a", 9, (int[]){6, -1, -1});
	check_names(DNS_TYPE_NAPTR, "\0\1\0\1\1u\2ab\0\1a", 13,
		    (int[]){10, -1, -1});
	check_names(DNS_TYPE_RRSIG, "\0\1\5\2aaaabbbbccccdd\1a\0sig", 24,
		    (int[]){18, -1, -1});
	check_names(DNS_TYPE_SVCB, "\0\1\1a\0\0\3\0\2\0\1", 11,
		    (int[]){2, -1, -1});
	check_names(DNS_TYPE_TXT, "\1a", 2, (int[]){-1, -1, -1});
	check_names(DNS_TYPE_NULL, "", 0, (int[]){-1, -1, -1});
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("type");

	tcase_add_test(tcase, every_mnemonic_reads_back);
	tcase_add_test(tcase, same_mnemonics_as_ldns);
	tcase_add_test(tcase, words_that_are_no_type);
	tcase_add_test(tcase, B_ZS16_meta_types);
	tcase_add_test(tcase, names_in_rdata);
	return unit_run("dns/type", tcase);
}
