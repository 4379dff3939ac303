/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sends of one worker over its ring.
 *
 * Zerocopy only pays where the device really reads from our pages. Loopback
 * and veth copy after all and say so in the notification (REPORT_USAGE): a
 * socket whose notifications keep saying it goes back to copying for a while.
 */
#include "uring/send.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "uring/message.h"
#include "uring/region.h"

#define COPIED_SCORE_MAX 64
#define ZEROCOPY_REST	 (1u << 16) /* eligible bundles until the next try */

/* What a RING_SEND_ZC event names; 12, 8 and 12 bits. */
static uint32_t zerocopy_index(uint32_t bundle, uint32_t slot, uint32_t socket)
{
	return bundle | slot << 12 | socket << 20;
}

static uint32_t index_bundle(uint32_t index)
{
	return index & 0xfff;
}

static uint32_t index_slot(uint32_t index)
{
	return index >> 12 & 0xff;
}

static uint32_t index_socket(uint32_t index)
{
	return index >> 20;
}

/*
 * SENDMSG_ZC from a registered buffer came with Linux 6.15, REPORT_USAGE with
 * 6.2. Their flags are checked before the descriptor is, so a send to none
 * tells: -EBADF, or -EINVAL where they are unknown.
 */
static bool can_zerocopy(struct ring *ring, struct slot_arena *arena)
{
	const struct ring_wait wait = {1, 0, 1000000000};
	struct iovec iov = {arena->base, 1};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	struct io_uring_sqe *sqe = ring_sqe(ring);
	struct ring_event event;
	bool can = false;

	io_uring_prep_sendmsg_zc(sqe, -1, &msg, MSG_DONTWAIT);
	sqe->ioprio = IORING_RECVSEND_FIXED_BUF | URING_SEND_ZC_REPORT_USAGE;
	ring_tag(sqe, RING_NONE, 0);
	ring_enter(ring, &wait);
	while (ring_next(ring, &event))
		can |= event.res == -EBADF;
	return can;
}

void send_init(struct sender *sender, struct ring *ring,
	       struct slot_arena *arena, struct bundle_set *set,
	       struct udp_socket *socket)
{
	memset(sender, 0, sizeof(*sender));
	sender->ring = ring;
	sender->arena = arena;
	sender->set = set;
	sender->socket = socket;
	sender->zerocopy_min = UINT32_MAX;
}

int send_zerocopy(struct sender *sender, const struct zerocopy_policy *policy)
{
	int region;

	if (policy->mode == ZEROCOPY_NEVER)
		return -ECANCELED;
	region = region_take(sender->ring, sender->arena->base,
			     (size_t)SLOT_NR * SLOT_LEN);
	if (region < 0)
		return region;
	/* sends name the first region by naming none */
	assert(!region);
	if (!can_zerocopy(sender->ring, sender->arena)) {
		region_drop(sender->ring, 0);
		return -EOPNOTSUPP;
	}
	sender->zerocopy_min = policy->min;
	sender->retreat = policy->mode == ZEROCOPY_AUTO;
	return 0;
}

/* One reply. SEND spares the kernel a msghdr, but carries no PKTINFO. */
static void send_single(struct sender *sender, uint16_t index,
			struct endpoint *endpoint)
{
	const struct reply *reply = &sender->set->reply[index];
	struct udp_socket *socket = &sender->socket[endpoint->socket];
	struct io_uring_sqe *sqe = ring_sqe(sender->ring);
	struct msghdr *msg = &sender->msg[index];

	if (socket->wildcard) {
		struct iovec *iov = &sender->iov[sender->iov_nr++];

		iov->iov_base = (void *)(uintptr_t)reply->data;
		iov->iov_len = reply->len;
		msg->msg_iov = iov;
		msg->msg_iovlen = 1;
		message_address(msg, (uint8_t *)sender->control[index],
				endpoint, true, 0);
		io_uring_prep_sendmsg(sqe, socket->fd, msg, MSG_DONTWAIT);
	} else {
		io_uring_prep_send(sqe, socket->fd, reply->data, reply->len,
				   MSG_DONTWAIT);
		io_uring_prep_send_set_addr(sqe, &endpoint->peer.sa,
					    endpoint->peer_len);
	}
	sqe->flags |= IOSQE_CQE_SKIP_SUCCESS;
	ring_tag(sqe, RING_SEND_ONE, index);
	sender->counters.bundles++;
}

