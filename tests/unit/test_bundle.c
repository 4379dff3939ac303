/* SPDX-License-Identifier: BSD-2-Clause */
#include "uring/bundle.h"

#include <arpa/inet.h>

#include "uring/message.h"
#include "unit.h"

static struct bundle_set set;
static uint8_t memory[BUNDLE_REPLY_MAX * 2000];
static size_t used;

static struct endpoint endpoint_of(uint16_t port, uint8_t local)
{
	struct endpoint endpoint;

	memset(&endpoint, 0, sizeof(endpoint));
	endpoint.peer.in.sin_family = AF_INET;
	endpoint.peer.in.sin_port = htons(port);
	endpoint.peer_len = sizeof(endpoint.peer.in);
	endpoint.local[0] = local;
	return endpoint;
}

static void add_to(const struct endpoint *endpoint, uint16_t len)
{
	bundle_endpoint(&set, endpoint);
	bundle_add(&set, memory + used, len);
	used += len;
}

static void add(uint16_t port, uint16_t len)
{
	struct endpoint endpoint = endpoint_of(port, 0);

	add_to(&endpoint, len);
}

static void begin(void)
{
	bundle_init(&set);
	used = 0;
}

/* Every reply is in exactly one bundle, with its own endpoint and size. */
static void check_all(const uint16_t *port)
{
	static bool seen[BUNDLE_REPLY_MAX];
	unsigned total = 0;

	memset(seen, 0, sizeof(seen));
	for (unsigned i = 0; i < set.bundle_nr; i++) {
		const struct bundle *bundle = &set.bundle[i];
		const struct endpoint *endpoint =
		    &set.endpoint[bundle->endpoint];
		unsigned nr = 0;
		uint32_t octets = 0;

		for (uint16_t k = bundle->head; k != BUNDLE_NONE;
		     k = set.reply[k].next) {
			ck_assert(!seen[k]);
			seen[k] = true;
			ck_assert_uint_eq(set.reply[k].len, bundle->len);
			ck_assert_uint_eq(endpoint_port(endpoint), port[k]);
			octets += set.reply[k].len;
			nr++;
		}
		ck_assert_uint_eq(nr, bundle->nr);
		ck_assert_uint_eq(octets, bundle->octets);
		ck_assert_uint_le(nr, BUNDLE_SEGMENT_MAX);
		ck_assert_uint_le(octets, BUNDLE_OCTETS_MAX);
		total += nr;
	}
	ck_assert_uint_eq(total, set.reply_nr);
}

/* Replies to clients that take turns still share a bundle. */
START_TEST(interleaved_clients)
{
	uint16_t port[BUNDLE_REPLY_MAX];

	begin();
	for (unsigned i = 0; i < 160; i++) {
		port[i] = (uint16_t)(1000 + i % 4);
		add(port[i], 50);
	}
	ck_assert_uint_eq(set.bundle_nr, 4);
	check_all(port);
	ck_assert(!set.bundle[0].contiguous);
}
END_TEST

START_TEST(sizes_are_kept_apart)
{
	uint16_t port[BUNDLE_REPLY_MAX];

	begin();
	for (unsigned i = 0; i < 90; i++) {
		port[i] = (uint16_t)(1000 + i % 3);
		add(port[i], (uint16_t)(40 + i % 5));
	}
	ck_assert_uint_eq(set.bundle_nr, 15);
	check_all(port);
}
END_TEST

START_TEST(B_NW01_local_addresses_are_kept_apart)
{
	struct endpoint a = endpoint_of(1000, 1), b = endpoint_of(1000, 2);

	begin();
	for (unsigned i = 0; i < 10; i++) {
		add_to(&a, 50);
		add_to(&b, 50);
	}
	ck_assert_uint_eq(set.bundle_nr, 2);
	ck_assert_uint_eq(set.endpoint[set.bundle[0].endpoint].local[0], 1);
	ck_assert_uint_eq(set.endpoint[set.bundle[1].endpoint].local[0], 2);
}
END_TEST

START_TEST(closed_at_64_segments)
{
	uint16_t port[BUNDLE_REPLY_MAX];

	begin();
	for (unsigned i = 0; i < 200; i++) {
		port[i] = 1000;
		add(1000, 30);
	}
	ck_assert_uint_eq(set.bundle_nr, 4);
	ck_assert_uint_eq(set.bundle[0].nr, 64);
	ck_assert_uint_eq(set.bundle[3].nr, 8);
	ck_assert(set.bundle[0].contiguous);
	check_all(port);
}
END_TEST

START_TEST(closed_at_64000_octets)
{
	uint16_t port[BUNDLE_REPLY_MAX];

	begin();
	for (unsigned i = 0; i < 120; i++) {
		port[i] = 1000;
		add(1000, 1232);
	}
	/* 51 x 1232 = 62832 */
	ck_assert_uint_eq(set.bundle[0].nr, 51);
	ck_assert_uint_eq(set.bundle_nr, 3);
	check_all(port);
}
END_TEST

