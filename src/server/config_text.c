/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Configuration files to statements. A comment is overwritten with blanks where
 * it stands, so that offsets and lines stay what they are in the file.
 */
#include <config.h>

#include "server/config_text.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX_SIZE (256u << 20) /* more is no configuration */

/* One file that is being read. */
struct reader {
	struct config_text *text;
	struct fault_list *faults;
	const char *file;
	char *buf; /* ended by a NUL */
	size_t len, pos;
	unsigned line;
	unsigned depth; /* of includes */
	struct config_token *token;
	unsigned token_nr, token_max;
};

static void read_path(struct config_text *text, const char *path,
		      const struct reader *from, struct fault_list *faults);

static void blank(char *from, const char *end)
{
	for (; from < end; from++)
		if (*from != '\n')
			*from = ' ';
}

static unsigned count_lines(const char *from, const char *end)
{
	unsigned nr = 0;

	for (; from < end; from++)
		nr += *from == '\n';
	return nr;
}

/* Length of the comment at p, 0 when there is none, -1 when it has no end. */
static ssize_t comment_len(const char *p)
{
	const char *end;

	if (*p == '#' || (*p == '/' && p[1] == '/'))
		return (ssize_t)strcspn(p, "\n");
	if (*p != '/' || p[1] != '*')
		return 0;
	end = strstr(p + 2, "*/");
	return end ? end + 2 - p : -1;
}

/* Goes to the next token; -1: a comment has no end (reported). */
static int skip_blanks(struct reader *r)
{
	while (r->pos < r->len) {
		char *p = r->buf + r->pos;
		ssize_t len = comment_len(p);

		if (len < 0) {
			fault_add(r->faults, r->file, r->line,
				  "comment has no end");
			return -1;
		}
		if (len) {
			r->line += count_lines(p, p + len);
			blank(p, p + len);
			r->pos += (size_t)len;
		} else if (strchr(" \t\r\n", *p)) {
			r->line += *p == '\n';
			if (*p == '\r')
				*p = ' ';
			r->pos++;
		} else {
			break;
		}
	}
	return 0;
}

/* Length of the string at p, quotes included; 0 when it has no end. */
static size_t string_len(const char *p)
{
	const char *q = p + 1;

	for (; *q && *q != *p; q++)
		if (*q == '\\' && q[1])
			q++;
	return *q ? (size_t)(q + 1 - p) : 0;
}

/* Kind of the next token, 0 at the end, -1 for a fault that was reported. */
static int next_token(struct reader *r, struct config_token *token)
{
	const char *p;

	if (skip_blanks(r))
		return -1;
	p = r->buf + r->pos;
	*token = (struct config_token){.at = (uint32_t)r->pos, .line = r->line};
	if (!*p)
		return 0;
	if (*p == '"' || *p == '\'') {
		token->kind = 's';
		token->len = (uint32_t)string_len(p);
		if (!token->len) {
			fault_add(r->faults, r->file, r->line,
				  "string has no end");
			return -1;
		}
		r->line += count_lines(p, p + token->len);
	} else if (strchr("{}()=+,", *p)) {
		token->kind = *p;
		token->len = 1;
	} else {
		token->kind = 'w';
		token->len = (uint32_t)strcspn(p, " \t\r\n#\"'{}()=+,");
	}
	r->pos += token->len;
	return token->kind;
}

static int add_token(struct reader *r, const struct config_token *token)
{
	if (r->token_nr == r->token_max) {
		unsigned max = r->token_max ? 2 * r->token_max : 64;
		void *grown = realloc(r->token, max * sizeof(*token));

		if (!grown)
			return -ENOMEM;
		r->token = grown;
		r->token_max = max;
	}
	r->token[r->token_nr++] = *token;
	return 0;
}

static bool first_is(const struct reader *r, const char *word)
{
	return r->token[0].kind == 'w' && r->token[0].len == strlen(word) &&
	       !memcmp(r->buf + r->token[0].at, word, strlen(word));
}

/* Whether the tokens so far are a whole statement; depth: of open braces. */
static bool is_complete(const struct reader *r, unsigned depth)
{
	char kind = r->token[r->token_nr - 1].kind;

	if (depth || r->token_nr < 2)
		return false;
	if (first_is(r, "include"))
		return kind == ')' || (r->token_nr == 2 && kind != '(');
	return kind == '}' || ((kind == 'w' || kind == 's') &&
			       r->token[r->token_nr - 2].kind == '=');
}

