/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 1034 section 4.3.2 over a zone set: fills in struct answer.
 */
#ifndef QUERY_LOOKUP_H
#define QUERY_LOOKUP_H

#include "query/answer.h"
#include "query/parse.h"

/*
 * query has been parsed, is of class IN and of a type that can be looked up.
 * The name in the query is used up: it holds the last name of the chain after.
 */
void lookup(struct answer *answer, struct query *query,
	    const struct query_config *config, const struct zone_set *set);

/*
 * A name inside the RDATA of an RR of this node, pointers into the question
 * undone. at points to the name; out takes DNS_NAME_MAX. Returns its length.
 */
size_t lookup_rdata_name(const struct node *node, const uint8_t *at,
			 uint8_t *out);

#endif
