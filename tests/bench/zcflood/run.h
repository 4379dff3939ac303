/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A flood from start to end: warm-up, pace, progress, and the wait for the
 * last replies.
 */
#ifndef ZCFLOOD_RUN_H
#define ZCFLOOD_RUN_H

#include "zcflood/transport.h"

struct run {
	struct flood *flood;
	struct transport *transport;
	const struct options *options;
	uint64_t started; /* ns: the pace counts from here */
	uint64_t issued;  /* queries since then */
	uint64_t shown;	  /* ns: last progress line */
	uint64_t shown_answered;
	double seconds;	    /* result: time that is counted */
	double cpu_seconds; /* result: ours in that time */
};

/* Runs until it ends, or SIGINT or SIGTERM end it; fills the results. */
void run_flood(struct run *run);

#endif
