/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The adaptive wait against models of a load. Costs are near those measured on
 * a small virtual machine: a wake-up 25 us, a query 2.5 us of CPU time.
 */
#include "server/wait.h"

#include "unit.h"

#define WAKE_NS	  25000
#define QUERY_NS  2500
#define CLIENT_NS 3000 /* to take a reply and ask again */
#define TURN_MAX  1024

struct load {
	uint64_t rate;	  /* open loop: queries a second, evenly */
	unsigned clients; /* closed loop: each waits for its reply */
	uint64_t wake_ns, query_ns;
	unsigned steps; /* closed loop: queries a turn that does not gather */
};

static struct wait wait;
static uint64_t queries, wall_ns, cpu_ns;
static uint64_t origin_ns, origin; /* time and queries when a load began */
static uint64_t gathered_ns;	   /* wall time in turns that gathered */

static void reset(void)
{
	wait = (struct wait){0};
	queries = wall_ns = cpu_ns = origin = origin_ns = 0;
}

/*
 * Open loop: takes what has come when the gathering is over, or waits for the
 * first. Returns when its work begins.
 */
static uint64_t gather_open(const struct load *load, uint64_t wait_ns,
			    unsigned *nr)
{
	uint64_t begin = wall_ns + wait_ns, first, come;

	first =
	    origin_ns + (queries - origin + 1) * 1000000000 / load->rate + 1;
	if (begin < first)
		begin = first;
	come =
	    (begin - origin_ns) * load->rate / 1000000000 - (queries - origin);
	*nr = come > TURN_MAX ? TURN_MAX : (unsigned)come;
	return begin;
}

/*
 * Closed loop: half of the clients ask while the others get their replies, so
 * both sides work at once; who gathers gets all, and they take turns. Or few
 * ask, whom the last few replies woke: then gathering lets more of them ask.
 */
static uint64_t gather_closed(const struct load *load, uint64_t wait_ns,
			      unsigned *nr)
{
	uint64_t ask_ns;

	*nr = load->steps ? load->steps : (load->clients + 1) / 2;
	if (wait_ns)
		*nr = load->clients;
	ask_ns = wait_ns || load->clients == 1 ? *nr * CLIENT_NS : 0;
	return wall_ns + (ask_ns > wait_ns ? ask_ns : wait_ns);
}

static void turn(const struct load *load)
{
	struct wait_choice choice = wait_choose(&wait);
	uint64_t begin = wall_ns, used_ns;
	unsigned nr;

	if (load->clients)
		wall_ns = gather_closed(load, choice.us * 1000, &nr);
	else
		wall_ns = gather_open(load, choice.us * 1000, &nr);
	used_ns = load->wake_ns + nr * load->query_ns;
	wall_ns += used_ns;
	cpu_ns += used_ns;
	queries += nr;
	if (choice.us)
		gathered_ns += wall_ns - begin;
	if (wait_count(&wait, queries, wall_ns / 1000000))
		wait_judge(&wait, wall_ns, cpu_ns);
}

static void run(const struct load *load, unsigned milliseconds)
{
	static const struct load *last;
	uint64_t end = wall_ns + milliseconds * 1000000ull;

	if (load != last) {
		origin_ns = wall_ns;
		origin = queries;
		last = load;
	}

	while (wall_ns < end)
		turn(load);
}

/* Share of the time in turns that gathered, in percent. */
static unsigned share(const struct load *load, unsigned milliseconds)
{
	uint64_t begin = wall_ns;

	gathered_ns = 0;
	run(load, milliseconds);
	return (unsigned)(gathered_ns * 100 / (wall_ns - begin));
}

static const struct load moderate = {20000, 0, WAKE_NS, QUERY_NS, 0};
static const struct load low = {1000, 0, WAKE_NS, QUERY_NS, 0};
static const struct load flood = {1500000, 0, 15000, 250, 0};
static const struct load one = {0, 1, WAKE_NS, QUERY_NS, 0};
static const struct load ten = {0, 10, 2000, QUERY_NS, 0};
static const struct load in_steps = {0, 100, 12000, 1000, 2};

