/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Linked nodes to a snapshot. Where they go:
 *
 *	small zone	one block: snapshot, index, nodes; exactly sized
 *	large, new	the stage itself, when little of it is dead
 *	large, changed	new nodes behind the old ones in the shared arena
 *	otherwise	copies in canonical order in a new arena
 */
#include "zone/freeze.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/octets.h"
#include "zone/zone_check.h"
#include "zone/index.h"
#include "zone/nsec.h"
#include "zone/nsec3.h"

#define RR_TTL	 6 /* behind pointer, type, class */
#define RR_RDLEN 10
#define RR_RDATA 12
#define SOA_TAIL 20 /* serial, refresh, retry, expire, minimum */

static const struct node *item_node(const struct freezer *freezer,
				    const struct link *link, size_t i)
{
	if (freezer->placed)
		return snapshot_node(freezer->snapshot, link->node[i]);
	return builder_node(freezer->builder, link->node[i],
			    link->flags[i] & LINK_KEPT);
}

static const struct node *apex_node(const struct freezer *freezer)
{
	return item_node(freezer, &freezer->builder->names, 0);
}

/* Denial proofs are made from nodes that the zone answers for. */
static bool proves(uint16_t flags)
{
	return flags & LINK_NSEC && !(flags & NODE_BELOW_CUT);
}

static void measure(struct freezer *freezer)
{
	const struct link *names = &freezer->builder->names;
	const struct link *nsec3 = &freezer->builder->nsec3;
	struct snapshot *snapshot = freezer->snapshot;

	freezer->live = names->live + nsec3->live;
	freezer->fresh = names->fresh + nsec3->fresh;
	freezer->soa_size =
	    node_find(apex_node(freezer), DNS_TYPE_SOA)->size * ARENA_UNIT;
	snapshot->record_nr = names->record_nr + nsec3->record_nr;
	snapshot->node_nr = (uint32_t)names->nr;
	snapshot->nsec3_nr = (uint32_t)nsec3->nr;
	/* Without one at the apex there is no chain. */
	if (!proves(names->flags[0]))
		return;
	for (size_t i = 0; i < names->nr; i++)
		snapshot->nsec_nr += proves(names->flags[i]);
}

/* Moves one node to where it stays, unless it lies there. */
static int place_node(struct freezer *freezer, struct link *link, size_t i)
{
	const struct node *node = item_node(freezer, link, i);
	uint16_t flags = link->flags[i] & (uint16_t)~LINK_ALL;
	int err;

	if (freezer->mode == FREEZE_APPEND && link->flags[i] & LINK_KEPT &&
	    node->flags == flags)
		return 0;
	err = arena_copy(freezer->dest, node, (size_t)node->size * ARENA_UNIT,
			 &link->node[i]);
	if (err)
		return err;
	((struct node *)arena_at(freezer->dest, link->node[i]))->flags = flags;
	link->flags[i] &= (uint16_t)~LINK_KEPT;
	return 0;
}

static int place_link(struct freezer *freezer, struct link *link)
{
	int err = 0;

	/* In the stage all nodes lie where they stay, with their flags. */
	if (freezer->mode == FREEZE_ADOPT)
		return 0;
	for (size_t i = 0; i < link->nr && !err; i++)
		err = place_node(freezer, link, i);
	return err;
}

static uint8_t *ttl_lower(uint8_t *rr, uint32_t ttl)
{
	put_u32(rr + RR_TTL, ttl);
	return rr + RR_RDATA + get_u16(rr + RR_RDLEN);
}

/*
 * The SOA of negative answers has the lesser of its TTL and its MINIMUM, and
 * so have its RRSIGs (RFC 2308 section 3).
 */
static int place_soa(struct freezer *freezer)
{
	struct snapshot *snapshot = freezer->snapshot;
	const struct rrset *soa = node_find(apex_node(freezer), DNS_TYPE_SOA);
	const uint8_t *tail = soa->wire + soa->wire_len - SOA_TAIL;
	uint32_t ttl = get_u32(soa->wire + RR_TTL);
	uint32_t minimum = get_u32(tail + SOA_TAIL - 4);
	struct rrset *copy;
	uint8_t *rr;
	int err;

	snapshot->serial = get_u32(tail);
	if (freezer->mode == FREEZE_APPEND &&
	    freezer->builder->names.flags[0] & LINK_KEPT) {
		snapshot->negative_soa = freezer->builder->shared->negative_soa;
		return 0;
	}
	/* The SOA may lie in dest, but what moves no more: block or mapping. */
	err = arena_copy(freezer->dest, soa, freezer->soa_size,
			 &snapshot->negative_soa);
	if (err)
		return err;
	copy = arena_at(freezer->dest, snapshot->negative_soa);
	rr = copy->wire;
	for (uint32_t i = 0; i < 1u + copy->sig_nr; i++)
		rr = ttl_lower(rr, minimum < ttl ? minimum : ttl);
	return 0;
}

