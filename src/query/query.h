/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A query to its reply: octets in, octets out. Knows no socket, takes no lock,
 * allocates nothing and reads no clock; the same function serves UDP, TCP, the
 * fuzz targets and the unit tests.
 *
 *	query_answer   parse > lookup > render, one message
 *	query/batch    the same for several at a time
 *	query/parse    header, question, OPT -> struct query
 *	query/transfer AXFR and IXFR: whether the zone may be transferred
 *	query/lookup   zone set, snapshot -> struct answer: what goes where
 *	query/denial   the NSEC and NSEC3 records that go with it
 *	query/render   struct answer -> octets, TC, compression, OPT
 */
#ifndef QUERY_QUERY_H
#define QUERY_QUERY_H

#include <sys/socket.h>

#include "zone/zone_set.h"

#define QUERY_TEXT_MAX 255 /* identity, version: one character-string */

enum query_transport { QUERY_UDP, QUERY_TCP };

/* Set up once by the control thread, read by the workers. */
struct query_config {
	uint16_t max_udp_payload; /* 512-65535 octets, default 1232 */
	uint16_t keepalive;	  /* edns-tcp-keepalive, units of 100 ms;
				     0: the option is not sent */
	bool minimal_any;	  /* one RRset to ANY over UDP */
	uint8_t nsid_len;	  /* 0: no NSID */
	uint8_t nsid[255];	  /* octets */
	char identity[QUERY_TEXT_MAX + 1]; /* CH id.server; "": REFUSED */
	char version[QUERY_TEXT_MAX + 1];  /* CH version.bind; "": REFUSED */
};

/* Of one worker; written by it alone, read by the control thread. */
struct query_counters {
	uint64_t received[2]; /* by transport */
	uint64_t rcode[24];   /* replies, by RCODE; the last one: all above */
	uint64_t dropped;     /* short, QR set, source port 0 */
	uint64_t truncated;   /* replies with TC */
	uint64_t malformed;   /* FORMERR from parsing */
	uint64_t transfers_granted;
	uint64_t transfers_refused;    /* REFUSED by access, or NOTAUTH */
	uint64_t transfers_over_limit; /* SERVFAIL for want of room */
};

struct query_ctx {
	const struct query_config *config;
	struct query_counters counters;
	/*
	 * Zone transfers, over TCP only. room is how many more may begin; when
	 * query_answer() grants one it returns 0 and sets transfer, which the
	 * caller takes and sets back to NULL.
	 */
	unsigned transfer_room;
	const struct zone *transfer; /* of the zone set given */
};

struct query_peer {
	const struct sockaddr *addr; /* may be NULL: unknown */
	enum query_transport transport;
};

/*
 * Answers one message. Reads len octets at message, writes at most out_max
 * (at least 512) octets to out, which must not overlap. Returns the octets to
 * send, 0 to send nothing or to begin the transfer in ctx. The UDP limit of
 * answers.md is applied here; out_max is the room, 65535 for TCP.
 */
size_t query_answer(struct query_ctx *ctx, const struct zone_set *set,
		    const struct query_peer *peer, const uint8_t *message,
		    size_t len, uint8_t *out, size_t out_max);

struct query; /* query/parse.h */

/*
 * query_answer() in steps, for query/batch: query_begin() reads the message
 * and returns false where nothing is to be sent; then lookup_zone() if it is
 * QUERY_OK; then query_finish() writes the reply and returns its octets. The
 * message and the peer's address must live until then.
 */
bool query_begin(struct query_ctx *ctx, struct query *query,
		 const struct query_peer *peer, const uint8_t *message,
		 size_t len);
size_t query_finish(struct query_ctx *ctx, struct query *query,
		    const struct zone_set *set, uint8_t *out, size_t out_max);

#endif
