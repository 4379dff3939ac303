/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands of the control socket. */
#include <config.h>

#include "server/command.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/daemon.h"
#include "server/log.h"
#include "server/reload.h"

static void put_counters(const struct daemon *daemon, FILE *out)
{
	struct worker_counters worker;
	struct query_counters query;

	crew_sum(&daemon->crew, &worker, &query);
	fprintf(out, "queries: %" PRIu64 " UDP, %" PRIu64 " TCP\n",
		query.received[QUERY_UDP], query.received[QUERY_TCP]);
	fprintf(out,
		"dropped: %" PRIu64 ", malformed: %" PRIu64
		", truncated: %" PRIu64 "\n",
		query.dropped, query.malformed, query.truncated);
	fprintf(out,
		"UDP: %" PRIu64 " replies in %" PRIu64 " sends, %" PRIu64
		" send errors\n",
		worker.udp_replies, worker.udp_bundles, worker.udp_send_errors);
	fprintf(out,
		"TCP: %" PRIu64 " replies in %" PRIu64 " sends, %" PRIu64
		" of them zerocopy, %" PRIu64 " copied after all\n",
		worker.tcp_replies, worker.tcp_sends, worker.tcp_zerocopy_sends,
		worker.tcp_zerocopy_copied);
	fprintf(out,
		"UDP zerocopy: %" PRIu64 " sends, %" PRIu64
		" copied after all\nturns: %" PRIu64
		", receives armed again: %" PRIu64 ", without buffers: %" PRIu64
		"\n",
		worker.zerocopy_sends, worker.zerocopy_copied, worker.turns,
		worker.rearms, worker.enobufs);
	fprintf(out,
		"TCP connections: %" PRIu64 " open, %" PRIu64
		" accepted, %" PRIu64 " closed idle, %" PRIu64
		" over the limit, %" PRIu64 " accept errors\n",
		worker.tcp_open, worker.tcp_accepted, worker.tcp_closed_idle,
		worker.tcp_closed_limit, worker.tcp_accept_errors);
	fprintf(out,
		"transfers: %" PRIu64 " open, %" PRIu64 " granted, %" PRIu64
		" complete, %" PRIu64 " broken off, %" PRIu64
		" over the limit, %" PRIu64 " refused\n",
		worker.transfers_open, query.transfers_granted,
		worker.transfers_done, worker.transfers_broken,
		query.transfers_over_limit, query.transfers_refused);
}

static void put_zone(const struct zone_entry *entry, FILE *out)
{
	if (entry->snapshot)
		fprintf(out,
			"[%s] serial %" PRIu32 ", %" PRIu64
			" records, %zu octets\n",
			entry->name, entry->snapshot->serial, entry->record_nr,
			entry->snapshot->memory);
	else
		fprintf(out, "[%s] not loaded, answering SERVFAIL\n",
			entry->name);
	fprintf(out, "[%s] file %s\n", entry->name, entry->file);
	if (entry->fault)
		fprintf(out, "[%s] %s\n", entry->name, entry->fault);
}

static void put_wait(const struct feature_state *state, FILE *out)
{
	switch (state->wait.mode) {
	case WAIT_AUTO:
		fprintf(out, "batch wait: auto, %" PRIu64 " us now\n",
			state->counters.wait_us / state->worker_nr);
		return;
	case WAIT_FIXED:
		fprintf(out, "batch wait: %u us\n", state->wait.us);
		return;
	case WAIT_NONE:
		fprintf(out, "batch wait: none\n");
		return;
	case WAIT_BUSY:
		fprintf(out, "batch wait: busy-poll\n");
		return;
	}
}

static void put_features(struct daemon *daemon, FILE *out)
{
	struct feature_state state;

	/* no workers while the first zones are loading */
	if (!daemon->crew.nr)
		return;
	crew_features(&daemon->crew, &daemon->config, &state);
	put_wait(&state, out);
	feature_print(out, "kernel ", &state);
}

/* The table is the loaders' while they run: then only what is ours is said. */
static void put_status(struct daemon *daemon, FILE *out)
{
	unsigned served = 0;

	fprintf(out, "zcdns %s, process %d, up %ld s\n", PACKAGE_VERSION,
		(int)getpid(), (long)(time(NULL) - daemon->started));
	fprintf(out, "workers: %u, io %s\n", daemon->crew.nr,
		crew_io(&daemon->crew));
	put_counters(daemon, out);
	put_features(daemon, out);
	if (daemon->loading) {
		fprintf(out, "zones: loading, %u of %u\nok\n",
			atomic_load(&daemon->loader.done), daemon->zones.nr);
		return;
	}
	for (unsigned i = 0; i < daemon->zones.nr; i++)
		served += daemon->zones.entry[i].snapshot != NULL;
	fprintf(out,
		"zones: %u, served: %u, old versions kept for transfers: %u\n",
		daemon->zones.nr, served, zones_collect(&daemon->zones));
	for (unsigned i = 0; i < daemon->zones.nr; i++)
		if (daemon->zones.entry[i].fault)
			put_zone(&daemon->zones.entry[i], out);
	fprintf(out, "ok\n");
}

static void put_zone_status(struct daemon *daemon, const char *zone, FILE *out)
{
	struct zone_entry *entry = NULL;

	if (daemon->loading) {
		fprintf(out, "failed: zones are loading\n");
		return;
	}
	entry = zones_find(&daemon->zones, zone);
	if (entry)
		put_zone(entry, out);
	fprintf(out, entry ? "ok\n" : "failed: no such zone\n");
}

static void run_status(struct daemon *daemon, struct control_client *client,
		       const char *zone)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (out && *zone)
		put_zone_status(daemon, zone, out);
	else if (out)
		put_status(daemon, out);
	if (out && !fclose(out))
		control_answer(client, text);
	else
		control_answer(client, "failed: out of memory\n");
	free(text);
}

static void run_reload(struct daemon *daemon, struct control_client *client,
		       const char *zone)
{
	if (strlen(zone) >= DNS_NAME_TEXT_MAX) {
		control_answer(client, "failed: no such zone\n");
		return;
	}
	control_wait(client, reload_ask(daemon, zone));
	reload_go_on(daemon);
}

void command_run(void *arg, struct control_client *client, char *line)
{
	struct daemon *daemon = arg;
	char *save, *verb = strtok_r(line, " \t\r", &save);
	const char *zone = verb ? strtok_r(NULL, " \t\r", &save) : NULL;
	bool more = zone && strtok_r(NULL, " \t\r", &save);

	zone = zone ? zone : "";
	if (more) {
		control_answer(client,
			       "failed: a command takes one zone at most\n");
	} else if (!verb) {
		control_answer(client, "failed: an empty line; there are "
				       "reload, status and stop\n");
	} else if (!strcmp(verb, "status")) {
		run_status(daemon, client, zone);
	} else if (!strcmp(verb, "reload")) {
		run_reload(daemon, client, zone);
	} else if (!strcmp(verb, "stop") && !*zone) {
		log_info("stopping: asked on the control socket");
		control_answer(client, "ok\n");
		daemon_stop(daemon, EXIT_SUCCESS);
	} else {
		control_answer(client, "failed: no such command; there are "
				       "reload, status and stop\n");
	}
}
