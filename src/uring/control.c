/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Control messages. The kernel packs datagrams into an incremental buffer
 * without alignment, so headers are copied out before they are looked at.
 */
#include "uring/control.h"

#include <sys/socket.h>

#include "uring/compat.h"

_Static_assert(CMSG_SPACE(sizeof(int)) +
		       CMSG_SPACE(sizeof(struct in6_pktinfo)) <=
		   CONTROL_MAX,
	       "CONTROL_MAX holds what is received");

static void parse_v4(const uint8_t *data, struct endpoint *endpoint)
{
	struct in_pktinfo info;

	memcpy(&info, data, sizeof(info));
	/* spec_dst, not addr: it is ours even if the query was broadcast */
	memcpy(endpoint->local, &info.ipi_spec_dst, 4);
	/* 169.254/16 may exist on several interfaces, RFC 3927 section 3.2 */
	if (endpoint->local[0] == 169 && endpoint->local[1] == 254)
		endpoint->ifindex = (uint32_t)info.ipi_ifindex;
}

static void parse_v6(const uint8_t *data, struct endpoint *endpoint)
{
	struct in6_pktinfo info;

	memcpy(&info, data, sizeof(info));
	memcpy(endpoint->local, &info.ipi6_addr, 16);
	if (IN6_IS_ADDR_LINKLOCAL(&info.ipi6_addr))
		endpoint->ifindex = info.ipi6_ifindex;
}

static void parse_one(const struct cmsghdr *header, const uint8_t *data,
		      struct endpoint *endpoint, uint16_t *segment)
{
	size_t len = header->cmsg_len - CMSG_LEN(0);
	int size;

	if (header->cmsg_level == IPPROTO_UDP && header->cmsg_type == UDP_GRO &&
	    len >= sizeof(size)) {
		memcpy(&size, data, sizeof(size));
		*segment = (uint16_t)size;
	} else if (header->cmsg_level == IPPROTO_IP &&
		   header->cmsg_type == IP_PKTINFO &&
		   len >= sizeof(struct in_pktinfo)) {
		parse_v4(data, endpoint);
	} else if (header->cmsg_level == IPPROTO_IPV6 &&
		   header->cmsg_type == IPV6_PKTINFO &&
		   len >= sizeof(struct in6_pktinfo)) {
		parse_v6(data, endpoint);
	}
}

void control_parse(const uint8_t *control, size_t len,
		   struct endpoint *endpoint, uint16_t *segment)
{
	*segment = 0;
	while (len >= sizeof(struct cmsghdr)) {
		struct cmsghdr header;
		size_t step;

		memcpy(&header, control, sizeof(header));
		if (header.cmsg_len < CMSG_LEN(0) || header.cmsg_len > len)
			return;
		parse_one(&header, control + CMSG_LEN(0), endpoint, segment);
		step = CMSG_ALIGN(header.cmsg_len);
		if (step >= len)
			return;
		control += step;
		len -= step;
	}
}

/* One control message; returns the octets it takes. */
static size_t put(uint8_t *out, int level, int type, const void *data,
		  size_t len)
{
	struct cmsghdr header = {
	    .cmsg_len = CMSG_LEN(len),
	    .cmsg_level = level,
	    .cmsg_type = type,
	};

	memcpy(out, &header, sizeof(header));
	memcpy(out + CMSG_LEN(0), data, len);
	return CMSG_SPACE(len);
}

static size_t put_local(uint8_t *out, const struct endpoint *endpoint)
{
	struct in_pktinfo v4 = {.ipi_ifindex = (int)endpoint->ifindex};
	struct in6_pktinfo v6 = {.ipi6_ifindex = endpoint->ifindex};

	if (endpoint->peer.sa.sa_family == AF_INET) {
		memcpy(&v4.ipi_spec_dst, endpoint->local, 4);
		return put(out, IPPROTO_IP, IP_PKTINFO, &v4, sizeof(v4));
	}
	memcpy(&v6.ipi6_addr, endpoint->local, 16);
	return put(out, IPPROTO_IPV6, IPV6_PKTINFO, &v6, sizeof(v6));
}

size_t control_build(uint8_t *out, const struct endpoint *endpoint,
		     bool wildcard, uint16_t segment)
{
	size_t len = 0;

	if (wildcard)
		len = put_local(out, endpoint);
	if (segment)
		len += put(out + len, IPPROTO_UDP, UDP_SEGMENT, &segment,
			   sizeof(segment));
	return len;
}
