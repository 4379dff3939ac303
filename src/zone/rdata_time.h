/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Times of RRSIG and SIG (RFC 4034 section 3.2).
 */
#ifndef ZONE_RDATA_TIME_H
#define ZONE_RDATA_TIME_H

#include <stddef.h>
#include <stdint.h>

/*
 * YYYYMMDDHHmmSS (14 digits), or seconds since 1970 in decimal. Returns 0, or
 * -EINVAL also for a date that does not exist or is not in 1970-2106.
 */
int rdata_time_from_text(const char *text, size_t len, uint32_t *seconds);

/* As YYYYMMDDHHmmSS, ended by a NUL. */
#define RDATA_TIME_TEXT_MAX 16
void rdata_time_to_text(char out[RDATA_TIME_TEXT_MAX], uint32_t seconds);

#endif
