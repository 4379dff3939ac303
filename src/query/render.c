/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rendering: question, answer, authority, additional, OPT, then the header,
 * whose counts and TC are known only at the end.
 *
 *	names[]	 where the name of each step lies in the message: the question,
 *		 then the RDATA of the CNAME of the step before
 *	starts[] where each entry begins, for the hosts named in its RDATA
 */
#include "query/render.h"

#include "base/octets.h"
#include "dns/fold.h"
#include "query/edns.h"
#include "query/writer.h"

/* Octets of an RR in front of its RDATA, owner a pointer. */
#define RR_RDATA 12

/* Hosts whose addresses go into one reply; more would hardly fit. */
#define HOSTS_MAX 32

struct render {
	struct writer w;
	const struct query *query;
	const struct answer *answer;
	bool truncated;
	uint8_t host_nr;
	uint32_t host[HOSTS_MAX];
	struct message_name name[ANSWER_STEPS_MAX + 1];
	uint32_t start[ANSWER_ENTRIES_MAX];
};

static void put_header(uint8_t *out, const struct query *query, uint16_t flags,
		       unsigned rcode)
{
	flags |= DNS_FLAG_QR | (uint16_t)(rcode & 15);
	flags |= query->flags & (DNS_OPCODE_MASK | DNS_FLAG_RD | DNS_FLAG_CD);
	memcpy(out, query->message, 2);
	put_u16(out + 2, flags);
	memset(out + 4, 0, DNS_HEADER_LEN - 4);
}

size_t render_bare(const struct query *query, uint8_t *out)
{
	put_header(out, query, 0, query->rcode);
	return DNS_HEADER_LEN;
}

/* The question, bit for bit (RFC 1035 section 4.1.1; "0x20"). */
static size_t put_question(uint8_t *out, const struct query *query)
{
	octets_copy(out + DNS_HEADER_LEN, query->message + DNS_HEADER_LEN,
		    query->question_len);
	return DNS_HEADER_LEN + (size_t)query->question_len;
}

/* RFC 6891 section 6.2.3: a client that says less than 512 means 512. */
static size_t size_limit(const struct query *query,
			 const struct query_config *config, size_t out_max)
{
	size_t limit = DNS_MESSAGE_MAX;

	if (query->transport == QUERY_UDP) {
		limit = DNS_UDP_MIN;
		if (query->has_opt && query->payload > limit)
			limit = query->payload;
		if (limit > config->max_udp_payload)
			limit = config->max_udp_payload;
	}
	return limit < out_max ? limit : out_max;
}

/*
 * Where the next step's name lies. Pointers reach 16 KiB: a chain whose names
 * lie behind that ends here, and the client hears of it by TC.
 */
static bool set_next_name(struct render *r, const struct answer_entry *entry,
			  size_t pos)
{
	struct message_name *name = &r->name[entry->step + 1];

	name->pos = (uint32_t)pos;
	name->len = writer_name_len(&r->w, name->pos);
	return pos + name->len <= DNS_POINTER_MAX ||
	       entry->step + 1 == r->answer->step_nr;
}

static bool put_any(struct render *r, const struct answer_entry *entry)
{
	const struct rrset *rrset = node_first(entry->node);
	bool with_sigs = r->w.with_sigs;

	for (unsigned i = 0; i < entry->node->rrset_nr; i++) {
		bool denial = rrset->type == DNS_TYPE_NSEC ||
			      rrset->type == DNS_TYPE_NSEC3;

		if ((with_sigs || !denial) &&
		    !writer_put(&r->w, entry->node, rrset, r->name[entry->step],
				false))
			return false;
		rrset = rrset_next(rrset);
	}
	return true;
}

static bool put_rrsigs(struct render *r, const struct answer_entry *entry)
{
	const struct rrset *rrset = node_first(entry->node);

	for (unsigned i = 0; i < entry->node->rrset_nr; i++) {
		if (!writer_put_sigs(&r->w, rrset, r->name[entry->step]))
			return false;
		rrset = rrset_next(rrset);
	}
	return true;
}

/* NSEC and NSEC3: their owner may be the question or above it all the same. */
static bool put_elsewhere(struct render *r, const struct answer_entry *entry)
{
	const uint8_t *question = r->query->message + DNS_HEADER_LEN;
	int off = dns_fold_suffix(question, r->name[0].len, entry->node->owner,
				  entry->node->owner_len);

	return writer_put_elsewhere(&r->w, entry->node, entry->rrset,
				    off < 0 ? 0
					    : DNS_HEADER_LEN + (uint32_t)off);
}

static bool put_rrset(struct render *r, const struct answer_entry *entry)
{
	size_t start = r->w.pos;

	if (entry->owner == OWNER_ELSEWHERE)
		return put_elsewhere(r, entry);
	if (!writer_put(&r->w, entry->node, entry->rrset, r->name[entry->step],
			entry->owner == OWNER_ANCESTOR))
		return false;
	if (entry->step + 1 < r->answer->step_nr &&
	    entry->rrset->type == DNS_TYPE_CNAME)
		return set_next_name(r, entry, start + RR_RDATA);
	return true;
}

