/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Master file scanner. The window buf[start, end) slides over the file; while
 * a token is read, start stays at its first octet, so that a refill moves the
 * whole token to the front of the window and offsets from start stay right.
 *
 *	buf   | read before | token so far ... | not looked at |  free  |
 *	                    ^start             ^start + n      ^end ^buf_size
 *
 * An error consumes what it is about: a caller that goes on after one gets
 * the rest of the logical line. What can not be gone on after (read error,
 * endless token) drops the rest of the file, so that SCAN_EOF comes next.
 */
#include "zone/scan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WINDOW_LEN (64u * 1024) /* stays in the second-level cache */

enum octet_class {
	C_WORD, /* 0: everything the table does not name */
	C_SPACE,
	C_NEWLINE,
	C_CR,
	C_QUOTE,
	C_OPEN,
	C_CLOSE,
	C_COMMENT,
	C_ESCAPE,
	C_CONTROL,
};

static const uint8_t class_of[256] = {
    [0 ... 8] = C_CONTROL, ['\t'] = C_SPACE,
    ['\n'] = C_NEWLINE,	   [0x0b ... 0x0c] = C_CONTROL,
    ['\r'] = C_CR,	   [0x0e ... 0x1f] = C_CONTROL,
    [' '] = C_SPACE,	   ['"'] = C_QUOTE,
    ['('] = C_OPEN,	   [')'] = C_CLOSE,
    [';'] = C_COMMENT,	   ['\\'] = C_ESCAPE,
    [0x7f] = C_CONTROL,
};

static enum scan_kind fail(struct scan *scan, uint64_t line, const char *error)
{
	scan->error = error;
	scan->error_line = line;
	scan->in_line = true; /* so that SCAN_EOL follows */
	scan->adjacent = false;
	return SCAN_ERROR;
}

/* As fail(), and nothing more is read. */
static enum scan_kind fail_file(struct scan *scan, uint64_t line,
				const char *error)
{
	scan->eof = scan->lost = true;
	scan->start = scan->end = 0;
	scan->depth = 0;
	return fail(scan, line, error);
}

static void start_line(struct scan *scan)
{
	scan->line_start = true;
	scan->in_line = false;
	scan->indented = false;
	scan->adjacent = false;
}

static void reset(struct scan *scan)
{
	memset(scan, 0, sizeof(*scan));
	scan->line = 1;
	start_line(scan);
}

int scan_init(struct scan *scan, int fd)
{
	reset(scan);
	scan->fd = fd;
	scan->buf = malloc(WINDOW_LEN);
	if (!scan->buf) {
		close(fd);
		return -ENOMEM;
	}
	scan->buf_size = WINDOW_LEN;
	return 0;
}

int scan_init_text(struct scan *scan, const char *text, size_t len)
{
	reset(scan);
	scan->fd = -1;
	scan->buf = (char *)text; /* eof is set: nothing is ever moved */
	scan->buf_size = scan->end = len;
	scan->eof = true;
	return 0;
}

void scan_release(struct scan *scan)
{
	if (scan->fd < 0)
		return;
	close(scan->fd);
	free(scan->buf);
	scan->fd = -1;
	scan->buf = NULL;
}

/* Room behind the text: false, and *error set, where there can be none. */
static bool make_room(struct scan *scan, const char **error)
{
	char *buf;

	if (scan->start) {
		memmove(scan->buf, scan->buf + scan->start,
			scan->end - scan->start);
		scan->end -= scan->start;
		scan->start = 0;
	}
	if (scan->end < scan->buf_size)
		return true;
	*error = "token over 1 MiB";
	if (scan->buf_size >= SCAN_TOKEN_MAX)
		return false;
	*error = "out of memory";
	buf = realloc(scan->buf, scan->buf_size * 2);
	if (!buf)
		return false;
	scan->buf = buf;
	scan->buf_size *= 2;
	return true;
}

/*
 * Reads more text behind the window. False when there is none: scan->error
 * tells whether that is the end of the file.
 */
