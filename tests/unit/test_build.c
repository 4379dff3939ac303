/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the builder makes of records: the wire form, flags, references, merging
 * and sharing. Faults of the data are in test_zone_check.c.
 */
#include "base/octets.h"
#include "zone/rr.h"
#include "zone_text.h"

#define SOA "z.test. 3600 IN SOA ns.z.test. host.z.test. 7 3600 600 86400 300"
#define NS  "z.test. 3600 IN NS ns.z.test."
#define NSA "ns.z.test. 3600 IN A 192.0.2.53"

static struct zone_text zone = {.apex = "z.test."};

static struct snapshot *build_ok(const char *const *lines)
{
	struct snapshot *snapshot;
	int err = zone_text_build(&zone, lines, &snapshot);

	ck_assert_msg(!err, "%d: %s", err, zone.said);
	return snapshot;
}

#define BUILD(...) build_ok((const char *const[]){__VA_ARGS__, NULL})

static const struct rrset *find_rrset(const struct snapshot *snapshot,
				      const char *name, uint16_t type)
{
	const struct node *node = zone_text_find(snapshot, name);

	ck_assert_msg(node != NULL, "no node %s", name);
	return node_find(node, type);
}

static unsigned flags_of(const struct snapshot *snapshot, const char *name)
{
	const struct node *node = zone_text_find(snapshot, name);

	ck_assert_msg(node != NULL, "no node %s", name);
	return node->flags;
}

static void check_wire(const struct rrset *rrset, const void *wire, size_t len)
{
	ck_assert_ptr_nonnull(rrset);
	ck_assert_uint_eq(rrset->wire_len, len);
	ck_assert_mem_eq(rrset->wire, wire, len);
}

START_TEST(rrset_is_wire_form)
{
	struct snapshot *s = BUILD(SOA, NS, NSA, "w.z.test. 60 IN A 192.0.2.1",
				   "w.z.test. 60 IN A 192.0.2.0");
	const struct rrset *rrset = find_rrset(s, "W.Z.test.", DNS_TYPE_A);

	check_wire(rrset,
		   "\xc0\x0c\0\x01\0\x01\0\0\0\x3c\0\x04\xc0\0\x02\0"
		   "\xc0\x0c\0\x01\0\x01\0\0\0\x3c\0\x04\xc0\0\x02\x01",
		   32);
	ck_assert_uint_eq(rrset->rr_nr, 2);
	ck_assert_uint_eq(rrset->fix_nr, 0);
	ck_assert_uint_eq(s->record_nr, 5);
	ck_assert_uint_eq(s->serial, 7);
	ck_assert_uint_eq(s->node_nr, 3);
	ck_assert_uint_eq(zone.warnings, 0);
	ck_assert_ptr_eq(snapshot_node(s, s->apex),
			 zone_text_find(s, "z.test."));
	snapshot_put(s);
}
END_TEST

START_TEST(names_point_into_the_owner)
{
	struct snapshot *s =
	    BUILD(SOA, NS, NSA, "a.m.z.test. 60 IN MX 5 b.m.z.test.",
		  "a.m.z.test. 60 IN MX 6 a.m.z.test.",
		  "a.m.z.test. 60 IN MX 7 x.other.");
	const struct rrset *mx = find_rrset(s, "a.m.z.test.", DNS_TYPE_MX);

	check_wire(mx,
		   "\xc0\x0c\0\x0f\0\x01\0\0\0\x3c\0\x06\0\x05\x01"
		   "b\xc0\x0e"
		   "\xc0\x0c\0\x0f\0\x01\0\0\0\x3c\0\x04\0\x06\xc0\x0c"
		   "\xc0\x0c\0\x0f\0\x01\0\0\0\x3c\0\x0b\0\x07\x01x\5other",
		   18 + 16 + 23);
	ck_assert_uint_eq(mx->fix_nr, 2);
	ck_assert_uint_eq(rrset_fixes(mx)[0].at, 16);
	ck_assert_uint_eq(rrset_fixes(mx)[0].owner_off, 2);
	ck_assert_uint_eq(rrset_fixes(mx)[1].at, 18 + 14);
	ck_assert_uint_eq(rrset_fixes(mx)[1].owner_off, 0);
	snapshot_put(s);
}
END_TEST

/* SRV targets are not compressed (RFC 2782), nor is the root. */
START_TEST(only_rfc1035_names_are_compressed)
{
	struct snapshot *s =
	    BUILD(SOA, NS, NSA, "s.z.test. 60 IN SRV 0 0 1 ns.z.test.",
		  "r.z.test. 60 IN MX 0 .");

	ck_assert_uint_eq(find_rrset(s, "s.z.test.", DNS_TYPE_SRV)->fix_nr, 0);
	ck_assert_uint_eq(find_rrset(s, "r.z.test.", DNS_TYPE_MX)->fix_nr, 0);
	snapshot_put(s);
}
END_TEST

