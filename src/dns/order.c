/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Canonical order in words. A word holds the octets of a label first octet
 * highest, so that comparing words is comparing octets.
 */
#include "dns/order.h"

#include <endian.h>

#include "dns/fold.h"

/* Up to 8 octets of a label from position i < its length on, zeros behind. */
static inline uint64_t label_word(const uint8_t *label, unsigned i)
{
	unsigned left = *label - i;
	uint64_t word = be64toh(dns_fold_load(label + 1 + i));

	return left < 8 ? word >> (64 - 8 * left) << (64 - 8 * left) : word;
}

/* Is one of the first len octets of a word, len not 0, below 2? */
static inline bool has_low_octet(uint64_t word, unsigned len)
{
	const uint64_t ones = 0x0101010101010101;

	if (len < 8)
		word |= ~0ULL >> 8 * len;
	/* Octets below 2 are zero now; the lowest such one is never missed. */
	word &= ~ones;
	return (word - ones) & ~word & 0x80 * ones;
}

/*
 * Labels ended by 0. Octets 0 and 1 become two, so that the end of a label is
 * below all that a label can hold.
 */
static uint64_t key_by_octets(const struct dns_order *order)
{
	uint8_t key[8 + 2] = {0};
	unsigned len = 0;
	uint64_t word;

	for (unsigned k = 0; k < order->nr && len < 8; k++, len++) {
		const uint8_t *label = order->label[k];

		for (unsigned i = 1; i <= *label && len < 8; i++) {
			uint8_t c = dns_lower[label[i]];

			if (c <= 1)
				key[len++] = 1;
			key[len++] = (uint8_t)(c + (c <= 1));
		}
	}
	memcpy(&word, key, sizeof(word));
	return be64toh(word);
}

uint64_t dns_order_key(const struct dns_order *order)
{
	unsigned at = 0;
	uint64_t key = 0;

	for (unsigned k = 0; k < order->nr && at < 8; k++) {
		const uint8_t *label = order->label[k];
		uint64_t word = label_word(label, 0);

		if (has_low_octet(word, *label < 8 ? *label : 8))
			return key_by_octets(order);
		key |= word >> 8 * at;
		at += *label + 1u;
	}
	return key;
}

static inline int label_cmp(const uint8_t *a, const uint8_t *b)
{
	unsigned len = *a < *b ? *a : *b;

	/* Zeros behind the shorter one sort it first, unless the longer one
	 * has zeros there: then the lengths decide. */
	for (unsigned i = 0; i < len; i += 8) {
		uint64_t left = label_word(a, i), right = label_word(b, i);

		if (left != right)
			return left < right ? -1 : 1;
	}
	return *a - *b;
}

int dns_order_cmp(const struct dns_order *a, const struct dns_order *b)
{
	unsigned nr = a->nr < b->nr ? a->nr : b->nr;

	for (unsigned i = 0; i < nr; i++) {
		int diff = label_cmp(a->label[i], b->label[i]);

		if (diff)
			return diff;
	}
	return (int)a->nr - (int)b->nr;
}
