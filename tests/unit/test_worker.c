/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A whole worker on an ephemeral loopback port, on both back ends. The zone set
 * is empty: every right query is REFUSED with its question, which is enough to
 * see that each query gets its own reply.
 */
#include "server/worker.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <urcu-qsbr.h>

#include "base/octets.h"
#include "dns/message.h"
#include "uring/probe.h"
#include "unit.h"

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif

#define GRACE_MS   1000
#define TIMEOUT_MS 5000

static const enum worker_io backend[] = {WORKER_IO_URING, WORKER_IO_MMSG};
#define BACKEND_NR 2

static const struct query_config config = {
    .max_udp_payload = 1232,
};

struct server {
	struct listener listener;
	struct zone_set *set;
	struct worker *worker;
};

static const struct tcp_limits roomy = {100, 10000, 5000};

static void start(struct server *server, const char *address, enum worker_io io,
		  struct tcp_limits limits)
{
	struct worker_options options = {
	    .cpu = -1,
	    .io = io,
	    .listener = &server->listener,
	    .listener_nr = 1,
	    .zone_set = &server->set,
	    .query = &config,
	    .tcp = limits,
	};
	const char *what;

	server->set = zone_set_new(0);
	ck_assert_ptr_nonnull(server->set);
	ck_assert_int_eq(listener_parse(&server->listener, address), 0);
	ck_assert_int_eq(listener_open(&server->listener, 1, &what), 0);
	ck_assert_int_eq(worker_new(&server->worker, &options), 0);
	ck_assert_int_eq(worker_start(server->worker, &what), 0);
	ck_assert_int_eq(worker_io(server->worker), io);
}

static void stop(struct server *server)
{
	worker_stop(server->worker, GRACE_MS);
	worker_free(server->worker);
	listener_release(&server->listener);
	zone_set_free(server->set);
}

static const struct worker_counters *counters(const struct server *server)
{
	return worker_counters(server->worker);
}

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

static void sleep_ms(unsigned ms)
{
	poll(NULL, 0, (int)ms);
}

/* A query for "<label>.test" A; the label is label_len octets of 'a'+id%26. */
static size_t make_query(uint8_t *out, uint16_t id, unsigned label_len)
{
	uint8_t *p = out;

	memset(p, 0, DNS_HEADER_LEN);
	put_u16(p, id);
	put_u16(p + 4, 1);
	p += DNS_HEADER_LEN;
	*p++ = (uint8_t)label_len;
	memset(p, 'a' + id % 26, label_len);
	p += label_len;
	memcpy(p, "\4test\0\0\1\0\1", 10);
	return (size_t)(p + 10 - out);
}

static unsigned label_len_of(uint16_t id)
{
	return 1 + id % 60;
}

/* The reply to make_query(id, label_len_of(id)), octet by octet. */
static void check_reply(const uint8_t *reply, size_t len)
{
	uint8_t query[128];
	uint16_t id = get_u16(reply);
	size_t query_len = make_query(query, id, label_len_of(id));

	ck_assert_uint_eq(len, query_len);
	ck_assert_uint_eq(get_u16(reply + 2), DNS_FLAG_QR | DNS_REFUSED);
	ck_assert_mem_eq(reply + 4, query + 4, query_len - 4);
}

static int connect_to(const struct server *server, int type)
{
	int fd = socket(server->listener.addr.sa.sa_family, type, 0);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(
	    connect(fd, &server->listener.addr.sa, server->listener.addr_len),
	    0);
	if (type == SOCK_STREAM)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1},
			   sizeof(int));
	return fd;
}

static bool readable(int fd, int timeout_ms)
{
	struct pollfd pollfd = {.fd = fd, .events = POLLIN};

	return poll(&pollfd, 1, timeout_ms) == 1;
}

/* ------------------------------------------------------------------ UDP */

START_TEST(udp_answers)
{
	struct server server;
	uint8_t query[128], reply[512];
	int fd;

	start(&server, "127.0.0.1@0", backend[_i], roomy);
	fd = connect_to(&server, SOCK_DGRAM);
	for (uint16_t id = 0; id < 200; id++) {
		size_t len = make_query(query, id, label_len_of(id));

		ck_assert_int_eq(send(fd, query, len, 0), len);
		ck_assert(readable(fd, TIMEOUT_MS));
		len = (size_t)recv(fd, reply, sizeof(reply), 0);
		ck_assert_uint_eq(get_u16(reply), id);
		check_reply(reply, len);
	}
	close(fd);
	stop(&server);
}
END_TEST

