/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * $GENERATE: one line that stands for many records. Its owner and RDATA are
 * templates; for each number both are expanded, the owner is read as a name and
 * the RDATA goes through a scan of its own, so that it may hold anything that
 * a line of the file may.
 *
 *	$			the number
 *	${offset}		number + offset
 *	${offset,width}		at least width digits, zeros in front
 *	${offset,width,base}	d o x X: decimal, octal, hexadecimal;
 *				n N: hexadecimal digits with dots between, least
 *				significant first; the width counts the dots
 *	\$ $$			a dollar
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "zone/loader.h"

#define OWNER_MAX      1024 /* as DNS_NAME_TEXT_MAX, template and expansion */
#define RDATA_TEXT_MAX 8192
#define WIDTH_MAX      255 /* octets in a name */

struct generate {
	uint32_t start, stop, step; /* at most 2^31 - 1 */
	size_t owner_len, rdata_len;
	char owner[OWNER_MAX], rdata[RDATA_TEXT_MAX];
	char text[RDATA_TEXT_MAX]; /* one expansion */
};

/* A template that is being read, and where its expansion goes. */
struct expansion {
	const char *p, *end;
	char *out;
	size_t len, max;
	const char *error;
};

struct modifier {
	int64_t value;
	uint32_t width;
	char base;
};

/* Digits up to 2^31 - 1; false when there are none or too many. */
static bool number(const char **p, const char *end, uint32_t *out)
{
	uint64_t value = 0;
	const char *start = *p;

	while (*p < end && **p >= '0' && **p <= '9' && value <= INT32_MAX)
		value = value * 10 + (uint64_t)(*(*p)++ - '0');
	*out = (uint32_t)value;
	return *p > start && value <= INT32_MAX;
}

static bool skip(const char **p, const char *end, char c)
{
	if (*p == end || **p != c)
		return false;
	(*p)++;
	return true;
}

/* start-stop[/step] */
static bool parse_range(struct generate *generate,
			const struct scan_token *token)
{
	const char *p = token->text, *end = p + token->len;

	generate->step = 1;
	if (!number(&p, end, &generate->start) || !skip(&p, end, '-') ||
	    !number(&p, end, &generate->stop))
		return false;
	if (skip(&p, end, '/') && !number(&p, end, &generate->step))
		return false;
	return p == end && generate->step && generate->start <= generate->stop;
}

static void put(struct expansion *expansion, char c)
{
	if (expansion->len == expansion->max)
		expansion->error = "text gets too long";
	else
		expansion->out[expansion->len++] = c;
}

static void put_nibbles(struct expansion *expansion,
			const struct modifier *modifier)
{
	const char *digit =
	    modifier->base == 'n' ? "0123456789abcdef" : "0123456789ABCDEF";
	uint64_t value = (uint64_t)modifier->value;
	unsigned width = modifier->width;

	for (;;) {
		put(expansion, digit[value & 15]);
		value >>= 4;
		width -= width > 0;
		if (!value && !width)
			return;
		put(expansion, '.');
		width -= width > 0;
		if (!value && !width)
			return;
	}
}

static void put_number(struct expansion *expansion,
		       const struct modifier *modifier)
{
	unsigned long long value = (unsigned long long)modifier->value;
	int width = (int)modifier->width;
	char text[WIDTH_MAX + 32];

	switch (modifier->base) {
	case 'o':
		snprintf(text, sizeof(text), "%0*llo", width, value);
		break;
	case 'x':
		snprintf(text, sizeof(text), "%0*llx", width, value);
		break;
	case 'X':
		snprintf(text, sizeof(text), "%0*llX", width, value);
		break;
	default:
		snprintf(text, sizeof(text), "%0*lld", width, (long long)value);
		break;
	}
	for (const char *p = text; *p; p++)
		put(expansion, *p);
}

/* What is between the braces; false when it makes no sense. */
static bool parse_modifier(struct expansion *expansion,
			   struct modifier *modifier)
{
	const char **p = &expansion->p, *end = expansion->end;
	bool minus = skip(p, end, '-');
	uint32_t offset;

	if (!minus)
		skip(p, end, '+');
	if (!number(p, end, &offset))
		return false;
	modifier->value += minus ? -(int64_t)offset : (int64_t)offset;
	if (skip(p, end, '}'))
		return true;
	if (!skip(p, end, ',') || !number(p, end, &modifier->width) ||
	    modifier->width > WIDTH_MAX)
		return false;
	if (skip(p, end, '}'))
		return true;
	if (!skip(p, end, ',') || *p == end || !**p || !strchr("doxXnN", **p))
		return false;
	modifier->base = *(*p)++;
	return skip(p, end, '}');
}

/* Behind a dollar. */
static void expand_dollar(struct expansion *expansion, uint32_t value)
{
	struct modifier modifier = {.value = value, .base = 'd'};

	if (skip(&expansion->p, expansion->end, '$')) {
		put(expansion, '$');
		return;
	}
	if (skip(&expansion->p, expansion->end, '{') &&
	    !parse_modifier(expansion, &modifier)) {
		expansion->error = "bad ${offset,width,base}";
		return;
	}
	if (modifier.base == 'n' || modifier.base == 'N') {
		if (modifier.value >= 0) {
			put_nibbles(expansion, &modifier);
			return;
		}
	} else if (modifier.value >= 0 || modifier.base == 'd') {
		put_number(expansion, &modifier);
		return;
	}
	expansion->error = "number below 0";
}

