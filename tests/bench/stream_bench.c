/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a reply costs on its way into a TCP connection, with the sends of
 * uring/stream over loopback: many replies in one send against one reply in
 * each, and zerocopy against copying. The sender is pinned to the first CPU, a
 * thread that reads and discards to the last one.
 *
 *	stream_bench [-j] [-r rounds] [-t milliseconds]
 *
 * The ways take turns; the figures are medians over the rounds of the CPU time
 * and of the time of the sender, the ratio is the median of the ratios within
 * each round.
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "uring/region.h"
#include "uring/stream.h"

#define ROUNDS_MAX 99
#define OUT_LEN	   65536 /* octets of a piece of memory, and its alignment */
#define OUT_NR	   16	 /* pieces, so that one is free while others are held */
#define SINK_LEN   (256 << 10)

/* One way of sending: nr replies of a turn in sends of each. */
struct way {
	const char *table;
	uint32_t size, nr, each;
	bool zerocopy;
	const char *against; /* what the ratio is to: the way before it */
};

static const struct way ways[] = {
    {"replies in one send", 100, 4, 1, false, NULL},
    {"replies in one send", 100, 4, 4, false, "one by one"},
    {"replies in one send", 100, 16, 1, false, NULL},
    {"replies in one send", 100, 16, 16, false, "one by one"},
    {"replies in one send", 100, 64, 1, false, NULL},
    {"replies in one send", 100, 64, 64, false, "one by one"},
    {"replies in one send", 500, 16, 1, false, NULL},
    {"replies in one send", 500, 16, 16, false, "one by one"},
    {"zerocopy", 100, 1, 1, false, NULL},
    {"zerocopy", 100, 1, 1, true, "copy"},
    {"zerocopy", 1000, 1, 1, false, NULL},
    {"zerocopy", 1000, 1, 1, true, "copy"},
    {"zerocopy", 4000, 1, 1, false, NULL},
    {"zerocopy", 4000, 1, 1, true, "copy"},
    {"zerocopy", 16000, 1, 1, false, NULL},
    {"zerocopy", 16000, 1, 1, true, "copy"},
    {"zerocopy", 32000, 1, 1, false, NULL},
    {"zerocopy", 32000, 1, 1, true, "copy"},
    {"zerocopy", 64000, 1, 1, false, NULL},
    {"zerocopy", 64000, 1, 1, true, "copy"},
};

#define WAY_NR (sizeof(ways) / sizeof(ways[0]))

struct sample {
	double cpu_ns, ns; /* a reply */
	double copied;	   /* share of the zerocopy sends */
};

static struct sample samples[WAY_NR][ROUNDS_MAX];

struct sender {
	struct ring ring;
	int fd;
	int region; /* < 0: no zerocopy */
	uint8_t *memory;
	uint32_t held[OUT_NR]; /* zerocopy sends of each piece */
	uint32_t at;	       /* the piece that is next */
	uint32_t waiting;      /* waiting sends, 0 or 1 */
	uint32_t lacking;      /* octets that tries did not send */
	uint64_t zerocopy_nr, copied_nr;
};

static void die(const char *what, int error)
{
	fprintf(stderr, "stream_bench: %s: %s\n", what, strerror(error));
	exit(1);
}

static double clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return 1e9 * (double)ts.tv_sec + (double)ts.tv_nsec;
}

static void pin(bool last)
{
	cpu_set_t all, one;
	int cpu = -1;

	sched_getaffinity(0, sizeof(all), &all);
	for (int i = 0; i < CPU_SETSIZE && (cpu < 0 || last); i++)
		if (CPU_ISSET(i, &all))
			cpu = i;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	pthread_setaffinity_np(pthread_self(), sizeof(one), &one);
}

static void *sink(void *arg)
{
	static uint8_t octets[SINK_LEN];
	int fd = *(int *)arg;

	pin(true);
	while (recv(fd, octets, sizeof(octets), 0) > 0)
		;
	return NULL;
}

static void take(struct sender *sender, const struct ring_event *event)
{
	bool notification = event->flags & IORING_CQE_F_NOTIF;

	if (event->op == RING_TCP_TRY) {
		/* all of an index, less what was sent */
		sender->lacking +=
		    event->index - (event->res > 0 ? (uint32_t)event->res : 0);
		return;
	}
	if (!notification && event->res < 0)
		die("send", -event->res);
	if (event->op == RING_TCP_SEND) {
		sender->waiting = 0;
		sender->lacking -= (uint32_t)event->res;
		return;
	}
	if (notification)
		sender->copied_nr += stream_was_copied(event);
	else
		sender->waiting = 0;
	if (!(event->flags & IORING_CQE_F_MORE))
		sender->held[event->index]--;
}

