/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Mnemonics for the numbers in RDATA: DNSSEC algorithms, CERT types, DSYNC
 * schemes, SVCB keys. The IANA registries of these names, as of 2026.
 */
#ifndef ZONE_RDATA_WORD_H
#define ZONE_RDATA_WORD_H

#include <stddef.h>
#include <stdint.h>

struct rdata_word {
	const char *word;
	uint16_t number;
};

/* Tables, ended by a row without a word. The first row of a number is shown. */
extern const struct rdata_word rdata_algorithms[];
extern const struct rdata_word rdata_cert_types[];
extern const struct rdata_word rdata_dsync_schemes[];
extern const struct rdata_word rdata_svcb_keys[];

/* Number of a word in any case, -1 when it is not in the table. */
int rdata_word_find(const struct rdata_word *table, const char *text,
		    size_t len);

/* Word of a number, or NULL. */
const char *rdata_word_of(const struct rdata_word *table, unsigned number);

#endif
