/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What this kernel can do for the data path; for the choice of the back end,
 * `zcdns -V` and the status. Found out by trying, never by version number.
 */
#ifndef URING_PROBE_H
#define URING_PROBE_H

#include <stdbool.h>

enum uring_feature_id {
	URING_UDP_SEGMENT,
	URING_UDP_GRO,
	URING_INCOMING_CPU,
	URING_SETUP, /* io_uring may be used at all */
	URING_BUFFER_RING,
	URING_MULTISHOT,
	URING_DEFER_TASKRUN,
	URING_SENDMSG_ZC,
	URING_REPORT_USAGE,
	URING_MIN_WAIT,
	URING_BUFFER_INC,
	URING_FIXED_SENDMSG,
	URING_FEATURE_NR
};

struct uring_feature {
	const char *name;
	const char *since; /* Linux version */
	bool present;
};

struct uring_probe {
	struct uring_feature feature[URING_FEATURE_NR];
	int error;	    /* of io_uring_setup, 0 or -errno */
	const char *reason; /* why io_uring is unusable; NULL: it is usable */
	const char *advice; /* why mmsg does as well here; NULL: it does not */
};

/* Any thread; some milliseconds at most; leaves nothing behind. */
void uring_probe(struct uring_probe *probe);

/* Text for an error of io_uring_setup, naming the remedy. Static. */
const char *uring_reason(int error);

#endif