static int place_all(struct freezer *freezer)
{
	struct zone_builder *builder = freezer->builder;
	int err = place_link(freezer, &builder->names);

	if (!err)
		err = place_link(freezer, &builder->nsec3);
	freezer->snapshot->base = freezer->dest->base;
	freezer->placed = true;
	return err ? err : place_soa(freezer);
}

/* One block that holds everything: 100,000 small zones are 100,000 of them. */
static int open_block(struct freezer *freezer)
{
	struct snapshot *snapshot = freezer->snapshot;
	size_t index = sizeof(*snapshot);
	size_t nodes = (index + index_size(snapshot) + 7) / 8 * 8;
	size_t size = nodes + freezer->live + freezer->soa_size;
	uint8_t *block = calloc(1, size);

	if (!block)
		return -ENOMEM;
	memcpy(block, snapshot, sizeof(*snapshot));
	free(snapshot);
	freezer->snapshot = (void *)block;
	index_place(freezer->snapshot, block + index);
	freezer->block = (struct snapshot_arena){
	    .base = block, .used = nodes, .writable = size};
	freezer->dest = &freezer->block;
	freezer->snapshot->memory = size;
	return 0;
}

static int open_fresh(struct freezer *freezer)
{
	struct snapshot_arena *arena = arena_new();

	if (!arena)
		return -ENOMEM;
	freezer->snapshot->arena = arena;
	freezer->dest = arena;
	return arena_reserve(arena, freezer->live + freezer->soa_size);
}

static int open_arena(struct freezer *freezer)
{
	struct zone_builder *builder = freezer->builder;

	if (freezer->mode == FREEZE_FRESH)
		return open_fresh(freezer);
	freezer->dest = freezer->mode == FREEZE_ADOPT ? builder->stage
						      : builder->shared->arena;
	arena_get(freezer->dest);
	freezer->snapshot->arena = freezer->dest;
	return 0;
}

static enum freeze_mode choose_mode(const struct freezer *freezer)
{
	const struct zone_builder *builder = freezer->builder;
	const struct snapshot_arena *shared;

	if (freezer->live < ARENA_SMALL)
		return FREEZE_BLOCK;
	if (freezer->fresh < freezer->live) {
		shared = builder->shared->arena;
		/* More dead than alive, or no room for copies of all nodes. */
		if (shared->used + freezer->fresh > 2 * freezer->live ||
		    shared->reserved - shared->used <
			freezer->live + freezer->soa_size)
			return FREEZE_FRESH;
		return FREEZE_APPEND;
	}
	return builder->stage_dead > builder->stage->used / 4 ? FREEZE_FRESH
							      : FREEZE_ADOPT;
}

static void fill_nsec(struct freezer *freezer)
{
	const struct link *names = &freezer->builder->names;
	struct snapshot *snapshot = freezer->snapshot;
	uint32_t nr = 0;

	for (uint32_t i = 0; nr < snapshot->nsec_nr; i++)
		if (proves(names->flags[i]))
			snapshot->nsec[nr++] = snapshot->order[i];
	nsec_fill_keys(snapshot, apex_node(freezer)->label_nr);
}

/* The node for a name of the zone: what matches it, or else what covers it. */
static uint32_t nsec3_for(const struct snapshot *snapshot, const uint8_t *lower,
			  size_t len, bool *match)
{
	uint8_t hash[NSEC3_HASH_LEN];
	const struct node *node;

	snapshot_nsec3_hash(snapshot, lower, len, hash);
	node = snapshot_find_nsec3(snapshot, hash, match);
	return (uint32_t)(((const uint8_t *)node - snapshot->base) /
			  ARENA_UNIT);
}

static void fill_nsec3_apex(struct freezer *freezer)
{
	struct snapshot *snapshot = freezer->snapshot;
	uint8_t name[DNS_NAME_MAX + 2] = {1, '*'};
	size_t len = dns_name_lower(name + 2, apex_node(freezer)->owner);
	uint32_t offset;
	bool match;

	if (snapshot->denial != DENIAL_NSEC3 || !snapshot->nsec3_nr)
		return;
	offset = nsec3_for(snapshot, name + 2, len, &match);
	snapshot->nsec3_apex = match ? offset : 0;
	if (len + 2 <= DNS_NAME_MAX)
		snapshot->nsec3_wildcard =
		    nsec3_for(snapshot, name, len + 2, &match);
}