#define CLIENT_NR 16
#define ROUND_NR  40
#define BURST_NR  32

/*
 * Many clients, many sizes, bursts: bundles are made and the arena is used over
 * and over. Every reply must be the right octets at the right client.
 */
START_TEST(udp_integrity_of_bundles)
{
	struct server server;
	uint8_t query[128], reply[512];
	int fd[CLIENT_NR];
	unsigned got = 0;

	start(&server, "127.0.0.1@0", backend[_i], roomy);
	for (unsigned i = 0; i < CLIENT_NR; i++)
		fd[i] = connect_to(&server, SOCK_DGRAM);
	for (unsigned round = 0; round < ROUND_NR; round++) {
		for (unsigned k = 0; k < BURST_NR * CLIENT_NR; k++) {
			/* the low bits of the id say whose it is */
			uint16_t id =
			    (uint16_t)((k / CLIENT_NR % 4 + round) * CLIENT_NR +
				       k % CLIENT_NR);
			size_t len = make_query(query, id, label_len_of(id));

			send(fd[k % CLIENT_NR], query, len, 0);
		}
		for (unsigned k = 0; k < BURST_NR * CLIENT_NR; k++) {
			unsigned i = k % CLIENT_NR;
			ssize_t len;

			ck_assert(readable(fd[i], TIMEOUT_MS));
			len = recv(fd[i], reply, sizeof(reply), 0);
			check_reply(reply, (size_t)len);
			ck_assert_uint_eq(get_u16(reply) % CLIENT_NR, i);
			got++;
		}
	}
	ck_assert_uint_eq(got, ROUND_NR * BURST_NR * CLIENT_NR);
	ck_assert_uint_eq(counters(&server)->udp_send_errors, 0);
	for (unsigned i = 0; i < CLIENT_NR; i++)
		close(fd[i]);
	stop(&server);
}
END_TEST

static void send_segments(int fd, const uint8_t *data, size_t len,
			  uint16_t segment)
{
	union {
		struct cmsghdr header;
		uint8_t octets[CMSG_SPACE(sizeof(segment))];
	} control = {{.cmsg_len = CMSG_LEN(sizeof(segment)),
		      .cmsg_level = IPPROTO_UDP,
		      .cmsg_type = UDP_SEGMENT}};
	struct iovec iov = {(void *)(uintptr_t)data, len};
	struct msghdr msg = {
	    .msg_iov = &iov,
	    .msg_iovlen = 1,
	    .msg_control = &control,
	    .msg_controllen = sizeof(control),
	};

	memcpy(CMSG_DATA(&control.header), &segment, sizeof(segment));
	ck_assert_int_eq(sendmsg(fd, &msg, 0), len);
}

/* Queries that arrive coalesced are taken apart, and leave as bundles. */
START_TEST(udp_coalesced_queries)
{
	struct server server;
	uint8_t data[64 * 64], reply[512];
	unsigned seen[64] = {0};
	size_t one = make_query(data, 0, 20);
	int fd;

	start(&server, "127.0.0.1@0", backend[_i], roomy);
	fd = connect_to(&server, SOCK_DGRAM);
	for (unsigned i = 0; i < 63; i++)
		make_query(data + i * one, (uint16_t)i, 20);
	/* the last one is shorter */
	send_segments(fd, data, 63 * one + make_query(data + 63 * one, 63, 5),
		      (uint16_t)one);
	for (unsigned i = 0; i < 64; i++) {
		ssize_t len;
		uint16_t id;

		ck_assert(readable(fd, TIMEOUT_MS));
		len = recv(fd, reply, sizeof(reply), 0);
		id = get_u16(reply);
		ck_assert_uint_lt(id, 64);
		ck_assert_uint_eq(seen[id]++, 0);
		ck_assert_int_eq(len, id == 63 ? one - 15 : one);
		ck_assert_uint_eq(reply[13], 'a' + id % 26);
	}
	/* counted after the send: give the worker the end of its turn */
	for (unsigned i = 0; counters(&server)->udp_replies < 64 && i < 500;
	     i++)
		sleep_ms(10);
	ck_assert_uint_eq(counters(&server)->udp_replies, 64);
	ck_assert_uint_le(counters(&server)->udp_bundles, 4);
	close(fd);
	stop(&server);
}
END_TEST

