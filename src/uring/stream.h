/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TCP over the ring: multishot accept, receive into provided buffers, send.
 *
 * A receive is armed once for each read, with a buffer chosen when octets
 * come: an idle connection holds no buffer, and a peer that does not read its
 * replies is simply not read from.
 */
#ifndef URING_STREAM_H
#define URING_STREAM_H

#include "uring/buffer.h"

#define STREAM_READ_MAX 16384 /* octets of one receive */

/* Buffers for all TCP receives of a ring. Returns 0 or -errno. */
int stream_init(struct buffer_ring *buffers, struct ring *ring);

void stream_accept(struct ring *ring, int fd, uint32_t index);
void stream_cancel_accept(struct ring *ring, uint32_t index);
void stream_receive(struct ring *ring, const struct buffer_ring *buffers,
		    int fd, uint32_t index);
/* data must stay until RING_TCP_SEND comes. */
void stream_send(struct ring *ring, int fd, const void *data, uint32_t len,
		 uint32_t index);
/* One read of an eventfd into *value: RING_WAKE. */
void stream_wake(struct ring *ring, int fd, uint64_t *value);

#endif
