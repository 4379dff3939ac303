/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sockets of one listen address. Every option is set before bind, on every
 * socket of the group: the kernel lets a socket into a SO_REUSEPORT group only
 * when all members agree, and a member that lacks an option answers some of
 * the clients wrongly.
 */
#include "server/listener.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef UDP_GRO
#define UDP_GRO 104 /* linux/udp.h, Linux 5.0 */
#endif

#define DNS_PORT 53
/* A burst of 64 queries costs the kernel about 50 KiB of truesize. */
#define UDP_BUFFER     (8 << 20)
#define TCP_BACKLOG    1024
#define ANY_PORT_TRIES 16

struct option {
	int level, name, value;
};

/* Port: one to five digits, 0 is for tests (the kernel then picks one). */
static int parse_port(const char *text, in_port_t *port_be)
{
	unsigned port = 0;

	if (!*text)
		return -EINVAL;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return -EINVAL;
		port = port * 10 + (unsigned)(*text - '0');
		if (port > UINT16_MAX)
			return -EINVAL;
	}
	*port_be = htons((uint16_t)port);
	return 0;
}

/* Address without port or brackets; scope is the text behind '%' or NULL. */
static int parse_addr(struct listener *listener, const char *host,
		      const char *scope)
{
	union listener_addr *addr = &listener->addr;

	if (!scope && inet_pton(AF_INET, host, &addr->in.sin_addr) == 1) {
		addr->in.sin_family = AF_INET;
		listener->addr_len = sizeof(addr->in);
		listener->wildcard = addr->in.sin_addr.s_addr == INADDR_ANY;
		return 0;
	}
	if (inet_pton(AF_INET6, host, &addr->in6.sin6_addr) != 1)
		return -EINVAL;
	addr->in6.sin6_family = AF_INET6;
	listener->addr_len = sizeof(addr->in6);
	listener->wildcard = IN6_IS_ADDR_UNSPECIFIED(&addr->in6.sin6_addr);
	if (!scope)
		return 0;
	addr->in6.sin6_scope_id = if_nametoindex(scope);
	return addr->in6.sin6_scope_id ? 0 : -EINVAL;
}

/* Splits "host%scope" and takes brackets off, in place. */
static int split_host(char *text, char **host, char **scope)
{
	size_t len = strlen(text);

	*host = text;
	if (text[0] == '[') {
		if (len < 2 || text[len - 1] != ']')
			return -EINVAL;
		text[len - 1] = '\0';
		(*host)++;
	}
	*scope = strchr(*host, '%');
	if (*scope)
		*(*scope)++ = '\0';
	return 0;
}

static void format_text(struct listener *listener)
{
	union listener_addr *addr = &listener->addr;
	bool v4 = addr->sa.sa_family == AF_INET;
	char host[INET6_ADDRSTRLEN], scope[IF_NAMESIZE + 1] = "";

	inet_ntop(addr->sa.sa_family,
		  v4 ? (void *)&addr->in.sin_addr
		     : (void *)&addr->in6.sin6_addr,
		  host, sizeof(host));
	if (!v4 && addr->in6.sin6_scope_id) {
		scope[0] = '%';
		if (!if_indextoname(addr->in6.sin6_scope_id, scope + 1))
			scope[0] = '\0';
	}
	snprintf(listener->text, sizeof(listener->text), "%s%s@%u", host, scope,
		 ntohs(v4 ? addr->in.sin_port : addr->in6.sin6_port));
}

int listener_parse(struct listener *listener, const char *text)
{
	char copy[LISTENER_TEXT_MAX + 2], *at, *host, *scope;
	in_port_t port_be = htons(DNS_PORT);
	int error;

	memset(listener, 0, sizeof(*listener));
	if (strlen(text) >= sizeof(copy))
		return -EINVAL;
	strcpy(copy, text);
	at = strrchr(copy, '@');
	if (at) {
		*at = '\0';
		error = parse_port(at + 1, &port_be);
		if (error)
			return error;
	}
	error = split_host(copy, &host, &scope);
	if (!error)
		error = parse_addr(listener, host, scope);
	if (error)
		return error;
	/* sin_port and sin6_port lie at the same place */
	listener->addr.in.sin_port = port_be;
	format_text(listener);
	return 0;
}

