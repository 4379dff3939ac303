/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One version of a zone, frozen: what the workers read to answer.
 *
 *	slot[]   hash of owner -> node        open addressing, linear probing
 *	order[]  nodes in canonical order     (RFC 4034 section 6.1)
 *	nsec[]   nodes that have an NSEC, in canonical order; nsec_key[] beside
 *	nsec3[]  NSEC3 nodes by owner hash; they are not in slot[] or order[]
 *	            |
 *	            v  32-bit offsets in units of 8 octets from base
 *	arena    | node | RRset | RRset | node | RRset | ...
 *
 *	node     header, owner (wire form), padding to 8, RRsets by type
 *	RRset    header, RRs as they go on the wire, RRSIGs likewise, padding to
 *	         4, fixes, references, padding to 8
 *
 * Each RR starts with a compression pointer to octet 12, as if the question
 * were the node's owner; names in RDATA that RFC 1035 lets compress end in a
 * pointer into the question where they share a suffix with the owner. A fix
 * names each such pointer, so that an answer whose question is longer than the
 * owner (wildcard, referral, SOA of a negative answer) can move it. Owners
 * that start with "*" never have a pointer to their own first label, since the
 * name in the question has another one there.
 *
 * The snapshot holds no pointer inside the arena and is never written once it
 * is published. Nodes may be shared with the version before and after it.
 */
#ifndef ZONE_SNAPSHOT_H
#define ZONE_SNAPSHOT_H

#include <stdatomic.h>
#include <stdbool.h>

#include "dns/fold.h"
#include "dns/labels.h"
#include "dns/type.h"

enum node_flag {
	NODE_APEX = 1 << 0,
	NODE_CUT = 1 << 1,	      /* zone cut: NS, and not the apex */
	NODE_DNAME = 1 << 2,	      /* has a DNAME */
	NODE_BELOW_CUT = 1 << 3,      /* occluded: glue only, never an answer */
	NODE_WILDCARD_CHILD = 1 << 4, /* the child "*" exists */
	NODE_WILDCARD = 1 << 5,	      /* its own first label is "*" */
	NODE_CNAME = 1 << 6,	      /* has a CNAME */
};

struct node {
	uint32_t size; /* units of 8 octets, RRsets included */
	uint16_t flags;
	uint16_t rrset_nr; /* 0: empty non-terminal */
	uint8_t label_nr;  /* of the owner, root label not counted */
	uint8_t owner_len; /* octets, root label included */
	uint8_t owner[];   /* case as in the zone file */
};

struct rrset {
	uint32_t size; /* units of 8 octets to the next RRset */
	uint16_t type;
	uint16_t sig_nr;   /* RRSIGs that cover this type */
	uint32_t rr_nr;	   /* 0: only RRSIGs exist for this type */
	uint32_t wire_len; /* octets of all RRs */
	uint32_t sig_len;  /* octets of all RRSIGs, right behind the RRs */
	uint32_t fix_nr;
	uint8_t wire[];
};

/* A pointer in the RRs of an RRset that depends on the question. */
struct rrset_fix {
	uint32_t at;	    /* octets from wire[0] */
	uint32_t owner_off; /* what it points to: octets into the owner */
};

struct snapshot_slot {
	uint32_t tag;  /* lower half of the hash */
	uint32_t node; /* offset, 0 = empty */
};

#define NSEC3_HASH_LEN 20 /* SHA-1 only, RFC 5155 section 11 */

struct snapshot_nsec3 {
	uint8_t hash[NSEC3_HASH_LEN];
	uint32_t node;
};

enum snapshot_denial {
	DENIAL_NONE, /* unsigned, or signed without a usable chain */
	DENIAL_NSEC,
	DENIAL_NSEC3,
};

struct snapshot_arena;