/* Where the target of a DNAME lies: it was written before its CNAMEs. */
static uint32_t dname_target_pos(const struct render *r,
				 const struct rrset *dname)
{
	unsigned i = 0;

	while (r->answer->entry[i].rrset != dname)
		i++;
	return r->start[i] + RR_RDATA;
}

static bool put_synthesis(struct render *r, const struct answer_entry *entry)
{
	size_t start = r->w.pos;

	return writer_put_cname(&r->w, entry->node, r->name[entry->step],
				r->answer->target[entry->step],
				dname_target_pos(r, entry->rrset)) &&
	       set_next_name(r, entry, start + RR_RDATA);
}

static bool put_entry(struct render *r, const struct answer_entry *entry)
{
	switch ((enum answer_kind)entry->kind) {
	case ANSWER_RRSET:
		return put_rrset(r, entry);
	case ANSWER_ANY:
		return put_any(r, entry);
	case ANSWER_RRSIGS:
		return put_rrsigs(r, entry);
	case ANSWER_SYNTHESIS:
		return put_synthesis(r, entry);
	}
	return false;
}

static void put_section(struct render *r, enum answer_section section)
{
	const struct answer *answer = r->answer;

	r->w.rr_nr = 0;
	if (!answer->section_nr[section])
		return;
	for (unsigned i = 0; i < answer->entry_nr && !r->truncated; i++) {
		const struct answer_entry *entry = &answer->entry[i];

		if (entry->section != section)
			continue;
		r->start[i] = (uint32_t)r->w.pos;
		if (!put_entry(r, entry))
			r->truncated = true;
	}
}

/* True the first time a host is met; false too when there are too many. */
static bool is_new_host(struct render *r, uint32_t host)
{
	for (unsigned i = 0; i < r->host_nr; i++)
		if (r->host[i] == host)
			return false;
	if (r->host_nr == HOSTS_MAX)
		return false;
	r->host[r->host_nr++] = host;
	return true;
}

static bool put_addresses(struct render *r, const struct node *host,
			  uint32_t owner_pos)
{
	static const uint16_t types[] = {DNS_TYPE_A, DNS_TYPE_AAAA};

	for (unsigned i = 0; i < 2; i++) {
		const struct rrset *rrset = node_find(host, types[i]);

		if (rrset && rrset->rr_nr &&
		    !writer_put_elsewhere(&r->w, host, rrset, owner_pos))
			return false;
	}
	return true;
}

/*
 * Addresses of the hosts that an RRset names, either those below the cut of a
 * referral or the others. Returns false when one does not fit.
 */
static bool put_hosts(struct render *r, unsigned index, bool in_domain)
{
	const struct answer *answer = r->answer;
	const struct rrset *rrset = answer->entry[index].rrset;
	const uint32_t *refs = rrset_refs(rrset);
	uint32_t rr = r->start[index];

	for (uint32_t i = 0; i < rrset->rr_nr; i++) {
		uint32_t name_pos = rr + RR_RDATA + rrset_ref_name(rrset->type);
		const struct node *host;

		rr += RR_RDATA + (uint32_t)get_u16(r->w.out + rr + 10);
		if (!refs[i])
			continue;
		/* A root target stands for the owner (RFC 9460 2.5.2). */
		if (!r->w.out[name_pos])
			name_pos = 0;
		host = snapshot_node(answer->snapshot, refs[i]);
		if (answer->cut &&
		    (dns_fold_suffix(host->owner, host->owner_len,
				     answer->cut->owner,
				     answer->cut->owner_len) >= 0) != in_domain)
			continue;
		if (is_new_host(r, refs[i]) &&
		    !put_addresses(r, host, name_pos))
			return false;
	}
	return true;
}

/* The entry whose hosts are wanted: NS of the referral, or the answer. */
static unsigned hosts_entry(const struct answer *answer)
{
	unsigned i = answer->entry_nr;

	while (i-- > 0) {
		const struct answer_entry *entry = &answer->entry[i];

		if (answer->cut ? entry->node == answer->cut &&
				      entry->rrset->type == DNS_TYPE_NS
				: entry->section == ANSWER_ANSWER)
			break;
	}
	return i;
}

/* RFC 9471 section 3.1: glue of in-domain name servers must be there, or TC. */
static void put_additional(struct render *r)
{
	unsigned index = hosts_entry(r->answer);

	r->w.rr_nr = 0;
	if (r->answer->cut && !put_hosts(r, index, true))
		r->truncated = true;
	else
		put_hosts(r, index, false);
}

static void render_init(struct render *r, const struct query *query,
			const struct answer *answer, uint8_t *out)
{
	uint16_t qname_len = (uint16_t)(query->question_len - 4);

	r->query = query;
	r->answer = answer;
	r->truncated = false;
	r->host_nr = 0;
	r->name[0] = (struct message_name){DNS_HEADER_LEN, qname_len};
	r->w.out = out;
	r->w.pos = put_question(out, query);
	r->w.rr_nr = 0;
	r->w.with_sigs = query->dnssec_ok;
	if (answer->zone) {
		r->w.apex_len = answer->zone->apex_len;
		r->w.apex_pos =
		    (uint16_t)(DNS_HEADER_LEN + qname_len - r->w.apex_len);
	}
}

