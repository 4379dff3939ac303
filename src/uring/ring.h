/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One io_uring of one thread: set-up with fall-backs, the way into the kernel,
 * and the coding of user_data. SQEs are prepared in the file of their family
 * (recv, send, stream).
 *
 * All calls by the thread that made the ring (SINGLE_ISSUER).
 */
#ifndef URING_RING_H
#define URING_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "uring/compat.h"

/* SQ entries; the CQ holds four times that: every receive buffer and every
   send can complete twice over before the thread looks. */
#define RING_ENTRIES	 1024
#define RING_ENTRIES_MIN 64

enum ring_op {
	RING_NONE,	  /* nobody waits for it */
	RING_WAKE,	  /* eventfd of the control thread */
	RING_RECV,	  /* index: UDP socket */
	RING_SEND_ONE,	  /* index: reply */
	RING_SEND_BUNDLE, /* index: bundle */
	RING_SEND_ZC,	  /* index: send_zc_index() */
	RING_ACCEPT,	  /* index: listener */
	RING_TCP_RECV,	  /* index: connection */
	RING_TCP_SEND,
	RING_TCP_SEND_ZC, /* its result, and its notification */
	RING_TCP_TRY,	  /* a send that did not take everything */
};

struct ring_event {
	enum ring_op op;
	uint32_t index;
	int32_t res;
	uint32_t flags; /* IORING_CQE_F_* */
};

struct ring_wait {
	unsigned nr;	      /* 0: do not wait */
	unsigned min_wait_us; /* gather for so long, then be content with one */
	int64_t timeout_ns;   /* < 0: none, but see min_wait_us: with it
				 ring_enter() may return with nothing */
};

struct ring {
	struct io_uring uring;
	bool min_wait; /* the kernel can gather; else by a sleep */
	bool registered_fd;
	bool has_regions;
	uint32_t regions;   /* taken ones, see uring/region.h */
	uint64_t overflows; /* turns in which the CQ had overflowed */
};

/*
 * Flags that the kernel does not know are left away; when memory is short the
 * ring is halved down to RING_ENTRIES_MIN. Returns 0 or -errno: -EPERM, -ENOSYS
 * forbidden or missing, -ENOMEM locked memory.
 */
int ring_init(struct ring *ring);

/* Cancels what is under way, waits for that, and closes. */
void ring_release(struct ring *ring);

/* True with IORING_SETUP_DEFER_TASKRUN. */
static inline bool ring_is_deferred(const struct ring *ring)
{
	return ring->uring.flags & IORING_SETUP_DEFER_TASKRUN;
}

/*
 * An empty SQE; enters the kernel without waiting when the SQ is full. Never
 * NULL. To be given to ring_tag() after it was prepared.
 */
struct io_uring_sqe *ring_sqe(struct ring *ring);

static inline uint64_t ring_encode(enum ring_op op, uint32_t index)
{
	return (uint64_t)op << 32 | index;
}

static inline void ring_tag(struct io_uring_sqe *sqe, enum ring_op op,
			    uint32_t index)
{
	sqe->user_data = ring_encode(op, index);
}

static inline void ring_decode(const struct io_uring_cqe *cqe,
			       struct ring_event *event)
{
	event->op = (enum ring_op)(cqe->user_data >> 32);
	event->index = (uint32_t)cqe->user_data;
	event->res = cqe->res;
	event->flags = cqe->flags;
}

/* Not less and hardly longer, for a thread without timer slack. */
void ring_sleep(unsigned us);

/*
 * Submits everything prepared, runs what became ready, and waits. Returns 0 or
 * -errno (-EINTR, ...); that the time is over is no error.
 */
int ring_enter(struct ring *ring, const struct ring_wait *wait);

/*
 * Submits and nothing else: with DEFER_TASKRUN no receive completes in it, so
 * that a turn of the worker ends even in a flood.
 */
int ring_submit(struct ring *ring);

/* True if the kernel has left SQEs untaken (it was short of memory). */
static inline bool ring_is_behind(const struct ring *ring)
{
	const struct io_uring_sq *sq = &ring->uring.sq;

	return sq->sqe_tail != io_uring_smp_load_acquire(sq->khead);
}

/* True while the kernel keeps completions that the CQ had no room for. */
static inline bool ring_has_overflowed(const struct ring *ring)
{
	return IO_URING_READ_ONCE(*ring->uring.sq.kflags) &
	       IORING_SQ_CQ_OVERFLOW;
}

/* Takes the next completion; false when there is none. */
static inline bool ring_next(struct ring *ring, struct ring_event *event)
{
	struct io_uring_cq *cq = &ring->uring.cq;
	unsigned head = *cq->khead;

	if (head == io_uring_smp_load_acquire(cq->ktail))
		return false;
	ring_decode(&cq->cqes[head & cq->ring_mask], event);
	io_uring_smp_store_release(cq->khead, head + 1);
	return true;
}

/* Looks at the completion at *pos without taking it; start with ring_first. */
static inline unsigned ring_first(const struct ring *ring)
{
	return *ring->uring.cq.khead;
}

static inline bool ring_peek(const struct ring *ring, unsigned *pos,
			     struct ring_event *event)
{
	const struct io_uring_cq *cq = &ring->uring.cq;

	if (*pos == io_uring_smp_load_acquire(cq->ktail))
		return false;
	ring_decode(&cq->cqes[(*pos)++ & cq->ring_mask], event);
	return true;
}

#endif
