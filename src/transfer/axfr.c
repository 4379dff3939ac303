/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The walk over a snapshot, and the records of it into messages. A record is
 * copied as it lies in the snapshot; only its owner, and the pointers that its
 * RRset lists, are written anew.
 */
#include "transfer/axfr.h"

#include <assert.h>
#include <errno.h>

#include "base/octets.h"
#include "query/edns.h"
#include "query/parse.h"

/* Octets of one message: all of it is in reach of compression pointers. */
#define MESSAGE_LEN (DNS_POINTER_MAX + 1)
#define PREFIX_LEN  2

/* An RR in a snapshot: pointer, type, class, TTL, RDLENGTH, RDATA. */
#define RR_OWNER    2
#define RR_RDLENGTH 10
#define RR_RDATA    12

/* Nodes asked for ahead of their turn: more than one memory latency. */
#define PREFETCH       8
#define PREFETCH_LINES 4

enum axfr_stage { FIRST_SOA, NODES, NSEC3_NODES, LAST_SOA, DONE };

static void enter_node(struct axfr *axfr, const struct node *node)
{
	axfr->node = node;
	axfr->owner_at = 0;
	axfr->rrset_left = node->rrset_nr;
	axfr->rrset_next = node_first(node);
}

/*
 * Octets of RDATA in front of a name that ends it and may be compressed (RFC
 * 3597 section 4), -1 for other types.
 */
static int target_at(uint16_t type)
{
	switch (type) {
	case DNS_TYPE_NS:
	case DNS_TYPE_CNAME:
	case DNS_TYPE_PTR:
		return 0;
	case DNS_TYPE_MX:
		return 2;
	default:
		return -1;
	}
}

static void enter_rrset(struct axfr *axfr, const struct rrset *rrset)
{
	axfr->rrset = rrset;
	axfr->rrset_next = rrset_next(rrset);
	axfr->rr_at = 0;
	axfr->rr_end = rrset->wire_len + rrset->sig_len;
	axfr->target_at = (int8_t)target_at(rrset->type);
	axfr->fix = rrset_fixes(rrset);
	axfr->fix_end = axfr->fix + rrset->fix_nr;
}

/* The SOA without its RRSIGs, which have their place among the others. */
static void enter_soa(struct axfr *axfr)
{
	const struct node *apex =
	    snapshot_node(axfr->snapshot, axfr->snapshot->apex);

	enter_node(axfr, apex);
	axfr->rrset_left = 0;
	enter_rrset(axfr, node_find(apex, DNS_TYPE_SOA));
	axfr->rr_end = axfr->rrset->wire_len;
}

static void skip_soa(struct axfr *axfr)
{
	if (axfr->rrset->type != DNS_TYPE_SOA ||
	    !(axfr->node->flags & NODE_APEX))
		return;
	axfr->rr_at = axfr->rrset->wire_len;
	while (axfr->fix < axfr->fix_end && axfr->fix->at < axfr->rr_at)
		axfr->fix++;
}

/* Its first RRsets too: the walk is faster than memory answers. */
static void prefetch_node(const struct node *node)
{
	for (unsigned i = 0; i < PREFETCH_LINES; i++)
		__builtin_prefetch((const uint8_t *)node + (size_t)64 * i);
}

static bool next_listed_node(struct axfr *axfr)
{
	const struct snapshot *snapshot = axfr->snapshot;
	uint32_t i = axfr->next++;

	if (i + PREFETCH < snapshot->node_nr)
		prefetch_node(
		    snapshot_node(snapshot, snapshot->order[i + PREFETCH]));
	if (i < snapshot->node_nr)
		enter_node(axfr, snapshot_node(snapshot, snapshot->order[i]));
	return i < snapshot->node_nr;
}

static bool next_nsec3_node(struct axfr *axfr)
{
	const struct snapshot *snapshot = axfr->snapshot;
	uint32_t i = axfr->next++;

	if (i < snapshot->nsec3_nr)
		enter_node(axfr,
			   snapshot_node(snapshot, snapshot->nsec3[i].node));
	return i < snapshot->nsec3_nr;
}

