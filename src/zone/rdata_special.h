/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RDATA whose form the letters of dns/type.h cannot say: what stands for the
 * letter "*". Each such type has three functions, in a file of its family:
 * rdata_special.c, rdata_legacy.c, loc.c, svcb.c.
 */
#ifndef ZONE_RDATA_SPECIAL_H
#define ZONE_RDATA_SPECIAL_H

#include "zone/rdata_input.h"
#include "zone/rdata_output.h"

struct rdata_special {
	uint16_t type;

	/* From the token in hand to the end of the line. 0 or -EINVAL. */
	int (*read)(struct rdata_input *in);

	/*
	 * What is wrong with this part of an RDATA, which goes to its end; NULL
	 * when nothing is. Static text. Never reads past len.
	 */
	const char *(*fault)(const uint8_t *rdata, size_t len);

	/* Checked octets as text; false when only the generic form will do. */
	bool (*print)(struct rdata_output *out, const uint8_t *rdata,
		      size_t len);
};

/* Never NULL for a type whose form has the letter "*". */
const struct rdata_special *rdata_special_find(uint16_t type);

#endif
