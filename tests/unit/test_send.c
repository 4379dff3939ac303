/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sends over the ring, and over sendmmsg for comparison, checked octet by octet
 * at the receiver.
 */
#include "uring/send.h"

#include <errno.h>
#include <time.h>

#include "loopback.h"
#include "uring/mmsg.h"
#include "unit.h"

static struct ring ring;
static struct slot_arena arena;
static struct bundle_set set;
static const struct zerocopy_policy automatic = {ZEROCOPY_AUTO,
						 SEND_ZEROCOPY_MIN};
static struct udp_socket udp;
static struct sender sender;
static struct mmsg mmsg;
static struct sockaddr_in peer;
static int client;
static bool can_zerocopy;

static bool begin(void)
{
	struct sockaddr_in addr;
	int error = ring_init(&ring);

	if (error) {
		fprintf(stderr, "# SKIP: no io_uring (%d)\n", error);
		return false;
	}
	ck_assert_int_eq(slot_init(&arena), 0);
	bundle_init(&set);
	memset(&udp, 0, sizeof(udp));
	udp.fd = loopback_bound(&addr);
	client = loopback_bound(&peer);
	send_init(&sender, &ring, &arena, &set, &udp);
	can_zerocopy = !send_zerocopy(&sender, &automatic);
	ck_assert_int_eq(mmsg_init(&mmsg, &arena, &set, &udp), 0);
	return true;
}

static void end(void)
{
	ring_release(&ring);
	mmsg_release(&mmsg);
	slot_release(&arena);
	close(udp.fd);
	close(client);
}

static void add(unsigned i, uint16_t len)
{
	uint8_t *out = slot_room(&arena, len);

	ck_assert_ptr_nonnull(out);
	memset(out, (int)(i % 251), len);
	slot_keep(&arena, len);
	bundle_add(&set, out, len);
}

static void add_many(unsigned nr, uint16_t len)
{
	struct endpoint endpoint;

	memset(&endpoint, 0, sizeof(endpoint));
	endpoint.peer.in = peer;
	endpoint.peer_len = sizeof(peer);
	bundle_endpoint(&set, &endpoint);
	for (unsigned i = 0; i < nr; i++)
		add(i, len);
}

static void expect(unsigned nr, uint16_t len)
{
	uint8_t data[2048], expected[2048];

	for (unsigned i = 0; i < nr; i++) {
		ck_assert(loopback_readable(client));
		ck_assert_int_eq(recv(client, data, sizeof(data), 0), len);
		memset(expected, (int)(i % 251), len);
		ck_assert_mem_eq(data, expected, len);
	}
}

/* One turn of a worker: sends, and takes what completes. */
static void turn(void)
{
	const struct ring_wait wait = {0, 0, -1};
	struct ring_event event;

	send_bundles(&sender);
	ring_enter(&ring, &wait);
	send_finish(&sender);
	while (ring_next(&ring, &event))
		if (event.op == RING_SEND_ZC)
			send_zerocopy_event(&sender, &event);
}

START_TEST(single_and_bundle)
{
	if (!begin())
		return;
	add_many(1, 50);
	turn();
	expect(1, 50);
	add_many(64, 80);
	turn();
	expect(64, 80);
	ck_assert_uint_eq(sender.counters.bundles, 2);
	ck_assert_uint_eq(sender.counters.replies, 65);
	ck_assert_uint_eq(sender.counters.errors, 0);
	ck_assert_uint_eq(sender.counters.zerocopy_sends, 0);
	end();
}
END_TEST

/* Copying sends are finished when the kernel returns: one slot does for all. */
START_TEST(arena_is_free_after_each_turn)
{
	if (!begin())
		return;
	for (unsigned i = 0; i < 200; i++) {
		add_many(40, (uint16_t)(100 + i));
		ck_assert_uint_eq(arena.filling, 0);
		turn();
		expect(40, (uint16_t)(100 + i));
	}
	end();
}
END_TEST

/*
 * Over the threshold: from the registered arena, whose slot stays with the
 * kernel until the notification. Loopback copies, so the socket goes back to
 * copying by itself.
 */
START_TEST(B_IU03_zerocopy_and_retreat)
{
	if (!begin())
		return;
	if (!can_zerocopy) {
		end();
		SKIP("no zerocopy from registered memory");
	}
	for (unsigned i = 0; i < 100; i++) {
		add_many(20, 1200);
		turn();
		expect(20, 1200);
	}
	ck_assert_uint_eq(sender.counters.errors, 0);
	ck_assert_uint_eq(sender.counters.zerocopy_sends, 64);
	ck_assert_uint_eq(sender.counters.zerocopy_copied, 64);
	ck_assert_uint_gt(udp.zerocopy_rest, 0);
	ck_assert_uint_eq(sender.counters.zerocopy_resting, 1);
	ck_assert_uint_eq(arena.held_nr, 0);
	end();
}
END_TEST

