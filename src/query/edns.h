/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The OPT record of a reply (RFC 6891): sized before the sections are written,
 * so that it always fits, and written after them.
 */
#ifndef QUERY_EDNS_H
#define QUERY_EDNS_H

#include "query/answer.h"
#include "query/parse.h"

struct edns {
	const struct query *query;
	const struct answer *answer;
	const struct query_config *config;
	uint16_t len; /* octets of the whole OPT */
	bool options; /* it has some */
};

/*
 * For a query that has an OPT. answer may be NULL (CH). room is what header and
 * question leave of the limit, at least DNS_OPT_LEN; options that do not fit
 * are left out as a whole.
 */
void edns_prepare(struct edns *edns, const struct query *query,
		  const struct answer *answer,
		  const struct query_config *config, size_t room);

/* Writes len octets; the RCODE's upper bits go here. Returns len. */
size_t edns_write(const struct edns *edns, uint16_t rcode, uint8_t *out);

#endif