START_TEST(wildcard_has_no_pointer_to_its_own_label)
{
	struct snapshot *s =
	    BUILD(SOA, NS, NSA, "*.z.test. 60 IN MX 1 *.z.test.");
	const struct rrset *mx = find_rrset(s, "*.z.test.", DNS_TYPE_MX);

	ck_assert_uint_eq(mx->fix_nr, 1);
	ck_assert_uint_eq(rrset_fixes(mx)[0].owner_off, 2);
	check_wire(mx,
		   "\xc0\x0c\0\x0f\0\x01\0\0\0\x3c\0\x06\0\x01\x01"
		   "*\xc0\x0e",
		   18);
	snapshot_put(s);
}
END_TEST

/* A letter's case in RDATA survives: only equal octets are compressed. */
START_TEST(case_of_rdata_is_kept)
{
	struct snapshot *s =
	    BUILD(SOA, NS, NSA, "a.z.test. 60 IN CNAME b.Z.test.");
	const struct node *node = zone_text_find(s, "a.z.test.");
	struct rr_reader reader;
	struct rr rr;
	uint8_t buf[65535];

	rr_reader_init(&reader, node, node_find(node, DNS_TYPE_CNAME));
	ck_assert(rr_reader_next(&reader, &rr, buf));
	ck_assert_uint_eq(rr.len, 10);
	ck_assert_mem_eq(rr.rdata, "\1b\1Z\4test", 10);
	ck_assert(!rr_reader_next(&reader, &rr, buf));
	snapshot_put(s);
}
END_TEST

START_TEST(reader_makes_names_whole)
{
	struct snapshot *s = BUILD(SOA, NS, NSA);
	const struct node *node = zone_text_find(s, "z.test.");
	const struct rrset *soa = node_find(node, DNS_TYPE_SOA);
	struct rr_reader reader;
	struct rr rr;
	uint8_t buf[65535];

	ck_assert_uint_eq(soa->fix_nr, 2);
	rr_reader_init(&reader, node, soa);
	ck_assert(rr_reader_next(&reader, &rr, buf));
	ck_assert_uint_eq(rr.type, DNS_TYPE_SOA);
	ck_assert_uint_eq(rr.ttl, 3600);
	ck_assert_uint_eq(rr.len, 11 + 13 + 20);
	ck_assert_mem_eq(rr.rdata, "\2ns\1z\4test\0\4host\1z\4test\0\0\0\0\7",
			 28);
	snapshot_put(s);
}
END_TEST

START_TEST(flags_follow_from_the_neighbours)
{
	struct snapshot *s = BUILD(
	    SOA, NS, NSA, "sub.z.test. 60 IN NS ns.sub.z.test.",
	    "ns.sub.z.test. 60 IN A 192.0.2.1",
	    "a.b.c.z.test. 60 IN A 192.0.2.1", "*.w.z.test. 60 IN A 192.0.2.1",
	    "d.z.test. 60 IN DNAME other.", "e.z.test. 60 IN CNAME other.");

	ck_assert_uint_eq(flags_of(s, "z.test."), NODE_APEX);
	ck_assert_uint_eq(flags_of(s, "sub.z.test."), NODE_CUT);
	ck_assert_uint_eq(flags_of(s, "ns.sub.z.test."), NODE_BELOW_CUT);
	ck_assert_uint_eq(flags_of(s, "w.z.test."), NODE_WILDCARD_CHILD);
	ck_assert_uint_eq(flags_of(s, "*.w.z.test."), NODE_WILDCARD);
	ck_assert_uint_eq(flags_of(s, "d.z.test."), NODE_DNAME);
	ck_assert_uint_eq(flags_of(s, "e.z.test."), NODE_CNAME);
	ck_assert_uint_eq(zone_text_find(s, "w.z.test.")->rrset_nr, 0);
	ck_assert_uint_eq(zone_text_find(s, "c.z.test.")->rrset_nr, 0);
	ck_assert_uint_eq(zone_text_find(s, "b.c.z.test.")->rrset_nr, 0);
	ck_assert_uint_eq(s->node_nr, 11);
	ck_assert_uint_eq(zone.warnings, 0);
	snapshot_put(s);
}
END_TEST

/* Whatever the order of the file, order[] is canonical and complete. */
START_TEST(order_is_canonical)
{
	struct snapshot *s = BUILD(
	    "zz.z.test. 60 IN A 192.0.2.1", "a.\\001.z.test. 1 IN A 1.1.1.1",
	    "Y.z.test. 60 IN A 192.0.2.1", "b.y.z.test. 60 IN A 192.0.2.1",
	    "longlabelone.z.test. 1 IN A 1.1.1.1",
	    "longlabel.z.test. 1 IN A 1.1.1.1", "\\000.z.test. 1 IN A 1.1.1.1",
	    NSA, NS, "\\200.z.test. 1 IN A 1.1.1.1",
	    "a.y.z.test. 60 IN A 192.0.2.1", "zz.z.test. 60 IN A 192.0.2.2",
	    SOA);

	ck_assert_uint_eq(s->node_nr, 12);
	for (uint32_t i = 1; i < s->node_nr; i++)
		ck_assert_int_lt(
		    dns_name_cmp(snapshot_node(s, s->order[i - 1])->owner,
				 snapshot_node(s, s->order[i])->owner),
		    0);
	/* The owner's two records stood apart in the file. */
	ck_assert_uint_eq(find_rrset(s, "zz.z.test.", DNS_TYPE_A)->rr_nr, 2);
	snapshot_put(s);
}
END_TEST