/* Enters the next node; false when none is left. */
static bool next_node(struct axfr *axfr)
{
	switch ((enum axfr_stage)axfr->stage) {
	case FIRST_SOA:
		axfr->stage = NODES;
		axfr->next = 0;
		/* fall through */
	case NODES:
		if (next_listed_node(axfr))
			return true;
		axfr->stage = NSEC3_NODES;
		axfr->next = 0;
		/* fall through */
	case NSEC3_NODES:
		if (next_nsec3_node(axfr))
			return true;
		axfr->stage = LAST_SOA;
		enter_soa(axfr);
		return true;
	case LAST_SOA:
		axfr->stage = DONE;
		return false;
	case DONE:
		return false;
	}
	return false;
}

/* Makes sure that there is a record at rr_at; false behind the last one. */
static bool has_rr(struct axfr *axfr)
{
	while (axfr->rr_at == axfr->rr_end) {
		if (axfr->rrset_left) {
			axfr->rrset_left--;
			enter_rrset(axfr, axfr->rrset_next);
			skip_soa(axfr);
		} else if (!next_node(axfr)) {
			return false;
		}
	}
	return true;
}

static void put_pointer(struct axfr *axfr, uint16_t at)
{
	put_u16(axfr->out + axfr->pos, (uint16_t)(0xc000 | at));
	axfr->pos += 2;
}

static bool label_eq(const uint8_t *a, const uint8_t *b)
{
	/* case must agree: a pointer gives the letters that it points to */
	return *a == *b && !memcmp(a + 1, b + 1, *a);
}

/* The apex at the end of an owner; the root is shorter than a pointer. */
static void put_apex(struct axfr *axfr)
{
	const struct node *node = axfr->node;

	if (axfr->apex_at) {
		put_pointer(axfr, axfr->apex_at);
		return;
	}
	if (axfr->apex_len > 1)
		axfr->apex_at = (uint16_t)axfr->pos;
	memcpy(axfr->out + axfr->pos,
	       node->owner + node->owner_len - axfr->apex_len, axfr->apex_len);
	axfr->pos += axfr->apex_len;
}

/*
 * An owner with depth labels below the apex: those that the owner before does
 * not share, then a pointer to those that it does.
 */
static void put_labels(struct axfr *axfr, unsigned depth)
{
	const uint8_t *owner = axfr->node->owner;
	uint8_t at[DNS_LABELS_MAX + 1];
	unsigned len = 0, shared = 0;

	for (unsigned i = 0; i < depth; i++) {
		at[i] = (uint8_t)len;
		len += owner[len] + 1u;
	}
	while (shared < depth && shared < axfr->depth &&
	       label_eq(axfr->label[shared + 1].text,
			owner + at[depth - shared - 1]))
		shared++;
	if (shared)
		len = shared < depth ? at[depth - shared] : 0;
	memcpy(axfr->out + axfr->pos, owner, len);
	for (unsigned i = shared + 1; i <= depth; i++)
		axfr->label[i] = (struct axfr_label){
		    .text = owner + at[depth - i],
		    .at = (uint16_t)(axfr->pos + at[depth - i]),
		};
	axfr->pos += len;
	axfr->depth = (uint8_t)depth;
	axfr->owner_at = axfr->label[depth].at;
	if (shared)
		put_pointer(axfr, axfr->label[shared].at);
	else
		put_apex(axfr);
}

static void put_owner(struct axfr *axfr)
{
	unsigned depth = axfr->node->label_nr - (unsigned)axfr->apex_label_nr;

	if (axfr->owner_at) {
		put_pointer(axfr, axfr->owner_at);
	} else if (depth) {
		put_labels(axfr, depth);
	} else {
		put_apex(axfr);
		axfr->owner_at = axfr->apex_at;
	}
}

