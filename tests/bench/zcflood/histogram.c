/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading a histogram. */
#include "zcflood/histogram.h"

#include <math.h>

/* The highest value that the counter stands for. */
static uint64_t upper(uint32_t index)
{
	unsigned shift = index >> HISTOGRAM_SUB_BITS;
	uint64_t step;

	/* the first two powers of HISTOGRAM_SUB_BITS share shift 0 */
	if (shift)
		shift--;
	step = index - (shift << HISTOGRAM_SUB_BITS);
	return ((step + 1) << shift) - 1;
}

uint64_t histogram_quantile(const struct histogram *histogram, double fraction)
{
	uint64_t rank = (uint64_t)ceil(fraction * (double)histogram->nr);
	uint64_t seen = 0;

	for (uint32_t i = 0; i < HISTOGRAM_NR; i++) {
		seen += histogram->counter[i];
		if (seen >= rank && seen)
			return upper(i) < histogram->max ? upper(i)
							 : histogram->max;
	}
	return 0;
}
