/* SPDX-License-Identifier: BSD-2-Clause */
#include "uring/recv.h"

#include <errno.h>

#include "loopback.h"
#include "uring/control.h"
#include "unit.h"

static struct ring ring;
static struct receiver receiver;
static struct sockaddr_in server_addr;
static int server, client;

static const struct buffer_shape fixed = {.nr = 4, .len = 2048};
/* room for hardly more than one of the longest at the end of a buffer */
static const struct buffer_shape tight = {
    .nr = 4,
    .len = 4096,
    .inc_nr = 2,
    .inc_len = 4096,
    .inc_min_left = 1024,
};
static const struct buffer_shape *const shape[] = {&fixed, &tight, NULL};

static bool begin(const struct buffer_shape *with)
{
	int error = ring_init(&ring);

	if (error) {
		fprintf(stderr, "# SKIP: no io_uring (%d)\n", error);
		return false;
	}
	ck_assert_int_eq(recv_init(&receiver, &ring, with), 0);
	server = loopback_bound(&server_addr);
	client = socket(AF_INET, SOCK_DGRAM, 0);
	ck_assert_int_eq(
	    connect(client, (void *)&server_addr, sizeof(server_addr)), 0);
	recv_arm(&receiver, server, 0);
	ring_submit(&ring);
	return true;
}

static void end(void)
{
	ring_release(&ring);
	recv_release(&receiver);
	close(server);
	close(client);
}

static void enter(void)
{
	const struct ring_wait wait = {1, 0, 2000000000};

	ck_assert_int_eq(ring_enter(&ring, &wait), 0);
}

static uint16_t client_port(void)
{
	struct sockaddr_in addr;
	socklen_t len = sizeof(addr);

	ck_assert_int_eq(getsockname(client, (void *)&addr, &len), 0);
	return ntohs(addr.sin_port);
}

/* Length and octets of the i-th datagram. */
static uint32_t fill(uint8_t *out, unsigned i)
{
	uint32_t len = 4 + i * 37 % 700;

	memset(out, (int)(i % 251), len);
	memcpy(out, &i, sizeof(i));
	return len;
}

static void check(const struct datagram *datagram)
{
	uint8_t expected[1024];
	unsigned i;

	memcpy(&i, datagram->data, sizeof(i));
	ck_assert_uint_eq(datagram->len, fill(expected, i));
	ck_assert_mem_eq(datagram->data, expected, datagram->len);
	ck_assert_uint_eq(datagram->segment, 0);
	ck_assert_uint_eq(endpoint_port(&datagram->endpoint), client_port());
}

/* Takes everything there is; returns how many datagrams. */
static unsigned take_all(void)
{
	struct ring_event event;
	struct datagram datagram;
	unsigned nr = 0;

	while (ring_next(&ring, &event)) {
		ck_assert_int_eq(event.op, RING_RECV);
		if (recv_take(&receiver, &event, &datagram)) {
			check(&datagram);
			nr++;
		}
		recv_done(&receiver, &event, server);
	}
	return nr;
}

/*
 * Taken ahead: what was taken stays as it was, whatever arrives, until it is
 * done, across the end of a buffer too.
 */
START_TEST(taken_ahead_stays)
{
	struct ring_event event[4];
	struct datagram datagram[4];
	uint8_t data[1024];

	if (!begin(shape[_i]))
		return;
	for (unsigned i = 0; i < 200; i += 4) {
		for (unsigned k = 0; k < 4; k++) {
			uint32_t len = fill(data, i + k);

			ck_assert_int_eq(send(client, data, len, 0), len);
		}
		for (unsigned k = 0; k < 4;) {
			while (!ring_next(&ring, &event[k]))
				enter();
			if (recv_take(&receiver, &event[k], &datagram[k]))
				k++;
			else
				recv_done(&receiver, &event[k], server);
		}
		for (unsigned k = 0; k < 4; k++) {
			unsigned id;

			check(&datagram[k]);
			memcpy(&id, datagram[k].data, sizeof(id));
			ck_assert_uint_eq(id, i + k);
		}
		for (unsigned k = 0; k < 4; k++)
			recv_done(&receiver, &event[k], server);
	}
	end();
}
END_TEST

/* More datagrams than buffers while nobody looks: late, but none is lost. */
START_TEST(B_IU01_buffers_run_out)
{
	uint8_t data[1024];
	unsigned got = 0;

	if (!begin(shape[_i]))
		return;
	for (unsigned round = 0; round < 5; round++) {
		for (unsigned i = 0; i < 500; i++) {
			uint32_t len = fill(data, i);

			ck_assert_int_eq(send(client, data, len, 0), len);
		}
		while (got < (round + 1) * 500) {
			unsigned nr;

			enter();
			nr = take_all();
			got += nr;
			/* an entry that only reports ENOBUFS is followed by
			   one that receives */
			ck_assert(nr || receiver.enobufs);
		}
	}
	ck_assert_uint_eq(got, 2500);
	if (shape[_i])
		ck_assert_uint_gt(receiver.enobufs, 0);
	ck_assert_uint_ge(receiver.rearms, receiver.enobufs);
	end();
}
END_TEST

/* Has the kernel coalesce what is sent in segments of that many octets. */
static void coalesce(int segment)
{
	int one = 1;

	ck_assert_int_eq(
	    setsockopt(server, IPPROTO_UDP, UDP_GRO, &one, sizeof(one)), 0);
	ck_assert_int_eq(setsockopt(client, IPPROTO_UDP, UDP_SEGMENT, &segment,
				    sizeof(segment)),
			 0);
}