/* True if the bundle is worth pinning and may be. */
static bool wants_zerocopy(struct sender *sender, const struct bundle *bundle,
			   struct udp_socket *socket)
{
	const uint8_t *data = sender->set->reply[bundle->head].data;

	if (bundle->octets < sender->zerocopy_min || !bundle->contiguous)
		return false;
	if (socket->zerocopy_rest) {
		if (!--socket->zerocopy_rest)
			sender->counters.zerocopy_resting--;
		return false;
	}
	return slot_may_hold(sender->arena, slot_of(sender->arena, data));
}

static void prepare_zerocopy(struct sender *sender, uint32_t index,
			     struct io_uring_sqe *sqe)
{
	const struct bundle *bundle = &sender->set->bundle[index];
	const struct reply *reply = &sender->set->reply[bundle->head];
	uint32_t socket = sender->set->endpoint[bundle->endpoint].socket;
	uint32_t slot = slot_of(sender->arena, reply->data);

	io_uring_prep_sendmsg_zc(sqe, sender->socket[socket].fd,
				 &sender->msg[bundle->head], MSG_DONTWAIT);
	sqe->ioprio = IORING_RECVSEND_FIXED_BUF | URING_SEND_ZC_REPORT_USAGE;
	ring_tag(sqe, RING_SEND_ZC, zerocopy_index(index, slot, socket));
	slot_hold(sender->arena, slot);
	sender->counters.zerocopy_sends++;
}

static void send_bundle(struct sender *sender, uint32_t index)
{
	const struct bundle *bundle = &sender->set->bundle[index];
	struct endpoint *endpoint = &sender->set->endpoint[bundle->endpoint];
	struct udp_socket *socket = &sender->socket[endpoint->socket];
	struct msghdr *msg = &sender->msg[bundle->head];
	struct io_uring_sqe *sqe = ring_sqe(sender->ring);

	msg->msg_iov = &sender->iov[sender->iov_nr];
	msg->msg_iovlen = message_gather(sender->set, bundle, msg->msg_iov);
	sender->iov_nr += (unsigned)msg->msg_iovlen;
	message_address(msg, (uint8_t *)sender->control[bundle->head], endpoint,
			socket->wildcard, bundle->nr > 1 ? bundle->len : 0);
	sender->counters.bundles++;
	if (wants_zerocopy(sender, bundle, socket)) {
		prepare_zerocopy(sender, index, sqe);
		return;
	}
	io_uring_prep_sendmsg(sqe, socket->fd, msg, MSG_DONTWAIT);
	sqe->flags |= IOSQE_CQE_SKIP_SUCCESS;
	ring_tag(sqe, RING_SEND_BUNDLE, index);
}

/* True if it leaves as one message, else each reply by itself. */
static bool is_message(const struct sender *sender, const struct bundle *bundle)
{
	const struct bundle_set *set = sender->set;

	if (bundle->nr == 1)
		return bundle->octets >= sender->zerocopy_min;
	return !sender->socket[set->endpoint[bundle->endpoint].socket].gso_off;
}

void send_bundles(struct sender *sender)
{
	struct bundle_set *set = sender->set;

	if (!set->reply_nr)
		return;
	sender->iov_nr = 0;
	for (uint32_t i = 0; i < set->bundle_nr; i++) {
		const struct bundle *bundle = &set->bundle[i];
		struct endpoint *endpoint = &set->endpoint[bundle->endpoint];

		if (is_message(sender, bundle)) {
			send_bundle(sender, i);
			continue;
		}
		for (uint16_t k = bundle->head; k != BUNDLE_NONE;
		     k = set->reply[k].next)
			send_single(sender, k, endpoint);
	}
	sender->counters.replies += set->reply_nr;
	slot_submit(sender->arena);
	sender->pending = true;
}

/* Copies for a while on this socket. */
static void rest_zerocopy(struct sender *sender, struct udp_socket *socket)
{
	if (!socket->zerocopy_rest)
		sender->counters.zerocopy_resting++;
	socket->zerocopy_rest = ZEROCOPY_REST;
}

