/* SPDX-License-Identifier: BSD-2-Clause */
/* Who gets a zone, and what those hear who do not. */
#include "query/transfer.h"
#include "ask.h"

#include <arpa/inet.h>

#include "base/octets.h"

#define SERIAL 77u
#define ZONE   "$TTL 9\n@ SOA ns hm 77 2 3 4 5\n@ NS ns\nns A 192.0.2.7\n"

static const char *result; /* of ask_transfer() */

static void allow(const char *apex, const char *prefix)
{
	struct acl *acl = acl_new();
	struct acl_prefix parsed;
	uint8_t name[DNS_NAME_MAX];

	ck_assert_int_eq(acl_prefix_parse(&parsed, prefix), 0);
	ck_assert_int_eq(acl_add(acl, &parsed), 0);
	dns_name_from_text(name, apex, strlen(apex), NULL);
	zone_set_allow_transfer(ask_set, name, acl);
	acl_put(acl);
}

static void setup(void)
{
	ask_zone("z.test", ZONE);
	ask_zone("sub.z.test", ZONE);
	ask_zone("unloaded.test", NULL);
	allow("z.test", "192.0.2.0/24");
	allow("unloaded.test", "192.0.2.0/24");
	ask_ctx.transfer_room = 1;
}

/* A question with an SOA in the authority section when it is IXFR. */
static size_t make(const char *name, const char *type, uint32_t serial,
		   uint8_t *out)
{
	const struct ask ask = {.name = name, .type = type, .size = 0};
	size_t len = ask_message(&ask, out);
	uint8_t soa[] = {0xc0, 12, 0, 6, 0, 1, 0, 0, 0, 0, 0, 22, 0, 0};

	if (strcmp(type, "IXFR"))
		return len;
	out[9] = 1;
	memcpy(out + len, soa, sizeof(soa));
	len += sizeof(soa);
	memset(out + len, 0, 20);
	put_u32(out + len, serial);
	return len + 20;
}

/* "granted", or the reply as one line. */
static const char *ask_transfer(const char *name, const char *type,
				const char *client, uint32_t serial)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = 53};
	const struct query_peer peer = {
	    .addr = client ? (const void *)&in : NULL, .transport = QUERY_TCP};
	static uint8_t reply[DNS_MESSAGE_MAX];
	uint8_t message[600];
	size_t len = make(name, type, serial, message);

	if (client)
		ck_assert_int_eq(inet_pton(AF_INET, client, &in.sin_addr), 1);
	len = query_answer(&ask_ctx, ask_set, &peer, message, len, reply,
			   sizeof(reply));
	if (ask_ctx.transfer) {
		ck_assert_uint_eq(len, 0);
		ck_assert_uint_eq(ask_ctx.transfer->snapshot->serial, SERIAL);
		ask_ctx.transfer = NULL;
		return "granted";
	}
	return ask_text(reply, len);
}

#define SOA "z.test. 9 IN SOA ns.z.test. hm.z.test. 77 2 3 4 5"

static const struct {
	const char *name, *type, *client, *expected;
	uint32_t serial;
} cases[] = {
    {"z.test", "AXFR", "192.0.2.9", "granted", 0},
    {"Z.tesT", "AXFR", "192.0.2.9", "granted", 0},
    {"z.test", "AXFR", "192.0.3.9", "REFUSED;;;", 0},
    {"z.test", "AXFR", NULL, "REFUSED;;;", 0},
    {"sub.z.test", "AXFR", "192.0.2.9", "REFUSED;;;", 0},
    {"ns.z.test", "AXFR", "192.0.2.9", "NOTAUTH;;;", 0},
    {"test", "AXFR", "192.0.2.9", "NOTAUTH;;;", 0},
    {"unloaded.test", "AXFR", "192.0.2.9", "SERVFAIL;;;", 0},
    /* nothing is said of a zone to those who may not have it */
    {"unloaded.test", "AXFR", "192.0.3.9", "REFUSED;;;", 0},
    {"z.test", "IXFR", "192.0.2.9", "granted", SERIAL - 1},
    {"z.test", "IXFR", "192.0.2.9", "granted", 0},
    {"z.test", "IXFR", "192.0.2.9", "granted", SERIAL + 0x80000001},
    {"z.test", "IXFR", "192.0.2.9", "NOERROR aa; " SOA ";;", SERIAL},
    {"z.test", "IXFR", "192.0.2.9", "NOERROR aa; " SOA ";;", SERIAL + 1},
    {"z.test", "IXFR", "192.0.2.9", "NOERROR aa; " SOA ";;",
     SERIAL + 0x7fffffff},
    {"z.test", "IXFR", "192.0.3.9", "REFUSED;;;", SERIAL},
    {"ns.z.test", "IXFR", "192.0.2.9", "NOTAUTH;;;", 0},
};

START_TEST(decisions)
{
	setup();
	result = ask_transfer(cases[_i].name, cases[_i].type, cases[_i].client,
			      cases[_i].serial);
	ck_assert_msg(!strcmp(result, cases[_i].expected), "%s %s %u: %s",
		      cases[_i].name, cases[_i].type, cases[_i].serial, result);
	ck_assert_uint_eq(ask_ctx.counters.transfers_refused,
			  !strncmp(result, "REFUSED", 7) ||
			      !strncmp(result, "NOTAUTH", 7));
	ask_release();
}
END_TEST

START_TEST(no_room_is_servfail)
{
	struct query_counters *counters = &ask_ctx.counters;

	setup();
	ask_ctx.transfer_room = 0;
	result = ask_transfer("z.test", "AXFR", "192.0.2.9", 0);
	ck_assert_str_eq(result, "SERVFAIL;;;");
	ck_assert_uint_eq(counters->transfers_over_limit, 1);
	ck_assert_uint_eq(counters->transfers_granted, 0);
	/* what needs no room is answered */
	result = ask_transfer("z.test", "IXFR", "192.0.2.9", SERIAL);
	ck_assert_str_eq(result, "NOERROR aa; " SOA ";;");
	ask_ctx.transfer_room = 1;
	result = ask_transfer("z.test", "AXFR", "192.0.2.9", 0);
	ck_assert_str_eq(result, "granted");
	ck_assert_uint_eq(counters->transfers_granted, 1);
	ask_release();
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("transfer");

	tcase_add_loop_test(tcase, decisions, 0,
			    sizeof(cases) / sizeof(cases[0]));
	tcase_add_test(tcase, no_room_is_servfail);
	return unit_run("transfer", tcase);
}
