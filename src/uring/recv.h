/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Multishot receive of UDP sockets into the provided buffer ring.
 */
#ifndef URING_RECV_H
#define URING_RECV_H

#include <sys/socket.h>

#include "uring/buffer.h"
#include "uring/datagram.h"

struct receiver {
	struct ring *ring;
	struct buffer_ring buffers;
	struct msghdr header; /* the kernel reads it at each arming */
	uint64_t rearms;      /* multishots armed again */
	uint64_t enobufs;     /* because buffers had run out */
};

/* shape NULL: the usual buffers. Returns 0 or -errno. */
int recv_init(struct receiver *receiver, struct ring *ring,
	      const struct buffer_shape *shape);

/* After ring_release(). */
void recv_release(struct receiver *receiver);

/* Arms the receive of a socket, to be submitted with the next entry. */
void recv_arm(struct receiver *receiver, int fd, uint32_t index);

/*
 * Takes a RING_RECV completion; each once, in order. True: datagram is filled.
 */
bool recv_take(struct receiver *receiver, const struct ring_event *event,
	       struct datagram *datagram);

/*
 * To be called for each completion that was taken, in the same order, when the
 * octets of its datagram are no longer needed; completions may be taken ahead.
 * A receive that the kernel has ended (no F_MORE) is armed again.
 */
void recv_done(struct receiver *receiver, const struct ring_event *event,
	       int fd);

#endif
