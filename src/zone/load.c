/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a zone file to a snapshot: opens the file, hands each logical line to
 * record.c or directive.c, and lets the builder freeze what came of it. After
 * a fault the next line is read, so that one run shows several of them; the
 * zone is refused all the same.
 */
#include "zone/load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "zone/loader.h"
#include "zone/source.h"

int load_fault(const struct loader *loader, const struct load_file *file,
	       const char *what, const struct scan_token *token)
{
	char text[SCAN_TEXT_MAX];

	scan_token_text(text, token);
	zone_report(loader->report, ZONE_ERROR, file->path, token->line,
		    "%s '%s'", what, text);
	return -EINVAL;
}

int load_scan_fault(const struct loader *loader, const struct load_file *file)
{
	zone_report(loader->report, ZONE_ERROR, file->path,
		    file->scan.error_line, "%s", file->scan.error);
	return -EINVAL;
}

static bool is_directive(enum scan_kind kind, const struct scan_token *token)
{
	return kind == SCAN_WORD && token->text[0] == '$' && !token->indented;
}

static int load_line(struct loader *loader, struct load_file *file,
		     enum scan_kind kind, struct scan_token *token)
{
	if (kind == SCAN_ERROR)
		return load_scan_fault(loader, file);
	if (is_directive(kind, token))
		return load_directive(loader, file, token);
	return load_record(loader, file, kind, token);
}

/* Behind a fault: on to the next line, if there is to be one. */
static int recover(const struct loader *loader, struct load_file *file)
{
	if (scan_skip_line(&file->scan) == SCAN_ERROR)
		load_scan_fault(loader, file);
	if (loader->report->error_nr - loader->error_base >= ZONE_REPORT_MAX)
		return -ECANCELED;
	return 0;
}

static int read_lines(struct loader *loader, struct load_file *file)
{
	struct scan_token token;
	int rc = 0;

	while (!rc) {
		enum scan_kind kind = scan_next(&file->scan, &token);

		if (kind == SCAN_EOF)
			break;
		if (kind == SCAN_EOL) /* behind a fault at the end of file */
			continue;
		rc = load_line(loader, file, kind, &token);
		if (rc == -EINVAL)
			rc = recover(loader, file);
	}
	return rc;
}

static void init_file(struct load_file *file, const struct load_file *parent,
		      const uint8_t *origin)
{
	file->parent = parent;
	memcpy(file->origin, origin, dns_name_len(origin));
	file->depth = parent ? parent->depth + 1 : 0;
	file->has_owner = parent && parent->has_owner;
	if (file->has_owner)
		memcpy(file->owner, parent->owner, dns_name_len(parent->owner));
}

int load_fd(struct loader *loader, const struct load_file *parent, int fd,
	    const uint8_t *origin)
{
	struct load_file file;
	int rc;

	init_file(&file, parent, origin);
	file.source = loader->result->source_nr - 1;
	file.path = loader->result->source[file.source].path;
	rc = scan_init(&file.scan, fd);
	if (rc) {
		zone_report(loader->report, ZONE_ERROR, file.path, 0,
			    "out of memory");
		return rc;
	}
	rc = read_lines(loader, &file);
	/* Half a file, or half of two: an editor or a copy is at work. */
	if (!rc &&
	    source_is_changed(&loader->result->source[file.source], fd)) {
		zone_report(loader->report, ZONE_ERROR, file.path, 0,
			    "changed while it was read");
		rc = -EINVAL;
	}
	scan_release(&file.scan);
	return rc;
}

/* Every fault was reported, whatever rc says of the last one. */
static int read_zone(struct loader *loader, int fd, const uint8_t *apex)
{
	int rc = load_fd(loader, NULL, fd, apex);

	if (rc == -ECANCELED ||
	    (!rc && loader->report->error_nr != loader->error_base))
		rc = -EINVAL;
	return rc;
}

static int build(struct loader *loader, int fd, const uint8_t *apex,
		 struct snapshot *previous)
{
	struct zone_load_result *result = loader->result;
	int rc;

	loader->builder = zone_build_new(apex, previous, result->source[0].size,
					 loader->report);
	if (!loader->builder) {
		close(fd);
		zone_report(loader->report, ZONE_ERROR, NULL, 0,
			    "out of memory");
		return -ENOMEM;
	}
	rc = read_zone(loader, fd, apex);
	if (!rc)
		rc = zone_build_end(loader->builder, &result->snapshot);
	if (!rc)
		result->record_nr = result->snapshot->record_nr;
	zone_build_free(loader->builder);
	return rc;
}

int zone_load(struct zone_load_result *result, const uint8_t *apex,
	      const char *path, struct snapshot *previous,
	      struct zone_report *report)
{
	struct loader *loader;
	int fd, rc;

	memset(result, 0, sizeof(*result));
	fd = source_open(result, path);
	if (fd < 0) {
		zone_report(report, ZONE_ERROR, path, 0, "%s",
			    source_error(fd));
		return fd;
	}
	loader = malloc(sizeof(*loader));
	if (!loader) {
		close(fd);
		zone_report(report, ZONE_ERROR, path, 0, "out of memory");
		return -ENOMEM;
	}
	/* Not the RDATA: 64 KiB for each of 100,000 small zones add up. */
	memset(loader, 0, offsetof(struct loader, rdata));
	loader->report = report;
	loader->result = result;
	loader->error_base = report->error_nr;
	rc = build(loader, fd, apex, previous);
	free(loader);
	return rc;
}

void zone_load_release(struct zone_load_result *result)
{
	snapshot_put(result->snapshot);
	result->snapshot = NULL;
	source_release(result);
}
