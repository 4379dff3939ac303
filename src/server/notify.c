/* SPDX-License-Identifier: BSD-2-Clause */
/* The messages to the service manager. */
#include <config.h>

#include "server/notify.h"

#include <inttypes.h>
#include <stdint.h>
#include <time.h>

#ifdef HAVE_LIBSYSTEMD
#include <systemd/sd-daemon.h>
#else
#define sd_notifyf(unset, ...) ((void)sizeof(printf(__VA_ARGS__)))
#include <stdio.h>
#endif

/* Longer than the interval at which the control loop calls while it loads. */
#define EXTEND_USEC 30000000

void notify_loading(unsigned done, unsigned total)
{
	sd_notifyf(0, "EXTEND_TIMEOUT_USEC=%d\nSTATUS=loading zones: %u of %u",
		   EXTEND_USEC, done, total);
}

void notify_ready(const char *status)
{
	sd_notifyf(0, "READY=1\nSTATUS=%s", status);
}

void notify_reloading(void)
{
	struct timespec now;

	/* systemd 253 and later compare it with their own clock. */
	clock_gettime(CLOCK_MONOTONIC, &now);
	sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64,
		   (uint64_t)now.tv_sec * 1000000 +
		       (uint64_t)now.tv_nsec / 1000);
}

void notify_stopping(void)
{
	sd_notifyf(0, "STOPPING=1\nSTATUS=stopping");
}
