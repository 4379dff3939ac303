/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Owner names of NSEC3 records: the hash in base32hex, one label in front of
 * the apex (RFC 5155 section 3). The hash itself: snapshot_nsec3_hash().
 */
#ifndef ZONE_NSEC3_H
#define ZONE_NSEC3_H

#include "zone/snapshot.h"

#define NSEC3_LABEL_LEN (NSEC3_HASH_LEN * 8 / 5)

/* The hash in the first label of an owner; false when it holds none. */
bool nsec3_owner_hash(const uint8_t *owner, uint8_t hash[NSEC3_HASH_LEN]);

#endif
