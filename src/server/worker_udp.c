/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Datagrams to replies, for both back ends: each query of a (coalesced)
 * datagram is answered straight into the transmit arena and put into its
 * bundle. When the batch or the arena is full the back end sends what there
 * is, and the rest goes on.
 */
#include "server/worker_loop.h"

static void drop(struct worker *worker)
{
	worker->query.counters.dropped++;
}

/* Room for one reply, NULL when even a flush makes none (zerocopy holds all).
 */
static uint8_t *find_room(struct worker *worker,
			  const struct endpoint *endpoint)
{
	uint8_t *out = NULL;

	if (!bundle_is_full(&worker->bundles))
		out = slot_room(&worker->arena, worker->room);
	if (out)
		return out;
	worker->flush(worker);
	bundle_endpoint(&worker->bundles, endpoint);
	return slot_room(&worker->arena, worker->room);
}

void worker_answer(struct worker *worker, const struct datagram *datagram)
{
	const struct query_peer peer = {
	    .addr = &datagram->endpoint.peer.sa,
	    .transport = QUERY_UDP,
	};
	const uint8_t *message;
	uint32_t pos = 0, len;

	/* nobody can have port 0: a forged packet, maybe against a third */
	if (!endpoint_port(&datagram->endpoint) || !datagram->len) {
		drop(worker);
		return;
	}
	if (bundle_is_full(&worker->bundles))
		worker->flush(worker);
	bundle_endpoint(&worker->bundles, &datagram->endpoint);
	while (datagram_next(datagram, &pos, &message, &len)) {
		uint8_t *out = find_room(worker, &datagram->endpoint);
		size_t n;

		if (!out) {
			drop(worker);
			continue;
		}
		n = query_answer(&worker->query, worker->set, &peer, message,
				 len, out, worker->room);
		if (!n)
			continue;
		slot_keep(&worker->arena, n);
		bundle_add(&worker->bundles, out, (uint16_t)n);
	}
}
