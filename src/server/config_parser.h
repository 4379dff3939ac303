/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Statements through libconfuse. libconfuse knows the grammar, this knows the
 * tables: which sections there are, which options they have, and the function
 * that takes each value, called with the line it stands on. Faults never stop
 * it: the rest of the statement and the other statements are read on.
 */
#ifndef SERVER_CONFIG_PARSER_H
#define SERVER_CONFIG_PARSER_H

#include "server/config.h"

struct config_parser;

struct config_option {
	const char *name;
	/* Takes one value of it; says what is wrong by parser_fault(). */
	void (*set)(struct config_parser *parser, const char *value);
	bool list; /* more than one value, and more than once */
};

struct config_section {
	const char *name; /* for an option at top level: its name */
	const struct config_option *option;
	unsigned option_nr;
	bool top;   /* an option at top level, no braces around it */
	bool title; /* zone "title" { } */
	/* After the last value; title NULL where it has none. */
	void (*end)(struct config_parser *parser, const char *title);
};

/* Where a thing was given. */
struct config_place {
	const char *file;
	unsigned line;
};

/* What a zone or template block says; taken by the end of its section. */
struct config_block {
	char *file, *template;
	struct acl *transfer; /* NULL: not said */
	bool transfer_none;   /* the word none was */
	struct config_place file_at, template_at;
};

struct config_template {
	char *name, *file;
	struct acl *transfer;
	struct config_place at;
};

/* A zone whose file depends on a template that may come later. */
struct config_pending {
	char *title;
	struct config_block block;
	struct config_place at;
};

struct config_zone_dir {
	char *path;
	struct config_place at;
};

struct config_parser {
	struct config *config;
	struct fault_list *faults;
	enum config_check check;

	const struct config_section *section; /* of the statement */
	const struct config_statement *statement;
	const struct config_option *option; /* being set, or NULL */
	struct config_place at;		    /* of the value */
	/* Of section server and log, whose options come once in all. */
	struct config_place given[2][CONFIG_SERVER_OPTIONS];

	char *folder;	 /* of the configuration file, absolute */
	char *directory; /* as given, then absolute */
	unsigned long worker_nr, tcp_clients, transfer_clients;
	int pinning; /* -1: not said, 0: no, 1: yes, 2: CPUs are named */
	struct config_block block;
	struct config_template *template;
	struct config_pending *pending;
	struct config_zone_dir *zone_dir;
	unsigned template_nr, pending_nr, zone_dir_nr;
};

/* The tables of server/config and server/config_zone. */
extern const struct config_section config_sections[];
extern const unsigned config_section_nr;
/* file, allow-transfer, template */
extern const struct config_option config_zone_options[];
extern const struct config_option config_zone_dir_option;
void config_zone_end(struct config_parser *parser, const char *title);
void config_block_release(struct config_block *block);
void config_template_end(struct config_parser *parser, const char *title);

void parser_run(struct config_parser *parser);

/* A fault where the value stands that is being set, of the option if any. */
__attribute__((format(printf, 2, 3))) void
parser_fault(struct config_parser *parser, const char *format, ...);

/* strdup() that notes when memory is out. */
char *parser_strdup(struct config_parser *parser, const char *text);

/*
 * One more element of an array that grows by one: its address, zeroed, or NULL
 * and noted when memory is out.
 */
void *parser_grow(struct config_parser *parser, void *array, unsigned *nr,
		  size_t size);

/* Makes a path absolute, by directory or folder; replaces it in place. */
void parser_absolute(struct config_parser *parser, char **path);

/* Zones from blocks, templates and folders; sorts them, finds doubles. */
void config_zone_finish(struct config_parser *parser);

void config_zone_release(struct config_parser *parser);

#endif
