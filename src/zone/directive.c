/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Directives of a master file: $ORIGIN and $INCLUDE (RFC 1035 section 5.1),
 * $TTL (RFC 2308 section 4); $GENERATE has its own file. Nothing may stand
 * behind their arguments.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/codec.h"
#include "zone/loader.h"
#include "zone/source.h"

int load_line_end(const struct loader *loader, struct load_file *file)
{
	struct scan_token token;

	switch (scan_next(&file->scan, &token)) {
	case SCAN_ERROR:
		return load_scan_fault(loader, file);
	case SCAN_WORD:
	case SCAN_QUOTED:
		return load_fault(loader, file, "extra text", &token);
	default:
		return 0;
	}
}

int load_argument(const struct loader *loader, struct load_file *file,
		  const char *missing, enum scan_kind *kind,
		  struct scan_token *token)
{
	*kind = scan_next(&file->scan, token);
	switch (*kind) {
	case SCAN_ERROR:
		return load_scan_fault(loader, file);
	case SCAN_WORD:
	case SCAN_QUOTED:
		return 0;
	default:
		zone_report(loader->report, ZONE_ERROR, file->path, token->line,
			    "%s", missing);
		return -EINVAL;
	}
}

static int set_origin(struct loader *loader, struct load_file *file)
{
	uint8_t origin[DNS_NAME_MAX];
	enum scan_kind kind;
	struct scan_token token;
	int rc = load_argument(loader, file, "$ORIGIN without a name", &kind,
			       &token);

	if (!rc)
		rc = load_name(loader, file, &token, origin);
	if (!rc)
		rc = load_line_end(loader, file);
	if (!rc)
		memcpy(file->origin, origin, dns_name_len(origin));
	return rc;
}

static int set_ttl(struct loader *loader, struct load_file *file)
{
	enum scan_kind kind;
	struct scan_token token;
	uint32_t ttl;
	int rc =
	    load_argument(loader, file, "$TTL without a TTL", &kind, &token);

	if (!rc)
		rc = load_ttl(loader, file, &token, &ttl);
	if (!rc)
		rc = load_line_end(loader, file);
	if (rc)
		return rc;
	loader->has_default_ttl = true;
	loader->default_ttl = ttl;
	return 0;
}

/*
 * The path that a token names, below the folder of the including file unless
 * it is absolute: the tree of files means the same wherever it is moved and
 * whatever the working directory is (B-ZS09).
 */
static int include_path(char out[PATH_MAX], const struct load_file *file,
			const struct scan_token *token)
{
	const char *slash = strrchr(file->path, '/');
	size_t len = 0;
	int rc;

	if (!token->len)
		return -EINVAL;
	if (*token->text != '/' && slash)
		len = (size_t)(slash + 1 - file->path);
	if (len >= PATH_MAX)
		return -ENAMETOOLONG;
	memcpy(out, file->path, len);
	rc = escape_decode((uint8_t *)out + len, PATH_MAX - 1 - len,
			   token->text, token->len);
	if (rc < 0)
		return rc == -ENOSPC ? -ENAMETOOLONG : -EINVAL;
	if (memchr(out + len, '\0', (size_t)rc))
		return -EINVAL;
	out[len + (size_t)rc] = '\0';
	return 0;
}

/* "main > a > b" for the file b; cut when it gets long. */
static size_t chain(char *out, size_t max, const struct load_file *file)
{
	size_t len = 0;
	int written;

	if (file->parent)
		len = chain(out, max, file->parent);
	written = snprintf(out + len, max - len, "%s%s",
			   file->parent ? " > " : "", file->path);
	len += written > 0 ? (size_t)written : 0;
	return len < max ? len : max - 1;
}

static int include_fault(const struct loader *loader,
			 const struct load_file *file, uint64_t line,
			 const char *path, const char *what)
{
	char files[600];

	chain(files, sizeof(files), file);
	zone_report(loader->report, ZONE_ERROR, file->path, line,
		    "$INCLUDE '%s': %s (%s)", path, what, files);
	return -EINVAL;
}

/* The last source is a file that is being read already. */
static bool is_loop(const struct loader *loader, const struct load_file *file)
{
	const struct zone_source *all = loader->result->source;
	const struct zone_source *last = &all[loader->result->source_nr - 1];

	for (; file; file = file->parent) {
		const struct zone_source *source = &all[file->source];

		if (source->inode == last->inode &&
		    source->device == last->device)
			return true;
	}
	return false;
}

struct include {
	char path[PATH_MAX];
	uint8_t origin[DNS_NAME_MAX];
	uint64_t line;
};

static int include_file(struct loader *loader, struct load_file *file,
			const struct include *include)
{
	int fd;

	if (file->depth == ZONE_INCLUDE_MAX)
		return include_fault(loader, file, include->line, include->path,
				     "include depth is over 10");
	fd = source_open(loader->result, include->path);
	if (fd < 0)
		return include_fault(loader, file, include->line, include->path,
				     source_error(fd));
	if (is_loop(loader, file)) {
		close(fd);
		return include_fault(loader, file, include->line, include->path,
				     "include depth: file includes itself");
	}
	return load_fd(loader, file, fd, include->origin);
}

/* The origin argument, which may be left out, and the end of the line. */
static int include_origin(struct loader *loader, struct load_file *file,
			  struct include *include)
{
	struct scan_token token;
	enum scan_kind kind = scan_next(&file->scan, &token);
	int rc;

	memcpy(include->origin, file->origin, dns_name_len(file->origin));
	if (kind == SCAN_ERROR)
		return load_scan_fault(loader, file);
	if (kind != SCAN_WORD && kind != SCAN_QUOTED)
		return 0;
	rc = load_name(loader, file, &token, include->origin);
	return rc ? rc : load_line_end(loader, file);
}

static int load_include(struct loader *loader, struct load_file *file)
{
	struct include include;
	enum scan_kind kind;
	struct scan_token token;
	int rc = load_argument(loader, file, "$INCLUDE without a file name",
			       &kind, &token);

	if (rc)
		return rc;
	rc = include_path(include.path, file, &token);
	if (rc)
		return load_fault(loader, file, "bad file name", &token);
	include.line = token.line;
	rc = include_origin(loader, file, &include);
	return rc ? rc : include_file(loader, file, &include);
}

int load_directive(struct loader *loader, struct load_file *file,
		   const struct scan_token *token)
{
	static const struct {
		const char *name;
		int (*load)(struct loader *, struct load_file *);
	} directives[] = {
	    {"$ORIGIN", set_origin},
	    {"$TTL", set_ttl},
	    {"$INCLUDE", load_include},
	    {"$GENERATE", load_generate},
	};

	for (size_t i = 0; i < sizeof(directives) / sizeof(*directives); i++)
		if (token->len == strlen(directives[i].name) &&
		    !strncasecmp(token->text, directives[i].name, token->len))
			return directives[i].load(loader, file);
	return load_fault(loader, file, "unknown directive", token);
}
