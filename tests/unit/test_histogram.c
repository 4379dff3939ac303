/* SPDX-License-Identifier: BSD-2-Clause */
#include "zcflood/histogram.h"
#include "unit.h"

#include <math.h>
#include <string.h>

static struct histogram histogram;

static void fill(uint64_t from, uint64_t to, uint64_t step)
{
	memset(&histogram, 0, sizeof(histogram));
	for (uint64_t value = from; value <= to; value += step)
		histogram_add(&histogram, value);
}

START_TEST(nothing)
{
	fill(1, 0, 1);
	ck_assert_uint_eq(histogram.nr, 0);
	ck_assert_uint_eq(histogram_quantile(&histogram, 0.5), 0);
}
END_TEST

START_TEST(small_values_are_exact)
{
	fill(1, 2000, 1);
	for (unsigned i = 1; i <= 100; i++)
		ck_assert_uint_eq(histogram_quantile(&histogram, i / 100.),
				  20 * i);
	ck_assert_uint_eq(histogram.min, 1);
	ck_assert_uint_eq(histogram.max, 2000);
	ck_assert_uint_eq(histogram.sum, 2001000);
}
END_TEST

/* Every value alone: what is read back is off by less than 0.1 %. */
START_TEST(three_digits)
{
	for (double v = 1; v < 6e10; v *= 1.0007) {
		uint64_t value = (uint64_t)v, found;

		memset(&histogram, 0, sizeof(histogram));
		histogram_add(&histogram, value);
		histogram_add(&histogram, 1ull << 40);
		found = histogram_quantile(&histogram, 0.5);
		ck_assert_uint_ge(found, value);
		ck_assert_double_le((double)(found - value),
				    (double)value * 1e-3);
	}
}
END_TEST

/* The counters follow each other without gap or overlap. */
START_TEST(indices)
{
	uint32_t last = 0;

	for (uint64_t value = 0; value < 1 << 20; value++) {
		uint32_t index = histogram_index(value);

		ck_assert(index == last || index == last + 1);
		last = index;
	}
	ck_assert_uint_eq(histogram_index((1ull << HISTOGRAM_MAX_BITS) - 1),
			  HISTOGRAM_NR - 1);
}
END_TEST

START_TEST(beyond_the_range)
{
	fill(1ull << 50, 1ull << 50, 1);
	ck_assert_uint_eq(histogram.max, 1ull << 50);
	ck_assert_uint_eq(histogram_quantile(&histogram, 1),
			  (1ull << HISTOGRAM_MAX_BITS) - 1);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("histogram");

	/* a million assertions, on a machine that has other things to do */
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, nothing);
	tcase_add_test(tcase, small_values_are_exact);
	tcase_add_test(tcase, three_digits);
	tcase_add_test(tcase, indices);
	tcase_add_test(tcase, beyond_the_range);
	return unit_run("zcflood/histogram", tcase);
}
