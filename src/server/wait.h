/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long a worker gathers queries before it wakes (minimum-batch wait, Linux
 * 6.12). Gathering saves wake-ups and fills bundles, but where it does not it
 * only delays: it is tried now and then, kept only while it raises the replies
 * per bundle, and dropped at low load.
 */
#ifndef SERVER_WAIT_H
#define SERVER_WAIT_H

#include "uring/ring.h"

#define WAIT_US_MAX 1000

enum wait_mode {
	WAIT_AUTO,
	WAIT_NONE, /* the first query wakes */
	WAIT_FIXED,
	WAIT_BUSY, /* never sleeps */
};

struct wait_policy {
	enum wait_mode mode;
	unsigned us; /* WAIT_FIXED: 1 to WAIT_US_MAX */
};

struct wait {
	struct wait_policy policy;
	unsigned level;		   /* index into the levels, 0: do not gather */
	bool trying;		   /* level is on trial against level - 1 */
	unsigned last;		   /* replies of the last turn */
	unsigned turns;		   /* of this period */
	unsigned rest;		   /* periods until the next trial */
	uint64_t replies, bundles; /* of this period */
	uint32_t before; /* replies a bundle one level lower, in 1/256 */
};

/* Fills nr and min_wait_us; nr 0 for WAIT_BUSY. */
void wait_choose(const struct wait *wait, struct ring_wait *ring_wait);

/* What a turn brought. */
void wait_learn(struct wait *wait, unsigned replies, unsigned bundles);

#endif
