/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Octets as a zone file. zone_load() reads files, so each goes through one in
 * memory (memfd_create(2)); $INCLUDE is left out, since no input may make a
 * target read what lies elsewhere on the machine.
 */
#ifndef TESTS_FUZZ_LOADING_H
#define TESTS_FUZZ_LOADING_H

#include <sys/mman.h>
#include <errno.h>
#include <unistd.h>

#include "fuzz.h"
#include "zone/load.h"

static inline void loading_emit(void *arg, enum zone_severity severity,
				const char *text)
{
	(void)arg;
	(void)severity;
	fuzz_assert(strlen(text) > 0 && !strchr(text, '\n'));
}

/* The snapshot or NULL; to be given back with snapshot_put(). */
static inline struct snapshot *loading_load(const uint8_t *apex,
					    const void *text, size_t size,
					    struct snapshot *previous)
{
	struct zone_report report = {.emit = loading_emit, .zone = "z.test."};
	struct zone_load_result result = {0};
	struct snapshot *snapshot = NULL;
	int fd = memfd_create("zone", MFD_CLOEXEC);
	char path[64];
	int rc;

	fuzz_assert(fd >= 0);
	fuzz_assert(write(fd, text, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	rc = zone_load(&result, apex, path, previous, &report);
	fuzz_assert(rc <= 0);
	fuzz_assert((rc == 0) == (result.snapshot != NULL));
	fuzz_assert((rc == -EINVAL) <= (report.error_nr > 0));
	if (!rc)
		snapshot = snapshot_get(result.snapshot);
	zone_load_release(&result);
	close(fd);
	return snapshot;
}

#endif
