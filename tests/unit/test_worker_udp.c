/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Datagrams to replies without a kernel: a back end that writes down what it
 * is given to send.
 */
#include "server/worker_loop.h"

#include <arpa/inet.h>

#include "serving.h"

#define SENT_MAX 4096

struct sent {
	uint16_t port, id, len;
	uint8_t octets[128];
};

static struct worker *worker;
static struct sent sent[SENT_MAX];
static unsigned sent_nr, flush_nr;

static void keep(const struct endpoint *endpoint, const struct reply *reply)
{
	struct sent *to = &sent[sent_nr++];

	ck_assert_uint_le(sent_nr, SENT_MAX);
	ck_assert_uint_le(reply->len, sizeof(to->octets));
	to->port = endpoint_port(endpoint);
	to->id = get_u16(reply->data);
	to->len = reply->len;
	memcpy(to->octets, reply->data, reply->len);
}

/* As a back end that sends all there is, and needs the arena no longer. */
static void flush(struct worker *of)
{
	struct bundle_set *set = &of->bundles;

	for (unsigned b = 0; b < set->bundle_nr; b++)
		for (uint16_t i = set->bundle[b].head; i != BUNDLE_NONE;
		     i = set->reply[i].next)
			keep(&set->endpoint[set->bundle[b].endpoint],
			     &set->reply[i]);
	bundle_reset(set);
	slot_submit(&of->arena);
	slot_finish(&of->arena);
	flush_nr++;
}

static void begin(size_t room)
{
	static struct zone_set *set;

	sent_nr = flush_nr = 0;
	set = zone_set_new(0);
	worker = calloc(1, sizeof(*worker));
	ck_assert(set && worker);
	worker->options.zone_set = &set;
	worker->query.config = &config;
	worker->room = room;
	worker->flush = flush;
	bundle_init(&worker->bundles);
	ck_assert_int_eq(slot_init(&worker->arena), 0);
	worker_begin_turn(worker);
}

static void end(void)
{
	zone_set_free(*worker->options.zone_set);
	slot_release(&worker->arena);
	free(worker);
}

/* Queries with ids from first on, of one length; the last one's label is
   shorter by less. They are gathered as one datagram from the port. */
static void gather(uint16_t port, uint16_t first, unsigned nr, unsigned less)
{
	static uint8_t octets[SENT_MAX * 64];
	static size_t used;
	struct datagram datagram = {.segment = 0};
	size_t one = 0, len = 0;
	uint8_t *data;

	/* octets must stay until they are answered */
	if (used + nr * 64 > sizeof(octets))
		used = 0;
	data = octets + used;
	for (unsigned i = 0; i < nr; i++) {
		unsigned label = i + 1 == nr ? 20 - less : 20;
		size_t n = make_query(data + len, (uint16_t)(first + i), label);

		one = i ? one : n;
		len += n;
	}
	used += len;
	datagram.endpoint.peer.in.sin_family = AF_INET;
	datagram.endpoint.peer.in.sin_port = htons(port);
	datagram.endpoint.peer_len = sizeof(struct sockaddr_in);
	datagram.data = data;
	datagram.len = (uint32_t)len;
	datagram.segment = nr > 1 ? (uint16_t)one : 0;
	worker_gather(worker, &datagram);
}

static void answer_all(void)
{
	worker_answer(worker);
	ck_assert_uint_eq(worker->batch.queries.nr, 0);
	flush(worker);
}

/* The reply to an id went out once, to that port, with its own question. */
static void expect(uint16_t id, uint16_t port, unsigned label)
{
	const struct sent *found = NULL;
	uint8_t query[128];
	size_t len = make_query(query, id, label);

	for (unsigned i = 0; i < sent_nr; i++) {
		if (sent[i].id != id)
			continue;
		ck_assert_ptr_null(found);
		found = &sent[i];
	}
	ck_assert_ptr_nonnull(found);
	ck_assert_uint_eq(found->port, port);
	ck_assert_uint_eq(found->len, len);
	ck_assert_uint_eq(found->octets[3] & 15, DNS_REFUSED);
	ck_assert_mem_eq(found->octets + 4, query + 4, len - 4);
}

