/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files that a zone version is read from: opened, and noted with what
 * stat(2) says of them, so that a reload sees a change in any of them. A file
 * that is not there is noted too: when it appears, the zone is stale.
 */
#ifndef ZONE_SOURCE_H
#define ZONE_SOURCE_H

#include "zone/load.h"

/* A zone of more files than this has an $INCLUDE gone wild. */
#define ZONE_SOURCE_MAX 10000

/*
 * Opens a regular file and notes it as the last source of the result. Never
 * waits: a FIFO or a device is refused. Returns the descriptor or -errno, among
 * them -EISDIR, -EOPNOTSUPP (not a regular file), -ENFILE (too many sources).
 */
int source_open(struct zone_load_result *result, const char *path);

/* True when the open file is not what source_open() noted. */
bool source_is_changed(const struct zone_source *source, int fd);

/* Text for a result of source_open(). */
const char *source_error(int error);

void source_release(struct zone_load_result *result);

#endif
