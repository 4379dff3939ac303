/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Addresses in networks of the past: WKS (RFC 1035 section 3.4.2), NSAP (RFC
 * 1706) and ATMA (ATM Forum af-dans-0152).
 *
 *	WKS   IPv4 address 4 | protocol 1 | bit for each port
 *	NSAP  octets, in text "0x" and hex with dots anywhere
 *	ATMA  format 1 | 0: octets, hex with dots; 1: digits behind "+"
 */
#ifndef ZONE_RDATA_LEGACY_H
#define ZONE_RDATA_LEGACY_H

#include "zone/rdata_input.h"
#include "zone/rdata_output.h"

int wks_read(struct rdata_input *in);
const char *wks_fault(const uint8_t *rdata, size_t len);
bool wks_print(struct rdata_output *out, const uint8_t *rdata, size_t len);

int nsap_read(struct rdata_input *in);
const char *nsap_fault(const uint8_t *rdata, size_t len);
bool nsap_print(struct rdata_output *out, const uint8_t *rdata, size_t len);

int atma_read(struct rdata_input *in);
const char *atma_fault(const uint8_t *rdata, size_t len);
bool atma_print(struct rdata_output *out, const uint8_t *rdata, size_t len);

#endif
