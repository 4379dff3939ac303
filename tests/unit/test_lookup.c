/* SPDX-License-Identifier: BSD-2-Clause */
#include "query/lookup.h"
#include "ask.h"

#define SOA "z.test. 60 IN SOA ns.z.test. hm.z.test. 7 3600 600 86400 60"

static const char zone_text[] =
    "$TTL 500\n"
    "@ SOA ns hm 7 3600 600 86400 60\n"
    "@ NS ns\n"
    "@ MX 10 mail\n"
    "ns A 192.0.2.1\n"
    "mail A 192.0.2.25\n"
    "mail AAAA 2001:db8::25\n"
    "www A 192.0.2.80\n"
    "WwW2 TXT x\n"
    "_443._tcp.tls TLSA 3 1 1 "
    "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\n"
    "f.*.e A 192.0.2.2\n"
    "t.e A 192.0.2.1\n"
    "*.d A 192.0.2.3\n"
    "*.d MX 5 mail.d\n"
    "r.c.d A 192.0.2.4\n"
    "foo CNAME www.*.z.test.\n"
    "dn DNAME f.d\n"
    "long DNAME "
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa."
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa."
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa."
    "aaaaaa\n"
    "l1 CNAME l2\n"
    "l2 CNAME l1\n"
    "*.w CNAME *.w\n"
    "s DNAME s\n"
    "a CNAME b\n"
    "b CNAME gone\n"
    "n CNAME t\n"
    "t TXT x\n"
    "x CNAME www.u.test.\n"
    "h NS ns.h\n"
    "h NS ns.out.test.\n"
    "ns.h A 192.0.2.9\n"
    "occ.h A 192.0.2.11\n"
    "toh CNAME occ.h\n"
    "kid NS ns.kid\n"
    "ns.kid A 192.0.2.12\n"
    "*.wd A 192.0.2.1\n"
    "dom.wd NS ns.out.test.\n"
    "srv SRV 1 2 3 www\n"
    "svc HTTPS 1 . alpn=h2\n"
    "svc A 192.0.2.61\n"
    "alsvc CNAME svc\n";

#define H_NS                                                                   \
	"h.z.test. 500 IN NS ns.h.z.test. | h.z.test. 500 IN NS ns.out.test."
#define H_GLUE	 "ns.h.z.test. 500 IN A 192.0.2.9"
#define REFERRAL "NOERROR;; " H_NS "; " H_GLUE
#define NODATA	 "NOERROR aa;; " SOA ";"
#define NXDOMAIN "NXDOMAIN aa;; " SOA ";"

