/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Says whether a reply is right: its question against the query, its RCODE or
 * all of its octets behind the id against the expected reply. Expected is what
 * a file says, else what is seen first for each query.
 *
 * No allocation per reply, except for the memory that first replies go to.
 */
#ifndef ZCFLOOD_VERIFIER_H
#define ZCFLOOD_VERIFIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "zcflood/queries.h"

enum verify_level { VERIFY_NONE, VERIFY_CODE, VERIFY_FULL };

enum verdict {
	VERDICT_RIGHT,
	VERDICT_MALFORMED, /* not a reply, or too short for its question */
	VERDICT_QUESTION,
	VERDICT_CODE,
	VERDICT_OCTETS,
	VERDICT_NR
};

struct expected {
	const uint8_t *octets; /* NULL: not known yet */
	uint32_t len;
};

struct verifier {
	const struct queries *queries;
	enum verify_level level;
	bool given; /* from a file: its RCODEs are right, whichever they are */
	struct expected *expected; /* one for each query */
	uint8_t *memory;	   /* of first replies */
	size_t memory_rest;
};

/* Borrows the queries. Returns 0 or -ENOMEM. */
int verifier_init(struct verifier *verifier, enum verify_level level,
		  const struct queries *queries);

/*
 * Reads the expected replies, each behind its length in two octets, in the
 * order of the queries. Returns 0, or -1 after saying what is wrong.
 */
int verifier_read(struct verifier *verifier, const char *path);

/* Judges a reply to the query of that number; its id has been looked at. */
enum verdict verifier_check(struct verifier *verifier, uint32_t number,
			    const uint8_t *octets, size_t len);

#endif
