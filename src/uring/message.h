/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The msghdr of a bundle, or of one reply of it; for SQEs, sendmmsg and
 * repeated sends alike.
 */
#ifndef URING_MESSAGE_H
#define URING_MESSAGE_H

#include <errno.h>
#include <sys/socket.h>

#include "uring/bundle.h"
#include "uring/control.h"
#include "uring/socket.h"

/* Name and control messages; out is CONTROL_MAX octets aligned to 8. */
static inline void message_address(struct msghdr *msg, uint8_t *out,
				   struct endpoint *endpoint, bool wildcard,
				   uint16_t segment)
{
	msg->msg_name = &endpoint->peer;
	msg->msg_namelen = endpoint->peer_len;
	msg->msg_flags = 0;
	msg->msg_controllen = control_build(out, endpoint, wildcard, segment);
	msg->msg_control = msg->msg_controllen ? out : NULL;
}

/* Replies of a bundle as iovecs, neighbours merged. Returns how many. */
unsigned message_gather(const struct bundle_set *set,
			const struct bundle *bundle, struct iovec *iov);

/* Says that GSO is of no use on a socket: device, IPsec, no checksum. */
static inline bool message_is_gso_error(int error)
{
	return error == -EIO || error == -EINVAL;
}

/*
 * The slow path, for sends that failed: sends the bundle by sendmsg, as one if
 * gso, else reply by reply. Returns the number of replies that were lost, or
 * -errno if gso and the bundle as a whole failed.
 */
int message_resend(struct bundle_set *set, const struct bundle *bundle,
		   const struct udp_socket *socket, bool gso);

#endif
