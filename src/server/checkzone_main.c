/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * zcdns-checkzone: reads one zone file with the checks of the daemon, and on
 * request writes it back in canonical order.
 */
#include <config.h>

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/version.h"
#include "zone/load.h"
#include "zone/write.h"

#define EXIT_USAGE 2

static const char usage[] =
    "usage: zcdns-checkzone [-q] [-o FILE] NAME FILE\n"
    "       zcdns-checkzone -h | -V\n"
    "\n"
    "Checks the zone file FILE of the zone NAME as zcdns would load it.\n"
    "\n"
    "  -o, --output FILE  write the zone in canonical order; - is standard\n"
    "                     output\n"
    "  -q, --quiet        say nothing of a zone that is right\n"
    "  -V, --version      version, libraries, kernel features\n"
    "  -h, --help         this text\n"
    "\n"
    "Exit status: 0 the zone is right (warnings may be printed), 1 it is\n"
    "not or cannot be written, 2 wrong use of the command line.\n";

static const struct option options[] = {
    {"output", required_argument, NULL, 'o'},
    {"quiet", no_argument, NULL, 'q'},
    {"version", no_argument, NULL, 'V'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static void emit(void *arg, enum zone_severity severity, const char *text)
{
	(void)arg;
	fprintf(stderr, "%s%s\n", text,
		severity == ZONE_WARNING ? " (warning)" : "");
}

static int write_stream(FILE *out, const struct snapshot *snapshot)
{
	int rc = zone_write(out, snapshot);

	if (fflush(out) && !rc)
		rc = -errno;
	return rc;
}

/* A device or a FIFO takes what is written to it; it is never replaced. */
static bool is_special(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

static int write_special(const char *path, const struct snapshot *snapshot)
{
	FILE *out = fopen(path, "we");
	int rc;

	if (!out)
		return -errno;
	rc = write_stream(out, snapshot);
	if (fclose(out) && !rc)
		rc = -errno;
	return rc;
}

/* Beside the file and then over it: it is never there by half. */
static int write_file(const char *path, const struct snapshot *snapshot)
{
	char *draft;
	FILE *out;
	int rc;

	if (asprintf(&draft, "%s.%d~", path, (int)getpid()) < 0)
		return -ENOMEM;
	out = fopen(draft, "wxe");
	if (!out) {
		rc = -errno;
		free(draft);
		return rc;
	}
	rc = write_stream(out, snapshot);
	if (fclose(out) && !rc)
		rc = -errno;
	if (!rc && rename(draft, path))
		rc = -errno;
	if (rc)
		unlink(draft);
	free(draft);
	return rc;
}

static int output(const char *path, const struct snapshot *snapshot)
{
	int rc;

	if (!strcmp(path, "-"))
		rc = write_stream(stdout, snapshot);
	else if (is_special(path))
		rc = write_special(path, snapshot);
	else
		rc = write_file(path, snapshot);
	if (rc)
		fprintf(stderr, "%s: %s\n", path, strerror(-rc));
	return rc;
}

static int check(const char *name, const char *file, const char *out,
		 bool quiet)
{
	uint8_t wire[DNS_NAME_MAX], apex[DNS_NAME_MAX];
	char text[DNS_NAME_TEXT_MAX];
	struct zone_report report = {.emit = emit, .zone = text, .file = file};
	struct zone_load_result result;
	int rc = dns_name_from_text(wire, name, strlen(name), NULL);

	if (rc < 0) {
		fprintf(stderr, "bad zone name '%s'\n", name);
		return EXIT_FAILURE;
	}
	dns_name_lower(apex, wire);
	dns_name_to_text(text, apex);
	rc = zone_load(&result, apex, file, NULL, &report);
	if (!rc && out)
		rc = output(out, result.snapshot);
	if (!rc && !quiet && (!out || strcmp(out, "-")))
		printf("%s serial %" PRIu32 ", %" PRIu64
		       " records, %u warning%s\n",
		       text, result.snapshot->serial, result.record_nr,
		       report.warning_nr, report.warning_nr == 1 ? "" : "s");
	zone_load_release(&result);
	if (fflush(stdout) || ferror(stdout))
		rc = -EIO;
	return rc ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	const char *out = NULL;
	bool quiet = false;
	int opt;

	while ((opt = getopt_long(argc, argv, "o:qVh", options, NULL)) != -1) {
		switch (opt) {
		case 'o':
			out = optarg;
			break;
		case 'q':
			quiet = true;
			break;
		case 'V':
			version_print(stdout);
			return EXIT_SUCCESS;
		case 'h':
			fputs(usage, stdout);
			return EXIT_SUCCESS;
		default:
			fputs("try zcdns-checkzone -h\n", stderr);
			return EXIT_USAGE;
		}
	}
	if (argc - optind != 2) {
		fputs("zcdns-checkzone takes a zone name and a file\n", stderr);
		return EXIT_USAGE;
	}
	return check(argv[optind], argv[optind + 1], out, quiet);
}
