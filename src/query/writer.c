/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Moving the pointers of RRsets, and RRsets whose owner is not the question.
 */
#include "query/writer.h"

#include "base/octets.h"

/* An RR in a snapshot: pointer, type, class, TTL, RDLENGTH, RDATA. */
enum { RR_TTL = 6, RR_RDLENGTH = 10, RR_RDATA = 12 };

static const uint8_t *next_rr(const uint8_t *rr)
{
	return rr + RR_RDATA + get_u16(rr + RR_RDLENGTH);
}

static void put_pointer(uint8_t *p, uint32_t pos)
{
	put_u16(p, (uint16_t)(0xc000 | pos));
}

uint32_t writer_skip(const struct writer *w, uint32_t pos, unsigned skip)
{
	/* The question has no pointers. */
	if (pos == DNS_HEADER_LEN)
		return pos + skip;
	while (skip) {
		if (w->out[pos] >= 0xc0) {
			pos = get_u16(w->out + pos) & DNS_POINTER_MAX;
			continue;
		}
		skip -= w->out[pos] + 1u;
		pos += w->out[pos] + 1u;
	}
	return pos;
}

uint16_t writer_name_len(const struct writer *w, uint32_t pos)
{
	unsigned len = 1;

	while (w->out[pos]) {
		if (w->out[pos] >= 0xc0) {
			pos = get_u16(w->out + pos) & DNS_POINTER_MAX;
			continue;
		}
		len += w->out[pos] + 1u;
		pos += w->out[pos] + 1u;
	}
	return (uint16_t)len;
}

static void move_owners(uint8_t *rr, const uint8_t *end, uint32_t owner_pos)
{
	while (rr < end) {
		put_pointer(rr, owner_pos);
		rr += RR_RDATA + get_u16(rr + RR_RDLENGTH);
	}
}

/* name ends with the last octets of the node's owner, from fix->owner_off on.
 */
static void move_fixes(struct writer *w, const struct node *node,
		       const struct rrset *rrset, struct message_name name)
{
	const struct rrset_fix *fix = rrset_fixes(rrset);

	for (uint32_t i = 0; i < rrset->fix_nr; i++, fix++) {
		unsigned skip = name.len - (node->owner_len - fix->owner_off);

		put_pointer(w->out + w->pos + fix->at,
			    writer_skip(w, name.pos, skip));
	}
}

void writer_move(struct writer *w, const struct node *node,
		 const struct rrset *rrset, struct message_name name,
		 bool ancestor)
{
	uint8_t *at = w->out + w->pos;
	uint32_t owner_pos = name.pos;

	if (ancestor)
		owner_pos = writer_skip(w, name.pos,
					(unsigned)(name.len - node->owner_len));
	if (owner_pos != DNS_HEADER_LEN)
		move_owners(at, at + writer_rrset_len(w, rrset), owner_pos);
	move_fixes(w, node, rrset, name);
}

bool writer_put_sigs(struct writer *w, const struct rrset *rrset,
		     struct message_name name)
{
	uint8_t *at = w->out + w->pos;

	if (rrset->sig_len > w->limit - w->pos)
		return false;
	memcpy(at, rrset_sigs(rrset), rrset->sig_len);
	move_owners(at, at + rrset->sig_len, name.pos);
	w->pos += rrset->sig_len;
	w->rr_nr = (uint16_t)(w->rr_nr + rrset->sig_nr);
	return true;
}

/* Labels of the owner up to the apex, and a pointer to the apex. */
static bool put_owner(struct writer *w, const struct node *node)
{
	size_t len = (size_t)(node->owner_len - w->apex_len);

	if (len + 2 > w->limit - w->pos)
		return false;
	memcpy(w->out + w->pos, node->owner, len);
	put_pointer(w->out + w->pos + len, w->apex_pos);
	w->pos += len + 2;
	return true;
}

static bool put_owner_pointer(struct writer *w, uint32_t pos)
{
	if (w->limit - w->pos < 2)
		return false;
	put_pointer(w->out + w->pos, pos);
	w->pos += 2;
	return true;
}

static bool put_rrs_elsewhere(struct writer *w, const struct node *node,
			      const struct rrset *rrset, uint32_t owner_pos)
{
	const uint8_t *rr = rrset->wire;
	const uint8_t *end = rr + rrset->wire_len;

	if (w->with_sigs)
		end += rrset->sig_len;
	while (rr < end) {
		const uint8_t *next = next_rr(rr);
		size_t len = (size_t)(next - rr) - 2;
		bool pointer = owner_pos && owner_pos <= DNS_POINTER_MAX;
		uint32_t start = (uint32_t)w->pos;

		if (!(pointer ? put_owner_pointer(w, owner_pos)
			      : put_owner(w, node)))
			return false;
		if (len > w->limit - w->pos)
			return false;
		memcpy(w->out + w->pos, rr + 2, len);
		w->pos += len;
		if (!pointer)
			owner_pos = start;
		rr = next;
	}
	return true;
}

bool writer_put_elsewhere(struct writer *w, const struct node *node,
			  const struct rrset *rrset, uint32_t owner_pos)
{
	size_t start = w->pos;

	if (!put_rrs_elsewhere(w, node, rrset, owner_pos)) {
		w->pos = start;
		return false;
	}
	w->rr_nr = (uint16_t)(w->rr_nr + rrset->rr_nr +
			      (w->with_sigs ? rrset->sig_nr : 0));
	return true;
}

bool writer_put_cname(struct writer *w, const struct node *node,
		      struct message_name owner, const uint8_t *target,
		      uint32_t dname_pos)
{
	const uint8_t *dname_ttl = w->out + dname_pos - RR_RDATA + RR_TTL;
	bool pointer = dname_pos <= DNS_POINTER_MAX && w->out[dname_pos];
	size_t prefix = (size_t)(owner.len - node->owner_len);
	size_t len = pointer ? prefix + 2 : dns_name_len(target);
	uint8_t *rr = w->out + w->pos;

	if (RR_RDATA + len > w->limit - w->pos)
		return false;
	put_pointer(rr, owner.pos);
	put_u16(rr + 2, DNS_TYPE_CNAME);
	put_u16(rr + 4, DNS_CLASS_IN);
	memcpy(rr + RR_TTL, dname_ttl, 4);
	put_u16(rr + RR_RDLENGTH, (uint16_t)len);
	memcpy(rr + RR_RDATA, target, pointer ? prefix : len);
	if (pointer)
		put_pointer(rr + RR_RDATA + prefix, dname_pos);
	w->pos += RR_RDATA + len;
	w->rr_nr++;
	return true;
}
