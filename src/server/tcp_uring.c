/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TCP connections on the ring. A connection has at most one receive and one
 * send under way; its place is given back only when both have completed, since
 * until then its memory is the kernel's. What completions bring is answered at
 * once; what the connections need is done at the end of the turn, so that the
 * replies to all that came in it leave as one send:
 *
 *	tcp_uring_finish > tcp_uring_event ... > tcp_uring_turn > ring_enter
 *	    tries that failed   ready              step: send, receive
 *
 * Descriptors are shut and closed by plain calls: shutdown on the ring would
 * start a kernel thread for each.
 */
#include "server/worker_loop.h"

#include <errno.h>
#include <sys/socket.h>

_Static_assert((int)STREAM_BUFFERS_LEN <= TCP_TURN_MAX, "room for a turn");
_Static_assert((int)STREAM_READ_MAX <= TCP_READ_MAX, "room for a receive");

/* The connection gets a step before the turn ends. */
static void set_ready(struct worker *worker, struct tcp_conn *conn)
{
	if (conn->ready)
		return;
	conn->ready = true;
	conn->chain = worker->tcp.ready;
	worker->tcp.ready = conn;
}

/*
 * A send that either takes everything at once, as nearly all do, and says
 * nothing, or leaves the rest to one that waits. It counts as done already: the
 * next turn begins with a look at those that were not. Not while what happens
 * after it cannot wait for that.
 */
static bool may_try(const struct tcp_conn *conn)
{
	return !conn->out_head && !conn->eof && !conn->ending && !conn->blocked;
}

static void count_as_sent(struct worker *worker, struct tcp_conn *conn)
{
	uint32_t len = tcp_unsent(conn);

	conn->trial_len = len;
	conn->trial_res = (int32_t)len;
	conn->chain = worker->tcp.trial;
	worker->tcp.trial = conn;
	tcp_sent(&worker->tcp, conn, len);
}

static void arm_send(struct worker *worker, struct tcp_conn *conn)
{
	const struct stream_data data = {
	    .fd = conn->fd,
	    .data = conn->out + conn->out_head,
	    .len = tcp_unsent(conn),
	    .index = tcp_index(&worker->tcp, conn),
	};

	conn->send_pending = true;
	counter_add(&worker->counters.tcp_sends, 1);
	if (tcp_zerocopy_wants(worker, conn)) {
		tcp_zerocopy_send(worker, conn, &data);
	} else if (may_try(conn)) {
		stream_try(&worker->ring, &data);
		count_as_sent(worker, conn);
	} else {
		stream_send(&worker->ring, &data);
	}
}

static void arm(struct worker *worker, struct tcp_conn *conn)
{
	uint32_t index = tcp_index(&worker->tcp, conn);

	if (!conn->recv_pending && tcp_wants_read(conn)) {
		conn->recv_pending = true;
		stream_receive(&worker->ring, &worker->tcp_buffers, conn->fd,
			       index);
	} else if (conn->recv_pending && !conn->cancelling &&
		   !tcp_wants_read(conn)) {
		conn->cancelling = true;
		stream_cancel_receive(&worker->ring, index);
	}
	if (!conn->send_pending && tcp_unsent(conn) && !conn->dead)
		arm_send(worker, conn);
}

/* Does what the connection needs next. */
static void step(struct worker *worker, struct tcp_conn *conn)
{
	/* the kernel does not have it yet */
	if (conn->trial_len)
		return;
	switch (tcp_step(conn)) {
	case TCP_STEP_SHUT:
		shutdown(conn->fd, SHUT_WR);
		tcp_shut(&worker->tcp, conn);
		break;
	case TCP_STEP_CLOSE:
		tcp_kill(&worker->tcp, conn);
		if (conn->recv_pending || conn->send_pending) {
			shutdown(conn->fd, SHUT_RDWR); /* completes them */
			return;
		}
		tcp_zerocopy_end(worker, conn);
		tcp_close(&worker->tcp, conn);
		return;
	case TCP_STEP_WAIT:
		break;
	}
	arm(worker, conn);
}

static void step_ready(struct worker *worker)
{
	struct tcp_conn *conn;

	while ((conn = worker->tcp.ready)) {
		worker->tcp.ready = conn->chain;
		conn->ready = false;
		if (conn->fd >= 0)
			step(worker, conn);
	}
}

