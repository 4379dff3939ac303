/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * State machine of TCP connections.
 *
 * A list holds its connections in order of their last progress, and one limit
 * holds for a whole list, so only heads are looked at for time-outs.
 *
 * Ending in order (RFC 7766 section 6.2.4): shut the write side, read and
 * discard until the peer's end or a short limit, close. Closing with octets
 * unread would make the kernel send a RST, which can destroy the last reply on
 * its way.
 */
#include "server/tcp_answer.h"

#include <assert.h>
#include <errno.h>
#include <linux/sockios.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/octets.h"
#include "dns/message.h"

#define IN_LEN	 ((TCP_FRAME_MAX + TCP_TURN_MAX + 4095) / 4096 * 4096)
#define CONN_LEN (IN_LEN + TCP_OUT_LEN)
_Static_assert(TCP_OUT_LEN >= 2 * TCP_FRAME_MAX, "two longest messages");
_Static_assert(TCP_OUT_LEN % 4096 == 0, "whole pages");
/* Connections that were given up and whose I/O is still being cancelled. */
#define SPARE_NR  128
#define LINGER_MS 1000
/* A message that trickles in gets so many times the limit for one step. */
#define TRICKLE_MAX 8
/* A connection that stands still for so long is stuck. */
#define STUCK_MS 200
/*
 * A connection is looked at so many times before it counts as standing still: a
 * peer that takes so many octets from the socket's buffer between two looks
 * gets on, although no completion says so.
 */
#define LOOKS	  2
#define DRAIN_MIN 2048

static void list_remove(struct tcp_conn *conn)
{
	conn->prev->next = conn->next;
	conn->next->prev = conn->prev;
}

static void list_append(struct tcp_conn *head, struct tcp_conn *conn)
{
	conn->prev = head->prev;
	conn->next = head;
	head->prev->next = conn;
	head->prev = conn;
}

static struct tcp_conn *list_first(struct tcp *tcp, enum tcp_list list)
{
	struct tcp_conn *head = &tcp->list[list];

	return head->next == head ? NULL : head->next;
}

int tcp_init(struct tcp *tcp, const struct worker_options *options,
	     struct query_ctx *query, struct worker_counters *counters)
{
	const struct tcp_limits *limits = &options->tcp;

	memset(tcp, 0, sizeof(*tcp));
	tcp->limits = *limits;
	tcp->query = query;
	tcp->counters = counters;
	for (unsigned i = 0; i < TCP_LIST_NR; i++)
		tcp->list[i].next = tcp->list[i].prev = &tcp->list[i];
	tcp->conn_nr = limits->client_max + SPARE_NR;
	tcp->conn = calloc(tcp->conn_nr, sizeof(*tcp->conn));
	if (!tcp->conn || transfer_init(&tcp->transfers, &options->transfer,
					query, counters)) {
		tcp_release(tcp);
		return -ENOMEM;
	}
	tcp->memory =
	    mmap(NULL, tcp->conn_nr * (size_t)CONN_LEN, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (tcp->memory == MAP_FAILED) {
		tcp->memory = NULL;
		tcp_release(tcp);
		return -ENOMEM;
	}
	for (unsigned i = tcp->conn_nr; i-- > 0;) {
		struct tcp_conn *conn = &tcp->conn[i];

		conn->fd = -1;
		conn->in = tcp->memory + (size_t)i * CONN_LEN;
		conn->out = conn->in + IN_LEN;
		conn->next = tcp->free;
		tcp->free = conn;
	}
	return 0;
}

void tcp_release(struct tcp *tcp)
{
	for (unsigned i = 0; tcp->memory && i < tcp->conn_nr; i++)
		if (tcp->conn[i].fd >= 0)
			tcp_close(tcp, &tcp->conn[i]);
	if (tcp->memory)
		munmap(tcp->memory, tcp->conn_nr * (size_t)CONN_LEN);
	free(tcp->conn);
	transfer_release(&tcp->transfers);
	tcp->memory = NULL;
	tcp->conn = NULL;
}

static void set_open_counter(struct tcp *tcp)
{
	__atomic_store_n(&tcp->counters->tcp_open, tcp->live_nr,
			 __ATOMIC_RELAXED);
}

static void count(uint64_t *counter)
{
	__atomic_store_n(counter, *counter + 1, __ATOMIC_RELAXED);
}

static bool is_under_way(const struct tcp_conn *conn)
{
	return conn->in_len || tcp_unsent(conn) || conn->held_nr;
}

/* To the end of its list. */
static void move(struct tcp *tcp, struct tcp_conn *conn)
{
	conn->since_ms = tcp->now_ms;
	list_remove(conn);
	list_append(&tcp->list[conn->list], conn);
}

/* Puts a connection where it belongs; progress starts its time anew. */
static void place(struct tcp *tcp, struct tcp_conn *conn)
{
	bool was_idle = conn->list == TCP_IDLE;

	if (conn->shut)
		conn->list = TCP_LINGER;
	else
		conn->list = is_under_way(conn) ? TCP_BUSY : TCP_IDLE;
	if (conn->list == TCP_BUSY && was_idle)
		conn->message_ms = tcp->now_ms;
	conn->queued = conn->look_nr = 0;
	move(tcp, conn);
}

struct tcp_conn *tcp_open(struct tcp *tcp, int fd)
{
	struct tcp_conn *conn = tcp->free;
	uint16_t generation;
	uint8_t *in, *out;
	socklen_t len = sizeof(conn->peer);

