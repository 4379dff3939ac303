/* SPDX-License-Identifier: BSD-2-Clause */
/* UDP: what a worker answers, on both back ends. */
#include "server/worker.h"

#include "serving.h"

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

/* What a socket's buffer of usual size holds the replies to. */
#define COALESCED_RUNS 2

/* 64 queries whose ids say whose they are, coalesced. */
static void send_coalesced(int fd, unsigned client)
{
	uint8_t data[64 * 128];
	size_t len = 0, one = 0;

	for (unsigned i = 0; i < 64; i++) {
		uint16_t id = (uint16_t)(i * 60 + client);

		one = make_query(data + len, id, label_len_of(id));
		len += one;
	}
	send_segments(fd, data, len, (uint16_t)one);
}

static void receive_coalesced(int fd, unsigned client)
{
	uint8_t reply[512];

	for (unsigned i = 0; i < COALESCED_RUNS * 64; i++) {
		ssize_t len;

		ck_assert(readable(fd, TIMEOUT_MS));
		len = recv(fd, reply, sizeof(reply), 0);
		check_reply(reply, (size_t)len);
		ck_assert_uint_eq(get_u16(reply) % 60, client);
	}
}

/*
 * More coalesced queries in a turn than a batch of replies and the receive
 * buffers hold: sends and receives go on while others are being answered.
 * Every reply must be the right octets.
 */
START_TEST(udp_integrity_of_coalesced)
{
	struct server server;
	int fd[CLIENT_NR];

	start(&server, "127.0.0.1@0", backend[_i], roomy);
	for (unsigned i = 0; i < CLIENT_NR; i++)
		fd[i] = connect_to(&server, SOCK_DGRAM);
	for (unsigned round = 0; round < 5; round++) {
		for (unsigned k = 0; k < COALESCED_RUNS * CLIENT_NR; k++)
			send_coalesced(fd[k % CLIENT_NR], k % CLIENT_NR);
		for (unsigned i = 0; i < CLIENT_NR; i++)
			receive_coalesced(fd[i], i);
	}
	ck_assert_uint_eq(counters(&server)->udp_send_errors, 0);
	for (unsigned i = 0; i < CLIENT_NR; i++)
		close(fd[i]);
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

int main(void)
{
	TCase *tcase = tcase_create("worker");

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, udp_answers, 0, BACKEND_NR);
	tcase_add_loop_test(tcase, udp_integrity_of_bundles, 0, BACKEND_NR);
	tcase_add_loop_test(tcase, udp_coalesced_queries, 0, BACKEND_NR);
	tcase_add_loop_test(tcase, udp_integrity_of_coalesced, 0, BACKEND_NR);
	tcase_add_loop_test(tcase, B_HD01_no_reply_to_replies, 0, BACKEND_NR);
	tcase_add_loop_test(tcase, B_HD01_source_port_0, 0, BACKEND_NR);
	tcase_add_loop_test(tcase, B_NW01_wildcard_answers_from_asked_address,
			    0, BACKEND_NR);
	tcase_add_loop_test(tcase, B_NW01_bundles_keep_addresses_apart, 0,
			    BACKEND_NR);
	tcase_add_loop_test(tcase, B_NW01_v6_wildcard, 0, BACKEND_NR);
	tcase_add_loop_test(tcase, stop_answers_what_was_received, 0,
			    BACKEND_NR);
	tcase_add_loop_test(tcase, stop_is_prompt, 0, BACKEND_NR);
	tcase_add_loop_test(tcase, B_IU01_buffers_run_out, 0, BACKEND_NR);
	return unit_run("worker", tcase);
}