static const struct {
	const char *id, *name, *type, *expected;
} cases[] = {
    {"hit", "www.z.test", "A", "NOERROR aa; www.z.test. 500 IN A 192.0.2.80;;"},
    {"hit at the apex", "z.test", "MX",
     "NOERROR aa; z.test. 500 IN MX 10 mail.z.test.;;"
     " mail.z.test. 500 IN A 192.0.2.25 |"
     " mail.z.test. 500 IN AAAA 2001:db8::25"},
    {"SRV", "srv.z.test", "SRV",
     "NOERROR aa; srv.z.test. 500 IN SRV 1 2 3 www.z.test.;;"
     " www.z.test. 500 IN A 192.0.2.80"},
    {"HTTPS, target is the owner", "svc.z.test", "HTTPS",
     "NOERROR aa; svc.z.test. 500 IN HTTPS 1 . alpn=h2;;"
     " svc.z.test. 500 IN A 192.0.2.61"},
    {"HTTPS behind an alias", "alsvc.z.test", "HTTPS",
     "NOERROR aa; alsvc.z.test. 500 IN CNAME svc.z.test. |"
     " svc.z.test. 500 IN HTTPS 1 . alpn=h2;;"
     " svc.z.test. 500 IN A 192.0.2.61"},
    {"B-AN11 SOA itself", "z.test", "SOA",
     "NOERROR aa; z.test. 500 IN SOA ns.z.test. hm.z.test. 7 3600 600 86400"
     " 60;;"},
    {"B-AN11 NODATA", "www.z.test", "MX", NODATA},
    {"B-AN11 empty non-terminal", "_tcp.tls.z.test", "A", NODATA},
    {"B-AN11 missing", "nope.z.test", "A", NXDOMAIN},
    {"B-AN01", "something.e.z.test", "A", NODATA},
    {"B-AN01 below", "f.something.e.z.test", "A", NODATA},
    {"B-AN02 x.d", "x.d.z.test", "A",
     "NOERROR aa; x.d.z.test. 500 IN A 192.0.2.3;;"},
    {"B-AN02 two labels", "y.x.d.z.test", "A",
     "NOERROR aa; y.x.d.z.test. 500 IN A 192.0.2.3;;"},
    {"B-AN02 wildcard with a host", "x.d.z.test", "MX",
     "NOERROR aa; x.d.z.test. 500 IN MX 5 mail.d.z.test.;;"},
    {"B-AN02 x.c.d", "x.c.d.z.test", "A", NXDOMAIN},
    {"B-AN02 x.r.c.d", "x.r.c.d.z.test", "A", NXDOMAIN},
    {"B-AN02 TLSA below", "tls.z.test", "A", NODATA},
    {"wildcard NODATA", "x.d.z.test", "TXT", NODATA},
    {"wildcard asked by name", "*.d.z.test", "A",
     "NOERROR aa; *.d.z.test. 500 IN A 192.0.2.3;;"},
    {"B-AN03", "foo.z.test", "A",
     "NXDOMAIN aa; foo.z.test. 500 IN CNAME www.*.z.test.; " SOA ";"},
    {"B-AN04 CNAME", "a.dn.z.test", "CNAME",
     "NOERROR aa; a.dn.z.test. 500 IN CNAME a.f.d.z.test. |"
     " dn.z.test. 500 IN DNAME f.d.z.test.;;"},
    {"B-AN04 DNAME itself", "dn.z.test", "DNAME",
     "NOERROR aa; dn.z.test. 500 IN DNAME f.d.z.test.;;"},
    {"B-AN06 CNAME loop", "l1.z.test", "A",
     "NOERROR aa; l1.z.test. 500 IN CNAME l2.z.test. |"
     " l2.z.test. 500 IN CNAME l1.z.test.;;"},
    {"B-AN06 wildcard loop", "q.w.z.test", "A",
     "NOERROR aa; *.w.z.test. 500 IN CNAME *.w.z.test. |"
     " q.w.z.test. 500 IN CNAME *.w.z.test.;;"},
    {"B-AN06 DNAME loop", "c.s.z.test", "A",
     "NOERROR aa; c.s.z.test. 500 IN CNAME c.s.z.test. |"
     " s.z.test. 500 IN DNAME s.z.test.;;"},
    {"B-AN07 NXDOMAIN", "a.z.test", "A",
     "NXDOMAIN aa; a.z.test. 500 IN CNAME b.z.test. |"
     " b.z.test. 500 IN CNAME gone.z.test.; " SOA ";"},
    {"B-AN07 NODATA", "n.z.test", "A",
     "NOERROR aa; n.z.test. 500 IN CNAME t.z.test.; " SOA ";"},
    {"B-AN07 CNAME asked", "n.z.test", "CNAME",
     "NOERROR aa; n.z.test. 500 IN CNAME t.z.test.;;"},
    {"B-AN08", "x.z.test", "A",
     "NOERROR aa; x.z.test. 500 IN CNAME www.u.test.;;"},
    {"B-AN09 SOA", "h.z.test", "SOA", REFERRAL},
    {"B-AN09 NS", "h.z.test", "NS", REFERRAL},
    {"B-AN09 occluded", "occ.h.z.test", "A", REFERRAL},
    {"B-AN09 glue", "ns.h.z.test", "A", REFERRAL},
    {"B-AN09 ANY", "h.z.test", "ANY", REFERRAL},
    {"B-AN09 missing below", "deep.no.h.z.test", "A", REFERRAL},
    {"alias to a cut", "toh.z.test", "A",
     "NOERROR aa; toh.z.test. 500 IN CNAME occ.h.z.test.; " H_NS "; " H_GLUE},
    {"B-AN10 DS at a cut", "h.z.test", "DS", NODATA},
    {"B-AN10 DS, child here", "kid.z.test", "DS", NODATA},
    {"B-AN10 DS below a cut", "occ.h.z.test", "DS", REFERRAL},
    {"B-AN10 SOA, child here", "kid.z.test", "SOA",
     "NOERROR aa; kid.z.test. 9 IN SOA ns.kid.z.test. hm.kid.z.test. 1 2 3 4"
     " 5;;"},
    {"B-AN10 only the child", "u.test", "DS",
     "NOERROR aa;; u.test. 5 IN SOA ns.u.test. hm.u.test. 1 2 3 4 5;"},
    {"B-AN12", "sub.dom.wd.z.test", "A",
     "NOERROR;; dom.wd.z.test. 500 IN NS ns.out.test.;"},
    {"not loaded", "www.broken.test", "A", "SERVFAIL;;;"},
    {"not ours", "www.example.net", "A", "REFUSED;;;"},
    {"B-AN14 the root, not ours", ".", "NS", "REFUSED;;;"},
    {"ANY over UDP: one RRset", "mail.z.test", "ANY",
     "NOERROR aa; mail.z.test. 500 IN A 192.0.2.25;;"},
    {"meta type", "www.z.test", "OPT", "FORMERR;;;"},
    {"meta type 0", "www.z.test", "TYPE0", "FORMERR;;;"},
    {"AXFR over UDP", "z.test", "AXFR", "FORMERR;;;"},
};

#define CHILD "$TTL 9\n@ SOA ns hm 1 2 3 4 5\n@ NS ns\nns A 192.0.2.7\n"

static void setup(void)
{
	ask_zone("z.test", zone_text);
	ask_zone("kid.z.test", CHILD);
	ask_zone("u.test", CHILD);
	ask_zone("broken.test", NULL);
}

START_TEST(B_AN01_to_B_AN12)
{
	ask_expect(cases[_i].name, cases[_i].type, cases[_i].expected);
}
END_TEST

