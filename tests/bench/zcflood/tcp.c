/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TCP connections, one for each source. A burst of queries is one send. What
 * the socket does not take is kept, and the source gets no further query until
 * it is gone. One receive takes what there is; messages are handed over from
 * where they lie, and the piece of one at the end waits for the rest.
 *
 * A connection that the server ends is opened again; what was on its way is
 * lost, as its time-out says.
 */
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/octets.h"
#include "zcflood/poll.h"
#include "zcflood/source.h"
#include "zcflood/transport.h"

#define PREFIX	  2 /* length of a message, RFC 1035 section 4.2.2 */
#define FRAME_MAX (PREFIX + 65535)
#define IN_LEN	  (FRAME_MAX + (128 << 10))
#define OUT_LEN	  (OPTIONS_BURST_MAX * (PREFIX + QUERY_MAX))

struct connection {
	int fd;
	uint8_t *rest; /* piece of a message; NULL: there was none yet */
	uint32_t rest_len;
	uint8_t *out; /* what waits for room; likewise */
	uint32_t out_len;
};

struct tcp {
	struct transport transport;
	struct source_plan plan;
	union socket_address server;
	socklen_t server_len;
	uint32_t burst;
	uint64_t reopened;
	struct poll_set poll;
	uint32_t turn; /* connection that is next */
	struct connection *connection;
	uint8_t out[OUT_LEN];
	uint8_t in[IN_LEN];
};

static int bind_source(const struct tcp *tcp, int fd, uint32_t index)
{
	union socket_address local = {.sa.sa_family = tcp->server.sa.sa_family};
	const int on = 1;

	/* the port is chosen with the whole of the pair in view */
	setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof(on));
	if (tcp->plan.is_v6) {
		setsockopt(fd, IPPROTO_IPV6, IPV6_FREEBIND, &on, sizeof(on));
		source_address(&tcp->plan, index / tcp->plan.port_nr,
			       (uint8_t *)&local.in6.sin6_addr);
	} else {
		source_address(&tcp->plan, index / tcp->plan.port_nr,
			       (uint8_t *)&local.in.sin_addr);
	}
	return bind(fd, &local.sa, tcp->server_len);
}

