/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Octets compared with ASCII case ignored (RFC 4343), eight at a time: the
 * inner loop of every look-up by name. Length octets of labels lie below 'A',
 * so whole names and their tails can be compared without taking them apart.
 */
#ifndef DNS_FOLD_H
#define DNS_FOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "dns/name.h"

/* Each of eight octets in ASCII lower case. */
static inline uint64_t dns_fold_word(uint64_t word)
{
	const uint64_t ones = 0x0101010101010101;
	uint64_t low = word & 0x7f * ones;
	/* Bit 7 of each octet: at least 'A', and beyond 'Z'. */
	uint64_t from_a = low + (0x80 - 'A') * ones;
	uint64_t past_z = low + (0x7f - 'Z') * ones;
	uint64_t upper = (from_a ^ past_z) & ~word & 0x80 * ones;

	return word | upper >> 2;
}

static inline uint64_t dns_fold_load(const uint8_t *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	return dns_fold_word(word);
}

/* Reads exactly len octets of each. */
static inline bool dns_fold_eq(const uint8_t *a, const uint8_t *b, size_t len)
{
	size_t pos = 0;

	if (len < 8) {
		for (; pos < len; pos++)
			if (dns_lower[a[pos]] != dns_lower[b[pos]])
				return false;
		return true;
	}
	for (; pos + 8 < len; pos += 8)
		if (dns_fold_load(a + pos) != dns_fold_load(b + pos))
			return false;
	/* The last word may overlap the one before. */
	pos = len - 8;
	return dns_fold_load(a + pos) == dns_fold_load(b + pos);
}

#endif