static void fill_nsec3(struct freezer *freezer)
{
	struct snapshot *snapshot = freezer->snapshot;

	for (uint32_t i = 0; i < snapshot->nsec3_nr; i++) {
		uint32_t offset = freezer->builder->nsec3.node[i];

		snapshot->nsec3[i].node = offset;
		nsec3_owner_hash(snapshot_node(snapshot, offset)->owner,
				 snapshot->nsec3[i].hash);
	}
	fill_nsec3_apex(freezer);
}

static int fill_index(struct freezer *freezer)
{
	struct snapshot *snapshot = freezer->snapshot;

	memcpy(snapshot->order, freezer->builder->names.node,
	       snapshot->node_nr * sizeof(*snapshot->order));
	index_fill(snapshot);
	return refs_build(freezer);
}

/*
 * A change that moves a long chain of nodes that refer to one another: nothing
 * is shared then, so nothing moves any more.
 */
static int start_anew(struct freezer *freezer)
{
	struct snapshot *snapshot = freezer->snapshot;
	struct snapshot_arena *old = snapshot->arena;
	struct zone_builder *builder = freezer->builder;
	int err;

	memcpy(builder->names.node, snapshot->order,
	       snapshot->node_nr * sizeof(*snapshot->order));
	memset(snapshot->slot, 0, snapshot->slot_nr * sizeof(*snapshot->slot));
	freezer->mode = FREEZE_FRESH;
	err = open_fresh(freezer);
	if (snapshot->arena == old)
		return err;
	if (!err)
		err = place_all(freezer);
	old->used = freezer->shared_used;
	arena_put(old);
	return err ? err : fill_index(freezer);
}

static int freeze_large(struct freezer *freezer)
{
	struct snapshot *snapshot = freezer->snapshot;
	int err = open_arena(freezer);

	if (!err)
		err = place_all(freezer);
	if (!err)
		err = index_new(snapshot);
	if (!err)
		err = fill_index(freezer);
	if (err == -ELOOP)
		err = start_anew(freezer);
	if (err)
		return err;
	arena_trim(snapshot->arena);
	snapshot->memory =
	    sizeof(*snapshot) + index_size(snapshot) + snapshot->arena->used;
	return 0;
}

static int freeze_small(struct freezer *freezer)
{
	int err = open_block(freezer);

	if (!err)
		err = place_all(freezer);
	return err ? err : fill_index(freezer);
}

static bool link_same(const struct freezer *freezer, const struct link *link,
		      size_t i, uint32_t old)
{
	if (link->flags[i] & LINK_KEPT)
		return link->node[i] == old;
	return node_same(item_node(freezer, link, i),
			 snapshot_node(freezer->builder->previous, old));
}

/* Equal nodes have equal flags and references, which follow from them. */
static bool is_unchanged(const struct freezer *freezer)
{
	const struct zone_builder *builder = freezer->builder;
	const struct snapshot *previous = builder->previous;

	if (!previous || previous->node_nr != builder->names.nr ||
	    previous->nsec3_nr != builder->nsec3.nr)
		return false;
	for (uint32_t i = 0; i < previous->node_nr; i++)
		if (!link_same(freezer, &builder->names, i, previous->order[i]))
			return false;
	for (uint32_t i = 0; i < previous->nsec3_nr; i++)
		if (!link_same(freezer, &builder->nsec3, i,
			       previous->nsec3[i].node))
			return false;
	return true;
}

static int freeze_changed(struct freezer *freezer)
{
	struct zone_builder *builder = freezer->builder;
	int err;

	measure(freezer);
	index_size_slots(freezer->snapshot);
	freezer->mode = choose_mode(freezer);
	if (builder->shared)
		freezer->shared_used = builder->shared->arena->used;
	err = freezer->mode == FREEZE_BLOCK ? freeze_small(freezer)
					    : freeze_large(freezer);
	if (err) {
		if (builder->shared)
			builder->shared->arena->used = freezer->shared_used;
		return err;
	}
	fill_nsec(freezer);
	fill_nsec3(freezer);
	freezer->snapshot->apex = freezer->snapshot->order[0];
	return 0;
}

int freeze(struct zone_builder *builder, struct snapshot **out)
{
	struct freezer freezer = {.builder = builder};
	int err = 0;

	freezer.snapshot = calloc(1, sizeof(*freezer.snapshot));
	if (!freezer.snapshot)
		return -ENOMEM;
	atomic_init(&freezer.snapshot->refs, 1);
	check_nsec3(builder, apex_node(&freezer), freezer.snapshot);
	if (is_unchanged(&freezer)) {
		snapshot_put(freezer.snapshot);
		freezer.snapshot = snapshot_get(builder->previous);
	} else {
		err = freeze_changed(&freezer);
	}
	if (!err) {
		check_snapshot(builder, freezer.snapshot);
		err = builder->failed ? -EINVAL : 0;
	}
	if (err)
		snapshot_put(freezer.snapshot);
	else
		*out = freezer.snapshot;
	return err;
}
