/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The front of the builder: takes records, cuts them into runs of one owner,
 * keeps apart what is NSEC3, and has each run composed. builder.h draws what
 * follows.
 */
#include "zone/builder.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/octets.h"
#include "dns/fold.h"
#include "zone/nsec3.h"
#include "zone/zone_check.h"

void builder_say(struct zone_builder *builder, enum zone_severity severity,
		 uint32_t place, const char *format, ...)
{
	char text[4096];
	uint64_t line;
	const char *file = place_file(&builder->places, place, &line);
	va_list args;

	if (severity == ZONE_ERROR)
		builder->failed = true;
	/* A million warnings are counted, not formatted. */
	if (severity == ZONE_WARNING &&
	    builder->report->warning_nr >= ZONE_REPORT_MAX) {
		builder->report->warning_nr++;
		return;
	}
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	zone_report(builder->report, severity, file, line, "%s", text);
}

struct zone_builder *zone_build_new(const uint8_t *apex,
				    struct snapshot *previous, size_t size_hint,
				    struct zone_report *report)
{
	struct zone_builder *builder = calloc(1, sizeof(*builder));

	(void)size_hint; /* growing costs next to nothing */
	if (!builder)
		return NULL;
	builder->report = report;
	builder->previous = previous;
	builder->now = time(NULL);
	builder->apex_len = (uint8_t)dns_name_lower(builder->apex, apex);
	builder->apex_label_nr = (uint8_t)dns_name_label_nr(apex);
	builder->stage = arena_new();
	if (!builder->stage || shared_begin(builder)) {
		zone_build_free(builder);
		return NULL;
	}
	return builder;
}

void zone_build_set_now(struct zone_builder *builder, time_t now)
{
	builder->now = now;
}

/* The owner is the apex or below it. */
static bool in_zone(const struct zone_builder *builder, const uint8_t *owner,
		    size_t len)
{
	size_t pos = 0, above = len - builder->apex_len;

	if (len < builder->apex_len ||
	    !dns_fold_eq(owner + above, builder->apex, builder->apex_len))
		return false;
	while (pos < above)
		pos += owner[pos] + 1u;
	return pos == above; /* and not inside a label */
}

int builder_compose(struct zone_builder *builder, struct run *run,
		    uint32_t *node, bool *kept)
{
	struct snapshot_arena *stage = builder->stage;
	size_t used = stage->used;
	uint32_t old;
	int err = run_sort(run);

	if (!err)
		err = node_build(builder, run, node);
	*kept = false;
	if (err || !builder->shared)
		return err;
	old = shared_find(builder, arena_at(stage, *node));
	if (!old || !node_same(arena_at(stage, *node),
			       snapshot_node(builder->shared, old)))
		return 0;
	stage->used = used;
	*node = old;
	*kept = true;
	return 0;
}

static int run_to_node(struct zone_builder *builder, struct run *run,
		       struct fragment_list *list)
{
	struct fragment fragment = {.place = run->record[0].place};
	bool kept;
	int err = builder_compose(builder, run, &fragment.node, &kept);

	if (err)
		return err;
	if (kept && !shared_is_kept(builder, fragment.node))
		return shared_keep(builder, fragment.node, fragment.place);
	/* The same records once more: merged later, with a word about it. */
	if (kept) {
		const struct node *node =
		    snapshot_node(builder->shared, fragment.node);

		err =
		    arena_copy(builder->stage, node,
			       (size_t)node->size * ARENA_UNIT, &fragment.node);
		if (err)
			return err;
	}
	fragment.key = fragment_key(run->owner, builder->apex_label_nr);
	return fragment_add(list, builder->stage, fragment);
}

static bool is_nsec3(uint16_t type, const uint8_t *rdata, size_t len)
{
	if (type == DNS_TYPE_RRSIG && len >= 2)
		type = get_u16(rdata);
	return type == DNS_TYPE_NSEC3;
}