/* Told to, it does not retreat; one reply by itself counts too. */
START_TEST(B_IU03_zerocopy_always)
{
	if (!begin())
		return;
	if (!can_zerocopy) {
		end();
		SKIP("no zerocopy from registered memory");
	}
	sender.retreat = false;
	sender.zerocopy_min = 1000;
	for (unsigned i = 0; i < 100; i++) {
		add_many(20, 1200);
		turn();
		expect(20, 1200);
		add_many(1, 1000);
		turn();
		expect(1, 1000);
		add_many(1, 999);
		turn();
		expect(1, 999);
	}
	ck_assert_uint_eq(sender.counters.zerocopy_sends, 200);
	ck_assert_uint_eq(sender.counters.zerocopy_resting, 0);
	ck_assert_uint_eq(arena.held_nr, 0);
	end();
}
END_TEST

/* A policy of never leaves the memory unregistered. */
START_TEST(zerocopy_never)
{
	const struct zerocopy_policy never = {ZEROCOPY_NEVER, 1};

	if (!begin())
		return;
	send_init(&sender, &ring, &arena, &set, &udp);
	ck_assert_int_eq(send_zerocopy(&sender, &never), -ECANCELED);
	add_many(20, 1200);
	turn();
	expect(20, 1200);
	ck_assert_uint_eq(sender.counters.zerocopy_sends, 0);
	end();
}
END_TEST

/* Small replies are never sent by zerocopy. */
START_TEST(B_IU03_small_is_copied)
{
	if (!begin())
		return;
	for (unsigned i = 0; i < 50; i++) {
		add_many(64, 100);
		turn();
		expect(64, 100);
	}
	ck_assert_uint_eq(sender.counters.zerocopy_sends, 0);
	end();
}
END_TEST

/* Checksums off: the kernel answers EINVAL to UDP_SEGMENT. Nothing is lost. */
START_TEST(gso_failure_is_repeated_singly)
{
	int one = 1;

	if (!begin())
		return;
	setsockopt(udp.fd, SOL_SOCKET, SO_NO_CHECK, &one, sizeof(one));
	for (unsigned i = 0; i < 3; i++) {
		add_many(30, 90);
		if (_i)
			mmsg_send(&mmsg);
		else
			turn();
		expect(30, 90);
	}
	ck_assert(udp.gso_off);
	ck_assert_uint_eq(
	    _i ? mmsg.counters.gso_retreats : sender.counters.gso_retreats, 1);
	ck_assert_uint_eq(_i ? mmsg.counters.errors : sender.counters.errors,
			  0);
	end();
}
END_TEST

/* The same over the threshold: zerocopy fails, the copy fails, singles go. */
START_TEST(gso_failure_under_zerocopy)
{
	int one = 1;

	if (!begin())
		return;
	setsockopt(udp.fd, SOL_SOCKET, SO_NO_CHECK, &one, sizeof(one));
	for (unsigned i = 0; i < 3; i++) {
		add_many(20, 1200);
		turn();
		expect(20, 1200);
	}
	ck_assert(udp.gso_off);
	ck_assert_uint_eq(sender.counters.errors, 0);
	ck_assert_uint_eq(arena.held_nr, 0);
	end();
}
END_TEST

/* A destination that cannot be reached: counted, the rest goes out. */
START_TEST(failed_sends_are_counted)
{
	struct endpoint nowhere;

	if (!begin())
		return;
	memset(&nowhere, 0, sizeof(nowhere));
	nowhere.peer.in.sin_family = AF_INET;
	nowhere.peer.in.sin_addr.s_addr = htonl(INADDR_BROADCAST);
	nowhere.peer.in.sin_port = htons(9);
	nowhere.peer_len = sizeof(nowhere.peer.in);
	add_many(2, 60);
	bundle_endpoint(&set, &nowhere);
	add(0, 70);
	add(1, 70);
	add(2, 71);
	if (_i)
		mmsg_send(&mmsg);
	else
		turn();
	expect(2, 60);
	ck_assert_uint_eq(_i ? mmsg.counters.errors : sender.counters.errors,
			  3);
	ck_assert(!udp.gso_off);
	/* an old failure is not counted again with the next batch */
	add_many(2, 60);
	if (_i)
		mmsg_send(&mmsg);
	else
		turn();
	expect(2, 60);
	ck_assert_uint_eq(_i ? mmsg.counters.errors : sender.counters.errors,
			  3);
	end();
}
END_TEST