/*
 * Gathers the tokens of one statement. Returns 1, 0 at the end of the file, or
 * -errno when the file cannot be read on (reported, or -ENOMEM).
 */
static int read_tokens(struct reader *r)
{
	unsigned depth = 0, open_line = 0;

	r->token_nr = 0;
	do {
		struct config_token token;
		int kind = next_token(r, &token);

		if (kind < 0)
			return -EINVAL;
		if (!kind && !r->token_nr)
			return 0;
		if (!kind) {
			fault_add(r->faults, r->file,
				  depth ? open_line : r->token[0].line,
				  depth ? "'{' is never closed"
					: "the file ends inside a statement");
			return -EINVAL;
		}
		if (kind == '{' && !depth++)
			open_line = token.line;
		if (kind == '}' && !depth) {
			fault_add(r->faults, r->file, token.line,
				  "'}' without a '{'");
			r->token_nr = 0;
			continue;
		}
		depth -= kind == '}';
		if (add_token(r, &token))
			return -ENOMEM;
	} while (!r->token_nr || !is_complete(r, depth));
	return 1;
}

static int add_statement(struct reader *r)
{
	struct config_text *text = r->text;
	size_t at = r->token[0].at, len = r->pos - at;
	struct config_statement *s;

	if (text->statement_nr == text->statement_max) {
		unsigned max =
		    text->statement_max ? 2 * text->statement_max : 16;

		s = realloc(text->statement, max * sizeof(*s));
		if (!s)
			return -ENOMEM;
		text->statement = s;
		text->statement_max = max;
	}
	s = &text->statement[text->statement_nr];
	*s = (struct config_statement){
	    .file = r->file,
	    .line = r->token[0].line,
	    .text = strndup(r->buf + at, len),
	    .token = malloc(r->token_nr * sizeof(*s->token)),
	    .token_nr = r->token_nr,
	};
	text->statement_nr++;
	if (!s->text || !s->token)
		return -ENOMEM;
	for (unsigned i = 0; i < r->token_nr; i++) {
		s->token[i] = r->token[i];
		s->token[i].at -= (uint32_t)at;
	}
	return 0;
}

/* A pattern is relative to the folder of the file that names it. */
static char *include_pattern(const char *file, const char *name, size_t len)
{
	const char *slash = strrchr(file, '/');
	char *out;

	if (*name == '/' || !slash)
		return strndup(name, len);
	if (asprintf(&out, "%.*s/%.*s", (int)(slash - file), file, (int)len,
		     name) < 0)
		return NULL;
	return out;
}

/* A folder that is not there is no match, one we may not read is a fault. */
static int glob_error(const char *path, int error)
{
	(void)path;
	return error != ENOENT && error != ENOTDIR;
}

static void include_glob(struct reader *r, const char *pattern, unsigned line)
{
	glob_t found;
	int rc = glob(pattern, 0, glob_error, &found);

	if (rc == GLOB_NOMATCH && !strpbrk(pattern, "*?["))
		fault_add(r->faults, r->file, line, "%s: %s", pattern,
			  strerror(ENOENT));
	else if (rc && rc != GLOB_NOMATCH)
		fault_add(r->faults, r->file, line, "%s: %s", pattern,
			  rc == GLOB_NOSPACE ? strerror(ENOMEM)
					     : "folder cannot be read");
	for (size_t i = 0; !rc && i < found.gl_pathc && !r->text->too_deep; i++)
		read_path(r->text, found.gl_pathv[i], r, r->faults);
	globfree(&found);
}

static void include(struct reader *r)
{
	unsigned paren = r->token[1].kind == '(';
	const struct config_token *token = &r->token[1 + paren];
	char *pattern;
	size_t quote;

	if (r->token_nr != (paren ? 4 : 2) ||
	    (token->kind != 'w' && token->kind != 's')) {
		fault_add(r->faults, r->file, r->token[0].line,
			  "include takes one file name or pattern");
		return;
	}
	if (r->depth == CONFIG_INCLUDE_MAX) {
		fault_add(r->faults, r->file, token->line,
			  "more than %d files included in each other",
			  CONFIG_INCLUDE_MAX);
		r->text->too_deep = true;
		return;
	}
	quote = token->kind == 's';
	pattern = include_pattern(r->file, r->buf + token->at + quote,
				  token->len - 2 * quote);
	if (pattern)
		include_glob(r, pattern, token->line);
	else
		r->faults->no_memory = true;
	free(pattern);
}

