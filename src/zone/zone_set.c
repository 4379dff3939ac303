/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of zones: linear probing, half of the slots in use at most. Few
 * servers have apexes of many lengths, so a look-up first leaves out the
 * suffixes that are longer or shorter than any apex.
 */
#include "zone/zone_set.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS_MIN 8u

/* A table of so many slots stays in the cache: nothing to be fetched. */
#define SLOTS_CACHED 256u
#define SLOTS_MAX    (1u << 31)

struct zone_set *zone_set_new(uint32_t zone_nr)
{
	struct zone_set *set = calloc(1, sizeof(*set));
	uint64_t slot_nr = SLOTS_MIN;

	if (!set)
		return NULL;
	while (slot_nr < (uint64_t)zone_nr * 2)
		slot_nr *= 2;
	if (slot_nr <= SLOTS_MAX) {
		set->slot = calloc(slot_nr, sizeof(*set->slot));
		set->transfer = calloc(slot_nr, sizeof(*set->transfer));
	}
	if (!set->slot || !set->transfer) {
		free(set->slot);
		free(set->transfer);
		free(set);
		return NULL;
	}
	set->slot_nr = (uint32_t)slot_nr;
	set->label_min = DNS_LABELS_MAX;
	/* Made from the key of the process; an even factor would lose bits. */
	set->key = dns_name_hash((const uint8_t *)"");
	set->factor = dns_name_hash((const uint8_t *)"\1*") | 1;
	return set;
}

/*
 * A keyed hash that need do no more than spread: who asks does not choose what
 * lies in the table, and each match is compared. SipHash takes five times as
 * long. lower is a name in lower case with DNS_HASH_PAD octets behind.
 */
static inline uint64_t spread(const struct zone_set *set, const uint8_t *lower,
			      size_t len)
{
	uint64_t hash = set->key, word;

	for (size_t pos = 0; pos < len; pos += sizeof(word)) {
		memcpy(&word, lower + pos, sizeof(word));
		hash = (hash ^ word) * set->factor;
		hash ^= hash >> 32;
	}
	return hash;
}

static inline uint64_t suffix_hash(const struct zone_set *set,
				   const struct dns_labels *labels, unsigned i)
{
	unsigned offset = labels->offset[i];

	return spread(set, labels->lower + offset, labels->len - offset);
}

static uint32_t slot_index(const struct zone_set *set, uint64_t hash)
{
	return (uint32_t)(hash >> 32) & (set->slot_nr - 1);
}

/* Of two names with DNS_HASH_PAD zeros behind. */
static inline bool words_eq(const uint8_t *a, const uint8_t *b, size_t len)
{
	uint64_t left, right;

	for (size_t pos = 0; pos < len; pos += sizeof(left)) {
		memcpy(&left, a + pos, sizeof(left));
		memcpy(&right, b + pos, sizeof(right));
		if (left != right)
			return false;
	}
	return true;
}

/* The slot of a zone, or the empty one where it would go. */
static inline struct zone *slot_of(const struct zone_set *set, uint64_t hash,
				   const uint8_t *lower, size_t len)
{
	uint32_t mask = set->slot_nr - 1, i = slot_index(set, hash);

	for (;; i = (i + 1) & mask) {
		struct zone *zone = &set->slot[i];

		if (!zone->apex_len)
			return zone;
		if (zone->hash == hash && zone->apex_len == len &&
		    words_eq(lower, zone->apex, len))
			return zone;
	}
}

/* An apex that is to be put into a set. */
struct apex {
	uint64_t hash;
	size_t len;
	uint8_t lower[DNS_NAME_MAX + DNS_HASH_PAD];
};

static void apex_init(struct apex *apex, const struct zone_set *set,
		      const uint8_t *name)
{
	apex->len = dns_name_lower(apex->lower, name);
	memset(apex->lower + apex->len, 0, DNS_HASH_PAD);
	apex->hash = spread(set, apex->lower, apex->len);
}

static int zone_init(struct zone_set *set, struct zone *zone,
		     const struct apex *apex)
{
	unsigned label_nr = dns_name_label_nr(apex->lower);

	/* One slot stays empty, or a search would never end. */
	if (set->zone_nr + 1 >= set->slot_nr)
		return -ENOMEM;
	zone->apex = malloc(apex->len + DNS_HASH_PAD);
	if (!zone->apex)
		return -ENOMEM;
	memcpy(zone->apex, apex->lower, apex->len + DNS_HASH_PAD);
	zone->apex_len = (uint8_t)apex->len;
	zone->label_nr = (uint8_t)label_nr;
	zone->hash = apex->hash;
	set->zone_nr++;
	if (label_nr < set->label_min)
		set->label_min = (uint8_t)label_nr;
	if (label_nr > set->label_max)
		set->label_max = (uint8_t)label_nr;
	return 0;
}

