/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What zcflood was told on its command line, checked. zcflood(1) explains it.
 */
#ifndef ZCFLOOD_OPTIONS_H
#define ZCFLOOD_OPTIONS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include "zcflood/verifier.h"

#define OPTIONS_SOURCES_MAX 65536
/* More than 64 segments in one message fail on kernels before 6.1. */
#define OPTIONS_BURST_MAX 64

union socket_address {
	struct sockaddr sa;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
};

struct options {
	union socket_address server;
	const char *query_file;
	const char *expected_file; /* NULL: what is seen first is expected */
	const char *json_file;	   /* NULL: text on standard output */
	const char *tap;	   /* TAP device; NULL: sockets */
	int tap_sndbuf;		   /* octets; INT_MAX: no limit */
	uint64_t duration_ns;	   /* 0: no limit */
	uint64_t warmup_ns;
	uint64_t timeout_ns;
	uint64_t spin_ns; /* of looking for replies before sleeping */
	uint64_t count;	  /* 0: no limit */
	uint64_t seed;
	double rate;	      /* queries a second; 0: closed loop */
	unsigned outstanding; /* closed loop */
	unsigned sources;
	unsigned burst;
	uint8_t block[16]; /* first address of the block, network order */
	unsigned block_len;
	enum verify_level level;
	bool gro;
	bool tcp;
	bool edns;
	bool dnssec; /* implies edns */
	bool random;
	bool progress;
};

/*
 * Returns -1 to go on, else the exit status: 0 after help or version, 2 after
 * saying what is wrong.
 */
int options_parse(struct options *options, int argc, char **argv);

static inline socklen_t options_server_len(const struct options *options)
{
	return options->server.sa.sa_family == AF_INET
		   ? sizeof(struct sockaddr_in)
		   : sizeof(struct sockaddr_in6);
}

#endif
