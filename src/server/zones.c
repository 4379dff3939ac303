/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Table of zones. Readings are done by loader threads, so nothing here but
 * zone_entry_load() and what it calls may run beside them.
 */
#include <config.h>

#include "server/zones.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <urcu-qsbr.h>

#include "server/log.h"

/* With more zones than this, a line for each at every load helps nobody. */
#define ZONES_LOG_MAX 100

static void entry_release(struct zone_entry *entry)
{
	free(entry->apex);
	free(entry->name);
	free(entry->file);
	free(entry->fault);
	acl_put(entry->transfer);
	snapshot_put(entry->snapshot);
	zone_load_release(&entry->load);
}

static int entry_init(struct zone_entry *entry, const struct config_zone *zone)
{
	size_t len = dns_name_len(zone->apex);

	*entry = (struct zone_entry){
	    .apex = malloc(len),
	    .name = strdup(zone->name),
	    .file = strdup(zone->file),
	    .transfer = acl_get(zone->transfer),
	    .state = ZONE_NOT_READY,
	};
	if (!entry->apex || !entry->name || !entry->file) {
		entry_release(entry);
		return -ENOMEM;
	}
	memcpy(entry->apex, zone->apex, len);
	return 0;
}

/* Another file for a zone that stays; the old version is served on. */
static int entry_set_file(struct zone_entry *entry, const char *file)
{
	char *copy;

	if (!strcmp(entry->file, file))
		return 0;
	copy = strdup(file);
	if (!copy)
		return -ENOMEM;
	free(entry->file);
	entry->file = copy;
	entry->read = false;
	return 0;
}

