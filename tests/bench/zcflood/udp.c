/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * UDP sockets, one for each port of the sources. Where there is one address, a
 * socket is bound to it and connected; else it is bound to its port alone, and
 * IP_PKTINFO says of each message which address it leaves from and came to.
 *
 * A burst is one message with UDP_SEGMENT as far as its queries have one length
 * (the last may be shorter). Up to BATCH messages leave by one sendmmsg.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/octets.h"
#include "uring/compat.h"
#include "uring/control.h"
#include "uring/datagram.h"
#include "uring/message.h"
#include "zcflood/poll.h"
#include "zcflood/source.h"
#include "zcflood/transport.h"

#define BATCH	    64
#define BATCH_LEN   (BATCH * OPTIONS_BURST_MAX * QUERY_MAX)
#define ROUNDS	    16 /* of receiving, before others get their turn */
#define SOCKET_ROOM (8 << 20)
/* Longer than any reply to EDNS 1232; odd number of cache lines. */
#define SINGLE_LEN (4096 + 64)
#define GRO_LEN	   (65536 + 64)

struct port {
	int fd;
	uint32_t turn; /* address that is next */
};

struct udp {
	struct transport transport;
	struct source_plan plan;
	union socket_address server;
	socklen_t server_len;
	uint32_t burst;
	bool connected;
	bool gso_off;
	bool refused; /* which has been said */
	struct poll_set poll;
	uint32_t next_port;
	uint32_t visit; /* queries that are left of its turn */
	struct port *port;

	uint32_t out_nr;
	uint8_t *out_octets, *out_end;
	uint32_t out_source[BATCH];
	uint16_t out_first[BATCH]; /* length of all queries but the last */
	struct mmsghdr out[BATCH];
	struct iovec out_iov[BATCH];
	uint64_t out_control[BATCH][CONTROL_MAX / 8];

	uint8_t *in_octets;
	struct mmsghdr in[BATCH];
	struct iovec in_iov[BATCH];
	union socket_address in_name[BATCH];
	uint64_t in_control[BATCH][CONTROL_MAX / 8];
};

/* Control messages of a message from the source; segment 0: one query. */
static void set_control(struct udp *udp, uint32_t i, uint16_t segment)
{
	struct msghdr *msg = &udp->out[i].msg_hdr;
	struct endpoint endpoint = {.peer.sa.sa_family =
					udp->server.sa.sa_family};

	if (!udp->connected)
		source_address(&udp->plan,
			       udp->out_source[i] / udp->plan.port_nr,
			       endpoint.local);
	msg->msg_control = udp->out_control[i];
	msg->msg_controllen =
	    control_build((uint8_t *)udp->out_control[i], &endpoint,
			  !udp->connected, segment);
}

/* One message of up to nr queries; returns how many. */
static uint32_t put_message(struct udp *udp, uint32_t source, uint32_t nr)
{
	struct flood *flood = udp->transport.flood;
	uint32_t i = udp->out_nr++, taken = 0, len, first;
	uint8_t *start = udp->out_end;

	first = flood_next_len(flood);
	if (udp->gso_off)
		nr = 1;
	do {
		len = flood_query(flood, source, udp->out_end);
		udp->out_end += len;
	} while (++taken < nr && len == first &&
		 flood_next_len(flood) <= first);
	udp->out_source[i] = source;
	udp->out_first[i] = (uint16_t)first;
	udp->out_iov[i].iov_base = start;
	udp->out_iov[i].iov_len = (size_t)(udp->out_end - start);
	set_control(udp, i, taken > 1 ? (uint16_t)first : 0);
	return taken;
}

/* Length of the query at pos of a message. */
static size_t query_at(const struct udp *udp, uint32_t i, size_t pos)
{
	size_t rest = udp->out_iov[i].iov_len - pos;

	return rest < udp->out_first[i] ? rest : udp->out_first[i];
}

static void give_up(struct udp *udp, uint32_t i)
{
	const uint8_t *octets = udp->out_iov[i].iov_base;

	for (size_t pos = 0; pos < udp->out_iov[i].iov_len;
	     pos += query_at(udp, i, pos))
		flood_unsent(udp->transport.flood, udp->out_source[i],
			     octets + pos);
}

