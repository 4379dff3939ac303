/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Octets compared with ASCII case ignored (RFC 4343), many at a time: the
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

/* Sixteen octets in one register, where the machine has such ones. */
typedef uint8_t dns_fold16 __attribute__((vector_size(16)));
typedef int8_t dns_signed16 __attribute__((vector_size(16)));

static inline dns_fold16 dns_fold_load16(const uint8_t *p)
{
	dns_fold16 octets, upper;

	memcpy(&octets, p, sizeof(octets));
	/* 'A' to 'Z' become the 26 highest of the signed numbers. */
	upper = octets + (uint8_t)(0x7f - 'Z');
	upper = (dns_fold16)((dns_signed16)upper > 0x7f - 26);
	return octets + (upper & 0x20);
}

/* Reads and writes exactly len octets. */
static inline void dns_fold_copy(uint8_t *to, const uint8_t *from, size_t len)
{
	dns_fold16 octets;
	uint64_t word;
	size_t pos = 0;

	/* The last piece may overlap the one before. */
	if (len >= 16) {
		for (; pos + 16 < len; pos += 16) {
			octets = dns_fold_load16(from + pos);
			memcpy(to + pos, &octets, sizeof(octets));
		}
		octets = dns_fold_load16(from + len - 16);
		memcpy(to + len - 16, &octets, sizeof(octets));
	} else if (len >= 8) {
		word = dns_fold_load(from);
		memcpy(to, &word, sizeof(word));
		word = dns_fold_load(from + len - 8);
		memcpy(to + len - 8, &word, sizeof(word));
	} else {
		for (; pos < len; pos++)
			to[pos] = dns_lower[from[pos]];
	}
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
 * The same with b in lower case already: less work. Reads exactly len octets
 * of each.
 */
static inline bool dns_fold_eq_lower(const uint8_t *a, const uint8_t *b,
				     size_t len)
{
	dns_fold16 octets, differ = {0};
	uint64_t diff[2] = {0, 0}, word;
	size_t pos = 0;

	if (len >= 16) {
		for (; pos + 16 < len; pos += 16) {
			memcpy(&octets, b + pos, sizeof(octets));
			differ |= dns_fold_load16(a + pos) ^ octets;
		}
		memcpy(&octets, b + len - 16, sizeof(octets));
		differ |= dns_fold_load16(a + len - 16) ^ octets;
		memcpy(diff, &differ, sizeof(diff));
	} else if (len >= 8) {
		memcpy(&word, b, sizeof(word));
		diff[0] = dns_fold_load(a) ^ word;
		memcpy(&word, b + len - 8, sizeof(word));
		diff[1] = dns_fold_load(a + len - 8) ^ word;
	} else {
		for (; pos < len; pos++)
			diff[0] |= dns_lower[a[pos]] ^ b[pos];
	}
	return !(diff[0] | diff[1]);
}

/* dns_name_suffix() where the lengths are known. */
static inline int dns_fold_suffix(const uint8_t *name, size_t name_len,
				  const uint8_t *ancestor, size_t len)
{
	size_t pos = 0;

	if (len > name_len)
		return -1;
	while (name_len - pos > len)
		pos += name[pos] + 1u;
	if (name_len - pos != len || !dns_fold_eq(name + pos, ancestor, len))
		return -1;
	return (int)pos;
}

#endif
