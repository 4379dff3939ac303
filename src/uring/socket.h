/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a worker knows about one of its UDP sockets, and the counters of the
 * sends. Both back ends share it.
 */
#ifndef URING_SOCKET_H
#define URING_SOCKET_H

#include <stdbool.h>
#include <stdint.h>

struct udp_socket {
	int fd;
	bool wildcard; /* replies carry PKTINFO */
	bool gso_off;  /* a bundle failed with EIO or EINVAL */
	/* Zerocopy: notifications that said "copied", less four times those
	   that did not; bundles until it is tried again. */
	uint16_t copied_score;
	uint32_t zerocopy_rest;
};

struct send_counters {
	uint64_t bundles;      /* sends */
	uint64_t replies;      /* replies in them */
	uint64_t errors;       /* replies that could not be sent */
	uint64_t gso_retreats; /* sockets on which GSO was given up */
	uint64_t zerocopy_sends;
	uint64_t zerocopy_copied;  /* notifications that said "copied" */
	uint64_t zerocopy_resting; /* sockets that copy for a while, now */
};

#endif
