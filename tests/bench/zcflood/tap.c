/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * UDP through a TAP device: what is written comes to the kernel as if a network
 * card had received it, its receive path runs in write(2), on our CPU.
 *
 *	| virtio_net_hdr | Ethernet | IPv4 | UDP | query ... |
 *
 * A burst is one frame that the kernel may segment or keep whole (the header
 * says GSO_UDP_L4), where it knows that (Linux 6.2), else a frame for each
 * query. A device with an unlimited send buffer takes short frames that are
 * written without blocking by tun_build_skb() (Linux 4.14), which needs no
 * socket accounting and one copy; any other one by the allocator of the socket.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <linux/virtio_net.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "uring/compat.h"
#include "uring/datagram.h"
#include "zcflood/frame.h"
#include "zcflood/source.h"
#include "zcflood/transport.h"

#define HEADER_LEN sizeof(struct virtio_net_hdr)
#define OUT_LEN	   (HEADER_LEN + FRAME_HEAD_LEN + OPTIONS_BURST_MAX * QUERY_MAX)
#define IN_LEN	   (HEADER_LEN + FRAME_ETHERNET_LEN + 65536)
#define FIRST_PORT 10240
#define BATCH	   64	/* frames until the clock is read again */
#define FRAMES_MAX 1024 /* of one receive */
#define SECOND	   1000000000ull

struct tap {
	struct transport transport;
	struct source_plan plan;
	struct frame_link link;
	uint32_t burst;
	uint64_t spin_ns;
	uint32_t next_source;
	int fd;
	bool gso; /* the kernel takes bursts whole */
	uint8_t out[OUT_LEN];
	uint8_t in[IN_LEN];
};

/* The frame of payload octets that lie in out; segment 0: one query. */
static bool write_frame(struct tap *tap, uint32_t source, size_t payload_len,
			uint32_t segment)
{
	uint8_t *frame = tap->out + HEADER_LEN;
	struct virtio_net_hdr header = {.flags = VIRTIO_NET_HDR_F_DATA_VALID};
	struct frame_udp udp = {
	    .port = (uint16_t)(FIRST_PORT + source % tap->plan.port_nr),
	    .payload_len = payload_len,
	    .partial = segment != 0};
	size_t len = HEADER_LEN + FRAME_HEAD_LEN + payload_len;

	source_address(&tap->plan, source / tap->plan.port_nr, udp.address);
	frame_put_udp(frame, &tap->link, &udp);
	if (segment) {
		header.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM;
		header.csum_start = FRAME_ETHERNET_LEN + FRAME_IPV4_LEN;
		header.csum_offset = FRAME_CHECKSUM_POS;
		header.gso_type = COMPAT_VIRTIO_NET_HDR_GSO_UDP_L4;
		header.gso_size = (uint16_t)segment;
		header.hdr_len = FRAME_HEAD_LEN;
	}
	memcpy(tap->out, &header, sizeof(header));
	return write(tap->fd, tap->out, len) == (ssize_t)len;
}

static void give_up(struct tap *tap, uint32_t source, size_t len, size_t first)
{
	const uint8_t *octets = tap->out + HEADER_LEN + FRAME_HEAD_LEN;

	for (size_t pos = 0; pos < len; pos += first)
		flood_unsent(tap->transport.flood, source, octets + pos);
}

/* One frame of up to nr queries; returns how many. */
static uint32_t send_frame(struct tap *tap, uint32_t source, uint32_t nr)
{
	struct flood *flood = tap->transport.flood;
	uint8_t *payload = tap->out + HEADER_LEN + FRAME_HEAD_LEN;
	uint32_t taken = 0, first = flood_next_len(flood), len;
	size_t payload_len = 0;

	if (!tap->gso)
		nr = 1;
	do {
		len = flood_query(flood, source, payload + payload_len);
		payload_len += len;
	} while (++taken < nr && len == first &&
		 flood_next_len(flood) <= first);
	if (!write_frame(tap, source, payload_len, taken > 1 ? first : 0))
		give_up(tap, source, payload_len, first);
	return taken;
}

