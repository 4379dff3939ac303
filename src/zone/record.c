/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One record of a master file: [owner] [TTL] [class] type RDATA (RFC 1035
 * section 5.1), TTL and class in any order. What the tokens of the RDATA mean
 * is left to zone/rdata.h.
 */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/octets.h"
#include "zone/loader.h"
#include "zone/ttl.h"

int load_name(const struct loader *loader, const struct load_file *file,
	      const struct scan_token *token, uint8_t out[DNS_NAME_MAX])
{
	uint8_t name[DNS_NAME_MAX];
	int len =
	    dns_name_from_text(name, token->text, token->len, file->origin);

	if (len == -ENAMETOOLONG)
		return load_fault(loader, file,
				  "label over 63 or name over 255 octets",
				  token);
	if (len < 0)
		return load_fault(loader, file, "bad name", token);
	memcpy(out, name, (size_t)len);
	return 0;
}

static void warn_ttl(const struct loader *loader, const struct load_file *file,
		     uint64_t line, uint32_t ttl)
{
	zone_report(loader->report, ZONE_WARNING, file->path, line,
		    "TTL over 2^31 - 1 is taken as 0: '%lu'",
		    (unsigned long)ttl);
}

int load_ttl(const struct loader *loader, const struct load_file *file,
	     const struct scan_token *token, uint32_t *ttl)
{
	int rc = ttl_from_text(ttl, token->text, token->len);

	if (rc == -ERANGE)
		return load_fault(loader, file, "TTL over 2^32 - 1", token);
	if (rc)
		return load_fault(loader, file, "bad TTL", token);
	if (*ttl > TTL_MAX) {
		warn_ttl(loader, file, token->line, *ttl);
		*ttl = 0;
	}
	return 0;
}

static bool is_word(const struct scan_token *token, const char *word)
{
	return token->len == strlen(word) &&
	       !strncasecmp(token->text, word, token->len);
}

/* CLASSnnn as RFC 3597 section 5 has it. */
static bool is_generic_class(const struct scan_token *token)
{
	if (token->len < 6 || strncasecmp(token->text, "CLASS", 5))
		return false;
	for (size_t i = 5; i < token->len; i++)
		if (token->text[i] < '0' || token->text[i] > '9')
			return false;
	return true;
}

static bool is_class_in(const struct scan_token *token)
{
	const char *text = token->text;

	if (token->len == 2)
		return (text[0] | 0x20) == 'i' && (text[1] | 0x20) == 'n';
	return is_word(token, "CLASS1");
}

static bool is_other_class(const struct scan_token *token)
{
	static const char *const name[] = {"CH", "HS", "CS", "NONE"};

	for (size_t i = 0; i < sizeof(name) / sizeof(*name); i++)
		if (is_word(token, name[i]))
			return true;
	return is_generic_class(token);
}

static int header_ttl(struct loader *loader, struct load_file *file,
		      const struct scan_token *token,
		      struct record_header *header)
{
	if (header->has_ttl)
		return load_fault(loader, file, "second TTL", token);
	header->has_ttl = true;
	return load_ttl(loader, file, token, &header->ttl);
}

static int header_type(struct loader *loader, struct load_file *file,
		       const struct scan_token *token,
		       struct record_header *header)
{
	int type = dns_type_from_text(token->text, token->len);

	if (type < 0 && is_other_class(token))
		return load_fault(loader, file, "class is not IN:", token);
	if (type < 0 && token->text[0] == '$')
		return load_fault(loader, file,
				  "directive is indented:", token);
	if (type < 0)
		return load_fault(loader, file, "unknown type", token);
	if (dns_type_is_meta((uint16_t)type))
		return load_fault(loader, file,
				  "type cannot be in a zone:", token);
	header->type = (uint16_t)type;
	return 0;
}

/* One word; *done when it was the type. */
static int header_word(struct loader *loader, struct load_file *file,
		       const struct scan_token *token,
		       struct record_header *header, bool *done)
{
	if (token->text[0] >= '0' && token->text[0] <= '9')
		return header_ttl(loader, file, token, header);
	if (is_class_in(token)) {
		if (header->has_class)
			return load_fault(loader, file, "second class", token);
		header->has_class = true;
		return 0;
	}
	*done = true;
	return header_type(loader, file, token, header);
}

int load_header(struct loader *loader, struct load_file *file,
		enum scan_kind kind, struct scan_token *token,
		struct record_header *header)
{
	bool done = false;

