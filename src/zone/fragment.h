/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Nodes in the order in which they were composed, and that list brought into
 * canonical order (RFC 4034 section 6.1). Two fragments may have one owner:
 * its records stood in two places. Zone files that tools write come sorted,
 * which costs one comparison of integers for each node.
 */
#ifndef ZONE_FRAGMENT_H
#define ZONE_FRAGMENT_H

#include "zone/arena.h"
#include "zone/snapshot.h"

struct fragment {
	uint64_t key; /* fragment_key() of the owner */
	uint32_t node;
	uint32_t place; /* of its first record */
};

struct fragment_list {
	struct fragment *fragment;
	size_t nr, max;
	bool unsorted;
};

/*
 * dns_order_key() of a name without apex_label_nr labels on its right.
 */
uint64_t fragment_key(const uint8_t *owner, unsigned apex_label_nr);

/* Adds the node at an offset of the arena. Returns 0 or -ENOMEM. */
int fragment_add(struct fragment_list *list, const struct snapshot_arena *arena,
		 struct fragment fragment);

/* Stable. Returns 0 or -ENOMEM. */
int fragment_sort(struct fragment_list *list,
		  const struct snapshot_arena *arena);

void fragment_release(struct fragment_list *list);

#endif
