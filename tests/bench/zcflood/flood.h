/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The flood itself: which query is next, which ones are on their way, what came
 * back and whether it was right. Knows nothing of sockets and of time but what
 * flood_tick() was told. One thread.
 *
 *	flood_run: pace > transport send > flood_query
 *	                  transport receive > flood_tick, flood_reply
 *	                  flood_expire
 */
#ifndef ZCFLOOD_FLOOD_H
#define ZCFLOOD_FLOOD_H

#include "zcflood/flight.h"
#include "zcflood/histogram.h"
#include "zcflood/options.h"
#include "zcflood/queries.h"
#include "zcflood/verifier.h"

/* Queries from before the end of the warm-up count in the second part only. */
struct flood_counters {
	uint64_t sent, answered, lost, late, send_errors, octets_received;
	uint64_t rcode[16];
	/* Whenever they were sent: */
	uint64_t wrong[VERDICT_NR]; /* by verdict */
	uint64_t unsolicited, duplicates;
};

struct flood {
	struct queries queries;
	struct verifier verifier;
	struct flight_table flights;
	struct flood_counters counters;
	struct histogram latency;
	uint64_t now;	       /* ns, of this batch */
	uint64_t counted_from; /* ns */
	uint64_t last_reply;   /* ns, of what is counted */
	uint64_t timeout_ns;
	uint64_t random; /* state; 0: queries in their order */
	uint32_t next;	 /* query */
};

/* Reads the files. Returns 0, or -1 after saying what is wrong. */
int flood_init(struct flood *flood, const struct options *options);

/* Reads the clock: once before each batch sent or received. */
uint64_t flood_tick(struct flood *flood);

/* Octets of the query to come: a burst ends where lengths change. */
static inline uint32_t flood_next_len(const struct flood *flood)
{
	return flood->queries.query[flood->next].len;
}

/*
 * Writes the next query to out (QUERY_MAX octets), with an id that is free in
 * the source, and puts it on its way. Returns its length.
 */
uint32_t flood_query(struct flood *flood, uint32_t source, uint8_t *out);

/* A query that was taken, as written to out, could not be sent. */
void flood_unsent(struct flood *flood, uint32_t source, const uint8_t *query);

/* What came to a source (SOURCE_NONE: to none of them) at flood->now. */
void flood_reply(struct flood *flood, uint32_t source, const uint8_t *octets,
		 uint32_t len);

/* Gives up queries that wait for longer than the time-out. */
void flood_expire(struct flood *flood);

/* Starts counting from now: the warm-up is over. */
void flood_count(struct flood *flood);

/* A wrong, doubled or unsolicited reply was seen, or no right one at all. */
bool flood_failed(const struct flood *flood);

#endif
