/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Looking up a name, step by step as RFC 1034 section 4.3.2 has it:
 *
 *	step 2    the zone		lookup_zone
 *	step 3    down the labels	find_node, walk_up
 *	step 3a   the node is there	answer_node
 *	step 3b   a cut			answer_referral
 *	step 3c   no such node		answer_wildcard, answer_nxdomain
 *	DNAME     RFC 6672 section 3.2	answer_dname
 *
 * The walk goes up, not down: the full name is looked up first, since most
 * queries hit, and only a miss or an occluded node costs a step for each label.
 */
#include "query/lookup.h"

#include "base/octets.h"
#include "query/denial.h"

static const uint8_t wildcard_label[2] = {1, '*'};

/* Octets of an RR in a snapshot in front of its RDATA. */
#define RR_RDATA 12

struct lookup {
	struct answer *answer;
	struct dns_labels *name; /* of the current step */
	const struct snapshot *snapshot;
	const struct query *query;
	uint32_t slot; /* where the search for name begins */
	bool minimal_any;
	bool follow; /* the chain goes on with another name */
};

enum found {
	FOUND_NODE,
	FOUND_CUT,
	FOUND_DNAME,
	FOUND_ENCLOSER,
};

size_t lookup_rdata_name(const struct node *node, const uint8_t *at,
			 uint8_t *out)
{
	size_t pos = 0;

	while (at[pos] && at[pos] < 0xc0)
		pos += at[pos] + 1u;
	memcpy(out, at, pos);
	if (at[pos]) {
		size_t off = (get_u16(at + pos) & DNS_POINTER_MAX) -
			     (size_t)DNS_HEADER_LEN;

		memcpy(out + pos, node->owner + off, node->owner_len - off);
		return pos + node->owner_len - off;
	}
	out[pos] = 0;
	return pos + 1;
}

/* The node of the name itself, most often the only one looked for. */
static inline const struct node *name_node(const struct lookup *lk)
{
	return snapshot_find_from(lk->snapshot, lk->slot, lk->name->hash,
				  lk->name->lower, lk->name->len);
}

static const struct node *node_at(const struct lookup *lk, unsigned label)
{
	const struct dns_labels *name = lk->name;
	unsigned off = name->offset[label];

	return snapshot_find(lk->snapshot, dns_labels_hash(name, label),
			     name->lower + off, name->len - off);
}

static const struct node *apex_node(const struct lookup *lk)
{
	return snapshot_node(lk->snapshot, lk->snapshot->apex);
}

static unsigned apex_label(const struct lookup *lk)
{
	return zone_apex_label(lk->answer->zone, lk->name);
}

/* The first label at which a node can start: none has more labels. */
static unsigned first_label(const struct lookup *lk)
{
	unsigned nr = lk->name->label_nr, max = lk->snapshot->label_max;

	return nr > max ? nr - max : 0;
}

/*
 * The node for the name, or the nearest thing above it that decides: a cut, a
 * DNAME, the closest encloser. *label gets the label where its owner starts.
 */
static enum found find_node(const struct lookup *lk, const struct node **out,
			    unsigned *label)
{
	unsigned i = first_label(lk), apex;
	const struct node *node = i ? node_at(lk, i) : name_node(lk);

	*label = i;
	*out = node;
	if (!i && node) {
		if (!(node->flags & (NODE_CUT | NODE_BELOW_CUT)))
			return FOUND_NODE;
		/* The DS of a cut is the parent's (RFC 4035 3.1.4.1). */
		if (!(node->flags & NODE_BELOW_CUT))
			return lk->query->type == DNS_TYPE_DS ? FOUND_NODE
							      : FOUND_CUT;
	}
	apex = apex_label(lk);
	while (!node || node->flags & NODE_BELOW_CUT) {
		i++;
		node = i < apex ? node_at(lk, i) : apex_node(lk);
	}
	*label = i;
	*out = node;
	if (node->flags & NODE_CUT)
		return FOUND_CUT;
	if (node->flags & NODE_DNAME)
		return FOUND_DNAME;
	return FOUND_ENCLOSER;
}

static bool wants_proof(const struct lookup *lk)
{
	return lk->query->dnssec_ok;
}

static void add_soa(struct lookup *lk)
{
	const struct snapshot *snapshot = lk->snapshot;

	answer_add(lk->answer, ANSWER_AUTHORITY, OWNER_ANCESTOR, apex_node(lk),
		   snapshot_rrset(snapshot, snapshot->negative_soa));
}

