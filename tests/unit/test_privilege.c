/* SPDX-License-Identifier: BSD-2-Clause */
/* Users by name and number; becoming one for good (each test is a process). */
#include "server/privilege.h"
#include "unit.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

START_TEST(users_and_groups)
{
	struct privilege p;

	ck_assert_int_eq(privilege_parse(&p, "root"), 0);
	ck_assert(p.change && p.uid == 0 && p.gid == 0);
	ck_assert_str_eq(p.user, "root");
	ck_assert_int_eq(privilege_parse(&p, "0:0"), 0);
	ck_assert(p.uid == 0 && p.gid == 0);
	ck_assert_int_eq(privilege_parse(&p, "root:54321"), 0);
	ck_assert(p.uid == 0 && p.gid == 54321);
	/* A number needs no entry in passwd(5). */
	ck_assert_int_eq(privilege_parse(&p, "54321"), 0);
	ck_assert(p.uid == 54321 && p.gid == 54321);
	ck_assert_int_eq(privilege_parse(&p, "no-such-user"), -ENOENT);
	ck_assert_int_eq(privilege_parse(&p, "root:no-such"), -ENOENT);
	ck_assert_int_eq(privilege_parse(&p, "root:"), -EINVAL);
	ck_assert_int_eq(privilege_parse(&p, ":root"), -EINVAL);
	ck_assert_int_eq(privilege_parse(&p, ""), -EINVAL);
}
END_TEST

START_TEST(nothing_to_do)
{
	struct privilege p = {0};

	ck_assert_int_eq(privilege_drop(&p), 0);
}
END_TEST

/* As root: groups, group and user change, and there is no way back. */
static void become(uid_t uid, gid_t gid)
{
	struct privilege p = {
	    .change = true, .uid = uid, .gid = gid, .user = "nobody"};
	uid_t ids[3];
	gid_t groups[64];
	int nr;

	ck_assert_int_eq(privilege_drop(&p), 0);
	ck_assert_int_eq(getresuid(&ids[0], &ids[1], &ids[2]), 0);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_uint_eq(ids[i], uid);
	ck_assert_uint_eq(getegid(), gid);
	nr = getgroups(64, groups);
	for (int i = 0; i < nr; i++)
		ck_assert_uint_ne(groups[i], 0);
	ck_assert_int_eq(setuid(0), -1);
	/* Once more is nothing to do; another user is out of reach. */
	ck_assert_int_eq(privilege_drop(&p), 0);
	p.uid = uid + 1;
	ck_assert_int_eq(privilege_drop(&p), -EPERM);
}

/* As a user: only what we are already. */
static void stay(uid_t uid)
{
	struct privilege p = {.change = true, .uid = uid};

	ck_assert_int_eq(privilege_drop(&p), 0);
	p.uid = uid + 1;
	ck_assert_int_eq(privilege_drop(&p), -EPERM);
}

START_TEST(for_good)
{
	if (geteuid())
		stay(geteuid());
	else
		become(65534, 65534);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("privilege");

	tcase_add_test(tcase, users_and_groups);
	tcase_add_test(tcase, nothing_to_do);
	tcase_add_test(tcase, for_good);
	return unit_run("server/privilege", tcase);
}
