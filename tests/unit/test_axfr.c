/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transfers without a socket: every message goes through ldns, and what came
 * is compared with the zone written as text (zone/write), record by record.
 */
#include "transfer/axfr.h"
#include "ask.h"
#include "base/octets.h"
#include "zone/write.h"

#include <errno.h>

#define ROOMY (4 * (2 + DNS_POINTER_MAX + 1))

/* What has been received of one transfer. */
struct received {
	char **line; /* records as text */
	size_t nr, max;
	size_t octets; /* of all messages */
	unsigned message_nr, opt_nr;
	size_t longest;
};

static struct query_config config = {
    .max_udp_payload = 1232, .nsid_len = 2, .nsid = "id"};

static void add_line(struct received *received, char *line)
{
	if (received->nr == received->max) {
		received->max = received->max ? 2 * received->max : 64;
		received->line =
		    realloc(received->line, received->max * sizeof(char *));
	}
	received->line[received->nr++] = line;
}

static void add_rr(struct received *received, ldns_rr *rr)
{
	add_line(received, ldns_rr2str(rr));
}

static void release(struct received *received)
{
	for (size_t i = 0; i < received->nr; i++)
		free(received->line[i]);
	free(received->line);
	received->line = NULL;
	received->nr = received->max = 0;
}

/* RFC 5936 section 2.2: what is the same in each message. */
static void check_message(struct received *received, const uint8_t *query,
			  const uint8_t *message, size_t len)
{
	size_t question_len = dns_name_len(query + DNS_HEADER_LEN) + 4;
	ldns_rr_list *answer;
	ldns_pkt *pkt = NULL;

	ck_assert_uint_gt(len, DNS_HEADER_LEN + question_len);
	ck_assert_mem_eq(message, query, 2);
	ck_assert_uint_eq(get_u16(message + 2), DNS_FLAG_QR | DNS_FLAG_AA);
	ck_assert_uint_eq(get_u16(message + 4), 1);
	ck_assert_mem_eq(message + DNS_HEADER_LEN, query + DNS_HEADER_LEN,
			 question_len);
	ck_assert_int_eq(ldns_wire2pkt(&pkt, message, len), LDNS_STATUS_OK);
	ck_assert_uint_eq(ldns_pkt_nscount(pkt), 0);
	received->opt_nr += ldns_pkt_edns(pkt);
	answer = ldns_pkt_answer(pkt);
	ck_assert_uint_gt(ldns_rr_list_rr_count(answer), 0);
	for (size_t i = 0; i < ldns_rr_list_rr_count(answer); i++)
		add_rr(received, ldns_rr_list_rr(answer, i));
	ldns_pkt_free(pkt);
	received->message_nr++;
	received->octets += len;
	if (len > received->longest)
		received->longest = len;
}

static void check_piece(struct received *received, const uint8_t *query,
			const uint8_t *piece, size_t len)
{
	while (len) {
		size_t message_len = get_u16(piece);

		ck_assert_uint_ge(len, 2 + message_len);
		check_message(received, query, piece + 2, message_len);
		piece += 2 + message_len;
		len -= 2 + message_len;
	}
}

static struct zone zone_of(struct snapshot *snapshot)
{
	const struct node *apex = snapshot_node(snapshot, snapshot->apex);

	return (struct zone){.snapshot = snapshot, .label_nr = apex->label_nr};
}

/* Takes the whole transfer in pieces of max octets. */
static struct received transfer(struct snapshot *snapshot,
				const struct ask *ask, size_t max)
{
	const struct zone zone = zone_of(snapshot);
	struct axfr *axfr = malloc(sizeof(*axfr));
	struct received received = {0};
	uint8_t query[600];
	size_t len = ask_message(ask, query);

	axfr_begin(axfr, &config, &zone, query, len);
	ck_assert(snapshot_is_held(snapshot));
	while (!axfr_is_done(axfr)) {
		uint8_t *piece = malloc(max); /* ASan sees a step beyond */
		int n = axfr_fill(axfr, piece, max);

		ck_assert_int_gt(n, 0);
		check_piece(&received, query, piece, (size_t)n);
		free(piece);
	}
	axfr_end(axfr);
	ck_assert(!snapshot_is_held(snapshot));
	free(axfr);
	return received;
}