/* Many endpoints, a full set: nothing lost, nothing mixed up. */
START_TEST(full_set_of_random_clients)
{
	uint16_t port[BUNDLE_REPLY_MAX];
	uint32_t random = 1;

	bundle_init(&set);
	for (unsigned round = 0; round < 50; round++) {
		used = 0;
		for (unsigned i = 0; i < BUNDLE_REPLY_MAX; i++) {
			random = random * 1664525 + 1013904223;
			port[i] = (uint16_t)(1000 + (random >> 16) % 300);
			add(port[i], (uint16_t)(30 + (random >> 8) % 3));
		}
		ck_assert(bundle_is_full(&set));
		check_all(port);
		bundle_reset(&set);
	}
}
END_TEST

/* Endpoints whose queries are all dropped take no place. */
START_TEST(endpoints_without_replies)
{
	begin();
	for (unsigned i = 0; i < 5 * BUNDLE_REPLY_MAX; i++) {
		struct endpoint endpoint = endpoint_of((uint16_t)i, 0);

		bundle_endpoint(&set, &endpoint);
	}
	ck_assert_uint_le(set.endpoint_nr, 1);
	add(7, 40);
	ck_assert_uint_eq(endpoint_port(&set.endpoint[set.bundle[0].endpoint]),
			  7);
}
END_TEST

/* What the batch before left in the hash means nothing to the next. */
START_TEST(generations)
{
	begin();
	add(1000, 40);
	add(1001, 40);
	bundle_reset(&set);
	used = 0;
	add(1001, 40);
	add(1000, 40);
	ck_assert_uint_eq(set.bundle_nr, 2);
	ck_assert_uint_eq(endpoint_port(&set.endpoint[set.bundle[0].endpoint]),
			  1001);
}
END_TEST

/* After 2^32 batches the stamps come round again. */
START_TEST(generation_wraps)
{
	begin();
	add(1000, 40);
	set.generation = UINT32_MAX;
	bundle_reset(&set);
	ck_assert_uint_eq(set.generation, 1);
	used = 0;
	add(1001, 40);
	ck_assert_uint_eq(endpoint_port(&set.endpoint[set.bundle[0].endpoint]),
			  1001);
	ck_assert_uint_eq(set.bundle[0].nr, 1);
}
END_TEST

static void batch(unsigned clients)
{
	used = 0;
	for (unsigned i = 0; i < 64; i++)
		add((uint16_t)(1000 + i % clients), 40);
}

/* Nothing bundles: the hash is left out, but tried again. */
START_TEST(bypass_and_back)
{
	unsigned tries = 0, batches = 0;

	begin();
	while (set.hashing && ++batches < 200) {
		batch(64);
		bundle_reset(&set);
	}
	ck_assert_uint_lt(batches, 100);
	for (unsigned i = 0; i < 300; i++) {
		tries += set.hashing;
		batch(64);
		ck_assert_uint_eq(set.bundle_nr, 64);
		bundle_reset(&set);
	}
	ck_assert_uint_ge(tries, 3);
	ck_assert_uint_le(tries, 6);
	/* now there are few clients: one try is enough to see it */
	for (unsigned i = 0; i < 70 && !set.hashing; i++) {
		batch(4);
		bundle_reset(&set);
	}
	batch(4);
	ck_assert_uint_eq(set.bundle_nr, 4);
	bundle_reset(&set);
	ck_assert(set.hashing);
}
END_TEST

/* One client's run is bundled even without the hash. */
START_TEST(bypass_keeps_runs)
{
	begin();
	set.hashing = false;
	for (unsigned i = 0; i < 64; i++)
		add(1000, 40);
	ck_assert_uint_eq(set.bundle_nr, 1);
}
END_TEST

START_TEST(gather_merges_neighbours)
{
	struct iovec iov[BUNDLE_SEGMENT_MAX];

	begin();
	add(1000, 40);
	add(1000, 40);
	add(1001, 40);
	add(1000, 40);
	ck_assert_uint_eq(message_gather(&set, &set.bundle[0], iov), 2);
	ck_assert_ptr_eq(iov[0].iov_base, memory);
	ck_assert_uint_eq(iov[0].iov_len, 80);
	ck_assert_ptr_eq(iov[1].iov_base, memory + 120);
	ck_assert_uint_eq(iov[1].iov_len, 40);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("bundle");

	tcase_add_test(tcase, interleaved_clients);
	tcase_add_test(tcase, sizes_are_kept_apart);
	tcase_add_test(tcase, B_NW01_local_addresses_are_kept_apart);
	tcase_add_test(tcase, closed_at_64_segments);
	tcase_add_test(tcase, closed_at_64000_octets);
	tcase_add_test(tcase, full_set_of_random_clients);
	tcase_add_test(tcase, endpoints_without_replies);
	tcase_add_test(tcase, generations);
	tcase_add_test(tcase, generation_wraps);
	tcase_add_test(tcase, bypass_and_back);
	tcase_add_test(tcase, bypass_keeps_runs);
	tcase_add_test(tcase, gather_merges_neighbours);
	return unit_run("bundle", tcase);
}
