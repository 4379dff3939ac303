/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writing a zone version out. The nodes of NSEC3 records are kept apart in a
 * snapshot, in the order of their hashes, which is that of their owners
 * (base32hex keeps it): the two orders are merged.
 */
#include "zone/write.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "zone/rdata.h"
#include "zone/rr.h"

struct writer {
	FILE *out;
	char owner[DNS_NAME_TEXT_MAX];
	struct line *line;
	size_t line_nr, line_max;
	uint8_t buf[RDATA_MAX];
};

/* One RR on its way; key is its RDATA with names in lower case. */
struct line {
	uint8_t *key;
	char *text;
	uint32_t ttl;
	uint16_t type, key_len;
};

static int compare_lines(const void *x, const void *y)
{
	const struct line *a = x, *b = y;
	size_t len = a->key_len < b->key_len ? a->key_len : b->key_len;
	int rc;

	/* RRSIGs lie behind the RRs they cover. */
	if (a->type != b->type)
		return a->type == DNS_TYPE_RRSIG ? 1 : -1;
	rc = memcmp(a->key, b->key, len);
	return rc ? rc : (int)a->key_len - (int)b->key_len;
}

/* RFC 4034 section 6.2: names in RDATA count in lower case. */
static void lower_names(uint16_t type, uint8_t *rdata, size_t len)
{
	const struct dns_type *known = dns_type_find(type);
	const char *form = known ? known->form : NULL;
	bool compressible;
	size_t pos = 0;
	int at;

	while ((at = dns_rdata_next_name(&form, rdata, len, &pos,
					 &compressible)) >= 0)
		dns_name_lower(rdata + at, rdata + at);
}

static int add_line(struct writer *writer, const struct rr *rr)
{
	struct line *line;

	if (writer->line_nr == writer->line_max) {
		size_t max = writer->line_max ? 2 * writer->line_max : 16;

		line = realloc(writer->line, max * sizeof(*line));
		if (!line)
			return -ENOMEM;
		writer->line = line;
		writer->line_max = max;
	}
	line = &writer->line[writer->line_nr++];
	*line = (struct line){
	    .key = malloc(rr->len + 1u),
	    .text = rdata_to_text(rr->type, rr->rdata, rr->len),
	    .ttl = rr->ttl,
	    .type = rr->type,
	    .key_len = rr->len,
	};
	if (!line->key || !line->text)
		return -ENOMEM;
	memcpy(line->key, rr->rdata, rr->len);
	lower_names(rr->type, line->key, rr->len);
	return 0;
}

static void put_lines(struct writer *writer)
{
	char type[DNS_TYPE_TEXT_MAX];

	for (size_t i = 0; i < writer->line_nr; i++) {
		const struct line *line = &writer->line[i];

		fprintf(writer->out, "%s\t%" PRIu32 "\tIN\t%s\t%s\n",
			writer->owner, line->ttl,
			dns_type_to_text(type, line->type), line->text);
	}
}

static void drop_lines(struct writer *writer)
{
	for (size_t i = 0; i < writer->line_nr; i++) {
		free(writer->line[i].key);
		free(writer->line[i].text);
	}
	writer->line_nr = 0;
}

static int write_rrset(struct writer *writer, const struct node *node,
		       const struct rrset *rrset)
{
	struct rr_reader reader;
	struct rr rr;
	int rc = 0;

	rr_reader_init(&reader, node, rrset);
	while (!rc && rr_reader_next(&reader, &rr, writer->buf))
		rc = add_line(writer, &rr);
	if (!rc) {
		qsort(writer->line, writer->line_nr, sizeof(*writer->line),
		      compare_lines);
		put_lines(writer);
	}
	drop_lines(writer);
	return rc;
}

/* All RRsets of a node, or (soa) the SOA alone. */
static int write_node(struct writer *writer, const struct node *node, bool soa)
{
	const struct rrset *rrset = node_first(node);
	bool apex = node->flags & NODE_APEX;
	int rc = 0;

	dns_name_to_text(writer->owner, node->owner);
	for (unsigned i = 0; !rc && i < node->rrset_nr; i++) {
		if (soa == (apex && rrset->type == DNS_TYPE_SOA))
			rc = write_rrset(writer, node, rrset);
		rrset = rrset_next(rrset);
	}
	return rc;
}

static int write_all(struct writer *writer, const struct snapshot *snapshot)
{
	int rc =
	    write_node(writer, snapshot_node(snapshot, snapshot->apex), true);
	uint32_t i = 0, k = 0;

	while (!rc && (i < snapshot->node_nr || k < snapshot->nsec3_nr)) {
		const struct node *node = NULL, *nsec3 = NULL;

		if (i < snapshot->node_nr)
			node = snapshot_node(snapshot, snapshot->order[i]);
		if (k < snapshot->nsec3_nr)
			nsec3 =
			    snapshot_node(snapshot, snapshot->nsec3[k].node);
		if (!nsec3 ||
		    (node && dns_name_cmp(node->owner, nsec3->owner) < 0))
			i++;
		else
			node = nsec3;
		k += node == nsec3;
		rc = write_node(writer, node, false);
		if (!rc && ferror(writer->out))
			rc = errno ? -errno : -EIO; /* is still its own */
	}
	return rc;
}

int zone_write(FILE *out, const struct snapshot *snapshot)
{
	struct writer *writer = calloc(1, sizeof(*writer));
	int rc;

	if (!writer)
		return -ENOMEM;
	writer->out = out;
	errno = 0;
	rc = write_all(writer, snapshot);
	free(writer->line);
	free(writer);
	if (!rc && ferror(out))
		rc = -EIO;
	return rc;
}
