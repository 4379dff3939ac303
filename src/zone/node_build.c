/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Composing the sorted records of one owner into a node (see snapshot.h), and
 * telling whether two nodes hold the same. Flags and references are left zero:
 * they depend on other nodes.
 */
#include "zone/builder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/octets.h"
#include "dns/message.h"

#define RR_FIXED 12 /* pointer, type, class, TTL, RDLENGTH */

/* No RDATA has more names that may be compressed: SOA, MINFO. */
#define NAMES_MAX 2

struct composer {
	struct zone_builder *builder;
	const struct run *run;
	uint64_t label_at[4]; /* bit for each octet of owner: a label starts */
	struct rrset *rrset;
	uint32_t at;	  /* octets written to rrset->wire */
	const char *form; /* NULL: nothing to compress */
	uint32_t ttl;
};

static bool is_wildcard(const struct run *run)
{
	return run->owner[0] == 1 && run->owner[1] == '*';
}

static void composer_init(struct composer *composer,
			  struct zone_builder *builder, const struct run *run)
{
	unsigned pos = 0;

	*composer = (struct composer){.builder = builder, .run = run};
	/* The question has another first label than a wildcard's owner. */
	if (is_wildcard(run))
		pos = 2;
	for (; run->owner[pos]; pos += run->owner[pos] + 1u)
		composer->label_at[pos / 64] |= 1ULL << pos % 64;
}

/*
 * Where in the owner the longest suffix of a name lies that both have, -1 for
 * none but the root; *before gets the octets in front of that suffix. Case must
 * agree, so that no letter of the zone file is lost.
 */
static int owner_suffix(const struct composer *composer, const uint8_t *name,
			size_t len, size_t *before)
{
	const struct run *run = composer->run;

	for (size_t i = 0; name[i]; i += name[i] + 1u) {
		size_t tail = len - i, off = run->owner_len - tail;

		if (tail > run->owner_len)
			continue;
		if (!(composer->label_at[off / 64] >> off % 64 & 1))
			continue;
		if (memcmp(name + i, run->owner + off, tail))
			continue;
		*before = i;
		return (int)off;
	}
	return -1;
}

static void wire_copy(struct composer *composer, const void *from, size_t len)
{
	if (len)
		memcpy(composer->rrset->wire + composer->at, from, len);
	composer->at += (uint32_t)len;
}

static void pointer_put(struct composer *composer, int owner_off)
{
	struct rrset *rrset = composer->rrset;
	struct rrset_fix *fix = &composer->builder->fix[rrset->fix_nr++];

	fix->at = composer->at;
	fix->owner_off = (uint32_t)owner_off;
	put_u16(rrset->wire + composer->at,
		(uint16_t)(0xc000 | (DNS_HEADER_LEN + owner_off)));
	composer->at += 2;
}

static void rdata_put(struct composer *composer, const uint8_t *rdata,
		      size_t len)
{
	const char *form = composer->form;
	size_t pos = 0, done = 0, before;
	bool compressible;
	int at, off;

	while (form && (at = dns_rdata_next_name(&form, rdata, len, &pos,
						 &compressible)) >= 0) {
		if (!compressible)
			continue;
		off = owner_suffix(composer, rdata + at, pos - (size_t)at,
				   &before);
		if (off < 0)
			continue;
		before += (size_t)at;
		wire_copy(composer, rdata + done, before - done);
		pointer_put(composer, off);
		done = pos;
	}
	wire_copy(composer, rdata + done, len - done);
}

static void rr_put(struct composer *composer, const struct run_record *record,
		   uint16_t type)
{
	uint8_t *p = composer->rrset->wire + composer->at;

	put_u16(p, 0xc000 | DNS_HEADER_LEN);
	put_u16(p + 2, type);
	put_u16(p + 4, DNS_CLASS_IN);
	put_u32(p + 6, composer->ttl);
	composer->at += RR_FIXED;
	/* Of a run whose records are all empty there are no octets. */
	if (record->len)
		rdata_put(composer, composer->run->octets + record->at,
			  record->len);
	put_u16(p + 10, (uint16_t)(composer->rrset->wire + composer->at - p -
				   RR_FIXED));
}

static void complain(struct zone_builder *builder, const struct run *run,
		     const struct run_record *record, const char *what)
{
	char owner[DNS_NAME_TEXT_MAX], type[DNS_TYPE_TEXT_MAX];

	dns_name_to_text(owner, run->owner);
	builder_say(
	    builder, ZONE_WARNING, record->place, "%s %s: %s", owner,
	    dns_type_to_text(type, record->sig ? DNS_TYPE_RRSIG : record->type),
	    what);
}

/* RFC 2181 section 5.2: one TTL; the lowest, so that nothing lives too long. */
static uint32_t rrset_ttl(struct composer *composer,
			  const struct run_record *record, size_t nr)
{
	const struct run_record *differs = NULL;
	uint32_t ttl = record->ttl;

	for (size_t i = 1; i < nr && record[i].sig == record->sig; i++) {
		if (record[i].ttl != record->ttl && !differs)
			differs = &record[i];
		if (record[i].ttl < ttl)
			ttl = record[i].ttl;
	}
	if (differs && !differs->sig)
		complain(composer->builder, composer->run, differs,
			 "TTLs differ within the RRset, the lowest is used");
	return ttl;
}

static int room_for_fixes(struct zone_builder *builder, size_t nr)
{
	void *p;

	if (nr <= builder->fix_max)
		return 0;
	p = realloc(builder->fix, nr * sizeof(*builder->fix));
	if (!p)
		return -ENOMEM;
	builder->fix = p;
	builder->fix_max = nr;
	return 0;
}

