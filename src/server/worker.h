/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A worker thread: its ring (or its recvmmsg loop), its sockets, its loop from
 * receive to send. The only place where DNS meets the ring.
 *
 * The control thread makes, starts and stops workers; everything else in a
 * worker is its thread's alone. A worker never exits on its own and never
 * logs; what it has to say is in its counters and its state.
 */
#ifndef SERVER_WORKER_H
#define SERVER_WORKER_H

#include "query/query.h"
#include "server/listener.h"
#include "server/wait.h"
#include "uring/probe.h"
#include "uring/send.h"

enum worker_io { WORKER_IO_AUTO, WORKER_IO_URING, WORKER_IO_MMSG };

struct tcp_limits {
	unsigned client_max; /* connections a worker; beyond: the longest
				idle one is closed */
	unsigned idle_ms;    /* without a query under way */
	unsigned io_ms;	     /* without progress on a message */
};

struct transfer_limits {
	unsigned max; /* zone transfers a worker at a time */
	unsigned ms;  /* of one of them */
};

struct worker_options {
	unsigned id; /* index into listener->udp_fd and tcp_fd */
	int cpu;     /* pinned to it; -1: not pinned */
	enum worker_io io;
	struct wait_policy wait;
	struct zerocopy_policy zerocopy;
	const struct listener *listener;
	unsigned listener_nr;
	struct zone_set *const *zone_set; /* published pointer, liburcu QSBR */
	const struct query_config *query;
	struct tcp_limits tcp;
	struct transfer_limits transfer;
};

/* Written by the worker alone, read by the control thread, never torn. */
struct worker_counters {
	uint64_t udp_bundles;	  /* UDP sends */
	uint64_t udp_replies;	  /* replies in them */
	uint64_t udp_send_errors; /* dropped: EAGAIN, EMSGSIZE, ... */
	uint64_t gso_retreats;	  /* sockets on which GSO was given up */
	uint64_t zerocopy_sends;
	uint64_t zerocopy_copied;  /* notifications that said "copied" */
	uint64_t zerocopy_resting; /* sockets that copy for a while, now */
	uint64_t wait_us;	   /* minimum batch wait, now */
	uint64_t turns;		   /* wake-ups */
	uint64_t rearms;	   /* multishot requests armed again */
	uint64_t enobufs;	   /* of these: provided buffers had run out */
	uint64_t cq_overflows;
	uint64_t tcp_sends;
	uint64_t tcp_replies; /* in them */
	uint64_t tcp_zerocopy_sends;
	uint64_t tcp_zerocopy_copied;
	uint64_t tcp_accepted;
	uint64_t tcp_closed_idle;
	uint64_t tcp_closed_limit;
	uint64_t tcp_open; /* now */
	uint64_t tcp_accept_errors;
	uint64_t transfers_open; /* now */
	uint64_t transfers_done; /* to the last SOA, as far as we can tell */
	uint64_t transfers_broken;
};

/* What the kernel gave a worker at its start. */
struct worker_traits {
	struct uring_probe probe; /* with io = mmsg: not filled */
	bool min_wait, incremental, deferred;
	int zerocopy_error;  /* of send_zerocopy() */
	const char *steered; /* of listener_steer() */
};

struct worker;

/* Memory and nothing else. Returns 0 or -ENOMEM. */
int worker_new(struct worker **out, const struct worker_options *options);

/*
 * Starts the thread and waits until its loop runs or has failed. Returns 0 or
 * -errno; *why (static text or NULL) says what failed, or, with 0 returned and
 * WORKER_IO_AUTO, why io_uring is not used.
 */
int worker_start(struct worker *worker, const char **why);

/*
 * Stops: replies to everything already received go out, TCP connections get
 * their pending replies, then the thread ends. Waits at most grace_ms for TCP.
 */
void worker_stop(struct worker *worker, unsigned grace_ms);

void worker_free(struct worker *worker);

/* From worker_start() on. */
enum worker_io worker_io(const struct worker *worker); /* in use */
const struct worker_traits *worker_traits(const struct worker *worker);

const struct worker_counters *worker_counters(const struct worker *worker);
const struct query_counters *worker_query_counters(const struct worker *worker);

#endif
