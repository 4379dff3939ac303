/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The second back end: recvmmsg and sendmmsg with the same datagrams, bundles
 * and arena as the ring. For kernels without io_uring, or before 6.12, where
 * it is as fast.
 *
 *	mmsg_receive > mmsg_datagram ... > mmsg_send
 *
 * One thread; no allocation after init.
 */
#ifndef URING_MMSG_H
#define URING_MMSG_H

#include <sys/socket.h>

#include "uring/slot.h"
#include "uring/bundle.h"
#include "uring/control.h"
#include "uring/datagram.h"
#include "uring/socket.h"

#define MMSG_RECEIVE_MAX 64

struct mmsg {
	struct slot_arena *arena;
	struct bundle_set *set;
	struct udp_socket *socket; /* indexed by endpoint.socket */
	struct send_counters counters;
	uint8_t *buffer;
	uint32_t receiving; /* socket of the last mmsg_receive() */
	struct mmsghdr in[MMSG_RECEIVE_MAX];
	struct iovec in_iov[MMSG_RECEIVE_MAX];
	struct sockaddr_in6 name[MMSG_RECEIVE_MAX];
	uint64_t in_control[MMSG_RECEIVE_MAX][CONTROL_MAX / 8];
	/* Of one batch of replies; never more messages than replies. */
	unsigned out_nr, iov_nr;
	struct mmsghdr out[BUNDLE_REPLY_MAX];
	struct iovec iov[BUNDLE_REPLY_MAX];
	uint64_t control[BUNDLE_REPLY_MAX][CONTROL_MAX / 8];
	uint16_t bundle[BUNDLE_REPLY_MAX]; /* of each message */
};

/* Takes its parts by reference. Returns 0 or -ENOMEM. */
int mmsg_init(struct mmsg *mmsg, struct slot_arena *arena,
	      struct bundle_set *set, struct udp_socket *socket);
void mmsg_release(struct mmsg *mmsg);

/* Receives without waiting. Returns how many, 0 when there are none. */
unsigned mmsg_receive(struct mmsg *mmsg, uint32_t socket);

/* The i-th of them, valid until the next mmsg_receive(). */
void mmsg_datagram(struct mmsg *mmsg, unsigned i, struct datagram *datagram);

/* Sends all bundles, empties the set and frees the arena. */
void mmsg_send(struct mmsg *mmsg);

#endif
