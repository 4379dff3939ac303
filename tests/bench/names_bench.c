/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an answer costs in zones of many names, asked for at random: one
 * message after the other, and in batches; no socket.
 *
 *	names_bench [-g BATCH] [-n QUERIES] [-r ROUNDS] NAMES...
 *
 *	-g	messages of a batch, QUERY_BATCH_MAX unless given
 *	-n	queries of a turn, 16384 unless given
 *	-r	turns, 101 unless given
 *
 * Each zone has NAMES A records under random labels; nothing but the cost of
 * memory changes with their number. Zones and ways take turns: hits single,
 * hits in batches, NXDOMAIN single, NXDOMAIN in batches. One line each on
 * standard output: names, way, median, lower and upper quartile of the
 * nanoseconds of CPU time a query.
 *
 * As in a worker, the messages of a wake-up are hot and the replies go one
 * behind the other into an arena; names are drawn anew for each wake-up, and
 * that is not timed.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/octets.h"
#include "bench.h"
#include "dns/message.h"
#include "query/batch.h"

#define APEX	    "names.test"
#define WAKE_UP	    1024 /* messages: BUNDLE_REPLY_MAX */
#define LABEL_LEN   12
#define MESSAGE_LEN (DNS_HEADER_LEN + 1 + LABEL_LEN + sizeof(APEX) + 1 + 4)
#define ARENA_LEN   (1 << 20)
#define ROOM	    1232
#define ROUNDS_MAX  10000
#define ZONES_MAX   8

enum kind { HIT, HIT_BATCH, MISS, MISS_BATCH, KIND_NR };

static const char *const kind_name[KIND_NR] = {"hit", "hit-batch", "nxdomain",
					       "nxdomain-batch"};

struct options {
	unsigned long query_nr, round_nr, batch;
};

struct sample {
	struct zone_set *set;
	unsigned long name_nr;
	double ns[KIND_NR][ROUNDS_MAX]; /* of each turn */
};

static struct sample sample[ZONES_MAX];
static const struct query_config config = {.max_udp_payload = ROOM};
static struct query_ctx ctx = {.config = &config};
static struct query_batch batch;
static uint8_t message[WAKE_UP][MESSAGE_LEN];
static uint8_t arena[ARENA_LEN];
static size_t arena_used;
static uint64_t draw_state;

/* A bijection of 64-bit numbers that looks random (Steele et al., 2014). */
static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

/* The label of the i-th name: 60 bits of its number, mixed. */
static void put_label(char *out, uint64_t i)
{
	uint64_t bits = mix(i + 1);

	for (unsigned k = 0; k < LABEL_LEN; k++, bits >>= 5)
		out[k] = "abcdefghijklmnopqrstuvwxyz234567"[bits & 31];
}

static void write_zone(FILE *out, unsigned long name_nr)
{
	char label[LABEL_LEN];

	fprintf(out, "$TTL 300\n@ SOA ns hm 1 2 3 4 5\n@ NS ns\n"
		     "ns A 192.0.2.1\n");
	for (unsigned long i = 0; i < name_nr; i++) {
		put_label(label, i);
		fprintf(out, "%.*s A 10.%lu.%lu.%lu\n", LABEL_LEN, label,
			i >> 16 & 255, i >> 8 & 255, i & 255);
	}
}

static struct zone_set *make_zone(unsigned long name_nr)
{
	char path[] = "/tmp/names_bench-XXXXXX";
	int fd = mkstemp(path);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	struct zone_set *set;

	if (!out)
		bench_die(path, strerror(errno));
	write_zone(out, name_nr);
	if (fclose(out)) {
		unlink(path);
		bench_die(path, strerror(errno));
	}
	set = bench_zone(APEX, path);
	unlink(path);
	return set;
}

static void draw_messages(unsigned long name_nr, bool miss)
{
	uint8_t apex[DNS_NAME_MAX];
	int apex_len = dns_name_from_text(apex, APEX, strlen(APEX), NULL);

	for (unsigned i = 0; i < WAKE_UP; i++) {
		uint8_t *p = message[i];
		uint64_t name = mix(draw_state++) % name_nr;

		memset(p, 0, DNS_HEADER_LEN);
		put_u16(p, (uint16_t)i);
		put_u16(p + 2, DNS_FLAG_RD);
		put_u16(p + 4, 1);
		p += DNS_HEADER_LEN;
		*p++ = LABEL_LEN;
		put_label((char *)p, miss ? name + name_nr : name);
		p += LABEL_LEN;
		memcpy(p, apex, (size_t)apex_len);
		p += apex_len;
		put_u16(p, DNS_TYPE_A);
		put_u16(p + 2, DNS_CLASS_IN);
	}
}