START_TEST(B_HD01_no_reply_to_replies)
{
	struct server server;
	uint8_t query[128], reply[512];
	size_t len = make_query(query, 1, 3);
	int fd;

	start(&server, "127.0.0.1@0", backend[_i], roomy);
	fd = connect_to(&server, SOCK_DGRAM);
	query[2] |= 0x80; /* QR */
	send(fd, query, len, 0);
	send(fd, query, 11, 0);
	send(fd, query, 0, 0);
	/* a right one behind them is the only one answered */
	len = make_query(query, 2, label_len_of(2));
	send(fd, query, len, 0);
	ck_assert(readable(fd, TIMEOUT_MS));
	len = (size_t)recv(fd, reply, sizeof(reply), 0);
	ck_assert_uint_eq(get_u16(reply), 2);
	check_reply(reply, len);
	ck_assert(!readable(fd, 50));
	ck_assert_uint_eq(worker_query_counters(server.worker)->dropped, 3);
	close(fd);
	stop(&server);
}
END_TEST

/* Raw socket: the only way to have source port 0. */
START_TEST(B_HD01_source_port_0)
{
	struct server server;
	uint8_t packet[128] = {0};
	size_t len = 8 + make_query(packet + 8, 1, 3);
	int fd = socket(AF_INET, SOCK_RAW, IPPROTO_UDP);

	if (fd < 0) {
		fprintf(stderr, "# SKIP source port 0: no raw sockets\n");
		return;
	}
	start(&server, "127.0.0.1@0", backend[_i], roomy);
	memcpy(packet + 2, &server.listener.addr.in.sin_port, 2);
	put_u16(packet + 4, (uint16_t)len);
	ck_assert_int_eq(sendto(fd, packet, len, 0, &server.listener.addr.sa,
				server.listener.addr_len),
			 len);
	for (unsigned i = 0; i < 500; i++) {
		if (worker_query_counters(server.worker)->dropped)
			break;
		sleep_ms(10);
	}
	ck_assert_uint_eq(worker_query_counters(server.worker)->dropped, 1);
	ck_assert_uint_eq(counters(&server)->udp_replies, 0);
	close(fd);
	stop(&server);
}
END_TEST

static void ask_from(const char *local, in_port_t port_be)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = port_be};
	struct sockaddr_in from;
	uint8_t query[128], reply[512];
	size_t len = make_query(query, 7, label_len_of(7));
	socklen_t from_len = sizeof(from);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	inet_pton(AF_INET, local, &to.sin_addr);
	ck_assert_int_eq(sendto(fd, query, len, 0, (void *)&to, sizeof(to)),
			 len);
	ck_assert(readable(fd, TIMEOUT_MS));
	len = (size_t)recvfrom(fd, reply, sizeof(reply), 0, (void *)&from,
			       &from_len);
	check_reply(reply, len);
	ck_assert_uint_eq(from.sin_addr.s_addr, to.sin_addr.s_addr);
	ck_assert_uint_eq(from.sin_port, to.sin_port);
	close(fd);
}

START_TEST(B_NW01_wildcard_answers_from_asked_address)
{
	struct server server;

	start(&server, "0.0.0.0@0", backend[_i], roomy);
	for (unsigned i = 0; i < 5; i++) {
		ask_from("127.0.0.1", server.listener.addr.in.sin_port);
		ask_from("127.0.0.2", server.listener.addr.in.sin_port);
		ask_from("127.0.0.3", server.listener.addr.in.sin_port);
	}
	stop(&server);
}
END_TEST

