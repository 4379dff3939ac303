/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files behind zone/build.h share; not for others.
 *
 *	records --build.c--> run --node_build.c--> node in stage
 *		a node equal to the previous version's is dropped: a bit says
 *		that the old one is kept (shared.c)
 *	end:	link.c	  kept and new nodes in canonical order, nodes of one
 *			  owner merged, empty non-terminals, flags
 *		zone_check.c  what only the whole zone shows
 *		freeze.c  nodes to where they stay, index
 *		refs.c	  additional addresses
 */
#ifndef ZONE_BUILDER_H
#define ZONE_BUILDER_H

#include <time.h>

#include "zone/arena.h"
#include "zone/build.h"
#include "zone/fragment.h"
#include "zone/place.h"
#include "zone/run.h"

/*
 * Beside enum node_flag, so that later passes leave out what need not be read
 * again: most nodes of a large zone.
 */
enum link_flag {
	LINK_KEPT = 1 << 15,  /* the node is the previous version's */
	LINK_REFS = 1 << 14,  /* has an RRset with references */
	LINK_NSEC = 1 << 13,  /* has an NSEC */
	LINK_CHECK = 1 << 12, /* has RRSIGs, or more than a message holds */
	LINK_EMPTY = 1 << 11, /* empty non-terminal */
	LINK_ALL = 0x1f << 11,
};

/* Nodes in canonical order with their flags to be. */
struct link {
	uint32_t *node; /* offset in stage, or in the previous arena */
	uint16_t *flags;
	uint32_t *place;
	size_t nr, max;
	size_t live;  /* octets of all its nodes */
	size_t fresh; /* octets of those that are not kept */
	uint64_t record_nr;
};

/* Where a kept node stands in the file: only of nodes that name hosts. */
struct kept_place {
	uint32_t node, place;
};

struct zone_builder {
	struct zone_report *report;
	struct snapshot *previous; /* compared with at the end */
	struct snapshot *shared;   /* previous, when its nodes may be kept */
	time_t now;		   /* expired RRSIGs are those before it */
	bool failed;
	bool run_has_nsec3;
	uint8_t apex_len, apex_label_nr;
	uint8_t apex[DNS_NAME_MAX];
	struct place_map places;
	struct run run, nsec3_run;
	struct rrset_fix *fix; /* of the RRset being composed */
	size_t fix_max;
	uint8_t *rdata;		      /* one RDATA read back */
	struct snapshot_arena *stage; /* new nodes */
	size_t stage_dead;	      /* octets of nodes since merged */
	struct fragment_list fragments, nsec3_fragments;
	uint64_t *kept; /* bit for each unit of the shared arena */
	size_t kept_nr;
	struct kept_place *kept_place; /* in order of node once linked */
	size_t kept_place_nr, kept_place_max;
	uint32_t guess; /* where in the shared order the next owner may be */
	unsigned guess_misses;
	struct link names, nsec3;
};

/* Says it through the report; an error makes the build fail. */
__attribute__((format(printf, 4, 5))) void
builder_say(struct zone_builder *builder, enum zone_severity severity,
	    uint32_t place, const char *format, ...);

/*
 * Composes the records of run into a node of stage, or finds that the shared
 * version has the same one: *kept then, and *node is that one's offset.
 */
int builder_compose(struct zone_builder *builder, struct run *run,
		    uint32_t *node, bool *kept);

static inline const struct node *builder_node(const struct zone_builder *b,
					      uint32_t node, bool kept)
{
	return kept ? snapshot_node(b->shared, node) : arena_at(b->stage, node);
}

/*
 * shared.c: takes and gives back the right to keep nodes of the previous
 * version and to append to its arena.
 */
int shared_begin(struct zone_builder *builder);
void shared_end(struct zone_builder *builder);

/* The shared version's node with the owner of a new one, 0 for none. */
uint32_t shared_find(struct zone_builder *builder, const struct node *node);

/* Marks one of its nodes as part of this version. Returns 0 or -ENOMEM. */
int shared_keep(struct zone_builder *builder, uint32_t node, uint32_t place);

/* Its place, if it names hosts; once the places are sorted. */
void shared_sort_places(struct zone_builder *builder);
uint32_t shared_place(const struct zone_builder *builder, uint32_t node);

static inline bool shared_is_kept(const struct zone_builder *b, uint32_t node)
{
	return b->kept[node / 64] >> node % 64 & 1;
}

/* node_build.c: see there. */
int node_build(struct zone_builder *builder, const struct run *run,
	       uint32_t *offset);
bool node_same(const struct node *a, const struct node *b);

/* link.c: fills names and nsec3. */
int link_build(struct zone_builder *builder);
void link_release(struct link *link);

/* Octets and records of a node that is entered, or (sign -1) taken out. */
void link_count(struct link *link, const struct node *node, bool kept,
		int sign);

/* freeze.c */
int freeze(struct zone_builder *builder, struct snapshot **out);

#endif
