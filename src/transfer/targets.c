/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two things are looked for: the whole name, and what is left of it without
 * its first label, which name servers of one provider share.
 */
#include "transfer/targets.h"

#include <string.h>

/* For less a pointer gains little, and the hash reads so many octets. */
#define LEN_MIN 8

void targets_clear(struct targets *targets)
{
	memset(targets, 0, sizeof(*targets));
}

/* Of the first and the last octets: what lies between differs rarely. */
static uint64_t hash_of(const uint8_t *name, unsigned len)
{
	uint64_t first, last;

	memcpy(&first, name, sizeof(first));
	memcpy(&last, name + len - sizeof(last), sizeof(last));
	first = (first ^ len) * 0x9e3779b97f4a7c15 + last;
	return first * 0xff51afd7ed558ccd;
}

_Static_assert(TARGETS_NR == 1 << 8, "a slot is chosen by eight bits");

/* Where a name is, or 0; then it will be at octet at. */
static unsigned find_or_put(struct targets *targets, const uint8_t *name,
			    unsigned len, unsigned at)
{
	uint64_t hash = hash_of(name, len);
	struct target *slot = &targets->slot[hash >> 56];
	uint32_t tag = (uint32_t)(hash >> 24);

	/* case must agree, as a pointer gives the letters it points to */
	if (slot->tag == tag && slot->len == len &&
	    !memcmp(slot->name, name, len))
		return slot->at;
	*slot = (struct target){name, (uint16_t)len, (uint16_t)at, tag};
	return 0;
}

unsigned targets_put(struct targets *targets, const uint8_t *name, unsigned len,
		     unsigned at, uint16_t *pointer)
{
	unsigned label = name[0] + 1u;
	unsigned found = 0;

	*pointer = 0;
	if (len < LEN_MIN)
		return len;
	found = find_or_put(targets, name, len, at);
	if (found) {
		*pointer = (uint16_t)found;
		return 0;
	}
	if (len - label < LEN_MIN)
		return len;
	found = find_or_put(targets, name + label, len - label, at + label);
	*pointer = (uint16_t)found;
	return found ? label : len;
}
