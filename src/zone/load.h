/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A zone file to a snapshot: directives, owner, TTL, class, type, RDATA.
 *
 * $ORIGIN, $TTL, $INCLUDE (relative to the including file, own origin, ten
 * deep at most, loops found), $GENERATE with BIND's modifiers; directives in
 * any case, never indented.
 */
#ifndef ZONE_LOAD_H
#define ZONE_LOAD_H

#include <time.h>

#include "zone/report.h"
#include "zone/snapshot.h"

#define ZONE_INCLUDE_MAX 10

/* The files that a version was read from: the reload looks at them all. */
struct zone_source {
	char *path;
	struct timespec mtime;
	uint64_t size, inode, device;
};

struct zone_load_result {
	struct snapshot *snapshot; /* to be given back with snapshot_put() */
	struct zone_source *source;
	unsigned source_nr;
	uint64_t record_nr;
};

/*
 * Reads the file and what it includes. previous may be NULL (see zone/build.h).
 * Returns 0, or -errno with everything said through report: -EINVAL for a
 * fault in the text, -ENOENT and the like for the file itself. On an error
 * result holds the sources read so far and no snapshot.
 */
int zone_load(struct zone_load_result *result, const uint8_t *apex,
	      const char *path, struct snapshot *previous,
	      struct zone_report *report);

/* True when one of the files is not what was read (stat(2) differs). */
bool zone_load_is_stale(const struct zone_load_result *result);

void zone_load_release(struct zone_load_result *result);

#endif
