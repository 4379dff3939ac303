/* SPDX-License-Identifier: BSD-2-Clause */
/* TCP: connections of a worker, on both back ends. */
#include "server/tcp.h"

#include <sys/resource.h>

#include "stream.h"

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

/* Waits for the counters, which may come behind the replies. */
static void expect_sends(const struct server *server, uint64_t replies,
			 uint64_t sends)
{
	for (unsigned i = 0; counters(server)->tcp_replies < replies && i < 500;
	     i++)
		sleep_ms(10);
	sleep_ms(20);
	ck_assert_uint_eq(counters(server)->tcp_replies, replies);
	ck_assert_uint_eq(counters(server)->tcp_sends, sends);
}

/*
 * What came in several reads of one turn is one send too. Loopback hands over
 * what is sent in one call at once, up to 64 KiB.
 */
START_TEST(replies_of_a_turn_are_one_send)
{
	struct server server;
	static uint8_t data[3 * TCP_READ_MAX];
	size_t len = frame_many(data, 200);
	int fd;

	start(&server, "127.0.0.1@0", backend[_i], roomy);
	fd = connect_to(&server, SOCK_STREAM);
	send_all(fd, data, len);
	expect_replies(fd, 200);
	expect_sends(&server, 200, 1);
	for (unsigned i = 1; i < 3; i++)
		memcpy(data + i * len, data, len);
	ck_assert_uint_gt(2 * len, TCP_READ_MAX);
	send_all(fd, data, 2 * len);
	expect_replies(fd, 200);
	expect_replies(fd, 200);
	expect_sends(&server, 600, 2);
	send_all(fd, data, frame_query(data, 1));
	ck_assert_uint_eq(recv_reply(fd), 1);
	expect_sends(&server, 601, 3);
	close(fd);
	stop(&server);
}
END_TEST

/* More connections with something to say than there are buffers to read. */
START_TEST(many_connections_at_once)
{
	struct server server;
	uint8_t data[128];
	int fd[80];

	start(&server, "127.0.0.1@0", backend[_i], roomy);
	for (unsigned i = 0; i < 80; i++)
		fd[i] = connect_to(&server, SOCK_STREAM);
	for (uint16_t round = 0; round < 20; round++) {
		for (uint16_t i = 0; i < 80; i++)
			send_all(fd[i], data,
				 frame_query(data, (uint16_t)(i + round)));
		for (uint16_t i = 0; i < 80; i++)
			ck_assert_uint_eq(recv_reply(fd[i]), i + round);
	}
	for (unsigned i = 0; i < 80; i++)
		close(fd[i]);
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

START_TEST(B_TC03_partial_writes_go_on)
{
	struct server server;

	start(&server, "127.0.0.1@0", backend[_i], roomy);
	read_slowly(&server);
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

int main(void)
{
	TCase *tcase = tcase_create("tcp");

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase,
			    B_TC01_many_in_one_segment_and_octet_by_octet, 0,
			    BACKEND_NR);
	tcase_add_loop_test(tcase, B_TC01_replies_leave_together, 0,
			    BACKEND_NR);
	tcase_add_loop_test(tcase, replies_of_a_turn_are_one_send, 0,
			    BACKEND_NR);
	tcase_add_loop_test(tcase, many_connections_at_once, 0, BACKEND_NR);
	tcase_add_loop_test(tcase, B_TC02_many_queries_on_one_connection, 0,
			    BACKEND_NR);
	tcase_add_loop_test(tcase, B_TC02_idle_close_without_reset, 0,
			    BACKEND_NR);
	tcase_add_loop_test(tcase, idle_connection_is_closed, 0, BACKEND_NR);
	tcase_add_loop_test(tcase, stuck_message_is_closed, 0, BACKEND_NR);
	tcase_add_loop_test(tcase, length_0_ends_after_the_replies, 0,
			    BACKEND_NR);
	tcase_add_loop_test(tcase, half_close_gets_all_replies, 0, BACKEND_NR);
	tcase_add_loop_test(tcase, B_TC03_slow_reader_is_bounded, 0,
			    BACKEND_NR);
	tcase_add_loop_test(tcase, B_TC03_partial_writes_go_on, 0, BACKEND_NR);
	tcase_add_loop_test(tcase, B_TC04_limit_closes_the_longest_idle, 0,
			    BACKEND_NR);
	tcase_add_loop_test(tcase, B_TC04_no_descriptors_left, 0, BACKEND_NR);
	tcase_add_loop_test(tcase, stop_ends_tcp_in_order, 0, BACKEND_NR);
	return unit_run("tcp", tcase);
}
