/* SPDX-License-Identifier: BSD-2-Clause */
/* Checking a configuration and its zones, as the user that will serve them. */
#include <config.h>

#include "server/check.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/loader.h"

/* A configuration only root can read starts, but cannot be reloaded. */
static int become_user(const struct config *config)
{
	const struct privilege *privilege = &config->privilege;
	int rc = geteuid() ? 0 : privilege_drop(privilege);

	if (rc) {
		fprintf(stderr, "user %s: %s\n", privilege->user,
			strerror(-rc));
		return rc;
	}
	for (unsigned i = 0; i < config->text.file_nr; i++)
		if (access(config->text.file[i], R_OK))
			fprintf(stderr, "%s: %s as user %s (warning)\n",
				config->text.file[i], strerror(errno),
				privilege->user);
	return 0;
}

/*
 * A socket or log file that cannot be made keeps the server from starting. A
 * warning only: /run/zcdns, say, is made by systemd when it starts the server.
 */
static void check_folder(const char *path)
{
	char *copy = path ? strdup(path) : NULL;

	if (copy && access(dirname(copy), F_OK))
		fprintf(stderr, "%s: no folder for it: %s (warning)\n", path,
			strerror(errno));
	free(copy);
}

static int check_zones(const struct config *config)
{
	struct zones zones = {.checking = true};
	struct zones_tally tally;
	struct loader loader;
	int rc = zones_configure(&zones, config);

	if (!rc)
		rc = loader_start(&loader, &zones, NULL, NULL, NULL);
	if (rc) {
		fprintf(stderr, "cannot start to load zones: %s\n",
			strerror(-rc));
		zones_release(&zones);
		return rc;
	}
	loader_join(&loader);
	zones_tally(&zones, &tally);
	if (!zones.nr)
		fprintf(stderr, "no zone is configured (warning)\n");
	printf("zones: %u good, %llu records, %u with faults\n", tally.loaded,
	       (unsigned long long)tally.record_nr, tally.failed);
	zones_release(&zones);
	return tally.failed ? -EINVAL : 0;
}

static int read_config(struct config *config, const char *path)
{
	struct fault_list faults = {0};
	bool bad;

	config_read(config, path, CONFIG_START, &faults);
	fault_print(&faults, stderr);
	bad = fault_any(&faults);
	fault_release(&faults);
	return bad ? -EINVAL : 0;
}

int check_run(const char *path)
{
	struct config config;
	int rc = read_config(&config, path);

	if (!rc) {
		check_folder(config.control);
		check_folder(config.log.path);
		rc = become_user(&config);
	}
	if (!rc)
		rc = check_zones(&config);
	config_release(&config);
	return rc ? EXIT_FAILURE : EXIT_SUCCESS;
}
