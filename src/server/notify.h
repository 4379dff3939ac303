/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Telling the service manager where we are (sd_notify(3)). All of it does
 * nothing where no manager asked, or without libsystemd. Control thread only.
 */
#ifndef SERVER_NOTIFY_H
#define SERVER_NOTIFY_H

/* Loading goes on: done of total zones; asks for half a minute more. */
void notify_loading(unsigned done, unsigned total);

/* Sockets are bound, zones are loaded; also ends notify_reloading(). */
void notify_ready(const char *status);

void notify_reloading(void);

void notify_stopping(void);

#endif
