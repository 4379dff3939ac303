/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns/fold.h"
#include "unit.h"

enum { LEN_MAX = 70 };

/* Each octet at each place of each length, against the table. */
START_TEST(folds_as_the_table)
{
	uint8_t from[LEN_MAX], to[LEN_MAX + 2];

	for (size_t len = 0; len < LEN_MAX; len++) {
		for (unsigned first = 0; first < 256; first++) {
			for (size_t i = 0; i < len; i++)
				from[i] = (uint8_t)(first + i * 3);
			memset(to, 'A', sizeof(to));
			dns_fold_copy(to + 1, from, len);
			ck_assert_uint_eq(to[0], 'A');
			ck_assert_uint_eq(to[len + 1], 'A');
			for (size_t i = 0; i < len; i++)
				ck_assert_uint_eq(to[i + 1],
						  dns_lower[from[i]]);
			ck_assert(dns_fold_eq(from, to + 1, len));
			ck_assert(dns_fold_eq_lower(from, to + 1, len));
		}
	}
}
END_TEST

START_TEST(one_octet_makes_the_difference)
{
	uint8_t a[LEN_MAX], lower[LEN_MAX];

	for (size_t len = 1; len < LEN_MAX; len++) {
		memset(a, '[', sizeof(a));
		memset(lower, '[', sizeof(lower));
		for (size_t i = 0; i < len; i++) {
			/* '[' and '{' differ as letters of two cases do. */
			lower[i] = '{';
			ck_assert(!dns_fold_eq(a, lower, len));
			ck_assert(!dns_fold_eq_lower(a, lower, len));
			lower[i] = '[';
		}
	}
}
END_TEST

START_TEST(suffix_starts_at_a_label)
{
	const uint8_t *name = (const uint8_t *)"\3wWw\7example\3com";

	ck_assert_int_eq(
	    dns_fold_suffix(name, 17, (const uint8_t *)"\7EXAMPLE\3com", 13),
	    4);
	ck_assert_int_eq(dns_fold_suffix(name, 17, name, 17), 0);
	ck_assert_int_eq(dns_fold_suffix(name + 4, 13, name, 17), -1);
	ck_assert_int_eq(
	    dns_fold_suffix((const uint8_t *)"\016ww\7example\3com", 16,
			    (const uint8_t *)"\7example\3com", 13),
	    -1);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("fold");

	tcase_add_test(tcase, folds_as_the_table);
	tcase_add_test(tcase, one_octet_makes_the_difference);
	tcase_add_test(tcase, suffix_starts_at_a_label);
	return unit_run("dns/fold", tcase);
}
