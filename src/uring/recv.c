/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Multishot receive. What the kernel writes for each datagram:
 *
 *	struct io_uring_recvmsg_out | name | control | payload
 *	                         16    NAME   CONTROL
 *
 * name and control have the lengths that were asked for, whatever came.
 */
#include "uring/recv.h"

#include <errno.h>

#include "uring/control.h"

#define NAME_LEN sizeof(struct sockaddr_in6)
#define PAYLOAD_OFF                                                            \
	(sizeof(struct io_uring_recvmsg_out) + NAME_LEN + CONTROL_MAX)

#define GROUP_UDP 0

/* A whole receive always fits behind min_left. */
static const struct buffer_shape udp_shape = {
    .nr = 64,
    .len = DATAGRAM_MAX,
    .inc_nr = 8,
    .inc_len = 65536,
    .inc_min_left = DATAGRAM_MAX,
};

int recv_init(struct receiver *receiver, struct ring *ring,
	      const struct buffer_shape *shape)
{
	memset(receiver, 0, sizeof(*receiver));
	receiver->ring = ring;
	receiver->header.msg_namelen = NAME_LEN;
	receiver->header.msg_controllen = CONTROL_MAX;
	return buffer_init(&receiver->buffers, ring, GROUP_UDP,
			   shape ? shape : &udp_shape);
}

void recv_release(struct receiver *receiver)
{
	buffer_release(&receiver->buffers);
}

void recv_arm(struct receiver *receiver, int fd, uint32_t index)
{
	struct io_uring_sqe *sqe = ring_sqe(receiver->ring);

	io_uring_prep_recvmsg_multishot(sqe, fd, &receiver->header, MSG_TRUNC);
	sqe->flags |= IOSQE_BUFFER_SELECT;
	sqe->buf_group = receiver->buffers.group;
	ring_tag(sqe, RING_RECV, index);
}

static void rearm(struct receiver *receiver, const struct ring_event *event,
		  int fd)
{
	/* ended by cancelling: the worker stops */
	if (event->flags & IORING_CQE_F_MORE || event->res == -ECANCELED)
		return;
	receiver->rearms++;
	if (event->res == -ENOBUFS)
		receiver->enobufs++;
	recv_arm(receiver, fd, event->index);
}

static void parse(const uint8_t *data, uint32_t len, uint32_t index,
		  struct datagram *datagram)
{
	struct io_uring_recvmsg_out out;
	struct endpoint *endpoint = &datagram->endpoint;

	memset(endpoint, 0, sizeof(*endpoint));
	memcpy(&out, data, sizeof(out));
	data += sizeof(out);
	if (out.namelen > NAME_LEN)
		out.namelen = NAME_LEN;
	memcpy(&endpoint->peer, data, out.namelen);
	endpoint->peer_len = (uint16_t)out.namelen;
	endpoint->socket = (uint16_t)index;
	if (out.controllen > CONTROL_MAX)
		out.controllen = CONTROL_MAX;
	control_parse(data + NAME_LEN, out.controllen, endpoint,
		      &datagram->segment);
	datagram->data = data + NAME_LEN + CONTROL_MAX;
	datagram->len = len - (uint32_t)PAYLOAD_OFF;
	datagram->cut = 0;
	if (out.flags & MSG_TRUNC)
		datagram_cut(datagram, out.payloadlen);
}

bool recv_take(struct receiver *receiver, const struct ring_event *event,
	       struct datagram *datagram)
{
	const uint8_t *data;

	if (!(event->flags & IORING_CQE_F_BUFFER))
		return false;
	data = buffer_take(&receiver->buffers, event);
	if (event->res < (int)PAYLOAD_OFF)
		return false;
	parse(data, (uint32_t)event->res, event->index, datagram);
	return true;
}

void recv_done(struct receiver *receiver, const struct ring_event *event,
	       int fd)
{
	if (event->flags & IORING_CQE_F_BUFFER)
		buffer_done(&receiver->buffers, event);
	rearm(receiver, event, fd);
}
