/* SPDX-License-Identifier: BSD-2-Clause */
#include "query/denial.h"
#include "ask.h"

/*
 * The two signed sample zones hold the same names. For each question: how many
 * NSEC and how many NSEC3 records go with the answer, no more and no fewer.
 */
static const struct {
	const char *id, *name, *type;
	int nsec, nsec3;
} cases[] = {
    {"hit", "www", "A", 0, 0},
    {"B-DS01 NODATA", "www", "TXT", 1, 1},
    {"NODATA at the apex", "@", "AAAA", 1, 1},
    {"empty non-terminal", "ent", "A", 1, 1},
    {"B-DS01 wildcard", "q.wild", "A", 1, 1},
    {"B-DS01 wildcard NODATA", "q.wild", "MX", 2, 3},
    {"B-DS01 wildcard NODATA, two labels", "p.q.wild", "MX", 2, 3},
    /* One NSEC3 covers both the name and the wildcard. */
    {"B-DS01 NXDOMAIN", "nope", "A", 2, 2},
    {"NXDOMAIN, deep", "a.b.c.nope", "A", 2, 2},
    {"NXDOMAIN, deeper than any node", "a.b.c.d.e.f.nope", "A", 2, 2},
    {"wildcard, deeper than any node", "a.b.c.d.e.f.wild", "A", 1, 1},
    {"referral, deeper than any node", "a.b.c.d.e.f.insecure", "A", 1, 2},
    {"NXDOMAIN below an empty non-terminal", "x.b.ent", "A", 2, 3},
    {"B-DS01 opt-out DS", "insecure", "DS", 1, 2},
    {"B-DS02 wildcard CNAME", "x.alias", "A", 1, 1},
    {"B-DS04 secure referral", "x.secure", "A", 0, 0},
    {"B-DS04 insecure referral", "x.insecure", "A", 1, 2},
    {"DS of a secure cut", "secure", "DS", 0, 0},
    {"chain to a wildcard", "towild", "A", 1, 1},
    {"wildcard chain to a wildcard", "x.walias", "A", 2, 2},
    {"chain to nothing", "gone", "A", 2, 3},
    {"chain to a cut", "tocut", "A", 1, 2},
};

static int count(const ldns_pkt *pkt, ldns_rr_type type)
{
	ldns_rr_list *list =
	    ldns_pkt_rr_list_by_type(pkt, type, LDNS_SECTION_AUTHORITY);
	int nr = (int)ldns_rr_list_rr_count(list);

	ldns_rr_list_deep_free(list);
	return nr;
}

/* What ldns 1.8 leaks while it checks a proof. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:ldns_dname_cat\nleak:ldns_rdf_new_frm_data\n";
}

/*
 * ldns checks the proof of a negative answer (names, hashes, bitmaps). With
 * NSEC it knows NXDOMAIN only.
 */
static void verify(const char *id, const ldns_pkt *pkt, ldns_rr_type type)
{
	ldns_rr_list *list =
	    ldns_pkt_rr_list_by_type(pkt, type, LDNS_SECTION_AUTHORITY);
	ldns_rr *question = ldns_rr_list_rr(ldns_pkt_question(pkt), 0);
	ldns_pkt_rcode rcode = ldns_pkt_get_rcode(pkt);
	ldns_status status = LDNS_STATUS_OK;

	if (type == LDNS_RR_TYPE_NSEC3)
		status = ldns_dnssec_verify_denial_nsec3(
		    question, list, NULL, rcode, ldns_rr_get_type(question),
		    true);
	else if (rcode == LDNS_RCODE_NXDOMAIN)
		status = ldns_dnssec_verify_denial(question, list, NULL);
	ck_assert_msg(status == LDNS_STATUS_OK, "%s: %s", id,
		      ldns_get_errorstr_by_id(status));
	ldns_rr_list_deep_free(list);
}

static void check(const char *apex, int i, ldns_rr_type type, int expected)
{
	char name[100];
	struct ask a = {.name = name,
			.type = cases[i].type,
			.size = 4096,
			.do_bit = true,
			.tcp = true};
	ldns_pkt *pkt;

	sprintf(name, "%s.%s", strcmp(cases[i].name, "@") ? cases[i].name : "",
		apex);
	if (*name == '.')
		strcpy(name, apex);
	pkt = ask_pkt(&a);
	ck_assert_msg(count(pkt, type) == expected, "%s (%s): %d, not %d: %s",
		      cases[i].id, name, count(pkt, type), expected, ask(&a));
	if (expected && ldns_pkt_aa(pkt) &&
	    !ldns_rr_list_rr_count(ldns_pkt_answer(pkt)))
		verify(cases[i].id, pkt, type);
	ldns_pkt_free(pkt);
}

