/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages made of bundles.
 */
#include "uring/message.h"

unsigned message_gather(const struct bundle_set *set,
			const struct bundle *bundle, struct iovec *iov)
{
	const struct reply *reply = &set->reply[bundle->head];
	unsigned nr = 0;

	if (bundle->contiguous) {
		iov[0].iov_base = (void *)(uintptr_t)reply->data;
		iov[0].iov_len = bundle->octets;
		return 1;
	}
	for (;;) {
		struct iovec *last = iov + nr;

		if (nr &&
		    (const uint8_t *)last[-1].iov_base + last[-1].iov_len ==
			reply->data) {
			last[-1].iov_len += reply->len;
		} else {
			last->iov_base = (void *)(uintptr_t)reply->data;
			last->iov_len = reply->len;
			nr++;
		}
		if (reply->next == BUNDLE_NONE)
			return nr;
		reply = &set->reply[reply->next];
	}
}

static int send_one(struct bundle_set *set, const struct bundle *bundle,
		    const struct udp_socket *socket, const struct reply *reply)
{
	uint64_t control[CONTROL_MAX / 8];
	struct iovec iov = {(void *)(uintptr_t)reply->data, reply->len};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};

	message_address(&msg, (uint8_t *)control,
			&set->endpoint[bundle->endpoint], socket->wildcard, 0);
	return sendmsg(socket->fd, &msg, MSG_DONTWAIT) < 0 ? -errno : 0;
}

static int send_whole(struct bundle_set *set, const struct bundle *bundle,
		      const struct udp_socket *socket)
{
	uint64_t control[CONTROL_MAX / 8];
	struct iovec iov[BUNDLE_SEGMENT_MAX];
	struct msghdr msg = {.msg_iov = iov};

	msg.msg_iovlen = message_gather(set, bundle, iov);
	message_address(&msg, (uint8_t *)control,
			&set->endpoint[bundle->endpoint], socket->wildcard,
			bundle->len);
	return sendmsg(socket->fd, &msg, MSG_DONTWAIT) < 0 ? -errno : 0;
}

int message_resend(struct bundle_set *set, const struct bundle *bundle,
		   const struct udp_socket *socket, bool gso)
{
	int lost = 0;

	if (gso && bundle->nr > 1)
		return send_whole(set, bundle, socket);
	for (uint16_t i = bundle->head; i != BUNDLE_NONE;
	     i = set->reply[i].next)
		if (send_one(set, bundle, socket, &set->reply[i]))
			lost++;
	return lost;
}
