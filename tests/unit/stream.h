/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A TCP client of the worker of serving.h: frames, and that each query gets its
 * own reply.
 */
#ifndef TESTS_UNIT_STREAM_H
#define TESTS_UNIT_STREAM_H

#include "serving.h"

static inline void send_all(int fd, const uint8_t *data, size_t len)
{
	while (len) {
		ssize_t n = send(fd, data, len, MSG_NOSIGNAL);

		ck_assert_int_gt(n, 0);
		data += n;
		len -= (size_t)n;
	}
}

static inline void recv_all(int fd, uint8_t *data, size_t len)
{
	while (len) {
		ssize_t n;

		ck_assert(readable(fd, TIMEOUT_MS));
		n = recv(fd, data, len, 0);
		ck_assert_int_gt(n, 0);
		data += n;
		len -= (size_t)n;
	}
}

static inline size_t frame_query(uint8_t *out, uint16_t id)
{
	size_t len = make_query(out + 2, id, label_len_of(id));

	put_u16(out, (uint16_t)len);
	return len + 2;
}

static inline uint16_t recv_reply(int fd)
{
	uint8_t prefix[2], reply[512];
	size_t len;

	recv_all(fd, prefix, 2);
	len = get_u16(prefix);
	ck_assert_uint_le(len, sizeof(reply));
	recv_all(fd, reply, len);
	check_reply(reply, len);
	return get_u16(reply);
}

static inline void expect_end(int fd, int timeout_ms)
{
	uint8_t octet;

	ck_assert(readable(fd, timeout_ms));
	ck_assert_int_eq(recv(fd, &octet, 1, 0), 0);
}

static inline void expect_replies(int fd, unsigned nr)
{
	bool seen[200] = {false};

	for (unsigned i = 0; i < nr; i++) {
		uint16_t id = recv_reply(fd);

		ck_assert_uint_lt(id, nr);
		ck_assert(!seen[id]);
		seen[id] = true;
	}
}

static inline size_t frame_many(uint8_t *out, unsigned nr)
{
	size_t len = 0;

	for (unsigned id = 0; id < nr; id++)
		len += frame_query(out + len, (uint16_t)id);
	return len;
}

/* A client that takes little at a time, but a page: less stalls loopback. */
static inline int connect_narrow(const struct server *server)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0), small = 4096;

	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	ck_assert_int_eq(
	    connect(fd, &server->listener.addr.sa, server->listener.addr_len),
	    0);
	return fd;
}

/* All replies, in order, across many partial writes. */
static inline void read_slowly(struct server *server)
{
	static uint8_t data[100 * 200];
	size_t len = frame_many(data, 200), sent = 0, total = 40 * len;
	unsigned got = 0;
	int fd = connect_narrow(server);

	while (got < 200 * 40) {
		while (sent < total) {
			ssize_t n = send(fd, data + sent % len,
					 len - sent % len, MSG_DONTWAIT);

			if (n <= 0)
				break;
			sent += (size_t)n;
		}
		ck_assert_uint_eq(recv_reply(fd), got % 200);
		got++;
	}
	close(fd);
}

#endif
