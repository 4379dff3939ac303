/* SPDX-License-Identifier: BSD-2-Clause */
/* What names_bench and query_bench have in common. */
#ifndef TESTS_BENCH_H
#define TESTS_BENCH_H

#include <stdint.h>
#include <time.h>

#include "zone/zone_set.h"

__attribute__((noreturn)) void bench_die(const char *what, const char *why);

/* A decimal number from 1 to max, or the end. */
unsigned long bench_number(const char *text, unsigned long max);

/* One zone from a file, or the end; says what it takes on standard error. */
struct zone_set *bench_zone(const char *apex, const char *path);

/* Nanoseconds of a clock (clock_gettime(2)). */
uint64_t bench_ns(clockid_t clock);

/* Sorts nr figures, so that [nr / 2] is their median. */
void bench_sort(double *figure, size_t nr);

#endif
