/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One receive of a UDP socket: a query, or a run of queries of one length from
 * one endpoint that the kernel coalesced (UDP_GRO); the last may be shorter.
 *
 *	for (pos = 0; datagram_next(&datagram, &pos, &query, &len);)
 */
#ifndef URING_DATAGRAM_H
#define URING_DATAGRAM_H

#include "uring/endpoint.h"

/* 64 queries of 255 octets; longer coalesced runs lose their tail (cut). */
#define DATAGRAM_MAX 16384

struct datagram {
	struct endpoint endpoint;
	const uint8_t *data;
	uint32_t len;
	uint16_t segment; /* 0: one query */
	uint16_t cut;	  /* queries that did not fit and are not in data */
};

/* Octets of a query but the last, more than there can be for one query. */
static inline uint32_t datagram_stride(const struct datagram *datagram)
{
	return datagram->segment ? datagram->segment : 65536;
}

/* Queries in data; one that is empty counts. */
static inline uint32_t datagram_nr(const struct datagram *datagram)
{
	uint32_t stride = datagram_stride(datagram);

	if (!datagram->len)
		return !datagram->cut;
	return (datagram->len + stride - 1) / stride;
}

/*
 * A receive of whole octets that did not fit (MSG_TRUNC) ends in a piece of a
 * query. Only whole segments are kept; a single query is dropped.
 */
static inline void datagram_cut(struct datagram *datagram, uint32_t whole)
{
	uint32_t stride = datagram_stride(datagram);
	uint32_t kept = datagram->len / stride;

	datagram->len = kept * stride;
	datagram->cut = (uint16_t)((whole + stride - 1) / stride - kept);
}

static inline bool datagram_next(const struct datagram *datagram, uint32_t *pos,
				 const uint8_t **query, uint32_t *len)
{
	uint32_t rest = datagram->len - *pos;

	if (!rest)
		return false;
	*query = datagram->data + *pos;
	*len = datagram->segment && datagram->segment < rest ? datagram->segment
							     : rest;
	*pos += *len;
	return true;
}

#endif