/* Without GSO: each query of the message as a message of its own. */
static void send_singly(struct udp *udp, const struct port *port, uint32_t i)
{
	const struct iovec all = udp->out_iov[i];
	struct msghdr *msg = &udp->out[i].msg_hdr;
	size_t len;

	set_control(udp, i, 0);
	for (size_t pos = 0; pos < all.iov_len; pos += len) {
		len = query_at(udp, i, pos);
		udp->out_iov[i].iov_base = (uint8_t *)all.iov_base + pos;
		udp->out_iov[i].iov_len = len;
		if (sendmsg(port->fd, msg, 0) < 0)
			flood_unsent(udp->transport.flood, udp->out_source[i],
				     udp->out_iov[i].iov_base);
		udp->out_iov[i] = all;
	}
}

/* Once: it is an ICMP message that told so, about an earlier query. */
static void say_refused(struct udp *udp)
{
	if (!udp->refused)
		fprintf(stderr, "zcflood: nobody listens on that address and "
				"port (an ICMP message says)\n");
	udp->refused = true;
}

/* Sees to message i, which failed. Returns how many to go on by. */
static uint32_t failed(struct udp *udp, const struct port *port, uint32_t i,
		       int error)
{
	/* either way this one was not sent */
	if (error == ECONNREFUSED)
		say_refused(udp);
	if (error == EINTR || error == ECONNREFUSED)
		return 0;
	if (udp->out_iov[i].iov_len > udp->out_first[i] &&
	    message_is_gso_error(-error)) {
		if (!udp->gso_off)
			fprintf(stderr,
				"zcflood: UDP_SEGMENT: %s; sending "
				"single packets\n",
				strerror(error));
		udp->gso_off = true;
		send_singly(udp, port, i);
	} else {
		give_up(udp, i);
	}
	return 1;
}

/* Blocks while the socket has no room, which paces the flood. */
static void flush(struct udp *udp, const struct port *port)
{
	uint32_t from = 0;

	while (from < udp->out_nr) {
		int sent =
		    sendmmsg(port->fd, udp->out + from, udp->out_nr - from, 0);

		from +=
		    sent > 0 ? (uint32_t)sent : failed(udp, port, from, errno);
	}
	udp->out_nr = 0;
	udp->out_end = udp->out_octets;
	flood_tick(udp->transport.flood);
}

/* Up to nr queries from the sources of a port, which take turns. */
static void send_port(struct udp *udp, uint32_t index, uint32_t nr)
{
	struct port *port = &udp->port[index];

	while (nr) {
		uint32_t burst = nr < udp->burst ? nr : udp->burst;
		uint32_t source = port->turn * udp->plan.port_nr + index;

		for (uint32_t rest = burst; rest;) {
			if (udp->out_nr == BATCH)
				flush(udp, port);
			rest -= put_message(udp, source, rest);
		}
		if (++port->turn == source_plan_share(&udp->plan, index))
			port->turn = 0;
		nr -= burst;
	}
	flush(udp, port);
}

/*
 * How many queries a port sends in its turn: with many addresses a batch, or
 * one burst of each; else its even share of nr.
 */
static uint32_t visit_len(const struct udp *udp, uint32_t nr)
{
	uint32_t ports = udp->plan.port_nr;
	uint32_t bursts = (nr + udp->burst - 1) / udp->burst;
	uint32_t share = (bursts + ports - 1) / ports;
	uint32_t addresses = source_plan_share(&udp->plan, udp->next_port);

	if (share < addresses)
		share = addresses;
	return (share < BATCH ? share : BATCH) * udp->burst;
}

/* A port keeps its turn until it has sent all of it, so all send alike. */
static uint32_t udp_send(struct transport *transport, uint32_t nr)
{
	struct udp *udp = (struct udp *)transport;

	flood_tick(transport->flood);
	for (uint32_t rest = nr, part; rest; rest -= part) {
		if (!udp->visit)
			udp->visit = visit_len(udp, rest);
		part = udp->visit < rest ? udp->visit : rest;
		send_port(udp, udp->next_port, part);
		udp->visit -= part;
		if (!udp->visit && ++udp->next_port == udp->plan.port_nr)
			udp->next_port = 0;
	}
	return nr;
}

