/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Provided buffer ring: where receives land. Incremental where the kernel can
 * (IOU_PBUF_RING_INC with min_left): few large buffers that datagrams fill one
 * behind the other, so that small totals stay in cache and coalesced runs fit
 * nevertheless. Else many buffers of one receive each.
 *
 * INC without min_left is not used: a datagram at the end of a buffer would be
 * cut, and less room than the header ends the multishot with -EFAULT.
 *
 * Completions of one ring come in the order in which buffers were filled and
 * are taken and done in it, so a buffer is free when its last datagram was
 * handled. Taking may run ahead of being done.
 */
#ifndef URING_BUFFER_H
#define URING_BUFFER_H

#include "uring/ring.h"

#define BUFFER_NR_MAX 64

struct buffer_shape {
	uint32_t nr, len;	  /* one receive each; nr a power of two */
	uint32_t inc_nr, inc_len; /* incremental; inc_nr 0: never */
	uint32_t inc_min_left;
};

struct buffer_ring {
	struct io_uring_buf_ring *ring;
	uint8_t *base;
	uint32_t nr, len;
	uint16_t group;
	bool incremental;
	uint32_t offset[BUFFER_NR_MAX]; /* octets taken */
};

/* Returns 0 or -errno. */
int buffer_init(struct buffer_ring *buffers, struct ring *ring, uint16_t group,
		const struct buffer_shape *shape);

/* After ring_release(), which unregisters it. */
void buffer_release(struct buffer_ring *buffers);

/*
 * The octets of a completion that has IORING_CQE_F_BUFFER; once for each, in
 * order. They stay until buffer_done().
 */
static inline uint8_t *buffer_take(struct buffer_ring *buffers,
				   const struct ring_event *event)
{
	uint32_t id = event->flags >> IORING_CQE_BUFFER_SHIFT;
	uint32_t offset = buffers->offset[id];

	if (event->res > 0)
		buffers->offset[id] += (uint32_t)event->res;
	return buffers->base + (size_t)id * buffers->len + offset;
}

/* They were handled; gives the buffer back when it is used up. */
void buffer_done(struct buffer_ring *buffers, const struct ring_event *event);

#endif
