/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parsing one message. Each step checks what it reads against the end of the
 * message; names outside the question are only stepped over, and no
 * compression pointer is ever followed (a question has nothing earlier to
 * point to, RFC 1035 section 4.1.4).
 */
#include "query/parse.h"

#include "base/octets.h"
#include "dns/message.h"

/* Offsets in the header (RFC 1035 section 4.1.1). */
enum {
	AT_FLAGS = 2,
	AT_QDCOUNT = 4,
	AT_ANCOUNT = 6,
	AT_NSCOUNT = 8,
	AT_ARCOUNT = 10
};

/* Fixed fields between the owner and the RDATA of a record. */
#define RR_FIXED_LEN 10

#define SOA_NUMBERS_LEN 20 /* serial, refresh, retry, expire, minimum */

struct record {
	const uint8_t *owner;
	const uint8_t *rdata;
	uint16_t type, class, rdata_len;
	uint32_t ttl;
};

/* Octets of an owner name, which may end in a pointer; 0 when it is bad. */
static size_t owner_len(const uint8_t *p, size_t max)
{
	size_t pos = 0;

	while (pos < max) {
		if (!p[pos])
			return pos + 1;
		if (p[pos] >= 0xc0)
			return pos + 2 <= max ? pos + 2 : 0;
		if (p[pos] > DNS_LABEL_MAX)
			return 0;
		pos += p[pos] + 1u;
	}
	return 0;
}

/* Reads a record at *pos and moves behind it. */
static bool record_read(struct record *record, const uint8_t *message,
			size_t len, size_t *pos)
{
	size_t name_len = owner_len(message + *pos, len - *pos);
	const uint8_t *fixed = message + *pos + name_len;

	if (!name_len || len - *pos - name_len < RR_FIXED_LEN)
		return false;
	record->owner = message + *pos;
	record->type = get_u16(fixed);
	record->class = get_u16(fixed + 2);
	record->ttl = get_u32(fixed + 4);
	record->rdata_len = get_u16(fixed + 8);
	record->rdata = fixed + RR_FIXED_LEN;
	*pos += name_len + RR_FIXED_LEN;
	if (len - *pos < record->rdata_len)
		return false;
	*pos += record->rdata_len;
	return true;
}

/* Options are for version 0; a newer version may write them another way. */
static bool parse_options(struct query *query, const uint8_t *p, size_t len)
{
	while (len) {
		uint16_t code, option_len;

		if (len < 4)
			return false;
		code = get_u16(p);
		option_len = get_u16(p + 2);
		if (len - 4 < option_len)
			return false;
		if (code == DNS_EDNS_NSID)
			query->wants |= QUERY_WANTS_NSID;
		else if (code == DNS_EDNS_EXPIRE)
			query->wants |= QUERY_WANTS_EXPIRE;
		else if (code == DNS_EDNS_KEEPALIVE)
			query->wants |= QUERY_WANTS_KEEPALIVE;
		else if (code == DNS_EDNS_ZONEVERSION) {
			/* RFC 9660 section 3.1 */
			if (option_len)
				return false;
			query->wants |= QUERY_WANTS_ZONEVERSION;
		}
		p += 4 + option_len;
		len -= 4u + option_len;
	}
	return true;
}

/* RFC 6891 section 6.1: one OPT, owner the root, in the additional section. */
static bool parse_opt(struct query *query, const struct record *record)
{
	if (query->has_opt || *record->owner)
		return false;
	query->has_opt = true;
	query->payload = record->class;
	query->edns_version = (uint8_t)(record->ttl >> 16);
	query->dnssec_ok = record->ttl & DNS_EDNS_DO;
	if (query->edns_version)
		return true;
	return parse_options(query, record->rdata, record->rdata_len);
}

/*
 * The SOA of the client's version (RFC 1995 section 3), or a primary's hint
 * (RFC 1996 section 3.7): two names, then five numbers, serial first.
 */
