/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * LOC: where something is on the globe (RFC 1876). Sixteen octets:
 *
 *	version 0 | size | horizontal | vertical precision | latitude 4
 *	| longitude 4 | altitude 4
 *
 * Angles are thousandths of an arc second above 2^31, altitude is centimetres
 * above -100,000 m, the other three are a digit and a power of ten, in cm. A
 * version other than 0 has no structure known to us.
 */
#ifndef ZONE_LOC_H
#define ZONE_LOC_H

#include "zone/rdata_input.h"
#include "zone/rdata_output.h"

int loc_read(struct rdata_input *in);
const char *loc_fault(const uint8_t *rdata, size_t len);
bool loc_print(struct rdata_output *out, const uint8_t *rdata, size_t len);

#endif