/* One client, two of our addresses, one batch: two bundles, not one. */
START_TEST(B_NW01_bundles_keep_addresses_apart)
{
	struct server server;
	uint8_t query[128], reply[512];
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	unsigned got[2] = {0};

	start(&server, "0.0.0.0@0", backend[_i], roomy);
	for (uint16_t id = 0; id < 200; id++) {
		struct sockaddr_in to = server.listener.addr.in;
		size_t len = make_query(query, id, 10);

		to.sin_addr.s_addr = htonl(INADDR_LOOPBACK + id % 2);
		sendto(fd, query, len, 0, (void *)&to, sizeof(to));
	}
	for (unsigned i = 0; i < 200; i++) {
		struct sockaddr_in from;
		socklen_t len = sizeof(from);
		unsigned which;

		ck_assert(readable(fd, TIMEOUT_MS));
		recvfrom(fd, reply, sizeof(reply), 0, (void *)&from, &len);
		which = ntohl(from.sin_addr.s_addr) - INADDR_LOOPBACK;
		ck_assert_uint_eq(get_u16(reply) % 2, which);
		got[which]++;
	}
	ck_assert_uint_eq(got[0], 100);
	ck_assert_uint_eq(got[1], 100);
	close(fd);
	stop(&server);
}
END_TEST

START_TEST(B_NW01_v6_wildcard)
{
	struct server server;
	uint8_t query[128], reply[512];
	size_t len = make_query(query, 7, label_len_of(7));
	struct sockaddr_in6 to;
	int fd;

	start(&server, "::@0", backend[_i], roomy);
	fd = socket(AF_INET6, SOCK_DGRAM, 0);
	to = server.listener.addr.in6;
	to.sin6_addr = in6addr_loopback;
	/* connected: a reply from elsewhere would not get through */
	ck_assert_int_eq(connect(fd, (void *)&to, sizeof(to)), 0);
	send(fd, query, len, 0);
	ck_assert(readable(fd, TIMEOUT_MS));
	check_reply(reply, (size_t)recv(fd, reply, sizeof(reply), 0));
	close(fd);
	stop(&server);
}
END_TEST

/* What was in the socket when the stop came is answered. */
START_TEST(stop_answers_what_was_received)
{
	struct server server;
	uint8_t query[128], reply[512];
	unsigned got = 0;
	int fd;

	start(&server, "127.0.0.1@0", backend[_i], roomy);
	fd = connect_to(&server, SOCK_DGRAM);
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &(int){4 << 20}, sizeof(int));
	for (uint16_t id = 0; id < 200; id++)
		send(fd, query, make_query(query, id, label_len_of(id)), 0);
	stop(&server);
	while (recv(fd, reply, sizeof(reply), MSG_DONTWAIT) > 0)
		got++;
	ck_assert_uint_eq(got, 200);
	close(fd);
}
END_TEST

/* An idle worker stops at once, not at some timer. */
START_TEST(stop_is_prompt)
{
	struct server server;
	uint64_t begin;

	start(&server, "127.0.0.1@0", backend[_i], roomy);
	sleep_ms(50);
	begin = now_ms();
	stop(&server);
	ck_assert_uint_lt(now_ms() - begin, 900);
}
END_TEST

START_TEST(B_IU01_buffers_run_out)
{
	struct server server;
	uint8_t query[128], reply[512];
	unsigned got = 0;
	int fd;

	start(&server, "127.0.0.1@0", backend[_i], roomy);
	fd = connect_to(&server, SOCK_DGRAM);
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &(int){4 << 20}, sizeof(int));
	for (unsigned round = 0; round < 20; round++) {
		for (uint16_t id = 0; id < 500; id++)
			send(fd, query, make_query(query, id, label_len_of(id)),
			     0);
		for (unsigned i = 0; i < 500 && readable(fd, 1000); i++) {
			ssize_t len = recv(fd, reply, sizeof(reply), 0);

			check_reply(reply, (size_t)len);
			got++;
		}
	}
	/* the sockets' buffers hold 500 small datagrams */
	ck_assert_uint_eq(got, 20 * 500);
	close(fd);
	stop(&server);
}
END_TEST

/* ------------------------------------------------------------------ TCP */

static void send_all(int fd, const uint8_t *data, size_t len)
{
	while (len) {
		ssize_t n = send(fd, data, len, MSG_NOSIGNAL);

		ck_assert_int_gt(n, 0);
		data += n;
		len -= (size_t)n;
	}
}

static void recv_all(int fd, uint8_t *data, size_t len)
{
	while (len) {
		ssize_t n;

		ck_assert(readable(fd, TIMEOUT_MS));
		n = recv(fd, data, len, 0);
		ck_assert_int_gt(n, 0);
		data += n;
		len -= (size_t)n;
	}
}