	for (;;) {
		int rc;

		if (kind == SCAN_ERROR)
			return load_scan_fault(loader, file);
		if (kind == SCAN_QUOTED || (kind == SCAN_WORD && token->glued))
			return load_fault(loader, file,
					  "quotes before the type, at", token);
		if (kind != SCAN_WORD) {
			zone_report(loader->report, ZONE_ERROR, file->path,
				    token->line, "type is missing");
			return -EINVAL;
		}
		rc = header_word(loader, file, token, header, &done);
		if (rc || done)
			return rc;
		kind = scan_next(&file->scan, token);
	}
}

/* RFC 2308 section 4: MINIMUM, the last field, once was the default TTL. */
static void note_soa(struct loader *loader, size_t len)
{
	if (loader->has_soa_ttl || len < 22)
		return;
	loader->has_soa_ttl = true;
	loader->soa_ttl = get_u32(loader->rdata + len - 4);
	if (loader->soa_ttl > TTL_MAX)
		loader->soa_ttl = 0;
}

static int ttl_from_soa(struct loader *loader, const struct load_file *file,
			struct record_header *header)
{
	if (!loader->has_soa_ttl) {
		zone_report(loader->report, ZONE_ERROR, file->path,
			    header->line,
			    "no TTL: none here, none before, no $TTL, no SOA");
		return -EINVAL;
	}
	if (!loader->soa_ttl_warned)
		zone_report(loader->report, ZONE_WARNING, file->path,
			    header->line,
			    "no TTL and no $TTL: SOA MINIMUM %lu is taken",
			    (unsigned long)loader->soa_ttl);
	loader->soa_ttl_warned = true;
	header->ttl = loader->soa_ttl;
	return 0;
}

static int settle_ttl(struct loader *loader, const struct load_file *file,
		      struct record_header *header)
{
	if (header->has_ttl) {
		loader->has_last_ttl = true;
		loader->last_ttl = header->ttl;
	} else if (loader->has_default_ttl) {
		header->ttl = loader->default_ttl;
	} else if (loader->has_last_ttl) {
		header->ttl = loader->last_ttl;
	} else {
		return ttl_from_soa(loader, file, header);
	}
	return 0;
}

/* v=DMARC1;p=none publishes half of what was meant. */
static void warn_cut(const struct loader *loader, const struct load_file *file,
		     const struct scan *scan, uint16_t type)
{
	const struct dns_type *row = dns_type_find(type);

	if (row && row->form && strpbrk(row->form, "sSv"))
		zone_report(loader->report, ZONE_WARNING, file->path,
			    scan->cut_line,
			    "';' right behind text starts a comment; for a "
			    "semicolon write \\; or use quotes");
}

static int add(struct loader *loader, const struct load_file *file,
	       const struct record_header *header, size_t len)
{
	struct zone_record record = {
	    .owner = header->owner,
	    .rdata = loader->rdata,
	    .type = header->type,
	    .rdata_len = (uint16_t)len,
	    .ttl = header->ttl,
	    .file = file->path,
	    .line = header->line,
	};
	int rc = zone_build_add(loader->builder, &record);

	if (rc)
		zone_report(
		    loader->report, ZONE_ERROR, file->path, header->line, "%s",
		    rc == -E2BIG ? "zone is over 32 GiB" : strerror(-rc));
	return rc;
}

static int rdata_fault(const struct loader *loader,
		       const struct load_file *file, uint16_t type,
		       const struct rdata_error *error)
{
	char text[DNS_TYPE_TEXT_MAX];

	zone_report(loader->report, ZONE_ERROR, file->path, error->line,
		    "%s: %s", dns_type_to_text(text, type), error->text);
	return -EINVAL;
}

int load_rdata(struct loader *loader, struct load_file *file, struct scan *scan,
	       struct record_header *header)
{
	struct rdata_error error;
	int len, rc;

	len = rdata_from_text(loader->rdata, header->type, scan, file->origin,
			      &error);
	if (len < 0)
		return rdata_fault(loader, file, header->type, &error);
	if (scan->cut_line)
		warn_cut(loader, file, scan, header->type);
	if (header->type == DNS_TYPE_SOA)
		note_soa(loader, (size_t)len);
	rc = settle_ttl(loader, file, header);
	return rc ? rc : add(loader, file, header, (size_t)len);
}

int load_record(struct loader *loader, struct load_file *file,
		enum scan_kind kind, const struct scan_token *first)
{
	struct record_header header = {.owner = file->owner};
	struct scan_token token = *first;
	int rc;

	header.line = token.line;
	if (!token.indented) {
		rc = load_name(loader, file, &token, file->owner);
		if (rc)
			return rc;
		file->has_owner = true;
		kind = scan_next(&file->scan, &token);
	} else if (!file->has_owner) {
		return load_fault(
		    loader, file,
		    "indented, but there is no owner before:", &token);
	}
	rc = load_header(loader, file, kind, &token, &header);
	return rc ? rc : load_rdata(loader, file, &file->scan, &header);
}
