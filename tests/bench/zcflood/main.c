/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * zcflood: floods a name server and checks what it says. See zcflood(1).
 *
 *	options > queries, verifier > flood <> transport > run > report
 */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "zcflood/report.h"

static int report(const struct run *run)
{
	const char *path = run->options->json_file;
	FILE *out = stdout;

	if (!path) {
		report_text(out, run);
	} else {
		if (strcmp(path, "-"))
			out = fopen(path, "w");
		if (!out) {
			fprintf(stderr, "zcflood: %s: %s\n", path,
				strerror(errno));
			return 2;
		}
		report_json(out, run);
	}
	if (fflush(out) || ferror(out) || (out != stdout && fclose(out))) {
		fprintf(stderr, "zcflood: the report cannot be written: %s\n",
			strerror(errno));
		return 2;
	}
	return flood_failed(run->flood) ? 1 : 0;
}

int main(int argc, char **argv)
{
	static struct options options;
	static struct flood flood;
	struct run run = {.flood = &flood, .options = &options};
	const struct transport_ops *ops;
	int status = options_parse(&options, argc, argv);

	if (status >= 0)
		return status;
	if (flood_init(&flood, &options))
		return 2;
	ops = options.tap   ? &transport_tap
	      : options.tcp ? &transport_tcp
			    : &transport_udp;
	run.transport = ops->open(&flood, &options);
	if (!run.transport)
		return 2;
	run_flood(&run);
	status = report(&run);
	ops->close(run.transport);
	return status;
}
