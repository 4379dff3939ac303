/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A folder of its own for a test that needs files: made below TMPDIR, entered,
 * and removed with all that is in it (one level) when the test program ends.
 */
#ifndef TESTS_UNIT_FOLDER_H
#define TESTS_UNIT_FOLDER_H

#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[3000];
static pid_t folder_owner; /* the tests run in children, which leave it */

static inline void empty_folder(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char name[4096];

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		snprintf(name, sizeof(name), "%.3000s/%.255s", path,
			 entry->d_name);
		if (unlink(name) && !rmdir(name))
			continue;
		if (!access(name, F_OK)) {
			empty_folder(name);
			rmdir(name);
		}
	}
	if (dir)
		closedir(dir);
}

static inline void leave_folder(void)
{
	if (getpid() != folder_owner)
		return;
	empty_folder(folder);
	if (chdir("/") || rmdir(folder))
		fprintf(stderr, "%s is left behind\n", folder);
}

/* Called once, before the tests run. */
static inline void enter_folder(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(folder, sizeof(folder), "%s/zcdns-test-XXXXXX",
		 tmp ? tmp : "/tmp");
	if (!mkdtemp(folder) || chdir(folder)) {
		perror(folder);
		exit(EXIT_FAILURE);
	}
	folder_owner = getpid();
	atexit(leave_folder);
}

static inline void put_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	ck_assert_msg(file != NULL, "%s", path);
	ck_assert_int_ge(fputs(text, file), 0);
	ck_assert_int_eq(fclose(file), 0);
}

#endif
