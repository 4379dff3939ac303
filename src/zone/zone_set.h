/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All zones served at one moment: hash of apex -> snapshot. Immutable once
 * published; the control thread makes a new one for each change and frees the
 * old one after a grace period (liburcu, QSBR). Workers dereference the
 * published pointer once for each wake-up.
 */
#ifndef ZONE_ZONE_SET_H
#define ZONE_ZONE_SET_H

#include "base/acl.h"
#include "zone/snapshot.h"

enum zone_state {
	ZONE_SERVED,	/* snapshot is there */
	ZONE_NOT_READY, /* configured, never loaded: SERVFAIL, EDE 14 */
	ZONE_INVALID,	/* its data is faulty or expired: SERVFAIL, EDE 24 */
};

struct zone {
	uint64_t hash; /* of the apex, good within the set */
	struct snapshot *snapshot;
	enum zone_state state;
	uint8_t label_nr;
	uint8_t apex_len; /* 0: the slot is empty */
	uint8_t *apex; /* lower case, DNS_HASH_PAD behind, owned by the set */
};

struct zone_set {
	struct zone *slot;
	struct acl **transfer; /* by slot: who may, NULL: nobody */
	uint64_t key, factor;  /* of the hash of apexes */
	uint32_t slot_nr;      /* power of two */
	uint32_t zone_nr;
	uint8_t label_min, label_max; /* labels of the shortest, longest apex */
};

/* Room for zone_nr zones. NULL when memory is out. */
struct zone_set *zone_set_new(uint32_t zone_nr);

/*
 * Adds a zone, or replaces the one with that apex. snapshot may be NULL; a
 * reference is taken. Returns 0 or -ENOMEM.
 */
int zone_set_put(struct zone_set *set, const uint8_t *name,
		 struct snapshot *snapshot, enum zone_state state);

/* Says who may transfer a zone that is in the set; a reference is taken. */
void zone_set_allow_transfer(struct zone_set *set, const uint8_t *name,
			     struct acl *acl);

static inline const struct acl *zone_set_transfer(const struct zone_set *set,
						  const struct zone *zone)
{
	return set->transfer[zone - set->slot];
}

/* A set with the same zones and room for extra more, to be changed. */
struct zone_set *zone_set_copy(const struct zone_set *set, uint32_t extra);

/* Gives back the references. The caller has seen to the grace period. */
void zone_set_free(struct zone_set *set);

/*
 * The zone with the longest apex that encloses the name from label first on
 * (first = 0: the name itself counts as an apex). NULL when none does.
 */
const struct zone *zone_set_find(const struct zone_set *set,
				 const struct dns_labels *labels,
				 unsigned first);

/* The label at which the apex starts in a name of the zone. */
static inline unsigned zone_apex_label(const struct zone *zone,
				       const struct dns_labels *labels)
{
	return (unsigned)labels->label_nr - zone->label_nr;
}

/*
 * Ask memory for what zone_set_find() will read: first slots, then, when those
 * have come, apex and snapshot of the zone that it will most likely find.
 */
void zone_set_prefetch(const struct zone_set *set,
		       const struct dns_labels *labels);
void zone_set_prefetch_zone(const struct zone_set *set,
			    const struct dns_labels *labels);

#endif