/* Returns 0, or -1 with errno. */
static int open_connection(struct tcp *tcp, uint32_t index)
{
	struct connection *connection = &tcp->connection[index];
	struct epoll_event event = {.events = EPOLLIN, .data.u32 = index};
	const int on = 1;

	connection->rest_len = connection->out_len = 0;
	connection->fd = socket(tcp->server.sa.sa_family,
				SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP);
	if (connection->fd < 0)
		return -1;
	setsockopt(connection->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (bind_source(tcp, connection->fd, index) ||
	    connect(connection->fd, &tcp->server.sa, tcp->server_len))
		return -1;
	return epoll_ctl(tcp->poll.epoll, EPOLL_CTL_ADD, connection->fd,
			 &event);
}

/* While that fails the source has no connection, and no turn. */
static void reopen(struct tcp *tcp, uint32_t index)
{
	struct connection *connection = &tcp->connection[index];

	if (connection->fd >= 0)
		close(connection->fd);
	tcp->reopened++;
	if (!open_connection(tcp, index))
		return;
	if (connection->fd >= 0)
		close(connection->fd);
	connection->fd = -1;
}

static void watch(struct tcp *tcp, uint32_t index, bool writing)
{
	struct epoll_event event = {
	    .events = writing ? EPOLLIN | EPOLLOUT : EPOLLIN,
	    .data.u32 = index,
	};

	epoll_ctl(tcp->poll.epoll, EPOLL_CTL_MOD, tcp->connection[index].fd,
		  &event);
}

/* Keeps what was not sent; out holds any burst. */
static void keep(struct tcp *tcp, uint32_t index, const uint8_t *data,
		 uint32_t len)
{
	struct connection *connection = &tcp->connection[index];

	if (!connection->out)
		connection->out = malloc(OUT_LEN);
	if (!connection->out) {
		reopen(tcp, index);
		return;
	}
	memmove(connection->out, data, len);
	connection->out_len = len;
}

/* Sends len octets; the rest of them waits. */
static void send_octets(struct tcp *tcp, uint32_t index, const uint8_t *data,
			uint32_t len)
{
	struct connection *connection = &tcp->connection[index];
	ssize_t n =
	    send(connection->fd, data, len, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n < 0 && errno != EAGAIN && errno != EINTR) {
		reopen(tcp, index);
		return;
	}
	if (n < 0)
		n = 0;
	if ((uint32_t)n == len) {
		if (connection->out_len)
			watch(tcp, index, false);
		connection->out_len = 0;
		return;
	}
	if (!connection->out_len)
		watch(tcp, index, true);
	keep(tcp, index, data + n, len - (uint32_t)n);
}

static void send_burst(struct tcp *tcp, uint32_t index, uint32_t nr)
{
	uint8_t *end = tcp->out;

	for (uint32_t i = 0; i < nr; i++) {
		uint32_t len =
		    flood_query(tcp->transport.flood, index, end + PREFIX);

		put_u16(end, (uint16_t)len);
		end += PREFIX + len;
	}
	send_octets(tcp, index, tcp->out, (uint32_t)(end - tcp->out));
}

/* A connection that lags is left out; its replies will come. */
static bool is_free(const struct tcp *tcp, uint32_t index)
{
	const struct connection *connection = &tcp->connection[index];

	return connection->fd >= 0 && !connection->out_len &&
	       flight_has_room(&tcp->transport.flood->flights, index,
			       tcp->burst);
}

/* The connection whose turn it is, SOURCE_NONE when none has room. */
static uint32_t next_connection(struct tcp *tcp)
{
	for (uint32_t i = 0; i < tcp->plan.nr; i++) {
		uint32_t index = tcp->turn;

		tcp->turn = index + 1 < tcp->plan.nr ? index + 1 : 0;
		if (tcp->connection[index].fd < 0)
			reopen(tcp, index);
		if (is_free(tcp, index))
			return index;
	}
	return SOURCE_NONE;
}

static uint32_t tcp_send(struct transport *transport, uint32_t nr)
{
	struct tcp *tcp = (struct tcp *)transport;
	uint32_t sent = 0;

	flood_tick(transport->flood);
	while (sent < nr) {
		uint32_t index = next_connection(tcp);
		uint32_t burst = nr - sent;

		if (index == SOURCE_NONE)
			break;
		if (burst > tcp->burst)
			burst = tcp->burst;
		send_burst(tcp, index, burst);
		sent += burst;
	}
	return sent;
}

/* Whole messages of in; returns the octets they take. */
static uint32_t take_messages(struct tcp *tcp, uint32_t index, uint32_t len)
{
	uint32_t pos = 0;

	while (len - pos >= PREFIX) {
		uint32_t message_len = get_u16(tcp->in + pos);

		if (len - pos - PREFIX < message_len)
			break;
		flood_reply(tcp->transport.flood, index, tcp->in + pos + PREFIX,
			    message_len);
		pos += PREFIX + message_len;
	}
	return pos;
}

static void keep_rest(struct tcp *tcp, uint32_t index, const uint8_t *data,
		      uint32_t len)
{
	struct connection *connection = &tcp->connection[index];

	connection->rest_len = len;
	if (!len)
		return;
	if (!connection->rest)
		connection->rest = malloc(FRAME_MAX);
	if (connection->rest)
		memcpy(connection->rest, data, len);
	else
		reopen(tcp, index);
}

static void receive(struct tcp *tcp, uint32_t index)
{
	struct connection *connection = &tcp->connection[index];
	uint32_t before = connection->rest_len, pos;
	ssize_t n;

	if (before)
		memcpy(tcp->in, connection->rest, before);
	n = recv(connection->fd, tcp->in + before, IN_LEN - before,
		 MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		reopen(tcp, index);
		return;
	}
	flood_tick(tcp->transport.flood);
	pos = take_messages(tcp, index, before + (uint32_t)n);
	keep_rest(tcp, index, tcp->in + pos, before + (uint32_t)n - pos);
}

static void handle(struct tcp *tcp, const struct epoll_event *event)
{
	uint32_t index = event->data.u32;
	struct connection *connection = &tcp->connection[index];

	if (event->events & EPOLLOUT)
		send_octets(tcp, index, connection->out, connection->out_len);
	if (event->events & ~(uint32_t)EPOLLOUT && connection->fd >= 0)
		receive(tcp, index);
}

static void tcp_receive(struct transport *transport, uint64_t wait_ns)
{
	struct tcp *tcp = (struct tcp *)transport;
	struct epoll_event events[POLL_EVENTS];
	int nr = poll_set_wait(&tcp->poll, events, wait_ns);

	for (int i = 0; i < nr; i++)
		handle(tcp, &events[i]);
}

static int tcp_init(struct tcp *tcp, const struct options *options)
{
	tcp->server = options->server;
	tcp->server_len = options_server_len(options);
	tcp->burst = options->burst;
	source_plan(&tcp->plan, options);
	tcp->connection = calloc(tcp->plan.nr, sizeof(*tcp->connection));
	if (!tcp->connection)
		return -1;
	for (uint32_t i = 0; i < tcp->plan.nr; i++)
		tcp->connection[i].fd = -1;
	if (poll_set_init(&tcp->poll, tcp->transport.flood, options->spin_ns,
			  tcp->plan.nr))
		return -1;
	for (uint32_t i = 0; i < tcp->plan.nr; i++)
		if (open_connection(tcp, i))
			return -1;
	return 0;
}

static void tcp_close(struct transport *transport)
{
	struct tcp *tcp = (struct tcp *)transport;

	if (tcp->reopened)
		fprintf(stderr, "zcflood: %llu connections ended early\n",
			(unsigned long long)tcp->reopened);
	for (uint32_t i = 0; tcp->connection && i < tcp->plan.nr; i++) {
		if (tcp->connection[i].fd >= 0)
			close(tcp->connection[i].fd);
		free(tcp->connection[i].rest);
		free(tcp->connection[i].out);
	}
	poll_set_release(&tcp->poll);
	free(tcp->connection);
	free(tcp);
}

static struct transport *tcp_open(struct flood *flood,
				  const struct options *options)
{
	struct tcp *tcp = calloc(1, sizeof(*tcp));

	if (!tcp)
		return NULL;
	tcp->transport.ops = &transport_tcp;
	tcp->transport.flood = flood;
	if (!tcp_init(tcp, options))
		return &tcp->transport;
	fprintf(stderr, "zcflood: TCP connections, %u of them: %s\n",
		tcp->plan.nr, strerror(errno));
	tcp_close(&tcp->transport);
	return NULL;
}

const struct transport_ops transport_tcp = {
    .name = "tcp",
    .open = tcp_open,
    .send = tcp_send,
    .receive = tcp_receive,
    .close = tcp_close,
};