/* Half of the CPU time could be saved, but nobody asked for a delay. */
START_TEST(moderate_load_is_not_delayed)
{
	reset();
	run(&moderate, 5000);
	ck_assert_uint_eq(wait.level, 0);
	ck_assert_uint_lt(share(&moderate, 20000), 5);
}
END_TEST

/* Not even tried. */
START_TEST(low_load_does_not)
{
	reset();
	ck_assert_uint_eq(share(&low, 10000), 0);
}
END_TEST

/* Under a load that goes on, trials are too few to be its 99th percentile. */
START_TEST(trials_become_rare)
{
	reset();
	run(&moderate, 30000);
	ck_assert_uint_lt(share(&moderate, 200000), 1);
}
END_TEST

/* What was found out holds when the load comes back, within half a second. */
START_TEST(silence_interrupts)
{
	reset();
	run(&in_steps, 10000);
	run(&low, 1000);
	ck_assert_uint_eq(share(&low, 60000), 0);
	run(&in_steps, 20);
	ck_assert_uint_gt(share(&in_steps, 480), 95);
}
END_TEST

/*
 * Clients that wait for each reply lose what is gained, and more; trials cost
 * them next to nothing.
 */
START_TEST(closed_loop_is_left_alone)
{
	const struct load *load = _i ? &ten : &one;
	uint64_t before, alone;

	reset();
	wait.policy.mode = WAIT_NONE;
	run(load, 5000);
	alone = queries;
	reset();
	run(load, 1000);
	before = queries;
	ck_assert_uint_lt(share(load, 5000), 5);
	ck_assert_uint_ge((queries - before) * 100, alone * 97);
}
END_TEST

/* More are asked although each waits longer, for a reply wakes many clients. */
START_TEST(closed_loop_that_gains_gathers)
{
	uint64_t before;

	reset();
	wait.policy.mode = WAIT_NONE;
	run(&in_steps, 5000);
	before = queries;
	reset();
	run(&in_steps, 1000);
	ck_assert_uint_gt(share(&in_steps, 5000), 90);
	ck_assert_uint_gt(queries, before * 3 / 2);
}
END_TEST

/* It paid and no longer does: given up within a tenth of a second. */
START_TEST(given_up_when_the_load_changes)
{
	reset();
	run(&in_steps, 5000);
	run(&one, 100);
	ck_assert_uint_lt(share(&one, 2000), 5);
	/* nearly as many queries: found out by the next round */
	run(&in_steps, 5000);
	ck_assert_uint_gt(share(&in_steps, 5000), 75);
	run(&low, 100);
	ck_assert_uint_eq(share(&low, 1000), 0);
}
END_TEST

/* In a flood CPU time counts, and a delay does not. */
START_TEST(flood_gathers)
{
	reset();
	run(&flood, 1000);
	ck_assert_uint_gt(share(&flood, 5000), 75);
}
END_TEST

/* A policy that is no question of load. */
START_TEST(fixed_policies)
{
	static const struct {
		struct wait_policy policy;
		unsigned nr_min, us;
	} policies[] = {
	    {{WAIT_NONE, 0}, 1, 0},
	    {{WAIT_FIXED, 35}, TURN_MAX, 35},
	    {{WAIT_BUSY, 0}, 0, 0},
	};

	for (unsigned i = 0; i < 3; i++) {
		wait = (struct wait){.policy = policies[i].policy};
		for (unsigned k = 0; k < 10000; k++) {
			struct wait_choice choice = wait_choose(&wait);

			ck_assert_uint_ge(choice.nr, policies[i].nr_min);
			ck_assert_uint_eq(!choice.nr, !policies[i].nr_min);
			ck_assert_uint_eq(choice.us, policies[i].us);
			ck_assert(!wait_count(&wait, k, k));
		}
	}
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("wait");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, moderate_load_is_not_delayed);
	tcase_add_test(tcase, low_load_does_not);
	tcase_add_test(tcase, trials_become_rare);
	tcase_add_test(tcase, silence_interrupts);
	tcase_add_loop_test(tcase, closed_loop_is_left_alone, 0, 2);
	tcase_add_test(tcase, closed_loop_that_gains_gathers);
	tcase_add_test(tcase, given_up_when_the_load_changes);
	tcase_add_test(tcase, flood_gathers);
	tcase_add_test(tcase, fixed_policies);
	return unit_run("wait", tcase);
}
