/* SPDX-License-Identifier: BSD-2-Clause */
/* Starting, stopping and summing up the workers. */
#include <config.h>

#include "server/crew.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "server/log.h"

static struct worker_options options_of(const struct config *config,
					struct zone_set *const *zone_set,
					unsigned id)
{
	return (struct worker_options){
	    .id = id,
	    .cpu = config->cpu_nr ? config->cpu[id % config->cpu_nr] : -1,
	    .io = config->io,
	    .wait = config->wait,
	    .zerocopy = config->zerocopy,
	    .listener = config->listener,
	    .listener_nr = config->listener_nr,
	    .zone_set = zone_set,
	    .query = &config->query,
	    .tcp = config->tcp,
	    .transfer = config->transfer,
	};
}

/* Locked memory is what a ring and its buffers count against (B-IU04). */
static void warn_no_uring(const char *why)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_MEMLOCK, &limit) &&
	    limit.rlim_cur != RLIM_INFINITY)
		log_warning("serving with recvmmsg and sendmmsg: %s "
			    "(RLIMIT_MEMLOCK is %lu KiB)",
			    why, (unsigned long)limit.rlim_cur / 1024);
	else
		log_warning("serving with recvmmsg and sendmmsg: %s", why);
}

static int start_worker(struct crew *crew, const struct worker_options *options)
{
	struct worker *worker;
	const char *why = NULL;
	int rc = worker_new(&worker, options);

	if (rc) {
		log_error("worker %u: %s", options->id, strerror(-rc));
		return rc;
	}
	rc = worker_start(worker, &why);
	if (rc) {
		log_error("worker %u cannot start: %s%s%s", options->id,
			  why ? why : "", why ? ": " : "", strerror(-rc));
		worker_free(worker);
		return rc;
	}
	if (why && !options->id) {
		crew->no_ring = why;
		warn_no_uring(why);
	}
	crew->worker[crew->nr++] = worker;
	return 0;
}

static bool has_gro(const struct config *config)
{
	for (unsigned i = 0; i < config->listener_nr; i++)
		if (!config->listener[i].gro)
			return false;
	return true;
}

void crew_features(struct crew *crew, const struct config *config,
		   struct feature_state *state)
{
	struct query_counters query;

	*state = (struct feature_state){
	    .io = worker_io(crew->worker[0]),
	    .no_ring = crew->no_ring,
	    .wait = config->wait,
	    .zerocopy = config->zerocopy,
	    .traits = *worker_traits(crew->worker[0]),
	    .gro = has_gro(config),
	    .live = true,
	    .socket_nr = crew->nr * config->listener_nr,
	    .worker_nr = crew->nr,
	};
	if (config->io == WORKER_IO_MMSG && !crew->probed) {
		uring_probe(&crew->probe);
		crew->probed = true;
	}
	state->probe = crew->probed ? &crew->probe
				    : &worker_traits(crew->worker[0])->probe;
	crew_sum(crew, &state->counters, &query);
}

/* An option that this kernel, or the back end, cannot follow. */
static void warn_futile(struct crew *crew, const struct config *config)
{
	struct feature_state state;
	const char *why;

	crew_features(crew, config, &state);
	why = feature_no_zerocopy(&state);
	if (why)
		log_warning("zerocopy = always has no effect: %s", why);
}

int crew_start(struct crew *crew, const struct config *config,
	       struct zone_set *const *zone_set)
{
	sigset_t all, before;
	int rc = 0;

	*crew = (struct crew){
	    .worker = calloc(config->worker_nr, sizeof(*crew->worker))};
	if (!crew->worker)
		return -ENOMEM;
	/* Signals are the control thread's; a thread inherits the mask. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (!rc && crew->nr < config->worker_nr) {
		struct worker_options options =
		    options_of(config, zone_set, crew->nr);

		rc = start_worker(crew, &options);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (rc)
		crew_stop(crew, 0);
	else
		warn_futile(crew, config);
	return rc;
}

static unsigned now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (unsigned)(now.tv_sec * 1000 + now.tv_nsec / 1000000);
}

void crew_stop(struct crew *crew, unsigned grace_ms)
{
	unsigned start = now_ms();

	for (unsigned i = 0; i < crew->nr; i++) {
		unsigned spent = now_ms() - start;

		worker_stop(crew->worker[i],
			    spent < grace_ms ? grace_ms - spent : 0);
		worker_free(crew->worker[i]);
	}
	free(crew->worker);
	*crew = (struct crew){0};
}

const char *crew_io(const struct crew *crew)
{
	if (!crew->nr)
		return "none";
	return worker_io(crew->worker[0]) == WORKER_IO_URING ? "uring" : "mmsg";
}

/* Both are structures of uint64_t alone, each written by one thread. */
static void add_counters(void *sum, const void *counters, size_t size)
{
	const uint64_t *from = counters;
	uint64_t *to = sum;

	for (size_t i = 0; i < size / sizeof(*to); i++)
		to[i] += __atomic_load_n(&from[i], __ATOMIC_RELAXED);
}

void crew_sum(const struct crew *crew, struct worker_counters *worker,
	      struct query_counters *query)
{
	memset(worker, 0, sizeof(*worker));
	memset(query, 0, sizeof(*query));
	for (unsigned i = 0; i < crew->nr; i++) {
		add_counters(worker, worker_counters(crew->worker[i]),
			     sizeof(*worker));
		add_counters(query, worker_query_counters(crew->worker[i]),
			     sizeof(*query));
	}
}
