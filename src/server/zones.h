/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of configured zones: what each was read from, what is served, and
 * what was wrong the last time. From it the zone sets are made that the workers
 * see.
 *
 *	configuration --zones_configure--> table <--zone_entry_load-- loaders
 *	                                     |
 *	                                     `--zones_publish--> workers
 *
 * While loader threads run, each entry is the one thread's that took it and
 * the control thread keeps its hands off the table; before and after it is the
 * control thread's. A zone is never without the version it had until the next
 * one is read whole: a failed reading keeps it.
 */
#ifndef SERVER_ZONES_H
#define SERVER_ZONES_H

#include <stdatomic.h>

#include "server/config.h"
#include "zone/load.h"
#include "zone/zone_set.h"

enum zone_outcome {
	ZONE_SKIPPED,	/* not looked at this time */
	ZONE_UNCHANGED, /* its files are what was read */
	ZONE_LOADED,
	ZONE_FAILED,
};

struct zone_entry {
	uint8_t *apex;
	char *name;
	char *file;
	struct acl *transfer;	      /* who may transfer it, NULL: nobody */
	struct snapshot *snapshot;    /* served, NULL: none yet */
	struct zone_load_result load; /* files of the last reading */
	uint64_t record_nr;	      /* of the snapshot */
	enum zone_state state;
	enum zone_outcome outcome; /* of the last round */
	bool read;		   /* false: new, or its file is another one */
	bool force;		   /* read it though it looks unchanged */
	char *fault;		   /* of the last reading; NULL: none */
};

struct zones {
	struct zone_entry *entry; /* canonical order */
	unsigned nr;
	bool changed;		 /* not yet published */
	bool checking;		 /* zcdns -t: messages to stderr, no log */
	struct zone_set *served; /* liburcu: read by the workers */
	/* Versions replaced while transfers read them, by retired_next. */
	struct snapshot *retired;
};

/* How one round of loading went. */
struct zones_tally {
	unsigned loaded, unchanged, failed;
	uint64_t record_nr; /* of the zones loaded */
};

/*
 * Brings the table to the zones of a configuration: new ones come unread, those
 * that are gone go, all others stay as they are. Returns 0 or -ENOMEM with the
 * table as it was.
 */
int zones_configure(struct zones *zones, const struct config *config);

/* NULL when there is none; the name in any case, with or without final dot. */
struct zone_entry *zones_find(struct zones *zones, const char *name);

/*
 * Reads one zone if it must be read, and logs what came of it. Called by loader
 * threads, one an entry.
 */
void zone_entry_load(const struct zones *zones, struct zone_entry *entry);

void zones_tally(const struct zones *zones, struct zones_tally *tally);

/*
 * Makes the table visible to the workers, in one step, and frees the set before
 * it after a grace period. Nothing to do when nothing has changed. Returns 0 or
 * -ENOMEM. Control thread only.
 */
int zones_publish(struct zones *zones);

/*
 * Frees the versions that no transfer reads any more. Returns how many stay:
 * then it is to be called again. Control thread only.
 */
unsigned zones_collect(struct zones *zones);

/* The workers have stopped. */
void zones_release(struct zones *zones);

#endif