/*
 * Hashed owners are not in the name space (RFC 5155 section 7.2.8): moves the
 * NSEC3 records of the run, and their RRSIGs, to a run of their own.
 */
static int split_nsec3(struct zone_builder *builder)
{
	struct run *run = &builder->run, *nsec3 = &builder->nsec3_run;
	uint8_t hash[NSEC3_HASH_LEN];
	bool usable = run->label_nr == builder->apex_label_nr + 1 &&
		      nsec3_owner_hash(run->owner, hash);
	size_t left = 0;

	run_start(nsec3, run->owner, run->owner_len);
	for (size_t i = 0; i < run->record_nr; i++) {
		const struct run_record *record = &run->record[i];
		struct run_rr rr = {.rdata = run->octets + record->at,
				    .ttl = record->ttl,
				    .place = record->place,
				    .type = record->sig ? DNS_TYPE_RRSIG
							: record->type,
				    .len = record->len};

		if (record->type != DNS_TYPE_NSEC3)
			run->record[left++] = *record;
		else if (usable && run_add(nsec3, &rr))
			return -ENOMEM;
	}
	if (!usable)
		check_say_owner(builder, ZONE_WARNING, run->record[0].place,
				run->owner,
				"no hash for an owner, NSEC3 left out");
	run->record_nr = left;
	return 0;
}

/* Composes what was collected. */
static int builder_flush(struct zone_builder *builder)
{
	struct run *run = &builder->run;
	int err = 0;

	if (builder->run_has_nsec3) {
		builder->run_has_nsec3 = false;
		err = split_nsec3(builder);
		if (!err && builder->nsec3_run.record_nr)
			err = run_to_node(builder, &builder->nsec3_run,
					  &builder->nsec3_fragments);
	}
	if (!err && run->record_nr)
		err = run_to_node(builder, run, &builder->fragments);
	run->record_nr = 0;
	run->owner_len = 0;
	return err;
}

/* False, with a word about it, for what cannot be data of this zone. */
static bool is_wanted(struct zone_builder *builder,
		      const struct zone_record *record, size_t owner_len,
		      uint32_t place)
{
	if (in_zone(builder, record->owner, owner_len))
		return true;
	check_say_owner(builder, ZONE_WARNING, place, record->owner,
			"outside the zone, left out");
	return false;
}

int zone_build_add(struct zone_builder *builder,
		   const struct zone_record *record)
{
	struct run *run = &builder->run;
	size_t len = dns_name_len(record->owner);
	uint32_t place =
	    place_note(&builder->places, record->file, record->line);
	struct run_rr rr = {.rdata = record->rdata,
			    .ttl = record->ttl,
			    .place = place,
			    .type = record->type,
			    .len = record->rdata_len};
	int err;

	if (!is_wanted(builder, record, len, place))
		return 0;
	if (run->owner_len != len ||
	    !dns_fold_eq(run->owner, record->owner, len)) {
		err = builder_flush(builder);
		if (err)
			return err;
		run_start(run, record->owner, len);
	}
	if (is_nsec3(rr.type, rr.rdata, rr.len))
		builder->run_has_nsec3 = true;
	return run_add(run, &rr);
}

int zone_build_end(struct zone_builder *builder, struct snapshot **out)
{
	int err = builder_flush(builder);

	if (!err)
		err = link_build(builder);
	if (!err && builder->failed)
		err = -EINVAL;
	return err ? err : freeze(builder, out);
}

void zone_build_free(struct zone_builder *builder)
{
	if (!builder)
		return;
	shared_end(builder);
	place_release(&builder->places);
	run_release(&builder->run);
	run_release(&builder->nsec3_run);
	fragment_release(&builder->fragments);
	fragment_release(&builder->nsec3_fragments);
	link_release(&builder->names);
	link_release(&builder->nsec3);
	arena_put(builder->stage);
	free(builder->fix);
	free(builder->rdata);
	free(builder);
}
