/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The faults found in a configuration, each one line `file:line: what`. They
 * are collected and not printed one by one, so that a reload can give them to
 * the log and to the control socket alike. Belongs to one thread.
 */
#ifndef SERVER_FAULT_H
#define SERVER_FAULT_H

#include <stdbool.h>
#include <stdio.h>

struct fault_list {
	char **text;
	unsigned nr;
	bool no_memory; /* a fault was lost: still a fault */
};

/* file NULL: no place to name; line 0: a fault of the file as a whole. */
__attribute__((format(printf, 4, 5))) void fault_add(struct fault_list *list,
						     const char *file,
						     unsigned line,
						     const char *format, ...);

static inline bool fault_any(const struct fault_list *list)
{
	return list->nr || list->no_memory;
}

/* One a line. */
void fault_print(const struct fault_list *list, FILE *out);

void fault_release(struct fault_list *list);

#endif
