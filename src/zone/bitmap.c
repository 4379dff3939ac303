/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Type bitmaps. Bit 0 is the most significant bit of the first octet.
 */
#include "zone/bitmap.h"

#include <string.h>

#define WINDOW_OCTETS 32

void bitmap_init(struct bitmap *bitmap)
{
	memset(bitmap->used, 0, sizeof(bitmap->used));
}

void bitmap_set(struct bitmap *bitmap, uint16_t type)
{
	unsigned window = type >> 8;
	uint32_t bit = 1u << (window & 31);

	if (!(bitmap->used[window / 32] & bit)) {
		bitmap->used[window / 32] |= bit;
		memset(bitmap->bits[window], 0, WINDOW_OCTETS);
	}
	bitmap->bits[window][(type & 255) / 8] |= (uint8_t)(0x80 >> (type & 7));
}

static size_t window_put(const uint8_t *bits, unsigned window, uint8_t *out)
{
	unsigned len = WINDOW_OCTETS;

	while (!bits[len - 1])
		len--;
	out[0] = (uint8_t)window;
	out[1] = (uint8_t)len;
	memcpy(out + 2, bits, len);
	return len + 2;
}

size_t bitmap_put(const struct bitmap *bitmap, uint8_t *out)
{
	size_t len = 0;

	for (unsigned i = 0; i < 8; i++) {
		uint32_t used = bitmap->used[i];

		for (; used; used &= used - 1) {
			unsigned window =
			    i * 32 + (unsigned)__builtin_ctz(used);

			len +=
			    window_put(bitmap->bits[window], window, out + len);
		}
	}
	return len;
}

bool bitmap_is_valid(const uint8_t *wire, size_t len)
{
	int last = -1;

	while (len) {
		size_t octets;

		if (len < 3)
			return false;
		octets = wire[1];
		if (wire[0] <= last || !octets || octets > WINDOW_OCTETS ||
		    octets > len - 2 || !wire[1 + octets])
			return false;
		if (!wire[0] && wire[2] & 0x80)
			return false;
		last = wire[0];
		wire += octets + 2;
		len -= octets + 2;
	}
	return true;
}

int bitmap_next(const uint8_t *wire, size_t len, int from)
{
	const uint8_t *end = wire + len;

	for (; wire < end; wire += wire[1] + 2) {
		int first = wire[0] << 8;

		if (from < first)
			from = first;
		for (; from < first + wire[1] * 8; from++)
			if (wire[2 + (from & 255) / 8] & 0x80 >> (from & 7))
				return from;
	}
	return -1;
}
