/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The way of one message: parse, decide, render. What is not a normal query is
 * settled here, rule by rule.
 */
#include "query/query.h"

#include <netinet/in.h>

#include "base/octets.h"
#include "query/answer.h"
#include "query/chaos.h"
#include "query/lookup.h"
#include "query/parse.h"
#include "query/render.h"
#include "query/transfer.h"

/* Counters index: the transport; QUERY_UDP and QUERY_TCP. */
static size_t count(struct query_ctx *ctx, unsigned rcode, const uint8_t *out,
		    size_t len)
{
	const unsigned last =
	    sizeof(ctx->counters.rcode) / sizeof(ctx->counters.rcode[0]) - 1;

	ctx->counters.rcode[rcode < last ? rcode : last]++;
	if (get_u16(out + 2) & DNS_FLAG_TC)
		ctx->counters.truncated++;
	return len;
}

/* A reply can go nowhere but into a loop or to no port at all. */
static bool is_unanswerable(const struct query_peer *peer)
{
	if (!peer->addr || peer->transport != QUERY_UDP)
		return false;
	/* The port lies at the same place for both families. */
	return !((const struct sockaddr_in *)(const void *)peer->addr)
		    ->sin_port;
}

/* RFC 1996 section 3.10: we are the primary of every zone we have. */
static void answer_notify(struct answer *answer, const struct query *query,
			  const struct zone_set *set)
{
	const struct zone *zone = zone_set_find(set, &query->name, 0);

	if (zone && !zone_apex_label(zone, &query->name))
		answer->rcode = DNS_REFUSED;
	else
		answer->rcode = DNS_NOTAUTH;
}

/* RCODE for a question that no zone can answer, DNS_NOERROR for the others. */
static enum dns_rcode check_question(const struct query *query)
{
	if (query->class != DNS_CLASS_IN)
		return DNS_REFUSED;
	/* We hold no keys: every signature is by an unknown one. */
	if (query->has_tsig)
		return DNS_NOTAUTH;
	switch (query->type) {
	case DNS_TYPE_ANY:
	case DNS_TYPE_IXFR:
		return DNS_NOERROR;
	case DNS_TYPE_AXFR:
		/* RFC 5936 section 4.2 */
		return query->transport == QUERY_UDP ? DNS_FORMERR
						     : DNS_NOERROR;
	default:
		return dns_type_is_meta(query->type) ? DNS_FORMERR
						     : DNS_NOERROR;
	}
}

static void answer_query(struct query_ctx *ctx, struct answer *answer,
			 struct query *query, const struct zone_set *set)
{
	answer->rcode = (uint16_t)check_question(query);
	if (answer->rcode)
		return;
	/* RFC 1995 section 2: over UDP the SOA alone is a whole answer. */
	if (query->type == DNS_TYPE_IXFR && query->transport == QUERY_UDP)
		query->type = DNS_TYPE_SOA;
	if (query->type != DNS_TYPE_AXFR && query->type != DNS_TYPE_IXFR)
		lookup(answer, query, ctx->config);
	else if (transfer_decide(ctx, answer, query, set))
		lookup(answer, query, ctx->config);
}

bool query_begin(struct query_ctx *ctx, struct query *query,
		 const struct query_peer *peer, const uint8_t *message,
		 size_t len)
{
	ctx->counters.received[peer->transport]++;
	if (is_unanswerable(peer) ||
	    query_parse(query, message, len, peer->transport) == QUERY_DROP) {
		ctx->counters.dropped++;
		return false;
	}
	query->client = peer->addr;
	if (query->parsed != QUERY_OK)
		ctx->counters.malformed += query->rcode == DNS_FORMERR;
	return true;
}

size_t query_finish(struct query_ctx *ctx, struct query *query,
		    const struct zone_set *set, uint8_t *out, size_t out_max)
{
	struct answer answer;
	const char *text;
	size_t len;

	if (query->parsed == QUERY_BARE)
		return count(ctx, query->rcode, out, render_bare(query, out));
	if (query->class == DNS_CLASS_CH && !query->rcode) {
		text = chaos_text(query, ctx->config);
		if (text) {
			len = render_chaos(query, text, ctx->config, out);
			return count(ctx, DNS_NOERROR, out, len);
		}
	}
	answer_init(&answer);
	if (query->rcode)
		answer.rcode = query->rcode;
	else if (query_opcode(query) == DNS_OPCODE_NOTIFY)
		answer_notify(&answer, query, set);
	else
		answer_query(ctx, &answer, query, set);
	if (ctx->transfer) {
		ctx->counters.rcode[DNS_NOERROR]++;
		return 0;
	}
	len = render_answer(query, &answer, ctx->config, out, out_max);
	return count(ctx, answer.rcode, out, len);
}

size_t query_answer(struct query_ctx *ctx, const struct zone_set *set,
		    const struct query_peer *peer, const uint8_t *message,
		    size_t len, uint8_t *out, size_t out_max)
{
	struct query query;

	if (!query_begin(ctx, &query, peer, message, len))
		return 0;
	if (query.parsed == QUERY_OK)
		lookup_zone(&query, set);
	return query_finish(ctx, &query, set, out, out_max);
}