static bool fill(struct scan *scan)
{
	const char *error = NULL;
	ssize_t got;

	if (scan->eof)
		return false;
	if (!make_room(scan, &error)) {
		fail_file(scan, scan->line, error);
		return false;
	}
	do
		got = read(scan->fd, scan->buf + scan->end,
			   scan->buf_size - scan->end);
	while (got < 0 && errno == EINTR);
	if (got < 0) {
		fail_file(scan, scan->line, "read error");
		return false;
	}
	scan->eof = !got;
	scan->end += (size_t)got;
	return got > 0;
}

/* True when octet start + n of the file is in the window. */
static inline bool has(struct scan *scan, size_t n)
{
	return scan->end - scan->start > n || fill(scan);
}

static inline uint8_t at(const struct scan *scan, size_t n)
{
	return (uint8_t)scan->buf[scan->start + n];
}

/* A byte order mark at the start of the file says nothing about its names. */
static void skip_bom(struct scan *scan)
{
	scan->started = true;
	while (scan->end - scan->start < 3 && fill(scan))
		;
	if (scan->end - scan->start >= 3 &&
	    !memcmp(scan->buf + scan->start, "\xef\xbb\xbf", 3))
		scan->start += 3;
}

static inline void start_token(struct scan *scan, struct scan_token *token)
{
	token->line = scan->line;
	token->indented = scan->indented && !scan->in_line;
	token->glued = scan->adjacent;
	scan->in_line = true;
	scan->line_start = false;
	scan->adjacent = true;
}

/*
 * Length of the token part at n that a backslash starts; 0 when it stands at
 * the end of a line, where it escapes nothing: then the error is set.
 */
static size_t escape_len(struct scan *scan, size_t n)
{
	if (has(scan, n + 1) && at(scan, n + 1) != '\n' &&
	    at(scan, n + 1) != '\r')
		return 2;
	if (!scan->error) {
		fail(scan, scan->line, "backslash at the end of a line");
		scan->start += n + 1;
	}
	return 0;
}

static inline void take(struct scan *scan, struct scan_token *token, size_t n)
{
	token->text = scan->buf + scan->start;
	token->len = n;
	scan->start += n;
}

static enum scan_kind scan_word(struct scan *scan, struct scan_token *token)
{
	size_t n = 0, len;

	start_token(scan, token);
	for (;;) {
		const uint8_t *p = (const uint8_t *)scan->buf + scan->start;
		size_t max = scan->end - scan->start;

		while (n < max && class_of[p[n]] == C_WORD)
			n++;
		if (n < max && class_of[p[n]] != C_ESCAPE)
			break;
		if (n < max) {
			len = escape_len(scan, n);
			if (!len)
				return SCAN_ERROR;
			n += len;
		} else if (!fill(scan)) {
			if (scan->error)
				return SCAN_ERROR;
			break;
		}
	}
	scan->after_word = true;
	take(scan, token, n);
	return SCAN_WORD;
}

static enum scan_kind unbalanced(struct scan *scan, size_t n)
{
	if (scan->error)
		return SCAN_ERROR;
	scan->start += n;
	return fail(scan, scan->line, "unbalanced quotes");
}

/* What stands between quotes is kept as it is, controls included. */
static enum scan_kind scan_quoted(struct scan *scan, struct scan_token *token)
{
	size_t n = 0, len;

	start_token(scan, token);
	scan->start++;
	scan->after_word = false;
	while (has(scan, n)) {
		uint8_t c = at(scan, n);

		if (c == '"') {
			take(scan, token, n);
			scan->start++;
			return SCAN_QUOTED;
		}
		if (c == '\n')
			break;
		len = c == '\\' ? escape_len(scan, n) : 1;
		if (!len)
			return SCAN_ERROR;
		n += len;
	}
	return unbalanced(scan, n);
}

/* To the end of the line; false where a CR stands alone in it. */
static bool skip_comment(struct scan *scan)
{
	if (scan->after_word && scan->adjacent)
		scan->cut_line = scan->line;
	while (has(scan, 0)) {
		const char *p = scan->buf + scan->start;
		size_t max = scan->end - scan->start;
		const char *stop = memchr(p, '\n', max);
		const char *cr =
		    memchr(p, '\r', stop ? (size_t)(stop - p) : max);

		if (cr)
			stop = cr;
		scan->start += stop ? (size_t)(stop - p) : max;
		if (stop)
			break;
	}
	return !scan->error;
}

