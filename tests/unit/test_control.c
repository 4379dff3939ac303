/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The control socket, both ends in this process: the client writes and reads
 * blocking, the loop is turned by hand in between.
 */
#include "server/control.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static char path[64];
static struct ev_loop *loop;
static struct control *control;

static int dial(void)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	strcpy(addr.sun_path, path);
	ck_assert_int_eq(
	    connect(fd, (const struct sockaddr *)&addr, sizeof(addr)), 0);
	return fd;
}

/* Echoes; "wait" waits for ticket 7. */
static void handle(void *arg, struct control_client *client, char *line)
{
	char text[CONTROL_LINE_MAX + 8];

	ck_assert_ptr_eq(arg, &loop);
	if (!strcmp(line, "wait")) {
		control_wait(client, 7);
		return;
	}
	snprintf(text, sizeof(text), "%s\nok\n", line);
	control_answer(client, text);
}

static void turn(void)
{
	for (unsigned i = 0; i < 50; i++)
		ev_run(loop, EVRUN_NOWAIT);
}

static void expect(int fd, const char *text)
{
	char buf[4096];
	size_t len = 0;
	ssize_t n;

	turn();
	while ((n = recv(fd, buf + len, sizeof(buf) - len, 0)) > 0)
		len += (size_t)n;
	ck_assert_uint_eq(len, strlen(text));
	ck_assert_mem_eq(buf, text, len);
	close(fd);
}

static void send_text(int fd, const char *text)
{
	ck_assert_int_eq((int)send(fd, text, strlen(text), MSG_NOSIGNAL),
			 (int)strlen(text));
	turn();
}

static void setup(void)
{
	snprintf(path, sizeof(path), "/tmp/zcdns-control-%d", (int)getpid());
	loop = ev_loop_new(EVFLAG_NOENV);
	ck_assert_int_eq(control_open(&control, path, getuid(), getgid()), 0);
	control_start(control, loop, handle, &loop);
}

static void teardown(void)
{
	control_close(control);
	ev_loop_destroy(loop);
	ck_assert_int_eq(access(path, F_OK), -1);
}

START_TEST(a_line_in_lines_out)
{
	int fd = dial();
	struct stat st;

	send_text(fd, "he");
	send_text(fd, "llo\nignored\n");
	expect(fd, "hello\nok\n");
	/* A client may shut down its side behind the line. */
	fd = dial();
	send_text(fd, "bye\n");
	shutdown(fd, SHUT_WR);
	expect(fd, "bye\nok\n");
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0660);
}
END_TEST

START_TEST(too_long_or_cut)
{
	char line[CONTROL_LINE_MAX + 1];
	int fd = dial();

	memset(line, 'x', sizeof(line));
	line[CONTROL_LINE_MAX] = '\0';
	send_text(fd, line);
	expect(fd, "failed: the line is too long\n");
	fd = dial();
	send_text(fd, "no newline");
	shutdown(fd, SHUT_WR);
	expect(fd, "");
}
END_TEST

START_TEST(waiting)
{
	int a = dial(), b = dial(), gone = dial();

	send_text(a, "wait\n");
	send_text(gone, "wait\n");
	close(gone);
	send_text(b, "no\n");
	expect(b, "no\nok\n");
	control_answer_all(control, 8, "not yours\n");
	control_answer_all(control, 7, "ok\n");
	expect(a, "ok\n");
}
END_TEST

/* Over the limit they wait in the backlog until another has ended. */
START_TEST(more_clients_than_room)
{
	int fd[CONTROL_CLIENT_MAX + 2];

	for (unsigned i = 0; i < CONTROL_CLIENT_MAX + 2; i++) {
		fd[i] = dial();
		turn();
	}
	send_text(fd[CONTROL_CLIENT_MAX + 1], "last\n");
	for (unsigned i = 0; i < CONTROL_CLIENT_MAX + 1; i++) {
		send_text(fd[i], "x\n");
		expect(fd[i], "x\nok\n");
	}
	expect(fd[CONTROL_CLIENT_MAX + 1], "last\nok\n");
}
END_TEST

START_TEST(who_owns_the_path)
{
	struct control *second;
	char old[80];
	int fd;

	/* Another process listens there. */
	ck_assert_int_eq(control_open(&second, path, getuid(), getgid()),
			 -EADDRINUSE);
	turn();
	/* One that died left its socket; no other kind of file is touched. */
	snprintf(old, sizeof(old), "%s.moved", path);
	ck_assert_int_eq(rename(path, old), 0);
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	ck_assert_int_ge(fd, 0);
	close(fd);
	ck_assert_int_eq(control_open(&second, path, getuid(), getgid()),
			 -EEXIST);
	ck_assert_int_eq(unlink(path), 0);
	control_close(control);
	ck_assert_int_eq(rename(old, path), 0);
	ck_assert_int_eq(control_open(&control, path, getuid(), getgid()), 0);
	control_start(control, loop, handle, &loop);
	fd = dial();
	send_text(fd, "again\n");
	expect(fd, "again\nok\n");
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("control");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, a_line_in_lines_out);
	tcase_add_test(tcase, too_long_or_cut);
	tcase_add_test(tcase, waiting);
	tcase_add_test(tcase, more_clients_than_room);
	tcase_add_test(tcase, who_owns_the_path);
	return unit_run("server/control", tcase);
}
