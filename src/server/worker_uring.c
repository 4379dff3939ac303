/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The loop of a worker around its ring. One entry into the kernel per turn:
 * it sends the replies of the turn before, arms what has to be armed, and
 * waits for more.
 *
 *	ring_enter > send_finish > completions > worker_gather >
 *	worker_answer > give_back > send_bundles
 */
#include "server/worker_loop.h"

#include <errno.h>
#include <urcu-qsbr.h>

static void flush(struct worker *worker)
{
	send_bundles(&worker->sender);
	ring_submit(&worker->ring);
	send_finish(&worker->sender);
}

int worker_uring_init(struct worker *worker)
{
	int error = ring_init(&worker->ring);

	if (error)
		return error;
	error = recv_init(&worker->receiver, &worker->ring, NULL);
	if (error)
		goto release_ring;
	error = stream_init(&worker->tcp_buffers, &worker->ring);
	if (error)
		goto release_recv;
	send_init(&worker->sender, &worker->ring, &worker->arena,
		  &worker->bundles, worker->socket);
	worker->traits.zerocopy_error =
	    send_zerocopy(&worker->sender, &worker->options.zerocopy);
	tcp_zerocopy_init(worker);
	worker->traits.min_wait = worker->ring.min_wait;
	worker->traits.deferred = ring_is_deferred(&worker->ring);
	worker->traits.incremental = worker->receiver.buffers.incremental;
	worker->flush = flush;
	return 0;
release_recv:
	ring_release(&worker->ring);
	recv_release(&worker->receiver);
	return error;
release_ring:
	ring_release(&worker->ring);
	return error;
}

void worker_uring_release(struct worker *worker)
{
	ring_release(&worker->ring);
	recv_release(&worker->receiver);
	buffer_release(&worker->tcp_buffers);
}

/*
 * Answers what has been gathered; then the buffers it lay in go back to the
 * kernel, in the order in which it filled them. Not earlier: answering may
 * flush, and a receive that is armed by that entry would write into them.
 */
static void give_back(struct worker *worker)
{
	worker_answer(worker);
	for (unsigned i = 0; i < worker->held_nr; i++) {
		const struct ring_event *event = &worker->held[i];

		recv_done(&worker->receiver, event,
			  worker->socket[event->index].fd);
	}
	worker->held_nr = 0;
}

static void receive(struct worker *worker, const struct ring_event *event)
{
	struct datagram datagram;

	if (recv_take(&worker->receiver, event, &datagram))
		worker_gather(worker, &datagram);
	worker->held[worker->held_nr++] = *event;
	if (worker->held_nr == WORKER_HELD_MAX)
		give_back(worker);
}

/* Returns true for a receive: the sockets are not drained yet. */
static bool handle(struct worker *worker, const struct ring_event *event)
{
	switch (event->op) {
	case RING_RECV:
		receive(worker, event);
		return true;
	case RING_SEND_ZC:
		send_zerocopy_event(&worker->sender, event);
		return false;
	case RING_ACCEPT:
	case RING_TCP_RECV:
	case RING_TCP_SEND:
	case RING_TCP_SEND_ZC:
		tcp_uring_event(worker, event);
		return false;
	case RING_WAKE:
	case RING_SEND_ONE: /* failures were seen by send_finish() */
	case RING_SEND_BUNDLE:
	case RING_TCP_TRY: /* by tcp_uring_finish() */
	case RING_NONE:
		return false;
	}
	return false;
}

static void publish(struct worker *worker)
{
	struct worker_counters *counters = &worker->counters;

	worker_publish_send(worker, &worker->sender.counters);
	counter_set(&counters->rearms, worker->receiver.rearms);
	counter_set(&counters->enobufs, worker->receiver.enobufs);
	counter_set(&counters->cq_overflows, worker->ring.overflows);
}

/* Enters the kernel, offline for RCU while it may sleep there. */
static void enter(struct worker *worker, unsigned nr)
{
	int64_t timeout_ms = worker_timeout(worker);
	struct wait_choice choice = wait_choose(&worker->wait);
	struct ring_wait wait = {
	    .nr = nr ? choice.nr : 0,
	    .min_wait_us = nr ? choice.us : 0,
	    .timeout_ns = timeout_ms < 0 ? -1 : timeout_ms * 1000000,
	};

	worker->wait_us = choice.us;
	if (wait.nr)
		rcu_thread_offline();
	ring_enter(&worker->ring, &wait);
	if (wait.nr)
		rcu_thread_online();
	else
		rcu_quiescent_state();
}

static bool turn(struct worker *worker)
{
	struct ring_event event;
	unsigned receive_nr = 0;

	send_finish(&worker->sender);
	worker_begin_turn(worker);
	tcp_uring_finish(worker);
	while (ring_next(&worker->ring, &event))
		receive_nr += handle(worker, &event);
	give_back(worker);
	tcp_uring_turn(worker);
	send_bundles(&worker->sender);
	publish(worker);
	worker_end_turn(worker);
	return receive_nr;
}

/*
 * Everything that the sockets had received is answered, then the connections
 * get their replies.
 */
static void finish(struct worker *worker)
{
	bool more = true;

	tcp_uring_stop(worker);
	for (unsigned i = 0; more && i < WORKER_DRAIN_TURNS; i++) {
		enter(worker, 0);
		more = turn(worker);
	}
	while (worker->tcp.live_nr && worker->now_ms < worker->stop_ms) {
		enter(worker, 1);
		turn(worker);
	}
	ring_submit(&worker->ring);
	send_finish(&worker->sender);
}

void worker_uring_run(struct worker *worker)
{
	stream_wake(&worker->ring, worker->wake_fd, &worker->wake_value);
	for (unsigned i = 0; i < worker->options.listener_nr; i++)
		recv_arm(&worker->receiver, worker->socket[i].fd, i);
	tcp_uring_arm(worker);
	do {
		enter(worker, 1);
		turn(worker);
	} while (!worker_is_stopping(worker));
	finish(worker);
}
