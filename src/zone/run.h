/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The records of one owner, collected before they are composed into a node:
 * those that stand one after the other in the zone file, or those of nodes
 * that turned out to have the same owner.
 */
#ifndef ZONE_RUN_H
#define ZONE_RUN_H

#include "dns/name.h"

struct run_record {
	uint32_t at;	    /* of the RDATA in run->octets */
	uint32_t canonical; /* of the RDATA with names in lower case */
	uint32_t ttl;
	uint32_t place;
	uint16_t len;
	uint16_t type; /* of the RRset: for an RRSIG the type it covers */
	bool sig;      /* an RRSIG */
	bool dup;      /* the same as the one before it, after run_sort() */
};

struct run {
	struct run_record *record;
	uint8_t *octets;
	size_t record_nr, record_max;
	size_t octet_nr, octet_max;
	uint8_t owner_len; /* 0: empty run */
	uint8_t label_nr;
	uint8_t owner[DNS_NAME_MAX];
};

struct run_rr {
	const uint8_t *rdata; /* checked, uncompressed */
	uint32_t ttl;
	uint32_t place;
	uint16_t type; /* RRSIG for an RRSIG */
	uint16_t len;
};

/* Empties the run and gives it an owner of owner_len octets. */
void run_start(struct run *run, const uint8_t *owner, size_t owner_len);

/* Takes a copy of a record. Returns 0 or -ENOMEM. */
int run_add(struct run *run, const struct run_rr *rr);

/*
 * Puts the records into the order of the node: by type, RRSIGs behind what
 * they cover, then as RFC 4034 section 6.3 orders RDATA; marks duplicates.
 * Returns 0 or -ENOMEM.
 */
int run_sort(struct run *run);

void run_release(struct run *run);

#endif
