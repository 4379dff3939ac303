/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TCP connections on epoll: level-triggered, replies are written at once, and
 * a connection is watched for writing only while its peer does not read.
 */
#include "server/worker_loop.h"

#include <errno.h>
#include <sys/socket.h>

/* Connections accepted in one turn; then UDP has its turn. */
#define ACCEPT_MAX 64
/* Reads of one connection in a turn. */
#define READ_TURNS 8

static void control(struct worker *worker, int op, int fd, uint32_t events,
		    uint64_t data)
{
	struct epoll_event event = {.events = events, .data.u64 = data};

	epoll_ctl(worker->epoll_fd, op, fd, &event);
}

static uint64_t data_of(const struct worker *worker,
			const struct tcp_conn *conn)
{
	return worker_event(EVENT_CONN, conn->generation,
			    tcp_index(&worker->tcp, conn));
}

/* Watches for what the connection wants; recv_pending: reading is watched. */
static void watch(struct worker *worker, struct tcp_conn *conn)
{
	bool read = tcp_wants_read(conn), write = tcp_unsent(conn);

	if (read == conn->recv_pending && write == conn->send_pending)
		return;
	conn->recv_pending = read;
	conn->send_pending = write;
	control(worker, EPOLL_CTL_MOD, conn->fd,
		(read ? (uint32_t)EPOLLIN : 0) |
		    (write ? (uint32_t)EPOLLOUT : 0),
		data_of(worker, conn));
}

static void write_out(struct worker *worker, struct tcp_conn *conn)
{
	while (tcp_unsent(conn) && !conn->dead) {
		ssize_t n = send(conn->fd, conn->out + conn->out_head,
				 tcp_unsent(conn), MSG_DONTWAIT | MSG_NOSIGNAL);

		counter_add(&worker->counters.tcp_sends, 1);
		if (n > 0) {
			tcp_sent(&worker->tcp, conn, (size_t)n);
			/* its next piece is for the next turn */
			if (conn->transfer)
				return;
		} else if (errno == EAGAIN)
			return;
		else if (errno != EINTR)
			tcp_kill(&worker->tcp, conn);
	}
}

static void step(struct worker *worker, struct tcp_conn *conn)
{
	write_out(worker, conn);
	switch (tcp_step(conn)) {
	case TCP_STEP_SHUT:
		shutdown(conn->fd, SHUT_WR);
		tcp_shut(&worker->tcp, conn);
		break;
	case TCP_STEP_CLOSE:
		tcp_close(&worker->tcp, conn);
		return;
	case TCP_STEP_WAIT:
		break;
	}
	watch(worker, conn);
}

static void listen_control(struct worker *worker, int op)
{
	for (unsigned i = 0; i < worker->options.listener_nr; i++) {
		const struct listener *listener = &worker->options.listener[i];

		control(worker, op, listener->tcp_fd[worker->options.id],
			EPOLLIN, worker_event(EVENT_ACCEPT, 0, i));
	}
}

int tcp_epoll_arm(struct worker *worker)
{
	listen_control(worker, EPOLL_CTL_ADD);
	return 0;
}

static void give_up_oldest(struct worker *worker)
{
	struct tcp_conn *conn = tcp_give_up_oldest(&worker->tcp);

	if (conn)
		step(worker, conn);
}

static void open_conn(struct worker *worker, int fd)
{
	struct tcp_conn *conn = tcp_open(&worker->tcp, fd);

	if (conn) {
		conn->recv_pending = true;
		control(worker, EPOLL_CTL_ADD, fd, EPOLLIN,
			data_of(worker, conn));
	}
	if (tcp_is_over_limit(&worker->tcp))
		give_up_oldest(worker);
}

void tcp_epoll_accept(struct worker *worker, unsigned index)
{
	const struct listener *listener = &worker->options.listener[index];

	for (unsigned i = 0; i < ACCEPT_MAX; i++) {
		int fd = accept4(listener->tcp_fd[worker->options.id], NULL,
				 NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd >= 0) {
			open_conn(worker, fd);
			continue;
		}
		if (tcp_is_exhausted(-errno)) {
			/* unwatched, or epoll would report it without end */
			listen_control(worker, EPOLL_CTL_DEL);
			worker_accept_failed(worker);
			give_up_oldest(worker);
			return;
		}
		if (errno == EAGAIN)
			return;
	}
}

/* One read; returns the octets (0: the end) or -errno. */
static ssize_t read_once(struct worker *worker, struct tcp_conn *conn)
{
	uint8_t data[TCP_READ_MAX];
	ssize_t n = recv(conn->fd, data, sizeof(data), MSG_DONTWAIT);

	if (n >= 0)
		tcp_input(&worker->tcp, conn, data, (size_t)n);
	else if (errno != EAGAIN && errno != EINTR)
		tcp_kill(&worker->tcp, conn);
	return n < 0 ? -errno : n;
}

/* Reads what there is, so that its replies leave together. */
static bool read_in(struct worker *worker, struct tcp_conn *conn)
{
	ssize_t first = read_once(worker, conn), n = first;

	for (unsigned i = 1;
	     i < READ_TURNS && n == TCP_READ_MAX && tcp_wants_read(conn); i++)
		n = read_once(worker, conn);
	return first >= 0;
}

void tcp_epoll_event(struct worker *worker, const struct epoll_event *event)
{
	uint32_t index = (uint32_t)event->data.u64, events = event->events;
	struct tcp_conn *conn = &worker->tcp.conn[index];

	/* closed earlier in this turn, and the place maybe given to another */
	if (conn->fd < 0 || event->data.u64 != data_of(worker, conn))
		return;
	if (events & EPOLLERR)
		tcp_kill(&worker->tcp, conn);
	else if (events & (EPOLLIN | EPOLLHUP) && tcp_wants_read(conn))
		read_in(worker, conn);
	step(worker, conn);
}

void tcp_epoll_turn(struct worker *worker)
{
	struct tcp_conn *conn;

	while ((conn = tcp_expire(&worker->tcp))) {
		/* idle only if nothing has come meanwhile */
		if (conn->ending && read_in(worker, conn))
			conn->ending = conn->bad;
		step(worker, conn);
	}
	if (!worker->accept_again_ms || worker->stop_ms ||
	    worker->now_ms < worker->accept_again_ms)
		return;
	worker->accept_again_ms = 0;
	listen_control(worker, EPOLL_CTL_ADD);
}

void tcp_epoll_stop(struct worker *worker)
{
	listen_control(worker, EPOLL_CTL_DEL);
	tcp_end_all(&worker->tcp);
	for (unsigned i = 0; i < worker->tcp.conn_nr; i++) {
		struct tcp_conn *conn = &worker->tcp.conn[i];

		if (conn->fd >= 0)
			step(worker, conn);
	}
}
