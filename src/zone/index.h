/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The index of a snapshot: slots, keys of NSEC nodes, canonical order, NSEC and
 * NSEC3 order, in one stretch of memory in that order (largest alignment
 * first).
 */
#ifndef ZONE_INDEX_H
#define ZONE_INDEX_H

#include "zone/snapshot.h"

/* Sets slot_nr from node_nr, for three slots of four in use. */
void index_size_slots(struct snapshot *snapshot);

/* Octets of an index for the snapshot's slot_nr, node_nr, nsec_nr, nsec3_nr. */
size_t index_size(const struct snapshot *snapshot);

/* Points slot, nsec_key, order, nsec, nsec3 into index_size() octets at memory.
 */
void index_place(struct snapshot *snapshot, void *memory);

/*
 * Memory of its own for an index, zero; returned to the system when it is
 * freed, since it is as large as a tenth of the zone. Returns 0 or -ENOMEM.
 */
int index_new(struct snapshot *snapshot);
void index_free(struct snapshot *snapshot);

/* A node now lies elsewhere; both copies are readable. */
void index_move(struct snapshot *snapshot, uint32_t from, uint32_t to);

/* Enters all nodes of order[] into the empty slots; sets label_max. */
void index_fill(struct snapshot *snapshot);

#endif
