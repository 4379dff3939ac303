/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A histogram of times with three significant digits over its whole range
 * (log-linear, as HdrHistogram has it): exact below 2,048 ns, above that 1,024
 * counters for each power of two, up to 68 s.
 */
#ifndef ZCFLOOD_HISTOGRAM_H
#define ZCFLOOD_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_MAX_BITS 36
/* Linear within a power of two: 2^10 counters, an error below 0.1 %. */
#define HISTOGRAM_SUB_BITS 10
#define HISTOGRAM_NR                                                           \
	((HISTOGRAM_MAX_BITS - HISTOGRAM_SUB_BITS + 1) << HISTOGRAM_SUB_BITS)

struct histogram {
	uint64_t nr, sum, min, max;
	uint64_t counter[HISTOGRAM_NR];
};

static inline uint32_t histogram_index(uint64_t value)
{
	unsigned top = 63 - (unsigned)__builtin_clzll(value | 1);
	unsigned shift =
	    top > HISTOGRAM_SUB_BITS ? top - HISTOGRAM_SUB_BITS : 0;

	return (shift << HISTOGRAM_SUB_BITS) + (uint32_t)(value >> shift);
}

/* Longer times count as the longest that it can hold; min, max are exact. */
static inline void histogram_add(struct histogram *histogram, uint64_t value)
{
	uint64_t most = (1ull << HISTOGRAM_MAX_BITS) - 1;

	if (!histogram->nr++ || value < histogram->min)
		histogram->min = value;
	if (value > histogram->max)
		histogram->max = value;
	histogram->sum += value;
	histogram->counter[histogram_index(value < most ? value : most)]++;
}

/*
 * The value that a fraction (0 to 1) of all values does not exceed; 0 when
 * there are none.
 */
uint64_t histogram_quantile(const struct histogram *histogram, double fraction);

#endif
