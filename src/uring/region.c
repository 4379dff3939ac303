/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Registered memory. The table is made, empty, when the first region is taken.
 */
#include "uring/region.h"

#include <assert.h>
#include <errno.h>

static int set(struct ring *ring, unsigned index, const struct iovec *iov)
{
	const __u64 tag = 0;
	int nr = io_uring_register_buffers_update_tag(&ring->uring, index, iov,
						      &tag, 1);

	return nr < 0 ? nr : 0;
}

static int make_table(struct ring *ring)
{
	int error;

	if (ring->has_regions)
		return 0;
	error = io_uring_register_buffers_sparse(&ring->uring, REGION_NR);
	ring->has_regions = !error;
	return error;
}

int region_take(struct ring *ring, void *base, size_t len)
{
	const struct iovec iov = {base, len};
	int error = make_table(ring);

	for (unsigned i = 0; !error && i < REGION_NR; i++) {
		if (ring->regions & 1u << i)
			continue;
		error = set(ring, i, &iov);
		if (error)
			return error;
		ring->regions |= 1u << i;
		return (int)i;
	}
	return error ? error : -EMFILE;
}

void region_drop(struct ring *ring, unsigned index)
{
	const struct iovec none = {NULL, 0};

	assert(ring->regions & 1u << index);
	/* a place that could not be emptied (-ENOMEM) is lost, no more */
	if (!set(ring, index, &none))
		ring->regions &= ~(1u << index);
}