/* A parenthesis; SCAN_ERROR or SCAN_WORD, which means go on. */
static enum scan_kind parenthesis(struct scan *scan, bool open)
{
	scan->start++;
	scan->adjacent = false;
	scan->line_start = false;
	if (open && scan->depth)
		return fail(scan, scan->open_line, "nested parentheses");
	if (!open && !scan->depth)
		return fail(scan, scan->line, "unbalanced ')'");
	scan->depth = open;
	if (open)
		scan->open_line = scan->line;
	return SCAN_WORD;
}

/* A line end; true when it ends a logical line that had a token. */
static inline bool line_end(struct scan *scan)
{
	bool had_token = scan->in_line;

	scan->start++;
	scan->line++;
	scan->adjacent = false;
	if (scan->depth)
		return false;
	start_line(scan);
	return had_token;
}

static enum scan_kind end_of_file(struct scan *scan)
{
	if (scan->error)
		return SCAN_ERROR;
	if (scan->depth) {
		scan->depth = 0;
		scan->lost = true;
		return fail(scan, scan->open_line, "unbalanced '('");
	}
	if (!scan->in_line)
		return SCAN_EOF;
	start_line(scan);
	return SCAN_EOL;
}

static bool is_cr_lf(struct scan *scan)
{
	return has(scan, 1) && at(scan, 1) == '\n';
}

static enum scan_kind stray(struct scan *scan, const char *error)
{
	if (scan->error)
		return SCAN_ERROR;
	scan->start++;
	return fail(scan, scan->line, error);
}

static inline void space(struct scan *scan)
{
	scan->start++;
	scan->adjacent = false;
	scan->indented |= scan->line_start;
	scan->line_start = false;
}

/* What ends no token: SCAN_WORD when it is dealt with, and the scan goes on. */
static enum scan_kind between(struct scan *scan, enum octet_class octet_class)
{
	switch (octet_class) {
	case C_OPEN:
	case C_CLOSE:
		return parenthesis(scan, octet_class == C_OPEN);
	case C_COMMENT:
		return skip_comment(scan) ? SCAN_WORD : SCAN_ERROR;
	case C_CR:
		if (!is_cr_lf(scan))
			return stray(scan, "CR without LF (line ends must be "
					   "LF or CR LF)");
		scan->start++;
		return SCAN_WORD;
	default:
		return stray(scan, "control character outside quotes");
	}
}

enum scan_kind scan_next(struct scan *scan, struct scan_token *token)
{
	scan->error = NULL;
	token->text = "";
	token->len = 0;
	token->line = scan->line;
	if (!scan->started)
		skip_bom(scan);
	if (!scan->in_line)
		scan->cut_line = 0;
	while (has(scan, 0)) {
		enum octet_class octet_class = class_of[at(scan, 0)];

		if (octet_class == C_SPACE) {
			space(scan);
		} else if (octet_class == C_WORD || octet_class == C_ESCAPE) {
			return scan_word(scan, token);
		} else if (octet_class == C_QUOTE) {
			return scan_quoted(scan, token);
		} else if (octet_class == C_NEWLINE) {
			if (line_end(scan))
				return SCAN_EOL;
		} else if (between(scan, octet_class) == SCAN_ERROR) {
			return SCAN_ERROR;
		}
	}
	return end_of_file(scan);
}

enum scan_kind scan_skip_line(struct scan *scan)
{
	struct scan_token token;
	enum scan_kind kind = SCAN_EOL;

	while (scan->in_line) {
		kind = scan_next(scan, &token);
		if (kind == SCAN_ERROR && scan->lost)
			return kind;
	}
	return kind;
}

size_t scan_token_text(char out[SCAN_TEXT_MAX], const struct scan_token *token)
{
	size_t len = 0;

	for (size_t i = 0; i < token->len; i++) {
		uint8_t c = (uint8_t)token->text[i];

		if (len > SCAN_TEXT_MAX - 8) {
			len += (size_t)sprintf(out + len, "...");
			break;
		}
		if (c < ' ' || c >= 0x7f)
			len += (size_t)sprintf(out + len, "\\%03u", c);
		else
			out[len++] = (char)c;
	}
	out[len] = '\0';
	return len;
}
