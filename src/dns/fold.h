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

/* Reads and writes exactly len octets. */
static inline void dns_fold_copy(uint8_t *to, const uint8_t *from, size_t len)
{
	uint64_t word;
	size_t pos = 0;

	if (len < 8) {
		for (; pos < len; pos++)
			to[pos] = dns_lower[from[pos]];
		return;
	}
	for (; pos + 8 < len; pos += 8) {
		word = dns_fold_load(from + pos);
		memcpy(to + pos, &word, sizeof(word));
	}
	/* The last word may overlap the one before. */
	word = dns_fold_load(from + len - 8);
	memcpy(to + len - 8, &word, sizeof(word));
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

/*
 * The same with b in lower case already: half the work. Reads exactly len
 * octets of each.
 */
static inline bool dns_fold_eq_lower(const uint8_t *a, const uint8_t *b,
				     size_t len)
{
	uint64_t diff = 0, word;
	size_t pos = 0;

	if (len < 8) {
		for (; pos < len; pos++)
			diff |= dns_lower[a[pos]] ^ b[pos];
		return !diff;
	}
	for (; pos + 8 < len; pos += 8) {
		memcpy(&word, b + pos, sizeof(word));
		diff |= dns_fold_load(a + pos) ^ word;
	}
	memcpy(&word, b + len - 8, sizeof(word));
	return !(diff | (dns_fold_load(a + len - 8) ^ word));
}

#endif
