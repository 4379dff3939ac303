/* SPDX-License-Identifier: BSD-2-Clause */
/* Which requests for a reload become one, and which do not. */
#include "server/reload.h"
#include "unit.h"

#include <string.h>

static struct daemon daemon_state;

static void setup(void)
{
	memset(&daemon_state, 0, sizeof(daemon_state));
}

START_TEST(waiting_for_everything_is_one)
{
	unsigned first = reload_ask(&daemon_state, "");

	ck_assert_uint_ne(first, 0);
	ck_assert_uint_eq(reload_ask(&daemon_state, ""), first);
	ck_assert_uint_eq(daemon_state.queue_nr, 1);
}
END_TEST

/* What has begun may have passed the file that was changed since. */
START_TEST(under_way_is_another)
{
	unsigned first = reload_ask(&daemon_state, ""), second;

	daemon_state.loading = daemon_state.serving = true;
	second = reload_ask(&daemon_state, "");
	ck_assert_uint_ne(second, first);
	ck_assert_uint_eq(reload_ask(&daemon_state, ""), second);
	ck_assert_uint_eq(daemon_state.queue_nr, 2);
}
END_TEST

/* The first round of loading, at start, stands in no queue. */
START_TEST(asked_during_start)
{
	unsigned first;

	daemon_state.loading = true;
	first = reload_ask(&daemon_state, "");
	ck_assert_uint_eq(reload_ask(&daemon_state, ""), first);
	reload_go_on(&daemon_state);
	ck_assert_uint_eq(daemon_state.queue_nr, 1);
}
END_TEST

/* Every client asks for a zone, with a signal behind each. */
START_TEST(longest_queue)
{
	unsigned last = 0;

	reload_ask(&daemon_state, "");
	daemon_state.loading = daemon_state.serving = true;
	reload_ask(&daemon_state, "");
	for (unsigned i = 0; i < CONTROL_CLIENT_MAX; i++) {
		unsigned zone = reload_ask(&daemon_state, "a.example");

		ck_assert_uint_gt(zone, last);
		last = reload_ask(&daemon_state, "");
		ck_assert_uint_gt(last, zone);
	}
	ck_assert_uint_eq(daemon_state.queue_nr, RELOAD_QUEUE_MAX);
	ck_assert_str_eq(daemon_state.queue[2].zone, "a.example");
	ck_assert_str_eq(daemon_state.queue[3].zone, "");
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("reload");

	tcase_add_checked_fixture(tcase, setup, NULL);
	tcase_add_test(tcase, waiting_for_everything_is_one);
	tcase_add_test(tcase, under_way_is_another);
	tcase_add_test(tcase, asked_during_start);
	tcase_add_test(tcase, longest_queue);
	return unit_run("server/reload", tcase);
}
