/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long a worker gathers queries before it wakes. With uring that is the
 * minimum wait of Linux 6.12, else a sleep before the receive; both count from
 * the moment the worker has nothing left to do, so after a silence the first
 * query never waits.
 *
 * A wake-up costs more than an answer. Gathering saves wake-ups and fills
 * bundles, but delays; with few clients that wait for each reply it gains
 * nothing. So the adaptive wait measures: now and then all levels take turns,
 * and CPU time per query and rate decide.
 *
 *	turn, turn, ... wait_count() true: period over > clocks > wait_judge()
 *
 * Pure but for its structure: clocks are read by the caller, once a period.
 */
#ifndef SERVER_WAIT_H
#define SERVER_WAIT_H

#include <stdbool.h>
#include <stdint.h>

#define WAIT_US_MAX 1000

#define WAIT_LEVEL_NR 5

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

/* Clocks and counters, absolute; differences of two are those of a period. */
struct wait_sample {
	uint64_t queries, turns;
	uint64_t wall_ns, cpu_ns; /* of the thread */
};

struct wait {
	struct wait_policy policy;
	bool is_loaded;	 /* else it is too quiet to gather anything */
	unsigned level;	 /* kept, over silences too */
	unsigned rest;	 /* periods until the next round; 0: it is on */
	unsigned effort; /* of a round, and of the rest after it */
	unsigned trial;	 /* level under trial now */
	unsigned cycle;	 /* how often each had its turn */
	unsigned limit;	 /* levels in this round */
	unsigned strays; /* periods in a row with quite another rate */
	uint64_t rate;	 /* queries a second when the round was over */
	uint64_t last_ms;
	struct wait_sample now, last; /* last: at the end of a period */
	struct wait_sample sum[WAIT_LEVEL_NR]; /* of the round */
};

/* How to enter the kernel; nr 0 (WAIT_BUSY): without waiting. */
struct wait_choice {
	unsigned nr; /* queries that end the gathering */
	unsigned us;
};

struct wait_choice wait_choose(const struct wait *wait);

/*
 * After a turn; queries is the total since the start, now_ms any clock in
 * milliseconds. True when a period is over and the caller has to call
 * wait_judge().
 */
bool wait_count(struct wait *wait, uint64_t queries, uint64_t now_ms);

/* Takes CLOCK_MONOTONIC and CLOCK_THREAD_CPUTIME_ID. */
void wait_judge(struct wait *wait, uint64_t wall_ns, uint64_t cpu_ns);

#endif