START_TEST(B_AN05_dname_result_too_long)
{
	const char *got;
	char name[80];

	memset(name, 'b', 63);
	strcpy(name + 63, ".long.z.test");
	got = ask(&(struct ask){.name = name, .type = "A", .tcp = true});
	ck_assert_ptr_nonnull(strstr(got, "YXDOMAIN aa; long.z.test. 500 IN"
					  " DNAME aaa"));
	ck_assert_ptr_null(strstr(got, "CNAME"));
}
END_TEST

START_TEST(B_AN13_question_bit_for_bit)
{
	const struct ask a = {.name = "wWw.Z.tEsT", .type = "A"};
	uint8_t message[600], reply[1232];
	size_t len = ask_message(&a, message);
	size_t got = ask_raw(message, len, false, reply);

	ck_assert_uint_eq(got, len + 16);
	ck_assert_mem_eq(reply + DNS_HEADER_LEN, message + DNS_HEADER_LEN,
			 len - DNS_HEADER_LEN);
	/* Owner: a pointer to the question; A: the zone's. */
	ck_assert_mem_eq(reply + len, "\xc0\x0c", 2);
	ask_expect("wWw.D.z.test", "TXT", "NOERROR aa;; " SOA ";");
}
END_TEST

START_TEST(B_AN13_dname_owner_is_the_zones)
{
	ask_expect("A.DN.Z.test", "CNAME",
		   "NOERROR aa; A.DN.Z.test. 500 IN CNAME a.f.d.z.test. |"
		   " DN.Z.test. 500 IN DNAME f.d.z.test.;;");
}
END_TEST

START_TEST(any_over_tcp_is_all)
{
	const struct ask a = {
	    .name = "mail.z.test", .type = "ANY", .tcp = true};

	ck_assert_str_eq(ask(&a),
			 "NOERROR aa; mail.z.test. 500 IN A 192.0.2.25 |"
			 " mail.z.test. 500 IN AAAA 2001:db8::25;;");
}
END_TEST

START_TEST(B_AN14_root_zone)
{
	ask_zone(".", "$TTL 9\n@ SOA a.root-servers.net. n. 1 2 3 4 5\n"
		      "@ NS a.root-servers.net.\n"
		      "a.root-servers.net. A 198.51.100.4\n"
		      "com NS a.gtld.com.\na.gtld.com. A 192.0.2.30\n"
		      "com DS 1 13 2 00112233445566778899aabbccddeeff"
		      "00112233445566778899aabbccddeeff\n");
	ask_expect(".", "NS",
		   "NOERROR aa; . 9 IN NS a.root-servers.net.;;"
		   " a.root-servers.net. 9 IN A 198.51.100.4");
	ask_expect("com", "DS",
		   "NOERROR aa; com. 9 IN DS 1 13 2 00112233445566778899aabb"
		   "ccddeeff00112233445566778899aabbccddeeff;;");
	ask_expect(
	    "nope", "A",
	    "NXDOMAIN aa;; . 5 IN SOA a.root-servers.net. n. 1 2 3 4 5;");
	ask_expect("x.com", "A",
		   "NOERROR;; com. 9 IN NS a.gtld.com.;"
		   " a.gtld.com. 9 IN A 192.0.2.30");
	ask_expect(
	    "test", "DS",
	    "NXDOMAIN aa;; . 5 IN SOA a.root-servers.net. n. 1 2 3 4 5;");
}
END_TEST

/* 40 names long: the chain ends after 16 steps, each record once. */
START_TEST(long_chain)
{
	char text[4096] = "$TTL 9\n@ SOA ns hm 1 2 3 4 5\n@ NS ns\n"
			  "ns A 192.0.2.7\n";
	struct ask a = {.name = "c0.chain.test", .type = "A", .tcp = true};
	const char *got;
	unsigned nr = 0;

	for (unsigned i = 0; i < 40; i++)
		sprintf(text + strlen(text), "c%u CNAME c%u\n", i, i + 1);
	ask_zone("chain.test", text);
	got = ask(&a);
	for (const char *p = got; (p = strstr(p, "CNAME")); p++)
		nr++;
	ck_assert_uint_eq(nr, ANSWER_STEPS_MAX);
	a.name = "c30.chain.test";
	ck_assert_int_eq(strncmp(ask(&a), "NXDOMAIN aa", 11), 0);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("lookup");

	tcase_add_checked_fixture(tcase, setup, ask_release);
	tcase_add_loop_test(tcase, B_AN01_to_B_AN12, 0,
			    sizeof(cases) / sizeof(cases[0]));
	tcase_add_test(tcase, B_AN05_dname_result_too_long);
	tcase_add_test(tcase, B_AN13_question_bit_for_bit);
	tcase_add_test(tcase, B_AN13_dname_owner_is_the_zones);
	tcase_add_test(tcase, any_over_tcp_is_all);
	tcase_add_test(tcase, B_AN14_root_zone);
	tcase_add_test(tcase, long_chain);
	return unit_run("query/lookup", tcase);
}