struct snapshot {
	const uint8_t *base;
	struct snapshot_slot *slot;
	uint32_t slot_nr;
	uint32_t node_nr;
	uint32_t *order; /* node_nr of them */
	uint32_t *nsec;
	uint64_t *nsec_key; /* of some of nsec[]: zone/nsec.h */
	uint32_t nsec_nr;
	uint32_t nsec3_nr;
	struct snapshot_nsec3 *nsec3;
	/*
	 * NSEC3 nodes of proofs that most denials share: the one that matches
	 * the apex, the one that matches or covers "*" below it; 0 for none.
	 */
	uint32_t nsec3_apex, nsec3_wildcard;
	uint32_t apex;	       /* node */
	uint32_t negative_soa; /* RRset: the SOA, TTL as RFC 2308 section 3 */
	uint32_t serial;
	uint8_t label_max; /* of the owner that has most labels */
	enum snapshot_denial denial;
	uint16_t nsec3_iterations;
	uint8_t nsec3_salt_len;
	uint8_t nsec3_salt[255];
	uint64_t record_nr;
	size_t memory; /* octets, index and arena; shared nodes included */
	struct snapshot_arena *arena;
	atomic_uint refs;
	atomic_uint holds; /* transfers under way that read it */
	bool retired;	   /* no longer served, kept for its holds */
	struct snapshot *retired_next;
};

/* Another owner. Control and loader threads only. */
struct snapshot *snapshot_get(struct snapshot *snapshot);

/* One owner less; the last one frees it. NULL is ignored. */
void snapshot_put(struct snapshot *snapshot);

/*
 * A worker reads the snapshot beyond its turn. It is no owner and never frees:
 * whoever takes the snapshot out of service waits for a grace period, keeps its
 * own reference while there are holds, and looks again later.
 */
static inline void snapshot_hold(struct snapshot *snapshot)
{
	atomic_fetch_add_explicit(&snapshot->holds, 1, memory_order_relaxed);
}

static inline void snapshot_release(struct snapshot *snapshot)
{
	atomic_fetch_sub_explicit(&snapshot->holds, 1, memory_order_release);
}

static inline bool snapshot_is_held(struct snapshot *snapshot)
{
	return atomic_load_explicit(&snapshot->holds, memory_order_acquire) > 0;
}

static inline const struct node *snapshot_node(const struct snapshot *snapshot,
					       uint32_t offset)
{
	return (const void *)(snapshot->base + (uint64_t)offset * 8);
}

static inline const struct rrset *
snapshot_rrset(const struct snapshot *snapshot, uint32_t offset)
{
	return (const void *)(snapshot->base + (uint64_t)offset * 8);
}

/* First RRset of a node; there are rrset_nr. */
static inline const struct rrset *node_first(const struct node *node)
{
	size_t len = offsetof(struct node, owner) + node->owner_len;

	return (const void *)((const uint8_t *)node + (len + 7) / 8 * 8);
}

static inline const struct rrset *rrset_next(const struct rrset *rrset)
{
	return (const void *)((const uint8_t *)rrset + (size_t)rrset->size * 8);
}

/* The RRset of a type, NULL when the node has none. */
static inline const struct rrset *node_find(const struct node *node,
					    uint16_t type)
{
	const struct rrset *rrset = node_first(node);

	for (unsigned i = 0; i < node->rrset_nr; i++) {
		if (rrset->type == type)
			return rrset;
		rrset = rrset_next(rrset);
	}
	return NULL;
}

static inline const uint8_t *rrset_sigs(const struct rrset *rrset)
{
	return rrset->wire + rrset->wire_len;
}

static inline const struct rrset_fix *rrset_fixes(const struct rrset *rrset)
{
	size_t len = (size_t)rrset->wire_len + rrset->sig_len;

	return (const void *)(rrset->wire + (len + 3) / 4 * 4);
}

/*
 * Types whose RDATA names a host that gets its addresses added: NS, MX, SRV,
 * SVCB, HTTPS. Their RRsets have one reference for each RR, in order.
 */
