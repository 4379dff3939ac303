/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keys of SvcParams (RFC 9460 section 14.3), shared by svcb.c, which reads
 * text, and svcb_param.c, which checks and prints octets.
 */
#ifndef ZONE_SVCB_KEY_H
#define ZONE_SVCB_KEY_H

#include <stdbool.h>
#include <stddef.h>

enum svcb_key {
	SVCB_MANDATORY = 0,
	SVCB_ALPN = 1,
	SVCB_NO_DEFAULT_ALPN = 2,
	SVCB_PORT = 3,
	SVCB_IPV4HINT = 4,
	SVCB_ECH = 5,
	SVCB_IPV6HINT = 6,
	SVCB_DOHPATH = 7,
	SVCB_OHTTP = 8,
	SVCB_TLS_GROUPS = 9,
	SVCB_DOCPATH = 10,
	SVCB_INVALID = 65535, /* reserved, section 14.3.1 */
};

/* A name of the registry or keyNNN, in lower case; -1 when it is neither. */
int svcb_key_from_text(const char *text, size_t len);

/* The name in the registry, "keyNNN" for all keys without one. */
const char *svcb_key_name(int key);

/* True where the value may have no octets. */
bool svcb_key_may_be_empty(int key);

#endif
