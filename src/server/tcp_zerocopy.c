/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Large sends to TCP connections without copying, on the ring.
 *
 * Registered memory saves pinning pages for each send, so that zerocopy pays
 * from 16 KiB instead of near 40 KB. All connections' memory would be pinned
 * for the few that send much; so a connection's is registered at its first
 * large send, for as long as it lives, and for some connections at a time.
 *
 * A connection goes back to copying for good when a notification says that the
 * octets were copied after all, or comes late: acknowledgements of a distant
 * peer would pace us, since out is free again only with them, where copies go
 * into the socket's buffer at once.
 */
#include "server/worker_loop.h"

#include <errno.h>

#include "uring/region.h"

/* 128 KiB in so long are 16 MB/s. */
#define LATE_MS 8

void tcp_zerocopy_init(struct worker *worker)
{
	const struct zerocopy_policy *policy = &worker->options.zerocopy;

	worker->tcp_zerocopy_min = UINT32_MAX;
	/* what locked memory there is, others need more */
	if (worker->traits.zerocopy_error == -ENOMEM)
		return;
	if (policy->mode != ZEROCOPY_NEVER &&
	    stream_can_zerocopy(&worker->ring))
		worker->tcp_zerocopy_min = policy->min;
}

static bool register_out(struct worker *worker, struct tcp_conn *conn)
{
	int index = region_take(&worker->ring, conn->out, TCP_OUT_LEN);

	/* no locked memory: it is not asked for at each send */
	if (index < 0 && index != -EMFILE)
		conn->copying = true;
	conn->region = index < 0 ? 0 : (uint16_t)(index + 1);
	return conn->region;
}

bool tcp_zerocopy_wants(struct worker *worker, struct tcp_conn *conn)
{
	if (tcp_unsent(conn) < worker->tcp_zerocopy_min || conn->copying)
		return false;
	return conn->region || register_out(worker, conn);
}

void tcp_zerocopy_send(struct worker *worker, struct tcp_conn *conn,
		       const struct stream_data *data)
{
	stream_send_zerocopy(&worker->ring, data, conn->region - 1u);
	tcp_hold(&worker->tcp, conn);
	counter_add(&worker->counters.tcp_zerocopy_sends, 1);
}

void tcp_zerocopy_end(struct worker *worker, struct tcp_conn *conn)
{
	if (!conn->region || conn->held_nr)
		return;
	region_drop(&worker->ring, conn->region - 1u);
	conn->region = 0;
}

/* Errors of zerocopy, not of the connection. */
static bool is_refusal(int error)
{
	return error == -ENOMEM || error == -ENOBUFS || error == -EINVAL ||
	       error == -EOPNOTSUPP;
}

static void take_result(struct worker *worker, struct tcp_conn *conn, int res)
{
	conn->send_pending = false;
	if (res > 0)
		tcp_sent(&worker->tcp, conn, (size_t)res);
	else if (is_refusal(res))
		conn->copying = true;
	else
		tcp_kill(&worker->tcp, conn);
}

static void judge(struct worker *worker, struct tcp_conn *conn, bool copied)
{
	counter_add(&worker->counters.tcp_zerocopy_copied, copied);
	if (worker->options.zerocopy.mode == ZEROCOPY_AUTO &&
	    (copied || worker->now_ms - conn->held_ms > LATE_MS))
		conn->copying = true;
}

static void drop(struct worker *worker, struct tcp_conn *conn)
{
	tcp_drop(&worker->tcp, conn);
	if (conn->copying || conn->dead)
		tcp_zerocopy_end(worker, conn);
}

void tcp_zerocopy_event(struct worker *worker, struct tcp_conn *conn,
			const struct ring_event *event)
{
	if (!(event->flags & IORING_CQE_F_NOTIF))
		take_result(worker, conn, event->res);
	else
		judge(worker, conn, stream_was_copied(event));
	if (!(event->flags & IORING_CQE_F_MORE))
		drop(worker, conn);
}
