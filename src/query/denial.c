/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proofs. NSEC: the record that matches a name or comes before it covers it.
 * NSEC3: the same on hashes, with a match or a cover for the closest encloser,
 * the next closer name and the wildcard.
 */
#include "query/denial.h"

#include <string.h>

#include "zone/nsec.h"

static void add(struct answer *answer, const struct node *node, uint16_t type)
{
	const struct rrset *rrset = node ? node_find(node, type) : NULL;

	if (rrset)
		answer_add(answer, ANSWER_AUTHORITY, OWNER_ELSEWHERE, node,
			   rrset);
}

static unsigned apex_label(const struct answer *answer,
			   const struct dns_labels *labels)
{
	return zone_apex_label(answer->zone, labels);
}

/*
 * The NSEC of the name at a label, or the one before it; with wildcard, of "*"
 * in front of that.
 */
static void add_nsec(struct answer *answer, const struct dns_labels *labels,
		     unsigned label, bool wildcard)
{
	/* Length octet, asterisk, and room to be read in words. */
	static const uint8_t asterisk[1 + 8] = {1, '*'};
	unsigned nr = apex_label(answer, labels) - label;
	struct dns_order order;

	dns_order_init(&order, labels->lower + labels->offset[label], nr);
	if (wildcard)
		order.label[order.nr++] = asterisk;
	add(answer, nsec_find(answer->snapshot, answer->zone->label_nr, &order),
	    DNS_TYPE_NSEC);
}

/* The NSEC of a name that has a node: its own, unless it is one without. */
static void add_nsec_of(struct answer *answer, const struct node *node,
			const struct dns_labels *labels, unsigned label,
			bool wildcard)
{
	const struct rrset *nsec = node_find(node, DNS_TYPE_NSEC);

	if (nsec && nsec->rr_nr)
		add(answer, node, DNS_TYPE_NSEC);
	else
		add_nsec(answer, labels, label, wildcard);
}

/* The NSEC3 that matches or covers a name; *match tells which. */
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
	const struct snapshot *snapshot = answer->snapshot;
	unsigned off = labels->offset[label];

	if (snapshot->nsec3_apex && label == apex_label(answer, labels)) {
		*match = true;
		return snapshot_node(snapshot, snapshot->nsec3_apex);
	}
	return nsec3_of(answer, labels->lower + off, labels->len - off, match);
}

static void add_nsec3(struct answer *answer, const struct node *node)
{
	add(answer, node, DNS_TYPE_NSEC3);
}

/* "*" in front of the suffix that starts at a label. */
static void add_nsec3_wildcard(struct answer *answer,
			       const struct dns_labels *labels, unsigned label)
{
	const struct snapshot *snapshot = answer->snapshot;
	unsigned off = labels->offset[label], len = labels->len - off;
	uint8_t name[DNS_NAME_MAX + 2] = {1, '*'};
	bool match;

	if (snapshot->nsec3_wildcard && label == apex_label(answer, labels)) {
		add_nsec3(answer,
			  snapshot_node(snapshot, snapshot->nsec3_wildcard));
		return;
	}
	memcpy(name + 2, labels->lower + off, len);
	add_nsec3(answer, nsec3_of(answer, name, len + 2, &match));
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
	unsigned last = apex_label(answer, labels);
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

void denial_nodata(struct answer *answer, const struct dns_labels *labels,
		   const struct node *node)
{
	if (answer->snapshot->denial == DENIAL_NSEC)
		add_nsec_of(answer, node, labels, 0, false);
	else if (answer->snapshot->denial == DENIAL_NSEC3)
		add_nsec3_name(answer, labels, 0);
}

static void add_nsec3_name_and_wildcard(struct answer *answer,
					const struct dns_labels *labels,
					unsigned encloser)
{
	encloser = add_nsec3_encloser(answer, labels, encloser);
	add_nsec3_wildcard(answer, labels, encloser);
}

/* RFC 4035 section 3.1.3.2, RFC 5155 section 7.2.2 */
void denial_nxdomain(struct answer *answer, const struct dns_labels *labels,
		     unsigned encloser)
{
	if (answer->snapshot->denial == DENIAL_NSEC) {
		add_nsec(answer, labels, 0, false);
		add_nsec(answer, labels, encloser, true);
	} else if (answer->snapshot->denial == DENIAL_NSEC3) {
		add_nsec3_name_and_wildcard(answer, labels, encloser);
	}
}

void denial_wildcard(struct answer *answer, const struct dns_labels *labels,
		     unsigned encloser)
{
	bool match;

	if (answer->snapshot->denial == DENIAL_NSEC)
		add_nsec(answer, labels, 0, false);
	else if (answer->snapshot->denial == DENIAL_NSEC3)
		/* RFC 5155 section 7.2.6: the next closer name only */
		add_nsec3(answer,
			  nsec3_at(answer, labels, encloser - 1, &match));
}

/* RFC 4035 section 3.1.3.4, RFC 5155 section 7.2.5 */
void denial_wildcard_nodata(struct answer *answer,
			    const struct dns_labels *labels, unsigned encloser,
			    const struct node *node)
{
	if (answer->snapshot->denial == DENIAL_NSEC) {
		add_nsec(answer, labels, 0, false);
		add_nsec_of(answer, node, labels, encloser, true);
	} else if (answer->snapshot->denial == DENIAL_NSEC3) {
		add_nsec3_name_and_wildcard(answer, labels, encloser);
	}
}

void denial_no_ds(struct answer *answer, const struct dns_labels *labels,
		  unsigned cut, const struct node *node)
{
	if (answer->snapshot->denial == DENIAL_NSEC)
		add_nsec_of(answer, node, labels, cut, false);
	else if (answer->snapshot->denial == DENIAL_NSEC3)
		add_nsec3_name(answer, labels, cut);
}
