/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RDATA: presentation form to wire form and back, and the check of wire form.
 *
 * Wire form here is uncompressed and in the form of dns/type.h. All types that
 * have a form are converted here: ldns accepts and alters too much, so that
 * checks around it would have been parsers themselves. It is the second opinion
 * in the tests. All functions may be called from any thread.
 */
#ifndef ZONE_RDATA_H
#define ZONE_RDATA_H

#include "zone/scan.h"

#define RDATA_MAX 65535

struct rdata_error {
	char text[160]; /* what and which token: bad IPv4 address '192.0.2.999'
			 */
	uint64_t line;	/* of that token */
};

/*
 * Reads RDATA of a type from the tokens up to SCAN_EOL (consumed). origin
 * completes relative names. The generic form \# (RFC 3597) is accepted for
 * every type and checked against the form of a known one.
 * Writes at most RDATA_MAX octets to out. Returns the length, or -EINVAL with
 * error filled in, which leaves it to the caller to name the type;
 * scan_skip_line() then gets to the end of the line, whether that has been read
 * or not. A type without a form is read as \# only.
 */
int rdata_from_text(uint8_t *out, uint16_t type, struct scan *scan,
		    const uint8_t *origin, struct rdata_error *error);

/*
 * Checks that wire-form RDATA is what its type demands: every field inside
 * len, names uncompressed and within 255, fixed sizes, nothing behind the
 * last field. Unknown types are always right. Returns 0 or -EBADMSG.
 */
int rdata_check(uint16_t type, const uint8_t *rdata, size_t len);

/*
 * Checked RDATA as presentation text that rdata_from_text() reads back to the
 * same octets, names absolute, in one line. Returns a malloced text that the
 * caller frees, NULL when memory is out.
 */
char *rdata_to_text(uint16_t type, const uint8_t *rdata, size_t len);

#endif
