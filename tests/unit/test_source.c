/* SPDX-License-Identifier: BSD-2-Clause */
/* The files of a zone: what can be read, and when they are stale. */
#include <config.h>

#include "loading.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <utime.h>

#define A " 60 A 192.0.2.1\n"

static void check_refused(const char *path, int rc, const char *want)
{
	struct zone_load_result result;

	ck_assert_int_eq(load(&result, path), rc);
	ck_assert_str_eq(messages, want);
	zone_load_release(&result);
}

/* A FIFO without a writer would hang whoever opens it carelessly. */
START_TEST(no_regular_file)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX,
				      .sun_path = "socket"};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	ck_assert_int_eq(mkdir("dir", 0700), 0);
	ck_assert_int_eq(mkfifo("fifo", 0600), 0);
	ck_assert_int_eq(bind(fd, (void *)&address, sizeof(address)), 0);
	check_refused("dir", -EISDIR, "E dir: z.test: is a directory\n");
	check_refused("fifo", -EOPNOTSUPP,
		      "E fifo: z.test: is not a regular file\n");
	check_refused("/dev/null", -EOPNOTSUPP,
		      "E /dev/null: z.test: is not a regular file\n");
	check_refused("socket", -ENXIO,
		      "E socket: z.test: No such device or address\n");
	check_refused("none", -ENOENT,
		      "E none: z.test: No such file or directory\n");
	check_refused("", -ENOENT, "E : z.test: No such file or directory\n");
	close(fd);
}
END_TEST

START_TEST(stale_when_a_file_changes)
{
	struct zone_load_result result;

	put_file("part.inc", "b" A);
	put_file("z.zone", "a" A "$INCLUDE part.inc\n");
	ck_assert_int_eq(load(&result, "z.zone"), 0);
	ck_assert_uint_eq(result.source_nr, 2);
	ck_assert_str_eq(result.source[0].path, "z.zone");
	ck_assert_uint_eq(result.source[1].size, strlen("b" A));
	ck_assert(!zone_load_is_stale(&result));
	put_file("part.inc", "bb" A);
	ck_assert(zone_load_is_stale(&result));
	zone_load_release(&result);

	ck_assert_int_eq(load(&result, "z.zone"), 0);
	ck_assert(!zone_load_is_stale(&result));
	ck_assert_int_eq(unlink("part.inc"), 0);
	ck_assert(zone_load_is_stale(&result));
	zone_load_release(&result);
}
END_TEST

/* Same size and time: what an editor that renames may leave. */
START_TEST(stale_when_a_file_is_replaced)
{
	struct zone_load_result result;
	struct utimbuf then = {.actime = 1000, .modtime = 1000};

	put_file("z.zone", "a" A);
	put_file("other", "b" A);
	ck_assert_int_eq(utime("z.zone", &then), 0);
	ck_assert_int_eq(utime("other", &then), 0);
	ck_assert_int_eq(load(&result, "z.zone"), 0);
	ck_assert(!zone_load_is_stale(&result));
	ck_assert_int_eq(rename("other", "z.zone"), 0);
	ck_assert(zone_load_is_stale(&result));
	zone_load_release(&result);

	ck_assert_int_eq(load(&result, "z.zone"), 0);
	then.modtime = 1001;
	ck_assert_int_eq(utime("z.zone", &then), 0);
	ck_assert(zone_load_is_stale(&result));
	zone_load_release(&result);
}
END_TEST

START_TEST(stale_when_a_missing_file_appears)
{
	struct zone_load_result result;

	put_file("z.zone", "$INCLUDE late.inc\n");
	ck_assert_int_eq(load(&result, "z.zone"), -EINVAL);
	ck_assert_uint_eq(result.source_nr, 2);
	ck_assert(!zone_load_is_stale(&result));
	put_file("late.inc", "a" A);
	ck_assert(zone_load_is_stale(&result));
	zone_load_release(&result);

	ck_assert_int_eq(load(&result, "late.zone"), -ENOENT);
	ck_assert(!zone_load_is_stale(&result));
	put_file("late.zone", "a" A);
	ck_assert(zone_load_is_stale(&result));
	zone_load_release(&result);
}
END_TEST

START_TEST(changed_while_it_was_read)
{
	struct zone_load_result result;

	put_file("z.zone", "a" A);
	touched_file = "z.zone"; /* read to its end by then */
	ck_assert_int_eq(load(&result, "z.zone"), -EINVAL);
	touched_file = NULL;
	ck_assert_str_eq(messages,
			 "E z.zone: z.test: changed while it was read\n");
	ck_assert(zone_load_is_stale(&result));
	zone_load_release(&result);
}
END_TEST

START_TEST(many_includes)
{
	struct zone_load_result result;
	FILE *file = fopen("z.zone", "w");

	put_file("part.inc", "a" A);
	for (int i = 0; i < 10000; i++)
		ck_assert_int_gt(fprintf(file, "$INCLUDE part.inc\n"), 0);
	fclose(file);
	ck_assert_int_eq(load(&result, "z.zone"), -EINVAL);
	ck_assert_str_eq(messages, "E z.zone:10000: z.test: $INCLUDE "
				   "'part.inc': too many files (z.zone)\n");
	ck_assert_uint_eq(record_nr, 9999);
	ck_assert_uint_eq(result.source_nr, 10000);
	ck_assert(!zone_load_is_stale(&result));
	zone_load_release(&result);
}
END_TEST

/*
 * A comment of 4.1 GiB, all of it a hole in the file, and a bad line behind
 * it. What is behind the 32-bit limit must be read, and read rightly. The file
 * lies in memory, where holes take up no page cache when they are read.
 */
START_TEST(B_ZS20_file_over_4_gib)
{
	static const char head[] = "a" A ";", tail[] = "\nb" A "c 60 FOO\n";
	const uint64_t size = 4400000000u;
	struct zone_load_result result;
	int fd = memfd_create("zone", 0);
	char path[64], want[128];

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, head, sizeof(head) - 1), sizeof(head) - 1);
	ck_assert_int_eq(pwrite(fd, tail, sizeof(tail) - 1, (off_t)size),
			 sizeof(tail) - 1);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	snprintf(want, sizeof(want), "E %s:4: z.test: unknown type 'FOO'\n",
		 path);
	ck_assert_int_eq(load(&result, path), -EINVAL);
	ck_assert_str_eq(messages, want);
	ck_assert_uint_eq(record_nr, 2);
	ck_assert_uint_eq(result.source[0].size, size + sizeof(tail) - 1);
	zone_load_release(&result);
	close(fd);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("source");

	enter_folder();
	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, no_regular_file);
	tcase_add_test(tcase, stale_when_a_file_changes);
	tcase_add_test(tcase, stale_when_a_file_is_replaced);
	tcase_add_test(tcase, stale_when_a_missing_file_appears);
	tcase_add_test(tcase, changed_while_it_was_read);
	tcase_add_test(tcase, many_includes);
	tcase_add_test(tcase, B_ZS20_file_over_4_gib);
	return unit_run("source", tcase);
}
