/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults that only the whole zone shows: which refuse it, which are said and
 * served all the same, and where each message says it is.
 */
#include "base/octets.h"
#include "zone_text.h"

#define SOA "z.test. 60 IN SOA ns.z.test. host.z.test. 7 3600 600 86400 300"
#define NS  "z.test. 60 IN NS ns.z.test."
#define NSA "ns.z.test. 60 IN A 192.0.2.53"
#define SIG(type, end)                                                         \
	" 60 IN RRSIG " type " 13 2 60 " end " 20230101000000 1 z.test. AAAA"

static struct zone_text zone = {.apex = "z.test."};

#define LINES(...) ((const char *const[]){__VA_ARGS__, NULL})

static void refused(const char *const *lines, const char *message)
{
	struct snapshot *snapshot;

	ck_assert_int_eq(zone_text_build(&zone, lines, &snapshot), -EINVAL);
	ck_assert_ptr_null(snapshot);
	ck_assert_uint_gt(zone.errors, 0);
	ck_assert_msg(strstr(zone.said, message) != NULL, "no '%s' in: %s",
		      message, zone.said);
}

/* message NULL: without a word. */
static struct snapshot *served(const char *const *lines, const char *message)
{
	struct snapshot *snapshot;
	int err = zone_text_build(&zone, lines, &snapshot);

	ck_assert_msg(!err, "%s", zone.said);
	ck_assert_uint_eq(zone.errors, 0);
	if (message)
		ck_assert_msg(strstr(zone.said, message) != NULL,
			      "no '%s' in: %s", message, zone.said);
	else
		ck_assert_str_eq(zone.said, "");
	return snapshot;
}

START_TEST(B_ZD01_records_the_zone_does_not_own)
{
	struct snapshot *s =
	    served(LINES(SOA, NS, NSA, "w.other.test. 60 IN A 192.0.2.1",
			 "az.test. 60 IN A 192.0.2.1",
			 "sub.z.test. 60 IN NS ns.sub.z.test.",
			 "ns.sub.z.test. 60 IN A 192.0.2.2",
			 "x.sub.z.test. 60 IN NS y.sub.z.test."),
		   "test.zone:4: z.test.: w.other.test.: outside the zone");

	ck_assert_ptr_null(zone_text_find(s, "w.other.test."));
	ck_assert_ptr_null(zone_text_find(s, "az.test."));
	ck_assert_uint_eq(zone_text_find(s, "x.sub.z.test.")->flags,
			  NODE_BELOW_CUT);
	ck_assert_ptr_nonnull(
	    strstr(zone.said,
		   "test.zone:8: z.test.: x.sub.z.test. NS: below a zone cut"));
	ck_assert_uint_eq(zone.warnings, 3);
	snapshot_put(s);
}
END_TEST

START_TEST(B_ZD02_cname_with_other_data)
{
	refused(LINES(SOA, NS, NSA, "a.z.test. 60 IN CNAME b.z.test.",
		      "a.z.test. 60 IN A 192.0.2.1"),
		"test.zone:4: z.test.: a.z.test.: CNAME and other data");
	/* The two need not stand together. */
	refused(LINES(SOA, NS, "a.z.test. 60 IN CNAME b.z.test.", NSA,
		      "a.z.test. 60 IN A 192.0.2.1"),
		"a.z.test.: CNAME and other data");
	refused(LINES(SOA, NS, NSA, "c.z.test. 60 IN CNAME b.z.test.",
		      "c.z.test. 60 IN CNAME d.z.test."),
		"c.z.test.: more than one CNAME");
	refused(LINES(SOA, NS, NSA, "c.z.test. 60 IN CNAME b.z.test.",
		      "c.z.test. 60 IN DNAME d.z.test."),
		"c.z.test.: CNAME and other data");
	refused(LINES(SOA, NS, NSA, "z.test. 60 IN CNAME b.test."),
		"z.test.: CNAME and other data");
}
END_TEST

START_TEST(B_ZD02_cname_with_rrsig_and_nsec)
{
	struct snapshot *s =
	    served(LINES(SOA, NS, NSA, "c.z.test. 60 IN CNAME b.test.",
			 "c.z.test. 60 IN NSEC z.test. CNAME RRSIG NSEC",
			 "c.z.test." SIG("CNAME", "20380101000000"),
			 "c.z.test." SIG("NSEC", "20380101000000")),
		   NULL);

	ck_assert_uint_eq(zone_text_find(s, "c.z.test.")->flags, NODE_CNAME);
	snapshot_put(s);
}
END_TEST

