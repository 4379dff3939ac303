/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TCP connections of a worker: octets in, octets out, and whose time is over.
 * Knows no back end; tcp_uring and tcp_epoll move the octets.
 *
 *	tcp_input()   octets read -> whole messages -> tcp_answer -> out
 *	tcp_step()    what the connection needs next
 *	tcp_sent()    octets written
 *	tcp_hold(), tcp_drop()  their memory is the kernel's for longer
 *
 *	in   [ piece of a message, or what waits for room in out        ]
 *	out  [ sent | being sent | rendered                      | room ]
 *	            head                                         tail
 *
 * Each connection has room for one longest message and a turn's octets in, and
 * for two longest messages out, in one lazily touched mapping made at start:
 * nothing is allocated while serving, and what a connection can take is
 * bounded. Out is never moved: it starts again at 0 when everything was sent.
 * When the room is used up no more is read (RFC 7766 section 6.2.2; a peer that
 * does not read its answers).
 *
 * A zone transfer has the connection for itself: what came behind it waits. Its
 * next piece is made when the one before has been sent, so a turn has one piece
 * of each transfer at most.
 */
#ifndef SERVER_TCP_H
#define SERVER_TCP_H

#include "query/batch.h"
#include "server/listener.h"
#include "server/tcp_transfer.h"
#include "server/worker.h"

#define TCP_READ_MAX 16384  /* octets of one tcp_input() */
#define TCP_TURN_MAX 131072 /* octets that come after tcp_wants_read() */
#define TCP_OUT_LEN  135168 /* octets of out: two messages, whole pages */

enum tcp_list {
	TCP_IDLE,   /* no query under way */
	TCP_BUSY,   /* part of a message read, or replies not sent */
	TCP_LINGER, /* write side shut, waits for the peer's end */
	TCP_LIST_NR
};

struct tcp_conn {
	struct tcp_conn *prev, *next;
	enum tcp_list list;
	int fd;		     /* < 0: closed, and the place free or held */
	uint16_t generation; /* of the place: tells its owners apart */
	uint64_t since_ms;   /* last progress or look; orders the list */
	uint64_t message_ms; /* the message under way began */
	uint32_t in_len;
	uint32_t out_head, out_tail;
	uint32_t held_nr; /* sends that the kernel still reads out for */
	uint64_t held_ms; /* the latest of them was begun */
	uint32_t queued;  /* octets the kernel had at the last look, or 0 */
	uint32_t look_nr; /* without progress */
	bool eof;	  /* the peer has ended its side */
	bool ending;	  /* answer what was read, then end */
	bool bad;	  /* protocol error: what follows is discarded */
	bool shut;	  /* write side is shut */
	bool blocked;	  /* whole messages wait in in for room in out */
	bool dead;	  /* to be closed without more ado */
	bool large;	  /* touched much of its memory */
	/* of the back end */
	bool recv_pending, send_pending, cancelling, ready;
	bool copying;		   /* zerocopy does not pay */
	uint16_t region;	   /* of out, 0: it is not registered */
	int32_t trial_res;	   /* of a send that was tried */
	uint32_t trial_len;	   /* octets of it, 0: none is under way */
	struct tcp_conn *chain;	   /* of the connections with something to do */
	struct transfer *transfer; /* under way, or NULL */
	uint8_t *in, *out;
	union listener_addr peer;
};

struct tcp {
	struct tcp_limits limits;
	struct query_ctx *query;
	struct transfer_pool transfers;
	const struct zone_set *set; /* of this turn */
	struct worker_counters *counters;
	uint64_t now_ms;  /* of this turn */
	unsigned conn_nr; /* places: the limit and some that still close */
	unsigned live_nr; /* open and not dead */
	struct tcp_conn *conn;
	struct tcp_conn *free;		   /* linked by next */
	struct tcp_conn *ready, *trial;	   /* linked by chain */
	struct query_batch batch;	   /* empty between calls */
	struct tcp_conn list[TCP_LIST_NR]; /* heads of rings, oldest first */
	uint8_t *memory;
};

enum tcp_step {
	TCP_STEP_WAIT,	/* nothing but what is wanted below */
	TCP_STEP_SHUT,	/* shutdown(SHUT_WR), then tcp_shut() */
	TCP_STEP_CLOSE, /* tcp_close() when the back end has let go of it */
};

/* Returns 0 or -ENOMEM. */
int tcp_init(struct tcp *tcp, const struct worker_options *options,
	     struct query_ctx *query, struct worker_counters *counters);

/* Closes every connection. */
void tcp_release(struct tcp *tcp);

static inline uint32_t tcp_index(const struct tcp *tcp,
				 const struct tcp_conn *conn)
{
	return (uint32_t)(conn - tcp->conn);
}

/* Takes an accepted descriptor. NULL when no place is free: it is closed. */
struct tcp_conn *tcp_open(struct tcp *tcp, int fd);

static inline bool tcp_is_over_limit(const struct tcp *tcp)
{
	return tcp->live_nr > tcp->limits.client_max;
}

/*
 * Kills the connection that is worth least, the longest idle first; it needs a
 * step. NULL when there is none. For the limit, and when descriptors run out.
 */
struct tcp_conn *tcp_give_up_oldest(struct tcp *tcp);

/* Marks a connection as dead; the next step is to close it. */
void tcp_kill(struct tcp *tcp, struct tcp_conn *conn);

/* Closes the descriptor and gives the place back, once nothing is held. */
void tcp_close(struct tcp *tcp, struct tcp_conn *conn);

/*
 * Handles len (0: end of file; at most TCP_READ_MAX) octets that were read.
 * After tcp_wants_read() has become false at most TCP_TURN_MAX more until it is
 * true again.
 */
void tcp_input(struct tcp *tcp, struct tcp_conn *conn, const uint8_t *data,
	       size_t len);

/* The first len octets from out_head on were sent. */
void tcp_sent(struct tcp *tcp, struct tcp_conn *conn, size_t len);

/*
 * A send of octets from out is under way that may be read after tcp_sent(), and
 * is no longer. The connection is not idle meanwhile.
 */
void tcp_hold(struct tcp *tcp, struct tcp_conn *conn);
void tcp_drop(struct tcp *tcp, struct tcp_conn *conn);

/*
 * Of len octets for which tcp_sent() was called only the first done ones were
 * sent after all. Only if nothing else happened to the connection meanwhile.
 */
void tcp_unsend(struct tcp *tcp, struct tcp_conn *conn, size_t done,
		size_t len);

enum tcp_step tcp_step(const struct tcp_conn *conn);
void tcp_shut(struct tcp *tcp, struct tcp_conn *conn);

static inline uint32_t tcp_unsent(const struct tcp_conn *conn)
{
	return conn->out_tail - conn->out_head;
}

bool tcp_wants_read(const struct tcp_conn *conn);

/*
 * A connection whose time is over, or NULL. It has been dealt with: one that
 * was idle ends in order, the others are dead. Both need a step.
 */
struct tcp_conn *tcp_expire(struct tcp *tcp);

/* Says of an error of accept that descriptors or memory ran out. */
bool tcp_is_exhausted(int error);

/* All connections end as soon as what they sent is answered. */
void tcp_end_all(struct tcp *tcp);

/* Milliseconds until tcp_expire() has something, -1: never. */
int64_t tcp_timeout(const struct tcp *tcp);

#endif