/* Where in the message the name lies that begins at an octet of the owner. */
static uint16_t name_at(const struct axfr *axfr, uint32_t owner_off)
{
	const struct node *node = axfr->node;
	uint32_t apex_off = (uint32_t)node->owner_len - axfr->apex_len;
	unsigned depth = 0;

	if (owner_off >= apex_off)
		return (uint16_t)(axfr->apex_at + (owner_off - apex_off));
	for (; owner_off < apex_off; owner_off += node->owner[owner_off] + 1u)
		depth++;
	return axfr->label[depth].at;
}

/* Pointers in the record at rr_at, which was copied to the end of out. */
static void move_fixes(struct axfr *axfr, uint32_t rr_len)
{
	uint32_t end = axfr->rr_at + rr_len;
	uint8_t *copy = axfr->out + axfr->pos - rr_len;

	for (; axfr->fix < axfr->fix_end && axfr->fix->at < end; axfr->fix++)
		put_u16(copy + (axfr->fix->at - axfr->rr_at),
			0xc000 | name_at(axfr, axfr->fix->owner_off));
}

/* What follows the owner, with the name at its end compressed. */
static void put_target(struct axfr *axfr, const uint8_t *rr, uint32_t rr_len,
		       uint32_t name_off)
{
	uint8_t *out = axfr->out + axfr->pos;
	uint32_t before = RR_RDATA + name_off;
	uint16_t pointer;
	unsigned kept;

	kept = targets_put(&axfr->targets, rr + before, rr_len - before,
			   axfr->pos + before - RR_OWNER, &pointer);
	memcpy(out, rr + RR_OWNER, before - RR_OWNER + kept);
	axfr->pos += before - RR_OWNER + kept;
	if (!pointer)
		return;
	put_pointer(axfr, pointer);
	put_u16(out + RR_RDLENGTH - RR_OWNER, (uint16_t)(name_off + kept + 2));
}

/* What follows the owner, as it lies in the snapshot. */
static void put_rest(struct axfr *axfr, const uint8_t *rr, uint32_t rr_len)
{
	memcpy(axfr->out + axfr->pos, rr + RR_OWNER, rr_len - RR_OWNER);
	axfr->pos += rr_len - RR_OWNER;
	if (axfr->fix < axfr->fix_end)
		move_fixes(axfr, rr_len);
}

static bool has_fix(const struct axfr *axfr, uint32_t rr_len)
{
	return axfr->fix < axfr->fix_end &&
	       axfr->fix->at < axfr->rr_at + rr_len;
}

/* The record at rr_at, if it ends before limit. */
static bool put_rr(struct axfr *axfr, size_t limit)
{
	const uint8_t *rr = axfr->rrset->wire + axfr->rr_at;
	uint32_t rr_len = RR_RDATA + (uint32_t)get_u16(rr + RR_RDLENGTH);
	size_t owner_max = axfr->node->owner_len + 1u;

	if (axfr->pos + owner_max + rr_len - RR_OWNER > limit)
		return false;
	put_owner(axfr);
	if (axfr->target_at < 0 || has_fix(axfr, rr_len) ||
	    axfr->rr_at >= axfr->rrset->wire_len)
		put_rest(axfr, rr, rr_len);
	else
		put_target(axfr, rr, rr_len, (uint32_t)axfr->target_at);
	axfr->rr_at += rr_len;
	axfr->rr_nr++;
	return true;
}

static void begin_message(struct axfr *axfr, uint8_t *out)
{
	axfr->out = out;
	memcpy(out, axfr->head, axfr->head_len);
	axfr->pos = axfr->head_len;
	axfr->rr_nr = 0;
	axfr->apex_at = axfr->question_apex;
	axfr->owner_at = 0;
	axfr->depth = 0;
	targets_clear(&axfr->targets);
}

