/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What may lie together at one node, and what the apex must have. Whatever
 * needs the finished snapshot is in snapshot_check.c.
 */
#include "zone/zone_check.h"

#include <string.h>

#include "base/octets.h"
#include "zone/rdata.h"
#include "zone/rr.h"

#define RR_RDLEN 10
#define RR_RDATA 12

void check_say_owner(struct zone_builder *builder, enum zone_severity severity,
		     uint32_t place, const uint8_t *owner, const char *what)
{
	char text[DNS_NAME_TEXT_MAX];

	dns_name_to_text(text, owner);
	builder_say(builder, severity, place, "%s: %s", text, what);
}

bool check_apex(struct zone_builder *builder, const struct node *node)
{
	const struct rrset *soa = NULL, *ns;

	if (node->label_nr == builder->apex_label_nr)
		soa = node_find(node, DNS_TYPE_SOA);
	if (!soa || !soa->rr_nr) {
		builder_say(builder, ZONE_ERROR, PLACE_NONE,
			    "no SOA at the apex");
		return false;
	}
	ns = node_find(node, DNS_TYPE_NS);
	if (!ns || !ns->rr_nr)
		builder_say(builder, ZONE_ERROR, PLACE_NONE,
			    "no NS at the apex");
	return true;
}

/* Types of which a node has one record at most. */
static bool is_singleton(uint16_t type)
{
	return type == DNS_TYPE_SOA || type == DNS_TYPE_CNAME ||
	       type == DNS_TYPE_DNAME;
}

/* RFC 1034 section 3.6.2, RFC 4034 section 2.5, RFC 6672 section 2.4. */
static const char *fault_of(const struct rrset *rrset, uint16_t flags)
{
	if (rrset->rr_nr > 1) {
		if (rrset->type == DNS_TYPE_SOA)
			return "more than one SOA";
		return rrset->type == DNS_TYPE_CNAME ? "more than one CNAME"
						     : "more than one DNAME";
	}
	if (rrset->type == DNS_TYPE_SOA && !(flags & NODE_APEX))
		return "SOA below the apex";
	return NULL;
}

/* What a node at or below a cut may hold without a word. */
static bool is_cut_data(uint16_t type, uint16_t flags)
{
	switch (type) {
	case DNS_TYPE_A:
	case DNS_TYPE_AAAA:
		return true;
	case DNS_TYPE_NS:
	case DNS_TYPE_DS:
	case DNS_TYPE_NSEC:
		return flags & NODE_CUT;
	default:
		return false;
	}
}

static void check_occluded(struct zone_builder *builder,
			   const struct node *node, uint16_t flags,
			   uint32_t place)
{
	const struct rrset *rrset = node_first(node);

	for (unsigned i = 0; i < node->rrset_nr;
	     i++, rrset = rrset_next(rrset)) {
		char owner[DNS_NAME_TEXT_MAX], type[DNS_TYPE_TEXT_MAX];

		if (!rrset->rr_nr || is_cut_data(rrset->type, flags))
			continue;
		dns_name_to_text(owner, node->owner);
		builder_say(builder, ZONE_WARNING, place,
			    "%s %s: %s a zone cut, never an answer", owner,
			    dns_type_to_text(type, rrset->type),
			    flags & NODE_CUT ? "at" : "below");
	}
}

void check_node(struct zone_builder *builder, const struct node *node,
		uint16_t flags, uint32_t place)
{
	const struct rrset *rrset = node_first(node);

	for (unsigned i = 0; i < node->rrset_nr;
	     i++, rrset = rrset_next(rrset)) {
		const char *what = NULL;

		if (!rrset->rr_nr)
			continue;
		if (is_singleton(rrset->type))
			what = fault_of(rrset, flags);
		else if (flags & NODE_CNAME && rrset->type != DNS_TYPE_NSEC)
			what = "CNAME and other data";
		if (flags & NODE_CNAME && (rrset->type == DNS_TYPE_DNAME ||
					   rrset->type == DNS_TYPE_SOA))
			what = "CNAME and other data";
		if (what)
			check_say_owner(builder, ZONE_ERROR, place, node->owner,
					what);
	}
	if (flags & (NODE_CUT | NODE_BELOW_CUT))
		check_occluded(builder, node, flags, place);
}

