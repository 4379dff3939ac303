/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The chain of NSEC nodes of a snapshot, searched by name. A key of 8 octets
 * for every fourth of them takes the search to a few neighbours without
 * touching a node.
 */
#ifndef ZONE_NSEC_H
#define ZONE_NSEC_H

#include "dns/order.h"
#include "zone/snapshot.h"

/* Nodes to a key: 2 octets a node, and two comparisons of names a search. */
#define NSEC_STEP 4u

static inline uint32_t nsec_key_nr(const struct snapshot *snapshot)
{
	return (snapshot->nsec_nr + NSEC_STEP - 1) / NSEC_STEP;
}

/* Makes the keys; snapshot->nsec is filled. */
void nsec_fill_keys(struct snapshot *snapshot, unsigned apex_label_nr);

/*
 * The NSEC node that matches or precedes a name of the zone in canonical
 * order; NULL when the zone has none. name is without the apex.
 */
const struct node *nsec_find(const struct snapshot *snapshot,
			     unsigned apex_label_nr,
			     const struct dns_order *name);

#endif