static uint32_t tap_send(struct transport *transport, uint32_t nr)
{
	struct tap *tap = (struct tap *)transport;
	uint32_t rest = nr, frames = 0;

	while (rest) {
		uint32_t burst = rest < tap->burst ? rest : tap->burst;

		rest -= burst;
		while (burst) {
			if (frames++ % BATCH == 0)
				flood_tick(transport->flood);
			burst -= send_frame(tap, tap->next_source, burst);
		}
		if (++tap->next_source == tap->plan.nr)
			tap->next_source = 0;
	}
	return nr;
}

static void take_replies(struct tap *tap, const struct frame_udp *udp,
			 const struct virtio_net_hdr *header)
{
	uint32_t port = (uint32_t)udp->port - FIRST_PORT;
	uint32_t source = port < tap->plan.port_nr
			      ? source_find(&tap->plan, udp->address, port)
			      : SOURCE_NONE;
	struct datagram datagram = {.data = udp->payload,
				    .len = (uint32_t)udp->payload_len};
	const uint8_t *reply;
	uint32_t pos = 0, len;

	if (header->gso_type == COMPAT_VIRTIO_NET_HDR_GSO_UDP_L4)
		datagram.segment = header->gso_size;
	if (!datagram.len)
		flood_reply(tap->transport.flood, source, datagram.data, 0);
	while (datagram_next(&datagram, &pos, &reply, &len))
		flood_reply(tap->transport.flood, source, reply, len);
}

static void take_frame(struct tap *tap, size_t len)
{
	uint8_t *frame = tap->in + HEADER_LEN;
	struct virtio_net_hdr header;
	struct frame_udp udp;

	if (len < HEADER_LEN)
		return;
	memcpy(&header, tap->in, sizeof(header));
	len -= HEADER_LEN;
	if (frame_get_udp(frame, len, &tap->link, &udp)) {
		take_replies(tap, &udp, &header);
	} else if (frame_answer_arp(frame, len, &tap->link)) {
		memset(tap->in, 0, HEADER_LEN);
		/* a request that is lost is made again */
		if (write(tap->fd, tap->in, HEADER_LEN + FRAME_ARP_LEN) < 0)
			return;
	}
}

/* Returns how many frames there were. */
static unsigned drain_device(struct tap *tap)
{
	unsigned nr;

	for (nr = 0; nr < FRAMES_MAX; nr++) {
		ssize_t len = read(tap->fd, tap->in, IN_LEN);

		if (len < 0)
			break;
		if (nr % BATCH == 0)
			flood_tick(tap->transport.flood);
		take_frame(tap, (size_t)len);
	}
	return nr;
}

static void tap_receive(struct transport *transport, uint64_t wait_ns)
{
	struct tap *tap = (struct tap *)transport;
	struct pollfd poll = {.fd = tap->fd, .events = POLLIN};
	uint64_t start = transport->flood->now, spent = 0;
	struct timespec rest;

	do {
		if (drain_device(tap) || !wait_ns)
			return;
		spent = flood_tick(transport->flood) - start;
	} while (spent < tap->spin_ns && spent < wait_ns);
	if (spent >= wait_ns)
		return;
	rest.tv_sec = (time_t)((wait_ns - spent) / SECOND);
	rest.tv_nsec = (long)((wait_ns - spent) % SECOND);
	if (ppoll(&poll, 1, &rest, NULL) > 0)
		drain_device(tap);
}

/*
 * The kernel learns of the carrier a moment after the attachment; until then it
 * drops what it would send us, the question for our MAC address included, which
 * it repeats after a second. A device that is down stays so.
 */
