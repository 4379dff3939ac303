/* SPDX-License-Identifier: BSD-2-Clause */
/* epoll, with a look or two before going to sleep. */
#include "zcflood/poll.h"

#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000ull

static void allow_sockets(uint32_t nr)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= nr + 64ull)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

int poll_set_init(struct poll_set *set, struct flood *flood, uint64_t spin_ns,
		  uint32_t sockets)
{
	set->flood = flood;
	set->spin_ns = spin_ns;
	allow_sockets(sockets);
	set->epoll = epoll_create1(EPOLL_CLOEXEC);
	return set->epoll < 0 ? -1 : 0;
}

void poll_set_release(struct poll_set *set)
{
	if (set->epoll > 0)
		close(set->epoll);
}

int poll_set_wait(struct poll_set *set, struct epoll_event *events,
		  uint64_t wait_ns)
{
	struct flood *flood = set->flood;
	uint64_t start = flood->now;
	struct timespec rest;
	int nr;

	do {
		nr = epoll_wait(set->epoll, events, POLL_EVENTS, 0);
		if (nr || !wait_ns)
			return nr;
	} while (flood_tick(flood) - start < set->spin_ns &&
		 flood->now - start < wait_ns);
	if (flood->now - start >= wait_ns)
		return 0;
	wait_ns -= flood->now - start;
	rest.tv_sec = (time_t)(wait_ns / SECOND);
	rest.tv_nsec = (long)(wait_ns % SECOND);
	return epoll_pwait2(set->epoll, events, POLL_EVENTS, &rest, NULL);
}
