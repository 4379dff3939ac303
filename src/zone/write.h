/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A zone version as a master file: one record a line, names absolute, TTL and
 * class on each, owners in canonical order (RFC 4034 section 6.1), types by
 * number and RDATA in canonical order below one owner (section 6.3). Only the
 * SOA comes first, as a reader of master files expects it to. Read again it
 * gives the same wire data.
 */
#ifndef ZONE_WRITE_H
#define ZONE_WRITE_H

#include <stdio.h>

#include "zone/snapshot.h"

/*
 * Writes all records. Returns 0, -ENOMEM, or -EIO when out is in error;
 * flushing it is the caller's.
 */
int zone_write(FILE *out, const struct snapshot *snapshot);

#endif
