/* SPDX-License-Identifier: BSD-2-Clause */
/* zcdns -V. */
#include <config.h>

#include "server/version.h"

#include <ev.h>
#include <sched.h>
#include <sys/utsname.h>

#include "server/feature.h"

/* What the data path would use here, and what it would do without. */
static void print_features(FILE *out)
{
	struct uring_probe probe;
	struct feature_state state;
	cpu_set_t set;
	int cpu_nr = 1;

	if (!sched_getaffinity(0, sizeof(set), &set))
		cpu_nr = CPU_COUNT(&set);
	uring_probe(&probe);
	feature_predict(&state, &probe, (unsigned)cpu_nr);
	feature_print(out, "  ", &state);
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
