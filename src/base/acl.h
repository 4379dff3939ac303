/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A list of address prefixes: who may do a thing. Filled in by the control
 * thread, then shared by many zones and read by the workers; the count of its
 * owners is the control thread's alone.
 */
#ifndef BASE_ACL_H
#define BASE_ACL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

struct acl_prefix {
	uint8_t address[16]; /* network order, zero behind the prefix */
	uint8_t bits;
	bool v6;
};

struct acl {
	unsigned refs;
	unsigned nr;
	struct acl_prefix *prefix;
};

/*
 * "ADDRESS" or "ADDRESS/BITS", IPv4 or IPv6. Returns 0, -EINVAL when it is no
 * address or no number, -ERANGE when an address has not so many bits, or -EDOM
 * when a bit is set behind the prefix.
 */
int acl_prefix_parse(struct acl_prefix *prefix, const char *text);

/* Empty: permits nobody. NULL when memory is out. */
struct acl *acl_new(void);

/* Returns 0 or -ENOMEM. */
int acl_add(struct acl *acl, const struct acl_prefix *prefix);

/* Another owner; NULL stays NULL. */
struct acl *acl_get(struct acl *acl);

/* One owner less; the last one frees it. NULL is ignored. */
void acl_put(struct acl *acl);

/* The same prefixes in the same order; NULL is the same as empty. */
bool acl_same(const struct acl *a, const struct acl *b);

/*
 * Whether the address is in one of the prefixes. NULL for either is no; an IPv4
 * address mapped into IPv6 counts as the IPv4 address.
 */
bool acl_permits(const struct acl *acl, const struct sockaddr *address);

#endif
