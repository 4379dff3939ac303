/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rdata_check() with a reason: what is wrong with RDATA in wire form, as
 * static text, or NULL when it is right. Reads nothing past len.
 */
#ifndef ZONE_RDATA_CHECK_H
#define ZONE_RDATA_CHECK_H

#include "zone/rdata.h"

const char *rdata_fault(uint16_t type, const uint8_t *rdata, size_t len);

#endif
