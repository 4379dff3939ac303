/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probing. Each row is tried on a ring or a socket of its own.
 */
#include "uring/probe.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "uring/ring.h"

static const struct uring_feature known[URING_FEATURE_NR] = {
    [URING_UDP_SEGMENT] = {"UDP_SEGMENT", "4.18", false},
    [URING_UDP_GRO] = {"UDP_GRO", "5.0", false},
    [URING_INCOMING_CPU] = {"SO_INCOMING_CPU steering", "6.2", false},
    [URING_SETUP] = {"io_uring", "5.1", false},
    [URING_BUFFER_RING] = {"provided buffer ring", "5.19", false},
    [URING_MULTISHOT] = {"multishot receive", "6.0", false},
    [URING_DEFER_TASKRUN] = {"deferred task work", "6.1", false},
    [URING_SENDMSG_ZC] = {"zerocopy send", "6.1", false},
    [URING_REPORT_USAGE] = {"zerocopy usage report", "6.2", false},
    [URING_MIN_WAIT] = {"minimum batch wait", "6.12", false},
    [URING_BUFFER_INC] = {"incremental buffers", "6.12", false},
    [URING_FIXED_SENDMSG] = {"zerocopy send from registered memory", "6.15",
			     false},
};

const char *uring_reason(int error)
{
	switch (error) {
	case -EPERM:
	case -EACCES:
		return "io_uring is forbidden: kernel.io_uring_disabled or a "
		       "seccomp filter";
	case -ENOSYS:
		return "io_uring is missing: kernel or seccomp filter";
	case -ENOMEM:
		return "io_uring got no locked memory: raise LimitMEMLOCK= "
		       "(RLIMIT_MEMLOCK)";
	case -EMFILE:
	case -ENFILE:
		return "io_uring got no descriptor: raise LimitNOFILE= "
		       "(RLIMIT_NOFILE)";
	case -EINVAL:
	case -EOPNOTSUPP:
		return "io_uring lacks operations: Linux 6.1 or later needed";
	default:
		return "io_uring could not be set up";
	}
}

static bool has_option(int fd, int name, int value)
{
	return !setsockopt(fd, IPPROTO_UDP, name, &value, sizeof(value));
}

#define STEER_TRIES	 16
#define STEER_TIMEOUT_MS 5

/* A socket in a group on a loopback port; steered to a CPU if cpu >= 0. */
static int group_socket(struct sockaddr_in *addr, int cpu)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	socklen_t len = sizeof(*addr);
	int one = 1;

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &one, sizeof(one));
	setsockopt(fd, SOL_SOCKET, SO_INCOMING_CPU, &cpu, sizeof(cpu));
	if (!bind(fd, (const struct sockaddr *)addr, sizeof(*addr)) &&
	    !getsockname(fd, (struct sockaddr *)addr, &len))
		return fd;
	close(fd);
	return -1;
}

/* Which of two gets one datagram from a new port, hence of another hash? */
static bool first_gets(const int fd[2], const struct sockaddr_in *addr)
{
	struct pollfd pollfd[] = {{fd[0], POLLIN, 0}, {fd[1], POLLIN, 0}};
	int from = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	char octet = 0;

	if (from < 0)
		return false;
	sendto(from, &octet, 1, 0, (const struct sockaddr *)addr,
	       sizeof(*addr));
	poll(pollfd, 2, STEER_TIMEOUT_MS);
	close(from);
	recv(fd[1], &octet, 1, 0);
	return recv(fd[0], &octet, 1, 0) == 1;
}

/*
 * Setting SO_INCOMING_CPU has worked since 4.4, but in a group the hash chose
 * the socket all the same up to 6.1. Loopback receives on the CPU that sends:
 * the socket for this one must get everything. All but one, as the thread may
 * move to another CPU in between.
 */
static bool has_steering(void)
{
	struct sockaddr_in addr = {
	    .sin_family = AF_INET,
	    .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd[2] = {group_socket(&addr, sched_getcpu()), -1};
	unsigned got = 0;

	if (fd[0] < 0)
		return false;
	fd[1] = group_socket(&addr, -1);
	for (unsigned i = 0; fd[1] >= 0 && i < STEER_TRIES; i++)
		got += first_gets(fd, &addr);
	close(fd[0]);
	if (fd[1] >= 0)
		close(fd[1]);
	return got >= STEER_TRIES - 1;
}

static void probe_socket(struct uring_feature *feature)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return;
	feature[URING_UDP_SEGMENT].present = has_option(fd, UDP_SEGMENT, 512);
	feature[URING_UDP_GRO].present = has_option(fd, UDP_GRO, 1);
	close(fd);
	feature[URING_INCOMING_CPU].present = has_steering();
}

