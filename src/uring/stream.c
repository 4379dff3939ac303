/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SQEs of TCP sockets and of the eventfd that wakes a worker.
 */
#include "uring/stream.h"

#include <sys/socket.h>

#define GROUP_TCP 1

/* Measured: 4 KiB a receive cost 4 % more than 16 KiB, 64 KiB no less. */
static const struct buffer_shape tcp_shape = {
    .nr = 32,
    .len = STREAM_BUFFERS_LEN / 32,
    .inc_nr = STREAM_BUFFERS_LEN / STREAM_READ_MAX,
    .inc_len = STREAM_READ_MAX,
    .inc_min_left = 2048,
};

int stream_init(struct buffer_ring *buffers, struct ring *ring)
{
	return buffer_init(buffers, ring, GROUP_TCP, &tcp_shape);
}

void stream_accept(struct ring *ring, int fd, uint32_t index)
{
	struct io_uring_sqe *sqe = ring_sqe(ring);

	io_uring_prep_multishot_accept(sqe, fd, NULL, NULL, SOCK_CLOEXEC);
	ring_tag(sqe, RING_ACCEPT, index);
}

void stream_cancel_accept(struct ring *ring, uint32_t index)
{
	struct io_uring_sqe *sqe = ring_sqe(ring);

	io_uring_prep_cancel64(sqe, ring_encode(RING_ACCEPT, index), 0);
	ring_tag(sqe, RING_NONE, 0);
}

void stream_receive(struct ring *ring, const struct buffer_ring *buffers,
		    int fd, uint32_t index)
{
	struct io_uring_sqe *sqe = ring_sqe(ring);

	io_uring_prep_recv_multishot(sqe, fd, NULL, 0, 0);
	sqe->flags |= IOSQE_BUFFER_SELECT;
	sqe->buf_group = buffers->group;
	ring_tag(sqe, RING_TCP_RECV, index);
}

void stream_cancel_receive(struct ring *ring, uint32_t index)
{
	struct io_uring_sqe *sqe = ring_sqe(ring);

	io_uring_prep_cancel64(sqe, ring_encode(RING_TCP_RECV, index), 0);
	sqe->flags |= IOSQE_CQE_SKIP_SUCCESS;
	ring_tag(sqe, RING_NONE, 0);
}

void stream_send(struct ring *ring, const struct stream_data *data)
{
	struct io_uring_sqe *sqe = ring_sqe(ring);

	io_uring_prep_send(sqe, data->fd, data->data, data->len, MSG_NOSIGNAL);
	ring_tag(sqe, RING_TCP_SEND, data->index);
}

void stream_try(struct ring *ring, const struct stream_data *data)
{
	struct io_uring_sqe *sqe = ring_sqe(ring);

	/* with MSG_WAITALL less than all is a failure, so it is not silent */
	io_uring_prep_send(sqe, data->fd, data->data, data->len,
			   MSG_NOSIGNAL | MSG_DONTWAIT | MSG_WAITALL);
	sqe->flags |= IOSQE_CQE_SKIP_SUCCESS;
	ring_tag(sqe, RING_TCP_TRY, data->index);
}

void stream_send_zerocopy(struct ring *ring, const struct stream_data *data,
			  unsigned region)
{
	struct io_uring_sqe *sqe = ring_sqe(ring);

	io_uring_prep_send_zc_fixed(sqe, data->fd, data->data, data->len,
				    MSG_NOSIGNAL, URING_SEND_ZC_REPORT_USAGE,
				    region);
	ring_tag(sqe, RING_TCP_SEND_ZC, data->index);
}

/* The flags are checked before the descriptor: -EBADF if they are known. */
bool stream_can_zerocopy(struct ring *ring)
{
	const struct ring_wait wait = {1, 0, 1000000000};
	const struct stream_data none = {-1, NULL, 0, 0};
	struct ring_event event;
	bool can = false;

	stream_send_zerocopy(ring, &none, 0);
	ring_enter(ring, &wait);
	while (ring_next(ring, &event))
		can |= event.res == -EBADF;
	return can;
}

void stream_wake(struct ring *ring, int fd, uint64_t *value)
{
	struct io_uring_sqe *sqe = ring_sqe(ring);

	io_uring_prep_read(sqe, fd, value, sizeof(*value), 0);
	ring_tag(sqe, RING_WAKE, 0);
}