static void enter(struct sender *sender, unsigned wait_nr)
{
	const struct ring_wait wait = {wait_nr, 0, -1};
	struct ring_event event;
	int error = ring_enter(&sender->ring, &wait);

	if (error && error != -EINTR)
		die("io_uring_enter", -error);
	while (ring_next(&sender->ring, &event))
		take(sender, &event);
}

/* Waits until the socket has taken what it had no room for. */
static void send_lacking(struct sender *sender)
{
	while (sender->lacking) {
		const struct stream_data data = {
		    .fd = sender->fd,
		    .data = sender->memory,
		    .len =
			sender->lacking < OUT_LEN ? sender->lacking : OUT_LEN,
		};

		stream_send(&sender->ring, &data);
		sender->waiting = 1;
		while (sender->waiting)
			enter(sender, 1);
	}
}

static void send_zerocopy(struct sender *sender, const struct way *way)
{
	const struct stream_data data = {
	    .fd = sender->fd,
	    .data = sender->memory + (size_t)sender->at * OUT_LEN,
	    .len = way->size * way->each,
	    .index = sender->at,
	};

	while (sender->held[sender->at])
		enter(sender, 1);
	stream_send_zerocopy(&sender->ring, &data, (unsigned)sender->region);
	sender->held[sender->at]++;
	sender->zerocopy_nr++;
	sender->at = (sender->at + 1) % OUT_NR;
	sender->waiting = 1;
	while (sender->waiting)
		enter(sender, 1);
}

/* A turn of a worker: all of its sends, then one way into the kernel. */
static void send_turn(struct sender *sender, const struct way *way)
{
	if (way->zerocopy) {
		send_zerocopy(sender, way);
		return;
	}
	for (uint32_t i = 0; i < way->nr; i += way->each) {
		const struct stream_data data = {
		    .fd = sender->fd,
		    .data = sender->memory + (size_t)i * way->size,
		    .len = way->size * way->each,
		    .index = way->size * way->each,
		};

		stream_try(&sender->ring, &data);
	}
	enter(sender, 0);
	send_lacking(sender);
}

static void let_go(struct sender *sender)
{
	for (uint32_t i = 0; i < OUT_NR; i++)
		while (sender->held[i])
			enter(sender, 1);
}

static struct sample run(struct sender *sender, const struct way *way,
			 double duration_ns)
{
	double cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	double begin = clock_ns(CLOCK_MONOTONIC), end;
	struct sample sample = {0};
	uint64_t replies = 0;

	sender->zerocopy_nr = sender->copied_nr = 0;
	do {
		send_turn(sender, way);
		replies += way->nr;
		end = clock_ns(CLOCK_MONOTONIC);
	} while (end - begin < duration_ns);
	let_go(sender);
	end = clock_ns(CLOCK_MONOTONIC);
	sample.ns = (end - begin) / (double)replies;
	sample.cpu_ns =
	    (clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu) / (double)replies;
	if (sender->zerocopy_nr)
		sample.copied =
		    (double)sender->copied_nr / (double)sender->zerocopy_nr;
	return sample;
}

static void connect_pair(int *from, int *to)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	socklen_t len = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	*from = socket(AF_INET, SOCK_STREAM, 0);
	if (listener < 0 || *from < 0 ||
	    bind(listener, (struct sockaddr *)&address, len) ||
	    listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&address, &len) ||
	    connect(*from, (struct sockaddr *)&address, len))
		die("connection", errno);
	/* as the sockets of the listeners have it */
	setsockopt(*from, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
	*to = accept(listener, NULL, NULL);
	if (*to < 0)
		die("accept", errno);
	close(listener);
}

