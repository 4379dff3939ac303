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

/* 64 queries of 255 octets; longer coalesced runs lose their tail. */
#define DATAGRAM_MAX 16384

struct datagram {
	struct endpoint endpoint;
	const uint8_t *data;
	uint32_t len;
	uint16_t segment; /* 0: one query */
};

/*
 * A receive that did not fit (MSG_TRUNC) ends in a piece of a query. Only
 * whole segments are kept; a single query that was cut is dropped.
 */
static inline void datagram_cut(struct datagram *datagram)
{
	datagram->len = datagram->segment ? datagram->len / datagram->segment *
						datagram->segment
					  : 0;
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