static bool has_buffer_ring(struct ring *ring, uint16_t group, unsigned flags,
			    uint32_t min_left)
{
	struct uring_buf_reg reg = {
	    .ring_entries = 8,
	    .bgid = group,
	    .flags = (uint16_t)flags,
	    .min_left = min_left,
	};
	void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool has;

	if (memory == MAP_FAILED)
		return false;
	reg.ring_addr = (uintptr_t)memory;
	has = !io_uring_register_buf_ring(&ring->uring, (void *)&reg, 0);
	if (has)
		io_uring_unregister_buf_ring(&ring->uring, group);
	munmap(memory, 4096);
	return has;
}

/*
 * Flags of zerocopy sends are checked before the descriptor: -EBADF says that
 * they are known.
 */
static bool has_zerocopy(struct ring *ring, unsigned flags)
{
	const struct ring_wait wait = {1, 0, 1000000000};
	struct iovec iov = {&(char){0}, 1};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	struct io_uring_sqe *sqe = ring_sqe(ring);
	struct ring_event event;
	bool has = false;

	io_uring_prep_sendmsg_zc(sqe, -1, &msg, MSG_DONTWAIT);
	sqe->ioprio = (uint16_t)flags;
	ring_tag(sqe, RING_NONE, 0);
	ring_enter(ring, &wait);
	while (ring_next(ring, &event))
		has |= event.res == -EBADF;
	return has;
}

/* Multishot recvmsg came in the release of SEND_ZC, 6.0. */
static void probe_operations(struct ring *ring, struct uring_feature *feature)
{
	struct io_uring_probe *probe = io_uring_get_probe_ring(&ring->uring);

	if (!probe)
		return;
	feature[URING_MULTISHOT].present =
	    io_uring_opcode_supported(probe, IORING_OP_SEND_ZC);
	feature[URING_SENDMSG_ZC].present =
	    io_uring_opcode_supported(probe, IORING_OP_SENDMSG_ZC);
	io_uring_free_probe(probe);
}

static void probe_ring(struct ring *ring, struct uring_feature *feature)
{
	feature[URING_SETUP].present = true;
	feature[URING_DEFER_TASKRUN].present = ring_is_deferred(ring);
	feature[URING_MIN_WAIT].present = ring->min_wait;
	feature[URING_BUFFER_RING].present = has_buffer_ring(ring, 1, 0, 0);
	feature[URING_BUFFER_INC].present =
	    has_buffer_ring(ring, 2, URING_PBUF_RING_INC, 2048);
	probe_operations(ring, feature);
	feature[URING_REPORT_USAGE].present =
	    has_zerocopy(ring, URING_SEND_ZC_REPORT_USAGE);
	feature[URING_FIXED_SENDMSG].present = has_zerocopy(
	    ring, URING_SEND_ZC_REPORT_USAGE | IORING_RECVSEND_FIXED_BUF);
}

/* What the data path cannot do without. */
static const char *lacking(const struct uring_feature *feature)
{
	if (!feature[URING_BUFFER_RING].present ||
	    !feature[URING_MULTISHOT].present ||
	    !feature[URING_SENDMSG_ZC].present)
		return uring_reason(-EINVAL);
	return NULL;
}

void uring_probe(struct uring_probe *probe)
{
	struct ring ring;

	memset(probe, 0, sizeof(*probe));
	memcpy(probe->feature, known, sizeof(known));
	probe_socket(probe->feature);
	probe->error = ring_init(&ring);
	if (probe->error) {
		probe->reason = uring_reason(probe->error);
		return;
	}
	probe_ring(&ring, probe->feature);
	ring_release(&ring);
	probe->reason = lacking(probe->feature);
	if (!probe->feature[URING_MIN_WAIT].present)
		probe->advice = "before Linux 6.12 recvmmsg and sendmmsg are "
				"as fast as io_uring";
}