/* The zone as zone_write() has it, through ldns so that the text agrees. */
static struct received written(const struct snapshot *snapshot)
{
	struct received expected = {0};
	char *text = NULL, *save, *line;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	ck_assert_int_eq(zone_write(out, snapshot), 0);
	fclose(out);
	for (line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		ldns_rr *rr = NULL;
		ldns_status status =
		    ldns_rr_new_frm_str(&rr, line, 0, NULL, NULL);

		ck_assert_msg(status == LDNS_STATUS_OK, "%.500s", line);
		add_rr(&expected, rr);
		ldns_rr_free(rr);
	}
	free(text);
	return expected;
}

static void sort(struct received *received)
{
	qsort(received->line, received->nr, sizeof(char *), ask_compare);
}

/* SOA, every record once in any order, SOA. */
static void check_records(struct snapshot *snapshot, struct received *received)
{
	struct received expected = written(snapshot);

	ck_assert_uint_eq(received->nr, expected.nr + 1);
	ck_assert_str_eq(received->line[0], expected.line[0]);
	ck_assert_str_eq(received->line[received->nr - 1], expected.line[0]);
	free(received->line[--received->nr]);
	sort(received);
	sort(&expected);
	/* long texts are too much for ck_assert_str_eq() */
	for (size_t i = 0; i < expected.nr; i++)
		ck_assert_msg(!strcmp(received->line[i], expected.line[i]),
			      "%.500s", expected.line[i]);
	release(&expected);
}

/* Both with the least room and with plenty; returns the latter's figures. */
static struct received expect_zone(const char *apex, struct snapshot *snapshot)
{
	const struct ask ask = {.name = apex, .type = "AXFR", .tcp = true};
	struct received tight = transfer(snapshot, &ask, AXFR_FILL_MIN);
	struct received roomy = transfer(snapshot, &ask, ROOMY);

	check_records(snapshot, &tight);
	check_records(snapshot, &roomy);
	ck_assert_uint_eq(tight.octets, roomy.octets);
	ck_assert_uint_eq(tight.opt_nr, 0);
	release(&tight);
	release(&roomy);
	return roomy;
}

static struct received expect_text(const char *apex, const char *text)
{
	struct snapshot *snapshot = ask_snapshot(apex, text);
	struct received figures;

	ck_assert_ptr_nonnull(snapshot);
	figures = expect_zone(apex, snapshot);
	snapshot_put(snapshot);
	return figures;
}

static const char *const samples[] = {"example.com",
				      "example.net",
				      "kid.example.net",
				      "nsec.example",
				      "nsec3.example",
				      "2.0.192.in-addr.arpa",
				      "root",
				      "8.b.d.0.1.0.0.2.ip6.arpa",
				      "unsigned/root",
				      "unsigned/nsec.example",
				      "unsigned/nsec3.example"};

START_TEST(every_sample_zone)
{
	const char *srcdir = getenv("srcdir"), *name = samples[_i];
	const char *slash = strchr(name, '/');
	const char *apex = slash ? slash + 1 : name;
	static char text[200000];
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/zones/%s.zone", srcdir ? srcdir : ".",
		 name);
	file = fopen(path, "r");
	ck_assert_msg(file, "%s", path);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	expect_text(strcmp(apex, "root") ? apex : ".", text);
}
END_TEST

#define HEAD                                                                   \
	"$TTL 300\n@ SOA ns hm 7 3600 600 86400 60\n@ NS ns\n"                 \
	"ns A 192.0.2.1\n"

/* HEAD and nr lines of a format that takes a number; malloced. */
static char *many(unsigned nr, const char *format)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	fputs(HEAD, out);
	for (unsigned i = 0; i < nr; i++)
		fprintf(out, format, i, i, i, i, i, i);
	fclose(out);
	return text;
}

START_TEST(B_XF01_ten_thousand_names)
{
	char *text = many(10000, "host%u A 192.0.2.2\n");
	struct received figures = expect_text("z.test", text);

	ck_assert_uint_gt(figures.message_nr, 10);
	ck_assert_uint_le(figures.longest, DNS_POINTER_MAX + 1);
	/* host9999, pointer, 10 octets, address */
	ck_assert_uint_lt(figures.octets, 10000 * 26);
	free(text);
}
END_TEST

