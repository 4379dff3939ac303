/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Zones of the configuration: blocks, templates, folders of zone files.
 *
 * A block is taken apart only when all is read, since its template may stand
 * below it. All zones are then sorted by name; a name that is there twice is
 * found beside itself.
 */
#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/config_parser.h"
#include "server/config_value.h"

#define FILE_SUFFIX	 ".zone"
#define DEFAULT_TEMPLATE "default"

#define WORD_ANY  "any"
#define WORD_NONE "none"

void config_block_release(struct config_block *block)
{
	free(block->file);
	free(block->template);
	acl_put(block->transfer);
	*block = (struct config_block){0};
}

static void set_file(struct config_parser *p, const char *value)
{
	if (!*value)
		parser_fault(p, "empty path");
	free(p->block.file);
	p->block.file = parser_strdup(p, value);
	p->block.file_at = p->at;
}

static void set_template(struct config_parser *p, const char *value)
{
	free(p->block.template);
	p->block.template = parser_strdup(p, value);
	p->block.template_at = p->at;
}

static void add_prefix(struct config_parser *p, const char *text)
{
	struct acl_prefix prefix;

	switch (acl_prefix_parse(&prefix, text)) {
	case 0:
		if (acl_add(p->block.transfer, &prefix))
			p->faults->no_memory = true;
		break;
	case -ERANGE:
		parser_fault(p, "prefix '%s' is longer than the address", text);
		break;
	case -EDOM:
		parser_fault(p, "'%s' has bits set behind its prefix", text);
		break;
	default:
		parser_fault(p,
			     "bad address '%s': an IP address, "
			     "address/bits, any or none",
			     text);
	}
}

/* An empty list differs from none: it overrides that of the template. */
static void set_allow_transfer(struct config_parser *p, const char *value)
{
	if (!p->block.transfer)
		p->block.transfer = acl_new();
	if (!p->block.transfer) {
		p->faults->no_memory = true;
	} else if (p->block.transfer_none ||
		   (!strcmp(value, WORD_NONE) && p->block.transfer->nr)) {
		parser_fault(p, "'%s' beside another value", WORD_NONE);
	} else if (!strcmp(value, WORD_NONE)) {
		p->block.transfer_none = true;
	} else if (!strcmp(value, WORD_ANY)) {
		add_prefix(p, "0.0.0.0/0");
		add_prefix(p, "::/0");
	} else {
		add_prefix(p, value);
	}
}

const struct config_option config_zone_options[] = {
    {"file", set_file, false},
    {"allow-transfer", set_allow_transfer, true},
    {"template", set_template, false}, /* not in a template */
};

static void set_zone_dir(struct config_parser *p, const char *value)
{
	struct config_zone_dir *dir =
	    parser_grow(p, &p->zone_dir, &p->zone_dir_nr, sizeof(*dir));

	if (!*value)
		parser_fault(p, "empty path");
	if (!dir)
		return;
	dir->path = parser_strdup(p, value);
	dir->at = p->at;
}

const struct config_option config_zone_dir_option = {"zone-dir", set_zone_dir,
						     true};

void config_zone_end(struct config_parser *p, const char *title)
{
	struct config_pending *zone =
	    parser_grow(p, &p->pending, &p->pending_nr, sizeof(*zone));

	if (zone) {
		zone->title = parser_strdup(p, title);
		zone->block = p->block;
		zone->at = p->at;
		p->block = (struct config_block){0};
	} else {
		config_block_release(&p->block);
	}
}

static struct config_template *find_template(struct config_parser *p,
					     const char *name)
{
	for (unsigned i = 0; i < p->template_nr; i++)
		if (!strcmp(p->template[i].name, name))
			return &p->template[i];
	return NULL;
}

void config_template_end(struct config_parser *p, const char *title)
{
	struct config_template *template = find_template(p, title);

	if (template) {
		parser_fault(p, "template '%s' was given already at %s:%u",
			     title, template->at.file, template->at.line);
		config_block_release(&p->block);
		return;
	}
	template =
	    parser_grow(p, &p->template, &p->template_nr, sizeof(*template));
	if (template) {
		template->name = parser_strdup(p, title);
		template->file = p->block.file;
		template->transfer = p->block.transfer;
		template->at = p->at;
		p->block = (struct config_block){0};
	} else {
		config_block_release(&p->block);
	}
}

