/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names in RDATA that a message has already, to point to: hosts outside of the
 * zone, of which the zone of a registry has few and names them often. A small
 * table without chains: a name that is overwritten is only written again.
 */
#ifndef TRANSFER_TARGETS_H
#define TRANSFER_TARGETS_H

#include <stdint.h>

#define TARGETS_NR 256

struct target {
	const uint8_t *name; /* or a suffix of one; in the snapshot */
	uint16_t len;	     /* octets, 0: empty */
	uint16_t at;	     /* octets into the message */
	uint32_t tag;	     /* of the hash: few names are compared in vain */
};

struct targets {
	struct target slot[TARGETS_NR];
};

/* A new message: all is forgotten. */
void targets_clear(struct targets *targets);

/*
 * How a name of len octets is to be written at octet at of the message: returns
 * how many octets of it, and *pointer gets where to point behind them, 0 for
 * nowhere. The name is remembered as written so.
 */
unsigned targets_put(struct targets *targets, const uint8_t *name, unsigned len,
		     unsigned at, uint16_t *pointer);

#endif
