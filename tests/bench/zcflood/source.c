/* SPDX-License-Identifier: BSD-2-Clause */
/* Spreading sources over addresses and ports. */
#include "zcflood/source.h"

#include <string.h>

#include "base/octets.h"

/* Enough for a server to spread over workers, few enough to poll quickly. */
#define PORTS 16

void source_address(const struct source_plan *plan, uint32_t index,
		    uint8_t *out)
{
	size_t len = plan->is_v6 ? 16 : 4;

	memmove(out, plan->first, len);
	put_u32(out + len - 4, get_u32(out + len - 4) + index);
}

void source_plan(struct source_plan *plan, const struct options *options)
{
	bool is_v6 = options->server.sa.sa_family == AF_INET6;
	unsigned host_bits = (is_v6 ? 128 : 32) - options->block_len;
	uint64_t room = host_bits > 31 ? 1ull << 31 : 1ull << host_bits;
	uint32_t nr = options->sources;

	memset(plan, 0, sizeof(*plan));
	plan->is_v6 = is_v6;
	memcpy(plan->first, options->block, is_v6 ? 16 : 4);
	if (host_bits >= 2) {
		/* not the network's own address, nor the broadcast address */
		source_address(plan, 1, plan->first);
		room -= 2;
	}
	plan->nr = nr;
	plan->port_nr = nr < PORTS ? nr : PORTS;
	if ((uint64_t)plan->port_nr * room < nr)
		plan->port_nr = (uint32_t)((nr + room - 1) / room);
	plan->address_nr = (nr + plan->port_nr - 1) / plan->port_nr;
}

uint32_t source_find(const struct source_plan *plan, const uint8_t *address,
		     uint32_t port)
{
	size_t head = plan->is_v6 ? 12 : 0;
	uint32_t index = get_u32(address + head) - get_u32(plan->first + head);
	uint64_t source = (uint64_t)index * plan->port_nr + port;

	if (memcmp(address, plan->first, head) || source >= plan->nr)
		return SOURCE_NONE;
	return (uint32_t)source;
}
