/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One function lists the options; run without an output it measures, so that
 * the size that is reserved and the octets that are written cannot differ.
 */
#include "query/edns.h"

#include "base/octets.h"

struct option_writer {
	uint8_t *out; /* NULL: only measure */
	uint16_t len;
};

static void put_option(struct option_writer *w, uint16_t code, const void *data,
		       uint16_t len)
{
	if (w->out) {
		uint8_t *p = w->out + w->len;

		put_u16(p, code);
		put_u16(p + 2, len);
		memcpy(p + 4, data, len);
	}
	w->len = (uint16_t)(w->len + 4 + len);
}

/* RFC 9660 section 2: label count of the apex, type SOA-SERIAL (0), serial. */
static void put_zoneversion(struct option_writer *w,
			    const struct answer *answer)
{
	uint8_t body[6] = {answer->zone->label_nr, 0};

	put_u32(body + 2, answer->snapshot->serial);
	put_option(w, DNS_EDNS_ZONEVERSION, body, sizeof(body));
}

/* RFC 7314 section 2: a primary gives the EXPIRE field of the SOA. */
static void put_expire(struct option_writer *w, const struct snapshot *snapshot)
{
	const struct rrset *soa =
	    snapshot_rrset(snapshot, snapshot->negative_soa);

	/* The last fields of the RR are EXPIRE and MINIMUM. */
	put_option(w, DNS_EDNS_EXPIRE, soa->wire + soa->wire_len - 8, 4);
}

/* RFC 7314 section 2: to which questions EXPIRE belongs. */
static bool is_about_soa(uint16_t type)
{
	return type == DNS_TYPE_SOA || type == DNS_TYPE_AXFR ||
	       type == DNS_TYPE_IXFR;
}

static void put_zone_options(struct option_writer *w, const struct query *query,
			     const struct answer *answer)
{
	uint8_t code[2];

	if (answer->snapshot && query->wants & QUERY_WANTS_ZONEVERSION)
		put_zoneversion(w, answer);
	if (answer->snapshot && query->wants & QUERY_WANTS_EXPIRE &&
	    is_about_soa(query->type) && answer->rcode == DNS_NOERROR)
		put_expire(w, answer->snapshot);
	if (answer->ede != DNS_EDE_NONE) {
		put_u16(code, (uint16_t)answer->ede);
		put_option(w, DNS_EDNS_EDE, code, sizeof(code));
	}
}

static void put_options(struct option_writer *w, const struct edns *edns)
{
	const struct query *query = edns->query;
	const struct query_config *config = edns->config;
	uint8_t timeout[2];

	if (query->wants & QUERY_WANTS_NSID && config->nsid_len)
		put_option(w, DNS_EDNS_NSID, config->nsid, config->nsid_len);
	/* RFC 7828 section 3.3.2: never over UDP */
	if (query->wants & QUERY_WANTS_KEEPALIVE &&
	    query->transport == QUERY_TCP && config->keepalive) {
		put_u16(timeout, config->keepalive);
		put_option(w, DNS_EDNS_KEEPALIVE, timeout, sizeof(timeout));
	}
	if (edns->answer)
		put_zone_options(w, query, edns->answer);
}

void edns_prepare(struct edns *edns, const struct query *query,
		  const struct answer *answer,
		  const struct query_config *config, size_t room)
{
	struct option_writer w = {NULL, 0};

	edns->query = query;
	edns->answer = answer;
	edns->config = config;
	edns->len = DNS_OPT_LEN;
	edns->options = false;
	/* Nearly no query asks for any option. */
	if (!query->wants && (!answer || answer->ede == DNS_EDE_NONE))
		return;
	put_options(&w, edns);
	if ((size_t)DNS_OPT_LEN + w.len > room)
		return;
	edns->options = w.len;
	edns->len = (uint16_t)(DNS_OPT_LEN + w.len);
}

size_t edns_write(const struct edns *edns, uint16_t rcode, uint8_t *out)
{
	struct option_writer w = {out + DNS_OPT_LEN, 0};

	if (edns->options)
		put_options(&w, edns);
	out[0] = 0;
	put_u16(out + 1, DNS_TYPE_OPT);
	put_u16(out + 3, edns->config->max_udp_payload);
	out[5] = (uint8_t)(rcode >> 4);
	out[6] = 0;
	put_u16(out + 7, edns->query->dnssec_ok ? DNS_EDNS_DO : 0);
	put_u16(out + 9, w.len);
	return (size_t)DNS_OPT_LEN + w.len;
}
