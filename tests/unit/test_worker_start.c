/* SPDX-License-Identifier: BSD-2-Clause */
/* Start of a worker where the kernel forbids, lacks or grudges things. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <net/if.h>
#include <sched.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "loopback.h"
#include "serving.h"
#include "uring/probe.h"

/* What the kernel answers to io_uring_setup from now on. */
static bool forbid_uring(int error)
{
	struct sock_filter filter[] = {
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		     offsetof(struct seccomp_data, nr)),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)error),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {
	    .len = sizeof(filter) / sizeof(filter[0]),
	    .filter = filter,
	};

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static const struct {
	int error;
	const char *word; /* in the reason */
} setup_error[] = {
    {EPERM, "kernel.io_uring_disabled"},
    {ENOSYS, "missing"},
    {ENOMEM, "LimitMEMLOCK="},
    {EINVAL, "Linux 6.1"},
};

static void prepare(struct server *server, enum worker_io io)
{
	struct worker_options options = {
	    .cpu = -1,
	    .zerocopy = {ZEROCOPY_AUTO, SEND_ZEROCOPY_MIN},
	    .io = io,
	    .listener = &server->listener,
	    .listener_nr = 1,
	    .zone_set = &server->set,
	    .query = &config,
	    .tcp = roomy,
	};
	const char *what;

	server->set = zone_set_new(0);
	ck_assert_int_eq(listener_parse(&server->listener, "127.0.0.1@0"), 0);
	ck_assert_int_eq(listener_open(&server->listener, 1, &what), 0);
	ck_assert_int_eq(worker_new(&server->worker, &options), 0);
}

static void ask_once(const struct server *server)
{
	uint8_t query[128], reply[512];
	int fd = connect_to(server, SOCK_DGRAM);

	send(fd, query, make_query(query, 9, label_len_of(9)), 0);
	ck_assert(readable(fd, TIMEOUT_MS));
	check_reply(reply, (size_t)recv(fd, reply, sizeof(reply), 0));
	close(fd);
}

/* No io_uring: the other back end serves, and the reason names the remedy. */
START_TEST(B_IU04_fall_back_with_reason)
{
	struct server server;
	const char *why = NULL;

	prepare(&server, WORKER_IO_AUTO);
	if (!forbid_uring(setup_error[_i].error))
		SKIP("no seccomp filter");
	ck_assert_int_eq(worker_start(server.worker, &why), 0);
	ck_assert_int_eq(worker_io(server.worker), WORKER_IO_MMSG);
	ck_assert_ptr_nonnull(why);
	ck_assert_ptr_nonnull(strstr(why, setup_error[_i].word));
	ask_once(&server);
	stop(&server);
}
END_TEST

/* Asked for by name and not to be had: no worker, but the reason. */
START_TEST(B_IU04_demanded_but_forbidden)
{
	struct server server;
	const char *why = NULL;

	prepare(&server, WORKER_IO_URING);
	if (!forbid_uring(setup_error[_i].error))
		SKIP("no seccomp filter");
	ck_assert_int_eq(worker_start(server.worker, &why),
			 -setup_error[_i].error);
	ck_assert_ptr_nonnull(strstr(why, setup_error[_i].word));
	worker_free(server.worker);
	listener_release(&server.listener);
	zone_set_free(server.set);
}
END_TEST

/* Hardly any locked memory, no privilege: it serves all the same. */
START_TEST(B_IU05_little_locked_memory)
{
	struct rlimit limit = {_i ? 64 << 10 : 0, _i ? 64 << 10 : 0};
	struct server server;
	const char *why = NULL;

	prepare(&server, WORKER_IO_AUTO);
	ck_assert_int_eq(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
	if (!geteuid())
		ck_assert_int_eq(setresuid(65534, 65534, 65534), 0);
	ck_assert_int_eq(worker_start(server.worker, &why), 0);
	if (worker_io(server.worker) == WORKER_IO_MMSG)
		ck_assert_ptr_nonnull(why);
	ask_once(&server);
	stop(&server);
}
END_TEST

static bool small_network(int mtu)
{
	struct ifreq request = {.ifr_name = "lo"};
	int fd;
	bool done;

	if (unshare(CLONE_NEWNET))
		return false;
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	request.ifr_mtu = mtu;
	done = fd >= 0 && !ioctl(fd, SIOCSIFMTU, &request);
	request.ifr_flags = IFF_UP;
	done = done && !ioctl(fd, SIOCSIFFLAGS, &request);
	close(fd);
	return done;
}

/* A reply too long for the path is not fragmented: counted, others go on. */
START_TEST(B_NW02_too_long_for_the_path)
{
	struct server server;
	uint8_t query[128], reply[512];
	int fd, discover = IP_PMTUDISC_DONT;

	if (!small_network(100))
		SKIP("no network namespace");
	start(&server, "127.0.0.1@0", backend[_i], roomy);
	fd = connect_to(&server, SOCK_DGRAM);
	setsockopt(fd, IPPROTO_IP, IP_MTU_DISCOVER, &discover,
		   sizeof(discover));
	for (unsigned i = 0; i < 5; i++) {
		ck_assert_int_gt(send(fd, query, make_query(query, 1, 63), 0),
				 72);
		send(fd, query, make_query(query, 2, label_len_of(2)), 0);
		ck_assert(readable(fd, TIMEOUT_MS));
		check_reply(reply, (size_t)recv(fd, reply, sizeof(reply), 0));
	}
	ck_assert(!readable(fd, 50));
	ck_assert_uint_eq(counters(&server)->udp_send_errors, 5);
	ck_assert_uint_eq(counters(&server)->gso_retreats, 0);
	close(fd);
	stop(&server);
}
END_TEST

/* Left to choose: io_uring where the probe finds it good, else a reason. */
START_TEST(B_IU04_auto_says_why)
{
	struct server server;
	struct uring_probe probe;
	const char *why = NULL;

	uring_probe(&probe);
	prepare(&server, WORKER_IO_AUTO);
	ck_assert_int_eq(worker_start(server.worker, &why), 0);
	if (probe.reason || probe.advice) {
		ck_assert_int_eq(worker_io(server.worker), WORKER_IO_MMSG);
		ck_assert_ptr_nonnull(why);
	} else {
		ck_assert_int_eq(worker_io(server.worker), WORKER_IO_URING);
		ck_assert_ptr_null(why);
	}
	ask_once(&server);
	stop(&server);
}
END_TEST

START_TEST(B_IU05_restart_in_a_loop)
{
	for (unsigned i = 0; i < 20; i++) {
		struct server server;

		start(&server, "127.0.0.1@0", backend[_i], roomy);
		stop(&server);
	}
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("worker_start");

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, B_IU04_fall_back_with_reason, 0, 4);
	tcase_add_loop_test(tcase, B_IU04_demanded_but_forbidden, 0, 4);
	tcase_add_loop_test(tcase, B_IU05_little_locked_memory, 0, BACKEND_NR);
	tcase_add_loop_test(tcase, B_NW02_too_long_for_the_path, 0, BACKEND_NR);
	tcase_add_loop_test(tcase, B_IU04_auto_says_why, 0, BACKEND_NR);
	tcase_add_loop_test(tcase, B_IU05_restart_in_a_loop, 0, BACKEND_NR);
	return unit_run("worker_start", tcase);
}
