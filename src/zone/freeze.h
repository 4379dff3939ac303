/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A snapshot in the making, shared by freeze.c and refs.c.
 */
#ifndef ZONE_FREEZE_H
#define ZONE_FREEZE_H

#include "zone/builder.h"

enum freeze_mode {
	FREEZE_BLOCK,
	FREEZE_ADOPT,
	FREEZE_APPEND,
	FREEZE_FRESH,
};

struct freezer {
	struct zone_builder *builder;
	struct snapshot *snapshot;
	struct snapshot_arena *dest;
	struct snapshot_arena block; /* dest of a small zone */
	enum freeze_mode mode;
	bool placed;  /* link offsets are those of the snapshot */
	size_t live;  /* octets of all nodes */
	size_t fresh; /* octets of nodes that are not kept */
	size_t soa_size;
	size_t shared_used; /* of the shared arena, before */
};

/*
 * Fills the references of all RRsets. Kept nodes whose references change are
 * copied, which moves them, which may change others: -ELOOP when that does not
 * come to an end soon. Returns 0 or as arena_reserve().
 */
int refs_build(struct freezer *freezer);

/*
 * The node that a target refers to, 0 for none: snapshot.h tells when.
 * node owns the RRset of that type.
 */
uint32_t refs_find(const struct snapshot *snapshot, const struct node *node,
		   uint16_t type, const uint8_t *rdata);

#endif
