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
	bool glued;    /* touches the token before: a"b", key="value" */
};

struct scan {
	int fd;
	char *buf;
	size_t buf_size, start, end; /* window: unread text is [start, end) */
	uint64_t line;		     /* of the next unread octet */
	unsigned depth;		     /* open parentheses, 0 or 1 */
	uint64_t open_line;	     /* of the open parenthesis */
	uint64_t cut_line;	     /* where ';' touches a word: x;y, else 0 */
	bool started, eof, line_start, in_line, indented;
	bool lost;		   /* the rest of the file was, with an error */
	bool adjacent, after_word; /* to the token before, which is a word */
	const char *error;	   /* static text */
	uint64_t error_line;
};

/* A window of text over this is one token too long: error. */
#define SCAN_TOKEN_MAX (1u << 20)

/*
 * Takes fd, which scan_release() closes (scan_init() itself when it fails).
 * Returns 0 or -ENOMEM.
 */
int scan_init(struct scan *scan, int fd);

/* Text in memory, for tests and for lines made by $GENERATE; borrowed. 0. */
int scan_init_text(struct scan *scan, const char *text, size_t len);

/*
 * The next token. Of SCAN_EOL, SCAN_EOF and SCAN_ERROR only token->line means
 * something. After SCAN_ERROR the rest of the logical line follows, in any
 * case a SCAN_EOL. cut_line holds until the first token of the next line.
 */
enum scan_kind scan_next(struct scan *scan, struct scan_token *token);

/*
 * Reads on behind an error up to the end of the logical line, silent about
 * further errors in it; does nothing where that end has been read. Returns
 * SCAN_EOL, or SCAN_ERROR when the rest of the file was lost: an open
 * parenthesis, a read error.
 */
enum scan_kind scan_skip_line(struct scan *scan);

/*
 * A token for a message: printable ASCII, the rest as \DDD, cut with "..."
 * when long, ended by a NUL. Returns its length.
 */
#define SCAN_TEXT_MAX 96
size_t scan_token_text(char out[SCAN_TEXT_MAX], const struct scan_token *token);

void scan_release(struct scan *scan);

#endif
