/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * References from NS, MX, SRV, SVCB and HTTPS to the nodes that have the
 * addresses of the hosts they name.
 */
#include "zone/freeze.h"

#include <errno.h>
#include <stdlib.h>

#include "base/octets.h"
#include "zone/index.h"
#include "zone/rdata.h"
#include "zone/rr.h"

/* Times that all nodes are gone through before sharing is given up. */
#define ROUNDS_MAX 4

static bool has_address(const struct node *node)
{
	const struct rrset *rrset = node_first(node);

	for (unsigned i = 0; i < node->rrset_nr; i++) {
		if (rrset->rr_nr &&
		    (rrset->type == DNS_TYPE_A || rrset->type == DNS_TYPE_AAAA))
			return true;
		rrset = rrset_next(rrset);
	}
	return false;
}

static uint32_t offset_of(const struct snapshot *snapshot,
			  const struct node *node)
{
	return (uint32_t)((size_t)((const uint8_t *)node - snapshot->base) /
			  ARENA_UNIT);
}

/*
 * A root target means the owner in a service binding (RFC 9460 section 2.5.2),
 * no service at all elsewhere (RFC 2782, RFC 7505).
 */
static const struct node *root_target(const struct node *node, uint16_t type,
				      const uint8_t *rdata)
{
	if (type != DNS_TYPE_SVCB && type != DNS_TYPE_HTTPS)
		return NULL;
	if (!get_u16(rdata) || node->flags & NODE_WILDCARD)
		return NULL;
	return node;
}

uint32_t refs_find(const struct snapshot *snapshot, const struct node *node,
		   uint16_t type, const uint8_t *rdata)
{
	const uint8_t *target = rdata + rrset_ref_name(type);
	const struct node *apex = snapshot_node(snapshot, snapshot->order[0]);
	struct dns_labels labels;
	const struct node *host;

	if (!*target) {
		host = root_target(node, type, rdata);
	} else {
		if (dns_name_suffix(target, apex->owner) < 0)
			return 0;
		dns_labels_parse(&labels, target, DNS_NAME_MAX);
		host = snapshot_find(snapshot, labels.hash, labels.lower,
				     labels.len);
	}
	if (!host || !has_address(host))
		return 0;
	/* Addresses at and below a cut are glue, which only NS may use. */
	if (type != DNS_TYPE_NS && host->flags & (NODE_CUT | NODE_BELOW_CUT))
		return 0;
	return offset_of(snapshot, host);
}

struct refs {
	struct freezer *freezer;
	uint8_t *rdata;
	bool moved; /* a node, in this round */
};

/* A kept node becomes one of this version, at another offset. */
static int node_copy(struct refs *refs, uint32_t i, struct node **node)
{
	struct freezer *freezer = refs->freezer;
	struct snapshot *snapshot = freezer->snapshot;
	uint32_t old = snapshot->order[i], offset;
	int err = arena_copy(freezer->dest, *node,
			     (size_t)(*node)->size * ARENA_UNIT, &offset);

	if (err)
		return err;
	*node = arena_at(freezer->dest, offset);
	index_move(snapshot, old, offset);
	snapshot->order[i] = offset;
	freezer->builder->names.flags[i] &= (uint16_t)~LINK_KEPT;
	refs->moved = true;
	return 0;
}

/* Where the references of an RRset are written. */
static uint32_t *refs_at(struct node *node, size_t rrset_at)
{
	const uint8_t *rrset = (const uint8_t *)node + rrset_at;

	return (uint32_t *)rrset_refs((const void *)rrset);
}

static int rrset_refer(struct refs *refs, uint32_t i, struct node **node,
		       const struct rrset *rrset)
{
	struct freezer *freezer = refs->freezer;
	size_t at = (size_t)((const uint8_t *)rrset - (uint8_t *)*node);
	struct rr_reader reader;
	struct rr rr;

	rr_reader_init(&reader, *node, rrset);
	for (uint32_t k = 0; k < rrset->rr_nr; k++) {
		uint32_t ref;
		int err;

		rr_reader_next(&reader, &rr, refs->rdata);
		ref =
		    refs_find(freezer->snapshot, *node, rrset->type, rr.rdata);
		if (refs_at(*node, at)[k] == ref)
			continue;
		if (freezer->builder->names.flags[i] & LINK_KEPT) {
			err = node_copy(refs, i, node);
			if (err)
				return err;
		}
		refs_at(*node, at)[k] = ref;
	}
	return 0;
}

static int node_refer(struct refs *refs, uint32_t i)
{
	struct snapshot *snapshot = refs->freezer->snapshot;
	struct node *node =
	    (struct node *)snapshot_node(snapshot, snapshot->order[i]);
	const struct rrset *rrset = node_first(node);
	unsigned nr = node->rrset_nr;
	int err = 0;

	for (unsigned k = 0; k < nr && !err; k++) {
		/* The old copy stays readable when the node is copied. */
		if (rrset_has_refs(rrset->type) && rrset->rr_nr) {
			size_t at =
			    (size_t)((const uint8_t *)rrset - (uint8_t *)node);

			err = rrset_refer(refs, i, &node, rrset);
			rrset = (const void *)((uint8_t *)node + at);
		}
		rrset = rrset_next(rrset);
	}
	return err;
}

static int round_refer(struct refs *refs)
{
	const struct link *names = &refs->freezer->builder->names;
	int err = 0;

	for (uint32_t i = 0; i < names->nr && !err; i++)
		if (names->flags[i] & LINK_REFS)
			err = node_refer(refs, i);
	return err;
}

int refs_build(struct freezer *freezer)
{
	struct refs refs = {.freezer = freezer, .moved = true};
	int err = 0;

	refs.rdata = malloc(RDATA_MAX);
	if (!refs.rdata)
		return -ENOMEM;
	for (unsigned round = 0; refs.moved && !err; round++) {
		refs.moved = false;
		err = round < ROUNDS_MAX ? round_refer(&refs) : -ELOOP;
	}
	free(refs.rdata);
	return err;
}
