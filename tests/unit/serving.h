/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A whole worker on an ephemeral loopback port, for tests on both back ends.
 * The zone set is empty: every right query is REFUSED with its question, which
 * is enough to see that each query gets its own reply.
 */
#ifndef TESTS_UNIT_SERVING_H
#define TESTS_UNIT_SERVING_H

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <urcu-qsbr.h>

#include "base/octets.h"
#include "dns/message.h"
#include "server/worker.h"
#include "unit.h"

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif

#define GRACE_MS   1000
#define TIMEOUT_MS 5000

static const enum worker_io backend[] = {WORKER_IO_URING, WORKER_IO_MMSG};
#define BACKEND_NR 2

static const struct query_config config = {
    .max_udp_payload = 1232,
};

struct server {
	struct listener listener;
	struct zone_set *set;
	struct worker *worker;
};

static const struct tcp_limits roomy = {100, 10000, 5000};

static inline void start_zerocopy(struct server *server, enum worker_io io,
				  struct tcp_limits limits,
				  struct zerocopy_policy zerocopy,
				  const char *address)
{
	struct worker_options options = {
	    .cpu = -1,
	    .zerocopy = zerocopy,
	    .io = io,
	    .listener = &server->listener,
	    .listener_nr = 1,
	    .zone_set = &server->set,
	    .query = &config,
	    .tcp = limits,
	};
	const char *what;

	server->set = zone_set_new(0);
	ck_assert_ptr_nonnull(server->set);
	ck_assert_int_eq(listener_parse(&server->listener, address), 0);
	ck_assert_int_eq(listener_open(&server->listener, 1, &what), 0);
	ck_assert_int_eq(worker_new(&server->worker, &options), 0);
	ck_assert_int_eq(worker_start(server->worker, &what), 0);
	ck_assert_int_eq(worker_io(server->worker), io);
}

static inline void start(struct server *server, const char *address,
			 enum worker_io io, struct tcp_limits limits)
{
	const struct zerocopy_policy zerocopy = {ZEROCOPY_AUTO,
						 SEND_ZEROCOPY_MIN};

	start_zerocopy(server, io, limits, zerocopy, address);
}

static inline void stop(struct server *server)
{
	worker_stop(server->worker, GRACE_MS);
	worker_free(server->worker);
	listener_release(&server->listener);
	zone_set_free(server->set);
}

static inline const struct worker_counters *
counters(const struct server *server)
{
	return worker_counters(server->worker);
}

static inline uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

static inline void sleep_ms(unsigned ms)
{
	poll(NULL, 0, (int)ms);
}

/* A query for "<label>.test" A; the label is label_len octets of 'a'+id%26. */
static inline size_t make_query(uint8_t *out, uint16_t id, unsigned label_len)
{
	uint8_t *p = out;

	memset(p, 0, DNS_HEADER_LEN);
	put_u16(p, id);
	put_u16(p + 4, 1);
	p += DNS_HEADER_LEN;
	*p++ = (uint8_t)label_len;
	memset(p, 'a' + id % 26, label_len);
	p += label_len;
	memcpy(p, "\4test\0\0\1\0\1", 10);
	return (size_t)(p + 10 - out);
}

static inline unsigned label_len_of(uint16_t id)
{
	return 1 + id % 60;
}

/* The reply to make_query(id, label_len_of(id)), octet by octet. */
static inline void check_reply(const uint8_t *reply, size_t len)
{
	uint8_t query[128];
	uint16_t id = get_u16(reply);
	size_t query_len = make_query(query, id, label_len_of(id));

	ck_assert_uint_eq(len, query_len);
	ck_assert_uint_eq(get_u16(reply + 2), DNS_FLAG_QR | DNS_REFUSED);
	ck_assert_mem_eq(reply + 4, query + 4, query_len - 4);
}

static inline int connect_to(const struct server *server, int type)
{
	int fd = socket(server->listener.addr.sa.sa_family, type, 0);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(
	    connect(fd, &server->listener.addr.sa, server->listener.addr_len),
	    0);
	if (type == SOCK_STREAM)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1},
			   sizeof(int));
	return fd;
}

static inline bool readable(int fd, int timeout_ms)
{
	struct pollfd pollfd = {.fd = fd, .events = POLLIN};

	return poll(&pollfd, 1, timeout_ms) == 1;
}

#endif
