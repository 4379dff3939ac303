/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adaptive batch wait.
 *
 *	rest ---> round: the levels take turns, so that a load
 *	  ^         |    that changes changes them all
 *	  |         v
 *	  |       decide
 *	  '---------' longer if nothing changed; a rate twice or half as
 *		      high ends it, a silence only interrupts it
 */
#include "server/wait.h"

#include <string.h>

/* Of a period: both have to be over. */
#define PERIOD_TURNS 64
#define PERIOD_MS    8

/*
 * Rounds of so many periods a level, and a rest of so many for each of those:
 * short at first, for a load that has just begun to be served well soon. Soon
 * rare, so that under a load that stays the same the trials of long waits are
 * under a hundredth of the time: they must not be what sets the 99th percentile
 * of the latency.
 */
#define EFFORT_MIN    2
#define EFFORT_MAX    128
#define EFFORT_GROWTH 4
#define CYCLES_MAX    8
#define REST	      64
#define STRAYS	      4

/* Below, the longest wait gathers not one query in three turns. */
#define RATE_MIN 2000

/* Parts of a rate, or of the CPU time of a query, that are no noise. */
#define GAIN 16
/* The same of a rate that must have risen: it delays for it. */
#define GAIN_RATE 8
/* Queries a turn of a flood: there, CPU time is what counts. */
#define FLOOD 3
/* More than a turn can bring: the time alone ends the gathering. */
#define GATHER_NR 1024

static const unsigned levels_us[WAIT_LEVEL_NR] = {0, 20, 50, 100, 200};

static unsigned level_of(const struct wait *wait)
{
	if (!wait->is_loaded)
		return 0;
	return wait->rest ? wait->level : wait->trial;
}

struct wait_choice wait_choose(const struct wait *wait)
{
	unsigned us = 0;

	if (wait->policy.mode == WAIT_BUSY)
		return (struct wait_choice){0, 0};
	if (wait->policy.mode == WAIT_FIXED)
		us = wait->policy.us;
	else if (wait->policy.mode == WAIT_AUTO)
		us = levels_us[level_of(wait)];
	return (struct wait_choice){us ? GATHER_NR : 1, us};
}

static uint64_t rate_of(const struct wait_sample *sum)
{
	return sum->queries * 1000000000 / (sum->wall_ns | 1);
}

static uint64_t query_ns(const struct wait_sample *sum)
{
	return sum->cpu_ns / (sum->queries | !sum->queries);
}

/*
 * Clients that wait for replies before they go on asking tell by their rate:
 * who asks less is kept waiting too long; who asks more, gets replies sooner on
 * the whole. So does a socket that overflows.
 */
static bool does_delay_pay(const struct wait *wait, uint64_t fastest)
{
	const struct wait_sample *none = &wait->sum[0];

	return rate_of(none) < fastest - fastest / GAIN_RATE ||
	       none->queries >= FLOOD * none->turns;
}

/* The level that saves most CPU time without lowering the rate. */
static unsigned choose(const struct wait *wait)
{
	const struct wait_sample *sum = wait->sum;
	uint64_t fastest = 0;
	unsigned best = 0;

	for (unsigned i = 0; i < wait->limit; i++)
		if (rate_of(&sum[i]) > fastest)
			fastest = rate_of(&sum[i]);
	if (!does_delay_pay(wait, fastest))
		return 0;
	for (unsigned i = 1; i < wait->limit; i++) {
		uint64_t before = query_ns(&sum[best]);

		if (rate_of(&sum[i]) >= fastest - fastest / GAIN &&
		    query_ns(&sum[i]) < before - before / GAIN)
			best = i;
	}
	return best;
}

static void start_round(struct wait *wait)
{
	wait->rest = wait->trial = wait->cycle = 0;
	wait->limit = WAIT_LEVEL_NR;
	memset(wait->sum, 0, sizeof(wait->sum));
}

/* Nothing is known of this load yet. */
static void start_over(struct wait *wait)
{
	wait->effort = EFFORT_MIN;
	start_round(wait);
}

static void end_round(struct wait *wait)
{
	unsigned best = choose(wait);

	/* not less when it did: two levels may be as good as each other */
	if (best == wait->level && wait->effort < EFFORT_MAX)
		wait->effort *= EFFORT_GROWTH;
	wait->level = best;
	wait->rest = wait->effort * REST;
	wait->strays = 0;
	wait->rate = 0;
}

/*
 * A wait that makes the clients ask much less: so would one that is longer
 * still. The rest of the round does without, for this is what trials could cost
 * most. One period alone has to be plainer.
 */
static bool is_hopeless(const struct wait *wait)
{
	uint64_t rate = rate_of(&wait->sum[0]);

	return wait->trial && rate_of(&wait->sum[wait->trial]) <
				  rate - rate / (wait->cycle ? 8 : 4);
}

static void go_on_trying(struct wait *wait, const struct wait_sample *period)
{
	struct wait_sample *sum = &wait->sum[wait->trial];
	unsigned cycles = wait->effort < CYCLES_MAX ? wait->effort : CYCLES_MAX;

	sum->queries += period->queries;
	sum->turns += period->turns;
	sum->wall_ns += period->wall_ns;
	sum->cpu_ns += period->cpu_ns;
	if (is_hopeless(wait))
		wait->limit = wait->trial;
	if (++wait->trial >= wait->limit) {
		wait->trial = 0;
		wait->cycle++;
	}
	if (wait->cycle >= cycles || wait->limit == 1)
		end_round(wait);
}

/* Quite another load: what was found out before says nothing about it. */
static bool has_strayed(struct wait *wait, uint64_t rate)
{
	if (!wait->rate)
		wait->rate = rate;
	if (rate > wait->rate / 2 && rate < wait->rate * 2)
		wait->strays = 0;
	else
		wait->strays++;
	return wait->strays >= STRAYS;
}

static void go_on_resting(struct wait *wait, uint64_t rate)
{
	if (has_strayed(wait, rate))
		start_over(wait);
	else if (!--wait->rest)
		start_round(wait);
}

/*
 * The period was in part silent, so it says nothing. What was found out before
 * the silence still holds, or else the rate will tell; a round that it
 * interrupted does not.
 */
static void take_up(struct wait *wait)
{
	wait->is_loaded = true;
	wait->strays = 0;
	if (!wait->rest)
		start_over(wait);
}

bool wait_count(struct wait *wait, uint64_t queries, uint64_t now_ms)
{
	if (wait->policy.mode != WAIT_AUTO)
		return false;
	wait->now.queries = queries;
	wait->now.turns++;
	if (wait->now.turns - wait->last.turns < PERIOD_TURNS ||
	    now_ms - wait->last_ms < PERIOD_MS)
		return false;
	wait->last_ms = now_ms;
	return true;
}

void wait_judge(struct wait *wait, uint64_t wall_ns, uint64_t cpu_ns)
{
	struct wait_sample period = {
	    .queries = wait->now.queries - wait->last.queries,
	    .turns = wait->now.turns - wait->last.turns,
	    .wall_ns = wall_ns - wait->last.wall_ns,
	    .cpu_ns = cpu_ns - wait->last.cpu_ns,
	};

	wait->now.wall_ns = wall_ns;
	wait->now.cpu_ns = cpu_ns;
	wait->last = wait->now;
	if (rate_of(&period) < RATE_MIN)
		wait->is_loaded = false;
	else if (!wait->is_loaded)
		take_up(wait);
	else if (wait->rest)
		go_on_resting(wait, rate_of(&period));
	else
		go_on_trying(wait, &period);
}
