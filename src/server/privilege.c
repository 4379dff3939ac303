/* SPDX-License-Identifier: BSD-2-Clause */
/* Looking up and becoming the user that zcdns serves as. */
#include <config.h>

#include "server/privilege.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "server/config_value.h"

static int find_user(struct privilege *privilege, const char *name)
{
	const struct passwd *pw = getpwnam(name);
	unsigned long id;

	if (!pw && !value_number(name, 0, INT_MAX, &id)) {
		pw = getpwuid((uid_t)id);
		/* A bare number needs no entry, but then has no group. */
		if (!pw) {
			privilege->uid = (uid_t)id;
			privilege->gid = (gid_t)id;
			return 0;
		}
	}
	if (!pw)
		return -ENOENT;
	privilege->uid = pw->pw_uid;
	privilege->gid = pw->pw_gid;
	return 0;
}

static int find_group(struct privilege *privilege, const char *name)
{
	const struct group *gr = getgrnam(name);
	unsigned long id;

	if (gr)
		privilege->gid = gr->gr_gid;
	else if (!value_number(name, 0, INT_MAX, &id))
		privilege->gid = (gid_t)id;
	else
		return -ENOENT;
	return 0;
}

int privilege_parse(struct privilege *privilege, const char *text)
{
	size_t len = strcspn(text, ":");
	int rc;

	*privilege = (struct privilege){.change = true};
	if (!len || len >= sizeof(privilege->user))
		return -EINVAL;
	memcpy(privilege->user, text, len);
	rc = find_user(privilege, privilege->user);
	if (!rc && text[len])
		rc = text[len + 1] ? find_group(privilege, text + len + 1)
				   : -EINVAL;
	return rc;
}

int privilege_drop(const struct privilege *privilege)
{
	uid_t uid = privilege->uid;
	gid_t gid = privilege->gid;

	if (!privilege->change || (getuid() == uid && geteuid() == uid && uid))
		return 0;
	if (geteuid())
		return -EPERM;
	if (initgroups(privilege->user, gid))
		return -errno;
	if (setresgid(gid, gid, gid))
		return -errno;
	/* From 0 to another user the kernel clears all capabilities itself. */
	if (setresuid(uid, uid, uid))
		return -errno;
	if (uid && (!setuid(0) || geteuid() != uid))
		return -EPERM;
	return 0;
}
