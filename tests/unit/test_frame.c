/* SPDX-License-Identifier: BSD-2-Clause */
#include "zcflood/frame.h"
#include "unit.h"

#include <string.h>

#include "base/octets.h"

static const struct frame_link link_ = {
    .station = {2, 0, 0, 0, 0, 1},
    .server = {2, 0, 0, 0, 0, 2},
    .server_address = {192, 0, 2, 1},
    .server_port = 53,
};
static uint8_t frame[2048];

/* RFC 1071, octet by octet, in network order. */
static unsigned add(unsigned sum, const uint8_t *octets, size_t len)
{
	for (size_t i = 0; i < len; i++)
		sum += i % 2 ? octets[i] : (unsigned)octets[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

static unsigned add_pseudo_header(const uint8_t *ip, size_t udp_len)
{
	return add(add(17 + (unsigned)udp_len, ip + 12, 4), ip + 16, 4);
}

static void make(struct frame_udp *udp, size_t len, bool partial)
{
	*udp = (struct frame_udp){.address = {198, 18, 255, 7},
				  .port = 54321,
				  .payload_len = len,
				  .partial = partial};
	memset(frame, 0xee, sizeof(frame));
	for (size_t i = 0; i < len; i++)
		frame[FRAME_HEAD_LEN + i] = (uint8_t)(i * 37 + len);
	frame_put_udp(frame, &link_, udp);
}

START_TEST(written)
{
	struct frame_udp udp;

	make(&udp, 30, false);
	ck_assert_mem_eq(frame,
			 "\2\0\0\0\0\2\2\0\0\0\0\1\x08\0"
			 "\x45\0\0\x3a\0\0\x40\0\x40\x11",
			 24);
	ck_assert_mem_eq(frame + 26,
			 "\xc6\x12\xff\7\xc0\0\2\1\xd4\x31\0\x35\0\x26", 14);
}
END_TEST

/* The receiver's sum over a packet that is whole is all ones. */
START_TEST(checksums)
{
	struct frame_udp udp;

	for (size_t len = 0; len < 300; len++) {
		const uint8_t *ip = frame + FRAME_ETHERNET_LEN;

		make(&udp, len, false);
		ck_assert_uint_eq(add(0, ip, FRAME_IPV4_LEN), 0xffff);
		ck_assert_uint_eq(
		    add(add_pseudo_header(ip, len + 8), ip + 20, len + 8),
		    0xffff);
		ck_assert_uint_ne(get_u16(ip + 26), 0);
		make(&udp, len, true);
		ck_assert_uint_eq(get_u16(ip + 26),
				  add_pseudo_header(ip, len + 8));
		ck_assert_uint_eq(add(0, ip, FRAME_IPV4_LEN), 0xffff);
	}
}
END_TEST

/* A sum of 0 is written as all ones: 0 says that there is none. */
START_TEST(checksum_zero)
{
	struct frame_udp udp;
	unsigned found;

	make(&udp, 2, false);
	found = get_u16(frame + 40);
	put_u16(frame + 42, (uint16_t)add(get_u16(frame + 42), frame + 40, 2));
	frame_put_udp(frame, &link_, &udp);
	ck_assert_uint_ne(found, 0xffff);
	ck_assert_uint_eq(get_u16(frame + 40), 0xffff);
}
END_TEST

/* What the server would send: both ends exchanged. */
static void exchange(void)
{
	uint8_t address[4];
	uint16_t port = get_u16(frame + 34);

	memcpy(address, frame + 26, 4);
	memcpy(frame + 26, frame + 30, 4);
	memcpy(frame + 30, address, 4);
	put_u16(frame + 34, get_u16(frame + 36));
	put_u16(frame + 36, port);
}

START_TEST(read_back)
{
	struct frame_udp udp, got;

	make(&udp, 30, false);
	ck_assert(!frame_get_udp(frame, 72, &link_, &got));
	exchange();
	for (size_t len = 0; len < 72; len++)
		ck_assert(!frame_get_udp(frame, len, &link_, &got));
	/* the minimum of Ethernet fills up with octets */
	ck_assert(frame_get_udp(frame, 80, &link_, &got));
	ck_assert_uint_eq(got.payload_len, 30);
	ck_assert_ptr_eq(got.payload, frame + FRAME_HEAD_LEN);
	ck_assert_mem_eq(got.address, udp.address, 4);
	ck_assert_uint_eq(got.port, 54321);
}
END_TEST

/* Each octet that makes it another packet. */
START_TEST(not_a_reply)
{
	static const size_t other[] = {12, 13, 14, 20, 21, 23, 26, 29, 34, 35};
	struct frame_udp udp, got;

	make(&udp, 30, false);
	exchange();
	ck_assert(frame_get_udp(frame, 72, &link_, &got));
	for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++) {
		frame[other[i]] ^= 0x21;
		ck_assert(!frame_get_udp(frame, 72, &link_, &got));
		frame[other[i]] ^= 0x21;
	}
	put_u16(frame + 38, 7); /* shorter than its header */
	ck_assert(!frame_get_udp(frame, 72, &link_, &got));
}
END_TEST

START_TEST(arp)
{
	uint8_t request[] = "\xff\xff\xff\xff\xff\xff\2\0\0\0\0\2\x08\6"
			    "\0\1\x08\0\6\4\0\1\2\0\0\0\0\2\xc0\0\2\1"
			    "\0\0\0\0\0\0\xc0\0\2\2";
	uint8_t reply[] = "\2\0\0\0\0\2\2\0\0\0\0\1\x08\6"
			  "\0\1\x08\0\6\4\0\2\2\0\0\0\0\1\xc0\0\2\2"
			  "\2\0\0\0\0\2\xc0\0\2\1";

	memcpy(frame, request, 42);
	ck_assert(!frame_answer_arp(frame, 41, &link_));
	ck_assert(frame_answer_arp(frame, 42, &link_));
	ck_assert_mem_eq(frame, reply, 42);
	/* a reply is not answered, nor is a request for the server itself */
	ck_assert(!frame_answer_arp(frame, 42, &link_));
	request[41] = 1;
	memcpy(frame, request, 42);
	ck_assert(!frame_answer_arp(frame, 42, &link_));
	ck_assert_mem_eq(frame, request, 42);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("frame");

	tcase_add_test(tcase, written);
	tcase_add_test(tcase, checksums);
	tcase_add_test(tcase, checksum_zero);
	tcase_add_test(tcase, read_back);
	tcase_add_test(tcase, not_a_reply);
	tcase_add_test(tcase, arp);
	return unit_run("zcflood/frame", tcase);
}
