/* SPDX-License-Identifier: BSD-2-Clause */
/* zcdns: the options of the command line, then the call each one means. */
#include <config.h>

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "server/check.h"
#include "server/daemon.h"
#include "server/version.h"

#define EXIT_USAGE 2

static const char usage[] =
    "usage: zcdns [-c FILE] [-t]\n"
    "       zcdns -h | -V\n"
    "\n"
    "Serves the zones of a configuration, in the foreground.\n"
    "\n"
    "  -c, --config FILE  configuration (" CONFIG_FILE ")\n"
    "  -t, --test         check configuration and zones, print every fault\n"
    "  -V, --version      version, libraries, kernel features\n"
    "  -h, --help         this text\n"
    "\n"
    "Exit status: 0 stopped in order, or nothing wrong; 1 a fault, which\n"
    "was named; 2 wrong use of the command line.\n";

static const struct option options[] = {
    {"config", required_argument, NULL, 'c'},
    {"test", no_argument, NULL, 't'},
    {"version", no_argument, NULL, 'V'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* What was written may not have arrived: a full disk behind a pipe. */
static int finish(int status)
{
	if (fflush(stdout) || ferror(stdout))
		return EXIT_FAILURE;
	return status;
}

int main(int argc, char **argv)
{
	const char *path = CONFIG_FILE;
	bool test = false;
	int opt;

	while ((opt = getopt_long(argc, argv, "c:tVh", options, NULL)) != -1) {
		switch (opt) {
		case 'c':
			path = optarg;
			break;
		case 't':
			test = true;
			break;
		case 'V':
			version_print(stdout);
			return finish(EXIT_SUCCESS);
		case 'h':
			fputs(usage, stdout);
			return finish(EXIT_SUCCESS);
		default:
			fputs("try zcdns -h\n", stderr);
			return EXIT_USAGE;
		}
	}
	if (optind < argc) {
		fprintf(stderr, "zcdns: '%s' is not an option\n", argv[optind]);
		return EXIT_USAGE;
	}
	return finish(test ? check_run(path) : daemon_run(path));
}
