/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The queries of a file, rendered once, id 0. The file is that of dnsperf: a
 * name and a type on each line; what is behind ';' or '#' is a comment.
 */
#ifndef ZCFLOOD_QUERIES_H
#define ZCFLOOD_QUERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Header, the longest question, OPT. */
#define QUERY_MAX (12 + 255 + 4 + 11)

struct query {
	uint32_t offset; /* in octets of struct queries */
	uint16_t len;
	uint16_t question_len; /* name, type, class behind the header */
};

struct queries {
	uint8_t *octets;
	size_t octets_len, octets_max;
	struct query *query;
	uint32_t nr, max;
	bool edns, dnssec;
};

/*
 * Reads them all; "-" is standard input. Returns 0, or -1 after saying on
 * standard error what is wrong, with file and line.
 */
int queries_read(struct queries *queries, const char *path, bool edns,
		 bool dnssec);

static inline const uint8_t *queries_octets(const struct queries *queries,
					    uint32_t number)
{
	return queries->octets + queries->query[number].offset;
}

#endif
