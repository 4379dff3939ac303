/* SPDX-License-Identifier: BSD-2-Clause */
/* A round of zone loading in threads. */
#include <config.h>

#include "server/loader.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

static unsigned cpu_nr(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	return (unsigned)CPU_COUNT(&set);
}

static void *run(void *arg)
{
	struct loader *loader = arg;
	struct zones *zones = loader->zones;

	for (;;) {
		unsigned i = atomic_fetch_add(&loader->next, 1);

		if (i >= zones->nr || atomic_load(&loader->cancel))
			break;
		if (!loader->only || loader->only == &zones->entry[i])
			zone_entry_load(zones, &zones->entry[i]);
		atomic_fetch_add(&loader->done, 1);
	}
	if (atomic_fetch_sub(&loader->running, 1) == 1 && loader->finished)
		loader->finished(loader->arg);
	return NULL;
}

/* Signals are the control thread's; a thread inherits the mask. */
static int start_thread(struct loader *loader)
{
	sigset_t all, before;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	atomic_fetch_add(&loader->running, 1);
	rc = pthread_create(&loader->thread[loader->thread_nr], NULL, run,
			    loader);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (rc)
		return -rc;
	loader->thread_nr++;
	return 0;
}

int loader_start(struct loader *loader, struct zones *zones,
		 struct zone_entry *only, void (*finished)(void *), void *arg)
{
	unsigned want = only ? 1 : cpu_nr();
	int rc = 0;

	if (want > zones->nr)
		want = zones->nr ? zones->nr : 1;
	*loader = (struct loader){.zones = zones,
				  .only = only,
				  .finished = finished,
				  .arg = arg,
				  .thread = calloc(want, sizeof(pthread_t))};
	if (!loader->thread)
		return -ENOMEM;
	for (unsigned i = 0; i < zones->nr; i++)
		zones->entry[i].outcome = ZONE_SKIPPED;
	if (only)
		only->force = true;
	/* Our own share, so that finished() waits until all are started. */
	atomic_store(&loader->running, 1);
	while (!rc && loader->thread_nr < want) {
		rc = start_thread(loader);
		if (rc)
			atomic_fetch_sub(&loader->running, 1);
	}
	if (!loader->thread_nr) {
		free(loader->thread);
		loader->thread = NULL;
		return rc;
	}
	if (atomic_fetch_sub(&loader->running, 1) == 1 && finished)
		finished(arg);
	return 0;
}

void loader_cancel(struct loader *loader)
{
	atomic_store(&loader->cancel, true);
}

void loader_join(struct loader *loader)
{
	for (unsigned i = 0; i < loader->thread_nr; i++)
		pthread_join(loader->thread[i], NULL);
	free(loader->thread);
	loader->thread = NULL;
	loader->thread_nr = 0;
}
