/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any text as a zone file. What loads is written out in canonical form; that
 * loads too, without a change, and writes out as the same text again. A reload
 * on top of the first version gives the same text as well.
 */
#include <errno.h>
#include <strings.h>

#include "loading.h"
#include "zone/write.h"

static const uint8_t apex[] = "\1z\4test";

/* The zone as text, and its length; NULL when writing failed. */
static char *to_text(const struct snapshot *snapshot, size_t *len)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, len);

	fuzz_assert(out);
	fuzz_assert(!zone_write(out, snapshot));
	fuzz_assert(!fclose(out));
	return text;
}

static void check_same(struct snapshot *snapshot, const char *text, size_t len)
{
	size_t again_len;
	char *again;

	fuzz_assert(snapshot);
	again = to_text(snapshot, &again_len);
	fuzz_assert(again_len == len && !memcmp(again, text, len));
	free(again);
}

static void check_zone(struct snapshot *first, const uint8_t *data, size_t size)
{
	struct snapshot *second, *third;
	size_t len;
	char *text = to_text(first, &len);

	second = loading_load(apex, text, len, NULL);
	check_same(second, text, len);
	third = loading_load(apex, data, size, second);
	check_same(third, text, len);
	snapshot_put(third);
	snapshot_put(second);
	free(text);
}

/* Octets that would make the reader open other files. */
static int has_include(const uint8_t *data, size_t size)
{
	for (size_t i = 0; i + 8 <= size; i++)
		if (data[i] == '$' &&
		    !strncasecmp((const char *)data + i + 1, "include", 7))
			return 1;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct snapshot *snapshot;

	if (has_include(data, size))
		return 0;
	snapshot = loading_load(apex, data, size, NULL);
	if (snapshot)
		check_zone(snapshot, data, size);
	snapshot_put(snapshot);
	return 0;
}
