/* SPDX-License-Identifier: BSD-2-Clause */
/* What is written where: levels, stamps, a rotated file, a file gone bad. */
#include "server/log.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[32];
static struct log_options options;

static void setup(void)
{
	strcpy(folder, "/tmp/zcdns-log-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
	options = (struct log_options){.level = LOG_LEVEL_INFO,
				       .target = LOG_TARGET_FILE,
				       .stamp = LOG_STAMP_OFF,
				       .path = (char *)"log"};
}

static void teardown(void)
{
	char command[64];

	ck_assert_int_eq(chdir("/"), 0);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	ck_assert_int_eq(system(command), 0);
}

static void expect(const char *path, const char *text)
{
	char buf[8192] = "";
	FILE *file = fopen(path, "r");

	ck_assert_ptr_nonnull(file);
	buf[fread(buf, 1, sizeof(buf) - 1, file)] = '\0';
	fclose(file);
	ck_assert_str_eq(buf, text);
}

START_TEST(levels)
{
	ck_assert_int_eq(log_open(&options), 0);
	log_debug("not this");
	log_info("one %d", 1);
	log_warning("two");
	log_error("three");
	expect("log", "info: one 1\nwarning: two\nerror: three\n");
	options.level = LOG_LEVEL_ERROR;
	ck_assert_int_eq(log_open(&options), 0);
	ck_assert(!log_wants(LOG_LEVEL_WARNING));
	log_warning("nor this");
	log_error("four");
	expect("log", "info: one 1\nwarning: two\nerror: three\n"
		      "error: four\n");
}
END_TEST

START_TEST(stamp)
{
	char line[128];
	int year, month, day, hour, minute, second, ms, zone;
	FILE *file;

	options.stamp = LOG_STAMP_AUTO;
	ck_assert_int_eq(log_open(&options), 0);
	log_info("x");
	file = fopen("log", "r");
	ck_assert_ptr_nonnull(file);
	ck_assert_ptr_nonnull(fgets(line, sizeof(line), file));
	fclose(file);
	ck_assert_int_eq(sscanf(line, "%4d-%2d-%2dT%2d:%2d:%2d.%3d%5d info: x",
				&year, &month, &day, &hour, &minute, &second,
				&ms, &zone),
			 8);
}
END_TEST

START_TEST(rotated)
{
	ck_assert_int_eq(log_open(&options), 0);
	log_info("old");
	ck_assert_int_eq(rename("log", "log.1"), 0);
	log_info("still old");
	ck_assert_int_eq(log_open(&options), 0);
	log_info("new");
	expect("log.1", "info: old\ninfo: still old\n");
	expect("log", "info: new\n");
}
END_TEST

/* B-OP03: a log that cannot be opened again is written on. */
START_TEST(B_OP03_not_opened_again)
{
	ck_assert_int_eq(log_open(&options), 0);
	ck_assert_int_eq(rename("log", "log.1"), 0);
	ck_assert_int_eq(mkdir("log", 0755), 0);
	ck_assert_int_eq(log_open(&options), -EISDIR);
	log_info("kept");
	expect("log.1", "info: kept\n");
}
END_TEST

START_TEST(fifo_that_nobody_reads)
{
	ck_assert_int_eq(mkfifo("log", 0600), 0);
	ck_assert_int_eq(log_open(&options), -ENXIO);
}
END_TEST

START_TEST(long_lines_are_cut)
{
	char text[6000];
	struct stat st;

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	ck_assert_int_eq(log_open(&options), 0);
	log_info("%s", text);
	ck_assert_int_eq(stat("log", &st), 0);
	ck_assert_int_eq((int)st.st_size, 4095);
}
END_TEST

/* With the log in a file a start that failed said nothing on the terminal. */
START_TEST(errors_of_the_start_are_on_stderr)
{
	int fd = open("stderr", O_WRONLY | O_CREAT | O_APPEND, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(dup2(fd, STDERR_FILENO), STDERR_FILENO);
	close(fd);
	ck_assert_int_eq(log_open(&options), 0);
	log_warning("one");
	log_error("two");
	log_started();
	log_error("three");
	expect("stderr", "zcdns: two\n");
	expect("log", "warning: one\nerror: two\nerror: three\n");
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("log");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, levels);
	tcase_add_test(tcase, stamp);
	tcase_add_test(tcase, rotated);
	tcase_add_test(tcase, B_OP03_not_opened_again);
	tcase_add_test(tcase, fifo_that_nobody_reads);
	tcase_add_test(tcase, long_lines_are_cut);
	tcase_add_test(tcase, errors_of_the_start_are_on_stderr);
	return unit_run("server/log", tcase);
}