static const struct node *ref_of(const struct snapshot *s, const char *name,
				 uint16_t type, uint32_t i)
{
	const struct rrset *rrset = find_rrset(s, name, type);
	uint32_t ref;

	ck_assert_ptr_nonnull(rrset);
	ref = rrset_refs(rrset)[i];
	return ref ? snapshot_node(s, ref) : NULL;
}

START_TEST(references_lead_to_addresses)
{
	struct snapshot *s = BUILD(
	    SOA, NS, NSA, "sub.z.test. 60 IN NS ns.sub.z.test.",
	    "ns.sub.z.test. 60 IN AAAA 2001:db8::1",
	    "m.z.test. 60 IN MX 1 ns.z.test.",
	    "m.z.test. 60 IN MX 2 ns.sub.z.test.",
	    "m.z.test. 60 IN MX 3 out.test.", "m.z.test. 60 IN MX 4 m.z.test.",
	    "v.z.test. 60 IN SRV 1 1 1 NS.z.test.", "n.z.test. 60 IN MX 0 .");

	ck_assert_ptr_eq(ref_of(s, "z.test.", DNS_TYPE_NS, 0),
			 zone_text_find(s, "ns.z.test."));
	ck_assert_ptr_eq(ref_of(s, "sub.z.test.", DNS_TYPE_NS, 0),
			 zone_text_find(s, "ns.sub.z.test."));
	ck_assert_ptr_eq(ref_of(s, "m.z.test.", DNS_TYPE_MX, 0),
			 zone_text_find(s, "ns.z.test."));
	ck_assert_ptr_null(ref_of(s, "m.z.test.", DNS_TYPE_MX, 1));
	ck_assert_ptr_null(ref_of(s, "m.z.test.", DNS_TYPE_MX, 2));
	ck_assert_ptr_null(ref_of(s, "m.z.test.", DNS_TYPE_MX, 3));
	ck_assert_ptr_eq(ref_of(s, "v.z.test.", DNS_TYPE_SRV, 0),
			 zone_text_find(s, "ns.z.test."));
	ck_assert_ptr_null(ref_of(s, "n.z.test.", DNS_TYPE_MX, 0));
	snapshot_put(s);
}
END_TEST

START_TEST(negative_soa_has_the_lesser_ttl)
{
	struct snapshot *s =
	    BUILD(SOA,
		  "z.test. 3600 IN RRSIG SOA 13 2 3600 20380101000000 "
		  "20230101000000 1 z.test. AAAA",
		  NS, NSA);
	const struct rrset *soa = snapshot_rrset(s, s->negative_soa);
	const struct rrset *whole = find_rrset(s, "z.test.", DNS_TYPE_SOA);

	ck_assert_uint_eq(get_u32(soa->wire + 6), 300);
	ck_assert_uint_eq(get_u32(rrset_sigs(soa) + 6), 300);
	ck_assert_uint_eq(get_u32(whole->wire + 6), 3600);
	ck_assert_uint_eq(get_u32(rrset_sigs(whole) + 6), 3600);
	ck_assert_uint_eq(soa->sig_nr, 1);
	ck_assert_uint_eq(soa->fix_nr, 2);
	snapshot_put(s);
}
END_TEST

START_TEST(unchanged_zone_is_the_same_snapshot)
{
	struct snapshot *s = BUILD(SOA, NS, NSA), *again;

	zone.previous = s;
	again = BUILD(NSA, SOA, NS);
	ck_assert_ptr_eq(again, s);
	ck_assert_uint_eq(atomic_load(&s->refs), 2);
	snapshot_put(again);
	again = BUILD(SOA, NS, "ns.z.test. 3600 IN A 192.0.2.54");
	ck_assert_ptr_ne(again, s);
	snapshot_put(again);
	zone.previous = NULL;
	snapshot_put(s);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("build");

	tcase_add_test(tcase, rrset_is_wire_form);
	tcase_add_test(tcase, names_point_into_the_owner);
	tcase_add_test(tcase, only_rfc1035_names_are_compressed);
	tcase_add_test(tcase, wildcard_has_no_pointer_to_its_own_label);
	tcase_add_test(tcase, case_of_rdata_is_kept);
	tcase_add_test(tcase, reader_makes_names_whole);
	tcase_add_test(tcase, flags_follow_from_the_neighbours);
	tcase_add_test(tcase, order_is_canonical);
	tcase_add_test(tcase, references_lead_to_addresses);
	tcase_add_test(tcase, negative_soa_has_the_lesser_ttl);
	tcase_add_test(tcase, unchanged_zone_is_the_same_snapshot);
	return unit_run("build", tcase);
}
