/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ethernet frames with UDP over IPv4 (RFC 791, 768), and ARP (RFC 826), as
 * octets. One station, which has every address but the server's, talks to one
 * server.
 *
 *	0         14        34     42
 *	| Ethernet | IPv4    | UDP  | payload
 */
#ifndef ZCFLOOD_FRAME_H
#define ZCFLOOD_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FRAME_ETHERNET_LEN 14
#define FRAME_IPV4_LEN	   20
#define FRAME_UDP_LEN	   8
#define FRAME_HEAD_LEN	   (FRAME_ETHERNET_LEN + FRAME_IPV4_LEN + FRAME_UDP_LEN)
#define FRAME_ARP_LEN	   (FRAME_ETHERNET_LEN + 28)
#define FRAME_CHECKSUM_POS 6 /* in the UDP header */

struct frame_link {
	uint8_t station[6], server[6]; /* MAC addresses */
	uint8_t server_address[4];
	uint16_t server_port;
};

struct frame_udp {
	uint8_t address[4]; /* of the station, for this packet */
	uint16_t port;
	const uint8_t *payload; /* received ones */
	size_t payload_len;
	/*
	 * The checksum is that of the pseudo header alone: the receiver
	 * completes it, or segments the packet (VIRTIO_NET_HDR_F_NEEDS_CSUM).
	 */
	bool partial;
};

/*
 * Writes the headers in front of a payload that lies at frame + FRAME_HEAD_LEN,
 * from the station to the server.
 */
void frame_put_udp(uint8_t *frame, const struct frame_link *link,
		   const struct frame_udp *udp);

/*
 * Reads a frame that the server sent from its port; false for all others. A
 * packet that was cut or is a fragment counts as other.
 */
bool frame_get_udp(const uint8_t *frame, size_t len,
		   const struct frame_link *link, struct frame_udp *udp);

/*
 * Turns an ARP request for an address of the station into the reply, of
 * FRAME_ARP_LEN octets; false for everything else.
 */
bool frame_answer_arp(uint8_t *frame, size_t len,
		      const struct frame_link *link);

#endif
