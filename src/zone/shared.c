/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The previous version as seen by the builder of the next: which of its nodes
 * are kept. A file is mostly read in the order it had last time, so the node
 * behind the last one found is tried before the index.
 */
#include "zone/builder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dns/fold.h"
#include "zone/nsec3.h"

/* Nodes tried at the guess: an empty non-terminal or two may lie between. */
#define GUESS_NR 3u

/* Wrong guesses in a row until it is clear that the order is another one. */
#define GUESS_MISSES_MAX 64u

/* Nodes are shared only where they lie in an arena of their own. */
int shared_begin(struct zone_builder *builder)
{
	struct snapshot *previous = builder->previous;

	if (!previous || !previous->arena || !arena_claim(previous->arena))
		return 0;
	builder->shared = previous;
	builder->kept = calloc(previous->arena->used / ARENA_UNIT / 64 + 1,
			       sizeof(*builder->kept));
	return builder->kept ? 0 : -ENOMEM;
}

void shared_end(struct zone_builder *builder)
{
	if (builder->shared)
		arena_unclaim(builder->shared->arena);
	free(builder->kept);
	free(builder->kept_place);
}

static uint32_t offset_of(const struct zone_builder *builder,
			  const struct node *node)
{
	if (!node)
		return 0;
	return (
	    uint32_t)((size_t)((const uint8_t *)node - builder->shared->base) /
		      ARENA_UNIT);
}

static uint32_t find_by_guess(struct zone_builder *builder,
			      const struct node *node)
{
	const struct snapshot *shared = builder->shared;

	for (uint32_t i = builder->guess;
	     i < shared->node_nr && i < builder->guess + GUESS_NR; i++) {
		const struct node *old =
		    snapshot_node(shared, shared->order[i]);

		if (old->owner_len != node->owner_len ||
		    memcmp(old->owner, node->owner, node->owner_len))
			continue;
		builder->guess = i + 1;
		builder->guess_misses = 0;
		return shared->order[i];
	}
	builder->guess_misses++;
	return 0;
}

/* The guess becomes what follows a name, there or not. */
static void guess_again(struct zone_builder *builder, const struct node *node)
{
	const struct snapshot *shared = builder->shared;
	uint32_t low = 0, high = shared->node_nr;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct node *old =
		    snapshot_node(shared, shared->order[middle]);

		if (dns_name_cmp(old->owner, node->owner) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	builder->guess = low;
}

static uint32_t find_name(struct zone_builder *builder, const struct node *node)
{
	unsigned misses;
	uint8_t lower[DNS_NAME_MAX];
	uint32_t old;

	if (builder->guess_misses < GUESS_MISSES_MAX) {
		old = find_by_guess(builder, node);
		if (old)
			return old;
		misses = builder->guess_misses;
		/* A search costs more than it may save: ever more seldom. */
		if (!(misses & (misses - 1)))
			guess_again(builder, node);
	}
	dns_fold_copy(lower, node->owner, node->owner_len);
	return offset_of(builder,
			 snapshot_find(builder->shared, dns_name_hash(lower),
				       lower, node->owner_len));
}

uint32_t shared_find(struct zone_builder *builder, const struct node *node)
{
	uint8_t hash[NSEC3_HASH_LEN];
	const struct node *old;
	bool match;

	if (node->rrset_nr != 1 || node_first(node)->type != DNS_TYPE_NSEC3)
		return find_name(builder, node);
	if (!nsec3_owner_hash(node->owner, hash))
		return 0;
	old = snapshot_find_nsec3(builder->shared, hash, &match);
	return match ? offset_of(builder, old) : 0;
}

static bool names_hosts(const struct node *node)
{
	const struct rrset *rrset = node_first(node);

	for (unsigned i = 0; i < node->rrset_nr; i++) {
		if (rrset_has_refs(rrset->type))
			return true;
		rrset = rrset_next(rrset);
	}
	return false;
}

static int note_place(struct zone_builder *builder, struct kept_place item)
{
	size_t nr = builder->kept_place_nr;

	if (nr == builder->kept_place_max) {
		size_t max = nr ? nr * 2 : 64;
		void *p = realloc(builder->kept_place, max * sizeof(item));

		if (!p)
			return -ENOMEM;
		builder->kept_place = p;
		builder->kept_place_max = max;
	}
	builder->kept_place[nr] = item;
	builder->kept_place_nr++;
	return 0;
}

int shared_keep(struct zone_builder *builder, uint32_t node, uint32_t place)
{
	builder->kept[node / 64] |= 1ULL << node % 64;
	builder->kept_nr++;
	if (!names_hosts(snapshot_node(builder->shared, node)))
		return 0;
	return note_place(builder, (struct kept_place){node, place});
}

static int place_cmp(const void *left, const void *right)
{
	const struct kept_place *a = left, *b = right;

	return a->node < b->node ? -1 : a->node > b->node;
}

void shared_sort_places(struct zone_builder *builder)
{
	if (builder->kept_place_nr)
		qsort(builder->kept_place, builder->kept_place_nr,
		      sizeof(*builder->kept_place), place_cmp);
}

uint32_t shared_place(const struct zone_builder *builder, uint32_t node)
{
	struct kept_place key = {.node = node};
	const struct kept_place *found;

	if (!builder->kept_place_nr)
		return PLACE_NONE;
	found = bsearch(&key, builder->kept_place, builder->kept_place_nr,
			sizeof(key), place_cmp);
	return found ? found->place : PLACE_NONE;
}
