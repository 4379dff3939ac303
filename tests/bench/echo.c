// SPDX-License-Identifier: BSD-2-Clause
/*
 * The floor of the bench: what a datagram costs when nothing is looked up.
 *
 *	echo ADDRESS PORT
 *
 * One thread, one blocking socket, recvmmsg(2) and sendmmsg(2) of up to 64
 * datagrams; neither GRO nor GSO. A query goes back as a well-formed reply of
 * the size that zcdns gives for one A record: QR and AA set, the question as
 * it came, one record of 16 octets behind it; what followed the question
 * (EDNS) is cut. Anything that is no query with one question is dropped.
 * It runs until a signal ends it.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BATCH	     64
#define HEADER_LEN   12
#define NAME_MAX_LEN 255
#define MESSAGE_MAX  1232
/* As much as zcdns asks for, so that a burst is lost at neither. */
#define SOCKET_BUFFER (4 << 20)

/* Owner as a pointer to the question, A, IN, TTL 300, 192.0.2.1. */
static const uint8_t RECORD[16] = {0xc0, HEADER_LEN, 0, 1, 0,	1, 0, 0,
				   1,	 44,	     0, 4, 192, 0, 2, 1};

struct message {
	struct sockaddr_storage peer;
	struct iovec iov;
	uint8_t octets[MESSAGE_MAX + sizeof(RECORD)];
};

static struct message messages[BATCH];
static struct mmsghdr headers[BATCH];

/* Offset behind the question, 0 when there is no whole one. */
static size_t question_end(const uint8_t *octets, size_t len)
{
	size_t at = HEADER_LEN;

	while (at < len && octets[at] && octets[at] < 64)
		at += octets[at] + 1U;
	if (at >= len || octets[at] || at - HEADER_LEN >= NAME_MAX_LEN)
		return 0;
	at += 1 + 4; /* root label, QTYPE, QCLASS */
	return at <= len ? at : 0;
}

/* Makes the reply in place of the query; its length, 0 to drop. */
static size_t reply_make(uint8_t *octets, size_t len)
{
	static const uint8_t counts[8] = {0, 1, 0, 1, 0, 0, 0, 0};
	size_t end = question_end(octets, len);

	if (!end || octets[2] & 0x80 || octets[4] || octets[5] != 1)
		return 0;
	octets[2] = (octets[2] & 0x79) | 0x84; /* QR, AA; OPCODE and RD stay */
	octets[3] = 0;
	memcpy(octets + 4, counts, sizeof(counts));
	memcpy(octets + end, RECORD, sizeof(RECORD));
	return end + sizeof(RECORD);
}

static void headers_reset(unsigned used_nr)
{
	for (unsigned i = 0; i < used_nr; i++) {
		struct message *message = &messages[i];

		message->iov.iov_base = message->octets;
		message->iov.iov_len = MESSAGE_MAX;
		headers[i].msg_hdr = (struct msghdr){
		    .msg_name = &message->peer,
		    .msg_namelen = sizeof(message->peer),
		    .msg_iov = &message->iov,
		    .msg_iovlen = 1,
		};
	}
}

/* Makes the replies and moves their headers to the front; how many. */
static unsigned headers_answer(unsigned received_nr)
{
	unsigned reply_nr = 0;

	for (unsigned i = 0; i < received_nr; i++) {
		struct iovec *iov = headers[i].msg_hdr.msg_iov;

		iov->iov_len = reply_make(iov->iov_base, headers[i].msg_len);
		if (iov->iov_len)
			headers[reply_nr++] = headers[i];
	}
	return reply_nr;
}

/* A reply that cannot be sent is lost, as a client may be gone. */
static void send_all(int fd, unsigned reply_nr)
{
	unsigned sent = 0;

	while (sent < reply_nr) {
		int n = sendmmsg(fd, headers + sent, reply_nr - sent, 0);

		sent += n > 0 ? (unsigned)n : 1;
	}
}

/* Returns only when receiving fails. */
static int serve(int fd)
{
	headers_reset(BATCH);
	for (;;) {
		int n = recvmmsg(fd, headers, BATCH, MSG_WAITFORONE, NULL);

		if (n > 0) {
			send_all(fd, headers_answer((unsigned)n));
			headers_reset((unsigned)n);
		} else if (errno != EINTR && errno != ECONNREFUSED) {
			return -errno;
		}
	}
}

static int socket_open(const char *address, const char *port)
{
	struct addrinfo hints = {.ai_socktype = SOCK_DGRAM,
				 .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
	struct addrinfo *found;
	int size = SOCKET_BUFFER;

	if (getaddrinfo(address, port, &hints, &found))
		return -EINVAL;
	int fd = socket(found->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int result = fd < 0 ? -errno : fd;

	if (fd >= 0) {
		/* The kernel gives as much as it allows. */
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
		if (bind(fd, found->ai_addr, found->ai_addrlen)) {
			result = -errno;
			close(fd);
		}
	}
	freeaddrinfo(found);
	return result;
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: echo ADDRESS PORT\n");
		return 2;
	}
	int fd = socket_open(argv[1], argv[2]);
	int error = fd < 0 ? fd : serve(fd);

	fprintf(stderr, "echo: %s\n", strerror(-error));
	return 1;
}
