/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Provided buffer ring.
 */
#include "uring/buffer.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

static void *map(size_t len)
{
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static size_t ring_len(uint32_t nr)
{
	return nr * sizeof(struct io_uring_buf);
}

static void give(struct buffer_ring *buffers, uint32_t id)
{
	buffers->offset[id] = 0;
	io_uring_buf_ring_add(buffers->ring,
			      buffers->base + (size_t)id * buffers->len,
			      buffers->len, (unsigned short)id,
			      io_uring_buf_ring_mask(buffers->nr), 0);
	io_uring_buf_ring_advance(buffers->ring, 1);
}

static int enlist(struct buffer_ring *buffers, struct ring *ring,
		  uint32_t min_left)
{
	struct uring_buf_reg reg = {
	    .ring_addr = (uintptr_t)buffers->ring,
	    .ring_entries = buffers->nr,
	    .bgid = buffers->group,
	    .flags = buffers->incremental ? URING_PBUF_RING_INC : 0,
	    .min_left = min_left,
	};

	return io_uring_register_buf_ring(&ring->uring, (void *)&reg, 0);
}

static int try(struct buffer_ring *buffers, struct ring *ring,
	       const struct buffer_shape *shape)
{
	int error;

	buffers->nr = buffers->incremental ? shape->inc_nr : shape->nr;
	buffers->len = buffers->incremental ? shape->inc_len : shape->len;
	assert(buffers->nr <= BUFFER_NR_MAX);
	buffers->ring = map(ring_len(buffers->nr));
	buffers->base = map((size_t)buffers->nr * buffers->len);
	error = -ENOMEM;
	if (buffers->ring && buffers->base)
		error = enlist(buffers, ring, shape->inc_min_left);
	if (error)
		buffer_release(buffers);
	return error;
}

int buffer_init(struct buffer_ring *buffers, struct ring *ring, uint16_t group,
		const struct buffer_shape *shape)
{
	int error = -EINVAL;

	memset(buffers, 0, sizeof(*buffers));
	buffers->group = group;
	if (shape->inc_nr) {
		buffers->incremental = true;
		error = try(buffers, ring, shape);
	}
	if (error == -EINVAL) {
		struct buffer_shape fixed = *shape;

		fixed.inc_min_left = 0;
		buffers->incremental = false;
		error = try(buffers, ring, &fixed);
	}
	if (error)
		return error;
	io_uring_buf_ring_init(buffers->ring);
	for (uint32_t id = 0; id < buffers->nr; id++)
		give(buffers, id);
	return 0;
}

void buffer_release(struct buffer_ring *buffers)
{
	if (buffers->ring)
		munmap(buffers->ring, ring_len(buffers->nr));
	if (buffers->base)
		munmap(buffers->base, (size_t)buffers->nr * buffers->len);
	buffers->ring = NULL;
	buffers->base = NULL;
}

void buffer_done(struct buffer_ring *buffers, const struct ring_event *event)
{
	if (!buffers->incremental || !(event->flags & URING_CQE_F_BUF_MORE))
		give(buffers, event->flags >> IORING_CQE_BUFFER_SHIFT);
}