START_TEST(B_DS01_B_DS02_B_DS04_nsec)
{
	ask_zone_file("nsec.example");
	check("nsec.example", _i, LDNS_RR_TYPE_NSEC, cases[_i].nsec);
}
END_TEST

START_TEST(B_DS01_B_DS02_B_DS04_nsec3)
{
	ask_zone_file("nsec3.example");
	check("nsec3.example", _i, LDNS_RR_TYPE_NSEC3, cases[_i].nsec3);
}
END_TEST

/* Every record has its RRSIG with DO, and none is there without. */
START_TEST(sigs_only_with_do)
{
	struct ask a = {.name = "nope.nsec.example",
			.type = "A",
			.size = 4096,
			.tcp = true};

	ask_zone_file("nsec.example");
	ck_assert_ptr_null(strstr(ask(&a), "SIG"));
	ck_assert_ptr_null(strstr(ask(&a), "NSEC"));
	a.do_bit = true;
	ck_assert_ptr_nonnull(strstr(ask(&a), "RRSIG SOA"));
	ck_assert_ptr_nonnull(strstr(ask(&a), "RRSIG NSEC"));
}
END_TEST

/* The octets of a proof do not depend on the case of the question. */
START_TEST(B_DS03_case_of_the_question)
{
	struct ask a = {.name = "wWw.Nsec3.Example",
			.type = "CAA",
			.size = 4096,
			.do_bit = true,
			.tcp = true};
	struct ask b = a;
	uint8_t message[600], reply_a[4096], reply_b[4096];
	size_t len, question, len_a, len_b;

	ask_zone_file("nsec3.example");
	b.name = "www.nsec3.example";
	len = ask_message(&a, message);
	question = len - DNS_OPT_LEN;
	len_a = ask_raw(message, len, true, reply_a);
	len = ask_message(&b, message);
	len_b = ask_raw(message, len, true, reply_b);
	ck_assert_uint_eq(len_a, len_b);
	ck_assert_uint_gt(len_a, question);
	ck_assert_mem_eq(reply_a + question, reply_b + question,
			 len_a - question);
}
END_TEST

START_TEST(B_DS04_referral_without_do)
{
	struct ask a = {.name = "x.secure.nsec.example", .type = "A"};
	const char *got;

	ask_zone_file("nsec.example");
	got = ask(&a);
	ck_assert_ptr_null(strstr(got, " DS "));
	a.size = 1232;
	a.do_bit = true;
	got = ask(&a);
	ck_assert_ptr_nonnull(strstr(got, " DS "));
	ck_assert_ptr_nonnull(strstr(got, "RRSIG DS"));
	ck_assert_ptr_null(strstr(got, "RRSIG NS "));
	ck_assert_ptr_null(strstr(got, "RRSIG A "));
}
END_TEST

START_TEST(nsec3_owner_is_no_name)
{
	const struct ask a = {
	    .name = "32BQ3O4MVVP5M41HOEN0S23P1AU5H10G.nsec3.example",
	    .type = "NSEC3"};

	ask_zone_file("nsec3.example");
	ck_assert_int_eq(strncmp(ask(&a), "NXDOMAIN aa;;", 13), 0);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("denial");
	const int nr = sizeof(cases) / sizeof(cases[0]);

	tcase_add_checked_fixture(tcase, NULL, ask_release);
	tcase_add_loop_test(tcase, B_DS01_B_DS02_B_DS04_nsec, 0, nr);
	tcase_add_loop_test(tcase, B_DS01_B_DS02_B_DS04_nsec3, 0, nr);
	tcase_add_test(tcase, sigs_only_with_do);
	tcase_add_test(tcase, B_DS03_case_of_the_question);
	tcase_add_test(tcase, B_DS04_referral_without_do);
	tcase_add_test(tcase, nsec3_owner_is_no_name);
	return unit_run("query/denial", tcase);
}
