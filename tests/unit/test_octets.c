/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/octets.h"
#include "unit.h"

enum { LEN_MAX = 300 };

/* Every length, between octets that must stay. */
START_TEST(copies_no_less_and_no_more)
{
	uint8_t from[LEN_MAX], to[LEN_MAX + 2];

	for (unsigned i = 0; i < LEN_MAX; i++)
		from[i] = (uint8_t)(i * 7 + 1);
	for (size_t len = 0; len < LEN_MAX; len++) {
		memset(to, 0, sizeof(to));
		octets_copy(to + 1, from, len);
		ck_assert_uint_eq(to[0], 0);
		ck_assert(!memcmp(to + 1, from, len));
		ck_assert_uint_eq(to[len + 1], 0);
	}
}
END_TEST

START_TEST(one_octet_makes_the_difference)
{
	uint8_t a[66], b[66];

	for (size_t len = 0; len <= 64; len++) {
		memset(a, 5, sizeof(a));
		memset(b, 5, sizeof(b));
		/* What lies around does not count. */
		a[0] = a[len + 1] = 6;
		ck_assert(octets_eq(a + 1, b + 1, len));
		for (size_t i = 1; i <= len; i++) {
			b[i] ^= 0x80;
			ck_assert(!octets_eq(a + 1, b + 1, len));
			b[i] ^= 0x80;
		}
	}
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("octets");

	tcase_add_test(tcase, copies_no_less_and_no_more);
	tcase_add_test(tcase, one_octet_makes_the_difference);
	return unit_run("base/octets", tcase);
}
