/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line. */
#include <config.h>

#include "zcflood/options.h"

#include <arpa/inet.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/octets.h"

#define SECOND	      1e9
#define FEW_SOURCES   64 /* each may have a port of its own */
#define LIMIT_SECONDS 1e6
/*
 * Waking a process is dear, and the server that sends to it pays: it looks for
 * replies again and again before it sleeps.
 */
#define SPIN_NS 50000

/* Options without a letter. */
enum { LONG_TAP = 256, LONG_TAP_SNDBUF, LONG_SPIN };

/* What is wrong in a number is said by its name. */
static const char *const long_name[] = {"--tap", "--tap-sndbuf", "--spin"};

static const struct option long_list[] = {
    {"tap", required_argument, NULL, LONG_TAP},
    {"spin", required_argument, NULL, LONG_SPIN},
    {"tap-sndbuf", required_argument, NULL, LONG_TAP_SNDBUF},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},
    {NULL, 0, NULL, 0},
};

/* What needs another option before it can be understood. */
struct pending {
	const char *server;
	const char *block;
	double port;
	bool has_duration;
	bool has_outstanding;
};

static int wrong(const char *what, const char *value)
{
	fprintf(stderr, "zcflood: %s: %s\n", what, value);
	return 2;
}

static int usage(FILE *out)
{
	fprintf(out,
		"usage: zcflood -d file [-DeghirV] [-a address/len] [-b burst] "
		"[-c sources]\n"
		"               [-E file] [-j file] [-l seconds] [-m udp|tcp] "
		"[-n count] [-p port]\n"
		"               [-Q rate] [-q outstanding] [-S seed] "
		"[-s address] [-t ms]\n"
		"               [-v none|code|full] [-w seconds] "
		"[--spin us]\n"
		"               [--tap device] [--tap-sndbuf octets]\n");
	return out == stdout ? 0 : 2;
}

/* A number in [min, max], the whole of the argument. */
static int number(double *out, double min, double max, int option)
{
	char *end, name[] = {'-', (char)option, 0};
	double value = strtod(optarg, &end);

	if (end == optarg || *end || !(value >= min && value <= max)) {
		fprintf(stderr, "zcflood: %s %s: not a number from %g to %g\n",
			option < LONG_TAP ? name : long_name[option - LONG_TAP],
			optarg, min, max);
		return 2;
	}
	*out = value;
	return -1;
}

static int whole(double *out, double min, double max, int option)
{
	int status = number(out, min, max, option);

	if (status < 0 && *out != floor(*out))
		return wrong("not a whole number", optarg);
	return status;
}

static int seconds(uint64_t *out, double min, int option)
{
	double value = 0;
	int status = number(&value, min, LIMIT_SECONDS, option);

	*out = (uint64_t)(value * SECOND);
	return status;
}

static int number_option(struct options *options, struct pending *pending,
			 int option)
{
	double value = 0;
	int status = -1;

	switch (option) {
	case 'b':
		status = whole(&value, 1, OPTIONS_BURST_MAX, option);
		options->burst = (unsigned)value;
		break;
	case 'c':
		status = whole(&value, 1, OPTIONS_SOURCES_MAX, option);
		options->sources = (unsigned)value;
		break;
	case 'l':
		pending->has_duration = true;
		status = seconds(&options->duration_ns, 1e-3, option);
		break;
	case 'n':
		status = whole(&value, 1, 1e15, option);
		options->count = (uint64_t)value;
		break;
	case 'p':
		status = whole(&pending->port, 1, 65535, option);
		break;
	case 'Q':
		status = number(&options->rate, 1e-3, 1e9, option);
		break;
	case 'q':
		pending->has_outstanding = true;
		status = whole(&value, 1, 1 << 20, option);
		options->outstanding = (unsigned)value;
		break;
	case 'S':
		status = whole(&value, 0, 1e15, option);
		options->seed = (uint64_t)value;
		break;
	case 't':
		status = number(&value, 1, 1e6, option);
		options->timeout_ns = (uint64_t)(value * 1e6);
		break;
	case LONG_SPIN:
		status = number(&value, 0, 1e6, option);
		options->spin_ns = (uint64_t)(value * 1e3);
		break;
	case LONG_TAP_SNDBUF:
		status = whole(&value, 1, INT_MAX, option);
		options->tap_sndbuf = (int)value;
		break;
	case 'w':
		status = seconds(&options->warmup_ns, 0, option);
		break;
	}
	return status;
}

static int flag_option(struct options *options, int option)
{
	switch (option) {
	case 'D':
		options->dnssec = true;
		options->edns = true;
		break;
	case 'e':
		options->edns = true;
		break;
	case 'g':
		options->gro = true;
		break;
	case 'i':
		options->progress = true;
		break;
	case 'r':
		options->random = true;
		break;
	case 'V':
		printf("zcflood %s\n", PACKAGE_VERSION);
		return 0;
	case 'h':
		return usage(stdout);
	default:
		return usage(stderr);
	}
	return -1;
}

static int level_option(struct options *options)
{
	static const char *const name[] = {[VERIFY_NONE] = "none",
					   [VERIFY_CODE] = "code",
					   [VERIFY_FULL] = "full"};

	for (unsigned i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		if (!strcmp(optarg, name[i])) {
			options->level = (enum verify_level)i;
			return -1;
		}
	}
	return wrong("-v is none, code or full, not", optarg);
}