static void open_sender(struct sender *sender)
{
	const size_t len = (size_t)OUT_NR * OUT_LEN;
	int error = ring_init(&sender->ring);

	if (error)
		die("io_uring", -error);
	sender->memory =
	    mmap(NULL, len, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (sender->memory == MAP_FAILED)
		die("memory", errno);
	sender->region = region_take(&sender->ring, sender->memory, len);
	if (sender->region >= 0 && !stream_can_zerocopy(&sender->ring))
		sender->region = -1;
	if (sender->region < 0)
		fprintf(stderr, "stream_bench: no zerocopy here\n");
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, unsigned nr)
{
	qsort(values, nr, sizeof(*values), compare);
	return nr % 2 ? values[nr / 2]
		      : (values[nr / 2 - 1] + values[nr / 2]) / 2;
}

struct result {
	double cpu_ns, ns, copied, ratio, low, high;
};

/* ratio: CPU time of the way before over that of this one. */
static struct result summarize(unsigned way, unsigned rounds)
{
	double cpu[ROUNDS_MAX] = {0}, ns[ROUNDS_MAX] = {0};
	double ratio[ROUNDS_MAX] = {0};
	struct result result = {0};

	for (unsigned i = 0; i < rounds; i++) {
		cpu[i] = samples[way][i].cpu_ns;
		ns[i] = samples[way][i].ns;
		ratio[i] = way ? samples[way - 1][i].cpu_ns / cpu[i] : 1;
		result.copied += samples[way][i].copied / rounds;
	}
	result.cpu_ns = median(cpu, rounds);
	result.ns = median(ns, rounds);
	result.ratio = median(ratio, rounds);
	result.low = ratio[0];
	result.high = ratio[rounds - 1];
	return result;
}

static void print_text(unsigned i, const struct result *result)
{
	const struct way *way = &ways[i];

	if (!i || strcmp(way->table, ways[i - 1].table))
		printf("\n%-20s %7s %6s %9s %9s %9s\n", way->table, "octets",
		       "a send", "CPU ns", "ns", "ratio");
	printf("%-20s %7u %6u %9.0f %9.0f", way->zerocopy ? "zerocopy" : "copy",
	       way->size, way->each, result->cpu_ns, result->ns);
	if (way->against)
		printf(" %9.2f (%.2f-%.2f) to %s", result->ratio, result->low,
		       result->high, way->against);
	if (way->zerocopy)
		printf(", %.0f %% copied", 100 * result->copied);
	printf("\n");
}

static void print_json(unsigned i, const struct result *result)
{
	const struct way *way = &ways[i];

	printf("%s\n  {\"table\": \"%s\", \"octets\": %u, \"turn\": %u, "
	       "\"a_send\": %u, \"zerocopy\": %s, \"cpu_ns\": %.1f, "
	       "\"ns\": %.1f, \"copied\": %.3f",
	       i ? "," : "[", way->table, way->size, way->nr, way->each,
	       way->zerocopy ? "true" : "false", result->cpu_ns, result->ns,
	       result->copied);
	if (way->against)
		printf(", \"ratio\": %.3f, \"low\": %.3f, \"high\": %.3f",
		       result->ratio, result->low, result->high);
	printf("}");
}

static void measure(struct sender *sender, unsigned rounds, double duration_ns)
{
	for (unsigned round = 0; round <= rounds; round++) {
		for (unsigned i = 0; i < WAY_NR; i++) {
			struct sample sample;

			if (ways[i].zerocopy && sender->region < 0)
				continue;
			sample = run(sender, &ways[i], duration_ns);
			/* the first round warms up */
			if (round)
				samples[i][round - 1] = sample;
		}
	}
}

static void print(unsigned rounds, bool json, bool zerocopy)
{
	for (unsigned i = 0; i < WAY_NR; i++) {
		struct result result = summarize(i, rounds);

		if (ways[i].zerocopy && !zerocopy)
			continue;
		if (json)
			print_json(i, &result);
		else
			print_text(i, &result);
	}
	if (json)
		printf("\n]\n");
}

int main(int argc, char **argv)
{
	unsigned rounds = 9, milliseconds = 40;
	struct sender sender = {0};
	pthread_t thread;
	bool json = false;
	int option, peer;

	while ((option = getopt(argc, argv, "jr:t:")) != -1) {
		if (option == 'j')
			json = true;
		else if (option == 'r')
			rounds = (unsigned)atoi(optarg);
		else if (option == 't')
			milliseconds = (unsigned)atoi(optarg);
		if (option == '?' || !rounds || rounds > ROUNDS_MAX ||
		    !milliseconds) {
			fprintf(stderr, "usage: stream_bench [-j] [-r rounds] "
					"[-t milliseconds]\n");
			return 2;
		}
	}
	connect_pair(&sender.fd, &peer);
	pthread_create(&thread, NULL, sink, &peer);
	pin(false);
	open_sender(&sender);
	measure(&sender, rounds, 1e6 * milliseconds);
	print(rounds, json, sender.region >= 0);
	ring_release(&sender.ring);
	shutdown(sender.fd, SHUT_WR);
	pthread_join(thread, NULL);
	return 0;
}
