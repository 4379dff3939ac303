/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Datagrams to replies, for both back ends: the queries of a turn's datagrams,
 * coalesced or not, are gathered into batches; each is answered straight into
 * the transmit arena and put into its bundle. When the set of bundles or the
 * arena is full the back end sends what there is, and the rest goes on.
 */
#include "server/worker_loop.h"

#include <assert.h>

static void drop(struct worker *worker, uint32_t nr)
{
	worker->query.counters.dropped += nr;
}

/* Room for one reply, NULL when even a flush makes none (zerocopy holds all).
 */
static uint8_t *find_room(struct worker *worker,
			  const struct endpoint *endpoint)
{
	uint8_t *out = NULL;

	if (!bundle_is_full(&worker->bundles))
		out = slot_room(&worker->arena, worker->room);
	if (!out) {
		worker->flush(worker);
		out = slot_room(&worker->arena, worker->room);
	}
	/* costs a comparison where it is the endpoint of the reply before */
	bundle_endpoint(&worker->bundles, endpoint);
	return out;
}

void worker_answer(struct worker *worker)
{
	struct worker_batch *batch = &worker->batch;

	query_batch_fetch(&batch->queries);
	for (unsigned i = 0; i < batch->queries.nr; i++) {
		uint8_t *out =
		    find_room(worker, &batch->endpoint[batch->asker[i]]);
		size_t n;

		if (!out) {
			drop(worker, 1);
			continue;
		}
		n = query_batch_answer(&batch->queries, i, out, worker->room);
		assert(n);
		slot_keep(&worker->arena, n);
		bundle_add(&worker->bundles, out, (uint16_t)n);
	}
	batch->endpoint_nr = 0;
	query_batch_begin(&batch->queries, &worker->query, worker->set);
}

void worker_gather(struct worker *worker, const struct datagram *datagram)
{
	struct query_peer peer = {.transport = QUERY_UDP};
	struct worker_batch *batch = &worker->batch;
	const uint8_t *message;
	uint32_t pos = 0, len;
	bool known = false;

	drop(worker, datagram->cut);
	/* nobody can have port 0: a forged packet, maybe against a third */
	if (!endpoint_port(&datagram->endpoint) || !datagram->len) {
		drop(worker, datagram_nr(datagram));
		return;
	}
	while (datagram_next(datagram, &pos, &message, &len)) {
		struct endpoint *next = &batch->endpoint[batch->endpoint_nr];
		unsigned i = batch->queries.nr;

		if (!known) {
			*next = datagram->endpoint;
			peer.addr = &next->peer.sa;
		}
		if (!query_batch_add(&batch->queries, &peer, message, len))
			continue;
		batch->endpoint_nr += !known;
		batch->asker[i] = (uint8_t)(batch->endpoint_nr - 1);
		known = !query_batch_is_full(&batch->queries);
		if (!known)
			worker_answer(worker);
	}
}