START_TEST(B_ZD03_apex_without_soa_or_ns)
{
	refused(LINES(NS, NSA), "no SOA at the apex");
	refused(LINES(NSA), "no SOA at the apex");
	refused((const char *const[]){NULL}, "no SOA");
	refused(LINES(SOA, NS, NSA,
		      "z.test. 60 IN SOA ns.z.test. host.z.test. 8 1 1 1 1"),
		"z.test.: more than one SOA");
	refused(LINES(SOA, NSA), "no NS at the apex");
	refused(LINES(SOA, NS, NSA,
		      "a.z.test. 60 IN SOA ns.z.test. host.z.test. 8 1 1 1 1"),
		"test.zone:4: z.test.: a.z.test.: SOA below the apex");
}
END_TEST

START_TEST(same_soa_twice_is_one)
{
	snapshot_put(served(LINES(SOA, NS, NSA, SOA),
			    "z.test. SOA: duplicate record left out"));
	/* Names in RDATA are the same in any case. */
	snapshot_put(served(LINES(SOA, NS, NSA, "z.test. 60 IN NS NS.Z.TEST."),
			    "test.zone:4: z.test.: z.test. NS: duplicate"));
	ck_assert_uint_eq(zone.warnings, 1);
}
END_TEST

START_TEST(dname_alone_and_above_nothing)
{
	refused(LINES(SOA, NS, NSA, "d.z.test. 60 IN DNAME a.test.",
		      "d.z.test. 60 IN DNAME b.test."),
		"d.z.test.: more than one DNAME");
	refused(LINES(SOA, NS, NSA, "d.z.test. 60 IN DNAME a.test.",
		      "y.x.d.z.test. 60 IN A 192.0.2.1"),
		"test.zone:5: z.test.: y.x.d.z.test.: lies below a DNAME");
	snapshot_put(served(LINES(SOA, NS, NSA, "d.z.test. 60 IN DNAME a.test.",
				  "d.z.test. 60 IN A 192.0.2.1"),
			    NULL));
}
END_TEST

START_TEST(B_ZS07_lowest_ttl_of_an_rrset)
{
	struct snapshot *s = served(
	    LINES(SOA, NS, NSA, "a.z.test. 90 IN A 192.0.2.1",
		  "a.z.test. 60 IN A 192.0.2.2", "a.z.test. 70 IN TXT x"),
	    "a.z.test. A: TTLs differ");
	const struct node *node = zone_text_find(s, "a.z.test.");
	const struct rrset *a = node_find(node, DNS_TYPE_A);

	ck_assert_uint_eq(a->rr_nr, 2);
	ck_assert_uint_eq(get_u32(a->wire + 6), 60);
	ck_assert_uint_eq(get_u32(a->wire + 16 + 6), 60);
	ck_assert_uint_eq(get_u32(node_find(node, DNS_TYPE_TXT)->wire + 6), 70);
	ck_assert_uint_eq(zone.warnings, 1);
	snapshot_put(s);
}
END_TEST

START_TEST(hosts_without_address)
{
	snapshot_put(served(LINES(SOA, NS), "test.zone:1: z.test.: z.test. NS: "
					    "host ns.z.test. has no address"));
	snapshot_put(
	    served(LINES(SOA, NS, NSA, "sub.z.test. 60 IN NS ns.sub.z.test."),
		   "sub.z.test. NS: host ns.sub.z.test. has no glue"));
	/* Glue of a sibling is welcome, not needed; nor is any elsewhere. */
	snapshot_put(
	    served(LINES(SOA, NS, NSA, "sub.z.test. 60 IN NS ns.other.z.test.",
			 "sub.z.test. 60 IN NS ns.other.",
			 "other.z.test. 60 IN NS ns.else."),
		   NULL));
	/* A wildcard has the addresses. */
	snapshot_put(
	    served(LINES(SOA, NS, "*.z.test. 60 IN A 192.0.2.1"), NULL));
}
END_TEST

START_TEST(hosts_that_are_aliases)
{
	snapshot_put(
	    served(LINES(SOA, NS, NSA, "a.z.test. 60 IN CNAME ns.z.test.",
			 "m.z.test. 60 IN MX 1 a.z.test."),
		   "test.zone:5: z.test.: m.z.test. MX: host "
		   "a.z.test. is an alias"));
	snapshot_put(served(LINES(SOA, NS, "ns.z.test. 60 IN CNAME x.test."),
			    "z.test. NS: host ns.z.test. is an alias"));
}
END_TEST

