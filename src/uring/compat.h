/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the kernel has and liburing 2.3 does not name yet: constants of later
 * kernels and the later layout of two structures. Presence is found out at run
 * time (uring/probe.h), never from a version number.
 */
#ifndef URING_COMPAT_H
#define URING_COMPAT_H

#include <liburing.h>

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103 /* Linux 4.18 */
#endif
#ifndef UDP_GRO
#define UDP_GRO 104 /* Linux 5.0 */
#endif

/* Values are the kernel's ABI; the names differ so that no header clashes. */
#define URING_SEND_ZC_REPORT_USAGE  (1u << 3)  /* Linux 6.2 */
#define URING_NOTIF_USAGE_ZC_COPIED (1u << 31) /* Linux 6.2 */
#define URING_FEAT_RECVSEND_BUNDLE  (1u << 14) /* Linux 6.10 */
#define URING_FEAT_MIN_TIMEOUT	    (1u << 15) /* Linux 6.12 */
#define URING_PBUF_RING_INC	    (1u << 1)  /* Linux 6.12 */
#define URING_CQE_F_BUF_MORE	    (1u << 4)  /* Linux 6.12 */

/* TAP devices, for the load generator; linux/if_tun.h, linux/virtio_net.h. */
#define COMPAT_TUN_F_USO4		 0x20 /* Linux 6.2 */
#define COMPAT_TUN_F_USO6		 0x40 /* Linux 6.2 */
#define COMPAT_VIRTIO_NET_HDR_GSO_UDP_L4 5    /* Linux 6.2 */

/* struct io_uring_getevents_arg of Linux 6.12: pad became min_wait_usec. */
struct uring_getevents_arg {
	uint64_t sigmask;
	uint32_t sigmask_sz;
	uint32_t min_wait_usec;
	uint64_t ts;
};

/* struct io_uring_buf_reg with flags (6.12) and min_left (later stable). */
struct uring_buf_reg {
	uint64_t ring_addr;
	uint32_t ring_entries;
	uint16_t bgid;
	uint16_t flags;
	uint32_t min_left;
	uint32_t resv[5];
};

_Static_assert(sizeof(struct uring_getevents_arg) ==
		   sizeof(struct io_uring_getevents_arg),
	       "one ABI");
_Static_assert(sizeof(struct uring_buf_reg) == sizeof(struct io_uring_buf_reg),
	       "one ABI");

#endif
