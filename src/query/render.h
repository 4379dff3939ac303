/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * struct answer to octets: the only place that writes a reply.
 */
#ifndef QUERY_RENDER_H
#define QUERY_RENDER_H

#include "query/answer.h"
#include "query/parse.h"

/* The header alone (QDCOUNT 0). Returns DNS_HEADER_LEN. */
size_t render_bare(const struct query *query, uint8_t *out);

/*
 * Header, question, sections, OPT. The name of the first step must still lie in
 * query->message. Writes at most out_max octets and no more than the UDP limit;
 * *truncated tells whether TC was set. Returns the octets written.
 */
size_t render_answer(const struct query *query, const struct answer *answer,
		     const struct query_config *config, uint8_t *out,
		     size_t out_max);

/* A reply of one TXT of class CH (RFC 4892) with the text. */
size_t render_chaos(const struct query *query, const char *text,
		    const struct query_config *config, uint8_t *out);

#endif
