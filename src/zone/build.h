/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records in, snapshot out.
 *
 * A builder takes the records of one zone version in any order, groups them
 * into nodes, checks what only the whole zone shows (SOA, CNAME beside other
 * data, DNAME, missing glue, denial chains), and freezes a snapshot. Given the
 * version before, it keeps that version's nodes where they did not change:
 * a reload costs memory for the changed nodes and one index.
 *
 * A builder belongs to one thread (a loader thread); the snapshot it makes
 * is immutable and may be read by all.
 */
#ifndef ZONE_BUILD_H
#define ZONE_BUILD_H

#include <time.h>

#include "zone/report.h"
#include "zone/snapshot.h"

struct zone_builder;

struct zone_record {
	const uint8_t *owner; /* checked name, case as written */
	const uint8_t *rdata; /* checked wire form, uncompressed */
	uint16_t type;
	uint16_t rdata_len;
	uint32_t ttl;	  /* seconds, at most 2^31 - 1 */
	const char *file; /* for messages; lives as long as the builder */
	uint64_t line;
};

/*
 * previous is the version served now, or NULL; borrowed until zone_build_end().
 * size_hint is the octets of text to come, 0 when unknown.
 * Returns NULL when memory is out.
 */
struct zone_builder *zone_build_new(const uint8_t *apex,
				    struct snapshot *previous, size_t size_hint,
				    struct zone_report *report);

/* The time that RRSIGs are checked against: now, unless set. */
void zone_build_set_now(struct zone_builder *builder, time_t now);

/*
 * Adds one record; its octets are copied. A record outside the zone is warned
 * of and left out. Returns 0, -ENOMEM, or -E2BIG when the zone is over 32 GiB.
 */
int zone_build_add(struct zone_builder *builder,
		   const struct zone_record *record);

/*
 * Checks and freezes. *out gets a snapshot (reference count 1, to be given back
 * with snapshot_put()); where nothing changed it is the previous one with a
 * reference more. Errors of the data are reported: then -EINVAL.
 */
int zone_build_end(struct zone_builder *builder, struct snapshot **out);

void zone_build_free(struct zone_builder *builder);

#endif
