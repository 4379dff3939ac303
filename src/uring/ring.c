/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Set-up and entry of a ring. liburing 2.3 has no call that passes a minimum
 * wait, so the SQ tail is published and the kernel entered here; everything
 * else is liburing's.
 */
#include "uring/ring.h"

#include <errno.h>
#include <string.h>
#include <time.h>

/* Wishes, best first; the kernel answers -EINVAL to flags it does not know. */
static const unsigned setup_flags[] = {
    /* Linux 6.1 */
    IORING_SETUP_SUBMIT_ALL | IORING_SETUP_SINGLE_ISSUER |
	IORING_SETUP_DEFER_TASKRUN,
    /* Linux 6.0 */
    IORING_SETUP_SUBMIT_ALL | IORING_SETUP_SINGLE_ISSUER |
	IORING_SETUP_COOP_TASKRUN,
    /* Linux 5.18 */
    IORING_SETUP_SUBMIT_ALL,
};

static int setup(struct ring *ring, unsigned entries)
{
	int error = -EINVAL;

	for (size_t i = 0; i < sizeof(setup_flags) / sizeof(setup_flags[0]);
	     i++) {
		struct io_uring_params params = {
		    .flags = setup_flags[i] | IORING_SETUP_CQSIZE,
		    .cq_entries = 4 * entries,
		};

		error =
		    io_uring_queue_init_params(entries, &ring->uring, &params);
		if (error != -EINVAL)
			return error;
	}
	return error;
}

int ring_init(struct ring *ring)
{
	unsigned entries = RING_ENTRIES;
	int error;

	memset(ring, 0, sizeof(*ring));
	while ((error = setup(ring, entries)) == -ENOMEM &&
	       entries > RING_ENTRIES_MIN)
		entries /= 2;
	if (error)
		return error;
	ring->min_wait = ring->uring.features & URING_FEAT_MIN_TIMEOUT;
	/* saves the descriptor look-up of each entry; fails harmlessly */
	ring->registered_fd = io_uring_register_ring_fd(&ring->uring) == 1;
	return 0;
}

void ring_release(struct ring *ring)
{
	struct io_uring_sync_cancel_reg cancel = {
	    .flags = IORING_ASYNC_CANCEL_ANY | IORING_ASYNC_CANCEL_ALL,
	    .timeout = {.tv_sec = 1, .tv_nsec = 0},
	};
	const struct ring_wait flush = {0, 0, -1};
	struct ring_event event;

	/*
	 * Closing alone cancels some time later: a multishot receive could
	 * still take datagrams from a socket that lives on.
	 */
	io_uring_register_sync_cancel(&ring->uring, &cancel);
	ring_enter(ring, &flush);
	while (ring_next(ring, &event))
		;
	io_uring_queue_exit(&ring->uring);
}

/* Makes prepared SQEs visible; returns how many the kernel has not taken. */
static unsigned publish(struct ring *ring)
{
	struct io_uring_sq *sq = &ring->uring.sq;

	/* the indirection is the identity; liburing fills it or leaves it out
	   depending on its version */
	if (sq->array)
		for (unsigned i = sq->sqe_head; i != sq->sqe_tail; i++)
			sq->array[i & sq->ring_mask] = i & sq->ring_mask;
	sq->sqe_head = sq->sqe_tail;
	io_uring_smp_store_release(sq->ktail, sq->sqe_tail);
	return sq->sqe_tail - io_uring_smp_load_acquire(sq->khead);
}

/*
 * Without a time-out Linux returns each time a minimum wait is over, even if
 * nothing came (seen on 6.18): an idle thread would never sleep.
 */
#define LONG_NS 60000000000

static int enter(struct ring *ring, unsigned submit_nr,
		 const struct ring_wait *wait)
{
	unsigned min_wait_us = ring->min_wait ? wait->min_wait_us : 0;
	int64_t timeout_ns =
	    wait->timeout_ns < 0 && min_wait_us ? LONG_NS : wait->timeout_ns;
	struct __kernel_timespec ts = {
	    .tv_sec = timeout_ns / 1000000000,
	    .tv_nsec = timeout_ns % 1000000000,
	};
	struct uring_getevents_arg arg = {
	    .min_wait_usec = min_wait_us,
	    .ts = timeout_ns >= 0 ? (uintptr_t)&ts : 0,
	};
	unsigned flags = IORING_ENTER_EXT_ARG | IORING_ENTER_GETEVENTS;

	if (ring->registered_fd)
		flags |= IORING_ENTER_REGISTERED_RING;
	return io_uring_enter2((unsigned)ring->uring.enter_ring_fd, submit_nr,
			       wait->nr, flags, (void *)&arg, sizeof(arg));
}

void ring_sleep(unsigned us)
{
	const struct timespec ts = {.tv_nsec = us * 1000L};

	clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
}

int ring_enter(struct ring *ring, const struct ring_wait *wait)
{
	int result;

	if (wait->nr && wait->min_wait_us && !ring->min_wait) {
		ring_submit(ring);
		ring_sleep(wait->min_wait_us);
	}
	result = enter(ring, publish(ring), wait);

	if (ring_has_overflowed(ring))
		ring->overflows++;
	if (result >= 0 || result == -ETIME)
		return 0;
	return result;
}

int ring_submit(struct ring *ring)
{
	unsigned submit_nr = publish(ring);
	unsigned flags = ring->registered_fd ? IORING_ENTER_REGISTERED_RING : 0;
	int result = 0;

	if (submit_nr)
		result = io_uring_enter2((unsigned)ring->uring.enter_ring_fd,
					 submit_nr, 0, flags, NULL, 0);
	return result < 0 ? result : 0;
}

struct io_uring_sqe *ring_sqe(struct ring *ring)
{
	struct io_uring_sqe *sqe;

	while (!(sqe = io_uring_get_sqe(&ring->uring)))
		ring_submit(ring);
	return sqe;
}
