/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Control messages of UDP sockets: the segment size of a coalesced receive
 * (UDP_GRO), the segment size of a bundle (UDP_SEGMENT), and the local address
 * in both directions (RFC 2181 section 4.1; IP_PKTINFO, IPV6_PKTINFO). Both
 * back ends use them.
 */
#ifndef URING_CONTROL_H
#define URING_CONTROL_H

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>

#include "uring/endpoint.h"

/* Room for GRO and the longer of the two PKTINFOs, on 64-bit Linux. */
#define CONTROL_MAX 64

/*
 * Reads what the kernel wrote, at any alignment. Fills local and ifindex of
 * the endpoint and *segment (0: not coalesced); unknown messages are skipped.
 */
void control_parse(const uint8_t *control, size_t len,
		   struct endpoint *endpoint, uint16_t *segment);

/*
 * Writes the control messages of a reply into out (CONTROL_MAX octets, aligned
 * to 8): PKTINFO if wildcard, UDP_SEGMENT if segment is not 0. Returns octets.
 */
size_t control_build(uint8_t *out, const struct endpoint *endpoint,
		     bool wildcard, uint16_t segment);

#endif
