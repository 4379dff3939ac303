/* SPDX-License-Identifier: BSD-2-Clause */
/* What names_bench and query_bench have in common. */
#include "bench.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "zone/load.h"

void bench_die(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what,
		why);
	exit(1);
}

unsigned long bench_number(const char *text, unsigned long max)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (*end || !value || value > max)
		bench_die(text, "not a number that will do");
	return value;
}

static void emit(void *arg, enum zone_severity severity, const char *text)
{
	(void)arg;
	if (severity == ZONE_ERROR)
		fprintf(stderr, "%s\n", text);
}

struct zone_set *bench_zone(const char *apex, const char *path)
{
	struct zone_report report = {.emit = emit, .zone = apex};
	struct zone_set *set = zone_set_new(1);
	struct zone_load_result result;
	uint8_t name[DNS_NAME_MAX];

	if (!set)
		bench_die("zone set", strerror(ENOMEM));
	if (dns_name_from_text(name, apex, strlen(apex), NULL) < 0)
		bench_die(apex, "not a name");
	if (zone_load(&result, name, path, NULL, &report))
		bench_die(path, "cannot be loaded");
	if (zone_set_put(set, name, result.snapshot, ZONE_SERVED))
		bench_die(path, strerror(ENOMEM));
	fprintf(stderr, "%" PRIu64 " records, %.1f octets each\n",
		result.snapshot->record_nr,
		(double)result.snapshot->memory /
		    (double)result.snapshot->record_nr);
	zone_load_release(&result);
	return set;
}

uint64_t bench_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

void bench_sort(double *figure, size_t nr)
{
	qsort(figure, nr, sizeof(*figure), compare);
}
