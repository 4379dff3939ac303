/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Batches of messages of one connection, answered from where they lie straight
 * into out, each behind its length.
 *
 * A reply may fill out up while parsed queries wait behind it: they are taken
 * back, and parsed again when there is room. A query for a transfer ends its
 * batch, since it has the connection for itself if it is granted.
 */
#include "server/tcp_answer.h"

#include <netinet/tcp.h>

#include "base/octets.h"

/*
 * Octets of a transfer that the kernel takes before they can be sent. Without
 * it that is megabytes, of which a slow reader would have to take a third
 * before we hear that it gets on.
 */
#define UNSENT_MAX 262144

/* Messages gathered for a batch; start of each, and the end of all. */
struct gathered {
	uint32_t start[QUERY_BATCH_MAX];
	uint32_t end;
	unsigned dropped; /* the last message gets no reply: 0 or 1 */
	bool bad;	  /* a length of 0 follows */
};

bool tcp_fill_transfer(struct tcp *tcp, struct tcp_conn *conn)
{
	int n = transfer_fill(conn->transfer, conn->out + conn->out_tail,
			      TCP_OUT_LEN - conn->out_tail);

	if (n < 0)
		return false;
	conn->out_tail += (uint32_t)n;
	conn->large = true;
	if (axfr_is_done(&conn->transfer->axfr)) {
		transfer_end(&tcp->transfers, conn->transfer);
		conn->transfer = NULL;
	}
	return true;
}

static void begin_transfer(struct tcp *tcp, struct tcp_conn *conn,
			   const uint8_t *frame)
{
	const int most = UNSENT_MAX;

	setsockopt(conn->fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &most,
		   sizeof(most));
	conn->transfer = transfer_begin(&tcp->transfers, tcp->now_ms,
					frame + TCP_PREFIX_LEN, get_u16(frame));
	tcp_fill_transfer(tcp, conn);
	conn->blocked = conn->transfer;
}

static bool is_for_transfer(const struct query *query)
{
	return query->parsed == QUERY_OK &&
	       (query->type == DNS_TYPE_AXFR || query->type == DNS_TYPE_IXFR);
}

/* Adds whole messages to the batch until one ends it. */
static void gather(struct tcp *tcp, const struct tcp_conn *conn,
		   const uint8_t *p, size_t len, struct gathered *gathered)
{
	const struct query_peer peer = {
	    .addr = conn->peer.sa.sa_family ? &conn->peer.sa : NULL,
	    .transport = QUERY_TCP,
	};
	struct query_batch *batch = &tcp->batch;
	bool more = true;

	query_batch_begin(batch, tcp->query, tcp->set);
	gathered->end = gathered->dropped = 0;
	gathered->bad = false;
	while (more && len - gathered->end >= TCP_PREFIX_LEN) {
		const uint8_t *frame = p + gathered->end;
		uint32_t message_len = get_u16(frame);

		/* nobody means that; nothing behind it can be trusted */
		gathered->bad = !message_len;
		if (gathered->bad ||
		    len - gathered->end < TCP_PREFIX_LEN + message_len)
			break;
		gathered->start[batch->nr] = gathered->end;
		gathered->end += TCP_PREFIX_LEN + message_len;
		more = query_batch_add(batch, &peer, frame + TCP_PREFIX_LEN,
				       message_len);
		if (!more)
			gathered->dropped++;
		else
			more = !query_batch_is_full(batch) &&
			       !is_for_transfer(&batch->query[batch->nr - 1]);
	}
}

/* Answers the batch; returns how many of it, all unless out is full. */
static unsigned answer_batch(struct tcp *tcp, struct tcp_conn *conn)
{
	struct query_batch *batch = &tcp->batch;
	unsigned i;

	query_batch_fetch(batch);
	for (i = 0; i < batch->nr; i++) {
		uint8_t *out = conn->out + conn->out_tail;
		size_t n;

		if (conn->out_tail + TCP_FRAME_MAX > TCP_OUT_LEN)
			break;
		n = query_batch_answer(batch, i, out + TCP_PREFIX_LEN,
				       DNS_MESSAGE_MAX);
		if (!n)
			continue; /* a transfer was granted */
		put_u16(out, (uint16_t)n);
		conn->out_tail += (uint32_t)(TCP_PREFIX_LEN + n);
	}
	return i;
}

/* Answers one batch; returns the octets used. */
static size_t answer_some(struct tcp *tcp, struct tcp_conn *conn,
			  const uint8_t *p, size_t len)
{
	struct query_batch *batch = &tcp->batch;
	uint64_t *replies = &tcp->counters->tcp_replies;
	struct gathered gathered;
	unsigned nr;

	gather(tcp, conn, p, len, &gathered);
	nr = answer_batch(tcp, conn);
	__atomic_store_n(replies, *replies + nr - !!tcp->query->transfer,
			 __ATOMIC_RELAXED);
	if (nr < batch->nr) {
		query_batch_cancel(batch, nr, gathered.dropped);
		conn->blocked = true;
		return gathered.start[nr];
	}
	if (tcp->query->transfer)
		begin_transfer(tcp, conn, p + gathered.start[nr - 1]);
	if (gathered.bad && !conn->blocked)
		conn->bad = conn->ending = true;
	return gathered.end;
}

size_t tcp_answer(struct tcp *tcp, struct tcp_conn *conn, const uint8_t *p,
		  size_t len)
{
	size_t used = 0, n = 1;

	conn->blocked = conn->transfer;
	while (n && !conn->bad && !conn->blocked) {
		n = answer_some(tcp, conn, p + used, len - used);
		used += n;
	}
	if (conn->out_tail > TCP_KEEP_LEN)
		conn->large = true;
	return conn->bad ? len : used;
}
