/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Laying out and filling the index of a snapshot.
 */
#include "zone/index.h"

#include <errno.h>
#include <sys/mman.h>

#include "zone/nsec.h"

#define INDEX_HUGE ((size_t)4 << 20) /* worth huge pages from here on */

/* Slots that are on their way from memory while hashes are taken. */
#define BATCH 16u

void index_size_slots(struct snapshot *snapshot)
{
	uint64_t nr = (uint64_t)snapshot->node_nr * 4 / 3 + 2;

	snapshot->slot_nr = nr < UINT32_MAX ? (uint32_t)nr : UINT32_MAX;
}

size_t index_size(const struct snapshot *snapshot)
{
	return snapshot->slot_nr * sizeof(*snapshot->slot) +
	       nsec_key_nr(snapshot) * sizeof(*snapshot->nsec_key) +
	       snapshot->node_nr * sizeof(*snapshot->order) +
	       snapshot->nsec_nr * sizeof(*snapshot->nsec) +
	       snapshot->nsec3_nr * sizeof(*snapshot->nsec3);
}

void index_place(struct snapshot *snapshot, void *memory)
{
	snapshot->slot = memory;
	snapshot->nsec_key = (uint64_t *)(snapshot->slot + snapshot->slot_nr);
	snapshot->order =
	    (uint32_t *)(snapshot->nsec_key + nsec_key_nr(snapshot));
	snapshot->nsec = snapshot->order + snapshot->node_nr;
	snapshot->nsec3 =
	    (struct snapshot_nsec3 *)(snapshot->nsec + snapshot->nsec_nr);
}

int index_new(struct snapshot *snapshot)
{
	size_t size = index_size(snapshot);
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return -ENOMEM;
	if (size >= INDEX_HUGE)
		madvise(p, size, MADV_HUGEPAGE);
	index_place(snapshot, p);
	return 0;
}

void index_free(struct snapshot *snapshot)
{
	if (snapshot->slot)
		munmap(snapshot->slot, index_size(snapshot));
}

static void slot_put(struct snapshot *snapshot, uint64_t hash, uint32_t node)
{
	uint32_t i = snapshot_slot_of(snapshot, hash);

	while (snapshot->slot[i].node)
		if (++i == snapshot->slot_nr)
			i = 0;
	snapshot->slot[i] =
	    (struct snapshot_slot){.tag = (uint32_t)hash, .node = node};
}

void index_move(struct snapshot *snapshot, uint32_t from, uint32_t to)
{
	const struct node *node = snapshot_node(snapshot, from);
	uint32_t i = snapshot_slot_of(snapshot, dns_name_hash(node->owner));

	while (snapshot->slot[i].node != from)
		if (++i == snapshot->slot_nr)
			i = 0;
	snapshot->slot[i].node = to;
}

void index_fill(struct snapshot *snapshot)
{
	uint64_t hash[BATCH];

	for (uint32_t i = 0; i < snapshot->node_nr; i += BATCH) {
		uint32_t left = snapshot->node_nr - i;
		uint32_t nr = left < BATCH ? left : BATCH;

		for (uint32_t k = 0; k < nr; k++) {
			const struct node *node =
			    snapshot_node(snapshot, snapshot->order[i + k]);

			hash[k] = dns_name_hash(node->owner);
			if (node->label_nr > snapshot->label_max)
				snapshot->label_max = node->label_nr;
			__builtin_prefetch(
			    &snapshot
				 ->slot[snapshot_slot_of(snapshot, hash[k])],
			    1);
		}
		for (uint32_t k = 0; k < nr; k++)
			slot_put(snapshot, hash[k], snapshot->order[i + k]);
	}
}
