/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * main() of the fuzz targets in make check: runs the corpus of the target,
 * $srcdir/tests/fuzz/corpus/TARGET/, in order of name, and TAP says how it
 * went. With arguments, those files instead, so that a finding can be looked
 * at.
 */
#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

#include "fuzz.h"

#define INPUT_MAX (1 << 20)

static int run_file(const char *path)
{
	uint8_t *data = malloc(INPUT_MAX);
	FILE *in = fopen(path, "rb");
	size_t size;

	if (!in || !data) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		free(data);
		return 1;
	}
	size = fread(data, 1, INPUT_MAX, in);
	fclose(in);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	return 0;
}

/* The inputs of a target; -1 when the folder cannot be read. */
static int run_folder(const char *folder, int *failed)
{
	struct dirent **entry;
	char path[1024];
	int nr = scandir(folder, &entry, NULL, alphasort), run = 0;

	for (int i = 0; i < nr; i++) {
		if (entry[i]->d_name[0] != '.') {
			snprintf(path, sizeof(path), "%s/%s", folder,
				 entry[i]->d_name);
			*failed |= run_file(path);
			run++;
		}
		free(entry[i]);
	}
	if (nr < 0)
		return -1;
	free(entry);
	return run;
}

int main(int argc, char **argv)
{
	const char *srcdir = getenv("srcdir"), *name = strrchr(argv[0], '/');
	char folder[512];
	int failed = 0, run;

	for (int i = 1; i < argc; i++)
		failed |= run_file(argv[i]);
	if (argc > 1)
		return failed;
	name = name ? name + 1 : argv[0];
	snprintf(folder, sizeof(folder), "%s/tests/fuzz/corpus/%s",
		 srcdir ? srcdir : ".", name);
	printf("1..1\n");
	fflush(stdout);
	run = run_folder(folder, &failed);
	/* No input means that nothing was tested. */
	failed |= run < 1;
	printf("%sok 1 - %s: %d inputs\n", failed ? "not " : "", name, run);
	return failed;
}
