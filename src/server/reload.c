/* SPDX-License-Identifier: BSD-2-Clause */
/* Reloading, one request after the other. */
#include <config.h>

#include "server/reload.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "server/log.h"
#include "server/notify.h"

/* config_compare() has no argument of ours. */
static struct daemon *comparing;

/* A line for the log and for whoever waits. */
__attribute__((format(printf, 3, 4))) static void
say(struct daemon *daemon, enum log_level level, const char *format, ...)
{
	char line[2048];
	va_list ap;

	va_start(ap, format);
	vsnprintf(line, sizeof(line), format, ap);
	va_end(ap);
	log_write(level, "%s", line);
	if (daemon->reply)
		fprintf(daemon->reply, "%s\n", line);
	if (level == LOG_LEVEL_ERROR)
		daemon->reply_failed = true;
}

static void say_restart(const char *option)
{
	say(comparing, LOG_LEVEL_WARNING,
	    "server option '%s' has changed: it takes a restart", option);
}

static void reopen_log(struct daemon *daemon, const struct log_options *options)
{
	int rc = log_open(options);

	if (rc)
		say(daemon, LOG_LEVEL_ERROR,
		    "%s: %s; the log goes where it went",
		    options->path ? options->path : "log", strerror(-rc));
}

static void use_config(struct daemon *daemon, const struct config *config)
{
	reopen_log(daemon, &config->log);
	comparing = daemon;
	config_compare(&daemon->config, config, say_restart);
	if (zones_configure(&daemon->zones, config))
		say(daemon, LOG_LEVEL_ERROR, "zones of the configuration: %s",
		    strerror(ENOMEM));
}

static void read_config(struct daemon *daemon)
{
	struct fault_list faults = {0};
	struct config config;

	config_read(&config, daemon->path, CONFIG_RELOAD, &faults);
	for (unsigned i = 0; i < faults.nr; i++)
		say(daemon, LOG_LEVEL_ERROR, "%s", faults.text[i]);
	if (faults.no_memory)
		say(daemon, LOG_LEVEL_ERROR, "%s", strerror(ENOMEM));
	if (!fault_any(&faults))
		use_config(daemon, &config);
	else
		say(daemon, LOG_LEVEL_ERROR,
		    "configuration not reloaded, the old one holds");
	config_release(&config);
	fault_release(&faults);
}

/* Lines for the zones that failed; their messages are in the log already. */
static void reply_zones(struct daemon *daemon)
{
	for (unsigned i = 0; daemon->reply && i < daemon->zones.nr; i++) {
		const struct zone_entry *entry = &daemon->zones.entry[i];

		if (entry->outcome != ZONE_FAILED)
			continue;
		fprintf(daemon->reply, "%s\n",
			entry->fault ? entry->fault : entry->name);
		if (entry->snapshot)
			fprintf(daemon->reply,
				"[%s] not loaded, still serving serial "
				"%" PRIu32 "\n",
				entry->name, entry->snapshot->serial);
		else
			fprintf(daemon->reply,
				"[%s] not loaded, answering SERVFAIL\n",
				entry->name);
	}
}

static void answer(struct daemon *daemon, int rc, unsigned failed)
{
	if (!daemon->reply)
		return;
	if (rc == -ENOENT)
		fprintf(daemon->reply, "failed: no such zone\n");
	else if (failed)
		fprintf(daemon->reply, "failed: %u zone%s%s\n", failed,
			failed == 1 ? "" : "s",
			daemon->reply_failed ? " and more, see above" : "");
	else if (daemon->reply_failed)
		fprintf(daemon->reply, "failed: see above\n");
	else
		fprintf(daemon->reply, "ok\n");
	if (!fclose(daemon->reply))
		control_answer_all(daemon->control, daemon->queue[0].ticket,
				   daemon->reply_text);
	free(daemon->reply_text);
	daemon->reply = NULL;
	daemon->reply_text = NULL;
}

/* Starts the request at the head of the queue; -ENOENT: for no zone of ours. */
static int start(struct daemon *daemon)
{
	const char *zone = daemon->queue[0].zone;
	struct zone_entry *only = NULL;

	daemon->reply = open_memstream(&daemon->reply_text, &daemon->reply_len);
	daemon->reply_failed = false;
	notify_reloading();
	if (*zone) {
		log_info("reloading zone %s", zone);
		only = zones_find(&daemon->zones, zone);
		if (!only) {
			log_warning("no such zone: %s", zone);
			return -ENOENT;
		}
	} else {
		log_info("reloading");
		read_config(daemon);
	}
	return daemon_load(daemon, only);
}

void reload_finish(struct daemon *daemon, int rc)
{
	struct zones_tally tally = {0};

	if (rc && rc != -ENOENT)
		say(daemon, LOG_LEVEL_ERROR, "cannot reload: %s",
		    strerror(-rc));
	if (!rc) {
		zones_tally(&daemon->zones, &tally);
		reply_zones(daemon);
		say(daemon, LOG_LEVEL_INFO,
		    "zones: %u loaded, %u unchanged, %u failed", tally.loaded,
		    tally.unchanged, tally.failed);
	}
	answer(daemon, rc, tally.failed);
	notify_ready("serving");
	daemon->queue_nr--;
	memmove(daemon->queue, daemon->queue + 1,
		daemon->queue_nr * sizeof(*daemon->queue));
}

void reload_go_on(struct daemon *daemon)
{
	while (daemon->queue_nr && !daemon->loading) {
		int rc = start(daemon);

		if (rc)
			reload_finish(daemon, rc);
	}
}

unsigned reload_ask(struct daemon *daemon, const char *zone)
{
	unsigned under_way = daemon->loading && daemon->serving ? 1 : 0;
	struct reload_request *last = &daemon->queue[daemon->queue_nr];

	if (daemon->queue_nr > under_way && !*zone && !*last[-1].zone)
		return last[-1].ticket;
	assert(daemon->queue_nr < RELOAD_QUEUE_MAX);
	last->ticket = ++daemon->last_ticket;
	snprintf(last->zone, sizeof(last->zone), "%s", zone);
	daemon->queue_nr++;
	return last->ticket;
}
