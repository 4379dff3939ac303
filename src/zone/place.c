/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Places grow with the lines of a file; going back in it or to another one
 * starts a new stretch.
 */
#include "zone/place.h"

#include <stdbool.h>
#include <stdlib.h>

static bool stretch_begin(struct place_map *map, const char *file,
			  uint64_t line)
{
	if (map->nr == map->max) {
		size_t max = map->max ? map->max * 2 : 4;
		void *p = realloc(map->stretch, max * sizeof(*map->stretch));

		if (!p)
			return false;
		map->stretch = p;
		map->max = max;
	}
	map->stretch[map->nr++] = (struct place_stretch){
	    .file = file, .line = line, .first = map->last + 1};
	return true;
}

uint32_t place_note(struct place_map *map, const char *file, uint64_t line)
{
	const struct place_stretch *now =
	    map->nr ? &map->stretch[map->nr - 1] : NULL;
	uint64_t place;

	/* Files of over 4 billion lines run out of places: no line is told. */
	if (map->last == UINT32_MAX)
		return PLACE_NONE;
	if (!now || now->file != file || line < map->last_line) {
		if (!stretch_begin(map, file, line))
			return PLACE_NONE;
		now = &map->stretch[map->nr - 1];
	}
	place = now->first + (line - now->line);
	map->last = place < UINT32_MAX ? (uint32_t)place : UINT32_MAX;
	map->last_line = line;
	return map->last == UINT32_MAX ? PLACE_NONE : map->last;
}

const char *place_file(const struct place_map *map, uint32_t place,
		       uint64_t *line)
{
	size_t low = 0, high = map->nr;

	*line = 0;
	if (place == PLACE_NONE || !map->nr)
		return NULL;
	while (high - low > 1) {
		size_t middle = (low + high) / 2;

		if (map->stretch[middle].first <= place)
			low = middle;
		else
			high = middle;
	}
	*line = map->stretch[low].line + (place - map->stretch[low].first);
	return map->stretch[low].file;
}

void place_release(struct place_map *map)
{
	free(map->stretch);
	*map = (struct place_map){0};
}