/*
 * Finds the trials that did not succeed; their completions stay. While the
 * kernel keeps some back nobody knows: a stream may be cut, but not gapped.
 */
static void find_failures(struct worker *worker)
{
	unsigned pos = ring_first(&worker->ring);
	struct tcp_conn *conn = worker->tcp.trial;
	struct ring_event event;

	if (ring_has_overflowed(&worker->ring))
		for (; conn; conn = conn->chain)
			conn->trial_res = -EOVERFLOW;
	while (ring_peek(&worker->ring, &pos, &event))
		if (event.op == RING_TCP_TRY)
			worker->tcp.conn[event.index].trial_res = event.res;
}

static void finish_trial(struct worker *worker, struct tcp_conn *conn)
{
	int32_t res = conn->trial_res;
	uint32_t len = conn->trial_len;

	conn->trial_len = 0;
	conn->send_pending = false;
	if (res == -EAGAIN)
		res = 0;
	if (res < 0)
		tcp_kill(&worker->tcp, conn);
	else if ((uint32_t)res < len)
		tcp_unsend(&worker->tcp, conn, (uint32_t)res, len);
	else if (!conn->dead && !conn->ending)
		return;
	set_ready(worker, conn);
}

void tcp_uring_finish(struct worker *worker)
{
	struct tcp_conn *conn;

	if (!worker->tcp.trial)
		return;
	while (ring_is_behind(&worker->ring))
		ring_enter(&worker->ring, &(struct ring_wait){0, 0, -1});
	find_failures(worker);
	while ((conn = worker->tcp.trial)) {
		worker->tcp.trial = conn->chain;
		finish_trial(worker, conn);
	}
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
		set_ready(worker, conn);
}

static void accepted(struct worker *worker, const struct ring_event *event)
{
	struct tcp_conn *conn;

	if (!(event->flags & IORING_CQE_F_MORE))
		worker->accepting[event->index] = false;
	if (event->res >= 0) {
		conn = tcp_open(&worker->tcp, event->res);
		if (conn)
			set_ready(worker, conn);
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
	const uint8_t *data = NULL;

	if (event->flags & IORING_CQE_F_BUFFER)
		data = buffer_take(&worker->tcp_buffers, event);
	if (!(event->flags & IORING_CQE_F_MORE))
		conn->recv_pending = conn->cancelling = false;
	if (event->res > 0 && !conn->dead)
		tcp_input(&worker->tcp, conn, data, (size_t)event->res);
	else if (!event->res && !conn->dead)
		tcp_input(&worker->tcp, conn, NULL, 0);
	else if (event->res < 0 && event->res != -ENOBUFS &&
		 event->res != -ECANCELED)
		tcp_kill(&worker->tcp, conn);
	if (event->flags & IORING_CQE_F_BUFFER)
		buffer_done(&worker->tcp_buffers, event);
	set_ready(worker, conn);
}

static void sent(struct worker *worker, struct tcp_conn *conn,
		 const struct ring_event *event)
{
	conn->send_pending = false;
	if (event->res > 0)
		tcp_sent(&worker->tcp, conn, (size_t)event->res);
	else
		tcp_kill(&worker->tcp, conn);
	set_ready(worker, conn);
}

/* A closed connection whose place was held gets no step. */
static void sent_zerocopy(struct worker *worker, struct tcp_conn *conn,
			  const struct ring_event *event)
{
	tcp_zerocopy_event(worker, conn, event);
	if (conn->fd >= 0)
		set_ready(worker, conn);
}

void tcp_uring_event(struct worker *worker, const struct ring_event *event)
{
	if (event->op == RING_ACCEPT)
		accepted(worker, event);
	else if (event->op == RING_TCP_RECV)
		received(worker, &worker->tcp.conn[event->index], event);
	else if (event->op == RING_TCP_SEND)
		sent(worker, &worker->tcp.conn[event->index], event);
	else if (event->op == RING_TCP_SEND_ZC)
		sent_zerocopy(worker, &worker->tcp.conn[event->index], event);
}

void tcp_uring_turn(struct worker *worker)
{
	struct tcp_conn *conn;

	step_ready(worker);
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
