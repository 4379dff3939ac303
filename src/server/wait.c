/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adaptive batch wait.
 *
 *	rest ---> round: each other level on trial ---> rest, longer if
 *	  ^         |                                   nothing was better
 *	  |         '-- periods of level and candidate alternate, so that
 *	  |             a load that changes changes both
 *	  '---- a rate twice or half as high ends the rest
 */
#include "server/wait.h"

#define PERIOD	 64 /* turns */
#define TRIAL	 16 /* periods, half of them with the candidate */
#define REST_MIN 128
#define REST_MAX 1024
#define STRAYS	 4

/* Below, the longest wait gathers not one query in five turns. */
#define RATE_MIN 2000

/* Of the CPU time of a query: less is noise. */
#define GAIN 16
/* Delay in exchange for CPU time saved, both of one query: to begin with a
   longer wait, and to stay with it. */
#define EXCHANGE      12
#define EXCHANGE_STAY 15
/* Queries a turn of a flood: there, CPU time is what counts. */
#define FLOOD 16
/* Periods after which a candidate that is far behind has lost. */
#define EARLY 4
/* More than a turn can bring: the time alone ends the gathering. */
#define FIXED_NR 1024

static const struct wait_choice levels[] = {
    {1, 0}, {32, 20}, {128, 50}, {128, 100}};

#define LEVEL_NR (sizeof(levels) / sizeof(levels[0]))

static bool is_trial(const struct wait *wait)
{
	return wait->candidate != wait->level;
}

static unsigned level_now(const struct wait *wait)
{
	return wait->step % 2 ? wait->candidate : wait->level;
}

struct wait_choice wait_choose(const struct wait *wait)
{
	switch (wait->policy.mode) {
	case WAIT_FIXED:
		return (struct wait_choice){FIXED_NR, wait->policy.us};
	case WAIT_BUSY:
		return (struct wait_choice){0, 0};
	case WAIT_NONE:
		return levels[0];
	case WAIT_AUTO:
		break;
	}
	return levels[level_now(wait)];
}

static uint64_t rate_of(const struct wait_sample *sum)
{
	return sum->queries * 1000000000 / (sum->wall_ns | 1);
}

static uint64_t query_ns(const struct wait_sample *sum)
{
	return sum->cpu_ns / (sum->queries | !sum->queries);
}

static uint64_t turn_ns(const struct wait_sample *sum)
{
	return sum->cpu_ns / (sum->turns | !sum->turns);
}

/*
 * Is it worth to wait so much longer? A query then waits half of that more, and
 * for the answers to all that came with it. Clients that wait for replies
 * before they go on asking show by a lower rate that it is not.
 */
static bool pays(const struct wait_sample *low, const struct wait_sample *high,
		 uint64_t longer_ns, unsigned exchange)
{
	uint64_t before = query_ns(low), after = query_ns(high);
	uint64_t saved = before > after ? before - after : 0;
	uint64_t delay = longer_ns / 2;

	if (turn_ns(high) > turn_ns(low))
		delay += turn_ns(high) - turn_ns(low);
	if (saved <= before / GAIN || rate_of(high) < rate_of(low) / 16 * 15)
		return false;
	return saved * exchange >= delay || low->queries >= FLOOD * low->turns;
}

static void decide(struct wait *wait)
{
	bool up = wait->candidate > wait->level;
	unsigned low = up ? wait->level : wait->candidate;
	unsigned high = up ? wait->candidate : wait->level;
	uint64_t longer_ns = (levels[high].us - levels[low].us) * 1000;
	bool longer = pays(&wait->sum[!up], &wait->sum[up], longer_ns,
			   up ? EXCHANGE : EXCHANGE_STAY);

	if (longer == up) {
		wait->level = wait->candidate;
		wait->changed = true;
	}
}

/* The next level on trial, or the end of the round. */
static void try_next(struct wait *wait, unsigned candidate)
{
	wait->step = 0;
	wait->sum[0] = wait->sum[1] = (struct wait_sample){0};
	candidate += candidate == wait->level;
	if (candidate < LEVEL_NR) {
		wait->candidate = candidate;
		return;
	}
	wait->candidate = wait->level;
	if (wait->changed || wait->rest_next < REST_MIN)
		wait->rest_next = REST_MIN;
	else if (wait->rest_next < REST_MAX)
		wait->rest_next *= 2;
	wait->rest = wait->rest_next;
	wait->strays = 0;
	wait->rate = 0;
}

/*
 * A longer wait that makes the clients ask less: so would one that is longer
 * still. It ends the round at once, for this is what trials could cost most.
 */
static bool is_hopeless(const struct wait *wait)
{
	return wait->step == EARLY && wait->candidate > wait->level &&
	       rate_of(&wait->sum[1]) < rate_of(&wait->sum[0]) / 8 * 7;
}

static void start_round(struct wait *wait)
{
	wait->changed = false;
	try_next(wait, 0);
}

static void go_on_trying(struct wait *wait, const struct wait_sample *period)
{
	struct wait_sample *sum = &wait->sum[wait->step % 2];
	unsigned candidate = wait->candidate;

	sum->queries += period->queries;
	sum->turns += period->turns;
	sum->wall_ns += period->wall_ns;
	sum->cpu_ns += period->cpu_ns;
	wait->step++;
	if (is_hopeless(wait))
		candidate = LEVEL_NR;
	else if (wait->step < TRIAL)
		return;
	else
		decide(wait);
	try_next(wait, candidate + 1);
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
	if (has_strayed(wait, rate)) {
		wait->rest_next = REST_MIN;
		wait->rest = 0;
	}
	if (!wait->rest || !--wait->rest)
		start_round(wait);
}

/* Nothing to gather. */
static void give_up(struct wait *wait)
{
	wait->level = wait->candidate = wait->step = 0;
	wait->rest = 0;
	wait->rest_next = REST_MIN;
	wait->strays = 0;
	wait->rate = 0;
}

bool wait_count(struct wait *wait, uint64_t queries)
{
	if (wait->policy.mode != WAIT_AUTO)
		return false;
	wait->now.queries = queries;
	wait->now.turns++;
	return wait->now.turns - wait->last.turns >= PERIOD;
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
		give_up(wait);
	else if (is_trial(wait))
		go_on_trying(wait, &period);
	else
		go_on_resting(wait, rate_of(&period));
}
