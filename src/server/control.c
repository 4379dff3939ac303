/* SPDX-License-Identifier: BSD-2-Clause */
/* Connections on the control socket. */
#include <config.h>

#include "server/control.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* A client that sends no line, or reads no answer, for so long is let go. */
#define IDLE_SECONDS 10.0

/* ticket of a client that does not wait; tickets start at 1 */
#define NO_TICKET 0

struct control_client {
	struct control *control; /* NULL: free */
	ev_io io;
	ev_timer timer;
	unsigned ticket;
	char line[CONTROL_LINE_MAX];
	size_t line_len;
	char *out; /* answer, NULL: none yet */
	size_t out_len, out_sent;
};

struct control {
	struct ev_loop *loop;
	ev_io accept;
	control_handler handler;
	void *arg;
	int fd;
	char path[sizeof(((struct sockaddr_un *)NULL)->sun_path)];
	struct control_client client[CONTROL_CLIENT_MAX];
};

static void client_end(struct control_client *client)
{
	struct control *control = client->control;

	ev_io_stop(control->loop, &client->io);
	ev_timer_stop(control->loop, &client->timer);
	close(client->io.fd);
	free(client->out);
	client->out = NULL;
	client->control = NULL;
	ev_io_start(control->loop, &control->accept);
}

static void client_watch(struct control_client *client, int events)
{
	struct ev_loop *loop = client->control->loop;

	ev_io_stop(loop, &client->io);
	ev_io_set(&client->io, client->io.fd, events);
	ev_io_start(loop, &client->io);
}

static void client_send(struct control_client *client)
{
	while (client->out_sent < client->out_len) {
		ssize_t n = send(client->io.fd, client->out + client->out_sent,
				 client->out_len - client->out_sent,
				 MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN) {
			client_watch(client, EV_WRITE);
			ev_timer_again(client->control->loop, &client->timer);
			return;
		}
		if (n < 0)
			break;
		client->out_sent += (size_t)n;
	}
	client_end(client);
}

void control_answer(struct control_client *client, const char *text)
{
	client->ticket = NO_TICKET;
	client->out = strdup(text);
	client->out_len = client->out ? strlen(text) : 0;
	client->out_sent = 0;
	client_send(client);
}

void control_wait(struct control_client *client, unsigned ticket)
{
	client->ticket = ticket;
	/* How long it takes is our matter. One that goes away is noticed when
	   it is answered. */
	ev_timer_stop(client->control->loop, &client->timer);
}

void control_answer_all(struct control *control, unsigned ticket,
			const char *text)
{
	for (unsigned i = 0; control && i < CONTROL_CLIENT_MAX; i++)
		if (control->client[i].control &&
		    control->client[i].ticket == ticket)
			control_answer(&control->client[i], text);
}

/*
 * Reads until the line is whole. A client that shuts down its sending side
 * behind the line still wants its answer, so the end of the stream only counts
 * before it.
 */
static void client_read(struct control_client *client)
{
	size_t room = sizeof(client->line) - client->line_len;
	ssize_t n = recv(client->io.fd, client->line + client->line_len, room,
			 MSG_DONTWAIT);
	char *end;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		client_end(client);
		return;
	}
	client->line_len += (size_t)n;
	end = memchr(client->line, '\n', client->line_len);
	if (end) {
		*end = '\0';
		ev_io_stop(client->control->loop, &client->io);
		client->control->handler(client->control->arg, client,
					 client->line);
	} else if (client->line_len == sizeof(client->line)) {
		control_answer(client, "failed: the line is too long\n");
	}
}

static void on_client(struct ev_loop *loop, ev_io *io, int events)
{
	struct control_client *client = io->data;

	(void)loop;
	if (events & EV_WRITE)
		client_send(client);
	else
		client_read(client);
}

static void on_timer(struct ev_loop *loop, ev_timer *timer, int events)
{
	(void)loop;
	(void)events;
	client_end(timer->data);
}

/* At the limit no more are taken from the backlog until one has ended. */
static void on_accept(struct ev_loop *loop, ev_io *io, int events)
{
	struct control *control = io->data;
	struct control_client *client = control->client;
	int fd;

	(void)events;
	while (client < control->client + CONTROL_CLIENT_MAX && client->control)
		client++;
	if (client == control->client + CONTROL_CLIENT_MAX) {
		ev_io_stop(loop, &control->accept);
		return;
	}
	fd = accept4(control->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd < 0)
		return;
	client->control = control;
	client->ticket = NO_TICKET;
	client->line_len = 0;
	client->out_len = client->out_sent = 0;
	ev_io_init(&client->io, on_client, fd, EV_READ);
	client->io.data = client;
	ev_io_start(loop, &client->io);
	ev_timer_init(&client->timer, on_timer, IDLE_SECONDS, IDLE_SECONDS);
	client->timer.data = client;
	ev_timer_start(loop, &client->timer);
}

/* True when a process accepts connections there. */
static bool is_alive(const struct sockaddr_un *addr)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	bool alive;

	if (fd < 0)
		return true;
	alive = !connect(fd, (const struct sockaddr *)addr, sizeof(*addr)) ||
		errno == EAGAIN;
	close(fd);
	return alive;
}

/* Only a socket is ever removed, whatever the path was set to. */
static int remove_stale(const struct sockaddr_un *addr)
{
	struct stat st;

	if (lstat(addr->sun_path, &st))
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISSOCK(st.st_mode))
		return -EEXIST;
	if (is_alive(addr))
		return -EADDRINUSE;
	return unlink(addr->sun_path) ? -errno : 0;
}

/* The mode is set by umask, so that it is never wider than that. */
static int bind_socket(int fd, const struct sockaddr_un *addr, uid_t uid,
		       gid_t gid)
{
	mode_t before = umask(0117);
	int rc = bind(fd, (const struct sockaddr *)addr, sizeof(*addr));

	if (rc)
		rc = -errno;
	umask(before);
	if (rc)
		return rc;
	if (!geteuid() && lchown(addr->sun_path, uid, gid))
		rc = -errno;
	else if (listen(fd, CONTROL_CLIENT_MAX))
		rc = -errno;
	if (rc)
		unlink(addr->sun_path);
	return rc;
}

int control_open(struct control **out, const char *path, uid_t uid, gid_t gid)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	struct control *control = calloc(1, sizeof(*control));
	int rc;

	if (!control)
		return -ENOMEM;
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	strcpy(control->path, addr.sun_path);
	control->fd =
	    socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	rc = control->fd < 0 ? -errno : remove_stale(&addr);
	if (!rc)
		rc = bind_socket(control->fd, &addr, uid, gid);
	if (rc) {
		if (control->fd >= 0)
			close(control->fd);
		free(control);
		return rc;
	}
	*out = control;
	return 0;
}

void control_start(struct control *control, struct ev_loop *loop,
		   control_handler handler, void *arg)
{
	control->loop = loop;
	control->handler = handler;
	control->arg = arg;
	ev_io_init(&control->accept, on_accept, control->fd, EV_READ);
	control->accept.data = control;
	ev_io_start(loop, &control->accept);
}

void control_close(struct control *control)
{
	if (!control)
		return;
	for (unsigned i = 0; i < CONTROL_CLIENT_MAX; i++)
		if (control->client[i].control)
			client_end(&control->client[i]);
	if (control->loop)
		ev_io_stop(control->loop, &control->accept);
	close(control->fd);
	/* In a folder that is not ours any more it stays: no harm. */
	unlink(control->path);
	free(control);
}
