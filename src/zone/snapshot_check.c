/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Warnings that need the finished snapshot: hosts without addresses, hosts
 * that are aliases, holes in a chain of denial, signatures out of date, RRsets
 * that no message holds. What may be wrong a million times is counted and said
 * once.
 */
#include "zone/zone_check.h"

#include <stdlib.h>
#include <string.h>

#include "base/octets.h"
#include "dns/message.h"
#include "zone/nsec3.h"
#include "zone/rdata.h"
#include "zone/rr.h"

#define RR_RDLEN	 10
#define RR_RDATA	 12
#define RRSIG_EXPIRATION 8 /* octets into its RDATA, RFC 4034 section 3.1 */

/* RFC 9276 section 3.2: resolvers may treat more as insecure. */
#define ITERATIONS_MAX 100

/* A fault that is counted, and the owner where it was met first. */
struct tally {
	size_t nr;
	const struct node *first;
	uint32_t place;
};

struct checker {
	struct zone_builder *builder;
	const struct snapshot *snapshot;
	uint8_t *rdata;
	const struct node *node; /* the one being looked at */
	uint32_t place;
	struct tally expired, no_nsec, nsec_hole, nsec3_hole;
};

static void tally_add(struct tally *tally, const struct node *node,
		      uint32_t place)
{
	if (!tally->nr++) {
		tally->first = node;
		tally->place = place;
	}
}

static void tally_say(struct checker *checker, const struct tally *tally,
		      const char *what)
{
	char owner[DNS_NAME_TEXT_MAX];

	if (!tally->nr)
		return;
	dns_name_to_text(owner, tally->first->owner);
	builder_say(checker->builder, ZONE_WARNING, tally->place,
		    "%s: %s, %zu in all", owner, what, tally->nr);
}

/* The node of a name in this zone, or the closest one above it. */
static const struct node *closest(const struct snapshot *snapshot,
				  const uint8_t *name, bool *exact)
{
	struct dns_labels labels;

	dns_labels_parse(&labels, name, DNS_NAME_MAX);
	for (unsigned i = 0; i <= labels.label_nr; i++) {
		const struct node *node =
		    snapshot_find(snapshot, dns_labels_hash(&labels, i),
				  labels.lower + labels.offset[i],
				  labels.len - (unsigned)labels.offset[i]);

		*exact = !i;
		if (node)
			return node;
	}
	return NULL;
}

/* What is wrong with a host that got no reference, NULL for nothing. */
static const char *host_fault(const struct checker *checker, uint16_t type,
			      const uint8_t *target)
{
	const struct snapshot *snapshot = checker->snapshot;
	const struct node *apex = snapshot_node(snapshot, snapshot->apex);
	const struct node *host;
	bool exact;

	if (!*target || dns_name_suffix(target, apex->owner) < 0)
		return NULL;
	host = closest(snapshot, target, &exact);
	if (exact && host->flags & NODE_CNAME &&
	    !(host->flags & NODE_BELOW_CUT))
		return "is an alias (RFC 2181 section 10.3)";
	if (type != DNS_TYPE_NS)
		return NULL;
	/* A delegation needs the addresses that lie behind it. */
	if (checker->node->flags & NODE_CUT)
		return dns_name_suffix(target, checker->node->owner) < 0
			   ? NULL
			   : "has no glue address";
	if (!exact && host->flags & (NODE_WILDCARD_CHILD | NODE_DNAME))
		return NULL;
	return "has no address";
}

static void check_hosts(struct checker *checker, const struct rrset *rrset)
{
	const uint32_t *ref = rrset_refs(rrset);
	struct rr_reader reader;
	struct rr rr;

	if (checker->node->flags & NODE_BELOW_CUT)
		return;
	rr_reader_init(&reader, checker->node, rrset);
	for (uint32_t i = 0; i < rrset->rr_nr; i++) {
		char owner[DNS_NAME_TEXT_MAX], host[DNS_NAME_TEXT_MAX];
		char type[DNS_TYPE_TEXT_MAX];
		const uint8_t *target;
		const char *what;

		rr_reader_next(&reader, &rr, checker->rdata);
		target = rr.rdata + rrset_ref_name(rrset->type);
		what = ref[i] ? NULL : host_fault(checker, rrset->type, target);
		if (!what)
			continue;
		dns_name_to_text(owner, checker->node->owner);
		dns_name_to_text(host, target);
		builder_say(checker->builder, ZONE_WARNING, checker->place,
			    "%s %s: host %s %s", owner,
			    dns_type_to_text(type, rrset->type), host, what);
	}
}

static void check_signatures(struct checker *checker, const struct rrset *rrset)
{
	const uint8_t *rr = rrset_sigs(rrset);

	for (unsigned i = 0; i < rrset->sig_nr; i++) {
		uint32_t expiration = get_u32(rr + RR_RDATA + RRSIG_EXPIRATION);
		uint32_t now = (uint32_t)checker->builder->now;

		/* Serial number arithmetic, RFC 4034 section 3.1.5. */
		if ((int32_t)(expiration - now) < 0)
			tally_add(&checker->expired, checker->node,
				  checker->place);
		rr += RR_RDATA + get_u16(rr + RR_RDLEN);
	}
}

