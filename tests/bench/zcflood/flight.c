/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of queries on their way. */
#include "zcflood/flight.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Ids that still fly are passed over, so many of them at most. */
#define PROBES 8

int flight_init(struct flight_table *table, uint32_t sources,
		uint32_t per_source)
{
	memset(table, 0, sizeof(*table));
	table->head = table->tail = FLIGHT_NONE;
	while (table->bits < 16 && 1u << table->bits < per_source)
		table->bits++;
	table->flight =
	    calloc((size_t)sources << table->bits, sizeof(*table->flight));
	table->next_id = calloc(sources, sizeof(*table->next_id));
	if (!table->flight || !table->next_id)
		return -ENOMEM;
	for (uint32_t i = 0; i < sources; i++)
		/* odd multiplier: neighbours start far from each other */
		table->next_id[i] = (uint16_t)(i * 40503u);
	return 0;
}

struct flight *flight_next(struct flight_table *table, uint32_t source,
			   uint16_t *id)
{
	uint32_t mask = (1u << table->bits) - 1;
	struct flight *row = &table->flight[source << table->bits];
	uint16_t next = table->next_id[source];

	for (unsigned i = 1;
	     i < PROBES && row[next & mask].state == FLIGHT_FLYING; i++)
		next++;
	table->next_id[source] = (uint16_t)(next + 1);
	*id = next;
	return &row[next & mask];
}

bool flight_has_room(const struct flight_table *table, uint32_t source,
		     uint32_t nr)
{
	uint32_t mask = (1u << table->bits) - 1;
	const struct flight *row = &table->flight[source << table->bits];
	uint16_t next = table->next_id[source];

	for (uint32_t i = 0; i < nr; i++)
		if (row[(next + i) & mask].state == FLIGHT_FLYING)
			return false;
	return true;
}

void flight_start(struct flight_table *table, struct flight *flight,
		  uint16_t id)
{
	uint32_t slot = (uint32_t)(flight - table->flight);

	assert(flight->state != FLIGHT_FLYING);
	flight->state = FLIGHT_FLYING;
	flight->id = id;
	flight->prev = table->tail;
	flight->next = FLIGHT_NONE;
	if (table->tail == FLIGHT_NONE)
		table->head = slot;
	else
		table->flight[table->tail].next = slot;
	table->tail = slot;
	table->nr++;
}

void flight_end(struct flight_table *table, struct flight *flight,
		enum flight_state state)
{
	assert(flight->state == FLIGHT_FLYING);
	if (flight->prev == FLIGHT_NONE)
		table->head = flight->next;
	else
		table->flight[flight->prev].next = flight->next;
	if (flight->next == FLIGHT_NONE)
		table->tail = flight->prev;
	else
		table->flight[flight->next].prev = flight->prev;
	flight->state = (uint8_t)state;
	table->nr--;
}
