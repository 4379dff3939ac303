/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 1034 section 4.3.2 over a zone set: fills in struct answer.
 */
#ifndef QUERY_LOOKUP_H
#define QUERY_LOOKUP_H

#include "query/answer.h"
#include "query/parse.h"

/*
 * Finds the zone of a query that has been parsed, QUERY_OK: query->zone, and
 * where in its index to search. The first step of a look-up, apart so that the
 * next step's memory can be on its way meanwhile.
 */
void lookup_zone(struct query *query, const struct zone_set *set);

/*
 * query is of class IN, of a type that can be looked up, and has its zone.
 * The name in the query is used up: it holds the last name of the chain after.
 */
void lookup(struct answer *answer, struct query *query,
	    const struct query_config *config);

/*
 * A name inside the RDATA of an RR of this node, pointers into the question
 * undone. at points to the name; out takes DNS_NAME_MAX. Returns its length.
 */
size_t lookup_rdata_name(const struct node *node, const uint8_t *at,
			 uint8_t *out);

#endif
