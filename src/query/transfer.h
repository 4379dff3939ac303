/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * AXFR (RFC 5936) and IXFR (RFC 1995) over TCP: who gets the zone. What is
 * sent is made by transfer/axfr.
 */
#ifndef QUERY_TRANSFER_H
#define QUERY_TRANSFER_H

#include "query/answer.h"
#include "query/parse.h"

/*
 * Decides on a query of type AXFR or IXFR. Either ctx->transfer is set, or
 * answer says why not, or the result is true: the client of an IXFR has the
 * version served or a newer one, and query has become one for the SOA.
 */
bool transfer_decide(struct query_ctx *ctx, struct answer *answer,
		     struct query *query, const struct zone_set *set);

#endif
