/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What goes into a reply, decided by query/lookup and query/denial, written by
 * query/render. Holds references into the snapshot, never octets of records.
 *
 * An alias chain has a name for each step: step 0 is the question, step n + 1
 * the target of the CNAME written at step n. An entry says at which step it
 * was found, so that the renderer, which alone knows where in the message each
 * name lies, can point its owner there.
 */
#ifndef QUERY_ANSWER_H
#define QUERY_ANSWER_H

#include <assert.h>

#include "dns/message.h"
#include "query/query.h"

/* RFC leaves the limit to us; resolvers stop at 8 to 16. */
#define ANSWER_STEPS_MAX 16

/*
 * Two entries a step (DNAME and its CNAME, or a CNAME and its wildcard proof:
 * three with both), and the end of the chain: SOA and four proofs.
 */
#define ANSWER_ENTRIES_MAX (ANSWER_STEPS_MAX * 3 + 8)

enum answer_section { ANSWER_ANSWER, ANSWER_AUTHORITY };

enum answer_kind {
	ANSWER_RRSET,	 /* one RRset, its RRSIGs with DO */
	ANSWER_ANY,	 /* all RRsets of the node (QTYPE ANY) */
	ANSWER_RRSIGS,	 /* all RRSIGs of the node (QTYPE RRSIG) */
	ANSWER_SYNTHESIS /* CNAME made from the DNAME of the entry before */
};

enum answer_owner {
	OWNER_STEP,	/* the name of the step: exact match or wildcard */
	OWNER_ANCESTOR, /* above the name of the step: apex, cut, DNAME */
	OWNER_ELSEWHERE /* written in full: NSEC, NSEC3 */
};

struct answer_entry {
	const struct node *node;
	const struct rrset *rrset; /* NULL for ANSWER_ANY, ANSWER_RRSIGS */
	uint8_t section;
	uint8_t kind;
	uint8_t owner;
	uint8_t step;
};

struct answer {
	const struct zone *zone; /* NULL: none of ours */
	const struct snapshot *snapshot;
	const struct node *cut; /* of a referral, else NULL */
	uint16_t rcode;
	int16_t ede; /* enum dns_ede */
	bool authoritative;
	bool additional; /* addresses of hosts are wanted */
	uint8_t entry_nr;
	uint8_t section_nr[2]; /* entries of each section */
	uint8_t step_nr;       /* names in the chain, the question included */
	struct answer_entry entry[ANSWER_ENTRIES_MAX];
	uint64_t step_hash[ANSWER_STEPS_MAX + 1];
	/* Targets of synthesized CNAMEs, by step. */
	uint8_t target[ANSWER_STEPS_MAX][DNS_NAME_MAX];
};

/* Empties an answer; the large arrays stay as they are. */
static inline void answer_init(struct answer *answer)
{
	answer->zone = NULL;
	answer->snapshot = NULL;
	answer->cut = NULL;
	answer->rcode = DNS_NOERROR;
	answer->ede = DNS_EDE_NONE;
	answer->authoritative = false;
	answer->additional = false;
	answer->entry_nr = 0;
	answer->section_nr[ANSWER_ANSWER] = 0;
	answer->section_nr[ANSWER_AUTHORITY] = 0;
	answer->step_nr = 1;
}

/* RFC 8914 section 4: a zone of ours that has no data. */
static inline void answer_not_loaded(struct answer *answer,
				     const struct zone *zone)
{
	answer->rcode = DNS_SERVFAIL;
	answer->ede = zone->state == ZONE_INVALID ? DNS_EDE_INVALID_DATA
						  : DNS_EDE_NOT_READY;
}

/* The step that is being looked up. */
static inline uint8_t answer_step(const struct answer *answer)
{
	return (uint8_t)(answer->step_nr - 1);
}

/* True when an entry of the answer is that RRset. */
bool answer_has(const struct answer *answer, const struct rrset *rrset);

/* A new entry, to be filled. */
static inline struct answer_entry *answer_next(struct answer *answer,
					       enum answer_section section)
{
	assert(answer->entry_nr < ANSWER_ENTRIES_MAX);
	answer->section_nr[section]++;
	return &answer->entry[answer->entry_nr++];
}

/*
 * Adds an entry of the current step; an RRset that is there already is not
 * added again (RFC 2181 section 5.5: every record once).
 */
static inline void answer_add(struct answer *answer,
			      enum answer_section section,
			      enum answer_owner owner, const struct node *node,
			      const struct rrset *rrset)
{
	if (owner != OWNER_STEP && answer->entry_nr &&
	    answer_has(answer, rrset))
		return;
	*answer_next(answer, section) = (struct answer_entry){
	    .node = node,
	    .rrset = rrset,
	    .section = (uint8_t)section,
	    .kind = ANSWER_RRSET,
	    .owner = (uint8_t)owner,
	    .step = answer_step(answer),
	};
}

/* Likewise for the kinds that have no RRset of their own. */
void answer_add_kind(struct answer *answer, enum answer_kind kind,
		     const struct node *node, const struct rrset *rrset);

#endif
