/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A snapshot from lines of text, for tests of what lies behind the zone
 * reader. Each line is one record with an absolute owner, a TTL and no
 * directive: "www.z.test. 60 IN A 192.0.2.1". ldns reads it, so that a fault of
 * our own reader cannot hide one of the builder.
 */
#ifndef TESTS_UNIT_ZONE_TEXT_H
#define TESTS_UNIT_ZONE_TEXT_H

#include <ldns/ldns.h>
#include <stdio.h>
#include <string.h>

#include "unit.h"
#include "zone/build.h"

#define ZONE_TEXT_NOW 1700000000 /* the builder's time: 2023-11-14 */

struct zone_text {
	const char *apex;
	struct snapshot *previous;
	char said[16384]; /* all messages, one a line */
	unsigned errors, warnings;
};

static inline void zone_text_emit(void *arg, enum zone_severity severity,
				  const char *text)
{
	struct zone_text *zone = arg;
	size_t len = strlen(zone->said);

	(void)severity;
	snprintf(zone->said + len, sizeof(zone->said) - len, "%s\n", text);
}

static inline void zone_text_add(struct zone_builder *builder, const char *line,
				 uint64_t nr)
{
	static uint8_t rdata[65536];
	struct zone_record record = {.file = "test.zone", .line = nr};
	size_t len = 0;
	ldns_rr *rr = NULL;
	ldns_status status = ldns_rr_new_frm_str(&rr, line, 3600, NULL, NULL);

	ck_assert_msg(status == LDNS_STATUS_OK, "%s: %s", line,
		      ldns_get_errorstr_by_id(status));
	for (size_t i = 0; i < ldns_rr_rd_count(rr); i++) {
		const ldns_rdf *field = ldns_rr_rdf(rr, i);

		memcpy(rdata + len, ldns_rdf_data(field), ldns_rdf_size(field));
		len += ldns_rdf_size(field);
	}
	record.owner = ldns_rdf_data(ldns_rr_owner(rr));
	record.rdata = rdata;
	record.rdata_len = (uint16_t)len;
	record.type = (uint16_t)ldns_rr_get_type(rr);
	record.ttl = ldns_rr_ttl(rr);
	ck_assert_int_eq(zone_build_add(builder, &record), 0);
	ldns_rr_free(rr);
}

/* Lines up to NULL. The result of zone_build_end(). */
static inline int zone_text_build(struct zone_text *zone,
				  const char *const *lines,
				  struct snapshot **snapshot)
{
	struct zone_report report = {
	    .emit = zone_text_emit, .arg = zone, .zone = zone->apex};
	uint8_t apex[DNS_NAME_MAX];
	struct zone_builder *builder;
	int err;

	zone->said[0] = '\0';
	ck_assert_int_gt(
	    dns_name_from_text(apex, zone->apex, strlen(zone->apex), NULL), 0);
	builder = zone_build_new(apex, zone->previous, 0, &report);
	ck_assert_ptr_nonnull(builder);
	zone_build_set_now(builder, ZONE_TEXT_NOW);
	for (uint64_t i = 0; lines[i]; i++)
		zone_text_add(builder, lines[i], i + 1);
	*snapshot = NULL;
	err = zone_build_end(builder, snapshot);
	zone_build_free(builder);
	zone->errors = report.error_nr;
	zone->warnings = report.warning_nr;
	return err;
}

/* The node of a name in text, NULL when there is none. */
static inline const struct node *zone_text_find(const struct snapshot *snapshot,
						const char *text)
{
	uint8_t name[DNS_NAME_MAX];
	struct dns_labels labels;

	ck_assert_int_gt(dns_name_from_text(name, text, strlen(text), NULL), 0);
	dns_labels_parse(&labels, name, DNS_NAME_MAX);
	return snapshot_find(snapshot, labels.hash, labels.lower, labels.len);
}

#endif