static void end_message(struct axfr *axfr)
{
	put_u16(axfr->out + 6, axfr->rr_nr);
	if (!axfr->opt_len)
		return;
	/* RFC 5936 section 2.2.5: in the first message */
	memcpy(axfr->out + axfr->pos, axfr->opt, axfr->opt_len);
	axfr->pos += axfr->opt_len;
	put_u16(axfr->out + 10, 1);
	axfr->opt_len = 0;
}

/* Returns the octets of a message, 0 when the next record does not fit. */
static size_t put_message(struct axfr *axfr, uint8_t *out, size_t max)
{
	size_t limit = MESSAGE_LEN - (size_t)axfr->opt_len;

	if (max > DNS_MESSAGE_MAX)
		max = DNS_MESSAGE_MAX;
	begin_message(axfr, out);
	/* A message of one record may be as long as messages can be. */
	if (has_rr(axfr) && !put_rr(axfr, max - axfr->opt_len))
		return 0;
	while (has_rr(axfr) && put_rr(axfr, limit))
		;
	end_message(axfr);
	return axfr->pos;
}

int axfr_fill(struct axfr *axfr, uint8_t *out, size_t max)
{
	size_t len = 0;

	assert(max >= AXFR_FILL_MIN);
	while (!axfr_is_done(axfr) && max - len >= PREFIX_LEN + MESSAGE_LEN) {
		size_t n = put_message(axfr, out + len + PREFIX_LEN,
				       max - len - PREFIX_LEN);

		if (!n && !len)
			return -EMSGSIZE;
		if (!n)
			break;
		put_u16(out + len, (uint16_t)n);
		len += PREFIX_LEN + n;
	}
	return (int)len;
}

bool axfr_is_done(const struct axfr *axfr)
{
	return axfr->stage == DONE;
}

static void put_head(struct axfr *axfr, const struct query *query)
{
	uint16_t flags = DNS_FLAG_QR | DNS_FLAG_AA;

	flags |= query->flags & (DNS_FLAG_RD | DNS_FLAG_CD);
	axfr->head_len = (uint16_t)(DNS_HEADER_LEN + query->question_len);
	memcpy(axfr->head, query->message, axfr->head_len);
	put_u16(axfr->head + 2, flags);
	put_u16(axfr->head + 4, 1);
	memset(axfr->head + 6, 0, DNS_HEADER_LEN - 6);
}

static void put_opt(struct axfr *axfr, const struct query_config *config,
		    const struct query *query, const struct zone *zone)
{
	struct answer answer;
	struct edns edns;

	axfr->opt_len = 0;
	if (!query->has_opt)
		return;
	answer_init(&answer);
	answer.zone = zone;
	answer.snapshot = zone->snapshot;
	edns_prepare(&edns, query, &answer, config, AXFR_OPT_MAX);
	axfr->opt_len = (uint16_t)edns_write(&edns, DNS_NOERROR, axfr->opt);
}

void axfr_begin(struct axfr *axfr, const struct query_config *config,
		const struct zone *zone, const uint8_t *message, size_t len)
{
	struct query query;
	const struct node *apex;

	snapshot_hold(zone->snapshot);
	axfr->snapshot = zone->snapshot;
	apex = snapshot_node(axfr->snapshot, axfr->snapshot->apex);
	axfr->apex_len = apex->owner_len;
	axfr->apex_label_nr = apex->label_nr;
	query_parse(&query, message, len, QUERY_TCP);
	put_head(axfr, &query);
	put_opt(axfr, config, &query, zone);
	/* The client may have asked in other letters than the zone has. */
	axfr->question_apex = 0;
	if (apex->owner_len > 1 &&
	    !memcmp(message + DNS_HEADER_LEN, apex->owner, apex->owner_len))
		axfr->question_apex = DNS_HEADER_LEN;
	axfr->stage = FIRST_SOA;
	enter_soa(axfr);
}

void axfr_end(struct axfr *axfr)
{
	snapshot_release(axfr->snapshot);
	axfr->snapshot = NULL;
}
