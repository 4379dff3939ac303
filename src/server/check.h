/* SPDX-License-Identifier: BSD-2-Clause */
/* zcdns -t: everything a start would find wrong, without a start. */
#ifndef SERVER_CHECK_H
#define SERVER_CHECK_H

/*
 * Reads the configuration and, when that is right, all zones; prints each fault
 * and warning to standard error. Returns the exit status.
 */
int check_run(const char *path);

#endif
