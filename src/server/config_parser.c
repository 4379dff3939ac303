/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Running libconfuse over the statements. Every option is a string for
 * libconfuse, given to us by its parse callback; the callback has no argument
 * of ours, hence the one file-wide pointer. What libconfuse keeps is dropped
 * after each statement: it looks through all titles for each new one, which
 * 100,000 zones would feel.
 */
#include <config.h>

#include "server/config_parser.h"

#include <confuse.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECTIONS_MAX 8

static struct config_parser *running;

void parser_fault(struct config_parser *parser, const char *format, ...)
{
	char what[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(what, sizeof(what), format, ap);
	va_end(ap);
	fault_add(parser->faults, parser->at.file, parser->at.line, "%s%s%s",
		  parser->option ? parser->option->name : "",
		  parser->option ? ": " : "", what);
}

char *parser_strdup(struct config_parser *parser, const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		parser->faults->no_memory = true;
	return copy;
}

void *parser_grow(struct config_parser *parser, void *array, unsigned *nr,
		  size_t size)
{
	void **at = array;
	char *grown = *at;

	/* Room doubles at the powers of two. */
	if (!(*nr & (*nr - 1))) {
		grown = realloc(grown, (*nr ? 2u * *nr : 1u) * size);
		if (!grown) {
			parser->faults->no_memory = true;
			return NULL;
		}
		*at = grown;
	}
	grown += (*nr)++ * size;
	memset(grown, 0, size);
	return grown;
}

static const struct config_option *
find_option(const struct config_section *section, const char *name, size_t len)
{
	for (unsigned i = 0; i < section->option_nr; i++)
		if (!strncmp(section->option[i].name, name, len) &&
		    !section->option[i].name[len])
			return &section->option[i];
	return NULL;
}

/* The value as written, for config_compare(). */
static void note_written(struct config_parser *p, size_t i, const char *value)
{
	char **at = &p->config->written[i];
	char *out;

	if (asprintf(&out, "%s%s\n", *at ? *at : "", value) < 0) {
		p->faults->no_memory = true;
		return;
	}
	free(*at);
	*at = out;
}

static int take_value(cfg_t *cfg, cfg_opt_t *opt, const char *value,
		      void *result)
{
	const struct config_option *option =
	    find_option(running->section, opt->name, strlen(opt->name));

	running->at.line = running->statement->line + (unsigned)cfg->line - 1;
	running->option = option;
	option->set(running, value);
	running->option = NULL;
	if (running->section == &config_sections[0])
		note_written(running,
			     (size_t)(option - config_sections[0].option),
			     value);
	*(const char **)result = value;
	return 0;
}

static void take_error(cfg_t *cfg, const char *format, va_list ap)
{
	char what[512];

	running->at.line = running->statement->line + (unsigned)cfg->line - 1;
	vsnprintf(what, sizeof(what), format, ap);
	parser_fault(running, "%s", what);
}

static void fill_options(cfg_opt_t *out, const struct config_section *section)
{
	unsigned i;

	for (i = 0; i < section->option_nr; i++) {
		const char *name = section->option[i].name;

		if (section->option[i].list)
			out[i] = (cfg_opt_t)CFG_STR_LIST_CB(
			    name, NULL, CFGF_NODEFAULT, take_value);
		else
			out[i] = (cfg_opt_t)CFG_STR_CB(
			    name, NULL, CFGF_NODEFAULT, take_value);
	}
	out[i] = (cfg_opt_t)CFG_END();
}

/* libconfuse copies the tables; NULL when memory is out. */
static cfg_t *make_cfg(void)
{
	cfg_opt_t sub[SECTIONS_MAX][CONFIG_SERVER_OPTIONS + 1];
	cfg_opt_t root[SECTIONS_MAX + 1];
	cfg_t *cfg;
	unsigned i;

	for (i = 0; i < config_section_nr; i++) {
		const struct config_section *section = &config_sections[i];
		int flags = CFGF_MULTI | CFGF_NODEFAULT |
			    (section->title ? CFGF_TITLE : 0);

		fill_options(sub[i], section);
		if (section->top)
			root[i] = sub[i][0];
		else
			root[i] =
			    (cfg_opt_t)CFG_SEC(section->name, sub[i], flags);
	}
	root[i] = (cfg_opt_t)CFG_END();
	cfg = cfg_init(root, 0);
	if (cfg)
		cfg_set_error_function(cfg, take_error);
	return cfg;
}

/* Overwrites the tokens from first to last with blanks. */
static void blank_tokens(const struct config_statement *s, unsigned first,
			 unsigned last)
{
	char *p = s->text + s->token[first].at;
	const char *end = s->text + s->token[last].at + s->token[last].len;

	for (; p < end; p++)
		if (*p != '\n')
			*p = ' ';
}

/* The last token of the value that follows the equal sign at token i. */
static unsigned value_end(const struct config_statement *s, unsigned i)
{
	if (s->token[i + 1].kind == '{')
		while (i + 2 < s->token_nr && s->token[i + 1].kind != '}')
			i++;
	return i + 1;
}

static bool is_assignment(const struct config_statement *s, unsigned i)
{
	return s->token[i].kind == 'w' && i + 2 < s->token_nr &&
	       s->token[i + 1].kind == '=';
}

/*
 * An empty list would leave the default, which nobody means who wrote it; and a
 * value that was forgotten is not the name of the option below, nor the end of
 * the section.
 */
static void check_value(struct config_parser *p,
			const struct config_statement *s, unsigned i)
{
	bool empty = i + 3 < s->token_nr && s->token[i + 2].kind == '{' &&
		     s->token[i + 3].kind == '}';

	if (!empty && strchr("ws{", s->token[i + 2].kind) &&
	    !is_assignment(s, i + 2))
		return;
	parser_fault(p, "option '%.*s' has no value", (int)s->token[i].len,
		     s->text + s->token[i].at);
	if (!empty)
		blank_tokens(s, i, i + 1);
}

/* Finds an option that is given again; the first place is remembered. */
static void check_twice(struct config_parser *p, struct config_place *given,
			const struct config_option *option)
{
	struct config_place *first = &given[option - p->section->option];

	if (first->file && !option->list)
		parser_fault(p, "option '%s' was given already at %s:%u",
			     option->name, first->file, first->line);
	*first = p->at;
}

/*
 * Names every option that the section does not have, and blanks it so that
 * libconfuse goes on with the others.
 */
static void check_options(struct config_parser *p)
{
	struct config_place here[CONFIG_SERVER_OPTIONS] = {0};
	const struct config_statement *s = p->statement;
	struct config_place *given = here;

	if (p->section == &config_sections[0] ||
	    p->section == &config_sections[1])
		given = p->given[p->section - config_sections];
	for (unsigned i = 0; i < s->token_nr; i++) {
		const struct config_option *option;
		const char *name = s->text + s->token[i].at;

		p->at.line = s->token[i].line;
		if (s->token[i].kind == 'w' &&
		    memchr(name, '*', s->token[i].len))
			parser_fault(p, "'%.*s' must be quoted",
				     (int)s->token[i].len, name);
		if (!is_assignment(s, i))
			continue;
		option = find_option(p->section, name, s->token[i].len);
		if (option) {
			check_twice(p, given, option);
			check_value(p, s, i);
			continue;
		}
		parser_fault(p, "no option '%.*s' in '%s'",
			     (int)s->token[i].len, name, p->section->name);
		blank_tokens(s, i, value_end(s, i + 1));
	}
}

static const struct config_section *find_section(const char *name, size_t len)
{
	for (unsigned i = 0; i < config_section_nr; i++)
		if (!strncmp(config_sections[i].name, name, len) &&
		    !config_sections[i].name[len])
			return &config_sections[i];
	return NULL;
}

/* Gives one statement to libconfuse; false: it had something to say. */
static bool parse(struct config_parser *p, cfg_t *cfg)
{
	unsigned before = p->faults->nr;
	cfg_opt_t *opt = cfg_getopt(cfg, p->section->name);
	bool good = cfg_parse_buf(cfg, p->statement->text) == CFG_SUCCESS;

	p->at.line = p->statement->line;
	if (!good && p->faults->nr == before)
		parser_fault(p, "'%s' cannot be read", p->section->name);
	if (good && p->section->end)
		p->section->end(p, p->section->title
				       ? cfg_title(cfg_opt_getnsec(opt, 0))
				       : NULL);
	cfg_free_value(opt);
	return good;
}

/* What a block said that was not read to its end. */
static void drop_block(struct config_parser *p)
{
	config_block_release(&p->block);
}

static void run_statement(struct config_parser *p, cfg_t **cfg)
{
	const struct config_statement *s = p->statement;
	const char *name = s->text + s->token[0].at;

	p->at = (struct config_place){s->file, s->line};
	drop_block(p);
	p->section = find_section(name, s->token[0].len);
	if (!p->section) {
		parser_fault(p, "no section or option '%.*s'",
			     (int)s->token[0].len, name);
		return;
	}
	check_options(p);
	if (parse(p, *cfg))
		return;
	/* It may have stopped inside a string; only a new one forgets. */
	cfg_free(*cfg);
	*cfg = make_cfg();
}

void parser_run(struct config_parser *parser)
{
	const struct config_text *text = &parser->config->text;
	cfg_t *cfg = make_cfg();

	running = parser;
	for (unsigned i = 0; cfg && i < text->statement_nr; i++) {
		parser->statement = &text->statement[i];
		run_statement(parser, &cfg);
	}
	running = NULL;
	if (cfg)
		cfg_free(cfg);
	else
		parser->faults->no_memory = true;
}

void parser_absolute(struct config_parser *parser, char **path)
{
	const char *folder =
	    parser->directory ? parser->directory : parser->folder;
	char *out;

	if (!*path || **path == '/')
		return;
	if (asprintf(&out, "%s/%s", folder, *path) < 0) {
		parser->faults->no_memory = true;
		return;
	}
	free(*path);
	*path = out;
}
