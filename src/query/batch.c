/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each pass over the batch reads what the pass before has asked memory for,
 * and asks for what that points to.
 *
 *	add	slots of the zone set
 *	fetch	what a zone is told by, slots of its index, nodes
 */
#include "query/batch.h"

#include <assert.h>

#include "query/lookup.h"

static void fetch_zone(const struct query *query, const struct zone_set *set)
{
	if (query->parsed == QUERY_OK)
		zone_set_prefetch_zone(set, &query->name);
}

static void fetch_slot(struct query *query, const struct zone_set *set)
{
	if (query->parsed != QUERY_OK)
		return;
	lookup_zone(query, set);
	if (query->zone && query->zone->snapshot)
		snapshot_prefetch_slot(query->zone->snapshot, query->slot);
}

/* What was searched is not searched again: the look-up begins at the result. */
static void fetch_node(struct query *query)
{
	const struct snapshot *snapshot;

	if (!query->zone || !query->zone->snapshot)
		return;
	snapshot = query->zone->snapshot;
	query->slot = snapshot_probe(snapshot, query->slot, query->name.hash);
	snapshot_prefetch_node(snapshot, query->slot);
}

bool query_batch_add(struct query_batch *batch, const struct query_peer *peer,
		     const uint8_t *message, size_t len)
{
	struct query *query = &batch->query[batch->nr];

	assert(!query_batch_is_full(batch));
	if (!query_begin(batch->ctx, query, peer, message, len))
		return false;
	if (query->parsed == QUERY_OK)
		zone_set_prefetch(batch->set, &query->name);
	batch->nr++;
	return true;
}

void query_batch_fetch(struct query_batch *batch)
{
	for (unsigned i = 0; i < batch->nr; i++)
		fetch_zone(&batch->query[i], batch->set);
	for (unsigned i = 0; i < batch->nr; i++)
		fetch_slot(&batch->query[i], batch->set);
	for (unsigned i = 0; i < batch->nr; i++)
		fetch_node(&batch->query[i]);
}

void query_batch_cancel(struct query_batch *batch, unsigned first,
			unsigned dropped)
{
	struct query_counters *counters = &batch->ctx->counters;
	uint64_t *received = &counters->received[batch->query[first].transport];

	for (unsigned i = first; i < batch->nr; i++)
		if (batch->query[i].parsed != QUERY_OK &&
		    batch->query[i].rcode == DNS_FORMERR)
			counters->malformed--;
	*received -= batch->nr - first + dropped;
	counters->dropped -= dropped;
	batch->nr = first;
}
