/* SPDX-License-Identifier: BSD-2-Clause */
#include "server/listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

static const struct {
	const char *in, *out;
	bool wildcard;
} good[] = {
    {"127.0.0.1@5300", "127.0.0.1@5300", false},
    {"127.0.0.1", "127.0.0.1@53", false},
    {"0.0.0.0@53", "0.0.0.0@53", true},
    {"::1@5300", "::1@5300", false},
    {"::1", "::1@53", false},
    {"[::1]@5300", "::1@5300", false},
    {"[::]", "::@53", true},
    {"::@65535", "::@65535", true},
    {"2001:DB8::0:1@0", "2001:db8::1@0", false},
    {"fe80::1%lo@53", "fe80::1%lo@53", false},
    {"[fe80::1%lo]@53", "fe80::1%lo@53", false},
};

static const char *const bad[] = {
    "",
    "@53",
    "127.0.0.1@",
    "127.0.0.1@65536",
    "127.0.0.1@999999999999999999999",
    "127.0.0.1@-1",
    "127.0.0.1@53x",
    "127.0.0.1 @53",
    "127.0.0@53",
    "127.0.0.1:53",
    "127.0.0.1%lo@53",
    "localhost@53",
    "[::1@53",
    "[",
    "[]",
    "::1]@53",
    "fe80::1%nosuchdevice@53",
    "fe80::1%@53",
    "::1@53@53",
    ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
     "aaaaaaaaaaaaaaa@53"),
};

START_TEST(parse_good)
{
	struct listener listener;

	ck_assert_int_eq(listener_parse(&listener, good[_i].in), 0);
	ck_assert_str_eq(listener.text, good[_i].out);
	ck_assert_int_eq(listener.wildcard, good[_i].wildcard);
	ck_assert_uint_eq(listener.addr_len, strchr(good[_i].in, ':')
						 ? sizeof(struct sockaddr_in6)
						 : sizeof(struct sockaddr_in));
}
END_TEST

START_TEST(parse_bad)
{
	struct listener listener;

	ck_assert_int_eq(listener_parse(&listener, bad[_i]), -EINVAL);
}
END_TEST

static int option_of(int fd, int level, int name)
{
	int value = -1;
	socklen_t len = sizeof(value);

	ck_assert_int_eq(getsockopt(fd, level, name, &value, &len), 0);
	return value;
}

static void check_v4(const struct listener *listener, unsigned i)
{
	int udp = listener->udp_fd[i], tcp = listener->tcp_fd[i];

	ck_assert_int_eq(option_of(udp, SOL_SOCKET, SO_REUSEPORT), 1);
	ck_assert_int_eq(option_of(tcp, SOL_SOCKET, SO_REUSEPORT), 1);
	ck_assert_int_eq(option_of(udp, IPPROTO_IP, IP_FREEBIND), 1);
	ck_assert_int_eq(option_of(tcp, IPPROTO_IP, IP_FREEBIND), 1);
	ck_assert_int_eq(option_of(udp, IPPROTO_IP, IP_MTU_DISCOVER),
			 IP_PMTUDISC_PROBE);
	ck_assert_int_eq(option_of(udp, IPPROTO_IP, IP_PKTINFO),
			 listener->wildcard);
	ck_assert_int_eq(option_of(tcp, SOL_SOCKET, SO_ACCEPTCONN), 1);
}

/* Every member of the group has every option, not the first one alone. */
START_TEST(B_NW03_options_on_every_socket)
{
	static const char *const text[] = {"127.0.0.1@0", "0.0.0.0@0"};
	struct listener listener;
	const char *what;

	ck_assert_int_eq(listener_parse(&listener, text[_i]), 0);
	ck_assert_int_eq(listener_open(&listener, 4, &what), 0);
	for (unsigned i = 0; i < 4; i++)
		check_v4(&listener, i);
	listener_release(&listener);
}
END_TEST

START_TEST(B_NW02_v6_ignores_path_mtu)
{
	struct listener listener;
	const char *what;

	ck_assert_int_eq(listener_parse(&listener, "::@0"), 0);
	ck_assert_int_eq(listener_open(&listener, 2, &what), 0);
	for (unsigned i = 0; i < 2; i++) {
		int udp = listener.udp_fd[i];

		ck_assert_int_eq(
		    option_of(udp, IPPROTO_IPV6, IPV6_MTU_DISCOVER),
		    IPV6_PMTUDISC_PROBE);
		ck_assert_int_eq(option_of(udp, IPPROTO_IPV6, IPV6_V6ONLY), 1);
		ck_assert_int_eq(option_of(udp, IPPROTO_IPV6, IPV6_RECVPKTINFO),
				 1);
	}
	listener_release(&listener);
}
END_TEST

