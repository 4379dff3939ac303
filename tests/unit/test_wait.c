/* SPDX-License-Identifier: BSD-2-Clause */
#include "server/wait.h"

#include "unit.h"

/* Turns of a load whose replies per bundle depend on the minimum wait. */
static unsigned run(struct wait *wait, unsigned turns, unsigned replies,
		    const unsigned bundles[3])
{
	unsigned gathered = 0;

	for (unsigned i = 0; i < turns; i++) {
		struct ring_wait choice = {0, 0, -1};
		unsigned level;

		wait_choose(wait, &choice);
		level =
		    choice.min_wait_us == 0 ? 0 : choice.min_wait_us / 25 + 1;
		ck_assert_uint_le(level, 3);
		level = level == 3 ? 2 : level;
		ck_assert_uint_eq(choice.nr, level == 0	  ? 1
					     : level == 1 ? 32
							  : 128);
		gathered += level > 0;
		wait_learn(wait, replies, bundles[level]);
	}
	return gathered;
}

/* Gathering fills bundles: nearly all turns gather. */
START_TEST(kept_while_it_pays)
{
	static const unsigned bundles[] = {64, 32, 8};
	struct wait wait = {0};

	ck_assert_uint_gt(run(&wait, 100000, 64, bundles), 90000);
}
END_TEST

/* It does not: a trial now and then, no more. */
START_TEST(left_alone_where_it_does_not)
{
	static const unsigned bundles[] = {64, 64, 64};
	struct wait wait = {0};
	unsigned gathered = run(&wait, 100000, 64, bundles);

	ck_assert_uint_gt(gathered, 0);
	ck_assert_uint_lt(gathered, 5000);
}
END_TEST

/* It paid once and no longer does. */
START_TEST(given_up_when_the_load_changes)
{
	static const unsigned before[] = {64, 32, 8}, after[] = {64, 64, 64};
	struct wait wait = {0};

	run(&wait, 100000, 64, before);
	run(&wait, 20000, 64, after);
	ck_assert_uint_lt(run(&wait, 100000, 64, after), 5000);
}
END_TEST

/* At low load a query is answered at once, from the very next turn on. */
START_TEST(never_at_low_load)
{
	static const unsigned busy[] = {64, 32, 8}, idle[] = {1, 1, 1};
	struct wait wait = {0};

	run(&wait, 100000, 64, busy);
	wait_learn(&wait, 0, 0);
	ck_assert_uint_eq(run(&wait, 10000, 1, idle), 0);
}
END_TEST

/* A policy that is no question of load. */
START_TEST(fixed_policies)
{
	static const unsigned bundles[] = {64, 32, 8};
	static const struct {
		struct wait_policy policy;
		unsigned nr_min, us;
	} policies[] = {
	    {{WAIT_NONE, 0}, 1, 0},
	    {{WAIT_FIXED, 35}, 128, 35},
	    {{WAIT_BUSY, 0}, 0, 0},
	};

	for (unsigned i = 0; i < 3; i++) {
		struct wait wait = {.policy = policies[i].policy};
		struct ring_wait choice = {1, 7, -1};

		for (unsigned k = 0; k < 10000; k++) {
			wait_choose(&wait, &choice);
			ck_assert_uint_ge(choice.nr, policies[i].nr_min);
			ck_assert_uint_eq(!choice.nr, !policies[i].nr_min);
			ck_assert_uint_eq(choice.min_wait_us, policies[i].us);
			wait_learn(&wait, 64, bundles[k % 3]);
		}
	}
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("wait");

	tcase_add_test(tcase, kept_while_it_pays);
	tcase_add_test(tcase, left_alone_where_it_does_not);
	tcase_add_test(tcase, given_up_when_the_load_changes);
	tcase_add_test(tcase, fixed_policies);
	tcase_add_test(tcase, never_at_low_load);
	return unit_run("wait", tcase);
}
