/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The loop of a worker around epoll, recvmmsg and sendmmsg, for systems where
 * io_uring is missing, forbidden, or no faster. One thread serves UDP and TCP.
 */
#include "server/worker_loop.h"

#include <errno.h>
#include <unistd.h>
#include <urcu-qsbr.h>

#define EVENT_MAX 256
/* Receives gathered into one batch of replies; then the others have a turn. */
#define RECEIVE_TURNS 4

static int watch(struct worker *worker, int fd, enum worker_event what,
		 uint32_t index)
{
	struct epoll_event event = {
	    .events = EPOLLIN,
	    .data.u64 = worker_event(what, 0, index),
	};

	return epoll_ctl(worker->epoll_fd, EPOLL_CTL_ADD, fd, &event) ? -errno
								      : 0;
}

static void flush(struct worker *worker)
{
	mmsg_send(&worker->mmsg);
}

static int watch_all(struct worker *worker)
{
	int error = watch(worker, worker->wake_fd, EVENT_WAKE, 0);

	for (unsigned i = 0; !error && i < worker->options.listener_nr; i++)
		error = watch(worker, worker->socket[i].fd, EVENT_UDP, i);
	if (!error)
		error = tcp_epoll_arm(worker);
	return error;
}

int worker_mmsg_init(struct worker *worker)
{
	int error = mmsg_init(&worker->mmsg, &worker->arena, &worker->bundles,
			      worker->socket);

	if (error)
		return error;
	worker->flush = flush;
	worker->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (worker->epoll_fd < 0) {
		error = -errno;
		goto release_mmsg;
	}
	error = watch_all(worker);
	if (error)
		goto close_epoll;
	return 0;
close_epoll:
	close(worker->epoll_fd);
release_mmsg:
	mmsg_release(&worker->mmsg);
	return error;
}

void worker_mmsg_release(struct worker *worker)
{
	close(worker->epoll_fd);
	mmsg_release(&worker->mmsg);
}

static bool receive(struct worker *worker, uint32_t socket)
{
	unsigned total = 0;

	for (unsigned i = 0; i < RECEIVE_TURNS; i++) {
		unsigned nr = mmsg_receive(&worker->mmsg, socket);

		for (unsigned k = 0; k < nr; k++) {
			struct datagram datagram;

			mmsg_datagram(&worker->mmsg, k, &datagram);
			worker_gather(worker, &datagram);
		}
		worker_answer(worker);
		total += nr;
		if (nr < MMSG_RECEIVE_MAX)
			break;
	}
	return total;
}

/* Returns true if a UDP socket had something. */
static bool handle(struct worker *worker, const struct epoll_event *event)
{
	uint32_t index = (uint32_t)event->data.u64;

	switch (event->data.u64 >> 48) {
	case EVENT_UDP:
		return receive(worker, index);
	case EVENT_ACCEPT:
		tcp_epoll_accept(worker, index);
		return false;
	case EVENT_CONN:
		tcp_epoll_event(worker, event);
		return false;
	default:
		/* the eventfd stays readable: the loop ends soon */
		return false;
	}
}

/*
 * A minimum wait by hand: what comes while the thread sleeps is taken at once
 * afterwards, and if nothing did, epoll_wait() sleeps on until the first.
 */
static void gather(struct worker *worker)
{
	worker->wait_us = wait_choose(&worker->wait).us;
	if (worker->wait_us)
		ring_sleep(worker->wait_us);
}

static bool turn(struct worker *worker, int timeout_ms)
{
	struct epoll_event event[EVENT_MAX];
	bool received = false;
	int nr;

	if (timeout_ms) {
		rcu_thread_offline();
		gather(worker);
	}
	nr = epoll_wait(worker->epoll_fd, event, EVENT_MAX, timeout_ms);
	if (timeout_ms)
		rcu_thread_online();
	else
		rcu_quiescent_state();
	worker_begin_turn(worker);
	for (int i = 0; i < nr; i++)
		received |= handle(worker, &event[i]);
	tcp_epoll_turn(worker);
	flush(worker);
	worker_publish_send(worker, &worker->mmsg.counters);
	worker_end_turn(worker);
	return received;
}

static void finish(struct worker *worker)
{
	bool more = true;

	epoll_ctl(worker->epoll_fd, EPOLL_CTL_DEL, worker->wake_fd, NULL);
	tcp_epoll_stop(worker);
	for (unsigned i = 0; more && i < WORKER_DRAIN_TURNS; i++)
		more = turn(worker, 0);
	while (worker->tcp.live_nr && worker->now_ms < worker->stop_ms)
		turn(worker, (int)worker_timeout(worker));
}

void worker_mmsg_run(struct worker *worker)
{
	bool busy = worker->options.wait.mode == WAIT_BUSY;

	do
		turn(worker, busy ? 0 : (int)worker_timeout(worker));
	while (!worker_is_stopping(worker));
	finish(worker);
}
