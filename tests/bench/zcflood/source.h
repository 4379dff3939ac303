/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sources: (address, port) pairs that queries come from. They are spread over
 * as few ports as there are addresses for, numbered so that neighbours differ
 * in their port:
 *
 *	            port 0   port 1   port 2
 *	address 0   0        1        2
 *	address 1   3        4        5
 */
#ifndef ZCFLOOD_SOURCE_H
#define ZCFLOOD_SOURCE_H

#include <stdint.h>

#include "zcflood/options.h"

#define SOURCE_NONE UINT32_MAX

struct source_plan {
	bool is_v6;
	uint8_t first[16]; /* address 0; IPv4: 4 octets */
	uint32_t nr;
	uint32_t address_nr;
	uint32_t port_nr;
};

void source_plan(struct source_plan *plan, const struct options *options);

/* Sources of one port. */
static inline uint32_t source_plan_share(const struct source_plan *plan,
					 uint32_t port)
{
	return (plan->nr - port + plan->port_nr - 1) / plan->port_nr;
}

/* Writes the address of the index (4 or 16 octets). */
void source_address(const struct source_plan *plan, uint32_t index,
		    uint8_t *out);

/* The source of an address and a port, or SOURCE_NONE. */
uint32_t source_find(const struct source_plan *plan, const uint8_t *address,
		     uint32_t port);

#endif
