/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Several messages answered together. In a zone that is larger than the cache
 * a look-up waits for memory two times, once for the slot of the index and
 * once for the node, and with many zones before that for the zone; together,
 * the queries of a batch wait once for all.
 *
 *	query_batch_add     parse and hash
 *	query_batch_fetch   ask memory for what the look-ups will read
 *	query_batch_answer  look up and render, one after the other
 *
 * What is answered is what query_answer() answers.
 */
#ifndef QUERY_BATCH_H
#define QUERY_BATCH_H

#include "query/parse.h"

/*
 * About as many lines of the cache as a core can wait for at a time. Measured
 * with a million names: 8 cost 6 % more, 32 and 64 nothing less.
 */
#define QUERY_BATCH_MAX 16

/* Large and never cleared: kept by the caller from batch to batch. */
struct query_batch {
	struct query_ctx *ctx;
	const struct zone_set *set;
	unsigned nr;
	struct query query[QUERY_BATCH_MAX];
};

/* Empties the batch. The set must stay until its queries are answered. */
static inline void query_batch_begin(struct query_batch *batch,
				     struct query_ctx *ctx,
				     const struct zone_set *set)
{
	batch->ctx = ctx;
	batch->set = set;
	batch->nr = 0;
}

static inline bool query_batch_is_full(const struct query_batch *batch)
{
	return batch->nr == QUERY_BATCH_MAX;
}

/*
 * Adds a message to a batch that is not full. False: it gets no reply and was
 * not added. It and the peer's address must live until it is answered.
 */
bool query_batch_add(struct query_batch *batch, const struct query_peer *peer,
		     const uint8_t *message, size_t len);

/* To be called once, when all are added. */
void query_batch_fetch(struct query_batch *batch);

/*
 * The reply to query i < nr, in any order, each once; otherwise like
 * query_answer(), but 0 only where a transfer was granted.
 */
static inline size_t query_batch_answer(struct query_batch *batch, unsigned i,
					uint8_t *out, size_t out_max)
{
	return query_finish(batch->ctx, &batch->query[i], batch->set, out,
			    out_max);
}

/*
 * Takes back the queries from first on, which were not answered, and dropped
 * messages that were not added behind them: as if they had never come.
 */
void query_batch_cancel(struct query_batch *batch, unsigned first,
			unsigned dropped);

#endif