static void answer_referral(struct lookup *lk, const struct node *cut,
			    unsigned label)
{
	struct answer *answer = lk->answer;
	const struct rrset *ds = node_find(cut, DNS_TYPE_DS);

	answer_add(answer, ANSWER_AUTHORITY, OWNER_ANCESTOR, cut,
		   node_find(cut, DNS_TYPE_NS));
	answer->cut = cut;
	answer->additional = true;
	/* Authoritative only for the aliases that led here. */
	answer->authoritative = answer->step_nr > 1;
	if (!wants_proof(lk))
		return;
	if (ds && ds->rr_nr)
		answer_add(answer, ANSWER_AUTHORITY, OWNER_ANCESTOR, cut, ds);
	else
		denial_no_ds(answer, lk->name, label, cut);
}

/*
 * The next name of an alias chain. It is followed while it is new and in this
 * zone (RFC 6604 section 3: RCODE and authority are those of the last name).
 */
static void follow(struct lookup *lk, const uint8_t *target)
{
	struct answer *answer = lk->answer;
	const struct zone *zone = answer->zone;
	struct dns_labels *name = lk->name;
	unsigned off;
	uint64_t hash;

	if (answer->step_nr > ANSWER_STEPS_MAX - 1)
		return;
	dns_labels_parse(name, target, DNS_NAME_MAX);
	if (name->label_nr < zone->label_nr)
		return;
	off = name->offset[apex_label(lk)];
	if (name->len - off != zone->apex_len ||
	    !octets_eq(name->lower + off, zone->apex, zone->apex_len))
		return;
	/* The hash is keyed and of 64 bits: equal means the same name. */
	hash = name->hash;
	for (unsigned i = 0; i < answer->step_nr; i++)
		if (answer->step_hash[i] == hash)
			return;
	answer->step_hash[answer->step_nr++] = hash;
	lk->slot = snapshot_slot_of(lk->snapshot, hash);
	lk->follow = true;
}

static void answer_cname(struct lookup *lk, const struct node *node)
{
	const struct rrset *rrset = node_find(node, DNS_TYPE_CNAME);
	uint8_t target[DNS_NAME_MAX];

	answer_add(lk->answer, ANSWER_ANSWER, OWNER_STEP, node, rrset);
	lookup_rdata_name(node, rrset->wire + RR_RDATA, target);
	follow(lk, target);
}

/* RFC 6672 section 3.2; too long a result is YXDOMAIN (section 2.2). */
static void answer_dname(struct lookup *lk, const struct node *node,
			 unsigned label)
{
	struct answer *answer = lk->answer;
	const struct rrset *rrset = node_find(node, DNS_TYPE_DNAME);
	uint8_t *target = answer->target[answer_step(answer)];
	const uint8_t *rdata = rrset->wire + RR_RDATA;
	size_t prefix = lk->name->offset[label];
	size_t len = dns_name_len(rdata);

	answer_add(answer, ANSWER_ANSWER, OWNER_ANCESTOR, node, rrset);
	if (prefix + len > DNS_NAME_MAX) {
		answer->rcode = DNS_YXDOMAIN;
		return;
	}
	memcpy(target, lk->name->lower, prefix);
	memcpy(target + prefix, rdata, len);
	answer_add_kind(answer, ANSWER_SYNTHESIS, node, rrset);
	if (lk->query->type != DNS_TYPE_CNAME)
		follow(lk, target);
}

/* The first RRset that has RRs of its own (RFC 8482 section 4.1). */
static const struct rrset *any_rrset(const struct node *node)
{
	const struct rrset *rrset = node_first(node);

	for (unsigned i = 0; i < node->rrset_nr; i++) {
		if (rrset->rr_nr)
			return rrset;
		rrset = rrset_next(rrset);
	}
	return NULL;
}

static bool has_sigs(const struct node *node)
{
	const struct rrset *rrset = node_first(node);

	for (unsigned i = 0; i < node->rrset_nr; i++) {
		if (rrset->sig_nr)
			return true;
		rrset = rrset_next(rrset);
	}
	return false;
}

static bool answer_any(struct lookup *lk, const struct node *node)
{
	const struct rrset *rrset = any_rrset(node);

	if (!rrset)
		return false;
	if (lk->minimal_any && lk->query->transport == QUERY_UDP)
		answer_add(lk->answer, ANSWER_ANSWER, OWNER_STEP, node, rrset);
	else
		answer_add_kind(lk->answer, ANSWER_ANY, node, NULL);
	return true;
}

