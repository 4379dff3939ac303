/* SPDX-License-Identifier: BSD-2-Clause */
#include "zone/nsec.h"
#include "zone_text.h"

#define SOA "example. 60 IN SOA ns.else. host.else. 7 3600 600 86400 300"
#define NS  "example. 60 IN NS ns.else."

static struct zone_text zone = {.apex = "example."};

static struct snapshot *build(const char *const *lines)
{
	struct snapshot *snapshot;

	ck_assert_msg(!zone_text_build(&zone, lines, &snapshot), "%s",
		      zone.said);
	return snapshot;
}

#define BUILD(...) build((const char *const[]){__VA_ARGS__, NULL})

/* name has room to be read in words. */
static const struct node *find(const struct snapshot *s, const uint8_t *name)
{
	struct dns_order order;

	dns_order_init(&order, name, dns_name_label_nr(name) - 1);
	return nsec_find(s, 1, &order);
}

static void check_nsec(const struct snapshot *s, const char *text,
		       const char *owner)
{
	uint8_t name[DNS_NAME_MAX + 8];
	char found[DNS_NAME_TEXT_MAX];

	ck_assert_int_gt(dns_name_from_text(name, text, strlen(text), NULL), 0);
	dns_name_to_text(found, find(s, name)->owner);
	ck_assert_msg(!strcmp(found, owner), "%s: %s, not %s", text, found,
		      owner);
}

START_TEST(nsec_matches_or_precedes)
{
	struct snapshot *s =
	    BUILD(SOA, NS, "example. 60 IN NSEC b.example. NS SOA NSEC",
		  "b.example. 60 IN NSEC x.d.example. A NSEC",
		  "x.d.example. 60 IN NSEC z.example. A NSEC",
		  "z.example. 60 IN NSEC example. NS NSEC",
		  "z.example. 60 IN NS ns.z.example.",
		  "ns.z.example. 60 IN A 192.0.2.1",
		  /* Occluded: no part of the chain. */
		  "a.z.example. 60 IN NSEC example. A");

	ck_assert_int_eq(s->denial, DENIAL_NSEC);
	ck_assert_uint_eq(s->nsec_nr, 4);
	check_nsec(s, "example.", "example.");
	check_nsec(s, "a.example.", "example.");
	check_nsec(s, "B.example.", "b.example.");
	check_nsec(s, "c.b.example.", "b.example.");
	check_nsec(s, "d.example.", "b.example.");
	check_nsec(s, "x.d.example.", "x.d.example.");
	check_nsec(s, "y.example.", "x.d.example.");
	check_nsec(s, "b.z.example.", "z.example.");
	snapshot_put(s);
	s = BUILD(SOA, NS, "b.example. 60 IN NSEC example. A");
	ck_assert_int_eq(s->denial, DENIAL_NONE);
	ck_assert_ptr_null(find(s, (const uint8_t *)"\7example"));
	snapshot_put(s);
}
END_TEST

/* What a scan from the first to the last one finds. */
static const struct node *scan(const struct snapshot *s, const uint8_t *name)
{
	const struct node *node = NULL;

	for (uint32_t i = 0; i < s->nsec_nr; i++) {
		const struct node *next = snapshot_node(s, s->nsec[i]);

		if (dns_name_cmp(next->owner, name) > 0)
			break;
		node = next;
	}
	return node;
}

/* Few letters and few lengths: keys that differ, and many that do not. */
static void random_text(char *out, unsigned long pick)
{
	static const char *const label[] = {
	    "a.",
	    "B.",
	    "c.",
	    "long-label-x.",
	    "long-label-y.",
	    "long-labe.",
	    "\\000.",
	    "*.",
	    "\\255\\255\\255\\255\\255\\255\\255\\255."};

	out[0] = '\0';
	for (; pick; pick /= 10)
		if (pick % 10)
			strcat(out, label[pick % 10 - 1]);
	strcat(out, "example.");
}

START_TEST(search_finds_what_a_scan_finds)
{
	enum { NR = 700 };
	static char line[NR][256];
	static const char *lines[NR + 4] = {
	    SOA, NS, "example. 60 IN NSEC b.example. NS"};
	struct snapshot *s;

	srandom(1);
	for (unsigned nr = 0; nr <= NR; nr += 1 + nr / 4) {
		for (unsigned i = 0; i < nr; i++) {
			random_text(line[i], (unsigned long)random() % 10000);
			strcat(line[i], " 60 IN NSEC example. A");
			lines[3 + i] = line[i];
		}
		lines[3 + nr] = NULL;
		s = build(lines);
		for (unsigned i = 0; i < 500; i++) {
			uint8_t name[DNS_NAME_MAX + 8] = {0};
			char text[256];

			random_text(text, (unsigned long)random() % 100000);
			dns_name_from_text(name, text, strlen(text), NULL);
			ck_assert_ptr_eq(find(s, name), scan(s, name));
		}
		snapshot_put(s);
	}
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("nsec");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, nsec_matches_or_precedes);
	tcase_add_test(tcase, search_finds_what_a_scan_finds);
	return unit_run("zone/nsec", tcase);
}
