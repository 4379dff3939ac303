/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bundles to SQEs.
 *
 *	one reply, bound socket		SEND with address
 *	one reply, wildcard socket	SENDMSG + PKTINFO
 *	several				SENDMSG + UDP_SEGMENT
 *	zerocopy threshold and above	SENDMSG_ZC from the registered arena,
 *					one or several
 *
 * Copying sends do not wait (MSG_DONTWAIT) and are silent on success, so they
 * are finished when the kernel returns; what failed is found by send_finish().
 *
 *	send_bundles > ring_enter or ring_submit > send_finish
 *
 * One thread; no allocation after init.
 */
#ifndef URING_SEND_H
#define URING_SEND_H

#include <sys/socket.h>

#include "uring/slot.h"
#include "uring/bundle.h"
#include "uring/control.h"
#include "uring/ring.h"
#include "uring/socket.h"

/* Copying and pinning cost the same near 10 KB; the gain is safe from here. */
#define SEND_ZEROCOPY_MIN 16384

enum zerocopy_mode {
	ZEROCOPY_AUTO,	 /* given up where notifications say "copied" */
	ZEROCOPY_ALWAYS, /* whatever they say */
	ZEROCOPY_NEVER,
};

struct zerocopy_policy {
	enum zerocopy_mode mode;
	uint32_t min; /* octets of a send */
};

struct sender {
	struct ring *ring;
	struct slot_arena *arena;
	struct bundle_set *set;
	struct udp_socket *socket; /* indexed by endpoint.socket */
	bool pending;		   /* SQEs prepared, send_finish is due */
	bool retreat;		   /* from zerocopy that copies */
	uint32_t zerocopy_min;	   /* UINT32_MAX: never */
	unsigned scanned; /* completions that send_finish() has looked at */
	struct send_counters counters;
	unsigned iov_nr;
	/* Of one batch, by reply; must stay until the kernel returned. */
	struct msghdr msg[BUNDLE_REPLY_MAX];
	struct iovec iov[BUNDLE_REPLY_MAX];
	uint64_t control[BUNDLE_REPLY_MAX][CONTROL_MAX / 8];
};

/* Takes its parts by reference. Everything is copied. */
void send_init(struct sender *sender, struct ring *ring,
	       struct slot_arena *arena, struct bundle_set *set,
	       struct udp_socket *socket);

/*
 * Registers the arena and uses zerocopy from now on; to be called once. Returns
 * 0 or -errno, and everything is copied: -ENOMEM: locked memory, -EOPNOTSUPP:
 * the kernel cannot send registered memory, -ECANCELED: ZEROCOPY_NEVER.
 */
int send_zerocopy(struct sender *sender, const struct zerocopy_policy *policy);

/* Prepares the SQEs of all bundles and hands the arena to the kernel. */
void send_bundles(struct sender *sender);

/*
 * After the kernel has returned: repeats and counts what failed, empties the
 * bundle set, frees the arena but for zerocopy. Completions stay in the ring.
 */
void send_finish(struct sender *sender);

/* A RING_SEND_ZC completion taken from the ring. */
void send_zerocopy_event(struct sender *sender, const struct ring_event *event);

#endif
