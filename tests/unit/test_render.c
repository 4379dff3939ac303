/* SPDX-License-Identifier: BSD-2-Clause */
#include "query/render.h"
#include "ask.h"
#include "base/octets.h"

#define HEAD "$TTL 9\n@ SOA ns hm 1 2 3 4 5\n@ NS ns\nns A 192.0.2.7\n"

/* nr records of a type, data from a format with the number in it. */
static char *zone_text(const char *format, unsigned nr)
{
	char *text = malloc(200 + (size_t)nr * 400);

	strcpy(text, HEAD);
	for (unsigned i = 0; i < nr; i++) {
		sprintf(text + strlen(text), format, i / 256, i % 256);
		strcat(text, "\n");
	}
	return text;
}

static void add_zone(const char *format, unsigned nr)
{
	char *text = zone_text(format, nr);

	ask_zone("z.test", text);
	free(text);
}

static size_t reply_len(const struct ask *a, uint8_t *reply)
{
	uint8_t message[600];

	return ask_raw(message, ask_message(a, message), a->tcp, reply);
}

/* 512 octets: 12 + 16 + 29 * 16 = 492; one more A is 508, then 524. */
START_TEST(B_ED04_limits)
{
	static const struct {
		unsigned nr;
		int size;
		bool tc;
	} cases[] = {
	    {30, 0, false},    {31, 0, true},	 {29, 100, false},
	    {30, 100, true},   {29, 511, false}, {30, 512, true},
	    {74, 1232, false}, {75, 1232, true}, {75, 65535, true},
	    {75, 4096, true},
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ask a = {
		    .name = "a.z.test", .type = "A", .size = cases[i].size};
		uint8_t reply[1232];
		size_t len;

		add_zone("a A 192.0.%u.%u", cases[i].nr);
		len = reply_len(&a, reply);
		ck_assert_msg(!!(get_u16(reply + 2) & DNS_FLAG_TC) ==
				  cases[i].tc,
			      "%u records, size %d: %zu octets", cases[i].nr,
			      cases[i].size, len);
		ck_assert_uint_eq(get_u16(reply + 6),
				  cases[i].tc ? 0 : cases[i].nr);
		ck_assert_uint_eq(get_u16(reply + 10), a.size ? 1 : 0);
		a.tcp = true;
		ck_assert_int_eq(strncmp(ask(&a), "NOERROR aa;", 11), 0);
		ask_release();
	}
}
END_TEST

START_TEST(B_SE01_rrset_over_a_message)
{
	struct ask a = {.name = "a.z.test", .type = "A", .tcp = true};

	add_zone("a A 192.0.%u.%u", 6000);
	ck_assert_str_eq(ask(&a), "NOERROR aa tc;;;");
}
END_TEST

/* Six in-domain servers: glue that does not fit is TC, not silence. */
START_TEST(B_ED04_in_domain_glue_or_tc)
{
	struct ask a = {.name = "x.sub.z.test", .type = "A"};
	char text[8000] = HEAD;

	for (unsigned i = 0; i < 12; i++)
		sprintf(text + strlen(text),
			"sub NS a-name-server-number-%u.sub\n"
			"a-name-server-number-%u.sub A 192.0.2.%u\n",
			i, i, i);
	ask_zone("z.test", text);
	ck_assert_int_eq(strncmp(ask(&a), "NOERROR tc;;", 12), 0);
	a.size = 1232;
	ck_assert_int_eq(strncmp(ask(&a), "NOERROR;;", 9), 0);
}
END_TEST

/* The same with servers elsewhere in the zone: left out, no TC. */
START_TEST(B_ED04_optional_addresses_left_out)
{
	struct ask a = {.name = "x.sub.z.test", .type = "A"};
	char text[8000] = HEAD;

	for (unsigned i = 0; i < 9; i++)
		sprintf(text + strlen(text),
			"sub NS a-name-server-number-%u.far\n"
			"a-name-server-number-%u.far A 192.0.2.%u\n",
			i, i, i);
	ask_zone("z.test", text);
	ck_assert_int_eq(strncmp(ask(&a), "NOERROR;;", 9), 0);
}
END_TEST

/*
 * Pointers must come out right wherever the owner lies: question, wildcard,
 * suffix of the question, target of an alias. ldns reads them all back.
 */
START_TEST(pointers_move_with_the_owner)
{
	ask_zone("z.test", HEAD "mx.deep MX 10 m.mx.deep\n"
				"mx.deep MX 20 m.deep\n"
				"mx.deep MX 30 z.test.\n"
				"mx.deep MX 40 .\n"
				"*.w.deep MX 10 m.w.deep\n"
				"*.w.deep MX 10 m.deep\n"
				"al CNAME mx.deep\n"
				"alw CNAME q.r.w.deep\n"
				"cut.deep NS ns.cut.deep\n"
				"ns.cut.deep A 192.0.2.9\n"
				"alcut CNAME x.y.cut.deep\n"
				"dn DNAME deep\n");
#define MX(n)                                                                  \
	n " 9 IN MX 10 m.mx.deep.z.test. | " n                                 \
	  " 9 IN MX 20 m.deep.z.test. | " n " 9 IN MX 30 z.test. | " n         \
	  " 9 IN MX 40 ."
#define WMX(n)                                                                 \
	n " 9 IN MX 10 m.deep.z.test. | " n " 9 IN MX 10 m.w.deep.z.test."
#define CUT                                                                    \
	"cut.deep.z.test. 9 IN NS ns.cut.deep.z.test.;"                        \
	" ns.cut.deep.z.test. 9 IN A 192.0.2.9"
	ask_expect("mx.deep.z.test", "MX",
		   "NOERROR aa; " MX("mx.deep.z.test.") ";;");
	ask_expect("q.w.deep.z.test", "MX",
		   "NOERROR aa; " WMX("q.w.deep.z.test.") ";;");
	ask_expect("p.q.w.deep.z.test", "MX",
		   "NOERROR aa; " WMX("p.q.w.deep.z.test.") ";;");
	ask_expect("al.z.test", "MX",
		   "NOERROR aa; al.z.test. 9 IN CNAME mx.deep.z.test. | " MX(
		       "mx.deep.z.test.") ";;");
	ask_expect(
	    "alw.z.test", "MX",
	    "NOERROR aa; alw.z.test. 9 IN CNAME q.r.w.deep.z.test. | " WMX(
		"q.r.w.deep.z.test.") ";;");
	ask_expect("x.y.cut.deep.z.test", "A", "NOERROR;; " CUT);
	ask_expect(
	    "alcut.z.test", "A",
	    "NOERROR aa; alcut.z.test. 9 IN CNAME x.y.cut.deep.z.test.; " CUT);
	ask_expect("mx.dn.z.test", "MX",
		   "NOERROR aa; dn.z.test. 9 IN DNAME deep.z.test. | " MX(
		       "mx.deep.z.test.") " | mx.dn.z.test. 9 IN CNAME "
					  "mx.deep.z.test.;;");
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("render");

	tcase_add_checked_fixture(tcase, NULL, ask_release);
	tcase_add_test(tcase, B_ED04_limits);
	tcase_add_test(tcase, B_SE01_rrset_over_a_message);
	tcase_add_test(tcase, B_ED04_in_domain_glue_or_tc);
	tcase_add_test(tcase, B_ED04_optional_addresses_left_out);
	tcase_add_test(tcase, pointers_move_with_the_owner);
	return unit_run("query/render", tcase);
}
