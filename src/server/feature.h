/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The features of the kernel that the data path knows, each on one line:
 *
 *	NAME: present, used[: how]
 *	NAME: present, not used: why
 *	NAME: absent, Linux VERSION
 *
 * for `zcdns -V` (what would be used with io = auto) and for the status (what
 * the workers use).
 */
#ifndef SERVER_FEATURE_H
#define SERVER_FEATURE_H

#include <stdio.h>

#include "server/worker.h"

struct feature_state {
	const struct uring_probe *probe;
	enum worker_io io;   /* in use */
	const char *no_ring; /* why io is not uring */
	struct wait_policy wait;
	struct zerocopy_policy zerocopy;
	struct worker_traits traits;
	bool gro;	    /* on every socket */
	bool live;	    /* counters are those of workers */
	unsigned socket_nr; /* UDP, of all workers */
	unsigned worker_nr;
	struct worker_counters counters;
};

/* What workers with the default configuration would use, one for each CPU. */
void feature_predict(struct feature_state *state,
		     const struct uring_probe *probe, unsigned worker_nr);

/* Each line starts with prefix. */
void feature_print(FILE *out, const char *prefix,
		   const struct feature_state *state);

/* Why zerocopy = always has no effect; NULL: it has, or is not set. */
const char *feature_no_zerocopy(const struct feature_state *state);

#endif
