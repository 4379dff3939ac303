/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the DNS work proper costs: query_answer() over messages made
 * beforehand, by class of answer; no socket.
 *
 *	query_bench [-d | -e] [-n QUERIES] [-r ROUNDS] APEX ZONE QUERIES
 *
 *	-d	queries carry an OPT with DO set, -e one without DO
 *	-n	queries of a round, 100000 unless given
 *	-r	rounds, 7 unless given
 *
 * ZONE is a zone file, QUERIES a file of lines "CLASS NAME TYPE". For each
 * class of that file, in the order of classes[], one line on standard output:
 * class, median, least and most nanoseconds a query. Every message is answered
 * once before, and must get the reply that its class stands for.
 *
 * The hash of names keeps its key of zero, so that counted instructions are
 * the same in each run; tests/bench/instructions.py counts them in
 * answer_round(), which is why that one is never inlined.
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
#include "query/query.h"

#define MESSAGE_ROOM (DNS_HEADER_LEN + DNS_NAME_MAX + 4 + DNS_OPT_LEN)
#define ROUNDS_MAX   1000
#define PAYLOAD	     1232

/* What a reply of each class is told by. */
struct class
{
	const char *name;
	uint8_t rcode;
	bool authoritative, answer, authority;
};

static const struct class classes[] = {
    {"hit", DNS_NOERROR, true, true, false},
    {"nodata", DNS_NOERROR, true, false, true},
    {"nxdomain", DNS_NXDOMAIN, true, false, true},
    {"wildcard", DNS_NOERROR, true, true, false},
    {"referral", DNS_NOERROR, false, false, true},
    {"cname", DNS_NOERROR, true, true, false},
};

#define CLASS_NR (sizeof(classes) / sizeof(classes[0]))

struct message {
	uint16_t len;
	uint8_t octets[MESSAGE_ROOM];
};

struct messages {
	struct message *message;
	size_t nr, max;
};

struct options {
	bool has_opt, dnssec_ok;
	unsigned long query_nr, round_nr;
	const char *apex, *zone, *queries;
};

static const struct query_config config = {.max_udp_payload = PAYLOAD};
static struct query_ctx ctx = {.config = &config};
static struct messages asked[CLASS_NR];

static struct message *message_add(struct messages *messages)
{
	if (messages->nr == messages->max) {
		messages->max = messages->max ? messages->max * 2 : 1024;
		messages->message = realloc(
		    messages->message, messages->max * sizeof(struct message));
		if (!messages->message)
			bench_die("queries", strerror(ENOMEM));
	}
	return &messages->message[messages->nr++];
}

/* RD, one question, and an OPT if wanted; the id is that of the place. */
static void message_make(struct message *message, size_t id, const char *name,
			 uint16_t type, const struct options *options)
{
	uint8_t *p = message->octets;
	int len;

	memset(p, 0, sizeof(message->octets));
	put_u16(p, (uint16_t)id);
	put_u16(p + 2, DNS_FLAG_RD);
	put_u16(p + 4, 1);
	put_u16(p + 10, options->has_opt);
	p += DNS_HEADER_LEN;
	len = dns_name_from_text(p, name, strlen(name), NULL);
	if (len < 0)
		bench_die(name, "not a name");
	p += len;
	put_u16(p, type);
	put_u16(p + 2, DNS_CLASS_IN);
	p += 4;
	if (options->has_opt) {
		put_u16(p + 1, DNS_TYPE_OPT);
		put_u16(p + 3, PAYLOAD);
		put_u16(p + 7, options->dnssec_ok ? DNS_EDNS_DO : 0);
		p += DNS_OPT_LEN;
	}
	message->len = (uint16_t)(p - message->octets);
}

static struct messages *messages_of(const char *class)
{
	for (size_t i = 0; i < CLASS_NR; i++)
		if (!strcmp(class, classes[i].name))
			return &asked[i];
	bench_die(class, "no such class");
}

