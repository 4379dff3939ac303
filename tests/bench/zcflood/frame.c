/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing and reading frames. */
#include "zcflood/frame.h"

#include <string.h>

#include "base/octets.h"

#define TYPE_IPV4     0x0800
#define TYPE_ARP      0x0806
#define PROTOCOL_UDP  17
#define DONT_FRAGMENT 0x4000
#define FRAGMENT_MASK 0x3fff /* more to come, or an offset */
#define ARP_REQUEST   1
#define ARP_REPLY     2

/*
 * Octets as 16-bit words, summed in the byte order of this machine: the ones'
 * complement sum comes out in the order that the octets have (RFC 1071
 * section 2).
 */
static uint64_t sum(uint64_t sum, const uint8_t *octets, size_t len)
{
	uint32_t word;
	uint16_t half = 0;

	for (; len >= 4; octets += 4, len -= 4) {
		memcpy(&word, octets, 4);
		sum += word;
	}
	if (len >= 2) {
		memcpy(&half, octets, 2);
		sum += half;
		octets += 2;
		len -= 2;
	}
	half = 0;
	memcpy(&half, octets, len);
	return sum + half;
}

static uint16_t fold(uint64_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

static void put_raw(uint8_t *out, uint16_t value)
{
	memcpy(out, &value, sizeof(value));
}

static void put_ipv4(uint8_t *ip, const struct frame_link *link,
		     const struct frame_udp *udp)
{
	memset(ip, 0, FRAME_IPV4_LEN);
	ip[0] = 0x45; /* version 4, five words */
	put_u16(ip + 2,
		(uint16_t)(FRAME_IPV4_LEN + FRAME_UDP_LEN + udp->payload_len));
	put_u16(ip + 6, DONT_FRAGMENT);
	ip[8] = 64; /* time to live */
	ip[9] = PROTOCOL_UDP;
	memcpy(ip + 12, udp->address, 4);
	memcpy(ip + 16, link->server_address, 4);
	put_raw(ip + 10, (uint16_t)~fold(sum(0, ip, FRAME_IPV4_LEN)));
}

/* ip has been written. */
static uint64_t sum_pseudo_header(const uint8_t *ip, uint16_t udp_len)
{
	uint8_t rest[4] = {0, PROTOCOL_UDP};

	put_u16(rest + 2, udp_len);
	return sum(sum(0, ip + 12, 8), rest, sizeof(rest));
}

void frame_put_udp(uint8_t *frame, const struct frame_link *link,
		   const struct frame_udp *udp)
{
	uint8_t *ip = frame + FRAME_ETHERNET_LEN, *head = ip + FRAME_IPV4_LEN;
	uint16_t len = (uint16_t)(FRAME_UDP_LEN + udp->payload_len);
	uint16_t checksum;
	uint64_t total;

	put_ipv4(ip, link, udp);
	total = sum_pseudo_header(ip, len);
	memcpy(frame, link->server, 6);
	memcpy(frame + 6, link->station, 6);
	put_u16(frame + 12, TYPE_IPV4);
	put_u16(head, udp->port);
	put_u16(head + 2, link->server_port);
	put_u16(head + 4, len);
	put_raw(head + FRAME_CHECKSUM_POS, 0);
	checksum = fold(total);
	if (!udp->partial) {
		checksum = (uint16_t)~fold(sum(total, head, len));
		/* 0 would say that there is none, RFC 768 */
		if (!checksum)
			checksum = 0xffff;
	}
	put_raw(head + FRAME_CHECKSUM_POS, checksum);
}

static bool is_from_server(const uint8_t *ip, const struct frame_link *link)
{
	return ip[0] == 0x45 && ip[9] == PROTOCOL_UDP &&
	       !(get_u16(ip + 6) & FRAGMENT_MASK) &&
	       !memcmp(ip + 12, link->server_address, 4) &&
	       get_u16(ip + FRAME_IPV4_LEN) == link->server_port;
}

bool frame_get_udp(const uint8_t *frame, size_t len,
		   const struct frame_link *link, struct frame_udp *udp)
{
	const uint8_t *ip = frame + FRAME_ETHERNET_LEN;
	size_t udp_len;

	if (len < FRAME_HEAD_LEN || get_u16(frame + 12) != TYPE_IPV4 ||
	    !is_from_server(ip, link))
		return false;
	udp_len = get_u16(ip + FRAME_IPV4_LEN + 4);
	if (udp_len < FRAME_UDP_LEN ||
	    udp_len > len - FRAME_ETHERNET_LEN - FRAME_IPV4_LEN)
		return false;
	memcpy(udp->address, ip + 16, 4);
	udp->port = get_u16(ip + FRAME_IPV4_LEN + 2);
	udp->payload = frame + FRAME_HEAD_LEN;
	udp->payload_len = udp_len - FRAME_UDP_LEN;
	return true;
}

bool frame_answer_arp(uint8_t *frame, size_t len, const struct frame_link *link)
{
	static const uint8_t ethernet_ipv4[6] = {0, 1, 8, 0, 6, 4};
	uint8_t *arp = frame + FRAME_ETHERNET_LEN;
	uint8_t wanted[4];

	if (len < FRAME_ARP_LEN || get_u16(frame + 12) != TYPE_ARP ||
	    memcmp(arp, ethernet_ipv4, sizeof(ethernet_ipv4)) ||
	    get_u16(arp + 6) != ARP_REQUEST)
		return false;
	memcpy(wanted, arp + 24, 4);
	/* its own: it looks whether somebody else has it, RFC 5227 */
	if (!memcmp(wanted, link->server_address, 4))
		return false;
	memcpy(frame, frame + 6, 6);
	memcpy(frame + 6, link->station, 6);
	put_u16(arp + 6, ARP_REPLY);
	memmove(arp + 18, arp + 8, 10); /* sender becomes target */
	memcpy(arp + 8, link->station, 6);
	memcpy(arp + 14, wanted, 4);
	return true;
}