static bool is_server(const struct udp *udp, const struct endpoint *endpoint)
{
	if (udp->server.sa.sa_family == AF_INET)
		return endpoint->peer.in.sin_port == udp->server.in.sin_port &&
		       endpoint->peer.in.sin_addr.s_addr ==
			   udp->server.in.sin_addr.s_addr;
	return endpoint->peer.in6.sin6_port == udp->server.in6.sin6_port &&
	       !memcmp(&endpoint->peer.in6.sin6_addr,
		       &udp->server.in6.sin6_addr, 16);
}

static uint32_t source_of(const struct udp *udp, uint32_t port,
			  const struct endpoint *endpoint)
{
	if (udp->connected)
		return port;
	return is_server(udp, endpoint)
		   ? source_find(&udp->plan, endpoint->local, port)
		   : SOURCE_NONE;
}

static void take_message(struct udp *udp, uint32_t port, unsigned i)
{
	const struct msghdr *msg = &udp->in[i].msg_hdr;
	struct datagram datagram = {.data = udp->in_iov[i].iov_base,
				    .len = udp->in[i].msg_len};
	uint32_t source, pos = 0, len;
	const uint8_t *reply;

	if (!udp->connected)
		memcpy(&datagram.endpoint.peer, &udp->in_name[i],
		       sizeof(udp->in_name[i]));
	control_parse(msg->msg_control, msg->msg_controllen, &datagram.endpoint,
		      &datagram.segment);
	source = source_of(udp, port, &datagram.endpoint);
	if (!datagram.len)
		flood_reply(udp->transport.flood, source, datagram.data, 0);
	while (datagram_next(&datagram, &pos, &reply, &len))
		flood_reply(udp->transport.flood, source, reply, len);
}

static void drain_port(struct udp *udp, uint32_t port)
{
	int nr = BATCH;

	for (int round = 0; round < ROUNDS && nr == BATCH; round++) {
		for (int i = 0; i < BATCH; i++) {
			udp->in[i].msg_hdr.msg_controllen = CONTROL_MAX;
			udp->in[i].msg_hdr.msg_namelen =
			    udp->connected ? 0 : sizeof(udp->in_name[i]);
		}
		nr = recvmmsg(udp->port[port].fd, udp->in, BATCH, MSG_DONTWAIT,
			      NULL);
		if (nr < 0 && errno == ECONNREFUSED)
			say_refused(udp);
		if (nr <= 0)
			return;
		flood_tick(udp->transport.flood);
		for (int i = 0; i < nr; i++)
			take_message(udp, port, (unsigned)i);
	}
}

static void udp_receive(struct transport *transport, uint64_t wait_ns)
{
	struct udp *udp = (struct udp *)transport;
	struct epoll_event events[POLL_EVENTS];
	int nr = poll_set_wait(&udp->poll, events, wait_ns);

	for (int i = 0; i < nr; i++)
		drain_port(udp, events[i].data.u32);
}

static int set_int(int fd, int level, int name, int value)
{
	return setsockopt(fd, level, name, &value, sizeof(value));
}

/* Returns 0, or -1 with errno. What only makes it faster may fail. */
static int set_options(const struct udp *udp, int fd, bool gro)
{
	bool is_v6 = udp->plan.is_v6;

	if (set_int(fd, SOL_SOCKET, SO_RCVBUFFORCE, SOCKET_ROOM))
		set_int(fd, SOL_SOCKET, SO_RCVBUF, SOCKET_ROOM);
	if (set_int(fd, SOL_SOCKET, SO_SNDBUFFORCE, SOCKET_ROOM))
		set_int(fd, SOL_SOCKET, SO_SNDBUF, SOCKET_ROOM);
	/* don't fragment, and the kernel need not choose an IP id */
	if (is_v6)
		set_int(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER,
			IPV6_PMTUDISC_PROBE);
	else
		set_int(fd, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_PROBE);
	if (gro && set_int(fd, IPPROTO_UDP, UDP_GRO, 1))
		return -1;
	if (udp->connected)
		return 0;
	if (!is_v6)
		return set_int(fd, IPPROTO_IP, IP_PKTINFO, 1);
	/* any address of a block that is routed here, not assigned */
	return set_int(fd, IPPROTO_IPV6, IPV6_FREEBIND, 1)
		   ? -1
		   : set_int(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, 1);
}

