/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pool of transfers. An old version of a zone lives as long as a transfer
 * reads it, hence the limits on their number and on the time of each.
 */
#include "server/tcp_transfer.h"

#include <errno.h>
#include <stdlib.h>

_Static_assert(TRANSFER_PIECE >= AXFR_FILL_MIN, "a piece holds any message");

static void count(uint64_t *counter, int64_t more)
{
	__atomic_store_n(counter, *counter + (uint64_t)more, __ATOMIC_RELAXED);
}

int transfer_init(struct transfer_pool *pool,
		  const struct transfer_limits *limits, struct query_ctx *query,
		  struct worker_counters *counters)
{
	unsigned nr = limits->max;

	*pool = (struct transfer_pool){
	    .query = query,
	    .counters = counters,
	    .max_ms = limits->ms,
	};
	pool->slot = calloc(nr + 1u, sizeof(*pool->slot));
	if (!pool->slot)
		return -ENOMEM;
	for (unsigned i = nr; i-- > 0;) {
		pool->slot[i].next = pool->free;
		pool->free = &pool->slot[i];
	}
	query->transfer_room = nr;
	return 0;
}

void transfer_release(struct transfer_pool *pool)
{
	free(pool->slot);
	pool->slot = pool->free = NULL;
}

struct transfer *transfer_begin(struct transfer_pool *pool, uint64_t now_ms,
				const uint8_t *message, size_t len)
{
	struct transfer *transfer = pool->free;

	pool->free = transfer->next;
	pool->query->transfer_room--;
	transfer->since_ms = now_ms;
	axfr_begin(&transfer->axfr, pool->query->config, pool->query->transfer,
		   message, len);
	pool->query->transfer = NULL;
	count(&pool->counters->transfers_open, 1);
	return transfer;
}

bool transfer_is_over(const struct transfer_pool *pool,
		      const struct transfer *transfer, uint64_t now_ms)
{
	return now_ms - transfer->since_ms > pool->max_ms;
}

int transfer_fill(struct transfer *transfer, uint8_t *out, size_t max)
{
	if (max > TRANSFER_PIECE)
		max = TRANSFER_PIECE;
	return axfr_fill(&transfer->axfr, out, max);
}

void transfer_end(struct transfer_pool *pool, struct transfer *transfer)
{
	if (!transfer)
		return;
	if (axfr_is_done(&transfer->axfr))
		count(&pool->counters->transfers_done, 1);
	else
		count(&pool->counters->transfers_broken, 1);
	count(&pool->counters->transfers_open, -1);
	axfr_end(&transfer->axfr);
	transfer->next = pool->free;
	pool->free = transfer;
	pool->query->transfer_room++;
}
