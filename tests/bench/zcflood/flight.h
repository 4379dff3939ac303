/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Queries on their way, found by (source, id) in one step:
 *
 *	source 0                source 1
 *	[0 1 2 ... 2^bits - 1]  [0 1 2 ... 2^bits - 1]  ...   slot = id's low
 *bits
 *
 * Ids count upwards in each source, each from a start of its own, so that a
 * reply which goes to the wrong source meets an id that is not under way. A
 * slot remembers its last query until it is needed again: that tells a second
 * reply and a late one from one that nobody asked for. Queries on their way are
 * also chained in the order of sending, for time-outs.
 */
#ifndef ZCFLOOD_FLIGHT_H
#define ZCFLOOD_FLIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FLIGHT_NONE UINT32_MAX

enum flight_state {
	FLIGHT_UNUSED,
	FLIGHT_FLYING,
	FLIGHT_ANSWERED,
	FLIGHT_LOST,
};

struct flight {
	uint64_t sent; /* ns */
	uint32_t query;
	uint32_t prev, next; /* slots, in order of sending */
	uint16_t id;
	uint8_t state;
};

struct flight_table {
	struct flight *flight;
	uint16_t *next_id; /* of each source */
	unsigned bits;
	uint32_t head, tail;
	uint32_t nr; /* flying */
};

/* per_source is rounded up to a power of two. Returns 0 or -ENOMEM. */
int flight_init(struct flight_table *table, uint32_t sources,
		uint32_t per_source);

/*
 * A flight of the source for the next query, and its id. It may still be
 * flying: then the source has none left, and the caller ends it first.
 */
struct flight *flight_next(struct flight_table *table, uint32_t source,
			   uint16_t *id);

/* True if none of the source's next nr flights is still flying. */
bool flight_has_room(const struct flight_table *table, uint32_t source,
		     uint32_t nr);

/* Puts it on its way; the caller sets query and sent. */
void flight_start(struct flight_table *table, struct flight *flight,
		  uint16_t id);

/* Takes it out of the chain and leaves it in the state. */
void flight_end(struct flight_table *table, struct flight *flight,
		enum flight_state state);

/* The last query of that id, in any state; NULL when it is forgotten. */
static inline struct flight *flight_find(struct flight_table *table,
					 uint32_t source, uint16_t id)
{
	uint32_t low = id & ((1u << table->bits) - 1);
	struct flight *flight = &table->flight[(source << table->bits) + low];

	return flight->id == id && flight->state != FLIGHT_UNUSED ? flight
								  : NULL;
}

/* The one that flies longest, NULL when none does. */
static inline struct flight *flight_oldest(struct flight_table *table)
{
	return table->head == FLIGHT_NONE ? NULL : &table->flight[table->head];
}

#endif
