/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The replies of one wake-up, gathered into bundles. A bundle is a run of
 * replies of one size to one endpoint; on UDP it leaves as one message with
 * UDP_SEGMENT.
 *
 *	reply[]     in the order in which they were rendered; next links those
 *	   |        of one bundle
 *	bundle[]    head, tail, count, octets
 *	   |
 *	slot[]      open addressing hash (endpoint, size) -> the bundle that is
 *	            still open; stamped with a generation, so never cleared
 *
 * Runs side by side gain nothing as soon as there are two clients, therefore
 * the hash. Where nothing bundles it would only cost, so it is bypassed while
 * recent batches hold under 1.1 replies a bundle; now and then one batch tries
 * again.
 */
#ifndef URING_BUNDLE_H
#define URING_BUNDLE_H

#include "uring/endpoint.h"

#define BUNDLE_REPLY_MAX 1024 /* a batch */
#define BUNDLE_SLOT_NR	 4096
/* UDP_MAX_SEGMENTS is 64 in the kernels that have it lowest. */
#define BUNDLE_SEGMENT_MAX 64
/* 17 pages at any offset, the fragments that an skb can hold (MAX_SKB_FRAGS) */
#define BUNDLE_OCTETS_MAX 64000

#define BUNDLE_NONE UINT16_MAX

struct reply {
	const uint8_t *data;
	uint16_t len;
	uint16_t next; /* in the same bundle, BUNDLE_NONE: the last */
};

struct bundle {
	uint32_t octets;
	uint16_t head, tail; /* replies */
	uint16_t nr;
	uint16_t len;	   /* of each reply */
	uint16_t endpoint; /* index */
	bool contiguous;   /* its replies lie one behind the other */
};

struct bundle_slot {
	uint32_t generation;
	uint16_t bundle;
};

struct bundle_set {
	uint16_t reply_nr, bundle_nr, endpoint_nr;
	bool hashing;
	uint32_t endpoint_hash; /* of the current endpoint */
	uint32_t generation;
	uint32_t average;  /* replies a bundle, recent, in 1/256 */
	uint32_t bypassed; /* batches since the last try */
	struct endpoint endpoint[BUNDLE_REPLY_MAX];
	struct reply reply[BUNDLE_REPLY_MAX];
	struct bundle bundle[BUNDLE_REPLY_MAX];
	struct bundle_slot slot[BUNDLE_SLOT_NR];
};

void bundle_init(struct bundle_set *set);

static inline bool bundle_is_full(const struct bundle_set *set)
{
	return set->reply_nr == BUNDLE_REPLY_MAX;
}

/*
 * The endpoint of the replies that follow, copied. To be called only while the
 * set is not full, once for each datagram received.
 */
void bundle_endpoint(struct bundle_set *set, const struct endpoint *endpoint);

/* Adds a reply to the current endpoint; data must live until the send. */
void bundle_add(struct bundle_set *set, const uint8_t *data, uint16_t len);

/* Empties the set after everything in it was sent. */
void bundle_reset(struct bundle_set *set);

#endif