	if (!conn) {
		close(fd);
		return NULL;
	}
	tcp->free = conn->next;
	in = conn->in;
	out = conn->out;
	generation = conn->generation;
	memset(conn, 0, sizeof(*conn));
	conn->generation = generation + 1;
	conn->in = in;
	conn->out = out;
	conn->fd = fd;
	conn->since_ms = tcp->now_ms;
	if (getpeername(fd, &conn->peer.sa, &len))
		conn->peer.sa.sa_family = AF_UNSPEC;
	list_append(&tcp->list[TCP_IDLE], conn);
	tcp->live_nr++;
	count(&tcp->counters->tcp_accepted);
	set_open_counter(tcp);
	return conn;
}

void tcp_kill(struct tcp *tcp, struct tcp_conn *conn)
{
	if (conn->dead)
		return;
	conn->dead = true;
	transfer_end(&tcp->transfers, conn->transfer);
	conn->transfer = NULL;
	list_remove(conn);
	tcp->live_nr--;
	set_open_counter(tcp);
}

/*
 * Lingering ones are done with; then the longest idle; then the one that is
 * stuck for longest. Where all others make progress the newcomer, the only
 * idle one, has to go.
 */
static struct tcp_conn *oldest(struct tcp *tcp)
{
	struct tcp_conn *idle = list_first(tcp, TCP_IDLE);
	struct tcp_conn *busy = list_first(tcp, TCP_BUSY);

	if (list_first(tcp, TCP_LINGER))
		return list_first(tcp, TCP_LINGER);
	if (busy && tcp->now_ms - busy->since_ms >= STUCK_MS &&
	    (!idle || idle->since_ms == tcp->now_ms))
		return busy;
	return idle ? idle : busy;
}

struct tcp_conn *tcp_give_up_oldest(struct tcp *tcp)
{
	struct tcp_conn *conn = oldest(tcp);

