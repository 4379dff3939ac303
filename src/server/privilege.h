/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The user that zcdns serves as. Sockets, control socket and log file are
 * opened first; what comes after, zones at start included, is done as the
 * final user, so what a reload could not read is noticed at start (B-OP03).
 */
#ifndef SERVER_PRIVILEGE_H
#define SERVER_PRIVILEGE_H

#include <stdbool.h>
#include <sys/types.h>

struct privilege {
	bool change; /* a user is configured */
	uid_t uid;
	gid_t gid;
	char user[64]; /* as the supplementary groups are looked up */
};

/*
 * "user" or "user:group", names or numbers. Returns 0, -ENOENT when there is
 * no such user or group, or -EINVAL.
 */
int privilege_parse(struct privilege *privilege, const char *text);

/*
 * Becomes the user, for good: groups, group, user, no capability kept. Nothing
 * to do when it is the user already. Returns 0, -EPERM when not root, or
 * another -errno. One thread only may exist.
 */
int privilege_drop(const struct privilege *privilege);

#endif