static void expose(struct sender *sender, const struct bundle *bundle, bool on)
{
	const struct bundle_set *set = sender->set;

	for (uint16_t i = bundle->head; i != BUNDLE_NONE;
	     i = set->reply[i].next) {
		const struct reply *reply = &set->reply[i];

		if (on)
			slot_expose(sender->arena, reply->data, reply->len);
		else
			slot_conceal(sender->arena, reply->data, reply->len);
	}
}

/*
 * A bundle failed as a whole. EIO and EINVAL mean GSO itself (no checksum
 * offload, IPsec): the socket goes on without. A zerocopy send can fail for
 * want of locked memory where a copying one works.
 */
static void repeat(struct sender *sender, const struct bundle *bundle,
		   int error, bool zerocopy)
{
	struct udp_socket *socket =
	    &sender->socket[sender->set->endpoint[bundle->endpoint].socket];

	expose(sender, bundle, true);
	if (zerocopy) {
		rest_zerocopy(sender, socket);
		error = message_resend(sender->set, bundle, socket, true);
	}
	if (message_is_gso_error(error) && bundle->nr > 1) {
		if (!socket->gso_off)
			sender->counters.gso_retreats++;
		socket->gso_off = true;
		sender->counters.errors += (unsigned)message_resend(
		    sender->set, bundle, socket, false);
	} else if (error) {
		sender->counters.errors += bundle->nr;
	}
	expose(sender, bundle, false);
}

/* Nothing to repeat: full queues, too long for the path, no route. */
static bool is_final(int error)
{
	return error == -EAGAIN || error == -EMSGSIZE || error == -ENOBUFS;
}

static void failed(struct sender *sender, const struct ring_event *event)
{
	const struct bundle_set *set = sender->set;

	if (event->op == RING_SEND_ONE)
		sender->counters.errors++;
	else if (event->op == RING_SEND_BUNDLE)
		repeat(sender, &set->bundle[event->index], event->res, false);
	else if (is_final(event->res))
		sender->counters.errors +=
		    set->bundle[index_bundle(event->index)].nr;
	else
		repeat(sender, &set->bundle[index_bundle(event->index)],
		       event->res, true);
}

static bool is_send(const struct ring_event *event)
{
	return event->op == RING_SEND_ONE || event->op == RING_SEND_BUNDLE ||
	       (event->op == RING_SEND_ZC &&
		!(event->flags & IORING_CQE_F_NOTIF));
}

void send_finish(struct sender *sender)
{
	unsigned pos = ring_first(sender->ring);
	struct ring_event event;

	if (!sender->pending)
		return;
	/* an SQE that waits points into the arena that is freed below */
	while (ring_is_behind(sender->ring))
		ring_enter(sender->ring, &(struct ring_wait){0, 0, -1});
	/* failures of the batch before may still lie untaken in the ring */
	if ((int)(sender->scanned - pos) > 0)
		pos = sender->scanned;
	while (ring_peek(sender->ring, &pos, &event))
		if (event.res < 0 && is_send(&event))
			failed(sender, &event);
	sender->scanned = pos;
	sender->pending = false;
	slot_finish(sender->arena);
	bundle_reset(sender->set);
}

static void judge(struct sender *sender, struct udp_socket *socket, bool copied)
{
	if (!copied) {
		socket->copied_score =
		    socket->copied_score > 4 ? socket->copied_score - 4 : 0;
		return;
	}
	if (++socket->copied_score < COPIED_SCORE_MAX)
		return;
	socket->copied_score = COPIED_SCORE_MAX / 2;
	rest_zerocopy(sender, socket);
}

void send_zerocopy_event(struct sender *sender, const struct ring_event *event)
{
	bool notification = event->flags & IORING_CQE_F_NOTIF;
	bool copied = (uint32_t)event->res & URING_NOTIF_USAGE_ZC_COPIED;

	/* the result; its notification follows, unless it failed early */
	if (!notification && event->flags & IORING_CQE_F_MORE)
		return;
	slot_drop(sender->arena, index_slot(event->index));
	if (!notification)
		return;
	sender->counters.zerocopy_copied += copied;
	if (sender->retreat)
		judge(sender, &sender->socket[index_socket(event->index)],
		      copied);
}
