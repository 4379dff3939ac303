/* SPDX-License-Identifier: BSD-2-Clause */
/* Checking a configuration and its zones. */
#include <config.h>

#include "server/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/config.h"

static void print_faults(const struct fault_list *faults)
{
	for (unsigned i = 0; i < faults->nr; i++)
		fprintf(stderr, "%s\n", faults->text[i]);
	if (faults->no_memory)
		fprintf(stderr, "out of memory\n");
}

int check_run(const char *path)
{
	struct fault_list faults = {0};
	struct config config;
	int status = EXIT_FAILURE;

	config_read(&config, path, CONFIG_START, &faults);
	print_faults(&faults);
	if (!fault_any(&faults))
		status = EXIT_SUCCESS;
	config_release(&config);
	fault_release(&faults);
	return status;
}