START_TEST(signatures_out_of_date)
{
	snapshot_put(
	    served(LINES(SOA, NS, NSA, "ns.z.test." SIG("A", "20231101000000")),
		   "test.zone:3: z.test.: ns.z.test.: RRSIG has "
		   "expired, 1 in all"));
	snapshot_put(
	    served(LINES(SOA, NS, NSA, "ns.z.test." SIG("A", "20231201000000")),
		   NULL));
}
END_TEST

START_TEST(nsec_chain_with_a_hole)
{
	snapshot_put(
	    served(LINES(SOA, NS, NSA, "z.test. 60 IN NSEC ns.z.test. NS SOA",
			 "ns.z.test. 60 IN NSEC z.test. A"),
		   NULL));
	snapshot_put(
	    served(LINES(SOA, NS, NSA, "z.test. 60 IN NSEC ns.z.test. NS SOA",
			 "a.z.test. 60 IN A 192.0.2.1",
			 "ns.z.test. 60 IN NSEC z.test. A"),
		   "test.zone:5: z.test.: a.z.test.: no NSEC, 1"));
	snapshot_put(
	    served(LINES(SOA, NS, NSA, "z.test. 60 IN NSEC z.test. NS SOA",
			 "ns.z.test. 60 IN NSEC z.test. A"),
		   "z.test.: NSEC does not lead to the next one, 1"));
}
END_TEST

#define H1 "0000000000000000000000000000000A.z.test."
#define H2 "vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv.z.test."
#define L1 "0000000000000000000000000000000a"
#define L2 "vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv"

START_TEST(B_RD11_nsec3_without_a_hash)
{
	struct snapshot *s =
	    served(LINES(SOA, NS, NSA, "z.test. 60 IN NSEC3PARAM 1 0 1 ab",
			 "!!not-base32!!.z.test. 60 IN NSEC3 1 0 1 ab " L1 " A",
			 H2 " 60 IN NSEC3 1 0 1 ab " L1 " A",
			 H1 " 60 IN NSEC3 1 1 1 ab " L2 " A",
			 H1 SIG("NSEC3", "20380101000000")),
		   "test.zone:5: z.test.: !!not-base32!!.z.test.: no hash");

	ck_assert_uint_eq(zone.warnings, 1);
	ck_assert_int_eq(s->denial, DENIAL_NSEC3);
	ck_assert_uint_eq(s->nsec3_nr, 2);
	ck_assert_uint_eq(s->nsec3_iterations, 1);
	ck_assert_uint_eq(s->nsec3_salt_len, 1);
	ck_assert_uint_eq(s->nsec3_salt[0], 0xab);
	/* Hashed owners are not in the name space. */
	ck_assert_ptr_null(zone_text_find(s, H1));
	ck_assert_uint_eq(s->node_nr, 2);
	ck_assert_uint_eq(s->record_nr, 7);
	snapshot_put(s);
}
END_TEST

