/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The commands of the control socket:
 *
 *	status           version, workers, counters, zones that failed
 *	status ZONE      what is served of one zone
 *	reload           configuration and changed zones; answers when done
 *	reload ZONE      one zone, whether its file has changed or not
 *	stop             like SIGTERM; answers before
 */
#ifndef SERVER_COMMAND_H
#define SERVER_COMMAND_H

#include "server/control.h"

/* A control_handler; arg is the struct daemon. */
void command_run(void *arg, struct control_client *client, char *line);

#endif
