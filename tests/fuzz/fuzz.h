/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the fuzz targets share. A target is one function that libFuzzer, or
 * replay.c with the corpus, calls with octets; it ends the process through
 * fuzz_assert() when a promise of the code under test does not hold.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define fuzz_assert(condition)                                                 \
	do {                                                                   \
		if (!(condition)) {                                            \
			fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, \
				__LINE__, #condition);                         \
			abort();                                               \
		}                                                              \
	} while (0)

/* A copy of just that many octets, so that ASan sees one read too many. */
static inline uint8_t *fuzz_copy(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	fuzz_assert(copy);
	if (size)
		memcpy(copy, data, size);
	return copy;
}

#endif
