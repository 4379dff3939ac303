/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading and rendering the query file. */
#include "zcflood/queries.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/octets.h"
#include "dns/message.h"
#include "dns/name.h"
#include "dns/type.h"

/* What is asked of a server that may fragment nothing, DNS flag day 2020. */
#define EDNS_PAYLOAD 1232

static int grow(struct queries *queries)
{
	void *fresh;

	if (queries->nr == queries->max) {
		queries->max = queries->max ? 2 * queries->max : 1024;
		fresh = realloc(queries->query,
				queries->max * sizeof(*queries->query));
		if (!fresh)
			return -ENOMEM;
		queries->query = fresh;
	}
	if (queries->octets_max - queries->octets_len < QUERY_MAX) {
		queries->octets_max = 2 * queries->octets_max + 65536;
		fresh = realloc(queries->octets, queries->octets_max);
		if (!fresh)
			return -ENOMEM;
		queries->octets = fresh;
	}
	return 0;
}

static size_t put_opt(uint8_t *out, bool dnssec)
{
	memset(out, 0, DNS_OPT_LEN);
	put_u16(out + 1, DNS_TYPE_OPT);
	put_u16(out + 3, EDNS_PAYLOAD);
	put_u16(out + 7, dnssec ? DNS_EDNS_DO : 0);
	return DNS_OPT_LEN;
}

/* Behind the header a name of name_len octets has been written. */
static void finish(struct queries *queries, uint8_t *out, size_t name_len,
		   uint16_t type)
{
	struct query *query = &queries->query[queries->nr++];
	size_t len = DNS_HEADER_LEN + name_len;

	memset(out, 0, DNS_HEADER_LEN);
	put_u16(out + 4, 1); /* QDCOUNT */
	put_u16(out + len, type);
	put_u16(out + len + 2, DNS_CLASS_IN);
	len += 4;
	query->question_len = (uint16_t)(name_len + 4);
	if (queries->edns) {
		put_u16(out + 10, 1); /* ARCOUNT */
		len += put_opt(out + len, queries->dnssec);
	}
	query->len = (uint16_t)len;
	query->offset = (uint32_t)queries->octets_len;
	queries->octets_len += len;
}

static const char *put_query(struct queries *queries, const char *name,
			     const char *type_text)
{
	uint8_t *out;
	int name_len, type;

	if (!type_text)
		return "the type is missing";
	type = dns_type_from_text(type_text, strlen(type_text));
	if (type < 0)
		return "no such type";
	if (queries->octets_len > UINT32_MAX - QUERY_MAX || grow(queries))
		return "too many queries";
	out = queries->octets + queries->octets_len;
	name_len =
	    dns_name_from_text(out + DNS_HEADER_LEN, name, strlen(name), NULL);
	if (name_len < 0)
		return "bad name";
	finish(queries, out, (size_t)name_len, (uint16_t)type);
	return NULL;
}

/* Returns what is wrong with the line, or NULL. */
static const char *read_line(struct queries *queries, char *line)
{
	static const char blank[] = " \t\r\n";
	char *state, *name, *type;
	const char *fault;

	if (line[strspn(line, blank)] == ';' ||
	    line[strspn(line, blank)] == '#')
		return NULL;
	name = strtok_r(line, blank, &state);
	if (!name)
		return NULL;
	type = strtok_r(NULL, blank, &state);
	fault = put_query(queries, name, type);
	if (!fault && strtok_r(NULL, blank, &state))
		return "more than a name and a type";
	return fault;
}

static int read_lines(struct queries *queries, FILE *file, const char *path)
{
	char *line = NULL;
	size_t size = 0;
	uint64_t number = 0;
	const char *fault = NULL;

	while (!fault && getline(&line, &size, file) >= 0) {
		number++;
		fault = read_line(queries, line);
	}
	free(line);
	if (fault)
		fprintf(stderr, "zcflood: %s:%llu: %s\n", path,
			(unsigned long long)number, fault);
	else if (ferror(file))
		fprintf(stderr, "zcflood: %s: cannot be read\n", path);
	else if (!queries->nr)
		fprintf(stderr, "zcflood: %s: no query in it\n", path);
	else
		return 0;
	return -1;
}

int queries_read(struct queries *queries, const char *path, bool edns,
		 bool dnssec)
{
	FILE *file = strcmp(path, "-") ? fopen(path, "r") : stdin;
	int result;

	memset(queries, 0, sizeof(*queries));
	queries->edns = edns;
	queries->dnssec = dnssec;
	if (!file) {
		fprintf(stderr, "zcflood: %s: %s\n", path, strerror(errno));
		return -1;
	}
	result = read_lines(queries, file, path);
	if (file != stdin)
		fclose(file);
	return result;
}