int zone_set_put(struct zone_set *set, const uint8_t *name,
		 struct snapshot *snapshot, enum zone_state state)
{
	struct apex apex;
	struct zone *zone;
	int err;

	apex_init(&apex, set, name);
	zone = slot_of(set, apex.hash, apex.lower, apex.len);
	if (!zone->apex_len) {
		err = zone_init(set, zone, &apex);
		if (err)
			return err;
	}
	if (snapshot)
		snapshot_get(snapshot);
	snapshot_put(zone->snapshot);
	zone->snapshot = snapshot;
	zone->state = state;
	return 0;
}

void zone_set_allow_transfer(struct zone_set *set, const uint8_t *name,
			     struct acl *acl)
{
	struct apex apex;
	const struct zone *zone;

	apex_init(&apex, set, name);
	zone = slot_of(set, apex.hash, apex.lower, apex.len);
	assert(zone->apex_len);
	acl_get(acl);
	acl_put(set->transfer[zone - set->slot]);
	set->transfer[zone - set->slot] = acl;
}

struct zone_set *zone_set_copy(const struct zone_set *set, uint32_t extra)
{
	struct zone_set *copy = zone_set_new(set->zone_nr + extra);

	if (!copy)
		return NULL;
	for (uint32_t i = 0; i < set->slot_nr; i++) {
		const struct zone *zone = &set->slot[i];

		if (!zone->apex_len)
			continue;
		if (zone_set_put(copy, zone->apex, zone->snapshot,
				 zone->state)) {
			zone_set_free(copy);
			return NULL;
		}
		zone_set_allow_transfer(copy, zone->apex, set->transfer[i]);
	}
	return copy;
}

void zone_set_free(struct zone_set *set)
{
	if (!set)
		return;
	for (uint32_t i = 0; i < set->slot_nr; i++) {
		snapshot_put(set->slot[i].snapshot);
		acl_put(set->transfer[i]);
		free(set->slot[i].apex);
	}
	free(set->slot);
	free(set->transfer);
	free(set);
}

/*
 * The first suffix, from the one at label first on, that is not longer than
 * every apex. Suffix i has label_nr - i labels.
 */
static unsigned first_suffix(const struct zone_set *set,
			     const struct dns_labels *labels, unsigned first)
{
	unsigned nr = labels->label_nr;

	if (nr > set->label_max && nr - set->label_max > first)
		return nr - set->label_max;
	return first;
}

void zone_set_prefetch(const struct zone_set *set,
		       const struct dns_labels *labels)
{
	unsigned nr = labels->label_nr;

	if (set->slot_nr <= SLOTS_CACHED)
		return;
	for (unsigned i = first_suffix(set, labels, 0);
	     i <= nr && nr - i >= set->label_min; i++)
		__builtin_prefetch(
		    &set->slot[slot_index(set, suffix_hash(set, labels, i))]);
}

/* Only the first slot of each suffix: at most half of them are in use. */
void zone_set_prefetch_zone(const struct zone_set *set,
			    const struct dns_labels *labels)
{
	unsigned nr = labels->label_nr;

	if (set->slot_nr <= SLOTS_CACHED)
		return;
	for (unsigned i = first_suffix(set, labels, 0);
	     i <= nr && nr - i >= set->label_min; i++) {
		uint64_t hash = suffix_hash(set, labels, i);
		const struct zone *zone = &set->slot[slot_index(set, hash)];

		if (!zone->apex_len || zone->hash != hash)
			continue;
		__builtin_prefetch(zone->apex);
		__builtin_prefetch(zone->snapshot);
		return;
	}
}

const struct zone *zone_set_find(const struct zone_set *set,
				 const struct dns_labels *labels,
				 unsigned first)
{
	const uint8_t *end = labels->lower + labels->len;
	unsigned left = labels->label_nr + 1u;
	const struct zone *zone;

	first = first_suffix(set, labels, first);
	/* Labels from this one on, the root label too. */
	for (left -= first; left > set->label_min; left--) {
		const uint8_t *p = labels->lower + labels->offset[first++];
		size_t len = (size_t)(end - p);

		zone = slot_of(set, spread(set, p, len), p, len);
		if (zone->apex_len)
			return zone;
	}
	return NULL;
}