START_TEST(B_XF01_ten_thousand_addresses)
{
	char *text = many(10000, "big AAAA 2001:db8::%x\n");
	struct received figures = expect_text("z.test", text);

	ck_assert_uint_gt(figures.message_nr, 10);
	ck_assert_uint_le(figures.longest, DNS_POINTER_MAX + 1);
	/* pointer, 10 octets, address */
	ck_assert_uint_lt(figures.octets, 10000 * 28 + 40 * 30);
	free(text);
}
END_TEST

/* A pointer into the message before would be one to something else. */
START_TEST(names_shared_across_messages)
{
	char *text = many(
	    5000, "a%u.long-label.deep.er TXT x\n"
		  "b%u.a0.long-label.deep.er MX 1 mx.a0.long-label.deep.er\n");
	struct received figures = expect_text("z.test", text);

	ck_assert_uint_gt(figures.message_nr, 5);
	/* the labels that all of them share are there once a message */
	ck_assert_uint_lt(figures.octets, 5000 * (8 + 14 + 8 + 2 + 15));
	free(text);
}
END_TEST

START_TEST(names_that_share_letters_but_no_labels)
{
	struct received figures =
	    expect_text("z.test", HEAD "xa.b A 192.0.2.1\n"
				       "a.b A 192.0.2.1\n"
				       "a.xb A 192.0.2.1\n"
				       "A.B.c A 192.0.2.1\n"
				       "x.a.b.c A 192.0.2.1\n"
				       "w.A.B.c CNAME y.a.B.C\n"
				       "*.b MX 1 x.*.b\n"
				       "x.*.b MX 1 y.x.*.b\n"
				       "sub NS a.sub\nsub NS ns.sub\n"
				       "a.sub A 192.0.2.4\n"
				       "hidden.sub TXT below\n");

	ck_assert_uint_eq(figures.message_nr, 1);
}
END_TEST

/* A message has each host once, so long as it is remembered. */
START_TEST(hosts_elsewhere_are_compressed)
{
	char *text = many(4000, "name%u NS ns1.provider.example.\n"
				"name%u NS ns2.provider.example.\n"
				"x%u MX 1 mx.Provider.example.\n"
				"y%u CNAME ns1.provider.example.\n"
				"z%u PTR a.\n"
				"z%u RP provider.example. provider.example.\n");
	struct received figures = expect_text("z.test", text);

	/* 292 for a name with all hosts in full; RP is never compressed */
	ck_assert_uint_lt(figures.octets, 4000 * 190);
	free(text);
}
END_TEST

START_TEST(hosts_in_pseudo_random_order)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	fputs(HEAD, out);
	srand(1);
	for (unsigned i = 0; i < 20000; i++)
		fprintf(out, "n%u NS h%d.d%d.p%d.%s.\n", i, rand() % 3,
			rand() % 50, rand() % 5, rand() % 2 ? "a" : "example");
	fclose(out);
	expect_text("z.test", text);
	free(text);
}
END_TEST

START_TEST(deepest_names)
{
	char text[2000] = HEAD, name[300] = "";

	for (unsigned i = 0; i < 123; i++)
		strcat(name, "a.");
	name[2 * 123 - 1] = '\0';
	sprintf(text + strlen(text), "%s A 192.0.2.1\n%s A 192.0.2.1\n", name,
		name + 2);
	expect_text("z.test", text);
	expect_text("test", text);
}
END_TEST

/* RFC 5936 section 3.4: case as in the zone, whatever the client writes. */
START_TEST(letters_are_those_of_the_zone)
{
	struct snapshot *snapshot =
	    ask_snapshot("Z.Test", "$ORIGIN Z.Test.\n" HEAD "a NS ns.a\n"
				   "ns.a A 192.0.2.1\n");
	const struct ask ask = {.name = "z.tesT", .type = "AXFR"};
	struct received received = transfer(snapshot, &ask, ROOMY);

	ck_assert_ptr_nonnull(strstr(received.line[0], "Z.Test."));
	check_records(snapshot, &received);
	release(&received);
	snapshot_put(snapshot);
}
END_TEST