/* RRs (sig false) or RRSIGs from record[i] on; the index behind them. */
static size_t put_kind(struct composer *composer,
		       const struct run_record *record, size_t nr, size_t i)
{
	bool sig = record[i].sig;
	uint16_t type = sig ? DNS_TYPE_RRSIG : composer->rrset->type;
	uint32_t count = 0;

	for (; i < nr && record[i].sig == sig; i++) {
		if (record[i].dup) {
			complain(composer->builder, composer->run, &record[i],
				 "duplicate record left out");
			continue;
		}
		if (sig && count == UINT16_MAX)
			continue; /* no message holds so many either */
		rr_put(composer, &record[i], type);
		count++;
	}
	if (sig)
		composer->rrset->sig_nr = (uint16_t)count;
	else
		composer->rrset->rr_nr = count;
	return i;
}

/* Fixes and references behind the wire form; sets size. */
static void rrset_finish(struct composer *composer)
{
	struct rrset *rrset = composer->rrset;
	size_t end = ((size_t)composer->at + 3) / 4 * 4;
	size_t fix_len = rrset->fix_nr * sizeof(struct rrset_fix);
	size_t len;

	memset(rrset->wire + composer->at, 0, end - composer->at);
	if (fix_len)
		memcpy(rrset->wire + end, composer->builder->fix, fix_len);
	end += fix_len;
	len = rrset_has_refs(rrset->type) ? rrset->rr_nr * sizeof(uint32_t) : 0;
	len = offsetof(struct rrset, wire) + end + len;
	rrset->size = (uint32_t)((len + 7) / 8);
	memset(rrset->wire + end, 0,
	       rrset->size * 8 - offsetof(struct rrset, wire) - end);
}

/* One RRset from nr records of one type. Returns its octets or -ENOMEM. */
static int rrset_build(struct composer *composer, void *out,
		       const struct run_record *record, size_t nr)
{
	const struct dns_type *row = dns_type_find(record->type);
	size_t next = 0;

	composer->form =
	    row && row->form && strchr(row->form, 'n') ? row->form : NULL;
	if (composer->form && room_for_fixes(composer->builder, NAMES_MAX * nr))
		return -ENOMEM;
	composer->rrset = out;
	*composer->rrset = (struct rrset){.type = record->type};
	composer->at = 0;
	composer->ttl = rrset_ttl(composer, record, nr);
	if (!record->sig)
		next = put_kind(composer, record, nr, 0);
	composer->rrset->wire_len = composer->at;
	composer->form = NULL; /* the signer is never compressed */
	if (next < nr)
		put_kind(composer, record, nr, next);
	composer->rrset->sig_len = composer->at - composer->rrset->wire_len;
	rrset_finish(composer);
	return 0;
}

/* More than the node can come to. */
static size_t node_bound(const struct run *run)
{
	size_t size = sizeof(struct node) + DNS_NAME_MAX + 8;

	for (size_t i = 0; i < run->record_nr; i++)
		size += sizeof(struct rrset) + RR_FIXED + run->record[i].len +
			NAMES_MAX * sizeof(struct rrset_fix) + 16;
	return size;
}

static size_t same_type(const struct run *run, size_t first)
{
	size_t i = first + 1;

	while (i < run->record_nr &&
	       run->record[i].type == run->record[first].type)
		i++;
	return i - first;
}

/* The node's header and owner; where its first RRset goes. */
static uint8_t *node_start(struct node *node, const struct run *run)
{
	size_t len = offsetof(struct node, owner) + run->owner_len;
	size_t padded = (len + 7) / 8 * 8;

	memset((uint8_t *)node + padded - 8, 0, 8);
	*node = (struct node){.label_nr = run->label_nr,
			      .owner_len = run->owner_len};
	memcpy(node->owner, run->owner, run->owner_len);
	return (uint8_t *)node + padded;
}

/*
 * Composes the records of a sorted run (none: an empty non-terminal) into a
 * node at the end of stage. Returns 0, -ENOMEM or -E2BIG.
 */
int node_build(struct zone_builder *builder, const struct run *run,
	       uint32_t *offset)
{
	struct composer composer;
	struct node *node;
	uint8_t *out;
	int err = arena_reserve(builder->stage, node_bound(run));

	if (err)
		return err;
	node = (void *)(builder->stage->base + builder->stage->used);
	composer_init(&composer, builder, run);
	out = node_start(node, run);
	for (size_t i = 0, nr; i < run->record_nr; i += nr) {
		nr = same_type(run, i);
		err = rrset_build(&composer, out, &run->record[i], nr);
		if (err)
			return err;
		out += (size_t)composer.rrset->size * 8;
		node->rrset_nr++;
	}
	node->size = (uint32_t)((size_t)(out - (uint8_t *)node) / 8);
	*offset = arena_commit(builder->stage, (size_t)node->size * 8);
	return 0;
}

static bool rrset_same(const struct rrset *a, const struct rrset *b)
{
	const uint8_t *end = (const uint8_t *)(rrset_fixes(a) + a->fix_nr);

	/* The header tells where the references begin; they do not count. */
	return !memcmp(a, b, offsetof(struct rrset, wire)) &&
	       !memcmp(a->wire, b->wire, (size_t)(end - a->wire));
}

/* True when the nodes differ in nothing but flags and references. */
bool node_same(const struct node *a, const struct node *b)
{
	const struct rrset *left = node_first(a), *right = node_first(b);

	if (a->size != b->size || a->rrset_nr != b->rrset_nr ||
	    a->owner_len != b->owner_len ||
	    memcmp(a->owner, b->owner, a->owner_len))
		return false;
	for (unsigned i = 0; i < a->rrset_nr; i++) {
		if (!rrset_same(left, right))
			return false;
		left = rrset_next(left);
		right = rrset_next(right);
	}
	return true;
}
