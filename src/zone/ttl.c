/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TTLs and periods in text. Every sum and product is checked against 32 bits
 * before it is taken further, so nothing wraps.
 */
#include "zone/ttl.h"

#include <errno.h>
#include <stdbool.h>

static uint32_t unit_seconds(char c)
{
	switch (c | 0x20) {
	case 's':
		return 1;
	case 'm':
		return 60;
	case 'h':
		return 3600;
	case 'd':
		return 86400;
	case 'w':
		return 604800;
	default:
		return 0;
	}
}

/* Digits at *pos; false when there are none. Saturates above 32 bits. */
static bool number(uint64_t *out, const char *text, size_t len, size_t *pos)
{
	size_t start = *pos;
	uint64_t value = 0;

	while (*pos < len && text[*pos] >= '0' && text[*pos] <= '9') {
		value = value * 10 + (uint64_t)(text[*pos] - '0');
		if (value > UINT32_MAX)
			value = (uint64_t)UINT32_MAX + 1;
		(*pos)++;
	}
	*out = value;
	return *pos > start;
}

int ttl_from_text(uint32_t *out, const char *text, size_t len)
{
	uint64_t sum = 0, value;
	bool over = false;
	size_t pos = 0;

	do {
		bool first = !pos;
		uint32_t unit = 1;

		if (!number(&value, text, len, &pos))
			return -EINVAL;
		if (pos < len)
			unit = unit_seconds(text[pos++]);
		else if (!first)
			unit = 0; /* 3d5: a number without its unit */
		if (!unit)
			return -EINVAL;
		/* At most 2^32 * 604800: 52 bits, and the sum stays below. */
		sum += value * unit;
		over |= sum > UINT32_MAX;
		if (over)
			sum = 0;
	} while (pos < len);
	if (over)
		return -ERANGE;
	*out = (uint32_t)sum;
	return 0;
}