static int text_option(struct options *options, struct pending *pending,
		       int option)
{
	switch (option) {
	case 'a':
		pending->block = optarg;
		break;
	case 'd':
		options->query_file = optarg;
		break;
	case 'E':
		options->expected_file = optarg;
		break;
	case 'j':
		options->json_file = optarg;
		break;
	case 'm':
		options->tcp = !strcmp(optarg, "tcp");
		if (!options->tcp && strcmp(optarg, "udp"))
			return wrong("-m is udp or tcp, not", optarg);
		break;
	case 's':
		pending->server = optarg;
		break;
	case LONG_TAP:
		options->tap = optarg;
		break;
	case 'v':
		return level_option(options);
	}
	return -1;
}

static int set_server(struct options *options, const struct pending *pending)
{
	uint16_t port = htons((uint16_t)pending->port);

	if (inet_pton(AF_INET, pending->server, &options->server.in.sin_addr)) {
		options->server.in.sin_family = AF_INET;
		options->server.in.sin_port = port;
	} else if (inet_pton(AF_INET6, pending->server,
			     &options->server.in6.sin6_addr)) {
		options->server.in6.sin6_family = AF_INET6;
		options->server.in6.sin6_port = port;
	} else {
		return wrong("not an address", pending->server);
	}
	return -1;
}

/* Without -a: see zcflood(1). Any address is left to the kernel. */
static const char *default_block(const struct options *options)
{
	if (options->server.sa.sa_family == AF_INET6)
		return "::/128";
	/* for benchmarks, RFC 2544: nobody has them */
	if (options->tap)
		return "198.18.0.0/15";
	if (ntohl(options->server.in.sin_addr.s_addr) >> 24 != 127)
		return "0.0.0.0/32";
	return options->sources <= FEW_SOURCES ? "127.0.0.1/32" : "127.0.0.0/8";
}

static int set_block(struct options *options, const char *text)
{
	int family = options->server.sa.sa_family;
	unsigned bits = family == AF_INET ? 32 : 128;
	char address[INET6_ADDRSTRLEN], *end;
	const char *slash = strchr(text, '/');
	size_t len = slash ? (size_t)(slash - text) : strlen(text);
	unsigned long prefix = bits;

	if (slash) {
		prefix = strtoul(slash + 1, &end, 10);
		if (end == slash + 1 || *end || prefix > bits)
			return wrong("not a block of addresses", text);
	}
	if (len >= sizeof(address))
		return wrong("not a block of addresses", text);
	memcpy(address, text, len);
	address[len] = 0;
	if (inet_pton(family, address, options->block) != 1)
		return wrong("not a block of the server's family", text);
	options->block_len = (unsigned)prefix;
	for (unsigned i = (unsigned)prefix; i < bits; i++)
		options->block[i / 8] &= (uint8_t)(0xff ^ 0x80 >> i % 8);
	return -1;
}

/* Frames from the server's own address would be thrown away. */
static int check_tap(const struct options *options)
{
	uint32_t server = ntohl(options->server.in.sin_addr.s_addr);
	uint32_t first = get_u32(options->block);
	unsigned host_bits = 32 - options->block_len;

	if (options->server.sa.sa_family != AF_INET)
		return wrong("--tap needs an IPv4 server", "-s");
	if ((uint64_t)server >> host_bits == (uint64_t)first >> host_bits)
		return wrong("-a", "the server's address lies in the block");
	return -1;
}

static int finish(struct options *options, const struct pending *pending)
{
	int status;

	if (!options->query_file)
		return wrong("-d", "a file of queries is needed; -h helps");
	if (options->tap_sndbuf != INT_MAX && !options->tap)
		return wrong("--tap-sndbuf", "needs --tap");
	if (options->tcp && (options->tap || options->gro))
		return wrong("-m tcp", "neither --tap nor -g go with it");
	if (options->rate > 0 && pending->has_outstanding)
		return wrong("-q", "an open loop (-Q) has no limit");
	if (options->rate <= 0 && options->burst > options->outstanding)
		return wrong("-b", "more than -q lets out at once");
	if (options->expected_file && options->level != VERIFY_FULL)
		return wrong("-E", "needs -v full");
	if (!pending->has_duration && options->count)
		options->duration_ns = 0;
	status = set_server(options, pending);
	if (status >= 0)
		return status;
	status = set_block(options, pending->block ? pending->block
						   : default_block(options));
	return status < 0 && options->tap ? check_tap(options) : status;
}

int options_parse(struct options *options, int argc, char **argv)
{
	static const char letters[] =
	    "a:b:c:Dd:E:eghij:l:m:n:p:Q:q:rS:s:t:Vv:w:";
	struct pending pending = {.server = "127.0.0.1", .port = 53};
	int option, status = -1;

	*options = (struct options){.duration_ns = (uint64_t)(5 * SECOND),
				    .timeout_ns = (uint64_t)SECOND,
				    .outstanding = 100,
				    .sources = 1,
				    .burst = 1,
				    .level = VERIFY_FULL,
				    .spin_ns = SPIN_NS,
				    .tap_sndbuf = INT_MAX};
	while (status < 0 && (option = getopt_long(argc, argv, letters,
						   long_list, NULL)) != -1) {
		if (option == LONG_TAP || strchr("adEjmsv", option))
			status = text_option(options, &pending, option);
		else if (option > LONG_TAP || strchr("bclnpQqStw", option))
			status = number_option(options, &pending, option);
		else
			status = flag_option(options, option);
	}
	if (status >= 0)
		return status;
	if (optind < argc)
		return wrong("not an option; -h helps", argv[optind]);
	return finish(options, &pending);
}