static void put_sections(struct render *r)
{
	uint8_t *out = r->w.out;

	put_section(r, ANSWER_ANSWER);
	put_u16(out + 6, r->w.rr_nr);
	if (r->truncated)
		return;
	put_section(r, ANSWER_AUTHORITY);
	put_u16(out + 8, r->w.rr_nr);
	if (r->truncated || !r->answer->additional)
		return;
	put_additional(r);
	put_u16(out + 10, r->w.rr_nr);
}

/* One RRset whose owner is the question, and no option: most replies. */
static inline bool is_plain(const struct query *query,
			    const struct answer *answer)
{
	const struct answer_entry *entry = &answer->entry[0];

	return answer->entry_nr == 1 && entry->kind == ANSWER_RRSET &&
	       entry->owner == OWNER_STEP && !answer->additional &&
	       entry->node->owner_len + 4u == query->question_len &&
	       answer->step_nr == 1 && !query->wants;
}

/* Apart, or its callers without an OPT pay for what it keeps on the stack. */
__attribute__((noinline)) static size_t
put_opt(const struct query *query, const struct answer *answer,
	const struct query_config *config, uint8_t *out)
{
	struct edns edns;

	edns_prepare(&edns, query, answer, config, DNS_OPT_LEN);
	return edns_write(&edns, answer->rcode, out);
}

/* Returns 0, with nothing to be relied on in out, when it does not fit. */
static size_t render_plain(const struct query *query,
			   const struct answer *answer,
			   const struct query_config *config, uint8_t *out,
			   size_t limit)
{
	const struct rrset *rrset = answer->entry[0].rrset;
	size_t len = rrset->wire_len, pos = put_question(out, query);
	unsigned rr_nr = rrset->rr_nr;

	if (query->dnssec_ok) {
		len += rrset->sig_len;
		rr_nr += rrset->sig_nr;
	}
	if (len + (query->has_opt ? DNS_OPT_LEN : 0) > limit - pos)
		return 0;
	put_header(out, query, answer->authoritative ? DNS_FLAG_AA : 0,
		   DNS_NOERROR);
	put_u16(out + 4, 1);
	put_u16(out + 6, (uint16_t)rr_nr);
	octets_copy(out + pos, rrset->wire, len);
	pos += len;
	if (!query->has_opt)
		return pos;
	put_u16(out + 10, 1);
	return pos + put_opt(query, answer, config, out + pos);
}

static size_t render_sections(const struct query *query,
			      const struct answer *answer,
			      const struct query_config *config, uint8_t *out,
			      size_t limit)
{
	struct render r;
	struct edns edns;

	put_header(out, query, answer->authoritative ? DNS_FLAG_AA : 0,
		   answer->rcode);
	put_u16(out + 4, 1);
	render_init(&r, query, answer, out);
	r.w.limit = limit;
	if (query->has_opt) {
		edns_prepare(&edns, query, answer, config, limit - r.w.pos);
		r.w.limit -= edns.len;
	}
	put_sections(&r);
	if (query->has_opt) {
		r.w.pos += edns_write(&edns, answer->rcode, out + r.w.pos);
		put_u16(out + 10, (uint16_t)(get_u16(out + 10) + 1));
	}
	if (r.truncated)
		put_u16(out + 2, get_u16(out + 2) | DNS_FLAG_TC);
	return r.w.pos;
}

size_t render_answer(const struct query *query, const struct answer *answer,
		     const struct query_config *config, uint8_t *out,
		     size_t out_max)
{
	size_t limit = size_limit(query, config, out_max), len = 0;

	if (is_plain(query, answer))
		len = render_plain(query, answer, config, out, limit);
	return len ? len : render_sections(query, answer, config, out, limit);
}

size_t render_chaos(const struct query *query, const char *text,
		    const struct query_config *config, uint8_t *out)
{
	size_t len = strlen(text), pos;
	struct edns edns;
	uint8_t *rr;

	put_header(out, query, 0, DNS_NOERROR);
	put_u16(out + 4, 1);
	put_u16(out + 6, 1);
	pos = put_question(out, query);
	rr = out + pos;
	put_u16(rr, 0xc000 | DNS_HEADER_LEN);
	put_u16(rr + 2, DNS_TYPE_TXT);
	put_u16(rr + 4, DNS_CLASS_CH);
	put_u32(rr + 6, 0);
	put_u16(rr + 10, (uint16_t)(len + 1));
	rr[RR_RDATA] = (uint8_t)len;
	memcpy(rr + RR_RDATA + 1, text, len);
	pos += RR_RDATA + 1 + len;
	/* At most 12 + 19 + 268 octets so far: OPT fits into 512. */
	if (query->has_opt) {
		edns_prepare(&edns, query, NULL, config, DNS_UDP_MIN - pos);
		put_u16(out + 10, 1);
		pos += edns_write(&edns, DNS_NOERROR, out + pos);
	}
	return pos;
}
