/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files that a zone version is read from. What is noted comes from the
 * open descriptor, not from the path: when the file is replaced between the
 * two, the note is about the text that was read.
 */
#include <config.h>

#include "zone/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Sources for which there is room, given how many there are. */
static unsigned room_for(unsigned nr)
{
	return nr < 4 ? 4 : 1u << (32 - __builtin_clz(nr - 1));
}

/* A new last source without a file; NULL when memory is out. */
static struct zone_source *source_add(struct zone_load_result *result,
				      const char *path)
{
	unsigned nr = result->source_nr;
	struct zone_source *source = result->source;

	if (!nr || nr == room_for(nr)) {
		source = realloc(source, room_for(nr + 1) * sizeof(*source));
		if (!source)
			return NULL;
		result->source = source;
	}
	source += nr;
	memset(source, 0, sizeof(*source));
	source->path = strdup(path);
	if (!source->path)
		return NULL;
	result->source_nr++;
	return source;
}

static void note(struct zone_source *source, const struct stat *st)
{
	source->mtime = st->st_mtim;
	source->size = (uint64_t)st->st_size;
	source->inode = st->st_ino;
	source->device = st->st_dev;
}

static bool differs(const struct zone_source *source, const struct stat *st)
{
	return source->mtime.tv_sec != st->st_mtim.tv_sec ||
	       source->mtime.tv_nsec != st->st_mtim.tv_nsec ||
	       source->size != (uint64_t)st->st_size ||
	       source->inode != st->st_ino || source->device != st->st_dev;
}

static int check_kind(const struct stat *st)
{
	if (S_ISDIR(st->st_mode))
		return -EISDIR;
	return S_ISREG(st->st_mode) ? 0 : -EOPNOTSUPP;
}

int source_open(struct zone_load_result *result, const char *path)
{
	struct zone_source *source;
	struct stat st;
	int fd, rc;

	if (result->source_nr == ZONE_SOURCE_MAX)
		return -ENFILE;
	source = source_add(result, path);
	if (!source)
		return -ENOMEM;
	/* O_NONBLOCK: opening a FIFO must not wait for its writer. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	rc = fstat(fd, &st) ? -errno : check_kind(&st);
	if (rc) {
		close(fd);
		return rc;
	}
	note(source, &st);
	return fd;
}

bool source_is_changed(const struct zone_source *source, int fd)
{
	struct stat st;

	return fstat(fd, &st) || differs(source, &st);
}

const char *source_error(int error)
{
	switch (error) {
	case -EISDIR:
		return "is a directory";
	case -EOPNOTSUPP:
		return "is not a regular file";
	case -ENFILE:
		return "too many files";
	default:
		return strerror(-error);
	}
}

/* A file that could not be read is stale as soon as there is one. */
static bool is_stale(const struct zone_source *source)
{
	struct stat st;

	if (stat(source->path, &st) || check_kind(&st))
		return source->inode != 0;
	return differs(source, &st);
}

bool zone_load_is_stale(const struct zone_load_result *result)
{
	for (unsigned i = 0; i < result->source_nr; i++)
		if (is_stale(&result->source[i]))
			return true;
	return false;
}

void source_release(struct zone_load_result *result)
{
	for (unsigned i = 0; i < result->source_nr; i++)
		free(result->source[i].path);
	free(result->source);
	result->source = NULL;
	result->source_nr = 0;
}