static size_t frame_query(uint8_t *out, uint16_t id)
{
	size_t len = make_query(out + 2, id, label_len_of(id));

	put_u16(out, (uint16_t)len);
	return len + 2;
}

static uint16_t recv_reply(int fd)
{
	uint8_t prefix[2], reply[512];
	size_t len;

	recv_all(fd, prefix, 2);
	len = get_u16(prefix);
	ck_assert_uint_le(len, sizeof(reply));
	recv_all(fd, reply, len);
	check_reply(reply, len);
	return get_u16(reply);
}

static void expect_end(int fd, int timeout_ms)
{
	uint8_t octet;

	ck_assert(readable(fd, timeout_ms));
	ck_assert_int_eq(recv(fd, &octet, 1, 0), 0);
}

static void expect_replies(int fd, unsigned nr)
{
	bool seen[200] = {false};

	for (unsigned i = 0; i < nr; i++) {
		uint16_t id = recv_reply(fd);

		ck_assert_uint_lt(id, nr);
		ck_assert(!seen[id]);
		seen[id] = true;
	}
}

static size_t frame_many(uint8_t *out, unsigned nr)
{
	size_t len = 0;

	for (unsigned id = 0; id < nr; id++)
		len += frame_query(out + len, (uint16_t)id);
	return len;
}

START_TEST(B_TC01_many_in_one_segment_and_octet_by_octet)
{
	struct server server;
	uint8_t data[50 * 100];
	size_t len = frame_many(data, 50);
	int fd;

	start(&server, "127.0.0.1@0", backend[_i], roomy);
	fd = connect_to(&server, SOCK_STREAM);
	send_all(fd, data, len);
	expect_replies(fd, 50);
	for (size_t i = 0; i < len; i++) {
		send_all(fd, data + i, 1);
		if (i % 50 == 0)
			sleep_ms(10);
	}
	expect_replies(fd, 50);
	send_all(fd, data, len);
	expect_replies(fd, 50);
	ck_assert_uint_eq(counters(&server)->tcp_open, 1);
	close(fd);
	stop(&server);
}
END_TEST

/* Replies of one read arrive in one piece. */
START_TEST(B_TC01_replies_leave_together)
{
	struct server server;
	uint8_t data[50 * 100], reply[50 * 100];
	size_t len = frame_many(data, 50);
	int fd;

	start(&server, "127.0.0.1@0", backend[_i], roomy);
	fd = connect_to(&server, SOCK_STREAM);
	send_all(fd, data, len);
	ck_assert(readable(fd, TIMEOUT_MS));
	ck_assert_int_eq(recv(fd, reply, sizeof(reply), 0), len);
	close(fd);
	stop(&server);
}
END_TEST

START_TEST(B_TC02_many_queries_on_one_connection)
{
	struct server server;
	uint8_t data[128];
	int fd;

	start(&server, "127.0.0.1@0", backend[_i], roomy);
	fd = connect_to(&server, SOCK_STREAM);
	for (uint16_t id = 0; id < 1000; id++) {
		send_all(fd, data, frame_query(data, id));
		ck_assert_uint_eq(recv_reply(fd), id);
	}
	close(fd);
	stop(&server);
}
END_TEST

/*
 * The idle time ends about when a query comes: the client sees either the reply
 * or an orderly end, never a reset.
 */
START_TEST(B_TC02_idle_close_without_reset)
{
	struct server server;
	struct tcp_limits limits = {100, 200, 1000};
	uint8_t data[128], reply[256];

	start(&server, "127.0.0.1@0", backend[_i], limits);
	for (unsigned i = 0; i < 8; i++) {
		int fd = connect_to(&server, SOCK_STREAM);
		ssize_t n;

		send_all(fd, data, frame_query(data, 1));
		ck_assert_uint_eq(recv_reply(fd), 1);
		sleep_ms(196 + i * 2);
		send(fd, data, frame_query(data, 2), MSG_NOSIGNAL);
		ck_assert(readable(fd, TIMEOUT_MS));
		n = recv(fd, reply, sizeof(reply), 0);
		ck_assert_int_ge(n, 0);
		if (n)
			check_reply(reply + 2, (size_t)n - 2);
		close(fd);
	}
	stop(&server);
}
END_TEST

