/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sockets of one configured address: for each worker one UDP socket and
 * one TCP listener, all in one SO_REUSEPORT group. Opened by the control
 * thread, before privileges are dropped and before the workers start.
 */
#ifndef SERVER_LISTENER_H
#define SERVER_LISTENER_H

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>

union listener_addr {
	struct sockaddr sa;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
};

#define LISTENER_SYSFS "/sys/class/net"

#define LISTENER_TEXT_MAX 72 /* addr@port, scope included */

struct listener {
	union listener_addr addr;
	socklen_t addr_len;
	char text[LISTENER_TEXT_MAX];
	bool wildcard; /* answers need IP_PKTINFO (RFC 2181 section 4.1) */
	bool gro;      /* UDP_GRO is on */
	unsigned worker_nr;
	int *udp_fd; /* one a worker */
	int *tcp_fd; /* one a worker */
};

/*
 * "addr@port", "addr" (port 53), v6 with or without brackets, scope as %eth0.
 * Fills addr, text, wildcard. Returns 0 or -EINVAL.
 */
int listener_parse(struct listener *listener, const char *text);

/*
 * Opens and binds all sockets with every option set before bind: REUSEPORT,
 * FREEBIND, V6ONLY, buffers, PMTUDISC_PROBE, UDP_GRO, PKTINFO where wildcard.
 * Returns 0 or -errno with nothing left open; *what then names the step
 * ("bind UDP").
 */
int listener_open(struct listener *listener, unsigned worker_nr,
		  const char **what);

/*
 * Makes the kernel prefer the sockets of a pinned worker for what its own CPU
 * received (SO_INCOMING_CPU). Only where every network device has a receive
 * queue for each worker: with fewer, some workers would get nothing. Returns
 * NULL if it was done, else why not (static text). sysfs is "/sys/class/net"
 * but in tests.
 */
const char *listener_steer(const struct listener *listener, unsigned id,
			   int cpu, const char *sysfs);

/* Why steering is of no use for so many workers; NULL: it is. */
const char *listener_unsteered(unsigned worker_nr, const char *sysfs);

/* Closes what is open, frees the arrays. */
void listener_release(struct listener *listener);

#endif
