/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adaptive minimum-batch wait. A period of turns is measured at one level, the
 * next at the level above; the higher one stays if it gained enough.
 */
#include "server/wait.h"

#define PERIOD 128 /* turns */
#define REST   64  /* periods until the next trial */
#define ONE    256
/* Replies a turn below which there is nothing to gather. */
#define LOAD_MIN 4

static const struct {
	unsigned nr, us;
} levels[] = {{1, 0}, {32, 20}, {128, 50}};

#define LEVEL_MAX (sizeof(levels) / sizeof(levels[0]) - 1)

/* More than a turn can bring: the time alone ends the gathering. */
#define FIXED_NR 1024

static void choose_level(const struct wait *wait, struct ring_wait *ring_wait)
{
	/*
	 * After a small turn the next query goes at once. It also ends the
	 * gathering when all fall silent: without a completion the kernel
	 * returns each time the minimum wait is over.
	 */
	unsigned level = wait->last < LOAD_MIN ? 0 : wait->level;

	ring_wait->nr = levels[level].nr;
	ring_wait->min_wait_us = levels[level].us;
}

void wait_choose(const struct wait *wait, struct ring_wait *ring_wait)
{
	ring_wait->min_wait_us = 0;
	switch (wait->policy.mode) {
	case WAIT_AUTO:
		choose_level(wait, ring_wait);
		break;
	case WAIT_NONE:
		ring_wait->nr = 1;
		break;
	case WAIT_FIXED:
		ring_wait->nr = FIXED_NR;
		ring_wait->min_wait_us = wait->policy.us;
		break;
	case WAIT_BUSY:
		ring_wait->nr = 0;
		break;
	}
}

/* A sixteenth more replies a bundle is worth the delay. */
static bool is_gain(uint32_t before, uint32_t now)
{
	return now > before + before / 16;
}

static void try_above(struct wait *wait, uint32_t now)
{
	wait->before = now;
	wait->level++;
	wait->trying = true;
}

static void decide(struct wait *wait, uint32_t now)
{
	if (wait->trying) {
		bool gain = is_gain(wait->before, now);

		wait->trying = gain && wait->level < LEVEL_MAX;
		if (wait->trying) {
			try_above(wait, now);
			return;
		}
		if (!gain)
			wait->level--;
		wait->rest = REST;
	} else if (!wait->rest) {
		try_above(wait, now);
	} else if (!--wait->rest) {
		/* what paid then need not pay now: from the bottom again */
		wait->level = 0;
	}
}

void wait_learn(struct wait *wait, unsigned replies, unsigned bundles)
{
	if (wait->policy.mode != WAIT_AUTO)
		return;
	wait->last = replies;
	wait->replies += replies;
	wait->bundles += bundles;
	if (++wait->turns < PERIOD)
		return;
	if (wait->replies < (uint64_t)LOAD_MIN * PERIOD) {
		wait->level = 0;
		wait->trying = false;
		wait->rest = 0;
	} else {
		decide(wait, (uint32_t)(wait->replies * ONE / wait->bundles));
	}
	wait->turns = 0;
	wait->replies = wait->bundles = 0;
}