/* What answers a type that the node has no RRset of. */
static bool answer_other(struct lookup *lk, const struct node *node)
{
	uint16_t type = lk->query->type;

	if (type == DNS_TYPE_ANY)
		return answer_any(lk, node);
	if (type == DNS_TYPE_RRSIG) {
		if (!has_sigs(node))
			return false;
		answer_add_kind(lk->answer, ANSWER_RRSIGS, node, NULL);
		return true;
	}
	if (!(node->flags & NODE_CNAME))
		return false;
	answer_cname(lk, node);
	return true;
}

/* RRsets of the type at a node: true when there is something to answer. */
static inline bool answer_data(struct lookup *lk, const struct node *node)
{
	uint16_t type = lk->query->type;
	const struct rrset *rrset = node_find(node, type);

	if (!rrset || !rrset->rr_nr)
		return answer_other(lk, node);
	answer_add(lk->answer, ANSWER_ANSWER, OWNER_STEP, node, rrset);
	lk->answer->additional = rrset_has_refs(type);
	return true;
}

static void answer_node(struct lookup *lk, const struct node *node)
{
	if (answer_data(lk, node))
		return;
	add_soa(lk);
	if (wants_proof(lk))
		denial_nodata(lk->answer, lk->name, node);
}

static void answer_nxdomain(struct lookup *lk, unsigned encloser)
{
	lk->answer->rcode = DNS_NXDOMAIN;
	add_soa(lk);
	if (wants_proof(lk))
		denial_nxdomain(lk->answer, lk->name, encloser);
}

/*
 * The source of synthesis (RFC 4592 section 3.3.1). follow() may replace the
 * name, so the proof that there is no closer match comes first.
 */
static void answer_wildcard(struct lookup *lk, const struct node *encloser,
			    unsigned label)
{
	const struct dns_labels *name = lk->name;
	unsigned off = name->offset[label], len = name->len - off;
	uint8_t owner[DNS_NAME_MAX + 2 + DNS_HASH_PAD];
	const struct node *node;

	if (!(encloser->flags & NODE_WILDCARD_CHILD)) {
		answer_nxdomain(lk, label);
		return;
	}
	memcpy(owner, wildcard_label, sizeof(wildcard_label));
	memcpy(owner + 2, name->lower + off, len + DNS_HASH_PAD);
	node = snapshot_find(lk->snapshot, dns_hash_lower(owner, len + 2),
			     owner, len + 2);
	if (wants_proof(lk))
		denial_wildcard(lk->answer, name, label);
	if (answer_data(lk, node))
		return;
	add_soa(lk);
	if (wants_proof(lk))
		denial_wildcard_nodata(lk->answer, name, label, node);
}

static void lookup_step(struct lookup *lk)
{
	const struct node *node;
	unsigned label;

	lk->follow = false;
	switch (find_node(lk, &node, &label)) {
	case FOUND_NODE:
		answer_node(lk, node);
		break;
	case FOUND_CUT:
		answer_referral(lk, node, label);
		break;
	case FOUND_DNAME:
		answer_dname(lk, node, label);
		break;
	case FOUND_ENCLOSER:
		answer_wildcard(lk, node, label);
		break;
	}
}

/*
 * The zone with the longest apex. The DS of an apex belongs to the parent, if
 * that is served here too (RFC 4035 section 3.1.4.1).
 */
static const struct zone *find_zone(const struct zone_set *set,
				    const struct query *query)
{
	const struct dns_labels *name = &query->name;
	const struct zone *zone = zone_set_find(set, name, 0), *parent;

	if (query->type != DNS_TYPE_DS || !zone ||
	    zone_apex_label(zone, name) || !name->label_nr)
		return zone;
	parent = zone_set_find(set, name, 1);
	return parent && parent->snapshot ? parent : zone;
}

void lookup_zone(struct query *query, const struct zone_set *set)
{
	query->zone = find_zone(set, query);
	if (query->zone && query->zone->snapshot)
		query->slot =
		    snapshot_slot_of(query->zone->snapshot, query->name.hash);
}

void lookup(struct answer *answer, struct query *query,
	    const struct query_config *config)
{
	struct lookup lk = {
	    .answer = answer,
	    .name = &query->name,
	    .query = query,
	    .slot = query->slot,
	    .minimal_any = config->minimal_any,
	};

	answer->zone = query->zone;
	if (!answer->zone) {
		answer->rcode = DNS_REFUSED;
		answer->ede = DNS_EDE_NOT_AUTHORITATIVE;
		return;
	}
	if (!answer->zone->snapshot) {
		answer_not_loaded(answer, answer->zone);
		return;
	}
	answer->snapshot = lk.snapshot = answer->zone->snapshot;
	answer->authoritative = true;
	answer->step_hash[0] = lk.name->hash;
	do
		lookup_step(&lk);
	while (lk.follow);
}