/* All sockets of a group on port 0 end up on one port. */
START_TEST(one_port_for_all)
{
	struct listener listener;
	union listener_addr addr;
	const char *what;

	ck_assert_int_eq(listener_parse(&listener, "127.0.0.1@0"), 0);
	ck_assert_int_eq(listener_open(&listener, 3, &what), 0);
	ck_assert_int_ne(listener.addr.in.sin_port, 0);
	for (unsigned i = 0; i < 6; i++) {
		socklen_t len = sizeof(addr);
		int fd =
		    i % 2 ? listener.tcp_fd[i / 2] : listener.udp_fd[i / 2];

		ck_assert_int_eq(getsockname(fd, &addr.sa, &len), 0);
		ck_assert_int_eq(addr.in.sin_port, listener.addr.in.sin_port);
	}
	listener_release(&listener);
}
END_TEST

/* A port that a foreign socket holds: the step is named, nothing stays open. */
START_TEST(bind_failure_is_named)
{
	struct sockaddr_in addr = {
	    .sin_family = AF_INET,
	    .sin_addr = {htonl(INADDR_LOOPBACK)},
	};
	socklen_t len = sizeof(addr);
	int tcp = socket(AF_INET, SOCK_STREAM, 0);
	int probe = dup(tcp);
	struct listener listener;
	const char *what;
	char text[64];

	close(probe);
	ck_assert_int_eq(bind(tcp, (void *)&addr, len), 0);
	ck_assert_int_eq(getsockname(tcp, (void *)&addr, &len), 0);
	snprintf(text, sizeof(text), "127.0.0.1@%u", ntohs(addr.sin_port));
	ck_assert_int_eq(listener_parse(&listener, text), 0);
	ck_assert_int_eq(listener_open(&listener, 2, &what), -EADDRINUSE);
	ck_assert_str_eq(what, "bind TCP");
	ck_assert_ptr_null(listener.udp_fd);
	ck_assert_int_eq(dup(tcp), probe);
	close(probe);
	close(tcp);
}
END_TEST

/* An address that no interface has yet: the daemon may start before it. */
START_TEST(freebind_to_a_foreign_address)
{
	struct listener listener;
	const char *what;

	ck_assert_int_eq(listener_parse(&listener, "192.0.2.77@0"), 0);
	ck_assert_int_eq(listener_open(&listener, 1, &what), 0);
	listener_release(&listener);
}
END_TEST

static void make_device(const char *name, unsigned queue_nr)
{
	char path[64];

	mkdir(name, 0700);
	snprintf(path, sizeof(path), "%s/device", name);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/queues", name);
	mkdir(path, 0700);
	for (unsigned i = 0; i < queue_nr; i++) {
		snprintf(path, sizeof(path), "%s/queues/rx-%u", name, i);
		mkdir(path, 0700);
	}
}

/* Steering needs a receive queue for each worker on every device. */
START_TEST(steering_follows_the_queues)
{
	char folder[] = "/tmp/test_listener.XXXXXX", command[64];
	struct listener listener;
	const char *what;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
	ck_assert_int_eq(listener_parse(&listener, "127.0.0.1@0"), 0);
	ck_assert_int_eq(listener_open(&listener, 4, &what), 0);
	mkdir("lo", 0700);
	ck_assert_str_eq(listener_steer(&listener, 2, 0, folder),
			 "no network device has receive queues");
	make_device("eth0", 4);
	ck_assert_str_eq(listener_steer(&listener, 2, -1, folder),
			 "workers are not pinned");
	ck_assert_ptr_null(listener_steer(&listener, 2, 0, folder));
	ck_assert_int_eq(
	    option_of(listener.udp_fd[2], SOL_SOCKET, SO_INCOMING_CPU), 0);
	make_device("eth1", 2);
	ck_assert_str_eq(listener_steer(&listener, 1, 0, folder),
			 "fewer receive queues than workers");
	make_device("eth2", 1);
	ck_assert_str_eq(listener_steer(&listener, 1, 0, folder),
			 "one receive queue");
	ck_assert_str_eq(listener_unsteered(1, folder), "one worker");
	listener_release(&listener);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	ck_assert_int_eq(system(command), 0);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("listener");

	tcase_add_loop_test(tcase, parse_good, 0,
			    sizeof(good) / sizeof(good[0]));
	tcase_add_loop_test(tcase, parse_bad, 0, sizeof(bad) / sizeof(bad[0]));
	tcase_add_loop_test(tcase, B_NW03_options_on_every_socket, 0, 2);
	tcase_add_test(tcase, B_NW02_v6_ignores_path_mtu);
	tcase_add_test(tcase, one_port_for_all);
	tcase_add_test(tcase, bind_failure_is_named);
	tcase_add_test(tcase, steering_follows_the_queues);
	tcase_add_test(tcase, freebind_to_a_foreign_address);
	return unit_run("listener", tcase);
}
