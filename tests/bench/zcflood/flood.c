/* SPDX-License-Identifier: BSD-2-Clause */
/* What is on its way and what comes back. */
#include "zcflood/flood.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/octets.h"
#include "zcflood/source.h"

/* Slots over all sources: the table stays in the second level cache. */
#define SLOTS	  32768
#define SLOTS_MIN 16 /* of a source */

/*
 * Slots of each source: eight times what is on its way in a closed loop, so
 * that what was answered is remembered for a while. An open loop has no such
 * bound; there a source gets as many as memory allows.
 */
static uint32_t per_source(const struct options *options)
{
	uint64_t all = options->rate > 0 ? 128 * SLOTS : SLOTS;
	uint64_t nr;

	if (options->rate <= 0 && 8ull * options->outstanding > all)
		all = 8ull * options->outstanding;
	nr = all / options->sources;
	if (nr < 2ull * options->burst)
		nr = 2ull * options->burst;
	if (nr < SLOTS_MIN)
		nr = SLOTS_MIN;
	return nr > 65536 ? 65536 : (uint32_t)nr;
}

/* xorshift64*; the seed must not be 0. Uniform enough in [0, nr). */
static uint32_t draw(uint64_t *state, uint32_t nr)
{
	uint64_t x = *state;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	*state = x;
	return (uint32_t)((x * 0x2545f4914f6cdd1dull >> 32) * nr >> 32);
}

static void choose_next(struct flood *flood)
{
	if (flood->random)
		flood->next = draw(&flood->random, flood->queries.nr);
	else if (++flood->next == flood->queries.nr)
		flood->next = 0;
}

int flood_init(struct flood *flood, const struct options *options)
{
	memset(flood, 0, sizeof(*flood));
	flood->timeout_ns = options->timeout_ns;
	if (queries_read(&flood->queries, options->query_file, options->edns,
			 options->dnssec))
		return -1;
	if (verifier_init(&flood->verifier, options->level, &flood->queries) ||
	    flight_init(&flood->flights, options->sources,
			per_source(options))) {
		fprintf(stderr, "zcflood: out of memory\n");
		return -1;
	}
	if (options->expected_file &&
	    verifier_read(&flood->verifier, options->expected_file))
		return -1;
	if (options->random) {
		flood->random = options->seed ? options->seed : 1;
		choose_next(flood);
	}
	flood_count(flood);
	return 0;
}

uint64_t flood_tick(struct flood *flood)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	flood->now = (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
	return flood->now;
}

void flood_count(struct flood *flood)
{
	struct flood_counters *counters = &flood->counters;

	flood->counted_from = flood->last_reply = flood_tick(flood);
	memset(counters, 0, offsetof(struct flood_counters, wrong));
	memset(&flood->latency, 0, sizeof(flood->latency));
}

static bool is_counted(const struct flood *flood, const struct flight *flight)
{
	return flight->sent >= flood->counted_from;
}

static void lose(struct flood *flood, struct flight *flight)
{
	flight_end(&flood->flights, flight, FLIGHT_LOST);
	flood->counters.lost += is_counted(flood, flight);
}

uint32_t flood_query(struct flood *flood, uint32_t source, uint8_t *out)
{
	uint16_t id;
	struct flight *flight = flight_next(&flood->flights, source, &id);
	uint32_t len = flood_next_len(flood);

	/* every id near it is taken: its reply is long overdue */
	if (flight->state == FLIGHT_FLYING)
		lose(flood, flight);
	flight->query = flood->next;
	flight->sent = flood->now;
	flight_start(&flood->flights, flight, id);
	memcpy(out, queries_octets(&flood->queries, flood->next), len);
	put_u16(out, id);
	flood->counters.sent++;
	choose_next(flood);
	return len;
}

void flood_unsent(struct flood *flood, uint32_t source, const uint8_t *query)
{
	struct flight *flight =
	    flight_find(&flood->flights, source, get_u16(query));

	flight_end(&flood->flights, flight, FLIGHT_UNUSED);
	flood->counters.sent--;
	flood->counters.send_errors++;
}

static void count_answer(struct flood *flood, const struct flight *flight,
			 const uint8_t *octets, uint32_t len)
{
	struct flood_counters *counters = &flood->counters;

	if (!is_counted(flood, flight))
		return;
	flood->last_reply = flood->now;
	counters->answered++;
	counters->octets_received += len;
	counters->rcode[octets[3] & 0x0f]++;
	histogram_add(&flood->latency, flood->now - flight->sent);
}

/* A reply to a query that flies, or was given up. */
static void judge(struct flood *flood, struct flight *flight,
		  const uint8_t *octets, uint32_t len)
{
	enum verdict verdict =
	    verifier_check(&flood->verifier, flight->query, octets, len);

	flood->counters.wrong[verdict]++;
	/* not the reply to this query: that one may still come */
	if (verdict == VERDICT_MALFORMED || verdict == VERDICT_QUESTION)
		return;
	if (flight->state == FLIGHT_FLYING) {
		flight_end(&flood->flights, flight, FLIGHT_ANSWERED);
		count_answer(flood, flight, octets, len);
	} else {
		/* once: one more would be a duplicate */
		flight->state = FLIGHT_ANSWERED;
		flood->counters.late += is_counted(flood, flight);
	}
}

void flood_reply(struct flood *flood, uint32_t source, const uint8_t *octets,
		 uint32_t len)
{
	struct flight *flight = NULL;

	if (len < 2) {
		flood->counters.wrong[VERDICT_MALFORMED]++;
		return;
	}
	if (source != SOURCE_NONE)
		flight = flight_find(&flood->flights, source, get_u16(octets));
	if (!flight)
		flood->counters.unsolicited++;
	else if (flight->state == FLIGHT_ANSWERED)
		flood->counters.duplicates++;
	else
		judge(flood, flight, octets, len);
}

void flood_expire(struct flood *flood)
{
	struct flight *flight;

	while ((flight = flight_oldest(&flood->flights)) &&
	       flood->now - flight->sent > flood->timeout_ns)
		lose(flood, flight);
}

bool flood_failed(const struct flood *flood)
{
	const struct flood_counters *counters = &flood->counters;

	for (int i = VERDICT_RIGHT + 1; i < VERDICT_NR; i++)
		if (counters->wrong[i])
			return true;
	return counters->unsolicited || counters->duplicates ||
	       !counters->wrong[VERDICT_RIGHT];
}
