/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All workers together: started once, after the first zones are published, and
 * stopped once. What they count is summed here for whoever asks.
 */
#ifndef SERVER_CREW_H
#define SERVER_CREW_H

#include "server/config.h"
#include "server/feature.h"
#include "server/worker.h"

struct crew {
	struct worker **worker;
	unsigned nr;
	const char *no_ring;	  /* why io is not uring; static text */
	struct uring_probe probe; /* where the workers made none */
	bool probed;
};

/*
 * Starts config->worker_nr workers on listeners that are open. config and
 * *zone_set stay where they are until crew_stop(). What fails is logged;
 * returns 0 or -errno, and then nothing runs.
 */
int crew_start(struct crew *crew, const struct config *config,
	       struct zone_set *const *zone_set);

/*
 * Lets every worker answer what it has received; for TCP they have grace_ms in
 * all.
 */
void crew_stop(struct crew *crew, unsigned grace_ms);

/* "uring" or "mmsg" */
const char *crew_io(const struct crew *crew);

/* What the workers use of the kernel; config is the one they started with. */
void crew_features(struct crew *crew, const struct config *config,
		   struct feature_state *state);

void crew_sum(const struct crew *crew, struct worker_counters *worker,
	      struct query_counters *query);

#endif