static bool parse_soa(struct query *query, const struct record *record)
{
	size_t pos = 0;

	if (record->type != DNS_TYPE_SOA)
		return query->type != DNS_TYPE_IXFR;
	for (unsigned i = 0; i < 2; i++) {
		size_t len =
		    owner_len(record->rdata + pos, record->rdata_len - pos);

		if (!len || len > DNS_NAME_MAX)
			return false;
		pos += len;
	}
	if (record->rdata_len - pos != SOA_NUMBERS_LEN)
		return false;
	query->ixfr_serial = get_u32(record->rdata + pos);
	return true;
}

/*
 * Records behind the question. The counts have been checked: only IXFR and
 * NOTIFY have any before the additional section.
 */
static bool parse_records(struct query *query, const uint8_t *message,
			  size_t len, size_t pos)
{
	unsigned before = get_u16(message + AT_ANCOUNT) +
			  (unsigned)get_u16(message + AT_NSCOUNT);
	unsigned nr = before + get_u16(message + AT_ARCOUNT);
	struct record record;
	bool good = true;

	for (unsigned i = 0; i < nr; i++) {
		if (!record_read(&record, message, len, &pos))
			return false;
		if (record.type == DNS_TYPE_OPT) {
			if (i < before || !parse_opt(query, &record))
				good = false;
			query->has_opt = true;
		} else if (record.type == DNS_TYPE_TSIG) {
			/* RFC 8945 section 5.1: the last record, once */
			if (i + 1 != nr || i < before)
				good = false;
			query->has_tsig = true;
		} else if (i < before && !parse_soa(query, &record)) {
			good = false;
		}
	}
	return good && pos == len;
}

/* RFC 9619 section 4; IXFR carries an SOA (RFC 1995 section 3). */
static bool counts_are_good(const struct query *query, const uint8_t *message)
{
	uint16_t ancount = get_u16(message + AT_ANCOUNT);
	uint16_t nscount = get_u16(message + AT_NSCOUNT);

	if (query_opcode(query) == DNS_OPCODE_NOTIFY)
		return ancount <= 1 && !nscount;
	if (query->type == DNS_TYPE_IXFR)
		return !ancount && nscount == 1;
	return !ancount && !nscount;
}

static enum query_parsed fail(struct query *query, enum query_parsed result,
			      unsigned rcode)
{
	query->rcode = (uint16_t)rcode;
	return result;
}

static enum query_parsed parse_body(struct query *query, const uint8_t *message,
				    size_t len)
{
	int name_len;
	size_t pos;

	if (get_u16(message + AT_QDCOUNT) != 1)
		return fail(query, QUERY_BARE, DNS_FORMERR);
	name_len = dns_labels_parse(&query->name, message + DNS_HEADER_LEN,
				    len - DNS_HEADER_LEN);
	if (name_len < 0)
		return fail(query, QUERY_BARE, DNS_FORMERR);
	pos = DNS_HEADER_LEN + (size_t)name_len;
	if (len - pos < 4)
		return fail(query, QUERY_BARE, DNS_FORMERR);
	query->type = get_u16(message + pos);
	query->class = get_u16(message + pos + 2);
	pos += 4;
	query->question_len = (uint16_t)(pos - DNS_HEADER_LEN);
	if (!counts_are_good(query, message) ||
	    !parse_records(query, message, len, pos))
		return fail(query, QUERY_FAILED, DNS_FORMERR);
	if (query->has_opt && query->edns_version)
		return fail(query, QUERY_FAILED, DNS_BADVERS);
	return QUERY_OK;
}

static enum query_parsed parse(struct query *query, const uint8_t *message,
			       size_t len)
{
	unsigned opcode;

	if (len < DNS_HEADER_LEN)
		return QUERY_DROP;
	query->flags = get_u16(message + AT_FLAGS);
	if (query->flags & DNS_FLAG_QR)
		return QUERY_DROP;
	opcode = query_opcode(query);
	if (opcode != DNS_OPCODE_QUERY && opcode != DNS_OPCODE_NOTIFY)
		return fail(query, QUERY_BARE, DNS_NOTIMP);
	return parse_body(query, message, len);
}

enum query_parsed query_parse(struct query *query, const uint8_t *message,
			      size_t len, enum query_transport transport)
{
	/* The name is large and set by parse_body(). */
	memset(query, 0, offsetof(struct query, name));
	query->message = message;
	query->transport = transport;
	query->parsed = parse(query, message, len);
	return query->parsed;
}
