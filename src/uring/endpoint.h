/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Both ends of a datagram: who sent it, which of our addresses it came to, and
 * by which socket; the same three send the reply back. Zeroed before it is
 * filled, so that two of them compare as octets.
 */
#ifndef URING_ENDPOINT_H
#define URING_ENDPOINT_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct endpoint {
	union {
		struct sockaddr sa;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
	} peer;
	uint8_t local[16]; /* wildcard sockets only: the address asked */
	uint32_t ifindex;  /* of a link-local address, else 0 */
	uint16_t peer_len;
	uint16_t socket; /* index into the worker's UDP sockets */
	uint32_t unused; /* 0: whole words for hash and comparison */
};

static inline bool endpoint_eq(const struct endpoint *a,
			       const struct endpoint *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* In host order; 0 is no port that could be answered. */
static inline uint16_t endpoint_port(const struct endpoint *endpoint)
{
	return ntohs(endpoint->peer.in.sin_port);
}

#endif
