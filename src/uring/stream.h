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

/* Octets to send; they stay until the send is over. */
struct stream_data {
	int fd;
	const void *data;
	uint32_t len;
	uint32_t index;
};

/* RING_TCP_SEND with the octets that were sent, or an error. */
void stream_send(struct ring *ring, const struct stream_data *data);

/*
 * Sends at once what the socket takes. Silent when that is all, else
 * RING_TCP_TRY with the octets that were sent, or -EAGAIN; over when the
 * kernel returns.
 */
void stream_try(struct ring *ring, const struct stream_data *data);

/*
 * Sends from a region, without copying where the device can. RING_TCP_SEND_ZC
 * comes with the result and, if that has IORING_CQE_F_MORE, later once more
 * with IORING_CQE_F_NOTIF: only then it is over.
 */
void stream_send_zerocopy(struct ring *ring, const struct stream_data *data,
			  unsigned region);
/* True if the kernel knows stream_send_zerocopy(). Nothing is under way. */
bool stream_can_zerocopy(struct ring *ring);

/* Of the notification: the octets were copied after all. */
static inline bool stream_was_copied(const struct ring_event *event)
{
	return (uint32_t)event->res & URING_NOTIF_USAGE_ZC_COPIED;
}

/* One read of an eventfd into *value: RING_WAKE. */
void stream_wake(struct ring *ring, int fd, uint64_t *value);

#endif
