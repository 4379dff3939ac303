/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Large sends over TCP without copying. Loopback copies after all, when the
 * octets get to the receiver: until then they are held.
 */
#include "server/tcp.h"

#include "stream.h"

static const struct zerocopy_policy from_2000 = {ZEROCOPY_ALWAYS, 2000};

/* Asks over and over; the replies to 100 queries are some 6,000 octets. */
static void ask_in_hundreds(int fd, unsigned times)
{
	uint8_t data[100 * 100];
	size_t len = frame_many(data, 100);

	for (unsigned i = 0; i < times; i++) {
		send_all(fd, data, len);
		for (unsigned id = 0; id < 100; id++)
			ck_assert_uint_eq(recv_reply(fd), id);
	}
}

/* What is sent stays as it was until the kernel has done with it. */
START_TEST(zerocopy_sends_are_whole)
{
	struct server server;
	uint8_t data[128];
	uint64_t before;
	int fd[20];

	start_zerocopy(&server, WORKER_IO_URING, roomy, from_2000,
		       "127.0.0.1@0");
	/* more connections than there are regions: the others are copied to */
	for (unsigned i = 0; i < 20; i++) {
		fd[i] = connect_to(&server, SOCK_STREAM);
		ask_in_hundreds(fd[i], 20);
		/* small ones between large ones */
		send_all(fd[i], data, frame_query(data, 7));
		ck_assert_uint_eq(recv_reply(fd[i]), 7);
		ask_in_hundreds(fd[i], 1);
	}
	for (unsigned i = 0; i < 20; i++)
		close(fd[i]);
	ck_assert_uint_ge(counters(&server)->tcp_zerocopy_sends, 16 * 21);
	ck_assert_uint_lt(counters(&server)->tcp_zerocopy_sends, 20 * 21);
	/* what they had is there for those that come */
	fd[0] = connect_to(&server, SOCK_STREAM);
	for (unsigned i = 0; counters(&server)->tcp_open > 1 && i < 500; i++)
		sleep_ms(10);
	before = counters(&server)->tcp_zerocopy_sends;
	ask_in_hundreds(fd[0], 1);
	ck_assert_uint_gt(counters(&server)->tcp_zerocopy_sends, before);
	close(fd[0]);
	stop(&server);
}
END_TEST

/* The octets of loopback are copied: the second large send copies at once. */
START_TEST(zerocopy_that_copies_is_given_up)
{
	const struct zerocopy_policy automatic = {ZEROCOPY_AUTO, 2000};
	struct server server;
	int fd;

	start_zerocopy(&server, WORKER_IO_URING, roomy, automatic,
		       "127.0.0.1@0");
	fd = connect_to(&server, SOCK_STREAM);
	ask_in_hundreds(fd, 5);
	ck_assert_uint_eq(counters(&server)->tcp_zerocopy_sends, 1);
	ck_assert_uint_eq(counters(&server)->tcp_zerocopy_copied, 1);
	close(fd);
	stop(&server);
}
END_TEST

START_TEST(zerocopy_never)
{
	const struct zerocopy_policy never = {ZEROCOPY_NEVER, 1};
	struct server server;
	int fd;

	start_zerocopy(&server, WORKER_IO_URING, roomy, never, "127.0.0.1@0");
	fd = connect_to(&server, SOCK_STREAM);
	ask_in_hundreds(fd, 5);
	ck_assert_uint_eq(counters(&server)->tcp_zerocopy_sends, 0);
	close(fd);
	stop(&server);
}
END_TEST

/*
 * The end waits for what is held: the peer gets every octet, whether it ends
 * its side or the worker stops.
 */
START_TEST(zerocopy_before_the_end)
{
	struct server server;
	static uint8_t data[200 * 100];
	size_t len = frame_many(data, 200);
	int fd[2];

	start_zerocopy(&server, WORKER_IO_URING, roomy, from_2000,
		       "127.0.0.1@0");
	for (unsigned i = 0; i < 2; i++) {
		fd[i] = connect_to(&server, SOCK_STREAM);
		send_all(fd[i], data, len);
	}
	shutdown(fd[0], SHUT_WR);
	expect_replies(fd[0], 200);
	expect_end(fd[0], TIMEOUT_MS);
	ck_assert(readable(fd[1], TIMEOUT_MS));
	stop(&server);
	expect_replies(fd[1], 200);
	expect_end(fd[1], TIMEOUT_MS);
	close(fd[0]);
	close(fd[1]);
}
END_TEST

START_TEST(zerocopy_to_a_slow_reader)
{
	struct server server;

	start_zerocopy(&server, WORKER_IO_URING, roomy, from_2000,
		       "127.0.0.1@0");
	read_slowly(&server);
	ck_assert_uint_gt(counters(&server)->tcp_zerocopy_sends, 1);
	stop(&server);
}
END_TEST

/* What the kernel holds for long is no standstill while the peer takes it. */
START_TEST(slow_but_steady_reader_is_kept)
{
	struct server server;
	struct tcp_limits limits = {10, 10000, 1000};
	static uint8_t data[100 * 200];
	size_t len = frame_many(data, 200);
	int fd;

	start_zerocopy(&server, WORKER_IO_URING, limits, from_2000,
		       "127.0.0.1@0");
	fd = connect_narrow(&server);
	for (unsigned i = 0; i < 6; i++)
		send_all(fd, data, len);
	for (unsigned i = 0; i < 6 * 200; i++) {
		ck_assert_uint_eq(recv_reply(fd), i % 200);
		if (i % 50 == 49)
			sleep_ms(100);
	}
	send_all(fd, data, frame_query(data, 7));
	ck_assert_uint_eq(recv_reply(fd), 7);
	close(fd);
	stop(&server);
}
END_TEST

/* Gone without having read: its place waits for the kernel, nobody else. */
START_TEST(zerocopy_to_one_that_is_killed)
{
	struct server server;
	struct tcp_limits limits = {1, 10000, 200};
	static uint8_t data[100 * 200];
	size_t len = frame_many(data, 200);
	int fd, other;

	start_zerocopy(&server, WORKER_IO_URING, limits, from_2000,
		       "127.0.0.1@0");
	fd = connect_narrow(&server);
	send_all(fd, data, len);
	for (unsigned i = 0; counters(&server)->tcp_accepted < 1 && i < 500;
	     i++)
		sleep_ms(10);
	for (unsigned i = 0; counters(&server)->tcp_open && i < 500; i++)
		sleep_ms(10);
	ck_assert_uint_eq(counters(&server)->tcp_open, 0);
	other = connect_to(&server, SOCK_STREAM);
	ask_in_hundreds(other, 3);
	expect_replies(fd, 200);
	ask_in_hundreds(other, 3);
	close(fd);
	close(other);
	stop(&server);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("tcp_zerocopy");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, zerocopy_sends_are_whole);
	tcase_add_test(tcase, zerocopy_that_copies_is_given_up);
	tcase_add_test(tcase, zerocopy_never);
	tcase_add_test(tcase, zerocopy_before_the_end);
	tcase_add_test(tcase, zerocopy_to_a_slow_reader);
	tcase_add_test(tcase, slow_but_steady_reader_is_kept);
	tcase_add_test(tcase, zerocopy_to_one_that_is_killed);
	return unit_run("tcp_zerocopy", tcase);
}