/*
 * Takes file. Name is as written in a block or before ".zone". NULL when there
 * is none, which has been said.
 */
static struct config_zone *add_zone(struct config_parser *p, const char *name,
				    char *file, bool from_dir, unsigned seq)
{
	uint8_t wire[DNS_NAME_MAX], lower[DNS_NAME_MAX];
	char text[DNS_NAME_TEXT_MAX];
	struct config_zone *zone;
	size_t len;
	int rc;

	rc = dns_name_from_text(wire, name, strlen(name), NULL);
	if (rc < 0) {
		parser_fault(p, "bad zone name '%s'", name);
		free(file);
		return NULL;
	}
	len = dns_name_lower(lower, wire);
	dns_name_to_text(text, lower);
	zone = parser_grow(p, &p->config->zone, &p->config->zone_nr,
			   sizeof(*zone));
	if (!zone) {
		free(file);
		return NULL;
	}
	zone->file = file;
	zone->name = parser_strdup(p, text);
	zone->at_file = p->at.file;
	zone->at_line = p->at.line;
	zone->seq = seq;
	zone->from_dir = from_dir;
	zone->apex = malloc(len);
	if (zone->apex)
		memcpy(zone->apex, lower, len);
	else
		p->faults->no_memory = true;
	return zone;
}

/* Name without its final dot, as templates want it. */
static char *template_file(struct config_parser *p,
			   const struct config_pending *zone,
			   const struct config_template *template)
{
	const char *name = zone->block.template;
	char *file;

	if (!template || !template->file) {
		parser_fault(p, "zone '%s' has no file, nor has template '%s'",
			     zone->title, name ? name : DEFAULT_TEMPLATE);
		return NULL;
	}
	file = value_expand(template->file, zone->title);
	if (!file && errno == EINVAL) {
		p->at = template->at;
		parser_fault(p, "'%%' is followed by neither s nor %% in '%s'",
			     template->file);
	} else if (!file) {
		p->faults->no_memory = true;
	}
	return file;
}

static void check_file(struct config_parser *p, const char *file)
{
	if (p->check == CONFIG_START && access(file, F_OK) && errno == ENOENT)
		parser_fault(p, "%s: %s", file, strerror(ENOENT));
}

/* Who may transfer a zone: as it says, or else as its template does. */
static struct acl *transfer_of(const struct config_block *block,
			       const struct config_template *template)
{
	if (block && block->transfer)
		return acl_get(block->transfer);
	return template ? acl_get(template->transfer) : NULL;
}

static void finish_pending(struct config_parser *p, struct config_pending *zone)
{
	const char *name = zone->block.template;
	const struct config_template *template =
	    find_template(p, name ? name : DEFAULT_TEMPLATE);
	struct config_zone *added;
	char *file = zone->block.file;
	bool own_file = file;

	zone->block.file = NULL;
	if (!template && name) {
		p->at = zone->block.template_at;
		parser_fault(p, "no template '%s'", name);
		free(file);
		return;
	}
	p->at = zone->at;
	if (zone->title && !file)
		file = template_file(p, zone, template);
	if (!zone->title || !file) {
		free(file);
		return;
	}
	parser_absolute(p, &file);
	p->at = own_file ? zone->block.file_at : zone->at;
	check_file(p, file);
	p->at = zone->at;
	added = add_zone(p, zone->title, file, false,
			 (unsigned)(zone - p->pending));
	if (added)
		added->transfer = transfer_of(&zone->block, template);
}

