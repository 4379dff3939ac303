/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recvmmsg and sendmmsg. sendmmsg stops at the first message that fails and
 * reports the error only when it is called again with that message in front.
 */
#include "uring/mmsg.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "uring/message.h"

/* Odd number of lines: buffers do not all start in one set of the cache. */
#define BUFFER_LEN (DATAGRAM_MAX + 64)

int mmsg_init(struct mmsg *mmsg, struct slot_arena *arena,
	      struct bundle_set *set, struct udp_socket *socket)
{
	memset(mmsg, 0, sizeof(*mmsg));
	mmsg->arena = arena;
	mmsg->set = set;
	mmsg->socket = socket;
	mmsg->buffer =
	    mmap(NULL, (size_t)MMSG_RECEIVE_MAX * BUFFER_LEN,
		 PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mmsg->buffer == MAP_FAILED) {
		mmsg->buffer = NULL;
		return -ENOMEM;
	}
	for (unsigned i = 0; i < MMSG_RECEIVE_MAX; i++) {
		struct msghdr *msg = &mmsg->in[i].msg_hdr;

		mmsg->in_iov[i].iov_base = mmsg->buffer + i * BUFFER_LEN;
		mmsg->in_iov[i].iov_len = DATAGRAM_MAX;
		msg->msg_iov = &mmsg->in_iov[i];
		msg->msg_iovlen = 1;
		msg->msg_name = &mmsg->name[i];
		msg->msg_control = mmsg->in_control[i];
	}
	return 0;
}

void mmsg_release(struct mmsg *mmsg)
{
	if (mmsg->buffer)
		munmap(mmsg->buffer, (size_t)MMSG_RECEIVE_MAX * BUFFER_LEN);
	mmsg->buffer = NULL;
}

unsigned mmsg_receive(struct mmsg *mmsg, uint32_t socket)
{
	int nr;

	for (unsigned i = 0; i < MMSG_RECEIVE_MAX; i++) {
		mmsg->in[i].msg_hdr.msg_namelen = sizeof(mmsg->name[i]);
		mmsg->in[i].msg_hdr.msg_controllen = CONTROL_MAX;
	}
	mmsg->receiving = socket;
	nr = recvmmsg(mmsg->socket[socket].fd, mmsg->in, MMSG_RECEIVE_MAX,
		      MSG_DONTWAIT | MSG_TRUNC, NULL);
	return nr > 0 ? (unsigned)nr : 0;
}

void mmsg_datagram(struct mmsg *mmsg, unsigned i, struct datagram *datagram)
{
	const struct msghdr *msg = &mmsg->in[i].msg_hdr;
	struct endpoint *endpoint = &datagram->endpoint;

	memset(endpoint, 0, sizeof(*endpoint));
	memcpy(&endpoint->peer, &mmsg->name[i], msg->msg_namelen);
	endpoint->peer_len = (uint16_t)msg->msg_namelen;
	endpoint->socket = (uint16_t)mmsg->receiving;
	control_parse(msg->msg_control, msg->msg_controllen, endpoint,
		      &datagram->segment);
	datagram->data = mmsg->in_iov[i].iov_base;
	datagram->len = mmsg->in[i].msg_len;
	datagram->cut = 0;
	if (msg->msg_flags & MSG_TRUNC) {
		datagram->len = DATAGRAM_MAX;
		datagram_cut(datagram, mmsg->in[i].msg_len);
	}
}

static struct msghdr *next_message(struct mmsg *mmsg, uint16_t bundle,
				   uint16_t segment)
{
	unsigned i = mmsg->out_nr++;
	struct endpoint *endpoint =
	    &mmsg->set->endpoint[mmsg->set->bundle[bundle].endpoint];
	struct msghdr *msg = &mmsg->out[i].msg_hdr;

	mmsg->bundle[i] = bundle;
	msg->msg_iov = &mmsg->iov[mmsg->iov_nr];
	message_address(msg, (uint8_t *)mmsg->control[i], endpoint,
			mmsg->socket[endpoint->socket].wildcard, segment);
	return msg;
}

