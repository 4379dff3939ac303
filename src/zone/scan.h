/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Master file text to tokens (RFC 1035 section 5.1): quotes, parentheses,
 * comments, escapes left in place. Knows nothing of records.
 *
 * One scan reads one file from front to end through a window; a token is
 * valid until the next call. The file may be of any length and is never
 * mapped, so a file cut short while it is read is an error, not a SIGBUS.
 * A scan belongs to one thread.
 */
#ifndef ZONE_SCAN_H
#define ZONE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum scan_kind {
	SCAN_EOF,    /* end of file, at the start of a logical line */
	SCAN_EOL,    /* end of a logical line that had at least one token */
	SCAN_WORD,   /* token without quotes, escapes as written */
	SCAN_QUOTED, /* what was between quotes, escapes as written */
	SCAN_ERROR,  /* scan->error says what, scan->error_line where */
};

struct scan_token {
	const char *text; /* not ended by a NUL */
	size_t len;
	uint64_t line; /* where it starts, from 1 */
	bool indented; /* first of its line, behind white space: no owner */
	bool glued;    /* no white space between it and the one before */
};

struct scan {
	int fd;
	char *buf;
	size_t buf_size, start, end; /* window: unread text is [start, end) */
	uint64_t line;		     /* of the next unread octet */
	unsigned depth;		     /* open parentheses, 0 or 1 */
	uint64_t open_line;	     /* of the open parenthesis or quote */
	bool eof, line_start, in_line;
	const char *error; /* static text */
	uint64_t error_line;
};

/* A window of text over this is one token too long: error. */
#define SCAN_TOKEN_MAX (1u << 20)

/* Takes fd, which scan_release() closes. Returns 0 or -ENOMEM. */
int scan_init(struct scan *scan, int fd);

/* Text in memory, for tests and for lines made by $GENERATE; borrowed. */
int scan_init_text(struct scan *scan, const char *text, size_t len);

enum scan_kind scan_next(struct scan *scan, struct scan_token *token);

void scan_release(struct scan *scan);

#endif