static inline bool rrset_has_refs(uint16_t type)
{
	return type == DNS_TYPE_NS || type == DNS_TYPE_MX ||
	       type == DNS_TYPE_SRV || type == DNS_TYPE_SVCB ||
	       type == DNS_TYPE_HTTPS;
}

/* Octets from the start of RDATA to the name that a reference is made from. */
static inline unsigned rrset_ref_name(uint16_t type)
{
	return type == DNS_TYPE_NS ? 0 : type == DNS_TYPE_SRV ? 6 : 2;
}

/*
 * Nodes of the hosts, 0 where the host is not in this zone, has no address,
 * or is occluded and the type is not NS. Only if rrset_has_refs().
 */
static inline const uint32_t *rrset_refs(const struct rrset *rrset)
{
	return (const void *)(rrset_fixes(rrset) + rrset->fix_nr);
}

static inline uint32_t snapshot_slot_of(const struct snapshot *snapshot,
					uint64_t hash)
{
	return (uint32_t)((hash >> 32) * snapshot->slot_nr >> 32);
}

static inline uint32_t snapshot_next_slot(const struct snapshot *snapshot,
					  uint32_t i)
{
	return ++i == snapshot->slot_nr ? 0 : i;
}

/* From slot i on, the first one with the tag of the hash or an empty one. */
static inline uint32_t snapshot_probe(const struct snapshot *snapshot,
				      uint32_t i, uint64_t hash)
{
	const struct snapshot_slot *slot = snapshot->slot;

	while (slot[i].node && slot[i].tag != (uint32_t)hash)
		i = snapshot_next_slot(snapshot, i);
	return i;
}

/*
 * Node of a name, from its first octet in lower case on, or NULL. Nodes below
 * cuts and empty non-terminals are found too. The search begins at slot i:
 * snapshot_slot_of(), or where snapshot_probe() has got from there.
 */
static inline const struct node *
snapshot_find_from(const struct snapshot *snapshot, uint32_t i, uint64_t hash,
		   const uint8_t *lower, unsigned len)
{
	for (;; i = snapshot_next_slot(snapshot, i)) {
		const struct node *node;

		i = snapshot_probe(snapshot, i, hash);
		if (!snapshot->slot[i].node)
			return NULL;
		node = snapshot_node(snapshot, snapshot->slot[i].node);
		if (node->owner_len == len &&
		    dns_fold_eq_lower(node->owner, lower, len))
			return node;
	}
}

static inline const struct node *snapshot_find(const struct snapshot *snapshot,
					       uint64_t hash,
					       const uint8_t *lower,
					       unsigned len)
{
	return snapshot_find_from(snapshot, snapshot_slot_of(snapshot, hash),
				  hash, lower, len);
}

/*
 * Ask memory for what a search from slot i on will read: first the slots, then,
 * when those have come and i is where snapshot_probe() has got, the node; where
 * there is none, what a negative answer is made of.
 */
static inline void snapshot_prefetch_slot(const struct snapshot *snapshot,
					  uint32_t i)
{
	__builtin_prefetch(&snapshot->slot[i]);
	/* a search of average length ends here; maybe it is another line */
	__builtin_prefetch(&snapshot->slot[i] + 6);
}

void snapshot_prefetch_node(const struct snapshot *snapshot, uint32_t i);

/*
 * The NSEC3 node whose owner hash is the given one or the last one before it,
 * in a ring; *match tells which. NULL when the zone has none.
 */
const struct node *snapshot_find_nsec3(const struct snapshot *snapshot,
				       const uint8_t hash[NSEC3_HASH_LEN],
				       bool *match);

/*
 * Hash of a name as the zone's NSEC3PARAM has it (RFC 5155 section 5). lower is
 * the name in lower case. No allocation.
 */
void snapshot_nsec3_hash(const struct snapshot *snapshot, const uint8_t *lower,
			 size_t len, uint8_t out[NSEC3_HASH_LEN]);

#endif
