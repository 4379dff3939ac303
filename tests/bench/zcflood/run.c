/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The loop. A closed loop sends what was answered again; an open loop sends
 * what is due at its rate, whatever comes back.
 */
#include "zcflood/run.h"

#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>

/* Queries of one turn, so that replies are looked at in between. */
#define TURN_MAX 1024
#define SECOND	 1000000000ull
#define WAIT_MAX (SECOND / 10)
/* While the transport has no room: soon enough, and no spinning. */
#define WAIT_ROOM (SECOND / 1000)

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
	(void)number;
	interrupted = 1;
}

static double cpu_seconds(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static uint64_t due_by_rate(const struct run *run)
{
	double due = (double)(run->flood->now - run->started) *
		     run->options->rate / SECOND;

	/* the first at once */
	return (uint64_t)due + run->options->burst - run->issued;
}

/* Queries to send now: whole bursts. */
static uint32_t due(const struct run *run, bool warm)
{
	const struct options *options = run->options;
	uint32_t flying = run->flood->flights.nr;
	uint64_t nr, rest;

	if (options->rate > 0)
		nr = due_by_rate(run);
	else
		nr = options->outstanding > flying
			 ? options->outstanding - flying
			 : 0;
	if (nr > TURN_MAX)
		nr = TURN_MAX;
	nr -= nr % options->burst;
	rest = options->count - run->flood->counters.sent;
	if (!warm && options->count && nr > rest)
		nr = rest;
	return (uint32_t)nr;
}

/* How long nothing has to be done but to receive. */
static uint64_t patience(struct run *run, uint64_t until)
{
	const struct flood *flood = run->flood;
	struct flight *oldest = flight_oldest(&run->flood->flights);
	uint64_t next = flood->now + WAIT_MAX;
	uint64_t expiry = oldest ? oldest->sent + flood->timeout_ns + 1 : next;

	if (expiry < next)
		next = expiry;
	if (until && until < next)
		next = until;
	return next > flood->now ? next - flood->now : 0;
}

static uint64_t next_due(const struct run *run)
{
	if (run->options->rate <= 0)
		return 0;
	return run->started +
	       (uint64_t)((double)run->issued * SECOND / run->options->rate);
}

static void show_progress(struct run *run)
{
	const struct flood_counters *counters = &run->flood->counters;
	uint64_t now = run->flood->now;

	if (!run->options->progress || now - run->shown < SECOND)
		return;
	fprintf(stderr,
		"zcflood: %.0f s: %.0f replies/s, %llu sent, %llu answered, "
		"%llu lost\n",
		(double)(now - run->flood->counted_from) / SECOND,
		(double)(counters->answered - run->shown_answered) * SECOND /
		    (double)(now - run->shown),
		(unsigned long long)counters->sent,
		(unsigned long long)counters->answered,
		(unsigned long long)counters->lost);
	run->shown = now;
	run->shown_answered = counters->answered;
}

/* Receives, for wait_ns at most, and sees to what time brings. */
static void receive(struct run *run, uint64_t wait_ns)
{
	run->transport->ops->receive(run->transport, wait_ns);
	flood_tick(run->flood);
	flood_expire(run->flood);
	show_progress(run);
}

/* One turn; until (0: none) bounds its waiting. */
static void turn(struct run *run, uint64_t until, bool warm)
{
	uint32_t nr = due(run, warm), sent = 0;
	uint64_t next = next_due(run);

	if (nr)
		sent = run->transport->ops->send(run->transport, nr);
	run->issued += sent;
	if (sent < nr) {
		receive(run, WAIT_ROOM);
		return;
	}
	next = next_due(run);
	if (!next || (until && until < next))
		next = until;
	receive(run, due(run, warm) ? 0 : patience(run, next));
}

static void turns(struct run *run, uint64_t duration_ns, bool warm)
{
	uint64_t until =
	    duration_ns ? run->flood->counted_from + duration_ns : 0;
	uint64_t count = warm ? 0 : run->options->count;

	while (!interrupted && (!until || run->flood->now < until) &&
	       (!count || run->flood->counters.sent < count))
		turn(run, until, warm);
}

static void drain(struct run *run)
{
	while (!interrupted && run->flood->flights.nr)
		receive(run, patience(run, 0));
}

void run_flood(struct run *run)
{
	struct sigaction action = {.sa_handler = interrupt};
	struct flood *flood = run->flood;
	double cpu_before;
	uint64_t end;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	/* the default of 50 us would make an open loop late */
	prctl(PR_SET_TIMERSLACK, 1ul);
	flood_count(flood);
	run->started = run->shown = flood->now;
	if (run->options->warmup_ns)
		turns(run, run->options->warmup_ns, true);
	flood_count(flood);
	run->shown = flood->now;
	run->shown_answered = 0;
	cpu_before = cpu_seconds();
	turns(run, run->options->duration_ns, false);
	/* replies to come are part of it, the wait for lost ones is not */
	end = flood_tick(flood);
	run->cpu_seconds = cpu_seconds() - cpu_before;
	drain(run);
	if (flood->last_reply > end)
		end = flood->last_reply;
	run->seconds = (double)(end - flood->counted_from) / SECOND;
}