static void put_bundle(struct mmsg *mmsg, uint16_t index)
{
	const struct bundle *bundle = &mmsg->set->bundle[index];
	struct msghdr *msg =
	    next_message(mmsg, index, bundle->nr > 1 ? bundle->len : 0);

	msg->msg_iovlen = message_gather(mmsg->set, bundle, msg->msg_iov);
	mmsg->iov_nr += (unsigned)msg->msg_iovlen;
}

static void put_singles(struct mmsg *mmsg, uint16_t index)
{
	const struct bundle_set *set = mmsg->set;

	for (uint16_t i = set->bundle[index].head; i != BUNDLE_NONE;
	     i = set->reply[i].next) {
		struct msghdr *msg = next_message(mmsg, index, 0);

		msg->msg_iov->iov_base = (void *)(uintptr_t)set->reply[i].data;
		msg->msg_iov->iov_len = set->reply[i].len;
		msg->msg_iovlen = 1;
		mmsg->iov_nr++;
	}
}

/* Replies that the i-th message carries. */
static unsigned replies_of(const struct mmsg *mmsg, unsigned i)
{
	const struct msghdr *msg = &mmsg->out[i].msg_hdr;
	const struct bundle *bundle = &mmsg->set->bundle[mmsg->bundle[i]];

	/* with GSO off a bundle is spread over single messages */
	return msg->msg_iovlen == 1 && msg->msg_iov->iov_len == bundle->len
		   ? 1
		   : bundle->nr;
}

static void failed(struct mmsg *mmsg, unsigned i, int error)
{
	unsigned nr = replies_of(mmsg, i);
	const struct bundle *bundle = &mmsg->set->bundle[mmsg->bundle[i]];
	uint16_t index = mmsg->set->endpoint[bundle->endpoint].socket;
	struct udp_socket *socket = &mmsg->socket[index];

	if (nr == 1 || !message_is_gso_error(error)) {
		mmsg->counters.errors += nr;
		return;
	}
	if (!socket->gso_off)
		mmsg->counters.gso_retreats++;
	socket->gso_off = true;
	mmsg->counters.errors +=
	    (unsigned)message_resend(mmsg->set, bundle, socket, false);
}

/* Messages [from, to) are for one socket. */
static void send_run(struct mmsg *mmsg, int fd, unsigned from, unsigned to)
{
	while (from < to) {
		int sent =
		    sendmmsg(fd, mmsg->out + from, to - from, MSG_DONTWAIT);

		if (sent > 0)
			from += (unsigned)sent;
		else if (errno != EINTR)
			failed(mmsg, from++, -errno);
	}
}

static uint16_t socket_of(const struct mmsg *mmsg, unsigned message)
{
	const struct bundle *bundle = &mmsg->set->bundle[mmsg->bundle[message]];

	return mmsg->set->endpoint[bundle->endpoint].socket;
}

static void put_all(struct mmsg *mmsg)
{
	const struct bundle_set *set = mmsg->set;

	mmsg->out_nr = mmsg->iov_nr = 0;
	for (uint16_t i = 0; i < set->bundle_nr; i++) {
		uint16_t socket = set->endpoint[set->bundle[i].endpoint].socket;

		if (mmsg->socket[socket].gso_off)
			put_singles(mmsg, i);
		else
			put_bundle(mmsg, i);
	}
}

void mmsg_send(struct mmsg *mmsg)
{
	unsigned from = 0;

	put_all(mmsg);
	for (unsigned i = 1; i <= mmsg->out_nr; i++) {
		if (i < mmsg->out_nr &&
		    socket_of(mmsg, i) == socket_of(mmsg, from))
			continue;
		send_run(mmsg, mmsg->socket[socket_of(mmsg, from)].fd, from, i);
		from = i;
	}
	mmsg->counters.bundles += mmsg->out_nr;
	mmsg->counters.replies += mmsg->set->reply_nr;
	slot_submit(mmsg->arena);
	slot_finish(mmsg->arena);
	bundle_reset(mmsg->set);
}