/* The CQ overflows: nothing is lost, and it is counted. */
START_TEST(B_IU02_completion_queue_overflow)
{
	const struct ring_wait wait = {0, 0, -1};
	unsigned cqes, got = 0;
	struct ring_event event;

	if (ring_init(&ring))
		SKIP("no io_uring");
	cqes = ring.uring.cq.ring_entries;
	for (unsigned i = 0; i < cqes + 1000; i++) {
		struct io_uring_sqe *sqe = ring_sqe(&ring);

		io_uring_prep_nop(sqe);
		ring_tag(sqe, RING_RECV, i);
	}
	while (got < cqes + 1000) {
		ck_assert_int_eq(ring_enter(&ring, &wait), 0);
		while (ring_next(&ring, &event))
			ck_assert_uint_eq(event.index, got++);
	}
	ck_assert_uint_gt(ring.overflows, 0);
	ring_release(&ring);
}
END_TEST

static uint64_t now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

/* With the minimum wait of Linux 6.12 and, without, by a sleep. */
START_TEST(gathering)
{
	const struct ring_wait wait = {32, 5000, -1};
	struct ring_event event;
	struct io_uring_sqe *sqe;
	uint64_t begin;

	if (ring_init(&ring))
		SKIP("no io_uring");
	if (_i && !ring.min_wait)
		SKIP("no minimum wait");
	ring.min_wait = _i;
	sqe = ring_sqe(&ring);
	io_uring_prep_nop(sqe);
	ring_tag(sqe, RING_NONE, 7);
	begin = now_us();
	if (_i)
		ck_assert_int_eq(ring_enter(&ring, &wait), 0);
	else
		ring_enter(&ring, &(struct ring_wait){1, 5000, -1});
	ck_assert_uint_ge(now_us() - begin, 5000);
	ck_assert(ring_next(&ring, &event));
	ck_assert_uint_eq(event.index, 7);
	ring_release(&ring);
}
END_TEST

START_TEST(slots_run_out_and_come_back)
{
	ck_assert_int_eq(slot_init(&arena), 0);
	for (unsigned i = 0; i < SLOT_NR; i++) {
		ck_assert_ptr_nonnull(slot_room(&arena, SLOT_LEN - 1));
		slot_keep(&arena, SLOT_LEN - 1);
		if (slot_may_hold(&arena, i))
			slot_hold(&arena, i);
	}
	ck_assert_ptr_null(slot_room(&arena, 1));
	ck_assert_uint_eq(arena.held_nr, SLOT_NR - SLOT_NR / 4);
	slot_submit(&arena);
	ck_assert_ptr_null(slot_room(&arena, 1));
	slot_finish(&arena);
	/* the quarter that zerocopy may not hold */
	ck_assert_ptr_eq(slot_room(&arena, 1),
			 arena.base + (size_t)arena.held_nr * SLOT_LEN);
	slot_drop(&arena, 3);
	ck_assert_ptr_eq(slot_room(&arena, 1),
			 arena.base + (size_t)12 * SLOT_LEN);
	slot_keep(&arena, SLOT_LEN - 1);
	ck_assert_ptr_eq(slot_room(&arena, 1),
			 arena.base + (size_t)3 * SLOT_LEN);
	slot_release(&arena);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("send");

	tcase_set_timeout(tcase, 30);
	tcase_add_test(tcase, single_and_bundle);
	tcase_add_test(tcase, arena_is_free_after_each_turn);
	tcase_add_test(tcase, B_IU03_zerocopy_and_retreat);
	tcase_add_test(tcase, B_IU03_zerocopy_always);
	tcase_add_test(tcase, zerocopy_never);
	tcase_add_test(tcase, B_IU03_small_is_copied);
	tcase_add_loop_test(tcase, gso_failure_is_repeated_singly, 0, 2);
	tcase_add_test(tcase, gso_failure_under_zerocopy);
	tcase_add_loop_test(tcase, failed_sends_are_counted, 0, 2);
	tcase_add_test(tcase, B_IU02_completion_queue_overflow);
	tcase_add_loop_test(tcase, gathering, 0, 2);
	tcase_add_test(tcase, slots_run_out_and_come_back);
	return unit_run("send", tcase);
}
