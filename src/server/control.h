/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The control socket: a UNIX stream socket, one command a connection.
 *
 *	in    one line, ended by a newline:  reload example.com
 *	out   lines, the last of which is "ok" or "failed: " and why
 *
 * The connection then ends. Who may connect is a matter of the file mode (0660)
 * and its owner, the user zcdns serves as. A command is answered at once or
 * later, under the ticket it was told to wait for; a client that goes away
 * waits no more. Control thread only.
 */
#ifndef SERVER_CONTROL_H
#define SERVER_CONTROL_H

#include <ev.h>
#include <sys/types.h>

#define CONTROL_LINE_MAX   1024 /* octets of a command */
#define CONTROL_CLIENT_MAX 16

struct control;
struct control_client;

/* Gets a command without its newline; must answer it or let it wait. */
typedef void (*control_handler)(void *arg, struct control_client *client,
				char *line);

/*
 * Binds and listens. A socket that nobody listens on any more is replaced.
 * uid and gid become the owner. Returns 0 or -errno; -EADDRINUSE: another
 * process listens.
 */
int control_open(struct control **out, const char *path, uid_t uid, gid_t gid);

/* Serves from this loop on. */
void control_start(struct control *control, struct ev_loop *loop,
		   control_handler handler, void *arg);

/* The whole answer; copied, sent as the client reads it. */
void control_answer(struct control_client *client, const char *text);

/* The client gets its answer by control_answer_all() with this ticket. */
void control_wait(struct control_client *client, unsigned ticket);

void control_answer_all(struct control *control, unsigned ticket,
			const char *text);

/* Ends all connections, removes the socket. NULL is ignored. */
void control_close(struct control *control);

#endif
