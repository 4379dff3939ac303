/* SPDX-License-Identifier: BSD-2-Clause */
/* What an operator hears of counters: what changed, once a look. */
#include "server/watch.h"
#include "server/log.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

START_TEST(a_line_for_each_kind_that_changed)
{
	char path[] = "/tmp/zcdns-watch-XXXXXX", text[2048];
	struct log_options options = {.level = LOG_LEVEL_INFO,
				      .target = LOG_TARGET_FILE,
				      .stamp = LOG_STAMP_OFF,
				      .path = path};
	struct worker_counters now = {.udp_replies = 7, .enobufs = 7};
	struct watch watch = {0};
	FILE *file;

	close(mkstemp(path));
	ck_assert_int_eq(log_open(&options), 0);
	watch_look(&watch, &now);
	now.tcp_closed_limit = 50;
	watch_look(&watch, &now);
	watch_look(&watch, &now);
	now.tcp_closed_limit = 53;
	now.tcp_accept_errors = 2;
	now.gso_retreats = 1;
	watch_look(&watch, &now);
	file = fopen(path, "r");
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	unlink(path);
	ck_assert_str_eq(
	    text,
	    "warning: TCP: tcp-clients reached, 50 idle connections closed for "
	    "new ones\n"
	    "warning: UDP: the kernel refused to segment replies (GSO) on 1 "
	    "more socket(s), they go out one by one there\n"
	    "warning: TCP: accepting failed 2 times: out of descriptors or "
	    "memory (see LimitNOFILE=)\n"
	    "warning: TCP: tcp-clients reached, 3 idle connections closed for "
	    "new ones\n");
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("watch");

	tcase_add_test(tcase, a_line_for_each_kind_that_changed);
	return unit_run("server/watch", tcase);
}