START_TEST(idle_connection_is_closed)
{
	struct server server;
	struct tcp_limits limits = {100, 200, 1000};
	uint64_t begin;
	int fd;

	start(&server, "127.0.0.1@0", backend[_i], limits);
	begin = now_ms();
	fd = connect_to(&server, SOCK_STREAM);
	expect_end(fd, 2000);
	ck_assert_uint_ge(now_ms() - begin, 150);
	ck_assert_uint_eq(counters(&server)->tcp_closed_idle, 1);
	close(fd);
	stop(&server);
}
END_TEST

/* Part of a message and no more of it: the limit without progress. */
START_TEST(stuck_message_is_closed)
{
	struct server server;
	struct tcp_limits limits = {100, 10000, 200};
	uint64_t begin = now_ms();
	int fd;

	start(&server, "127.0.0.1@0", backend[_i], limits);
	fd = connect_to(&server, SOCK_STREAM);
	send_all(fd, (const uint8_t *)"\0\40abc", 5);
	expect_end(fd, 2000);
	ck_assert_uint_ge(now_ms() - begin, 150);
	close(fd);
	stop(&server);
}
END_TEST

START_TEST(length_0_ends_after_the_replies)
{
	struct server server;
	uint8_t data[50 * 100];
	size_t len = frame_many(data, 20);
	int fd;

	start(&server, "127.0.0.1@0", backend[_i], roomy);
	fd = connect_to(&server, SOCK_STREAM);
	memcpy(data + len, "\0\0", 2);
	len += 2;
	len += frame_query(data + len, 7);
	send_all(fd, data, len);
	expect_replies(fd, 20);
	expect_end(fd, TIMEOUT_MS);
	close(fd);
	stop(&server);
}
END_TEST

START_TEST(half_close_gets_all_replies)
{
	struct server server;
	uint8_t data[200 * 100];
	size_t len = frame_many(data, 200);
	int fd;

	start(&server, "127.0.0.1@0", backend[_i], roomy);
	fd = connect_to(&server, SOCK_STREAM);
	/* a piece of one more message is no reason to wait */
	memcpy(data + len, "\0\40ab", 4);
	send_all(fd, data, len + 4);
	shutdown(fd, SHUT_WR);
	expect_replies(fd, 200);
	expect_end(fd, TIMEOUT_MS);
	close(fd);
	stop(&server);
}
END_TEST

/* The peer sends without reading: we stop reading, UDP goes on. */
START_TEST(B_TC03_slow_reader_is_bounded)
{
	struct server server;
	struct tcp_limits limits = {100, 10000, 500};
	uint8_t data[50 * 100], query[128], reply[512];
	size_t len = frame_many(data, 50), sent = 0;
	int fd, udp, small = 4096;
	uint64_t begin;

	start(&server, "127.0.0.1@0", backend[_i], limits);
	fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	connect(fd, &server.listener.addr.sa, server.listener.addr_len);
	udp = connect_to(&server, SOCK_DGRAM);
	begin = now_ms();
	while (now_ms() - begin < 3000) {
		ssize_t n =
		    send(fd, data + sent % len, len - sent % len, MSG_NOSIGNAL);

		if (n > 0)
			sent += (size_t)n;
		else if (errno != EAGAIN)
			break;
		else
			sleep_ms(1);
		if (sent % 7 == 0) {
			send(udp, query, make_query(query, 3, label_len_of(3)),
			     0);
			ck_assert(readable(udp, 1000));
			recv(udp, reply, sizeof(reply), 0);
		}
	}
	/* closed for want of progress; what it took stays small: socket
	   buffers (a few MiB at most) and our own */
	ck_assert_uint_lt(now_ms() - begin, 3000);
	ck_assert_uint_lt(sent, 32u << 20);
	close(fd);
	close(udp);
	stop(&server);
}
END_TEST

