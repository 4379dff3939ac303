/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A message to struct query: header, question, OPT. Whatever comes from the
 * network goes through here once; what lies behind it trusts the result.
 */
#ifndef QUERY_PARSE_H
#define QUERY_PARSE_H

#include "dns/labels.h"
#include "query/query.h"

enum query_parsed {
	QUERY_DROP,   /* send nothing */
	QUERY_BARE,   /* reply is the header alone, RCODE in query->rcode */
	QUERY_FAILED, /* reply is header, question and OPT, likewise */
	QUERY_OK,
};

enum query_wants {
	QUERY_WANTS_NSID = 1 << 0,
	QUERY_WANTS_EXPIRE = 1 << 1,
	QUERY_WANTS_KEEPALIVE = 1 << 2,
	QUERY_WANTS_ZONEVERSION = 1 << 3,
};

struct query {
	const uint8_t *message;
	const struct zone *zone; /* of lookup_zone(); NULL: none of ours */
	uint32_t slot; /* likewise: where the search for the name begins */
	enum query_parsed parsed;
	enum query_transport transport;
	uint16_t flags; /* as received */
	uint16_t type, class;
	uint16_t question_len; /* octets: name, type, class */
	uint16_t rcode;	       /* what to say unless QUERY_OK */

	/* OPT (RFC 6891); meaningful when has_opt */
	bool has_opt;
	bool dnssec_ok;
	uint8_t wants; /* options of the reply: enum query_wants */
	uint8_t edns_version;
	uint16_t payload; /* octets the client takes, as received */

	bool has_tsig;
	uint32_t ixfr_serial;	       /* the client's; QTYPE IXFR only */
	const struct sockaddr *client; /* may be NULL; set behind parsing */
	struct dns_labels name;	       /* of the question */
};

/*
 * Every field but name is set, whatever the result, which is returned and kept
 * in parsed. The message must live as long as the query.
 */
enum query_parsed query_parse(struct query *query, const uint8_t *message,
			      size_t len, enum query_transport transport);

static inline unsigned query_opcode(const struct query *query)
{
	return (query->flags & 0x7800u) >> 11;
}

#endif
