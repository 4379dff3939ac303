/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Type bitmaps of NSEC, NSEC3 and CSYNC (RFC 4034 section 4.1.2): windows of
 * 256 types in ascending order, each
 *
 *	window number 1 | length 1-32 | that many octets, the last not 0
 *
 * A struct bitmap collects types in any order. Only windows in use are ever
 * touched, so a bitmap on the stack costs 32 octets to set up.
 */
#ifndef ZONE_BITMAP_H
#define ZONE_BITMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Octets of the largest one. */
#define BITMAP_MAX (256 * 34)

struct bitmap {
	uint32_t used[8]; /* bit for each window */
	uint8_t bits[256][32];
};

void bitmap_init(struct bitmap *bitmap);
void bitmap_set(struct bitmap *bitmap, uint16_t type);

/* Wire form to out, BITMAP_MAX octets at most; returns its length. */
size_t bitmap_put(const struct bitmap *bitmap, uint8_t *out);

/* True for wire form in order, without type 0; empty is right too. */
bool bitmap_is_valid(const uint8_t *wire, size_t len);

/*
 * The next type of a valid wire form that is at least from, -1 when there is
 * none: for (t = 0; (t = bitmap_next(wire, len, t)) >= 0; t++).
 */
int bitmap_next(const uint8_t *wire, size_t len, int from);

#endif