static void check_size(struct checker *checker, const struct rrset *rrset)
{
	size_t len =
	    DNS_HEADER_LEN + checker->node->owner_len + 4u + rrset->wire_len;
	char owner[DNS_NAME_TEXT_MAX], type[DNS_TYPE_TEXT_MAX];

	if (len <= DNS_MESSAGE_MAX)
		return;
	dns_name_to_text(owner, checker->node->owner);
	builder_say(checker->builder, ZONE_WARNING, checker->place,
		    "%s %s: %u records fit no message", owner,
		    dns_type_to_text(type, rrset->type), rrset->rr_nr);
}

static void check_rrsets(struct checker *checker)
{
	const struct rrset *rrset = node_first(checker->node);

	for (unsigned i = 0; i < checker->node->rrset_nr;
	     i++, rrset = rrset_next(rrset)) {
		check_size(checker, rrset);
		if (rrset_has_refs(rrset->type))
			check_hosts(checker, rrset);
		if (rrset->sig_nr)
			check_signatures(checker, rrset);
	}
}

static void check_nodes(struct checker *checker)
{
	const struct snapshot *snapshot = checker->snapshot;
	const struct link *names = &checker->builder->names;
	const struct link *nsec3 = &checker->builder->nsec3;

	for (uint32_t i = 0; i < snapshot->node_nr; i++) {
		unsigned flags = names->flags[i];

		checker->node = snapshot_node(snapshot, snapshot->order[i]);
		checker->place = names->place[i];
		if (flags & (LINK_CHECK | LINK_REFS))
			check_rrsets(checker);
		if (snapshot->nsec_nr &&
		    !(flags & (LINK_NSEC | LINK_EMPTY | NODE_BELOW_CUT)))
			tally_add(&checker->no_nsec, checker->node,
				  checker->place);
	}
	for (uint32_t i = 0; i < snapshot->nsec3_nr; i++) {
		checker->node =
		    snapshot_node(snapshot, snapshot->nsec3[i].node);
		checker->place = nsec3->place[i];
		check_rrsets(checker);
	}
}

/* Each NSEC names the next owner, the last one the apex (RFC 4034 4.1.1). */
static void check_nsec_chain(struct checker *checker)
{
	const struct snapshot *snapshot = checker->snapshot;

	for (uint32_t i = 0; i < snapshot->nsec_nr; i++) {
		uint32_t k = i + 1 < snapshot->nsec_nr ? i + 1 : 0;
		const struct node *node =
		    snapshot_node(snapshot, snapshot->nsec[i]);
		const struct node *next =
		    snapshot_node(snapshot, snapshot->nsec[k]);
		const struct rrset *nsec = node_find(node, DNS_TYPE_NSEC);

		if (!dns_name_eq(nsec->wire + RR_RDATA, next->owner))
			tally_add(&checker->nsec_hole, node, PLACE_NONE);
	}
}

/* RDATA: algorithm, flags, iterations, salt, then the next hash. */
static void check_nsec3_chain(struct checker *checker)
{
	const struct snapshot *snapshot = checker->snapshot;
	const struct snapshot_nsec3 *nsec3 = snapshot->nsec3;

	for (uint32_t i = 0; i < snapshot->nsec3_nr; i++) {
		uint32_t k = i + 1 < snapshot->nsec3_nr ? i + 1 : 0;
		const struct node *node =
		    snapshot_node(snapshot, nsec3[i].node);
		const uint8_t *rdata =
		    node_find(node, DNS_TYPE_NSEC3)->wire + RR_RDATA;
		const uint8_t *next = rdata + 5 + rdata[4];

		if (*next != NSEC3_HASH_LEN ||
		    memcmp(next + 1, nsec3[k].hash, NSEC3_HASH_LEN))
			tally_add(&checker->nsec3_hole, node, PLACE_NONE);
	}
}

void check_snapshot(struct zone_builder *builder,
		    const struct snapshot *snapshot)
{
	struct checker checker = {.builder = builder, .snapshot = snapshot};

	checker.rdata = malloc(RDATA_MAX);
	if (!checker.rdata)
		return; /* only warnings are lost */
	check_nodes(&checker);
	check_nsec_chain(&checker);
	check_nsec3_chain(&checker);
	tally_say(&checker, &checker.expired, "RRSIG has expired");
	tally_say(&checker, &checker.no_nsec, "no NSEC");
	tally_say(&checker, &checker.nsec_hole,
		  "NSEC does not lead to the next one");
	tally_say(&checker, &checker.nsec3_hole,
		  "NSEC3 does not lead to the next one");
	if (snapshot->denial == DENIAL_NSEC3 &&
	    snapshot->nsec3_iterations > ITERATIONS_MAX)
		builder_say(builder, ZONE_WARNING, PLACE_NONE,
			    "%u NSEC3 iterations, more than %d make resolvers "
			    "treat the zone as unsigned (RFC 9276)",
			    snapshot->nsec3_iterations, ITERATIONS_MAX);
	free(checker.rdata);
}
