/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading and writing integers in network order at any alignment.
 *
 * The caller has checked the bounds. "be" never appears in a name here: what
 * goes in and out of these functions is in host order, what lies in the octets
 * is in network order (RFC 1035 section 2.3.2).
 */
#ifndef BASE_OCTETS_H
#define BASE_OCTETS_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t get_u16(const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return be16toh(v);
}

static inline uint32_t get_u32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return be32toh(v);
}

static inline uint64_t get_u48(const uint8_t *p)
{
	return (uint64_t)get_u16(p) << 32 | get_u32(p + 2);
}

static inline void put_u16(uint8_t *p, uint16_t v)
{
	v = htobe16(v);
	memcpy(p, &v, sizeof(v));
}

static inline void put_u32(uint8_t *p, uint32_t v)
{
	v = htobe32(v);
	memcpy(p, &v, sizeof(v));
}

/*
 * memcpy() inlined for what replies are made of: up to some dozen octets.
 * Ranges must not overlap.
 */
static inline void octets_copy(uint8_t *to, const uint8_t *from, size_t len)
{
	struct {
		uint64_t word[2];
	} piece;
	size_t pos = 0;

	if (len < sizeof(piece) || len > 8 * sizeof(piece)) {
		memcpy(to, from, len);
		return;
	}
	for (; pos + sizeof(piece) < len; pos += sizeof(piece)) {
		memcpy(&piece, from + pos, sizeof(piece));
		memcpy(to + pos, &piece, sizeof(piece));
	}
	/* The last piece may overlap the one before. */
	memcpy(&piece, from + len - sizeof(piece), sizeof(piece));
	memcpy(to + len - sizeof(piece), &piece, sizeof(piece));
}

/*
 * memcmp() for equality, inlined: octets that are compared for each query are
 * few and mostly equal.
 */
static inline bool octets_eq(const uint8_t *a, const uint8_t *b, size_t len)
{
	uint64_t left, right, diff = 0;
	size_t pos = 0;

	if (len < 8) {
		for (; pos < len; pos++)
			diff |= a[pos] ^ b[pos];
		return !diff;
	}
	for (; pos + 8 < len; pos += 8) {
		memcpy(&left, a + pos, sizeof(left));
		memcpy(&right, b + pos, sizeof(right));
		diff |= left ^ right;
	}
	/* The last word may overlap the one before. */
	memcpy(&left, a + len - 8, sizeof(left));
	memcpy(&right, b + len - 8, sizeof(right));
	return !(diff | (left ^ right));
}

#endif