static int bind_port(const struct udp *udp, int fd)
{
	union socket_address local = {.sa.sa_family = udp->server.sa.sa_family};

	if (udp->connected && udp->plan.is_v6)
		source_address(&udp->plan, 0, (uint8_t *)&local.in6.sin6_addr);
	else if (udp->connected)
		source_address(&udp->plan, 0, (uint8_t *)&local.in.sin_addr);
	if (bind(fd, &local.sa, udp->server_len))
		return -1;
	return udp->connected ? connect(fd, &udp->server.sa, udp->server_len)
			      : 0;
}

static int open_port(struct udp *udp, uint32_t index, bool gro)
{
	struct port *port = &udp->port[index];
	struct epoll_event event = {.events = EPOLLIN, .data.u32 = index};

	port->fd = socket(udp->server.sa.sa_family, SOCK_DGRAM | SOCK_CLOEXEC,
			  IPPROTO_UDP);
	if (port->fd < 0 || set_options(udp, port->fd, gro) ||
	    bind_port(udp, port->fd))
		return -1;
	return epoll_ctl(udp->poll.epoll, EPOLL_CTL_ADD, port->fd, &event);
}

static int open_ports(struct udp *udp, const struct options *options)
{
	if (poll_set_init(&udp->poll, udp->transport.flood, options->spin_ns,
			  udp->plan.port_nr))
		return -1;
	for (uint32_t i = 0; i < udp->plan.port_nr; i++)
		if (open_port(udp, i, options->gro))
			return -1;
	return 0;
}

static void set_messages(struct udp *udp, size_t in_len)
{
	for (uint32_t i = 0; i < BATCH; i++) {
		struct msghdr *in = &udp->in[i].msg_hdr;
		struct msghdr *out = &udp->out[i].msg_hdr;

		udp->in_iov[i].iov_base = udp->in_octets + i * in_len;
		udp->in_iov[i].iov_len = in_len;
		in->msg_iov = &udp->in_iov[i];
		in->msg_iovlen = 1;
		in->msg_control = udp->in_control[i];
		in->msg_name = udp->connected ? NULL : &udp->in_name[i];
		out->msg_iov = &udp->out_iov[i];
		out->msg_iovlen = 1;
		out->msg_name = udp->connected ? NULL : &udp->server;
		out->msg_namelen = udp->connected ? 0 : udp->server_len;
	}
	udp->out_end = udp->out_octets;
}

static int udp_init(struct udp *udp, const struct options *options)
{
	size_t in_len = options->gro ? GRO_LEN : SINGLE_LEN;

	udp->server = options->server;
	udp->server_len = options_server_len(options);
	udp->burst = options->burst;
	source_plan(&udp->plan, options);
	udp->connected = udp->plan.address_nr == 1;
	udp->port = calloc(udp->plan.port_nr, sizeof(*udp->port));
	udp->out_octets = malloc(BATCH_LEN);
	udp->in_octets = malloc(BATCH * in_len);
	if (!udp->port || !udp->out_octets || !udp->in_octets)
		return -1;
	set_messages(udp, in_len);
	return open_ports(udp, options);
}

static void udp_close(struct transport *transport)
{
	struct udp *udp = (struct udp *)transport;

	for (uint32_t i = 0; udp->port && i < udp->plan.port_nr; i++)
		if (udp->port[i].fd > 0)
			close(udp->port[i].fd);
	poll_set_release(&udp->poll);
	free(udp->port);
	free(udp->out_octets);
	free(udp->in_octets);
	free(udp);
}

static struct transport *udp_open(struct flood *flood,
				  const struct options *options)
{
	struct udp *udp = calloc(1, sizeof(*udp));

	if (!udp)
		return NULL;
	udp->transport.ops = &transport_udp;
	udp->transport.flood = flood;
	if (!udp_init(udp, options))
		return &udp->transport;
	fprintf(stderr, "zcflood: UDP sockets, %u of them: %s\n",
		udp->plan.port_nr, strerror(errno));
	udp_close(&udp->transport);
	return NULL;
}

const struct transport_ops transport_udp = {
    .name = "udp",
    .open = udp_open,
    .send = udp_send,
    .receive = udp_receive,
    .close = udp_close,
};
