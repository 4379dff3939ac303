/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Zone transfers of a worker: as many as it may have at a time, each the state
 * of one connection whose replies it fills in.
 *
 *	query_answer() grants > transfer_begin > transfer_fill ... >
 *transfer_end
 */
#ifndef SERVER_TCP_TRANSFER_H
#define SERVER_TCP_TRANSFER_H

#include "server/worker.h"
#include "transfer/axfr.h"

/*
 * Octets of a transfer in one turn of the worker: enough that the kernel's work
 * outweighs the call, little enough that a datagram waits for microseconds.
 */
#define TRANSFER_PIECE (4 * (2 + DNS_POINTER_MAX + 1))

struct transfer {
	struct axfr axfr;
	uint64_t since_ms;
	struct transfer *next; /* free ones */
};

struct transfer_pool {
	struct transfer *slot, *free;
	struct query_ctx *query; /* its transfer_room says how many are free */
	struct worker_counters *counters;
	unsigned max_ms; /* of one transfer */
};

/* Returns 0 or -ENOMEM. */
int transfer_init(struct transfer_pool *pool,
		  const struct transfer_limits *limits, struct query_ctx *query,
		  struct worker_counters *counters);

/* All transfers have ended. */
void transfer_release(struct transfer_pool *pool);

/* Begins the one that was granted to a message. */
struct transfer *transfer_begin(struct transfer_pool *pool, uint64_t now_ms,
				const uint8_t *message, size_t len);

/*
 * The next piece: at most TRANSFER_PIECE octets, max is at least AXFR_FILL_MIN.
 * Returns the octets, or -EMSGSIZE when it has to be broken off: the next
 * record is too large.
 */
int transfer_fill(struct transfer *transfer, uint8_t *out, size_t max);

/* True when it has used up its time. */
bool transfer_is_over(const struct transfer_pool *pool,
		      const struct transfer *transfer, uint64_t now_ms);

/* Ends it, complete or not. NULL is ignored. */
void transfer_end(struct transfer_pool *pool, struct transfer *transfer);

#endif