	if (conn) {
		count(&tcp->counters->tcp_closed_limit);
		tcp_kill(tcp, conn);
	}
	return conn;
}

void tcp_close(struct tcp *tcp, struct tcp_conn *conn)
{
	tcp_kill(tcp, conn);
	if (conn->fd >= 0)
		close(conn->fd);
	conn->fd = -1;
	if (conn->held_nr)
		return;
	if (conn->large)
		madvise(conn->in, CONN_LEN, MADV_DONTNEED);
	conn->next = tcp->free;
	tcp->free = conn;
}

bool tcp_wants_read(const struct tcp_conn *conn)
{
	return !conn->dead && !conn->eof && (conn->shut || !conn->blocked);
}

/* Goes on with what lies in in. */
static void answer_stored(struct tcp *tcp, struct tcp_conn *conn)
{
	size_t used = tcp_answer(tcp, conn, conn->in, conn->in_len);

	conn->in_len -= (uint32_t)used;
	memmove(conn->in, conn->in + used, conn->in_len);
}

static void store(struct tcp_conn *conn, const uint8_t *data, size_t len)
{
	assert(conn->in_len + len <= IN_LEN);
	memcpy(conn->in + conn->in_len, data, len);
	conn->in_len += (uint32_t)len;
	if (conn->in_len > TCP_KEEP_LEN)
		conn->large = true;
}

void tcp_input(struct tcp *tcp, struct tcp_conn *conn, const uint8_t *data,
	       size_t len)
{
	uint32_t before = conn->out_tail;

	if (!len) {
		conn->eof = true;
		if (!conn->blocked)
			conn->in_len = 0; /* what is left never gets whole */
		return;
	}
	if (conn->shut || conn->bad)
		return; /* discarded; the time for it runs on */
	if (conn->in_len) {
		store(conn, data, len);
		answer_stored(tcp, conn);
	} else {
		size_t used = tcp_answer(tcp, conn, data, len);

		store(conn, data + used, len - used);
	}
	if (conn->out_tail != before)
		conn->message_ms = tcp->now_ms;
	/* octet by octet is progress, but not for ever */
	if (tcp->now_ms - conn->message_ms <=
		(uint64_t)TRICKLE_MAX * tcp->limits.io_ms ||
	    conn->list == TCP_IDLE)
		place(tcp, conn);
}

/* Fills out, which has all its room again. */
static void refill(struct tcp *tcp, struct tcp_conn *conn)
{
	conn->out_head = conn->out_tail = 0;
	if (conn->transfer && !tcp_fill_transfer(tcp, conn)) {
		tcp_kill(tcp, conn);
		return;
	}
	if (conn->blocked && !conn->transfer)
		answer_stored(tcp, conn);
	if (conn->eof && !conn->blocked)
		conn->in_len = 0;
}

static void go_on(struct tcp *tcp, struct tcp_conn *conn)
{
	if (!tcp_unsent(conn) && !conn->held_nr)
		refill(tcp, conn);
	if (!conn->dead)
		place(tcp, conn);
}

void tcp_sent(struct tcp *tcp, struct tcp_conn *conn, size_t len)
{
	if (conn->dead)
		return;
	if (conn->transfer &&
	    transfer_is_over(&tcp->transfers, conn->transfer, tcp->now_ms)) {
		tcp_kill(tcp, conn);
		return;
	}
	conn->out_head += (uint32_t)len;
	go_on(tcp, conn);
}

void tcp_hold(struct tcp *tcp, struct tcp_conn *conn)
{
	conn->held_nr++;
	conn->held_ms = tcp->now_ms;
}

void tcp_drop(struct tcp *tcp, struct tcp_conn *conn)
{
	assert(conn->held_nr);
	conn->held_nr--;
	if (conn->dead) {
		if (conn->fd < 0)
			tcp_close(tcp, conn);
		return;
	}
	go_on(tcp, conn);
}

void tcp_unsend(struct tcp *tcp, struct tcp_conn *conn, size_t done, size_t len)
{
	assert(!tcp_unsent(conn));
	if (conn->dead)
		return;
	conn->out_head = (uint32_t)done;
	conn->out_tail = (uint32_t)len;
	place(tcp, conn);
}

enum tcp_step tcp_step(const struct tcp_conn *conn)
{
	if (conn->dead)
		return TCP_STEP_CLOSE;
	if (tcp_unsent(conn) || conn->blocked || conn->held_nr)
		return TCP_STEP_WAIT;
	if (conn->eof)
		return TCP_STEP_CLOSE;
	if (conn->ending && !conn->shut)
		return TCP_STEP_SHUT;
	return TCP_STEP_WAIT;
}

void tcp_shut(struct tcp *tcp, struct tcp_conn *conn)
{
	conn->shut = true;
	conn->in_len = 0;
	place(tcp, conn);
}

static uint64_t limit_of(const struct tcp *tcp, enum tcp_list list)
{
	switch (list) {
	case TCP_IDLE:
		return tcp->limits.idle_ms;
	case TCP_BUSY:
		return tcp->limits.io_ms / LOOKS;
	default:
		return LINGER_MS;
	}
}

/* Octets that the kernel has and the peer has not acknowledged. */
static uint32_t octets_queued(const struct tcp_conn *conn)
{
	int queued;

	if (!tcp_unsent(conn) && !conn->held_nr)
		return 0;
	return ioctl(conn->fd, SIOCOUTQ, &queued) || queued < 0
		   ? 0
		   : (uint32_t)queued;
}

/* A look at a connection without progress. False: that was the last one. */
static bool is_spared(struct tcp *tcp, struct tcp_conn *conn)
{
	uint32_t before = conn->queued;

	conn->queued = octets_queued(conn);
	if (before >= conn->queued + DRAIN_MIN)
		conn->look_nr = 0;
	else if (++conn->look_nr == LOOKS)
		return false;
	move(tcp, conn);
	return true;
}

static struct tcp_conn *first_due(struct tcp *tcp, enum tcp_list list)
{
	struct tcp_conn *conn;

	while ((conn = list_first(tcp, list)) &&
	       tcp->now_ms - conn->since_ms >= limit_of(tcp, list))
		if (list != TCP_BUSY || !is_spared(tcp, conn))
			return conn;
	return NULL;
}

struct tcp_conn *tcp_expire(struct tcp *tcp)
{
	for (unsigned i = 0; i < TCP_LIST_NR; i++) {
		struct tcp_conn *conn = first_due(tcp, i);

		if (!conn)
			continue;
		if (i != TCP_IDLE) {
			tcp_kill(tcp, conn);
			return conn;
		}
		count(&tcp->counters->tcp_closed_idle);
		conn->ending = true;
		/* its step is to shut; until then it must not be found again */
		place(tcp, conn);
		return conn;
	}
	return NULL;
}

bool tcp_is_exhausted(int error)
{
	return error == -EMFILE || error == -ENFILE || error == -ENOMEM ||
	       error == -ENOBUFS;
}

void tcp_end_all(struct tcp *tcp)
{
	for (unsigned i = 0; i < tcp->conn_nr; i++)
		if (tcp->conn[i].fd >= 0)
			tcp->conn[i].ending = true;
}

int64_t tcp_timeout(const struct tcp *tcp)
{
	int64_t least = -1;

	for (unsigned i = 0; i < TCP_LIST_NR; i++) {
		const struct tcp_conn *head = &tcp->list[i];
		int64_t rest;

		if (head->next == head)
			continue;
		rest = (int64_t)(head->next->since_ms + limit_of(tcp, i) -
				 tcp->now_ms);
		if (rest < 0)
			rest = 0;
		if (least < 0 || rest < least)
			least = rest;
	}
	return least;
}