static uint8_t *room(void)
{
	if (arena_used + ROOM > ARENA_LEN)
		arena_used = 0;
	return arena + arena_used;
}

static const struct query_peer peer = {.transport = QUERY_UDP};

static void answer_single(const struct zone_set *set)
{
	for (unsigned i = 0; i < WAKE_UP; i++)
		arena_used += query_answer(&ctx, set, &peer, message[i],
					   MESSAGE_LEN, room(), ROOM);
}

static void answer_batches(const struct zone_set *set, unsigned long most)
{
	for (unsigned i = 0; i < WAKE_UP;) {
		query_batch_begin(&batch, &ctx, set);
		while (i < WAKE_UP && batch.nr < most)
			query_batch_add(&batch, &peer, message[i++],
					MESSAGE_LEN);
		query_batch_fetch(&batch);
		for (unsigned k = 0; k < batch.nr; k++)
			arena_used +=
			    query_batch_answer(&batch, k, room(), ROOM);
	}
}

/* Nanoseconds a query; every reply has to have the RCODE of its kind. */
static double run_turn(const struct sample *of, const struct options *options,
		       enum kind kind)
{
	bool miss = kind == MISS || kind == MISS_BATCH;
	uint64_t *right =
	    &ctx.counters.rcode[miss ? DNS_NXDOMAIN : DNS_NOERROR];
	uint64_t ns = 0, nr = 0, before = *right;

	while (nr < options->query_nr) {
		uint64_t start;

		draw_messages(of->name_nr, miss);
		start = bench_ns(CLOCK_THREAD_CPUTIME_ID);
		if (kind == HIT || kind == MISS)
			answer_single(of->set);
		else
			answer_batches(of->set, options->batch);
		ns += bench_ns(CLOCK_THREAD_CPUTIME_ID) - start;
		nr += WAKE_UP;
	}
	if (*right - before != nr)
		bench_die(kind_name[kind], "a query has another RCODE");
	return (double)ns / (double)nr;
}

static void print_sample(struct sample *of, size_t nr)
{
	for (unsigned kind = 0; kind < KIND_NR; kind++) {
		double *ns = of->ns[kind];

		bench_sort(ns, nr);
		printf("%lu %s %.1f %.1f %.1f\n", of->name_nr, kind_name[kind],
		       ns[nr / 2], ns[nr / 4], ns[nr * 3 / 4]);
	}
}

static void bench(unsigned zone_nr, const struct options *options)
{
	for (size_t i = 0; i < options->round_nr; i++)
		for (unsigned z = 0; z < zone_nr; z++)
			for (unsigned kind = 0; kind < KIND_NR; kind++)
				sample[z].ns[kind][i] =
				    run_turn(&sample[z], options, kind);
	for (unsigned z = 0; z < zone_nr; z++)
		print_sample(&sample[z], options->round_nr);
}

static void parse_options(struct options *options, int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "g:n:r:")) != -1) {
		switch (option) {
		case 'g':
			options->batch = bench_number(optarg, QUERY_BATCH_MAX);
			break;
		case 'n':
			options->query_nr = bench_number(optarg, UINT32_MAX);
			break;
		case 'r':
			options->round_nr = bench_number(optarg, ROUNDS_MAX);
			break;
		default:
			exit(2);
		}
	}
	if (optind == argc || argc - optind > ZONES_MAX)
		bench_die("usage",
			  "names_bench [-g BATCH] [-n QUERIES] [-r ROUNDS] "
			  "NAMES...");
}

int main(int argc, char **argv)
{
	struct options options = {
	    .query_nr = 16384,
	    .round_nr = 101,
	    .batch = QUERY_BATCH_MAX,
	};
	unsigned nr = 0;

	parse_options(&options, argc, argv);
	for (; optind < argc; optind++, nr++) {
		sample[nr].name_nr = bench_number(argv[optind], 100000000);
		sample[nr].set = make_zone(sample[nr].name_nr);
	}
	bench(nr, &options);
	while (nr-- > 0)
		zone_set_free(sample[nr].set);
	return 0;
}
