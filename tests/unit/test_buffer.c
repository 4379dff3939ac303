/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Provided buffers over a stream socket pair: what the kernel puts where, and
 * that a buffer comes back exactly when it is used up.
 */
#include "uring/buffer.h"

#include <errno.h>

#include "loopback.h"
#include "unit.h"

static struct ring ring;
static struct buffer_ring buffers;
static int pair[2];

static const struct buffer_shape fixed = {.nr = 4, .len = 256};
static const struct buffer_shape incremental = {
    .nr = 4,
    .len = 256,
    .inc_nr = 2,
    .inc_len = 1024,
    .inc_min_left = 256,
};
static const struct buffer_shape *const shape[] = {&fixed, &incremental};

static bool begin(const struct buffer_shape *with)
{
	int error = ring_init(&ring);

	if (error) {
		fprintf(stderr, "# SKIP: no io_uring (%d)\n", error);
		return false;
	}
	ck_assert_int_eq(buffer_init(&buffers, &ring, 5, with), 0);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	return true;
}

static void end(void)
{
	ring_release(&ring);
	buffer_release(&buffers);
	close(pair[0]);
	close(pair[1]);
}

/* One receive of what was just written. */
static struct ring_event receive(void)
{
	const struct ring_wait wait = {1, 0, 2000000000};
	struct io_uring_sqe *sqe = ring_sqe(&ring);
	struct ring_event event;

	io_uring_prep_recv(sqe, pair[0], NULL, 256, 0);
	sqe->flags |= IOSQE_BUFFER_SELECT;
	sqe->buf_group = buffers.group;
	ring_tag(sqe, RING_TCP_RECV, 3);
	ck_assert_int_eq(ring_enter(&ring, &wait), 0);
	ck_assert(ring_next(&ring, &event));
	ck_assert_int_eq(event.op, RING_TCP_RECV);
	ck_assert_uint_eq(event.index, 3);
	return event;
}

/* Far more octets than there is room: buffers go round and stay apart. */
START_TEST(buffers_go_round)
{
	uint8_t data[256];

	if (!begin(shape[_i]))
		return;
	for (unsigned i = 0; i < 500; i++) {
		size_t len = 1 + i * 31 % 200;
		struct ring_event event;

		memset(data, (int)(i % 251), len);
		ck_assert_int_eq(write(pair[1], data, len), len);
		event = receive();
		ck_assert_int_eq(event.res, len);
		ck_assert(event.flags & IORING_CQE_F_BUFFER);
		ck_assert_mem_eq(buffer_take(&buffers, &event), data, len);
		buffer_done(&buffers, &event);
	}
	end();
}
END_TEST

/* Buffers that are not given back run out, and only those. */
START_TEST(B_IU01_empty_until_given_back)
{
	struct ring_event event[4], last;

	if (!begin(&fixed))
		return;
	for (unsigned i = 0; i < 4; i++) {
		ck_assert_int_eq(write(pair[1], "abc", 3), 3);
		event[i] = receive();
		ck_assert_int_eq(event[i].res, 3);
	}
	ck_assert_int_eq(write(pair[1], "xyz", 3), 3);
	last = receive();
	ck_assert_int_eq(last.res, -ENOBUFS);
	ck_assert(!(last.flags & IORING_CQE_F_BUFFER));
	buffer_done(&buffers, &event[2]);
	last = receive();
	ck_assert_int_eq(last.res, 3);
	ck_assert_uint_eq(last.flags >> IORING_CQE_BUFFER_SHIFT,
			  event[2].flags >> IORING_CQE_BUFFER_SHIFT);
	ck_assert_mem_eq(buffer_take(&buffers, &last), "xyz", 3);
	end();
}
END_TEST

/* Small receives share one incremental buffer, packed. */
START_TEST(incremental_is_packed)
{
	struct ring_event event;
	const uint8_t *at = NULL;

	if (!begin(&incremental))
		return;
	if (!buffers.incremental) {
		end();
		SKIP("no incremental buffers with min_left");
	}
	for (unsigned i = 0; i < 7; i++) {
		const uint8_t *data;

		ck_assert_int_eq(write(pair[1], "0123456789", 10), 10);
		event = receive();
		data = buffer_take(&buffers, &event);
		ck_assert(event.flags & URING_CQE_F_BUF_MORE);
		if (at)
			ck_assert_ptr_eq(data, at + 10);
		at = data;
		buffer_done(&buffers, &event);
	}
	end();
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("buffer");

	tcase_set_timeout(tcase, 30);
	tcase_add_loop_test(tcase, buffers_go_round, 0, 2);
	tcase_add_test(tcase, B_IU01_empty_until_given_back);
	tcase_add_test(tcase, incremental_is_packed);
	return unit_run("buffer", tcase);
}
