/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loader threads: one a CPU, each takes the next zone of the table that nobody
 * has taken, until there is none left. The workers go on serving meanwhile.
 */
#ifndef SERVER_LOADER_H
#define SERVER_LOADER_H

#include <pthread.h>

#include "server/zones.h"

struct loader {
	struct zones *zones;
	struct zone_entry *only;  /* the one zone to look at; NULL: all */
	void (*finished)(void *); /* by the last thread, may be NULL */
	void *arg;
	pthread_t *thread;
	unsigned thread_nr;
	atomic_uint next;    /* entry to take */
	atomic_uint done;    /* entries finished */
	atomic_uint running; /* threads */
	atomic_bool cancel;
};

/*
 * Starts a round over the table, or over one zone, which is then read even if
 * its file looks unchanged. finished(arg) is called in a loader thread when all
 * is done. Returns 0 or -errno, and nothing runs. Ends with loader_join().
 */
int loader_start(struct loader *loader, struct zones *zones,
		 struct zone_entry *only, void (*finished)(void *), void *arg);

/* Takes no more zones; those under way are read to their end. */
void loader_cancel(struct loader *loader);

/* Waits for the threads. */
void loader_join(struct loader *loader);

#endif
