/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reload: the configuration read again, changed zone files loaded by loader
 * threads while the workers go on, one new zone set published at the end.
 *
 * What fails keeps what was there, is named in the log and in the answer, and
 * makes the answer "failed": a faulty configuration leaves zones and options as
 * they are (zone files are looked at all the same), a faulty zone its version.
 */
#ifndef SERVER_RELOAD_H
#define SERVER_RELOAD_H

#include "server/daemon.h"

/*
 * Asks for a reload of everything (zone "") or of one zone, which is then read
 * even if its file looks unchanged. Requests for everything that have not begun
 * are one. Returns the ticket under which control_answer_all() answers, after
 * reload_go_on().
 */
unsigned reload_ask(struct daemon *daemon, const char *zone);

/* Starts what was asked for, unless a round of loading runs. */
void reload_go_on(struct daemon *daemon);

/* The round of loading is over and published (rc 0), or not (-errno). */
void reload_finish(struct daemon *daemon, int rc);

#endif