/* A slow reader gets everything, in order, across many partial writes. */
START_TEST(B_TC03_partial_writes_go_on)
{
	struct server server;
	static uint8_t data[100 * 200];
	size_t len = frame_many(data, 200), sent = 0, total = 40 * len;
	unsigned got = 0;
	int fd, small = 2048;

	start(&server, "127.0.0.1@0", backend[_i], roomy);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	connect(fd, &server.listener.addr.sa, server.listener.addr_len);
	while (got < 200 * 40) {
		while (sent < total) {
			ssize_t n = send(fd, data + sent % len,
					 len - sent % len, MSG_DONTWAIT);

			if (n <= 0)
				break;
			sent += (size_t)n;
		}
		ck_assert_uint_eq(recv_reply(fd), got % 200);
		got++;
	}
	close(fd);
	stop(&server);
}
END_TEST

START_TEST(B_TC04_limit_closes_the_longest_idle)
{
	struct server server;
	struct tcp_limits limits = {20, 60000, 5000};
	uint8_t data[128];
	int fd[30], last;
	unsigned closed = 0;

	start(&server, "127.0.0.1@0", backend[_i], limits);
	for (unsigned i = 0; i < 30; i++) {
		fd[i] = connect_to(&server, SOCK_STREAM);
		/* all are seen in this order */
		send_all(fd[i], data, frame_query(data, 1));
		recv_reply(fd[i]);
	}
	last = connect_to(&server, SOCK_STREAM);
	send_all(last, data, frame_query(data, 9));
	ck_assert_uint_eq(recv_reply(last), 9);
	for (unsigned i = 0; i < 30; i++)
		if (readable(fd[i], 50)) {
			ck_assert_uint_lt(i, 11);
			closed++;
		}
	ck_assert_uint_eq(closed, 11);
	ck_assert_uint_eq(counters(&server)->tcp_closed_limit, 11);
	ck_assert_uint_eq(counters(&server)->tcp_open, 20);
	for (unsigned i = 0; i < 30; i++)
		close(fd[i]);
	close(last);
	stop(&server);
}
END_TEST

static uint64_t cpu_ms(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) *
		   1000 +
	       (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) /
		   1000;
}

/*
 * Descriptors run out. The clients live in this process too: they get theirs
 * first, then the limit is taken down so far that the worker can start but not
 * accept all of them. (The ring takes the limit at the time of arming.)
 */
START_TEST(B_TC04_no_descriptors_left)
{
	struct server server;
	struct rlimit limit;
	uint8_t query[128], reply[512];
	int fd[40], udp;
	uint64_t cpu;

	for (unsigned i = 0; i < 40; i++)
		fd[i] = socket(AF_INET, SOCK_STREAM, 0);
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = (rlim_t)fd[39] + 20;
	setrlimit(RLIMIT_NOFILE, &limit);
	start(&server, "127.0.0.1@0", backend[_i], roomy);
	udp = connect_to(&server, SOCK_DGRAM);
	for (unsigned i = 0; i < 40; i++)
		connect(fd[i], &server.listener.addr.sa,
			server.listener.addr_len);
	sleep_ms(100);
	cpu = cpu_ms();
	sleep_ms(500);
	ck_assert_uint_lt(cpu_ms() - cpu, 250);
	ck_assert_uint_gt(counters(&server)->tcp_accept_errors, 0);
	send(udp, query, make_query(query, 3, label_len_of(3)), 0);
	ck_assert(readable(udp, TIMEOUT_MS));
	check_reply(reply, (size_t)recv(udp, reply, sizeof(reply), 0));
	for (unsigned i = 0; i < 39; i++)
		close(fd[i]);
	/* the newcomer is served as soon as there are descriptors */
	send_all(fd[39], query, frame_query(query, 5));
	ck_assert_uint_eq(recv_reply(fd[39]), 5);
	close(fd[39]);
	close(udp);
	stop(&server);
}
END_TEST

START_TEST(stop_ends_tcp_in_order)
{
	struct server server;
	uint8_t data[50 * 100];
	size_t len = frame_many(data, 50);
	uint64_t begin;
	int fd;

	start(&server, "127.0.0.1@0", backend[_i], roomy);
	fd = connect_to(&server, SOCK_STREAM);
	send_all(fd, data, len);
	ck_assert(readable(fd, TIMEOUT_MS));
	begin = now_ms();
	stop(&server);
	ck_assert_uint_lt(now_ms() - begin, GRACE_MS + 1000);
	expect_replies(fd, 50);
	expect_end(fd, TIMEOUT_MS);
	close(fd);
}
END_TEST

