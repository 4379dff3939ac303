/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The daemon: what the control thread holds, from start to stop.
 *
 *	daemon_run    configuration, log, sockets, control socket, user
 *	  |           loop (libev): signals, control socket, end of a round
 *	  |             first round of loading > publish > workers > READY
 *	  |             reload: another round, see server/reload.h
 *	  `           stop: workers answer what they have, exit
 *
 * Until the first round is over nothing is answered: who asks waits in the
 * socket buffers, which are bound already.
 */
#ifndef SERVER_DAEMON_H
#define SERVER_DAEMON_H

#include <ev.h>
#include <stdio.h>
#include <time.h>

#include "server/config.h"
#include "server/control.h"
#include "server/crew.h"
#include "server/loader.h"
#include "server/watch.h"
#include "server/zones.h"

/* Every client of the control socket may wait for one, signals in between. */
#define RELOAD_QUEUE_MAX (2 * CONTROL_CLIENT_MAX + 2)

struct reload_request {
	unsigned ticket;
	char zone[DNS_NAME_TEXT_MAX]; /* "": configuration and all zones */
};

struct daemon {
	char *path;	      /* configuration file, absolute */
	struct config config; /* as started: the workers read it */
	struct zones zones;
	struct loader loader;
	struct crew crew;
	struct control *control; /* NULL: none configured */
	struct ev_loop *loop;
	ev_signal hangup, terminate, interrupt;
	ev_async loaded;    /* a round of loading is over */
	ev_timer progress;  /* while one runs */
	ev_timer collect;   /* while transfers hold old versions */
	struct watch watch; /* while workers run */
	bool serving;	    /* workers run */
	bool loading;	    /* a round runs */
	int status;	    /* of exit */
	time_t started;

	struct reload_request queue[RELOAD_QUEUE_MAX]; /* [0]: under way */
	unsigned queue_nr, last_ticket;
	FILE *reply; /* of the reload under way */
	char *reply_text;
	size_t reply_len;
	bool reply_failed;
};

/* Serves in the foreground until told to stop. Returns the exit status. */
int daemon_run(const char *path);

/* Starts a round of loading, over one zone or all. Returns 0 or -errno. */
int daemon_load(struct daemon *daemon, struct zone_entry *only);

/* Leaves the loop; daemon_run() then ends in order. */
void daemon_stop(struct daemon *daemon, int status);

#endif
