/* SPDX-License-Identifier: BSD-2-Clause */
/* What is said about kernels that this one is not. */
#include "server/feature.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

static struct uring_probe probe;
static struct feature_state state;

/* A kernel that has everything. */
static void setup(void)
{
	memset(&probe, 0, sizeof(probe));
	for (unsigned i = 0; i < URING_FEATURE_NR; i++)
		probe.feature[i] = (struct uring_feature){"x", "9.9", true};
	probe.feature[URING_SETUP].name = "io_uring";
	probe.feature[URING_MIN_WAIT].name = "minimum batch wait";
	probe.feature[URING_SENDMSG_ZC].name = "zerocopy send";
	probe.feature[URING_UDP_SEGMENT].name = "UDP_SEGMENT";
	probe.feature[URING_BUFFER_INC].name = "incremental buffers";
	feature_predict(&state, &probe, 2);
}

static void expect(const char *line)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	ck_assert_ptr_nonnull(out);
	feature_print(out, "\n", &state);
	fclose(out);
	ck_assert_msg(strstr(text, line) != NULL, "no '%s' in:%s", line, text);
	free(text);
}

START_TEST(everything_present)
{
	ck_assert_int_eq(state.io, WORKER_IO_URING);
	expect("\nio_uring: present, used\n");
	expect("\nminimum batch wait: present, used\n");
	expect("\nzerocopy send: present, used: from 16384 octets on\n");
	expect("\nincremental buffers: present, used\n");
}
END_TEST

START_TEST(older_kernel)
{
	probe.feature[URING_MIN_WAIT] =
	    (struct uring_feature){"minimum batch wait", "6.12", false};
	probe.feature[URING_FIXED_SENDMSG].present = false;
	probe.advice = "it is old";
	feature_predict(&state, &probe, 2);
	ck_assert_int_eq(state.io, WORKER_IO_MMSG);
	expect("\nminimum batch wait: absent, Linux 6.12\n");
	expect("\nio_uring: present, not used: it is old\n");
	expect("\nzerocopy send: present, not used: io is mmsg\n");
	/* demanded all the same */
	state.io = WORKER_IO_URING;
	expect("\nzerocopy send: present, not used: no zerocopy from "
	       "registered memory, Linux 6.15\n");
}
END_TEST

START_TEST(forbidden_ring)
{
	probe.error = -EPERM;
	probe.reason = "forbidden by decree";
	feature_predict(&state, &probe, 2);
	expect("\nio_uring: absent, forbidden by decree\n");
	expect("\nminimum batch wait: not tried, not used: there is no "
	       "io_uring\n");
	expect("\nUDP_SEGMENT: present, used\n");
}
END_TEST

/* Sockets on which the kernel refused, all or some. */
START_TEST(live_counters)
{
	state.live = true;
	state.socket_nr = 4;
	state.counters.gso_retreats = 1;
	state.counters.zerocopy_resting = 3;
	expect("\nUDP_SEGMENT: present, used: refused on 1 of 4 sockets\n");
	expect("\nzerocopy send: present, used: from 16384 octets on, but for "
	       "3 of 4 sockets whose devices copy\n");
	state.counters.gso_retreats = state.counters.zerocopy_resting = 4;
	expect("\nUDP_SEGMENT: present, not used: the kernel refused it on "
	       "every socket\n");
	expect("\nzerocopy send: present, not used: the devices copy "
	       "(loopback, veth)\n");
}
END_TEST

START_TEST(futile_option)
{
	state.zerocopy.mode = ZEROCOPY_ALWAYS;
	ck_assert_ptr_null(feature_no_zerocopy(&state));
	state.traits.zerocopy_error = -ENOMEM;
	ck_assert_ptr_nonnull(
	    strstr(feature_no_zerocopy(&state), "RLIMIT_MEMLOCK"));
	state.io = WORKER_IO_MMSG;
	ck_assert_str_eq(feature_no_zerocopy(&state),
			 "io is mmsg, which copies");
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("feature");

	tcase_add_checked_fixture(tcase, setup, NULL);
	tcase_add_test(tcase, everything_present);
	tcase_add_test(tcase, older_kernel);
	tcase_add_test(tcase, forbidden_ring);
	tcase_add_test(tcase, live_counters);
	tcase_add_test(tcase, futile_option);
	return unit_run("feature", tcase);
}
