/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside of a worker, for the files server/worker*.c and server/tcp_*.c.
 *
 *	worker.c	life: new, start, stop; choice of the back end
 *	worker_udp.c	datagrams to replies, for both back ends
 *	worker_uring.c	the loop around the ring
 *	worker_mmsg.c	the loop around epoll, recvmmsg and sendmmsg
 *	tcp_uring.c	TCP connections on the ring
 *	tcp_zerocopy.c	their large sends
 *	tcp_epoll.c	TCP connections on epoll
 *
 * A turn is one wake-up: everything that is ready is answered, then sent.
 */
#ifndef SERVER_WORKER_LOOP_H
#define SERVER_WORKER_LOOP_H

#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>

#include "query/batch.h"
#include "server/tcp.h"
#include "server/wait.h"
#include "server/worker.h"
#include "uring/slot.h"
#include "uring/bundle.h"
#include "uring/datagram.h"
#include "uring/mmsg.h"
#include "uring/recv.h"
#include "uring/send.h"
#include "uring/stream.h"

/* Accept again so long after descriptors had run out. */
#define WORKER_ACCEPT_REST_MS 100
/* A stop drains what was received, but not a flood. */
#define WORKER_DRAIN_TURNS 64

/* Receives of the ring whose buffers are not given back yet. */
#define WORKER_HELD_MAX QUERY_BATCH_MAX

/*
 * UDP queries, of one datagram or of several, that are answered together. The
 * octets of each lie in its receive buffer until then.
 */
struct worker_batch {
	struct query_batch queries;
	uint8_t asker[QUERY_BATCH_MAX]; /* of each: index into endpoint */
	unsigned endpoint_nr;
	struct endpoint endpoint[QUERY_BATCH_MAX];
};

struct worker {
	struct worker_options options;
	struct worker_counters counters;
	struct query_ctx query;
	enum worker_io io; /* in use */
	struct worker_traits traits;

	/* start and stop */
	pthread_t thread;
	sem_t started;
	int error;	 /* of the start */
	const char *why; /* static text */
	int wake_fd;	 /* eventfd */
	bool stopping;	 /* atomic */
	unsigned grace_ms;

	/* of the thread */
	struct wait wait;
	unsigned wait_us;	    /* of the last entry into the kernel */
	uint64_t now_ms;	    /* of this turn */
	const struct zone_set *set; /* of this turn */
	bool *accepting;	    /* one a listener */
	uint64_t accept_again_ms;   /* 0: none rests */
	uint64_t stop_ms;	    /* 0: not stopping, else the latest end */
	unsigned drained;	    /* turns since the stop was seen */
	size_t room;		    /* octets for one UDP reply */
	void (*flush)(struct worker *worker);
	struct udp_socket *socket; /* one a listener */
	struct tcp tcp;
	struct slot_arena arena;
	struct bundle_set bundles;
	struct worker_batch batch; /* empty between turns */

	/* io_uring */
	struct ring ring;
	struct receiver receiver;
	struct buffer_ring tcp_buffers;
	uint32_t tcp_zerocopy_min; /* octets of a send; UINT32_MAX: never */
	struct sender sender;
	uint64_t wake_value;
	unsigned held_nr;
	struct ring_event held[WORKER_HELD_MAX];

	/* mmsg */
	struct mmsg mmsg;
	int epoll_fd;
};

/* Reads the clock and the published zone set; once a turn, while online. */
void worker_begin_turn(struct worker *worker);

/* Counts the turn, and lets the wait learn from it. */
void worker_end_turn(struct worker *worker);

/* True once the thread is to end; starts the ending when it was asked for. */
bool worker_is_stopping(struct worker *worker);

/* Milliseconds until something is due, -1: nothing is. */
int64_t worker_timeout(const struct worker *worker);

/* Adds the counters of the back end to those that others read. */
void worker_publish_send(struct worker *worker,
			 const struct send_counters *counters);

/* Descriptors have run out: accepting rests for a moment. */
void worker_accept_failed(struct worker *worker);

/*
 * Adds the queries of a datagram to the batch; whenever that is full it is
 * answered. The datagram's octets must stay until worker_answer().
 */
void worker_gather(struct worker *worker, const struct datagram *datagram);

/*
 * Answers what is in the batch into the bundles. To be called before receive
 * buffers are given back and at the end of a turn.
 */
void worker_answer(struct worker *worker);

/* Run the back end until the stop. 0 or -errno from the set-up. */
int worker_uring_init(struct worker *worker);
void worker_uring_run(struct worker *worker);
void worker_uring_release(struct worker *worker);
int worker_mmsg_init(struct worker *worker);
void worker_mmsg_run(struct worker *worker);
void worker_mmsg_release(struct worker *worker);

/* TCP on the ring. */
void tcp_uring_arm(struct worker *worker);
void tcp_uring_finish(struct worker *worker); /* after the kernel returned */
void tcp_uring_event(struct worker *worker, const struct ring_event *event);
void tcp_uring_turn(struct worker *worker); /* time-outs, accept again */
void tcp_uring_stop(struct worker *worker);

/*
 * Large sends of TCP on the ring without copying. After tcp_zerocopy_wants()
 * the send may be done; the others are told of every completion, and of the
 * end.
 */
void tcp_zerocopy_init(struct worker *worker);
bool tcp_zerocopy_wants(struct worker *worker, struct tcp_conn *conn);
void tcp_zerocopy_send(struct worker *worker, struct tcp_conn *conn,
		       const struct stream_data *data);
void tcp_zerocopy_event(struct worker *worker, struct tcp_conn *conn,
			const struct ring_event *event);
void tcp_zerocopy_end(struct worker *worker, struct tcp_conn *conn);

/* What an epoll event is about, which of them, and its generation. */
enum worker_event { EVENT_WAKE, EVENT_UDP, EVENT_ACCEPT, EVENT_CONN };

static inline uint64_t worker_event(enum worker_event what, uint16_t generation,
				    uint32_t index)
{
	return (uint64_t)what << 48 | (uint64_t)generation << 32 | index;
}

/* TCP on epoll. */
int tcp_epoll_arm(struct worker *worker);
void tcp_epoll_accept(struct worker *worker, unsigned listener);
void tcp_epoll_event(struct worker *worker, const struct epoll_event *event);
void tcp_epoll_turn(struct worker *worker);
void tcp_epoll_stop(struct worker *worker);

static inline void counter_set(uint64_t *counter, uint64_t value)
{
	__atomic_store_n(counter, value, __ATOMIC_RELAXED);
}

static inline void counter_add(uint64_t *counter, uint64_t value)
{
	counter_set(counter, *counter + value);
}

#endif