/* One entry of a folder; others than NAME.zone are passed over. */
static void dir_entry(struct config_parser *p,
		      const struct config_zone_dir *dir,
		      const struct dirent *entry)
{
	size_t len = strlen(entry->d_name), suffix = strlen(FILE_SUFFIX);
	char name[sizeof(entry->d_name)];
	struct config_zone *added;
	char *file;

	if (len <= suffix || entry->d_name[0] == '.' ||
	    entry->d_type == DT_DIR ||
	    strcmp(entry->d_name + len - suffix, FILE_SUFFIX))
		return;
	memcpy(name, entry->d_name, len - suffix);
	name[len - suffix] = '\0';
	if (asprintf(&file, "%s/%s", dir->path, entry->d_name) < 0) {
		p->faults->no_memory = true;
		return;
	}
	/* "root" is what a template makes of the root zone's name */
	added = add_zone(p, strcmp(name, "root") ? name : ".", file, true,
			 (unsigned)(dir - p->zone_dir));
	if (added)
		added->transfer =
		    transfer_of(NULL, find_template(p, DEFAULT_TEMPLATE));
}

static void finish_dir(struct config_parser *p, struct config_zone_dir *dir)
{
	struct dirent *entry;
	DIR *open;

	p->at = dir->at;
	if (!dir->path)
		return;
	parser_absolute(p, &dir->path);
	open = opendir(dir->path);
	if (!open) {
		parser_fault(p, "%s: %s", dir->path, strerror(errno));
		return;
	}
	while ((entry = readdir(open)))
		dir_entry(p, dir, entry);
	closedir(open);
}

static int compare_zones(const void *x, const void *y)
{
	const struct config_zone *a = x, *b = y;
	int rc = dns_name_cmp(a->apex, b->apex);

	if (rc)
		return rc;
	if (a->from_dir != b->from_dir)
		return a->from_dir - b->from_dir;
	if (a->seq != b->seq)
		return a->seq < b->seq ? -1 : 1;
	/* A folder has no order of its own. */
	return strcmp(a->file, b->file);
}

static void free_zone(struct config_zone *zone)
{
	free(zone->apex);
	free(zone->name);
	free(zone->file);
	acl_put(zone->transfer);
}

/* Keeps the first of each name; all but files beside a block are faults. */
static void drop_doubles(struct config_parser *p)
{
	struct config_zone *zone = p->config->zone;
	unsigned kept = 0;

	for (unsigned i = 0; i < p->config->zone_nr; i++) {
		struct config_zone *first = &zone[kept ? kept - 1 : 0];

		if (!kept || !dns_name_eq(first->apex, zone[i].apex)) {
			zone[kept++] = zone[i];
			continue;
		}
		p->at = (struct config_place){zone[i].at_file, zone[i].at_line};
		if (!zone[i].from_dir)
			parser_fault(p, "zone %s was given already at %s:%u",
				     zone[i].name, first->at_file,
				     first->at_line);
		else if (first->from_dir)
			parser_fault(p, "zone %s has two files: %s and %s",
				     zone[i].name, first->file, zone[i].file);
		free_zone(&zone[i]);
	}
	p->config->zone_nr = kept;
}

void config_zone_finish(struct config_parser *p)
{
	for (unsigned i = 0; i < p->pending_nr; i++)
		finish_pending(p, &p->pending[i]);
	for (unsigned i = 0; i < p->zone_dir_nr; i++)
		finish_dir(p, &p->zone_dir[i]);
	/* An apex is missing when memory was out. */
	if (p->faults->no_memory || !p->config->zone_nr)
		return;
	qsort(p->config->zone, p->config->zone_nr, sizeof(*p->config->zone),
	      compare_zones);
	drop_doubles(p);
}

void config_zone_release(struct config_parser *p)
{
	config_block_release(&p->block);
	for (unsigned i = 0; i < p->pending_nr; i++) {
		free(p->pending[i].title);
		config_block_release(&p->pending[i].block);
	}
	free(p->pending);
	for (unsigned i = 0; i < p->template_nr; i++) {
		free(p->template[i].name);
		free(p->template[i].file);
		acl_put(p->template[i].transfer);
	}
	free(p->template);
	for (unsigned i = 0; i < p->zone_dir_nr; i++)
		free(p->zone_dir[i].path);
	free(p->zone_dir);
}
