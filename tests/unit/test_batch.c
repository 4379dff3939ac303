/* SPDX-License-Identifier: BSD-2-Clause */
#include "query/batch.h"
#include "ask.h"

#include <netinet/in.h>

#define ZONE                                                                   \
	"$TTL 9\n@ SOA ns hm 77 2 3 4 5\n@ NS ns\nns A 192.0.2.7\n"            \
	"*.w TXT wild\nc CNAME ns\ncut NS ns.cut\nns.cut A 192.0.2.8\n"

static const struct ask asks[] = {
    {.name = "ns.z.test", .type = "A"},
    {.name = "z.test", .type = "SOA", .size = 1232, .do_bit = true},
    {.name = "no.such.z.test", .type = "A"},
    {.name = "x.w.z.test", .type = "TXT"},
    {.name = "C.z.test", .type = "A", .size = 512},
    {.name = "a.cut.z.test", .type = "A"},
    {.name = "cut.z.test", .type = "DS"},
    {.name = "elsewhere.example", .type = "A"},
    {.name = "z.test", .type = "AXFR"},
    {.name = "ns.missing.test", .type = "A"},
    {.name = ".", .type = "NS"},
    {.name = "sub.z.test", .type = "DS"},
    {.name = "n.sub.z.test", .type = "AAAA"},
};

#define ASK_NR (sizeof(asks) / sizeof(asks[0]))

struct message {
	size_t len;
	uint8_t octets[600];
};

static const struct sockaddr_in asker = {.sin_family = AF_INET, .sin_port = 9};
static const struct query_peer peer = {
    .addr = (const struct sockaddr *)&asker,
    .transport = QUERY_UDP,
};

static void zones(void)
{
	ask_zone("z.test", ZONE);
	ask_zone("sub.z.test", ZONE);
	ask_zone("missing.test", NULL);
}

/* Every third one is spoilt in some way. */
static void make(struct message *message, unsigned i)
{
	message->len = ask_message(&asks[i % ASK_NR], message->octets);
	switch (i % 18) {
	case 2:
		message->octets[2] |= 0x80; /* QR */
		break;
	case 5:
		message->len -= 3;
		break;
	case 8:
		message->octets[2] |= 5 << 3; /* opcode UPDATE */
		break;
	case 11:
		message->octets[2] |= DNS_OPCODE_NOTIFY << 3;
		break;
	case 14:
		message->len = 11;
		break;
	case 17:
		message->octets[message->len - 1] = DNS_CLASS_CH;
		break;
	default:
		break;
	}
}

static size_t answer_one(struct query_ctx *ctx, const struct message *message,
			 uint8_t *out)
{
	return query_answer(ctx, ask_set, &peer, message->octets, message->len,
			    out, 1232);
}

/* The same octets and the same counters as one message after the other. */
START_TEST(batch_is_what_single_is)
{
	static struct query_batch batch;
	struct query_ctx one = {.config = &ask_config}, many = one;
	struct message message[QUERY_BATCH_MAX];
	uint8_t expected[1232], out[1232];

	zones();
	/* what an earlier batch left must not matter */
	memset(&batch, 0xa5, sizeof(batch));
	for (unsigned i = 0; i < 4 * ASK_NR * 18;) {
		unsigned place[QUERY_BATCH_MAX], nr = 0;
		/* batches of every size */
		unsigned want = 1 + i % QUERY_BATCH_MAX;

		query_batch_begin(&batch, &many, ask_set);
		for (; nr < want; i++) {
			make(&message[nr], i);
			place[batch.nr] = nr;
			if (query_batch_add(&batch, &peer, message[nr].octets,
					    message[nr].len))
				nr++;
			else
				ck_assert_uint_eq(
				    answer_one(&one, &message[nr], expected),
				    0);
		}
		ck_assert_uint_eq(batch.nr, nr);
		query_batch_fetch(&batch);
		for (unsigned k = 0; k < nr; k++) {
			size_t len =
			    answer_one(&one, &message[place[k]], expected);

			ck_assert_uint_eq(
			    query_batch_answer(&batch, k, out, sizeof(out)),
			    len);
			ck_assert_mem_eq(out, expected, len);
		}
	}
	ck_assert_mem_eq(&one.counters, &many.counters, sizeof(one.counters));
	ck_assert_uint_gt(one.counters.dropped, 0);
	ck_assert_uint_gt(one.counters.malformed, 0);
	ask_release();
}
END_TEST

/* Queries taken back at any place leave no trace and can come again. */
START_TEST(taken_back)
{
	static struct query_batch batch;
	struct query_ctx one = {.config = &ask_config}, many = one;
	struct message message[QUERY_BATCH_MAX];
	uint8_t expected[1232], out[1232];

	zones();
	for (unsigned first = 0; first < QUERY_BATCH_MAX - 1; first++) {
		query_batch_begin(&batch, &many, ask_set);
		for (unsigned i = first; batch.nr < QUERY_BATCH_MAX - 1; i++) {
			struct message *next = &message[batch.nr];

			make(next, i);
			if (!query_batch_add(&batch, &peer, next->octets,
					     next->len))
				answer_one(&one, next, expected);
		}
		/* too short: dropped */
		ck_assert(
		    !query_batch_add(&batch, &peer, message[0].octets, 11));
		query_batch_fetch(&batch);
		for (unsigned k = 0; k < first; k++) {
			size_t len = answer_one(&one, &message[k], expected);

			ck_assert_uint_eq(
			    query_batch_answer(&batch, k, out, sizeof(out)),
			    len);
		}
		query_batch_cancel(&batch, first, 1);
		ck_assert_uint_eq(batch.nr, first);
		ck_assert_mem_eq(&one.counters, &many.counters,
				 sizeof(one.counters));
	}
	ck_assert_uint_gt(one.counters.malformed, 0);
	ask_release();
}
END_TEST

START_TEST(full)
{
	static struct query_batch batch;
	struct message message;

	zones();
	make(&message, 0);
	query_batch_begin(&batch, &ask_ctx, ask_set);
	for (unsigned i = 0; i < QUERY_BATCH_MAX; i++) {
		ck_assert(!query_batch_is_full(&batch));
		ck_assert(query_batch_add(&batch, &peer, message.octets,
					  message.len));
	}
	ck_assert(query_batch_is_full(&batch));
	query_batch_begin(&batch, &ask_ctx, ask_set);
	ck_assert(!query_batch_is_full(&batch));
	ask_release();
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("batch");

	tcase_add_test(tcase, batch_is_what_single_is);
	tcase_add_test(tcase, taken_back);
	tcase_add_test(tcase, full);
	return unit_run("batch", tcase);
}
