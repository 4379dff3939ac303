/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A zone transfer out (RFC 5936): a snapshot to the octets of a TCP stream, a
 * bounded piece at a time. Knows no socket and allocates nothing.
 *
 *	axfr_begin > axfr_fill, axfr_fill, ... until axfr_is_done > axfr_end
 *
 *	stream	 | length | message | length | message | ...
 *	message	 header, question, records; OPT in the first one only
 *
 * Records come as the snapshot has them: SOA, all nodes in canonical order with
 * their RRSIGs, what is below zone cuts included, the nodes of NSEC3 records,
 * SOA. A message ends at 16 KiB, which is as far as compression pointers reach,
 * so that every owner can be pointed to. Owners are compressed against the one
 * before, names in RDATA as the snapshot compresses them against their owner,
 * or, where they share nothing with it, against others (transfer/targets).
 *
 *	owner of a node	  b.a.example.	    label[1] = "a", label[2] = "b"
 *	next one	  c.a.example.	    "c" and a pointer to label[1]
 *
 * All of it is one version, since the transfer holds its snapshot.
 */
#ifndef TRANSFER_AXFR_H
#define TRANSFER_AXFR_H

#include "dns/message.h"
#include "query/query.h"
#include "transfer/targets.h"

/* Room that axfr_fill() needs: a length and the longest message. */
#define AXFR_FILL_MIN (2 + DNS_MESSAGE_MAX)

/* Octets of OPT; options that do not fit are left out. */
#define AXFR_OPT_MAX 320

struct axfr_label {
	const uint8_t *text; /* length and octets, in the snapshot */
	uint16_t at;	     /* octets into the message */
};

struct axfr {
	struct snapshot *snapshot; /* held */
	uint8_t apex_len, apex_label_nr;

	/* What is next in the zone. */
	uint8_t stage;
	uint16_t rrset_left; /* of the node, behind the one below */
	uint32_t next;	     /* node, by index */
	const struct node *node;
	const struct rrset *rrset, *rrset_next;
	const struct rrset_fix *fix, *fix_end;
	uint32_t rr_at, rr_end; /* octets in rrset->wire */
	int8_t target_at;	/* octets of RDATA before its name; -1: none */

	/* The message being written. */
	uint8_t *out;
	uint32_t pos;
	uint16_t rr_nr;
	uint16_t apex_at;  /* 0: not in the message yet */
	uint16_t owner_at; /* of the node; likewise */
	uint8_t depth;	   /* labels below the apex of the last owner */
	struct axfr_label label[DNS_LABELS_MAX + 1]; /* by depth, from 1 */
	struct targets targets;

	/* What begins each message, and what ends the first one. */
	uint16_t head_len, opt_len;
	uint16_t question_apex; /* apex_at at the start of each message */
	uint8_t head[DNS_HEADER_LEN + DNS_NAME_MAX + 4];
	uint8_t opt[AXFR_OPT_MAX];
};

/*
 * Begins the transfer that query_answer() granted to a message. Takes a hold on
 * the zone's snapshot, so the caller is within its turn.
 */
void axfr_begin(struct axfr *axfr, const struct query_config *config,
		const struct zone *zone, const uint8_t *message, size_t len);

/*
 * Writes the next whole messages, each behind its length. max is at least
 * AXFR_FILL_MIN. Returns the octets written, 0 only when it is done, or
 * -EMSGSIZE when the next record is larger than any message.
 */
int axfr_fill(struct axfr *axfr, uint8_t *out, size_t max);

bool axfr_is_done(const struct axfr *axfr);

/* Gives back the hold. */
void axfr_end(struct axfr *axfr);

#endif
