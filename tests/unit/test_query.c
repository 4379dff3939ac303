/* SPDX-License-Identifier: BSD-2-Clause */
#include "query/query.h"
#include "ask.h"

#include <netinet/in.h>

#include "base/octets.h"

#define ZONE "$TTL 9\n@ SOA ns hm 77 2 3 4 5\n@ NS ns\nns A 192.0.2.7\n"

static uint8_t reply[DNS_MESSAGE_MAX];

/* A question of any class and opcode with the options in hex behind it. */
static size_t send_raw(const char *name, unsigned type, unsigned rrclass,
		       const char *opt, size_t opt_len)
{
	uint8_t message[600] = {0x12, 0x34, 1, 0x10, 0, 1};
	uint8_t *p = message + DNS_HEADER_LEN;

	p += dns_name_from_text(p, name, strlen(name), NULL);
	put_u16(p, (uint16_t)type);
	put_u16(p + 2, (uint16_t)rrclass);
	p += 4;
	if (opt) {
		message[11] = 1;
		memcpy(p, opt, opt_len);
		p += opt_len;
	}
	return ask_raw(message, (size_t)(p - message), true, reply);
}

#define SEND(name, type, class, opt)                                           \
	send_raw(name, type, class, *(opt) || sizeof(opt) > 1 ? (opt) : NULL,  \
		 sizeof(opt) - 1)

static unsigned rcode(void)
{
	return reply[3] & 15;
}

START_TEST(B_HD04_classes)
{
	ask_zone("z.test", ZONE);
	SEND("ns.z.test", DNS_TYPE_A, 1234, "");
	ck_assert_uint_eq(rcode(), DNS_REFUSED);
	/* Class ANY has no authoritative answer: refused, not served. */
	SEND("ns.z.test", DNS_TYPE_A, DNS_CLASS_ANY, "");
	ck_assert_uint_eq(rcode(), DNS_REFUSED);
	SEND("ns.z.test", DNS_TYPE_A, DNS_CLASS_CH, "");
	ck_assert_uint_eq(rcode(), DNS_REFUSED);
}
END_TEST

START_TEST(B_HD04_chaos)
{
	static const struct {
		const char *name, *text;
	} names[] = {
	    {"version.bind", "\2v1"},
	    {"VERSION.server", "\2v1"},
	    {"hostname.bind", "\3id1"},
	    {"id.server", "\3id1"},
	};
	size_t len;

	ask_zone("z.test", ZONE);
	for (unsigned i = 0; i < 4; i++) {
		len = SEND(names[i].name, DNS_TYPE_TXT, DNS_CLASS_CH, "");
		ck_assert_uint_eq(rcode(), DNS_NOERROR);
		ck_assert_mem_eq(reply + len - strlen(names[i].text),
				 names[i].text, strlen(names[i].text));
		ask_text(reply, len);
	}
	*ask_config.version = '\0';
	SEND("version.bind", DNS_TYPE_TXT, DNS_CLASS_CH, "");
	ck_assert_uint_eq(rcode(), DNS_REFUSED);
	strcpy(ask_config.version, "v1");
	SEND("other.bind", DNS_TYPE_TXT, DNS_CLASS_CH, "");
	ck_assert_uint_eq(rcode(), DNS_REFUSED);
}
END_TEST

/* RD and CD come back, AA is set; RA, AD and Z never are. */
START_TEST(header_flags)
{
	uint8_t message[600];
	const struct ask a = {.name = "ns.z.test", .type = "A"};
	size_t len = ask_message(&a, message);

	ask_zone("z.test", ZONE);
	put_u16(message + 2, 0x07ff & ~0x000f);
	ask_raw(message, len, false, reply);
	ck_assert_uint_eq(get_u16(reply + 2), DNS_FLAG_QR | DNS_FLAG_AA |
						  DNS_FLAG_RD | DNS_FLAG_CD);
}
END_TEST

#define OPT_HEAD "\0\0\x29\x04\xd0"

START_TEST(B_ED01_badvers)
{
	size_t len;

	ask_zone("z.test", ZONE);
	len = SEND("ns.z.test", DNS_TYPE_A, 1,
		   OPT_HEAD "\0\1\0\0\0\6\xfd\xe9\0\2\1\2");
	/* header RCODE 0, no answer, OPT: extended RCODE 1, version 0 */
	ck_assert_uint_eq(rcode(), 0);
	ck_assert_uint_eq(get_u16(reply + 4), 1);
	ck_assert_uint_eq(get_u16(reply + 6), 0);
	ck_assert_mem_eq(reply + len - 11, OPT_HEAD "\1\0\0\0\0\0", 11);
	len = SEND("ns.z.test", DNS_TYPE_A, 1, OPT_HEAD "\0\0\0\0\0\0");
	ck_assert_uint_eq(get_u16(reply + 6), 1);
	ck_assert_mem_eq(reply + len - 11, OPT_HEAD "\0\0\0\0\0\0", 11);
}
END_TEST