START_TEST(B_RD11_apex_too_long_for_a_hash)
{
	char apex[256] = "", line[3][600];
	const char *const lines[] = {line[0], line[1], line[2], NULL};
	struct snapshot *s;
	unsigned nr;

	/* Four labels of 54 and one root label: 221; 222 octets and more. */
	for (nr = 0; nr < 4; nr++)
		strcat(apex,
		       "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		       "aaaa.");
	strcat(apex, "a.");
	zone.apex = apex;
	snprintf(line[0], sizeof(line[0]), "%s 60 IN SOA a. b. 1 1 1 1 1",
		 apex);
	snprintf(line[1], sizeof(line[1]), "%s 60 IN NS ns.other.", apex);
	snprintf(line[2], sizeof(line[2]), "%s 60 IN NSEC3PARAM 1 0 0 -", apex);
	s = served(lines, "no NSEC3 proofs");
	ck_assert_uint_eq(snapshot_node(s, s->apex)->owner_len, 223);
	ck_assert_int_eq(s->denial, DENIAL_NONE);
	ck_assert_uint_eq(s->nsec3_nr, 0);
	snapshot_put(s);
}
END_TEST

START_TEST(nsec3_of_another_chain)
{
	struct snapshot *s =
	    served(LINES(SOA, NS, NSA, "z.test. 60 IN NSEC3PARAM 1 0 0 -",
			 H1 " 60 IN NSEC3 1 0 0 - " L1 " A",
			 H2 " 60 IN NSEC3 1 0 2 - " L1 " A"),
		   "1 NSEC3 do not match");

	ck_assert_uint_eq(s->nsec3_nr, 1);
	ck_assert_uint_eq(s->record_nr, 5);
	snapshot_put(s);
	s = served(LINES(SOA, NS, NSA, "z.test. 60 IN NSEC3PARAM 1 0 101 -",
			 H1 " 60 IN NSEC3 1 0 101 - " L2 " A"),
		   "101 NSEC3 iterations");
	ck_assert_ptr_nonnull(
	    strstr(zone.said, "NSEC3 does not lead to the next one"));
	snapshot_put(s);
}
END_TEST

static struct snapshot *many_addresses(unsigned nr)
{
	char(*line)[48] = calloc(nr + 3, sizeof(*line));
	const char **lines = calloc(nr + 4, sizeof(*lines));
	struct snapshot *snapshot;

	strcpy(line[0], "z.test. 60 IN SOA a. b. 1 1 1 1 1");
	strcpy(line[1], "z.test. 60 IN NS ns.other.");
	/* Between them another name, so that each stands alone. */
	for (unsigned i = 0; i < nr; i++)
		snprintf(line[2 + i], sizeof(*line),
			 "%s.z.test. 60 A 10.%u.%u.%u", i % 2 ? "b" : "a",
			 i >> 16, i >> 8 & 255, i & 255);
	for (unsigned i = 0; i < nr + 2; i++)
		lines[i] = line[i];
	snapshot = served(lines, "records fit no message");
	free(line);
	free(lines);
	return snapshot;
}

/* Would take hours if a record at a name cost time for each one before. */
START_TEST(B_SE01_many_records_at_one_name)
{
	struct snapshot *s = many_addresses(120000);

	ck_assert_uint_eq(
	    node_find(zone_text_find(s, "a.z.test."), DNS_TYPE_A)->rr_nr,
	    60000);
	ck_assert_ptr_nonnull(
	    strstr(zone.said, "b.z.test. A: 60000 records fit no"));
	snapshot_put(s);
}
END_TEST

START_TEST(B_SE01_many_types_at_one_name)
{
	enum { NR = 3000 };
	static char line[NR][48];
	static const char *lines[NR + 4] = {SOA, NS, NSA};
	struct snapshot *s;
	const struct node *node;

	for (unsigned i = 0; i < NR; i++) {
		snprintf(line[i], sizeof(*line),
			 "t.z.test. 60 IN TYPE%u \\# 1 00", 60000 - i);
		lines[3 + i] = line[i];
	}
	s = served(lines, NULL);
	node = zone_text_find(s, "t.z.test.");
	ck_assert_uint_eq(node->rrset_nr, NR);
	ck_assert_uint_eq(node_first(node)->type, 57001);
	ck_assert_ptr_nonnull(node_find(node, 60000));
	snapshot_put(s);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("zone_check");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, B_ZD01_records_the_zone_does_not_own);
	tcase_add_test(tcase, B_ZD02_cname_with_other_data);
	tcase_add_test(tcase, B_ZD02_cname_with_rrsig_and_nsec);
	tcase_add_test(tcase, B_ZD03_apex_without_soa_or_ns);
	tcase_add_test(tcase, same_soa_twice_is_one);
	tcase_add_test(tcase, dname_alone_and_above_nothing);
	tcase_add_test(tcase, B_ZS07_lowest_ttl_of_an_rrset);
	tcase_add_test(tcase, hosts_without_address);
	tcase_add_test(tcase, hosts_that_are_aliases);
	tcase_add_test(tcase, signatures_out_of_date);
	tcase_add_test(tcase, nsec_chain_with_a_hole);
	tcase_add_test(tcase, B_RD11_nsec3_without_a_hash);
	tcase_add_test(tcase, B_RD11_apex_too_long_for_a_hash);
	tcase_add_test(tcase, nsec3_of_another_chain);
	tcase_add_test(tcase, B_SE01_many_records_at_one_name);
	tcase_add_test(tcase, B_SE01_many_types_at_one_name);
	return unit_run("zone_check", tcase);
}