static struct zone_entry *find_apex(const struct zones *zones,
				    const uint8_t *apex)
{
	unsigned low = 0, high = zones->nr;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;
		int rc = dns_name_cmp(zones->entry[middle].apex, apex);

		if (!rc)
			return &zones->entry[middle];
		if (rc < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* A zone that is in both tables: what is loaded stays, access is the new. */
static void move_entry(struct zones *zones, struct zone_entry *entry,
		       struct zone_entry *to)
{
	struct zone_entry unread = *to;

	*to = *entry;
	to->transfer = unread.transfer;
	unread.transfer = entry->transfer;
	*entry = unread;
	if (!acl_same(to->transfer, entry->transfer))
		zones->changed = true;
}

/*
 * What is in both tables moves over; the rest of the old one is dropped. Both
 * are sorted by name.
 */
static void move_entries(struct zones *zones, struct zones *next)
{
	enum log_level level =
	    zones->nr <= ZONES_LOG_MAX ? LOG_LEVEL_INFO : LOG_LEVEL_DEBUG;
	unsigned k = 0;

	for (unsigned i = 0; i < zones->nr; i++) {
		struct zone_entry *entry = &zones->entry[i], *to = NULL;

		while (k < next->nr &&
		       dns_name_cmp(next->entry[k].apex, entry->apex) < 0)
			k++;
		if (k < next->nr &&
		    dns_name_eq(next->entry[k].apex, entry->apex))
			to = &next->entry[k];
		if (to) {
			move_entry(zones, entry, to);
		} else {
			log_write(level, "[%s] removed", entry->name);
			zones->changed = true;
		}
		entry_release(entry);
	}
}

/*
 * First everything that needs memory, so that a lack of it leaves the table
 * whole: the new entries, and the paths of those that stay.
 */
int zones_configure(struct zones *zones, const struct config *config)
{
	struct zones next = {
	    .entry = calloc(config->zone_nr + 1, sizeof(*next.entry))};
	int rc = next.entry ? 0 : -ENOMEM;

	while (!rc && next.nr < config->zone_nr) {
		const struct config_zone *zone = &config->zone[next.nr];
		struct zone_entry *old = find_apex(zones, zone->apex);

		rc = entry_init(&next.entry[next.nr], zone);
		if (rc)
			break;
		next.nr++;
		zones->changed |= !old;
		if (old)
			rc = entry_set_file(old, zone->file);
	}
	if (rc) {
		for (unsigned i = 0; i < next.nr; i++)
			entry_release(&next.entry[i]);
		free(next.entry);
		return rc;
	}
	move_entries(zones, &next);
	free(zones->entry);
	zones->entry = next.entry;
	zones->nr = next.nr;
	return 0;
}

struct zone_entry *zones_find(struct zones *zones, const char *name)
{
	uint8_t wire[DNS_NAME_MAX];

	if (dns_name_from_text(wire, name, strlen(name), NULL) < 0)
		return NULL;
	return find_apex(zones, wire);
}

/* Where the messages of one reading go. */
struct reading {
	const struct zones *zones;
	struct zone_entry *entry;
};

static void take_report(void *arg, enum zone_severity severity,
			const char *text)
{
	struct reading *reading = arg;
	bool error = severity == ZONE_ERROR;

	if (error && !reading->entry->fault)
		reading->entry->fault = strdup(text);
	if (reading->zones->checking)
		fprintf(stderr, "%s%s\n", text, error ? "" : " (warning)");
	else
		log_write(error ? LOG_LEVEL_ERROR : LOG_LEVEL_WARNING, "%s",
			  text);
}

static void log_serial(const struct zone_entry *entry, uint32_t old,
		       uint32_t new)
{
	/* RFC 1982 section 3.2: the difference as a signed number. */
	if (old == new)
		log_warning("[%s] changed without a new serial, secondaries "
			    "will not notice",
			    entry->name);
	else if ((int32_t)(new - old) < 0)
		log_warning("[%s] serial went back from %" PRIu32 " to %" PRIu32
			    ", secondaries will not follow",
			    entry->name, old, new);
}

static void log_loaded(const struct zones *zones,
		       const struct zone_entry *entry,
		       const struct snapshot *old, unsigned ms)
{
	bool verbose = zones->nr <= ZONES_LOG_MAX;
	char from[16] = "none";

	if (old && old != entry->snapshot)
		log_serial(entry, old->serial, entry->snapshot->serial);
	if (old)
		snprintf(from, sizeof(from), "%" PRIu32, old->serial);
	log_write(
	    verbose ? LOG_LEVEL_INFO : LOG_LEVEL_DEBUG,
	    "[%s] loaded, serial %s -> %" PRIu32 ", %" PRIu64 " records, %u ms",
	    entry->name, from, entry->snapshot->serial, entry->record_nr, ms);
}

/* A failed reading: the version served stays. */
static void entry_fail(const struct zones *zones, struct zone_entry *entry,
		       int rc, unsigned error_nr)
{
	char what[128];

	entry->outcome = ZONE_FAILED;
	if (!entry->fault) {
		struct reading reading = {zones, entry};

		snprintf(what, sizeof(what), "%s: %s", entry->name,
			 strerror(-rc));
		take_report(&reading, ZONE_ERROR, what);
	}
	if (!entry->snapshot)
		entry->state = rc == -EINVAL ? ZONE_INVALID : ZONE_NOT_READY;
	if (zones->checking)
		return;
	if (entry->snapshot)
		log_error("[%s] not loaded, errors: %u, still serving serial "
			  "%" PRIu32,
			  entry->name, error_nr, entry->snapshot->serial);
	else
		log_error("[%s] not loaded, errors: %u, answering SERVFAIL",
			  entry->name, error_nr);
}

static unsigned ms_since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (unsigned)((now.tv_sec - start->tv_sec) * 1000 +
			  (now.tv_nsec - start->tv_nsec) / 1000000);
}

static bool entry_must_load(const struct zone_entry *entry)
{
	/* A zone that failed is named again at each reload until it is well. */
	return entry->force || !entry->read || entry->fault ||
	       zone_load_is_stale(&entry->load);
}

void zone_entry_load(const struct zones *zones, struct zone_entry *entry)
{
	struct reading reading = {zones, entry};
	struct zone_report report = {.emit = take_report,
				     .arg = &reading,
				     .zone = entry->name,
				     .file = entry->file};
	struct snapshot *old = entry->snapshot;
	struct timespec start;
	int rc;

	if (!entry_must_load(entry)) {
		entry->outcome = ZONE_UNCHANGED;
		return;
	}
	clock_gettime(CLOCK_MONOTONIC, &start);
	free(entry->fault);
	entry->fault = NULL;
	entry->read = true;
	entry->force = false;
	zone_load_release(&entry->load);
	entry->load = (struct zone_load_result){0};
	rc = zone_load(&entry->load, entry->apex, entry->file, old, &report);
	if (rc) {
		entry_fail(zones, entry, rc, report.error_nr);
		return;
	}
	entry->outcome = ZONE_LOADED;
	entry->state = ZONE_SERVED;
	entry->snapshot = entry->load.snapshot;
	entry->load.snapshot = NULL;
	entry->record_nr = entry->load.record_nr;
	if (!zones->checking)
		log_loaded(zones, entry, old, ms_since(&start));
	snapshot_put(old);
}

void zones_tally(const struct zones *zones, struct zones_tally *tally)
{
	*tally = (struct zones_tally){0};
	for (unsigned i = 0; i < zones->nr; i++) {
		const struct zone_entry *entry = &zones->entry[i];

		tally->unchanged += entry->outcome == ZONE_UNCHANGED;
		tally->failed += entry->outcome == ZONE_FAILED;
		if (entry->outcome != ZONE_LOADED)
			continue;
		tally->loaded++;
		tally->record_nr += entry->record_nr;
	}
}

/* The states count too: a zone that fails at its first reading. */
static bool is_changed(const struct zones *zones)
{
	if (zones->changed || !zones->served)
		return true;
	for (unsigned i = 0; i < zones->nr; i++)
		if (zones->entry[i].outcome == ZONE_LOADED ||
		    (zones->entry[i].outcome == ZONE_FAILED &&
		     !zones->entry[i].snapshot))
			return true;
	return false;
}

/*
 * Keeps what transfers still read of a set that no worker sees any more: from
 * now on holds only end. One that is served on is kept without need, and once.
 */
static void retire(struct zones *zones, const struct zone_set *set)
{
	for (uint32_t i = 0; i < set->slot_nr; i++) {
		struct snapshot *snapshot = set->slot[i].snapshot;

		if (!snapshot || snapshot->retired ||
		    !snapshot_is_held(snapshot))
			continue;
		snapshot->retired = true;
		snapshot->retired_next = zones->retired;
		zones->retired = snapshot_get(snapshot);
	}
}

unsigned zones_collect(struct zones *zones)
{
	struct snapshot **at = &zones->retired;
	unsigned left = 0;

	while (*at) {
		struct snapshot *snapshot = *at;

		if (snapshot_is_held(snapshot)) {
			at = &snapshot->retired_next;
			left++;
			continue;
		}
		*at = snapshot->retired_next;
		snapshot->retired = false;
		snapshot_put(snapshot);
	}
	return left;
}

int zones_publish(struct zones *zones)
{
	struct zone_set *set, *old;

	if (!is_changed(zones))
		return 0;
	set = zone_set_new(zones->nr ? zones->nr : 1);
	if (!set)
		return -ENOMEM;
	for (unsigned i = 0; i < zones->nr; i++) {
		const struct zone_entry *entry = &zones->entry[i];

		if (zone_set_put(set, entry->apex, entry->snapshot,
				 entry->state)) {
			zone_set_free(set);
			return -ENOMEM;
		}
		zone_set_allow_transfer(set, entry->apex, entry->transfer);
	}
	/* rcu_xchg_pointer() in a form that ThreadSanitizer sees. */
	old = __atomic_exchange_n(&zones->served, set, __ATOMIC_SEQ_CST);
	zones->changed = false;
	if (old) {
		synchronize_rcu();
		retire(zones, old);
		zone_set_free(old);
	}
	return 0;
}

void zones_release(struct zones *zones)
{
	for (unsigned i = 0; i < zones->nr; i++)
		entry_release(&zones->entry[i]);
	free(zones->entry);
	if (zones->served)
		zone_set_free(zones->served);
	zones_collect(zones);
	*zones = (struct zones){0};
}
