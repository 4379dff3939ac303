/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the workers count and an operator has to hear of. Workers never log;
 * the control thread looks at their counters now and then and says what has
 * changed, at most one line a look for each kind, however bad it gets.
 */
#ifndef SERVER_WATCH_H
#define SERVER_WATCH_H

#include <ev.h>

#include "server/crew.h"

#define WATCH_SECONDS 5.0 /* between two looks */

struct watch {
	ev_timer timer;
	const struct crew *crew;
	struct worker_counters seen; /* at the last look */
};

/* crew runs, and stays where it is until watch_stop(). Control thread. */
void watch_start(struct watch *watch, struct ev_loop *loop,
		 const struct crew *crew);

/* Nothing when it was never started. */
void watch_stop(struct watch *watch, struct ev_loop *loop);

/* One look: says what differs between now and watch->seen, which becomes now.
 */
void watch_look(struct watch *watch, const struct worker_counters *now);

#endif