/* Every position within a batch at which the bundles can become full. */
START_TEST(flush_within_a_batch)
{
	begin(512);
	for (unsigned i = 0; i < (unsigned)_i; i++)
		gather(1000, (uint16_t)i, 1, 0);
	worker_answer(worker);
	for (unsigned i = (unsigned)_i; i < 1500; i++)
		gather((uint16_t)(1000 + i), (uint16_t)i, 1, 0);
	answer_all();
	ck_assert_uint_eq(flush_nr, 2);
	ck_assert_uint_eq(sent_nr, 1500);
	for (unsigned i = 0; i < 1500; i++)
		expect((uint16_t)i,
		       (uint16_t)(i < (unsigned)_i ? 1000 : 1000 + i), 20);
	end();
}
END_TEST

/* The arena is full before the bundles are: 16 slots of one large room. */
START_TEST(flush_for_the_arena)
{
	begin(SLOT_LEN - 20);
	for (unsigned i = 0; i < 100; i++)
		gather((uint16_t)(1 + i / 7), (uint16_t)i, 1, 0);
	answer_all();
	ck_assert_uint_gt(flush_nr, 3);
	ck_assert_uint_eq(sent_nr, 100);
	for (unsigned i = 0; i < 100; i++)
		expect((uint16_t)i, (uint16_t)(1 + i / 7), 20);
	end();
}
END_TEST

/* A run that begins within one batch and ends, shorter, within another. */
START_TEST(run_over_batches)
{
	begin(512);
	gather(7, 0, 1, 0);
	gather(8, 1, 64, 9);
	gather(9, 65, 1, 0);
	answer_all();
	ck_assert_uint_eq(sent_nr, 66);
	expect(0, 7, 20);
	for (uint16_t i = 1; i < 64; i++)
		expect(i, 8, 20);
	expect(64, 8, 11);
	expect(65, 9, 20);
	ck_assert_uint_eq(worker->query.counters.received[QUERY_UDP], 66);
	end();
}
END_TEST

/* What gets no reply leaves no trace in the batch that it came with. */
START_TEST(B_HD01_dropped_within_a_batch)
{
	uint8_t response[128];
	struct datagram datagram = {
	    .endpoint.peer.in.sin_family = AF_INET,
	    .endpoint.peer.in.sin_port = htons(99),
	    .data = response,
	};

	datagram.len = (uint32_t)make_query(response, 77, 5);
	response[2] |= 0x80; /* QR */
	begin(512);
	for (uint16_t i = 0; i < 40; i++) {
		gather((uint16_t)(10 + i / 3), i, 1, 0);
		gather(0, (uint16_t)(1000 + i), 1 + i % 3, 0);
		worker_gather(worker, &datagram);
	}
	datagram.len = 0;
	worker_gather(worker, &datagram);
	datagram.cut = 7;
	worker_gather(worker, &datagram);
	answer_all();
	ck_assert_uint_eq(sent_nr, 40);
	for (uint16_t i = 0; i < 40; i++)
		expect(i, (uint16_t)(10 + i / 3), 20);
	/* 79 from port 0, 40 responses, one empty, and what was cut off */
	ck_assert_uint_eq(worker->query.counters.dropped, 79 + 40 + 1 + 7);
	end();
}
END_TEST

/* With every slot held by zerocopy replies are dropped, not written. */
START_TEST(no_room)
{
	begin(512);
	for (unsigned i = 0; i < SLOT_NR; i++) {
		ck_assert_ptr_nonnull(slot_room(&worker->arena, SLOT_LEN - 1));
		slot_keep(&worker->arena, SLOT_LEN - 2);
		slot_hold(&worker->arena, worker->arena.filling);
	}
	gather(5, 0, 20, 0);
	worker_answer(worker);
	ck_assert_uint_eq(worker->bundles.reply_nr, 0);
	ck_assert_uint_eq(worker->query.counters.dropped, 20);
	end();
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("worker_udp");

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, flush_within_a_batch, 0, QUERY_BATCH_MAX);
	tcase_add_test(tcase, flush_for_the_arena);
	tcase_add_test(tcase, run_over_batches);
	tcase_add_test(tcase, B_HD01_dropped_within_a_batch);
	tcase_add_test(tcase, no_room);
	return unit_run("worker_udp", tcase);
}
