/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proofs. NSEC: the record that matches a name or comes before it covers it.
 * NSEC3: the same on hashes, with a match or a cover for the closest encloser,
 * the next closer name and the wildcard.
 */
#include "query/denial.h"

#include <string.h>

static void add(struct answer *answer, const struct node *node, uint16_t type)
{
	const struct rrset *rrset = node ? node_find(node, type) : NULL;

	if (rrset)
		answer_add(answer, ANSWER_AUTHORITY, OWNER_ELSEWHERE, node,
			   rrset);
}

/* "*" in front of the suffix that starts at a label. */
static unsigned wildcard_of(uint8_t out[DNS_NAME_MAX + 2],
			    const struct dns_labels *labels, unsigned label)
{
	unsigned off = labels->offset[label];

	out[0] = 1;
	out[1] = '*';
	memcpy(out + 2, labels->lower + off, labels->len - off);
	return labels->len - off + 2;
}

static void add_nsec(struct answer *answer, const uint8_t *lower)
{
	add(answer, snapshot_find_nsec(answer->snapshot, lower), DNS_TYPE_NSEC);
}

static void add_nsec_wildcard(struct answer *answer,
			      const struct dns_labels *labels,
			      unsigned encloser)
{
	uint8_t wildcard[DNS_NAME_MAX + 2];

	wildcard_of(wildcard, labels, encloser);
	add_nsec(answer, wildcard);
}

/* The NSEC3 that matches or covers a name; true when it matches. */
static const struct node *nsec3_of(const struct answer *answer,
				   const uint8_t *lower, unsigned len,
				   bool *match)
{
	uint8_t hash[NSEC3_HASH_LEN];

	snapshot_nsec3_hash(answer->snapshot, lower, len, hash);
	return snapshot_find_nsec3(answer->snapshot, hash, match);
}

static const struct node *nsec3_at(const struct answer *answer,
				   const struct dns_labels *labels,
				   unsigned label, bool *match)
{
	unsigned off = labels->offset[label];

	return nsec3_of(answer, labels->lower + off, labels->len - off, match);
}

static void add_nsec3(struct answer *answer, const struct node *node)
{
	add(answer, node, DNS_TYPE_NSEC3);
}

static void add_nsec3_wildcard(struct answer *answer,
			       const struct dns_labels *labels,
			       unsigned encloser)
{
	uint8_t wildcard[DNS_NAME_MAX + 2];
	unsigned len = wildcard_of(wildcard, labels, encloser);
	bool match;

	add_nsec3(answer, nsec3_of(answer, wildcard, len, &match));
}

/*
 * Closest encloser proof (RFC 5155 section 7.2.1), from label encloser up: with
 * opt-out the closest encloser may have no NSEC3, then the closest provable
 * one is the nearest above it that has. Returns the label of that one.
 */
static unsigned add_nsec3_encloser(struct answer *answer,
				   const struct dns_labels *labels,
				   unsigned encloser)
{
	unsigned last = (unsigned)(labels->label_nr - answer->zone->label_nr);
	const struct node *node;
	bool match = false;

	for (;; encloser++) {
		node = nsec3_at(answer, labels, encloser, &match);
		if (match || encloser == last)
			break;
	}
	if (match)
		add_nsec3(answer, node);
	if (encloser)
		add_nsec3(answer,
			  nsec3_at(answer, labels, encloser - 1, &match));
	return encloser;
}

/*
 * The NSEC3 of the name at a label (RFC 5155 section 7.2.3); the closest
 * encloser proof when an opt-out span hides the name (7.2.4, 7.2.7).
 */
static void add_nsec3_name(struct answer *answer,
			   const struct dns_labels *labels, unsigned label)
{
	bool match;
	const struct node *node = nsec3_at(answer, labels, label, &match);

	if (match)
		add_nsec3(answer, node);
	else
		add_nsec3_encloser(answer, labels, label);
}

void denial_nodata(struct answer *answer, const struct dns_labels *labels)
{
	if (answer->snapshot->denial == DENIAL_NSEC)
		add_nsec(answer, labels->lower);
	else if (answer->snapshot->denial == DENIAL_NSEC3)
		add_nsec3_name(answer, labels, 0);
}

/*
 * The name, and what the wildcard below the encloser is or is not: the same
 * records deny both (RFC 4035 sections 3.1.3.2 and 3.1.3.4, RFC 5155 sections
 * 7.2.2 and 7.2.5).
 */
static void add_name_and_wildcard(struct answer *answer,
				  const struct dns_labels *labels,
				  unsigned encloser)
{
	if (answer->snapshot->denial == DENIAL_NSEC) {
		add_nsec(answer, labels->lower);
		add_nsec_wildcard(answer, labels, encloser);
	} else if (answer->snapshot->denial == DENIAL_NSEC3) {
		encloser = add_nsec3_encloser(answer, labels, encloser);
		add_nsec3_wildcard(answer, labels, encloser);
	}
}

void denial_nxdomain(struct answer *answer, const struct dns_labels *labels,
		     unsigned encloser)
{
	add_name_and_wildcard(answer, labels, encloser);
}

void denial_wildcard(struct answer *answer, const struct dns_labels *labels,
		     unsigned encloser)
{
	bool match;

	if (answer->snapshot->denial == DENIAL_NSEC)
		add_nsec(answer, labels->lower);
	else if (answer->snapshot->denial == DENIAL_NSEC3)
		/* RFC 5155 section 7.2.6: the next closer name only */
		add_nsec3(answer,
			  nsec3_at(answer, labels, encloser - 1, &match));
}

void denial_wildcard_nodata(struct answer *answer,
			    const struct dns_labels *labels, unsigned encloser)
{
	add_name_and_wildcard(answer, labels, encloser);
}

void denial_no_ds(struct answer *answer, const struct dns_labels *labels,
		  unsigned cut)
{
	if (answer->snapshot->denial == DENIAL_NSEC)
		add_nsec(answer, labels->lower + labels->offset[cut]);
	else if (answer->snapshot->denial == DENIAL_NSEC3)
		add_nsec3_name(answer, labels, cut);
}
