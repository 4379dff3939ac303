/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TCP over the ring: multishot accept, multishot receive into provided buffers,
 * sends.
 *
 * A buffer is chosen when octets come: an idle connection holds none. To stop
 * reading from a peer its receive is cancelled; what the completions of the
 * same turn still bring is at most what all buffers hold, since buffers are
 * given back by us alone and a cancel is taken before the kernel goes on.
 */
#ifndef URING_STREAM_H
#define URING_STREAM_H

#include "uring/buffer.h"

#define STREAM_READ_MAX	   16384  /* octets of one receive */
#define STREAM_BUFFERS_LEN 131072 /* octets of all buffers */

/* Buffers for all TCP receives of a ring. Returns 0 or -errno. */
int stream_init(struct buffer_ring *buffers, struct ring *ring);

void stream_accept(struct ring *ring, int fd, uint32_t index);
void stream_cancel_accept(struct ring *ring, uint32_t index);
/*
 * RING_TCP_RECV for each read until one comes without IORING_CQE_F_MORE: the
 * peer's end, an error, -ENOBUFS, or -ECANCELED after a cancel.
 */
void stream_receive(struct ring *ring, const struct buffer_ring *buffers,
		    int fd, uint32_t index);
void stream_cancel_receive(struct ring *ring, uint32_t index);
/*
 * Sends at once what the socket takes. Silent when that is all, else
 * RING_TCP_TRY with the octets that were sent, or -EAGAIN; finished when the
 * kernel returns. data must stay until then.
 */
void stream_try(struct ring *ring, int fd, const void *data, uint32_t len,
		uint32_t index);
/* data must stay until RING_TCP_SEND comes. */
void stream_send(struct ring *ring, int fd, const void *data, uint32_t len,
		 uint32_t index);
/* One read of an eventfd into *value: RING_WAKE. */
void stream_wake(struct ring *ring, int fd, uint64_t *value);

#endif
