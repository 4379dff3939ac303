/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a record stood (file and line) in 32 bits, for messages that are only
 * possible when the whole zone is known. Places count up; a list of the points
 * where another file begins or goes on leads back to file and line.
 */
#ifndef ZONE_PLACE_H
#define ZONE_PLACE_H

#include <stddef.h>
#include <stdint.h>

#define PLACE_NONE 0u /* not known */

struct place_stretch {
	const char *file;
	uint64_t line; /* of its first place */
	uint32_t first;
};

struct place_map {
	struct place_stretch *stretch;
	size_t nr, max;
	uint64_t last_line;
	uint32_t last;
};

/* The place of the record read last; PLACE_NONE when memory is out. */
uint32_t place_note(struct place_map *map, const char *file, uint64_t line);

/* File (NULL for PLACE_NONE) and, in *line, the line of a place. */
const char *place_file(const struct place_map *map, uint32_t place,
		       uint64_t *line);

void place_release(struct place_map *map);

#endif
