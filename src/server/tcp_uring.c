/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TCP connections on the ring. A connection has at most one receive and one
 * send under way; its place is given back only when both have completed, since
 * until then its memory is the kernel's.
 *
 * Descriptors are shut and closed by plain calls: shutdown on the ring would
 * start a kernel thread for each.
 */
#include "server/worker_loop.h"

#include <errno.h>
#include <sys/socket.h>

static void arm(struct worker *worker, struct tcp_conn *conn)
{
	uint32_t index = tcp_index(&worker->tcp, conn);

	if (!conn->recv_pending && tcp_wants_read(conn)) {
		conn->recv_pending = true;
		stream_receive(&worker->ring, &worker->tcp_buffers, conn->fd,
			       index);
	}
	if (!conn->send_pending && tcp_unsent(conn) && !conn->dead) {
		conn->send_pending = true;
		stream_send(&worker->ring, conn->fd, conn->out + conn->out_head,
			    tcp_unsent(conn), index);
	}
}

/* Does what the connection needs next. */
static void step(struct worker *worker, struct tcp_conn *conn)
{
	switch (tcp_step(conn)) {
	case TCP_STEP_SHUT:
		shutdown(conn->fd, SHUT_WR);
		tcp_shut(&worker->tcp, conn);
		break;
	case TCP_STEP_CLOSE:
		tcp_kill(&worker->tcp, conn);
		if (!conn->recv_pending && !conn->send_pending)
			tcp_close(&worker->tcp, conn);
		else
			shutdown(conn->fd, SHUT_RDWR); /* completes them */
		return;
	case TCP_STEP_WAIT:
		break;
	}
	arm(worker, conn);
}

/* Arms the accepts that are not. */
void tcp_uring_arm(struct worker *worker)
{
	worker->accept_again_ms = 0;
	for (unsigned i = 0; i < worker->options.listener_nr; i++) {
		const struct listener *listener = &worker->options.listener[i];

		if (worker->accepting[i])
			continue;
		worker->accepting[i] = true;
		stream_accept(&worker->ring,
			      listener->tcp_fd[worker->options.id], i);
	}
}

static void give_up_oldest(struct worker *worker)
{
	struct tcp_conn *conn = tcp_give_up_oldest(&worker->tcp);

	if (conn)
		step(worker, conn);
}

static void accepted(struct worker *worker, const struct ring_event *event)
{
	struct tcp_conn *conn;

	if (!(event->flags & IORING_CQE_F_MORE))
		worker->accepting[event->index] = false;
	if (event->res >= 0) {
		conn = tcp_open(&worker->tcp, event->res);
		if (conn)
			step(worker, conn);
		if (tcp_is_over_limit(&worker->tcp))
			give_up_oldest(worker);
	} else if (tcp_is_exhausted(event->res)) {
		worker_accept_failed(worker);
		give_up_oldest(worker);
		return;
	}
	if (!worker->accepting[event->index] && !worker->stop_ms &&
	    !worker->accept_again_ms)
		tcp_uring_arm(worker);
}

static void received(struct worker *worker, struct tcp_conn *conn,
		     const struct ring_event *event)
{
	conn->recv_pending = false;
	if (event->res > 0 && !conn->dead)
		tcp_input(&worker->tcp, conn,
			  buffer_data(&worker->tcp_buffers, event),
			  (size_t)event->res);
	else if (!event->res && !conn->dead)
		tcp_input(&worker->tcp, conn, NULL, 0);
	else if (event->res < 0 && event->res != -ENOBUFS)
		tcp_kill(&worker->tcp, conn);
	if (event->flags & IORING_CQE_F_BUFFER)
		buffer_done(&worker->tcp_buffers, event);
	step(worker, conn);
}

static void sent(struct worker *worker, struct tcp_conn *conn,
		 const struct ring_event *event)
{
	conn->send_pending = false;
	if (event->res > 0)
		tcp_sent(&worker->tcp, conn, (size_t)event->res);
	else
		tcp_kill(&worker->tcp, conn);
	step(worker, conn);
}

void tcp_uring_event(struct worker *worker, const struct ring_event *event)
{
	if (event->op == RING_ACCEPT)
		accepted(worker, event);
	else if (event->op == RING_TCP_RECV)
		received(worker, &worker->tcp.conn[event->index], event);
	else
		sent(worker, &worker->tcp.conn[event->index], event);
}

void tcp_uring_turn(struct worker *worker)
{
	struct tcp_conn *conn;

	while ((conn = tcp_expire(&worker->tcp)))
		step(worker, conn);
	if (worker->accept_again_ms &&
	    worker->now_ms >= worker->accept_again_ms && !worker->stop_ms)
		tcp_uring_arm(worker);
}

void tcp_uring_stop(struct worker *worker)
{
	for (unsigned i = 0; i < worker->options.listener_nr; i++)
		stream_cancel_accept(&worker->ring, i);
	tcp_end_all(&worker->tcp);
	for (unsigned i = 0; i < worker->tcp.conn_nr; i++) {
		struct tcp_conn *conn = &worker->tcp.conn[i];

		if (conn->fd >= 0 && !conn->dead)
			step(worker, conn);
	}
}