/* ------------------------------------------------------- start and stop */

/* Left to choose: io_uring where the probe finds it good, else a reason. */
START_TEST(B_IU04_auto_says_why)
{
	struct server server;
	struct uring_probe probe;
	const char *why = NULL, *what;
	struct worker_options options = {
	    .cpu = -1,
	    .io = WORKER_IO_AUTO,
	    .listener = &server.listener,
	    .listener_nr = 1,
	    .zone_set = &server.set,
	    .query = &config,
	    .tcp = roomy,
	};

	uring_probe(&probe);
	server.set = zone_set_new(0);
	ck_assert_int_eq(listener_parse(&server.listener, "127.0.0.1@0"), 0);
	ck_assert_int_eq(listener_open(&server.listener, 1, &what), 0);
	ck_assert_int_eq(worker_new(&server.worker, &options), 0);
	ck_assert_int_eq(worker_start(server.worker, &why), 0);
	if (probe.reason || probe.advice) {
		ck_assert_int_eq(worker_io(server.worker), WORKER_IO_MMSG);
		ck_assert_ptr_nonnull(why);
	} else {
		ck_assert_int_eq(worker_io(server.worker), WORKER_IO_URING);
		ck_assert_ptr_null(why);
	}
	stop(&server);
}
END_TEST

START_TEST(B_IU05_restart_in_a_loop)
{
	for (unsigned i = 0; i < 20; i++) {
		struct server server;

		start(&server, "127.0.0.1@0", backend[_i], roomy);
		stop(&server);
	}
}
END_TEST

static void add(TCase *tcase)
{
	int nr = BACKEND_NR;

	tcase_add_loop_test(tcase, udp_answers, 0, nr);
	tcase_add_loop_test(tcase, udp_integrity_of_bundles, 0, nr);
	tcase_add_loop_test(tcase, udp_coalesced_queries, 0, nr);
	tcase_add_loop_test(tcase, B_HD01_no_reply_to_replies, 0, nr);
	tcase_add_loop_test(tcase, B_HD01_source_port_0, 0, nr);
	tcase_add_loop_test(tcase, B_NW01_wildcard_answers_from_asked_address,
			    0, nr);
	tcase_add_loop_test(tcase, B_NW01_bundles_keep_addresses_apart, 0, nr);
	tcase_add_loop_test(tcase, B_NW01_v6_wildcard, 0, nr);
	tcase_add_loop_test(tcase, stop_answers_what_was_received, 0, nr);
	tcase_add_loop_test(tcase, stop_is_prompt, 0, nr);
	tcase_add_loop_test(tcase, B_IU01_buffers_run_out, 0, nr);
	tcase_add_loop_test(
	    tcase, B_TC01_many_in_one_segment_and_octet_by_octet, 0, nr);
	tcase_add_loop_test(tcase, B_TC01_replies_leave_together, 0, nr);
	tcase_add_loop_test(tcase, B_TC02_many_queries_on_one_connection, 0,
			    nr);
	tcase_add_loop_test(tcase, B_TC02_idle_close_without_reset, 0, nr);
	tcase_add_loop_test(tcase, idle_connection_is_closed, 0, nr);
	tcase_add_loop_test(tcase, stuck_message_is_closed, 0, nr);
	tcase_add_loop_test(tcase, length_0_ends_after_the_replies, 0, nr);
	tcase_add_loop_test(tcase, half_close_gets_all_replies, 0, nr);
	tcase_add_loop_test(tcase, B_TC03_slow_reader_is_bounded, 0, nr);
	tcase_add_loop_test(tcase, B_TC03_partial_writes_go_on, 0, nr);
	tcase_add_loop_test(tcase, B_TC04_limit_closes_the_longest_idle, 0, nr);
	tcase_add_loop_test(tcase, B_TC04_no_descriptors_left, 0, nr);
	tcase_add_loop_test(tcase, stop_ends_tcp_in_order, 0, nr);
	tcase_add_loop_test(tcase, B_IU05_restart_in_a_loop, 0, nr);
	tcase_add_test(tcase, B_IU04_auto_says_why);
}

int main(void)
{
	TCase *tcase = tcase_create("worker");

	tcase_set_timeout(tcase, 60);
	add(tcase);
	return unit_run("worker", tcase);
}
