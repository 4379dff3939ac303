/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading an RRset of a snapshot back, one RR at a time, with names in RDATA
 * whole again: for zone transfer, for writing a zone out, for the builder.
 */
#ifndef ZONE_RR_H
#define ZONE_RR_H

#include "zone/snapshot.h"

struct rr {
	const uint8_t *rdata; /* uncompressed; valid until the next call */
	uint32_t ttl;
	uint16_t type; /* RRSIG for an RRSIG */
	uint16_t len;
};

struct rr_reader {
	const struct node *node;
	const struct rrset *rrset;
	const struct rrset_fix *fix; /* next one */
	uint32_t fix_left;
	uint32_t at; /* in wire */
	uint32_t end;
};

/* The RRs of an RRset, its RRSIGs behind them. */
void rr_reader_init(struct rr_reader *reader, const struct node *node,
		    const struct rrset *rrset);

/*
 * The next RR; false behind the last one. buf has room for 65,535 octets and
 * is written only when the RDATA has a name to make whole.
 */
bool rr_reader_next(struct rr_reader *reader, struct rr *rr, uint8_t *buf);

#endif