static void read_queries(const struct options *options)
{
	char class[32], name[DNS_NAME_TEXT_MAX], type[DNS_TYPE_TEXT_MAX];
	FILE *in = fopen(options->queries, "r");
	int fields;

	if (!in)
		bench_die(options->queries, strerror(errno));
	while ((fields = fscanf(in, "%31s %1023s %15s", class, name, type)) ==
	       3) {
		struct messages *messages = messages_of(class);
		int number = dns_type_from_text(type, strlen(type));
		struct message *message;

		if (number < 0)
			bench_die(type, "not a type");
		message = message_add(messages);
		message_make(message, messages->nr, name, (uint16_t)number,
			     options);
	}
	if (fields != EOF)
		bench_die(options->queries, "not lines of CLASS NAME TYPE");
	fclose(in);
}

/* Without this a fast wrong answer would count. */
static void check_replies(const struct zone_set *set, size_t class)
{
	const struct query_peer peer = {.transport = QUERY_UDP};
	const struct class *want = &classes[class];
	const struct messages *messages = &asked[class];
	uint8_t out[PAYLOAD];

	for (size_t i = 0; i < messages->nr; i++) {
		const struct message *message = &messages->message[i];
		size_t len = query_answer(&ctx, set, &peer, message->octets,
					  message->len, out, sizeof(out));
		uint16_t flags = get_u16(out + 2);

		if (len < DNS_HEADER_LEN || flags & DNS_FLAG_TC ||
		    (flags & 15) != want->rcode ||
		    !!(flags & DNS_FLAG_AA) != want->authoritative ||
		    !!get_u16(out + 6) != want->answer ||
		    (want->authority && !get_u16(out + 8)))
			bench_die(want->name,
				  "a query has another class of reply");
	}
}

__attribute__((noinline)) static void
answer_round(const struct zone_set *set, const struct messages *messages,
	     unsigned long query_nr)
{
	const struct query_peer peer = {.transport = QUERY_UDP};
	const struct message *message = messages->message;
	uint8_t out[PAYLOAD];

	for (unsigned long i = 0; i < query_nr; i++) {
		query_answer(&ctx, set, &peer, message->octets, message->len,
			     out, sizeof(out));
		if (++message == messages->message + messages->nr)
			message = messages->message;
	}
}

static void bench_class(const struct zone_set *set, size_t class,
			const struct options *options)
{
	static double ns[ROUNDS_MAX];
	size_t nr = options->round_nr;

	check_replies(set, class);
	for (size_t i = 0; i < nr; i++) {
		uint64_t start = bench_ns(CLOCK_MONOTONIC);

		answer_round(set, &asked[class], options->query_nr);
		ns[i] = (double)(bench_ns(CLOCK_MONOTONIC) - start) /
			(double)options->query_nr;
	}
	bench_sort(ns, nr);
	printf("%s %.1f %.1f %.1f\n", classes[class].name, ns[nr / 2], ns[0],
	       ns[nr - 1]);
}

static void parse_options(struct options *options, int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "den:r:")) != -1) {
		switch (option) {
		case 'd':
			options->dnssec_ok = true;
			options->has_opt = true;
			break;
		case 'e':
			options->has_opt = true;
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
	if (argc - optind != 3)
		bench_die("usage",
			  "query_bench [-d | -e] [-n QUERIES] [-r ROUNDS] "
			  "APEX ZONE QUERIES");
	options->apex = argv[optind];
	options->zone = argv[optind + 1];
	options->queries = argv[optind + 2];
}

int main(int argc, char **argv)
{
	struct options options = {.query_nr = 100000, .round_nr = 7};
	struct zone_set *set;

	parse_options(&options, argc, argv);
	set = bench_zone(options.apex, options.zone);
	read_queries(&options);
	for (size_t i = 0; i < CLASS_NR; i++)
		if (asked[i].nr)
			bench_class(set, i, &options);
	for (size_t i = 0; i < CLASS_NR; i++)
		free(asked[i].message);
	zone_set_free(set);
	return 0;
}
