/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lines, by counter. What is the fault of a peer has none (a flood of bad
 * packets must not become a flood of lines).
 */
#include <config.h>

#include "server/watch.h"

#include <stddef.h>

#include "server/log.h"

static const struct {
	size_t counter; /* offset in struct worker_counters */
	const char *format;
} lines[] = {
    {offsetof(struct worker_counters, gso_retreats),
     "UDP: the kernel refused to segment replies (GSO) on %llu more "
     "socket(s), they go out one by one there"},
    {offsetof(struct worker_counters, tcp_accept_errors),
     "TCP: accepting failed %llu times: out of descriptors or memory (see "
     "LimitNOFILE=)"},
    {offsetof(struct worker_counters, tcp_closed_limit),
     "TCP: tcp-clients reached, %llu idle connections closed for new ones"},
};

static uint64_t counter_at(const struct worker_counters *counters,
			   size_t offset)
{
	return *(const uint64_t *)(const void *)((const char *)counters +
						 offset);
}

void watch_look(struct watch *watch, const struct worker_counters *now)
{
	for (unsigned i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		unsigned long long more =
		    counter_at(now, lines[i].counter) -
		    counter_at(&watch->seen, lines[i].counter);

		if (more)
			log_warning(lines[i].format, more);
	}
	watch->seen = *now;
}

static void on_timer(struct ev_loop *loop, ev_timer *timer, int events)
{
	struct watch *watch = timer->data;
	struct worker_counters now;
	struct query_counters query;

	(void)loop;
	(void)events;
	crew_sum(watch->crew, &now, &query);
	watch_look(watch, &now);
}

void watch_start(struct watch *watch, struct ev_loop *loop,
		 const struct crew *crew)
{
	watch->crew = crew;
	watch->seen = (struct worker_counters){0};
	ev_timer_init(&watch->timer, on_timer, WATCH_SECONDS, WATCH_SECONDS);
	watch->timer.data = watch;
	ev_timer_start(loop, &watch->timer);
}

void watch_stop(struct watch *watch, struct ev_loop *loop)
{
	if (watch->crew)
		ev_timer_stop(loop, &watch->timer);
	watch->crew = NULL;
}
