/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The configuration: zcdns.conf and what it includes, checked whole before
 * anything is started or changed.
 *
 *	server/config_text     files -> statements
 *	server/config_parser   statement -> libconfuse -> option values
 *	server/config          sections server and log, the whole
 *	server/config_zone     sections zone and template, zone-dir
 *
 * Paths in it are relative to server.directory, which is by default the folder
 * of the configuration file and relative to that; so it does not matter where
 * zcdns is started, and a reload means the same files. Only include is relative
 * to the file it stands in. In struct config all paths are absolute.
 */
#ifndef SERVER_CONFIG_H
#define SERVER_CONFIG_H

#include "server/config_text.h"
#include "server/fault.h"
#include "server/log.h"
#include "server/privilege.h"
#include "server/worker.h"

#define CONFIG_WORKERS_MAX    1024
#define CONFIG_SERVER_OPTIONS 24 /* room for the options of section server */

struct config_zone {
	uint8_t *apex;	      /* lower case */
	char *name;	      /* as text, absolute, lower case */
	char *file;	      /* absolute */
	struct acl *transfer; /* NULL: nobody */
	const char *at_file;  /* where it was given */
	unsigned at_line;
	unsigned seq;  /* of the block, or of its zone-dir */
	bool from_dir; /* by zone-dir: a zone block of the same name wins */
};

struct config {
	struct listener *listener; /* parsed, not opened */
	unsigned listener_nr;
	unsigned worker_nr;
	int *cpu; /* worker i goes to cpu[i % cpu_nr]; NULL: not pinned */
	unsigned cpu_nr;
	enum worker_io io;
	struct wait_policy wait;
	struct zerocopy_policy zerocopy;
	struct query_config query;
	struct tcp_limits tcp;		 /* client_max is a worker's share */
	struct transfer_limits transfer; /* likewise */
	struct privilege privilege;
	char *control; /* path of the control socket, NULL: none */
	struct log_options log;
	struct config_zone *zone; /* canonical order, no name twice */
	unsigned zone_nr;
	struct config_text text; /* .file: the files read */
	/* The values of section server as written, to see what a reload cannot
	   change. */
	char *written[CONFIG_SERVER_OPTIONS];
};

enum config_check {
	CONFIG_START, /* a zone file that does not exist is a fault */
	CONFIG_RELOAD,
};

/*
 * Reads the configuration. Everything wrong goes to faults; when there is one,
 * config is not to be used but to be released. Control thread only (libconfuse
 * has globals).
 */
void config_read(struct config *config, const char *path,
		 enum config_check check, struct fault_list *faults);

/*
 * The path of a configuration file, absolute, its last part not resolved when
 * it is a link: the file it leads to may become another. Malloced; NULL with
 * errno.
 */
char *config_path(const char *path);

/*
 * Calls differs for each option of section server that is not the same in
 * both: it takes a restart to change it.
 */
void config_compare(const struct config *a, const struct config *b,
		    void (*differs)(const char *option));

void config_release(struct config *config);

#endif
