/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Owners of snapshots, and finding NSEC3 nodes.
 */
#include "zone/snapshot.h"

#include <assert.h>
#include <stdlib.h>

#include "base/octets.h"
#include "zone/arena.h"
#include "zone/index.h"

struct snapshot *snapshot_get(struct snapshot *snapshot)
{
	atomic_fetch_add_explicit(&snapshot->refs, 1, memory_order_relaxed);
	return snapshot;
}

void snapshot_put(struct snapshot *snapshot)
{
	if (!snapshot)
		return;
	if (atomic_fetch_sub_explicit(&snapshot->refs, 1,
				      memory_order_acq_rel) > 1)
		return;
	/* Without an arena all of it is one block. */
	if (snapshot->arena) {
		index_free(snapshot);
		arena_put(snapshot->arena);
	}
	free(snapshot);
}

/* Header, owner and a short RRset, or a SOA: two lines of the cache. */
static void prefetch_at(const struct snapshot *snapshot, uint32_t offset)
{
	const uint8_t *at = snapshot->base + (size_t)offset * ARENA_UNIT;

	__builtin_prefetch(at);
	__builtin_prefetch(at + 64);
}

void snapshot_prefetch_node(const struct snapshot *snapshot, uint32_t i)
{
	if (snapshot->slot[i].node) {
		prefetch_at(snapshot, snapshot->slot[i].node);
	} else {
		prefetch_at(snapshot, snapshot->apex);
		prefetch_at(snapshot, snapshot->negative_soa);
	}
}

static inline uint64_t hash_word(const uint8_t hash[NSEC3_HASH_LEN])
{
	return (uint64_t)get_u32(hash) << 32 | get_u32(hash + 4);
}

/* The first 8 octets tell nearly always. */
static inline int hash_cmp(const struct snapshot_nsec3 *entry,
			   const uint8_t hash[NSEC3_HASH_LEN])
{
	uint64_t left = hash_word(entry->hash), right = hash_word(hash);

	if (left != right)
		return left < right ? -1 : 1;
	return memcmp(entry->hash + 8, hash + 8, NSEC3_HASH_LEN - 8);
}

/*
 * Where in [0, nr) a hash would lie if they were spread evenly, which they are;
 * the range that holds it is then doubled outwards.
 */
static void nsec3_range(const struct snapshot *snapshot,
			const uint8_t hash[NSEC3_HASH_LEN], uint32_t *low,
			uint32_t *high)
{
	const struct snapshot_nsec3 *nsec3 = snapshot->nsec3;
	uint32_t nr = snapshot->nsec3_nr, step = 8;
	uint32_t guess = (uint32_t)((uint64_t)get_u32(hash) * nr >> 32);

	if (hash_cmp(&nsec3[guess], hash) <= 0) {
		*low = guess;
		*high = nr;
		for (; step < nr - *low; *low += step, step *= 2) {
			if (hash_cmp(&nsec3[*low + step], hash) <= 0)
				continue;
			*high = *low + step;
			break;
		}
		return;
	}
	*low = 0;
	*high = guess;
	for (; step < *high; *high -= step, step *= 2) {
		if (hash_cmp(&nsec3[*high - step], hash) > 0)
			continue;
		*low = *high - step;
		break;
	}
}

const struct node *snapshot_find_nsec3(const struct snapshot *snapshot,
				       const uint8_t hash[NSEC3_HASH_LEN],
				       bool *match)
{
	const struct snapshot_nsec3 *nsec3 = snapshot->nsec3;
	uint32_t low, high;

	*match = false;
	if (!snapshot->nsec3_nr)
		return NULL;
	nsec3_range(snapshot, hash, &low, &high);
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (hash_cmp(&nsec3[middle], hash) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	low = low ? low - 1 : snapshot->nsec3_nr - 1;
	*match = !hash_cmp(&nsec3[low], hash);
	return snapshot_node(snapshot, nsec3[low].node);
}
