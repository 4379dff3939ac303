/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sockets on loopback for the tests of src/uring, and the SKIP line for what
 * this kernel or this user may not do.
 */
#ifndef TESTS_UNIT_LOOPBACK_H
#define TESTS_UNIT_LOOPBACK_H

#include <arpa/inet.h>
#include <check.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SKIP(why)                                                              \
	do {                                                                   \
		fprintf(stderr, "# SKIP %s: %s\n", __func__, why);             \
		return;                                                        \
	} while (0)

/* A UDP socket bound to an ephemeral port; its address in *addr. */
static inline int loopback_bound(struct sockaddr_in *addr)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	socklen_t len = sizeof(*addr);
	int size = 4 << 20;

	memset(addr, 0, sizeof(*addr));
	addr->sin_family = AF_INET;
	addr->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(bind(fd, (void *)addr, len), 0);
	ck_assert_int_eq(getsockname(fd, (void *)addr, &len), 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	return fd;
}

static inline bool loopback_readable(int fd)
{
	struct pollfd pollfd = {.fd = fd, .events = POLLIN};

	return poll(&pollfd, 1, 5000) == 1;
}

#endif
