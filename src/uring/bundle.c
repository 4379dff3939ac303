/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Grouping of replies. The hash is not keyed: a probe ends after eight slots,
 * and a reply that finds none gets a bundle of its own, so that aimed
 * collisions cost an attacker his own bundling and us nothing.
 */
#include "uring/bundle.h"

#include <assert.h>

#define PROBE_MAX     8
#define AVERAGE_ONE   256
#define AVERAGE_MIN   (AVERAGE_ONE + AVERAGE_ONE / 10) /* 1.1 */
#define AVERAGE_SHIFT 4 /* over about 16 batches */
#define RETRY_BATCHES 64

void bundle_init(struct bundle_set *set)
{
	memset(set, 0, sizeof(*set));
	set->generation = 1;
	set->hashing = true;
	set->average = 2 * AVERAGE_ONE;
}

static uint32_t hash_endpoint(const struct endpoint *endpoint)
{
	uint64_t word[sizeof(*endpoint) / 8], hash = 0;

	_Static_assert(sizeof(*endpoint) % 8 == 0, "whole words");
	memcpy(word, endpoint, sizeof(word));
	for (unsigned i = 0; i < sizeof(word) / 8; i++) {
		hash ^= word[i];
		hash *= 0x9e3779b97f4a7c15u; /* 2^64 / golden ratio */
		hash ^= hash >> 29;
	}
	return (uint32_t)(hash >> 16);
}

void bundle_endpoint(struct bundle_set *set, const struct endpoint *endpoint)
{
	uint16_t last = set->endpoint_nr;

	if (last && endpoint_eq(&set->endpoint[last - 1], endpoint))
		return;
	/*
	 * The set may have got an endpoint whose queries were all dropped;
	 * then its place is free again.
	 */
	if (last && (!set->bundle_nr ||
		     set->bundle[set->bundle_nr - 1].endpoint < last - 1u))
		last = (uint16_t)(last - 1);
	assert(last < BUNDLE_REPLY_MAX);
	set->endpoint[last] = *endpoint;
	set->endpoint_nr = (uint16_t)(last + 1);
	if (set->hashing)
		set->endpoint_hash = hash_endpoint(endpoint);
}

static bool takes(const struct bundle_set *set, const struct bundle *bundle,
		  uint16_t len)
{
	uint16_t current = (uint16_t)(set->endpoint_nr - 1);

	return bundle->len == len &&
	       (bundle->endpoint == current ||
		endpoint_eq(&set->endpoint[bundle->endpoint],
			    &set->endpoint[current]));
}

static bool is_closed(const struct bundle *bundle)
{
	return bundle->nr == BUNDLE_SEGMENT_MAX ||
	       bundle->octets + bundle->len > BUNDLE_OCTETS_MAX;
}

/* The slot of (current endpoint, len), or one to put it in, or NULL. */
static struct bundle_slot *find_slot(struct bundle_set *set, uint16_t len)
{
	uint32_t at = set->endpoint_hash + len * 0x9e3779b1u;

	at ^= at >> 15;
	for (unsigned i = 0; i < PROBE_MAX; i++) {
		struct bundle_slot *slot =
		    &set->slot[(at + i) & (BUNDLE_SLOT_NR - 1)];

		if (slot->generation != set->generation ||
		    takes(set, &set->bundle[slot->bundle], len))
			return slot;
	}
	return NULL;
}

static void append(struct bundle_set *set, struct bundle *bundle,
		   uint16_t index)
{
	const struct reply *last = &set->reply[bundle->tail];
	const struct reply *reply = &set->reply[index];

	if (last->data + last->len != reply->data)
		bundle->contiguous = false;
	set->reply[bundle->tail].next = index;
	bundle->tail = index;
	bundle->nr++;
	bundle->octets += reply->len;
}

static uint16_t open_bundle(struct bundle_set *set, uint16_t index,
			    uint16_t len)
{
	set->bundle[set->bundle_nr] = (struct bundle){
	    .octets = len,
	    .head = index,
	    .tail = index,
	    .nr = 1,
	    .len = len,
	    .endpoint = (uint16_t)(set->endpoint_nr - 1),
	    .contiguous = true,
	};
	return set->bundle_nr++;
}

/* Without the hash: the last bundle or none, which costs nothing. */
static void add_bypassed(struct bundle_set *set, uint16_t index, uint16_t len)
{
	struct bundle *last = set->bundle + set->bundle_nr;

	if (set->bundle_nr && (--last)->len == len &&
	    last->endpoint == set->endpoint_nr - 1 && !is_closed(last))
		append(set, last, index);
	else
		open_bundle(set, index, len);
}

void bundle_add(struct bundle_set *set, const uint8_t *data, uint16_t len)
{
	uint16_t index = set->reply_nr++;
	struct bundle_slot *slot;

	assert(index < BUNDLE_REPLY_MAX && set->endpoint_nr);
	set->reply[index] = (struct reply){data, len, BUNDLE_NONE};
	if (!set->hashing) {
		add_bypassed(set, index, len);
		return;
	}
	slot = find_slot(set, len);
	if (slot && slot->generation == set->generation &&
	    !is_closed(&set->bundle[slot->bundle])) {
		append(set, &set->bundle[slot->bundle], index);
		return;
	}
	len = open_bundle(set, index, len);
	if (slot)
		*slot = (struct bundle_slot){set->generation, len};
}

/* Moving average of replies a bundle; decides on the bypass. */
static void learn(struct bundle_set *set)
{
	uint32_t now = set->reply_nr * (uint32_t)AVERAGE_ONE / set->bundle_nr;

	/* a batch of one or two says nothing about what could be bundled */
	if (set->reply_nr < 4)
		return;
	if (!set->hashing) {
		set->hashing = ++set->bypassed == RETRY_BATCHES;
		return;
	}
	if (set->bypassed) {
		/* the one batch that tries: believe it at once */
		set->average = now;
		set->bypassed = 0;
	}
	set->average +=
	    (now >> AVERAGE_SHIFT) - (set->average >> AVERAGE_SHIFT);
	set->hashing = set->average >= AVERAGE_MIN;
}

void bundle_reset(struct bundle_set *set)
{
	if (set->bundle_nr)
		learn(set);
	set->reply_nr = set->bundle_nr = set->endpoint_nr = 0;
	/* stamps of 2^32 batches ago would look current */
	if (!++set->generation) {
		memset(set->slot, 0, sizeof(set->slot));
		set->generation = 1;
	}
}
