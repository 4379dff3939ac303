/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Features of the kernel in words. A row is a probed feature and the function
 * that says how it is used; why a feature is not used is the text of a use
 * with used false.
 */
#include <config.h>

#include "server/feature.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#define TEXT_MAX 160

struct use {
	bool used;
	char text[TEXT_MAX]; /* how, or why not; empty: nothing to say */
};

__attribute__((format(printf, 3, 4))) static void
say(struct use *use, bool used, const char *format, ...)
{
	va_list args;

	use->used = used;
	va_start(args, format);
	vsnprintf(use->text, sizeof(use->text), format, args);
	va_end(args);
}

/* Of the ring or of nothing: false, and why, when there is no ring. */
static bool needs_ring(const struct feature_state *state, struct use *use)
{
	if (state->io == WORKER_IO_URING)
		return true;
	say(use, false, "io is mmsg");
	return false;
}

static void use_always(const struct feature_state *state, struct use *use)
{
	if (needs_ring(state, use))
		use->used = true;
}

static void use_ring(const struct feature_state *state, struct use *use)
{
	if (state->io == WORKER_IO_URING)
		use->used = true;
	else
		say(use, false, "%s",
		    state->no_ring ? state->no_ring : "io = mmsg");
}

static void use_segment(const struct feature_state *state, struct use *use)
{
	uint64_t off = state->counters.gso_retreats;

	if (!off)
		use->used = true;
	else if (off < state->socket_nr)
		say(use, true, "refused on %" PRIu64 " of %u sockets", off,
		    state->socket_nr);
	else
		say(use, false, "the kernel refused it on every socket");
}

static void use_gro(const struct feature_state *state, struct use *use)
{
	say(use, state->gro, state->gro ? "%s" : "%srefused by a socket", "");
}

static void use_deferred(const struct feature_state *state, struct use *use)
{
	if (needs_ring(state, use))
		use->used = state->traits.deferred;
}

static void use_incremental(const struct feature_state *state, struct use *use)
{
	if (!needs_ring(state, use))
		return;
	if (state->traits.incremental)
		use->used = true;
	else
		say(use, false, "the kernel refused the buffers");
}

/* Why no worker sends by zerocopy. */
static const char *no_zerocopy(int error)
{
	switch (error) {
	case -ECANCELED:
		return "zerocopy = never";
	case -EOPNOTSUPP:
		return "no zerocopy from registered memory, Linux 6.15";
	case -ENOMEM:
		return "no locked memory: raise LimitMEMLOCK= (RLIMIT_MEMLOCK)";
	default:
		return "the kernel registers no memory";
	}
}

static void use_zerocopy(const struct feature_state *state, struct use *use)
{
	uint64_t resting = state->counters.zerocopy_resting;
	const char *always =
	    state->zerocopy.mode == ZEROCOPY_ALWAYS ? "always, " : "";

	if (!needs_ring(state, use))
		return;
	if (state->traits.zerocopy_error)
		say(use, false, "%s",
		    no_zerocopy(state->traits.zerocopy_error));
	else if (resting && resting == state->socket_nr)
		say(use, false, "the devices copy (loopback, veth)");
	else if (resting)
		say(use, true,
		    "from %u octets on, but for %" PRIu64
		    " of %u sockets whose devices copy",
		    state->zerocopy.min, resting, state->socket_nr);
	else
		say(use, true, "%sfrom %u octets on", always,
		    state->zerocopy.min);
}

static void use_registered(const struct feature_state *state, struct use *use)
{
	use_zerocopy(state, use);
	if (use->used)
		use->text[0] = '\0';
}

static void use_min_wait(const struct feature_state *state, struct use *use)
{
	static const char *const words[] = {
	    [WAIT_NONE] = "none", [WAIT_BUSY] = "busy-poll"};
	enum wait_mode mode = state->wait.mode;

	if (!needs_ring(state, use))
		return;
	if (words[mode])
		say(use, false, "batch-wait = %s", words[mode]);
	else
		use->used = true;
}

static void use_steering(const struct feature_state *state, struct use *use)
{
	if (state->traits.steered)
		say(use, false, "%s", state->traits.steered);
	else
		use->used = true;
}

static const struct {
	void (*use)(const struct feature_state *state, struct use *use);
	bool ring; /* cannot be tried without a ring */
} rows[URING_FEATURE_NR] = {
    [URING_UDP_SEGMENT] = {use_segment, false},
    [URING_UDP_GRO] = {use_gro, false},
    [URING_INCOMING_CPU] = {use_steering, false},
    [URING_SETUP] = {use_ring, false},
    [URING_BUFFER_RING] = {use_always, true},
    [URING_MULTISHOT] = {use_always, true},
    [URING_DEFER_TASKRUN] = {use_deferred, true},
    [URING_SENDMSG_ZC] = {use_zerocopy, true},
    [URING_REPORT_USAGE] = {use_registered, true},
    [URING_MIN_WAIT] = {use_min_wait, true},
    [URING_BUFFER_INC] = {use_incremental, true},
    [URING_FIXED_SENDMSG] = {use_registered, true},
};

static void print_row(FILE *out, const struct feature_state *state, unsigned i)
{
	const struct uring_feature *feature = &state->probe->feature[i];
	struct use use = {false, ""};

	fprintf(out, "%s: ", feature->name);
	if (i == URING_SETUP && state->probe->error) {
		fprintf(out, "absent, %s\n", state->probe->reason);
		return;
	}
	if (rows[i].ring && state->probe->error) {
		fputs("not tried, not used: there is no io_uring\n", out);
		return;
	}
	if (!feature->present) {
		fprintf(out, "absent, Linux %s\n", feature->since);
		return;
	}
	rows[i].use(state, &use);
	fprintf(out, "present, %s%s%s\n", use.used ? "used" : "not used",
		*use.text ? ": " : "", use.text);
}

void feature_print(FILE *out, const char *prefix,
		   const struct feature_state *state)
{
	for (unsigned i = 0; i < URING_FEATURE_NR; i++) {
		fputs(prefix, out);
		print_row(out, state, i);
	}
}

void feature_predict(struct feature_state *state,
		     const struct uring_probe *probe, unsigned worker_nr)
{
	const struct uring_feature *feature = probe->feature;
	bool fixed = feature[URING_FIXED_SENDMSG].present;

	*state = (struct feature_state){
	    .probe = probe,
	    .no_ring = probe->reason ? probe->reason : probe->advice,
	    .zerocopy = {ZEROCOPY_AUTO, SEND_ZEROCOPY_MIN},
	    .gro = feature[URING_UDP_GRO].present,
	    .worker_nr = worker_nr,
	    .traits =
		{
		    .min_wait = feature[URING_MIN_WAIT].present,
		    .incremental = feature[URING_BUFFER_INC].present,
		    .deferred = feature[URING_DEFER_TASKRUN].present,
		    .zerocopy_error = fixed ? 0 : -EOPNOTSUPP,
		    .steered = listener_unsteered(worker_nr, LISTENER_SYSFS),
		},
	};
	state->io = state->no_ring ? WORKER_IO_MMSG : WORKER_IO_URING;
}

const char *feature_no_zerocopy(const struct feature_state *state)
{
	int error = state->traits.zerocopy_error;

	if (state->zerocopy.mode != ZEROCOPY_ALWAYS || !error)
		return NULL;
	return state->io == WORKER_IO_URING ? no_zerocopy(error)
					    : "io is mmsg, which copies";
}