/* TYPE65280 with so many octets of RDATA; malloced. */
static char *large_record(unsigned len)
{
	char *text = malloc(2u * len + 1000);
	char *p = text + sprintf(text,
				 HEAD "a TXT before\n"
				      "big TYPE65280 \\# %u ",
				 len);

	memset(p, 'a', 2u * len);
	strcpy(p + 2u * len, "\nz TXT behind\n");
	return text;
}

static const struct {
	unsigned rdata_len;
	bool fits;
} large[] = {
    {16000, true},
    {16384, true},
    {40000, true},
    /* header, question, owner in full, fixed fields */
    {65535 - 12 - 12 - 13 - 10, true},
    {65500, false},
    {65535, false},
};

START_TEST(large_records)
{
	char *text = large_record(large[_i].rdata_len);
	struct snapshot *snapshot = ask_snapshot("z.test", text);
	const struct zone zone = zone_of(snapshot);
	const struct ask ask = {.name = "z.test", .type = "AXFR"};
	static uint8_t piece[ROOMY];
	struct axfr axfr;
	uint8_t query[600];
	int n;

	if (large[_i].fits) {
		/* ldns does not read so long a line: no expect_zone() */
		struct received received = transfer(snapshot, &ask, ROOMY);

		ck_assert_uint_eq(received.nr, 7);
		ck_assert_uint_gt(received.longest, large[_i].rdata_len);
		ck_assert_uint_gt(strlen(received.line[3]),
				  2 * large[_i].rdata_len);
		release(&received);
	} else {
		axfr_begin(&axfr, &config, &zone, query,
			   ask_message(&ask, query));
		ck_assert_int_gt(axfr_fill(&axfr, piece, ROOMY), 0);
		n = axfr_fill(&axfr, piece, ROOMY);
		ck_assert_int_eq(n, -EMSGSIZE);
		ck_assert(!axfr_is_done(&axfr));
		axfr_end(&axfr);
	}
	snapshot_put(snapshot);
	free(text);
}
END_TEST

START_TEST(opt_in_the_first_message)
{
	char *text = many(2000, "host%u A 192.0.2.2\n");
	struct snapshot *snapshot = ask_snapshot("z.test", text);
	const struct ask ask = {.name = "z.test", .type = "AXFR", .size = 4096};
	struct received received = transfer(snapshot, &ask, ROOMY);

	ck_assert_uint_gt(received.message_nr, 2);
	ck_assert_uint_eq(received.opt_nr, 1);
	ck_assert_uint_le(received.longest, DNS_POINTER_MAX + 1);
	check_records(snapshot, &received);
	release(&received);
	snapshot_put(snapshot);
	free(text);
}
END_TEST

START_TEST(ixfr_keeps_its_question)
{
	struct snapshot *snapshot = ask_snapshot("z.test", HEAD);
	const struct ask ask = {.name = "z.test", .type = "IXFR"};
	struct received received = transfer(snapshot, &ask, ROOMY);

	check_records(snapshot, &received);
	release(&received);
	snapshot_put(snapshot);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("axfr");

	tcase_add_loop_test(tcase, every_sample_zone, 0,
			    sizeof(samples) / sizeof(samples[0]));
	tcase_add_test(tcase, B_XF01_ten_thousand_names);
	tcase_add_test(tcase, B_XF01_ten_thousand_addresses);
	tcase_add_test(tcase, names_shared_across_messages);
	tcase_add_test(tcase, names_that_share_letters_but_no_labels);
	tcase_add_test(tcase, hosts_elsewhere_are_compressed);
	tcase_add_test(tcase, hosts_in_pseudo_random_order);
	tcase_add_test(tcase, deepest_names);
	tcase_add_test(tcase, letters_are_those_of_the_zone);
	tcase_add_loop_test(tcase, large_records, 0,
			    sizeof(large) / sizeof(large[0]));
	tcase_add_test(tcase, opt_in_the_first_message);
	tcase_add_test(tcase, ixfr_keeps_its_question);
	tcase_set_timeout(tcase, 60);
	return unit_run("axfr", tcase);
}
