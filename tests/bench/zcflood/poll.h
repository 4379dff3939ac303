/* SPDX-License-Identifier: BSD-2-Clause */
/* Waiting for many sockets. */
#ifndef ZCFLOOD_POLL_H
#define ZCFLOOD_POLL_H

#include <sys/epoll.h>

#include "zcflood/flood.h"

#define POLL_EVENTS 64 /* of one wait */

struct poll_set {
	struct flood *flood;
	int epoll;
	uint64_t spin_ns; /* of looking before sleeping */
};

/*
 * Makes it, and lets the process have so many sockets. Returns 0, or -1 with
 * errno.
 */
int poll_set_init(struct poll_set *set, struct flood *flood, uint64_t spin_ns,
		  uint32_t sockets);
void poll_set_release(struct poll_set *set);

/*
 * Up to POLL_EVENTS that are ready, of which the first wait up to wait_ns (0:
 * not at all). The time of the flood goes on meanwhile.
 */
int poll_set_wait(struct poll_set *set, struct epoll_event *events,
		  uint64_t wait_ns);

#endif