static void wait_for_carrier(const char *device)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq request = {0};

	strcpy(request.ifr_name, device);
	for (int ms = 0; ms < 1000; ms++) {
		if (ioctl(fd, SIOCGIFFLAGS, &request) ||
		    !(request.ifr_flags & IFF_UP))
			break;
		/* the flag comes just before the queue is opened */
		nanosleep(&pause, NULL);
		if (request.ifr_flags & IFF_RUNNING)
			break;
	}
	if (fd >= 0)
		close(fd);
}

/* Returns NULL, or what is wrong. */
static const char *attach(struct tap *tap, const struct options *options)
{
	struct ifreq request = {.ifr_flags =
				    IFF_TAP | IFF_NO_PI | IFF_VNET_HDR};

	if (strlen(options->tap) >= sizeof(request.ifr_name) ||
	    !if_nametoindex(options->tap))
		return "there is no such device";
	strcpy(request.ifr_name, options->tap);
	tap->fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (tap->fd < 0)
		return "/dev/net/tun cannot be opened";
	if (ioctl(tap->fd, TUNSETIFF, &request))
		return "not a TAP device that is ours";
	if (ioctl(tap->fd, TUNSETSNDBUF, &options->tap_sndbuf))
		return "--tap-sndbuf is refused";
	if (ioctl(tap->fd, SIOCGIFHWADDR, &request))
		return "it has no MAC address";
	memcpy(tap->link.server, request.ifr_hwaddr.sa_data, 6);
	wait_for_carrier(options->tap);
	return NULL;
}

/*
 * Which packets we take from the kernel: -g decides on bundles; that the
 * kernel knows them at all says that it takes ours, too.
 */
static void set_offload(struct tap *tap, bool gro)
{
	unsigned long uso = TUN_F_CSUM | COMPAT_TUN_F_USO4 | COMPAT_TUN_F_USO6;

	tap->gso = !ioctl(tap->fd, TUNSETOFFLOAD, uso);
	if (!gro || !tap->gso)
		ioctl(tap->fd, TUNSETOFFLOAD, (unsigned long)TUN_F_CSUM);
	if (!tap->gso && (tap->burst > 1 || gro))
		fprintf(stderr, "zcflood: no bursts through TAP devices, "
				"Linux 6.2 has them; sending single packets\n");
}

static const char *tap_init(struct tap *tap, const struct options *options)
{
	static const uint8_t station[6] = {2, 0, 0, 'z', 'c', 'f'};
	const char *fault = attach(tap, options);

	if (fault)
		return fault;
	set_offload(tap, options->gro);
	memcpy(tap->link.station, station, sizeof(station));
	memcpy(tap->link.server_address, &options->server.in.sin_addr, 4);
	tap->link.server_port = ntohs(options->server.in.sin_port);
	source_plan(&tap->plan, options);
	return tap->plan.port_nr + FIRST_PORT > 65536
		   ? "the block of -a is too small for so many sources"
		   : NULL;
}

static void tap_close(struct transport *transport)
{
	struct tap *tap = (struct tap *)transport;

	if (tap->fd >= 0)
		close(tap->fd);
	free(tap);
}

static struct transport *tap_open(struct flood *flood,
				  const struct options *options)
{
	struct tap *tap = calloc(1, sizeof(*tap));
	const char *fault;

	if (!tap)
		return NULL;
	tap->transport.ops = &transport_tap;
	tap->transport.flood = flood;
	tap->burst = options->burst;
	tap->spin_ns = options->spin_ns;
	tap->fd = -1;
	errno = 0;
	fault = tap_init(tap, options);
	if (!fault)
		return &tap->transport;
	fprintf(stderr, "zcflood: %s: %s%s%s\n", options->tap, fault,
		errno ? ": " : "", errno ? strerror(errno) : "");
	tap_close(&tap->transport);
	return NULL;
}

const struct transport_ops transport_tap = {
    .name = "tap",
    .open = tap_open,
    .send = tap_send,
    .receive = tap_receive,
    .close = tap_close,
};
