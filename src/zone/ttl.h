/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TTLs and periods in text: seconds, or numbers with a unit each (w d h m s,
 * any case), as 1w2d or 90m. The units are no part of RFC 1035 but in every
 * zone file since BIND 8.
 */
#ifndef ZONE_TTL_H
#define ZONE_TTL_H

#include <stddef.h>
#include <stdint.h>

/* RFC 2181 section 8: a TTL with the top bit set is to be treated as 0. */
#define TTL_MAX 0x7fffffffu

/*
 * Text, not ended by a NUL, to seconds. Returns 0 or
 *   -EINVAL  no such text: empty, unknown unit, 3d5
 *   -ERANGE  over 2^32 - 1
 */
int ttl_from_text(uint32_t *out, const char *text, size_t len);

#endif
