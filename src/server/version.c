/* SPDX-License-Identifier: BSD-2-Clause */
/* zcdns -V. */
#include <config.h>

#include "server/version.h"

#include <ev.h>
#include <sys/utsname.h>

#include "uring/probe.h"

/* What the data path would use here, and what it would do without. */
static void print_features(FILE *out)
{
	struct uring_probe probe;

	uring_probe(&probe);
	for (unsigned i = 0; i < URING_FEATURE_NR; i++)
		fprintf(out, "  %-3s  %s (Linux %s)\n",
			probe.feature[i].present ? "yes" : "no",
			probe.feature[i].name, probe.feature[i].since);
	if (probe.reason || probe.advice)
		fprintf(out, "io = auto: mmsg, %s\n",
			probe.reason ? probe.reason : probe.advice);
	else
		fprintf(out, "io = auto: uring\n");
}

void version_print(FILE *out)
{
	struct utsname uts;

	fprintf(out, "zcdns %s\nbuilt with: %slibev %d.%d\n", PACKAGE_VERSION,
		BUILT_WITH, EV_VERSION_MAJOR, EV_VERSION_MINOR);
	if (!uname(&uts))
		fprintf(out, "kernel: %s %s %s\n", uts.sysname, uts.release,
			uts.machine);
	print_features(out);
}