static int set_options(int fd, const struct option *option, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (setsockopt(fd, option[i].level, option[i].name,
			       &option[i].value, sizeof(int)))
			return -errno;
	return 0;
}

/* What UDP and TCP sockets share. */
static int set_common(const struct listener *listener, int fd)
{
	const struct option v4[] = {
	    {SOL_SOCKET, SO_REUSEPORT, 1},
	    {IPPROTO_IP, IP_FREEBIND, 1},
	};
	const struct option v6[] = {
	    {SOL_SOCKET, SO_REUSEPORT, 1},
	    {IPPROTO_IPV6, IPV6_V6ONLY, 1},
	    {IPPROTO_IPV6, IPV6_FREEBIND, 1},
	};

	if (listener->addr.sa.sa_family == AF_INET)
		return set_options(fd, v4, sizeof(v4) / sizeof(v4[0]));
	return set_options(fd, v6, sizeof(v6) / sizeof(v6[0]));
}

/*
 * PMTUDISC_PROBE: DF is set and no learned path MTU changes an answer, so a
 * forged "fragmentation needed" cannot make us fragment (RFC 9715 section 3.1).
 */
static int set_udp(struct listener *listener, int fd)
{
	bool v4 = listener->addr.sa.sa_family == AF_INET;
	const struct option discover =
	    v4 ? (struct option){IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_PROBE}
	       : (struct option){IPPROTO_IPV6, IPV6_MTU_DISCOVER,
				 IPV6_PMTUDISC_PROBE};
	const struct option info =
	    v4 ? (struct option){IPPROTO_IP, IP_PKTINFO, 1}
	       : (struct option){IPPROTO_IPV6, IPV6_RECVPKTINFO, 1};
	/* Linux 5.0; without it queries come one by one */
	const struct option gro = {IPPROTO_UDP, UDP_GRO, 1};
	const struct option wish[] = {
	    {SOL_SOCKET, SO_RCVBUF, UDP_BUFFER},
	    {SOL_SOCKET, SO_SNDBUF, UDP_BUFFER},
	    /* past net.core.[rw]mem_max, with CAP_NET_ADMIN only */
	    {SOL_SOCKET, SO_RCVBUFFORCE, UDP_BUFFER},
	    {SOL_SOCKET, SO_SNDBUFFORCE, UDP_BUFFER},
	};
	int error = set_options(fd, &discover, 1);

	if (!error && listener->wildcard)
		error = set_options(fd, &info, 1);
	listener->gro = !set_options(fd, &gro, 1);
	for (size_t i = 0; i < sizeof(wish) / sizeof(wish[0]); i++)
		set_options(fd, &wish[i], 1);
	return error;
}

static int set_tcp(int fd)
{
	const struct option options[] = {
	    /* replies leave whole, nothing more will follow them */
	    {IPPROTO_TCP, TCP_NODELAY, 1},
	};

	/* REUSEADDR: connections in TIME-WAIT must not stop a restart */
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int)))
		return -errno;
	return set_options(fd, options, 1);
}