/* RDATA of NSEC3PARAM and the head of that of NSEC3 (RFC 5155 3.2, 4.2). */
struct nsec3_param {
	const uint8_t *rdata; /* algorithm, flags, iterations, salt */
	unsigned salt_len;
};

static struct nsec3_param param_of(const uint8_t *rr)
{
	return (struct nsec3_param){.rdata = rr + RR_RDATA,
				    .salt_len = rr[RR_RDATA + 4]};
}

static bool param_eq(struct nsec3_param a, struct nsec3_param b)
{
	/* Flags differ in meaning: opt-out is a flag of NSEC3 alone. */
	return a.rdata[0] == b.rdata[0] &&
	       !memcmp(a.rdata + 2, b.rdata + 2, 2) &&
	       a.salt_len == b.salt_len &&
	       !memcmp(a.rdata + 5, b.rdata + 5, a.salt_len);
}

/* The first NSEC3PARAM that can be used (RFC 5155 section 4.1.2). */
static bool usable_param(const struct node *apex, struct nsec3_param *param)
{
	const struct rrset *rrset = node_find(apex, DNS_TYPE_NSEC3PARAM);
	const uint8_t *rr = rrset ? rrset->wire : NULL;

	for (uint32_t i = 0; rrset && i < rrset->rr_nr; i++) {
		*param = param_of(rr);
		if (param->rdata[0] == 1 && !param->rdata[1])
			return true;
		rr += RR_RDATA + get_u16(rr + RR_RDLEN);
	}
	return false;
}

static bool fits(const struct node *node, struct nsec3_param param)
{
	const struct rrset *rrset = node_find(node, DNS_TYPE_NSEC3);

	return rrset && rrset->rr_nr == 1 &&
	       param_eq(param_of(rrset->wire), param);
}

/* Keeps the NSEC3 nodes that fit; returns how many do not. */
static size_t select_nsec3(struct zone_builder *builder,
			   const struct nsec3_param *param)
{
	struct link *link = &builder->nsec3;
	size_t left = 0, all = link->nr;

	for (size_t i = 0; i < all; i++) {
		const struct node *node = builder_node(
		    builder, link->node[i], link->flags[i] & LINK_KEPT);

		if (!param || !fits(node, *param)) {
			link_count(link, node, link->flags[i] & LINK_KEPT, -1);
			continue;
		}
		link->node[left] = link->node[i];
		link->flags[left] = link->flags[i];
		link->place[left++] = link->place[i];
	}
	link->nr = left;
	return all - left;
}

static void use_param(struct snapshot *snapshot, struct nsec3_param param)
{
	snapshot->denial = DENIAL_NSEC3;
	snapshot->nsec3_iterations = get_u16(param.rdata + 2);
	snapshot->nsec3_salt_len = (uint8_t)param.salt_len;
	memcpy(snapshot->nsec3_salt, param.rdata + 5, param.salt_len);
}

void check_nsec3(struct zone_builder *builder, const struct node *apex,
		 struct snapshot *snapshot)
{
	const struct rrset *nsec = node_find(apex, DNS_TYPE_NSEC);
	struct nsec3_param param;
	bool usable = usable_param(apex, &param);
	size_t left_out = select_nsec3(builder, usable ? &param : NULL);

	snapshot->denial = nsec && nsec->rr_nr ? DENIAL_NSEC : DENIAL_NONE;
	if (left_out)
		builder_say(builder, ZONE_WARNING, PLACE_NONE,
			    "%zu NSEC3 do not match the apex NSEC3PARAM, left "
			    "out",
			    left_out);
	if (!usable)
		return;
	if (builder->nsec3.nr)
		use_param(snapshot, param);
	else
		builder_say(builder, ZONE_WARNING, PLACE_NONE,
			    "NSEC3PARAM but no NSEC3 of it: no NSEC3 proofs");
}