/* Expands a template for one number. NULL, or what is wrong with it. */
static const char *expand(struct expansion *expansion, uint32_t value)
{
	while (expansion->p < expansion->end && !expansion->error) {
		char c = *expansion->p++;

		if (c == '$') {
			expand_dollar(expansion, value);
			continue;
		}
		put(expansion, c);
		if (c == '\\' && expansion->p < expansion->end)
			put(expansion, *expansion->p++);
	}
	return expansion->error;
}

static int generate_fault(const struct loader *loader,
			  const struct load_file *file, uint64_t line,
			  const char *what)
{
	zone_report(loader->report, ZONE_ERROR, file->path, line,
		    "$GENERATE: %s", what);
	return -EINVAL;
}

/* The owner of one number, into the given name. */
static int make_owner(struct loader *loader, struct load_file *file,
		      struct generate *generate, uint32_t value,
		      struct record_header *header)
{
	struct expansion expansion = {
	    .p = generate->owner,
	    .end = generate->owner + generate->owner_len,
	    .out = generate->text,
	    .max = OWNER_MAX,
	};
	const char *error = expand(&expansion, value);
	struct scan_token token = {
	    .text = generate->text, .len = expansion.len, .line = header->line};

	if (error)
		return generate_fault(loader, file, header->line, error);
	return load_name(loader, file, &token, header->owner);
}

static int make_record(struct loader *loader, struct load_file *file,
		       struct generate *generate, uint32_t value,
		       struct record_header *header)
{
	struct expansion expansion = {
	    .p = generate->rdata,
	    .end = generate->rdata + generate->rdata_len,
	    .out = generate->text,
	    .max = sizeof(generate->text),
	};
	struct scan scan;
	const char *error;
	int rc = make_owner(loader, file, generate, value, header);

	if (rc)
		return rc;
	error = expand(&expansion, value);
	if (error)
		return generate_fault(loader, file, header->line, error);
	scan_init_text(&scan, generate->text, expansion.len);
	scan.line = header->line;
	scan.line_start = false;
	scan.in_line = true; /* it is the rest of a line: ends in SCAN_EOL */
	rc = load_rdata(loader, file, &scan, header);
	scan_release(&scan);
	return rc;
}

static int make_records(struct loader *loader, struct load_file *file,
			struct generate *generate, struct record_header *header)
{
	uint8_t owner[DNS_NAME_MAX];
	uint64_t value = generate->start;
	int rc = 0;

	if ((generate->stop - generate->start) / generate->step >= GENERATE_MAX)
		return generate_fault(loader, file, header->line,
				      "more than 1048576 records");
	header->owner = owner;
	for (; value <= generate->stop && !rc; value += generate->step)
		rc = make_record(loader, file, generate, (uint32_t)value,
				 header);
	header->owner = NULL;
	return rc;
}

/*
 * Copies the RDATA template. The quotes around it only hold it together; those
 * inside come out of their escapes.
 */
static size_t copy_rdata(char *out, const struct scan_token *token,
			 enum scan_kind kind)
{
	size_t len = 0;

	for (size_t i = 0; i < token->len; i++) {
		char c = token->text[i];

		if (c != '\\' || i + 1 == token->len) {
			out[len++] = c;
			continue;
		}
		if (kind == SCAN_WORD || token->text[i + 1] != '"')
			out[len++] = c;
		out[len++] = token->text[++i];
	}
	return len;
}

static int read_rdata(struct loader *loader, struct load_file *file,
		      struct generate *generate)
{
	struct scan_token token;
	enum scan_kind kind;
	int rc = load_argument(loader, file, "$GENERATE without RDATA", &kind,
			       &token);

	if (rc)
		return rc;
	if (token.len > sizeof(generate->rdata))
		return load_fault(loader, file, "RDATA is too long:", &token);
	generate->rdata_len = copy_rdata(generate->rdata, &token, kind);
	kind = scan_next(&file->scan, &token);
	if (kind == SCAN_ERROR)
		return load_scan_fault(loader, file);
	if (kind == SCAN_WORD || kind == SCAN_QUOTED)
		return load_fault(loader, file,
				  "$GENERATE wants RDATA of more than one word "
				  "in quotes; extra text",
				  &token);
	return 0;
}

static int read_owner(struct loader *loader, struct load_file *file,
		      struct generate *generate)
{
	struct scan_token token;
	enum scan_kind kind;
	int rc = load_argument(loader, file, "$GENERATE without an owner",
			       &kind, &token);

	if (rc)
		return rc;
	if (kind != SCAN_WORD || token.len > sizeof(generate->owner))
		return load_fault(loader, file, "bad owner", &token);
	memcpy(generate->owner, token.text, token.len);
	generate->owner_len = token.len;
	return 0;
}

static int read_template(struct loader *loader, struct load_file *file,
			 struct generate *generate,
			 struct record_header *header)
{
	struct scan_token token;
	enum scan_kind kind;
	int rc = load_argument(loader, file, "$GENERATE without a range", &kind,
			       &token);

	if (rc)
		return rc;
	header->line = token.line;
	if (kind != SCAN_WORD || !parse_range(generate, &token))
		return load_fault(loader, file, "bad range", &token);
	rc = read_owner(loader, file, generate);
	if (rc)
		return rc;
	kind = scan_next(&file->scan, &token);
	rc = load_header(loader, file, kind, &token, header);
	return rc ? rc : read_rdata(loader, file, generate);
}

int load_generate(struct loader *loader, struct load_file *file)
{
	struct generate *generate = malloc(sizeof(*generate));
	struct record_header header = {0};
	int rc;

	if (!generate) {
		generate_fault(loader, file, file->scan.line, "out of memory");
		return -ENOMEM;
	}
	rc = read_template(loader, file, generate, &header);
	if (!rc)
		rc = make_records(loader, file, generate, &header);
	free(generate);
	return rc;
}