static int open_socket(struct listener *listener, int type, const char **what)
{
	bool udp = type == SOCK_DGRAM;
	int fd = socket(listener->addr.sa.sa_family,
			type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int error;

	*what = udp ? "open UDP socket" : "open TCP socket";
	if (fd < 0)
		return -errno;
	*what = udp ? "set UDP option" : "set TCP option";
	error = set_common(listener, fd);
	if (!error)
		error = udp ? set_udp(listener, fd) : set_tcp(fd);
	if (error)
		goto close_fd;
	*what = udp ? "bind UDP" : "bind TCP";
	if (bind(fd, &listener->addr.sa, listener->addr_len)) {
		error = -errno;
		goto close_fd;
	}
	return fd;
close_fd:
	close(fd);
	return error;
}

/* Port 0: the first socket decides, all others follow. */
static void learn_port(struct listener *listener, int fd)
{
	union listener_addr addr;
	socklen_t len = sizeof(addr);

	if (listener->addr.in.sin_port || getsockname(fd, &addr.sa, &len))
		return;
	listener->addr.in.sin_port = addr.in.sin_port;
	format_text(listener);
}

/*
 * UDP before TCP for each worker. listen() comes last of all: a connection
 * that arrives earlier would go to a group that is still growing.
 */
static int open_all(struct listener *listener, const char **what)
{
	for (unsigned i = 0; i < listener->worker_nr; i++) {
		int fd = open_socket(listener, SOCK_DGRAM, what);

		if (fd < 0)
			return fd;
		listener->udp_fd[i] = fd;
		learn_port(listener, fd);
		fd = open_socket(listener, SOCK_STREAM, what);
		if (fd < 0)
			return fd;
		listener->tcp_fd[i] = fd;
	}
	*what = "listen TCP";
	for (unsigned i = 0; i < listener->worker_nr; i++)
		if (listen(listener->tcp_fd[i], TCP_BACKLOG))
			return -errno;
	return 0;
}

static int open_once(struct listener *listener, unsigned worker_nr,
		     const char **what)
{
	int error = -ENOMEM;

	*what = "allocate";
	listener->worker_nr = worker_nr;
	listener->udp_fd = malloc(worker_nr * sizeof(int));
	listener->tcp_fd = malloc(worker_nr * sizeof(int));
	if (!listener->udp_fd || !listener->tcp_fd)
		goto release;
	for (unsigned i = 0; i < worker_nr; i++)
		listener->udp_fd[i] = listener->tcp_fd[i] = -1;
	error = open_all(listener, what);
	if (error)
		goto release;
	return 0;
release:
	listener_release(listener);
	return error;
}

/*
 * The port that the kernel picked for UDP may be somebody's on TCP; then
 * another one is as good.
 */
int listener_open(struct listener *listener, unsigned worker_nr,
		  const char **what)
{
	bool any_port = !listener->addr.in.sin_port;
	int error;

	for (unsigned i = 0; i < ANY_PORT_TRIES; i++) {
		error = open_once(listener, worker_nr, what);
		if (error != -EADDRINUSE || !any_port)
			break;
		listener->addr.in.sin_port = 0;
	}
	return error;
}

/* Receive queues of a device, 0 if it is none (loopback, bridge, veth). */
static unsigned queue_nr(int sysfs, const char *device)
{
	char path[NAME_MAX + sizeof("/device") + sizeof("/queues")];
	unsigned nr = 0;
	struct dirent *entry;
	DIR *dir;
	int fd;

	snprintf(path, sizeof(path), "%s/device", device);
	if (faccessat(sysfs, path, F_OK, 0))
		return 0;
	snprintf(path, sizeof(path), "%s/queues", device);
	fd = openat(sysfs, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir)
		return 0;
	while ((entry = readdir(dir)))
		nr += !strncmp(entry->d_name, "rx-", 3);
	closedir(dir);
	return nr;
}

/* Receive queues of the device that has fewest, 0 if there is no device. */
static unsigned queue_min(const char *sysfs)
{
	unsigned least = 0;
	DIR *dir = opendir(sysfs);
	struct dirent *entry;

	if (!dir)
		return 0;
	while ((entry = readdir(dir))) {
		unsigned nr = queue_nr(dirfd(dir), entry->d_name);

		if (nr && (!least || nr < least))
			least = nr;
	}
	closedir(dir);
	return least;
}

const char *listener_unsteered(unsigned worker_nr, const char *sysfs)
{
	unsigned queues = queue_min(sysfs);

	if (worker_nr < 2)
		return "one worker";
	if (!queues)
		return "no network device has receive queues";
	if (queues == 1)
		return "one receive queue";
	return queues < worker_nr ? "fewer receive queues than workers" : NULL;
}

const char *listener_steer(const struct listener *listener, unsigned id,
			   int cpu, const char *sysfs)
{
	const struct option incoming = {SOL_SOCKET, SO_INCOMING_CPU, cpu};
	const char *why = listener_unsteered(listener->worker_nr, sysfs);

	if (why)
		return why;
	if (cpu < 0)
		return "workers are not pinned";
	if (set_options(listener->udp_fd[id], &incoming, 1) ||
	    set_options(listener->tcp_fd[id], &incoming, 1))
		return "the kernel refuses it";
	return NULL;
}

static void close_all(int *fd, unsigned nr)
{
	for (unsigned i = 0; fd && i < nr; i++)
		if (fd[i] >= 0)
			close(fd[i]);
	free(fd);
}

void listener_release(struct listener *listener)
{
	close_all(listener->udp_fd, listener->worker_nr);
	close_all(listener->tcp_fd, listener->worker_nr);
	listener->udp_fd = listener->tcp_fd = NULL;
	listener->worker_nr = 0;
}