START_TEST(coalesced_is_split)
{
	uint8_t data[100];
	struct ring_event event;
	struct datagram datagram;
	const uint8_t *query;
	uint32_t pos = 0, len, nr = 0;

	if (!begin(NULL))
		return;
	coalesce(30);
	for (unsigned i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)i;
	ck_assert_int_eq(send(client, data, sizeof(data), 0), sizeof(data));
	enter();
	ck_assert(ring_next(&ring, &event));
	ck_assert(recv_take(&receiver, &event, &datagram));
	ck_assert_uint_eq(datagram.segment, 30);
	ck_assert_uint_eq(datagram.len, 100);
	while (datagram_next(&datagram, &pos, &query, &len)) {
		ck_assert_uint_eq(query[0], nr * 30);
		ck_assert_uint_eq(len, nr < 3 ? 30 : 10);
		nr++;
	}
	ck_assert_uint_eq(nr, 4);
	ck_assert_uint_eq(datagram_nr(&datagram), 4);
	ck_assert_uint_eq(datagram.cut, 0);
	recv_done(&receiver, &event, server);
	end();
}
END_TEST

/* What does not fit is counted: segments, or the one datagram there is. */
START_TEST(too_long_is_cut)
{
	static const struct {
		int segment;
		unsigned len, nr;
		bool fits;
	} cases[] = {{0, 1024, 1, true},     {0, 2049, 1, false},
		     {0, 60000, 1, false},   {100, 1024, 11, true},
		     {100, 2101, 22, false}, {1000, 60000, 60, false},
		     {4000, 8001, 3, false}};
	static uint8_t data[65536];

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct ring_event event;
		struct datagram datagram;

		if (!begin(&fixed))
			return;
		coalesce(cases[i].segment);
		ck_assert_int_eq(send(client, data, cases[i].len, 0),
				 cases[i].len);
		enter();
		ck_assert(ring_next(&ring, &event));
		ck_assert(recv_take(&receiver, &event, &datagram));
		ck_assert_uint_eq(datagram_nr(&datagram) + datagram.cut,
				  cases[i].nr);
		ck_assert_int_eq(!datagram.cut, cases[i].fits);
		if (!cases[i].fits)
			ck_assert_uint_eq(
			    datagram.len % datagram_stride(&datagram), 0);
		recv_done(&receiver, &event, server);
		end();
	}
}
END_TEST

/* A datagram that does not fit is cut: dropped; a zero-length one ends the
   multishot in some kernels. Both leave the receive working. */
START_TEST(too_long_and_empty)
{
	static uint8_t data[8000];
	struct ring_event event;
	struct datagram datagram;
	unsigned nr = 0;

	if (!begin(&fixed))
		return;
	ck_assert_int_eq(send(client, data, sizeof(data), 0), sizeof(data));
	ck_assert_int_eq(send(client, data, 0, 0), 0);
	ck_assert_int_eq(send(client, data, fill(data, 3), 0), fill(data, 3));
	while (nr < 3) {
		enter();
		while (ring_next(&ring, &event)) {
			if (recv_take(&receiver, &event, &datagram)) {
				if (nr < 2)
					ck_assert_uint_eq(datagram.len, 0);
				else
					check(&datagram);
				nr++;
			}
			recv_done(&receiver, &event, server);
		}
	}
	end();
}
END_TEST

/* What control_build() writes, control_parse() reads, at any alignment. */
START_TEST(control_messages)
{
	uint64_t aligned[CONTROL_MAX / 8];
	uint8_t control[CONTROL_MAX + 8];
	struct endpoint from, to;
	uint16_t segment;
	size_t len;

	memset(&from, 0, sizeof(from));
	from.peer.sa.sa_family = AF_INET6;
	inet_pton(AF_INET6, "fe80::5", from.local);
	from.ifindex = 7;
	len = control_build((uint8_t *)aligned, &from, true, 0);
	ck_assert_uint_le(len, CONTROL_MAX);
	for (unsigned at = 0; at < 8; at++) {
		memset(&to, 0, sizeof(to));
		memcpy(control + at, aligned, len);
		control_parse(control + at, len, &to, &segment);
		ck_assert_mem_eq(to.local, from.local, 16);
		ck_assert_uint_eq(to.ifindex, 7);
		ck_assert_uint_eq(segment, 0);
	}
	/* cut short or nonsense: ignored, never read past */
	for (size_t cut = 0; cut < len; cut++)
		control_parse(control, cut, &to, &segment);
	memset(control, 0xff, sizeof(control));
	control_parse(control, CONTROL_MAX, &to, &segment);
	ck_assert_uint_eq(segment, 0);
}
END_TEST

/* A global address needs no interface; routing may well use another one. */
START_TEST(B_NW01_interface_for_link_local_only)
{
	uint64_t control[CONTROL_MAX / 8];
	struct endpoint from, to;
	uint16_t segment;
	size_t len;

	memset(&from, 0, sizeof(from));
	memset(&to, 0, sizeof(to));
	from.peer.sa.sa_family = AF_INET6;
	inet_pton(AF_INET6, "2001:db8::5", from.local);
	from.ifindex = 7;
	len = control_build((uint8_t *)control, &from, true, 0);
	control_parse((uint8_t *)control, len, &to, &segment);
	ck_assert_mem_eq(to.local, from.local, 16);
	ck_assert_uint_eq(to.ifindex, 0);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("recv");

	tcase_set_timeout(tcase, 30);
	tcase_add_loop_test(tcase, taken_ahead_stays, 0, 3);
	tcase_add_loop_test(tcase, B_IU01_buffers_run_out, 0, 3);
	tcase_add_test(tcase, coalesced_is_split);
	tcase_add_test(tcase, too_long_is_cut);
	tcase_add_test(tcase, too_long_and_empty);
	tcase_add_test(tcase, control_messages);
	tcase_add_test(tcase, B_NW01_interface_for_link_local_only);
	return unit_run("recv", tcase);
}