START_TEST(B_ED02_options)
{
	size_t len;

	ask_zone("z.test", ZONE);
	memcpy(ask_config.nsid, "abc", 3);
	ask_config.nsid_len = 3;
	ask_config.keepalive = 0x1122;
	/* unknown option, NSID with a body, all flags, extended RCODE 1 */
	len = SEND("ns.z.test", DNS_TYPE_A, 1,
		   OPT_HEAD "\1\0\x7f\xff\0\x0f\xfd\xe9\0\5\1\2\3\4\5"
			    "\0\3\0\2xx");
	ck_assert_uint_eq(rcode(), 0);
	ck_assert_mem_eq(reply + len - 18, OPT_HEAD "\0\0\0\0\0\7\0\3\0\3abc",
			 18);
	/* keepalive, ZONEVERSION: label count 2, type 0, serial 77 */
	len = SEND("z.test", DNS_TYPE_SOA, 1,
		   OPT_HEAD "\0\0\0\0\0\x0c\0\x0b\0\0\0\x13\0\0\0\x09\0\0");
	ck_assert_mem_eq(reply + len - 24,
			 "\0\x0b\0\2\x11\x22\0\x13\0\6\2\0\0\0\0\x4d"
			 "\0\x09\0\4\0\0\0\4",
			 24);
	ask_config.nsid_len = 0;
	ask_config.keepalive = 0;
}
END_TEST

/* Cookies are not built: of whatever length, ignored and never echoed. */
START_TEST(B_ED05_cookie_ignored)
{
	size_t len;

	ask_zone("z.test", ZONE);
	len = SEND("ns.z.test", DNS_TYPE_A, 1,
		   OPT_HEAD "\0\0\0\0\0\x0b\0\x0a\0\7abcdefg");
	ck_assert_uint_eq(rcode(), 0);
	ck_assert_mem_eq(reply + len - 11, OPT_HEAD "\0\0\0\0\0\0", 11);
}
END_TEST

START_TEST(extended_errors)
{
	size_t len;

	ask_zone("broken.test", NULL);
	len = SEND("x.example.org", DNS_TYPE_A, 1, OPT_HEAD "\0\0\0\0\0\0");
	ck_assert_uint_eq(rcode(), DNS_REFUSED);
	ck_assert_mem_eq(reply + len - 8, "\0\6\0\x0f\0\2\0\x14", 8);
	len = SEND("x.broken.test", DNS_TYPE_A, 1, OPT_HEAD "\0\0\0\0\0\0");
	ck_assert_uint_eq(rcode(), DNS_SERVFAIL);
	ck_assert_mem_eq(reply + len - 8, "\0\6\0\x0f\0\2\0\x0e", 8);
}
END_TEST

START_TEST(notify_to_a_primary)
{
	uint8_t message[600];
	struct ask a = {.name = "z.test", .type = "SOA"};
	size_t len = ask_message(&a, message);

	ask_zone("z.test", ZONE);
	message[2] = DNS_OPCODE_NOTIFY << 3;
	ask_raw(message, len, false, reply);
	ck_assert_uint_eq(rcode(), DNS_REFUSED);
	a.name = "y.test";
	len = ask_message(&a, message);
	message[2] = DNS_OPCODE_NOTIFY << 3;
	ask_raw(message, len, false, reply);
	ck_assert_uint_eq(rcode(), DNS_NOTAUTH);
}
END_TEST

START_TEST(B_HD01_port_0_is_dropped)
{
	const struct sockaddr_in6 addr = {.sin6_family = AF_INET6};
	const struct query_peer peer = {.addr = (const struct sockaddr *)&addr,
					.transport = QUERY_UDP};
	const struct ask a = {.name = "z.test", .type = "SOA"};
	uint8_t message[600];
	size_t len = ask_message(&a, message);

	ask_zone("z.test", ZONE);
	ck_assert_uint_eq(
	    query_answer(&ask_ctx, ask_set, &peer, message, len, reply, 1232),
	    0);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("query");

	tcase_add_checked_fixture(tcase, NULL, ask_release);
	tcase_add_test(tcase, B_HD04_classes);
	tcase_add_test(tcase, B_HD04_chaos);
	tcase_add_test(tcase, header_flags);
	tcase_add_test(tcase, B_ED01_badvers);
	tcase_add_test(tcase, B_ED02_options);
	tcase_add_test(tcase, B_ED05_cookie_ignored);
	tcase_add_test(tcase, extended_errors);
	tcase_add_test(tcase, notify_to_a_primary);
	tcase_add_test(tcase, B_HD01_port_0_is_dropped);
	return unit_run("query/query", tcase);
}
