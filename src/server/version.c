/* SPDX-License-Identifier: BSD-2-Clause */
/* zcdns -V. */
#include <config.h>

#include "server/version.h"

#include <sys/utsname.h>

void version_print(FILE *out)
{
	struct utsname uts;

	fprintf(out, "zcdns %s\nbuilt with: %s\n", PACKAGE_VERSION, BUILT_WITH);
	if (!uname(&uts))
		fprintf(out, "kernel: %s %s %s\n", uts.sysname, uts.release,
			uts.machine);
}
