/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RRs of a frozen RRset: owner pointer, type, class, TTL, RDLENGTH, RDATA. The
 * fixes say where in RDATA a name ends in a pointer into the owner.
 */
#include "zone/rr.h"

#include <assert.h>

#include "base/octets.h"

#define RR_TYPE	 2 /* behind the pointer to the owner */
#define RR_TTL	 6
#define RR_RDLEN 10
#define RR_RDATA 12

void rr_reader_init(struct rr_reader *reader, const struct node *node,
		    const struct rrset *rrset)
{
	*reader = (struct rr_reader){
	    .node = node,
	    .rrset = rrset,
	    .fix = rrset_fixes(rrset),
	    .fix_left = rrset->fix_nr,
	    .end = rrset->wire_len + rrset->sig_len,
	};
}

/* Copies RDATA that lies in [at, end) of wire, pointers undone. */
static uint16_t rdata_expand(struct rr_reader *reader, uint32_t at,
			     uint32_t end, uint8_t *buf)
{
	const uint8_t *wire = reader->rrset->wire;
	const struct node *node = reader->node;
	size_t len = 0;

	for (; reader->fix_left && reader->fix->at < end;
	     reader->fix++, reader->fix_left--) {
		size_t before = reader->fix->at - at;
		uint32_t off = reader->fix->owner_off;

		memcpy(buf + len, wire + at, before);
		len += before;
		memcpy(buf + len, node->owner + off, node->owner_len - off);
		len += node->owner_len - off;
		at = reader->fix->at + 2;
	}
	memcpy(buf + len, wire + at, end - at);
	len += end - at;
	assert(len <= UINT16_MAX);
	return (uint16_t)len;
}

bool rr_reader_next(struct rr_reader *reader, struct rr *rr, uint8_t *buf)
{
	const uint8_t *wire = reader->rrset->wire + reader->at;
	uint32_t start = reader->at + RR_RDATA, end;

	if (reader->at == reader->end)
		return false;
	rr->type = get_u16(wire + RR_TYPE);
	rr->ttl = get_u32(wire + RR_TTL);
	rr->len = get_u16(wire + RR_RDLEN);
	rr->rdata = wire + RR_RDATA;
	end = start + rr->len;
	if (reader->fix_left && reader->fix->at < end) {
		rr->len = rdata_expand(reader, start, end, buf);
		rr->rdata = buf;
	}
	reader->at = end;
	return true;
}
