/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Granting transfers. Access is checked before anything is said about the
 * state of the zone.
 */
#include "query/transfer.h"

/* RFC 1982 section 3.2, and the two equal. */
static bool is_current(uint32_t serial, uint32_t ours)
{
	return (int32_t)(serial - ours) >= 0;
}

static void deny(struct answer *answer, enum dns_rcode rcode, enum dns_ede ede)
{
	answer->rcode = (uint16_t)rcode;
	answer->ede = (int16_t)ede;
}

static void refuse(struct query_ctx *ctx, struct answer *answer,
		   enum dns_rcode rcode, enum dns_ede ede)
{
	ctx->counters.transfers_refused++;
	deny(answer, rcode, ede);
}

bool transfer_decide(struct query_ctx *ctx, struct answer *answer,
		     struct query *query, const struct zone_set *set)
{
	const struct zone *zone = zone_set_find(set, &query->name, 0);

	/* RFC 5936 section 2.2.1: only an apex names a zone. */
	if (!zone || zone_apex_label(zone, &query->name)) {
		refuse(ctx, answer, DNS_NOTAUTH, DNS_EDE_NOT_AUTHORITATIVE);
	} else if (!acl_permits(zone_set_transfer(set, zone), query->client)) {
		refuse(ctx, answer, DNS_REFUSED, DNS_EDE_PROHIBITED);
	} else if (!zone->snapshot) {
		answer_not_loaded(answer, zone);
	} else if (query->type == DNS_TYPE_IXFR &&
		   is_current(query->ixfr_serial, zone->snapshot->serial)) {
		/* RFC 1995 section 2: one SOA says that there is no news. */
		query->type = DNS_TYPE_SOA;
		return true;
	} else if (!ctx->transfer_room) {
		ctx->counters.transfers_over_limit++;
		deny(answer, DNS_SERVFAIL, DNS_EDE_NONE);
	} else {
		ctx->counters.transfers_granted++;
		ctx->transfer = zone;
	}
	return false;
}
