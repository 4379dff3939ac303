/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The text of a configuration: files read, included files found, comments
 * taken out, cut into top-level statements that know their file and line.
 *
 *	zcdns.conf --.
 *	zones.d/a  --+--> statement, statement, ... --> libconfuse, one by one
 *	zones.d/b  --'
 *
 * libconfuse counts lines wrong behind a comment of C's kind, takes no comment
 * inside a list, includes one file and no pattern, and stops at the first
 * fault. Given one clean statement at a time it does none of this. Its lexical
 * rules hold: words, "strings" and 'strings' with a backslash escaping,
 * comments from # or // to the end of the line and between the C marks.
 *
 *	include "conf.d/[*].conf"   relative to the file that says so; a
 *	include("more.conf")        pattern may match nothing, a name may not
 */
#ifndef SERVER_CONFIG_TEXT_H
#define SERVER_CONFIG_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/fault.h"

#define CONFIG_INCLUDE_MAX 10 /* files in files, so that a loop ends */

struct config_token {
	uint32_t at, len; /* octets of the statement's text, quotes included */
	unsigned line;	  /* of the file */
	char kind;	  /* 'w' word, 's' string, or the sign itself */
};

struct config_statement {
	const char *file; /* owned by the text */
	unsigned line;	  /* of the file, where it starts */
	char *text;	  /* from its first token to its last */
	struct config_token *token;
	unsigned token_nr;
};

struct config_text {
	/* Set by the caller: the first file must be a regular one too, as
	   those that are included. */
	bool regular;
	char **file; /* every file read, as it was opened */
	unsigned file_nr;
	struct config_statement *statement;
	unsigned statement_nr, statement_max;
	/* Nothing more is read: patterns that match their own file would
	   make the tree of a loop as wide as it is deep. */
	bool too_deep;
};

/*
 * Reads a file and what it includes. Faults go to the list, what could be read
 * goes to text, which must be zeroed but for regular.
 */
void config_text_read(struct config_text *text, const char *path,
		      struct fault_list *faults);

/* True when the token is this word, quoted or not. */
bool config_token_is(const struct config_statement *statement, unsigned i,
		     const char *word);

void config_text_release(struct config_text *text);

#endif