static void read_statements(struct reader *r)
{
	int rc = 0;

	while (!r->text->too_deep && (rc = read_tokens(r)) > 0) {
		if (first_is(r, "include"))
			include(r);
		else if ((rc = add_statement(r)))
			break;
	}
	if (rc == -ENOMEM)
		r->faults->no_memory = true;
}

/*
 * NULL with errno. A FIFO with nobody at its other end must not stop us, and
 * what is read at a reload must be what can be read again: there and in an
 * include (regular) only regular files will do.
 */
static FILE *open_file(const char *path, bool regular)
{
	int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY;
	int fd = open(path, regular ? flags | O_NONBLOCK : flags);
	struct stat st;
	FILE *file = NULL;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st))
		goto close_fd;
	errno = S_ISDIR(st.st_mode) ? EISDIR : EOPNOTSUPP;
	if (!regular || S_ISREG(st.st_mode))
		file = fdopen(fd, "r");
	if (file)
		return file;
close_fd:
	close(fd);
	return NULL;
}

/* Reads a whole file; -errno on failure. */
static int slurp(const char *path, bool regular, char **buf, size_t *len)
{
	FILE *file = open_file(path, regular);
	size_t max = 0, got = 0;
	int rc = 0;

	*buf = NULL;
	if (!file)
		return -errno;
	do {
		char *grown = realloc(*buf, (max = 2 * max + 4096) + 1);

		if (!grown || max > FILE_MAX_SIZE) {
			rc = grown ? -EFBIG : -ENOMEM;
			*buf = grown ? grown : *buf;
			break;
		}
		*buf = grown;
		got += fread(*buf + got, 1, max - got, file);
	} while (got == max);
	if (ferror(file))
		rc = -errno;
	fclose(file);
	if (rc)
		free(*buf);
	else
		(*buf)[ *len = got] = '\0';
	return rc;
}

static char *add_file(struct config_text *text, const char *path)
{
	char **grown =
	    realloc(text->file, (text->file_nr + 1) * sizeof(*grown));

	if (!grown)
		return NULL;
	text->file = grown;
	text->file[text->file_nr] = strdup(path);
	return text->file[text->file_nr] ? text->file[text->file_nr++] : NULL;
}

/* Why a file cannot be read; from is the include that names it, or NULL. */
static void add_unreadable(const struct reader *from, const char *path, int rc,
			   struct fault_list *faults)
{
	const char *why =
	    rc == -EOPNOTSUPP ? "is not a regular file" : strerror(-rc);

	if (from)
		fault_add(faults, from->file, from->token[0].line, "%s: %s",
			  path, why);
	else
		fault_add(faults, path, 0, "%s", why);
}

static void read_path(struct config_text *text, const char *path,
		      const struct reader *from, struct fault_list *faults)
{
	struct reader r = {.text = text,
			   .faults = faults,
			   .line = 1,
			   .depth = from ? from->depth + 1 : 0};
	int rc;

	r.file = add_file(text, path);
	if (!r.file) {
		faults->no_memory = true;
		return;
	}
	rc = slurp(path, from || text->regular, &r.buf, &r.len);
	if (rc) {
		add_unreadable(from, path, rc, faults);
		return;
	}
	if (strlen(r.buf) != r.len)
		fault_add(faults, path,
			  1 + count_lines(r.buf, r.buf + strlen(r.buf)),
			  "octet 0 in a text file");
	else
		read_statements(&r);
	free(r.token);
	free(r.buf);
}

void config_text_read(struct config_text *text, const char *path,
		      struct fault_list *faults)
{
	read_path(text, path, NULL, faults);
	/* Cut short by a full disk, say: not a wish to serve nothing. */
	if (!text->statement_nr && !fault_any(faults))
		fault_add(faults, path, 0, "nothing is configured");
}

bool config_token_is(const struct config_statement *statement, unsigned i,
		     const char *word)
{
	const struct config_token *token = &statement->token[i];
	size_t quote = token->kind == 's', len = strlen(word);

	return token->len == len + 2 * quote &&
	       !memcmp(statement->text + token->at + quote, word, len);
}

void config_text_release(struct config_text *text)
{
	for (unsigned i = 0; i < text->statement_nr; i++) {
		free(text->statement[i].text);
		free(text->statement[i].token);
	}
	free(text->statement);
	for (unsigned i = 0; i < text->file_nr; i++)
		free(text->file[i]);
	free(text->file);
	*text = (struct config_text){0};
}
