/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Zone files to records, for the tests of the loader. The builder is replaced
 * by one that writes down what it is given, so that a test sees each record as
 * it was read, one a line:
 *
 *	owner TTL type RDATA in hex
 *
 * and each message behind E (error) or W (warning). The zone is z.test, its
 * file z.zone in a folder made for the test, which is the working directory.
 */
#ifndef TESTS_UNIT_LOADING_H
#define TESTS_UNIT_LOADING_H

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "folder.h"
#include "unit.h"
#include "zone/build.h"
#include "zone/load.h"

static char records[1 << 20], messages[16384];
static size_t record_len, message_len;
static unsigned record_nr;
static int add_result;
static const char *touched_file; /* gets longer while a record is added */
static struct snapshot frozen;

/* Takes the place of what zone/build.c and zone/snapshot.c have. */
struct zone_builder *zone_build_new(const uint8_t *apex,
				    struct snapshot *previous, size_t size_hint,
				    struct zone_report *report)
{
	(void)apex;
	(void)previous;
	(void)size_hint;
	(void)report;
	record_len = 0;
	record_nr = 0;
	records[0] = '\0';
	return (struct zone_builder *)&record_nr;
}

int zone_build_add(struct zone_builder *builder,
		   const struct zone_record *record)
{
	char owner[DNS_NAME_TEXT_MAX], type[DNS_TYPE_TEXT_MAX];

	ck_assert_ptr_eq(builder, &record_nr);
	record_nr++;
	if (touched_file)
		put_file(touched_file, ";                             \n"
				       "; longer than it was\n");
	if (add_result || record_len > sizeof(records) - 140000)
		return add_result;
	dns_name_to_text(owner, record->owner);
	record_len +=
	    (size_t)sprintf(records + record_len, "%s %u %s ", owner,
			    record->ttl, dns_type_to_text(type, record->type));
	for (unsigned i = 0; i < record->rdata_len; i++)
		record_len += (size_t)sprintf(records + record_len, "%02x",
					      record->rdata[i]);
	records[record_len++] = '\n';
	records[record_len] = '\0';
	return 0;
}

int zone_build_end(struct zone_builder *builder, struct snapshot **out)
{
	ck_assert_ptr_eq(builder, &record_nr);
	frozen.record_nr = record_nr;
	*out = &frozen;
	return 0;
}

void zone_build_free(struct zone_builder *builder)
{
	ck_assert_ptr_eq(builder, &record_nr);
}

void snapshot_put(struct snapshot *snapshot)
{
	ck_assert(!snapshot || snapshot == &frozen);
}

static inline void emit(void *arg, enum zone_severity severity,
			const char *text)
{
	(void)arg;
	message_len += (size_t)snprintf(
	    messages + message_len, sizeof(messages) - message_len, "%c %s\n",
	    severity == ZONE_ERROR ? 'E' : 'W', text);
}

static inline int load(struct zone_load_result *result, const char *path)
{
	struct zone_report report = {.emit = emit, .zone = "z.test"};
	int rc;

	messages[0] = '\0';
	message_len = 0;
	rc = zone_load(result, (const uint8_t *)"\1z\4test", path, NULL,
		       &report);
	ck_assert_msg((rc != 0) == (report.error_nr != 0), "%d %s", rc,
		      messages);
	ck_assert_msg((rc == 0) == (result->snapshot != NULL), "%d", rc);
	return rc;
}

/* Loads z.zone with that text. want NULL: the records do not matter. */
static inline void check_load(const char *text, const char *want,
			      const char *want_messages)
{
	struct zone_load_result result;
	int rc;

	put_file("z.zone", text);
	rc = load(&result, "z.zone");
	ck_assert_msg(!strcmp(messages, want_messages), "%s\n--- gave\n%s",
		      text, messages);
	ck_assert_msg(!want || !strcmp(records, want), "%s\n--- gave\n%s", text,
		      records);
	ck_assert_int_eq(rc, strstr(want_messages, "E ") ? -EINVAL : 0);
	zone_load_release(&result);
}

struct load_row {
	const char *id; /* cases that the row is for */
	const char *text;
	const char *records;
	const char *messages;
};

static inline void check_row(const struct load_row *row)
{
	check_load(row->text, row->records, row->messages);
}

#define ROW_NR(rows) ((int)(sizeof(rows) / sizeof(*(rows))))

#endif
