/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From zone files to snapshots with everything in place: what only the whole
 * zone shows, and RDATA of sizes that other loaders cut.
 */
#include "folder.h"
#include "unit.h"
#include "zone/load.h"

#include <errno.h>

#include "base/octets.h"
#include "dns/labels.h"

#define SOA  "$TTL 300\n@ SOA ns hm 1 2 3 4 5\n"
#define HEAD SOA "@ NS ns\nns A 192.0.2.53\n"

static const uint8_t apex[] = "\1z\4test";
static char messages[65536];

static void emit(void *arg, enum zone_severity severity, const char *text)
{
	(void)arg;
	strcat(messages, severity == ZONE_ERROR ? "E " : "W ");
	strcat(messages, text);
	strcat(messages, "\n");
}

static int load(struct zone_load_result *result, const char *text,
		struct snapshot *previous)
{
	struct zone_report report = {.emit = emit, .zone = "z.test"};

	put_file("z.zone", text);
	messages[0] = '\0';
	return zone_load(result, apex, "z.zone", previous, &report);
}

static void load_good(struct zone_load_result *result, const char *text)
{
	ck_assert_msg(!load(result, text, NULL), "%s", messages);
	ck_assert_ptr_nonnull(result->snapshot);
}

/* Refused with an error that has this in it. */
static void check_refused(const char *text, const char *message)
{
	struct zone_load_result result;

	ck_assert_int_eq(load(&result, text, NULL), -EINVAL);
	ck_assert_ptr_null(result.snapshot);
	ck_assert_msg(strstr(messages, message) != NULL, "%s", messages);
	ck_assert_msg(strstr(messages, "E ") != NULL, "%s", messages);
	zone_load_release(&result);
}

static const struct node *find(const struct zone_load_result *result,
			       const char *text)
{
	struct dns_labels labels;
	uint8_t name[DNS_NAME_MAX];
	int len = dns_name_from_text(name, text, strlen(text), apex);

	ck_assert_int_gt(len, 0);
	ck_assert_int_eq(dns_labels_parse(&labels, name, (size_t)len), len);
	return snapshot_find(result->snapshot, labels.hash, labels.lower,
			     labels.len);
}

static const struct rrset *get(const struct zone_load_result *result,
			       const char *owner, uint16_t type)
{
	const struct node *node = find(result, owner);

	ck_assert_msg(node != NULL, "%s", owner);
	ck_assert_msg(node_find(node, type) != NULL, "%s", owner);
	return node_find(node, type);
}

/* Offset of RDLENGTH: behind the pointer to the owner, type, class, TTL. */
#define RDLENGTH 10

START_TEST(B_ZS07_one_ttl_for_an_rrset)
{
	struct zone_load_result result;
	const struct rrset *rrset;

	load_good(&result, HEAD "a 60 A 192.0.2.1\na 90 A 192.0.2.2\n");
	ck_assert_msg(!strncmp(messages, "W z.zone:", 9), "%s", messages);
	ck_assert_ptr_nonnull(strstr(messages, "TTL"));
	rrset = get(&result, "a", DNS_TYPE_A);
	ck_assert_uint_eq(rrset->rr_nr, 2);
	ck_assert_uint_eq(rrset->wire_len, 32);
	ck_assert_uint_eq(get_u32(rrset->wire + 6), 60);
	ck_assert_uint_eq(get_u32(rrset->wire + 22), 60);
	zone_load_release(&result);
}
END_TEST

START_TEST(B_ZD01_records_the_zone_does_not_own)
{
	struct zone_load_result result;
	const struct node *node;

	load_good(&result, HEAD "w.other.test. 60 A 192.0.2.1\n"
				"sub NS ns.sub\nns.sub A 192.0.2.2\n"
				"x.sub NS y.sub\ny.sub A 192.0.2.3\n");
	ck_assert_msg(!strncmp(messages, "W z.zone:5: z.test: ", 20), "%s",
		      messages);
	ck_assert_ptr_nonnull(strstr(messages, "w.other.test."));
	ck_assert_ptr_null(find(&result, "w.other.test."));
	ck_assert_uint_eq(find(&result, "sub")->flags & NODE_CUT, NODE_CUT);
	node = find(&result, "x.sub");
	ck_assert_uint_eq(node->flags & (NODE_CUT | NODE_BELOW_CUT),
			  NODE_BELOW_CUT);
	zone_load_release(&result);
}
END_TEST

START_TEST(B_ZD02_cname_beside_other_data)
{
	struct zone_load_result result;

	check_refused(HEAD "a 60 CNAME b\na 60 A 192.0.2.1\n", "CNAME");
	check_refused(HEAD "a 60 A 192.0.2.1\na 60 CNAME b\n", "CNAME");
	check_refused(HEAD "c 60 CNAME b\nc 60 CNAME d\n", "CNAME");
	/* RFC 4034 section 2.5: RRSIG and NSEC go beside a CNAME. */
	load_good(&result, HEAD
		  "a 60 CNAME b\na 60 CNAME b\na NSEC ns CNAME RRSIG NSEC\n"
		  "a 60 RRSIG CNAME 13 3 60 20500101000000 20200101000000 "
		  "1 z.test. AAAA\n");
	ck_assert_uint_eq(get(&result, "a", DNS_TYPE_CNAME)->rr_nr, 1);
	ck_assert_uint_eq(get(&result, "a", DNS_TYPE_CNAME)->sig_nr, 1);
	ck_assert_uint_eq(get(&result, "a", DNS_TYPE_NSEC)->rr_nr, 1);
	zone_load_release(&result);
}
END_TEST

START_TEST(B_ZD03_soa_and_ns_at_the_apex)
{
	check_refused("$TTL 300\n@ NS ns\nns A 192.0.2.1\n", "SOA");
	check_refused(HEAD "@ SOA ns hm 2 2 3 4 5\n", "SOA");
	check_refused(SOA "ns A 192.0.2.1\n", "NS");
	check_refused("", "SOA");
}
END_TEST

START_TEST(P02_second_soa_with_a_record_behind_it)
{
	check_refused("@ 10 SOA ns hm 1 2 3 4 5\n@ 10 SOA ns hm 2 2 3 4 5\n"
		      "@ NS ns\nns A 192.0.2.1\n",
		      "SOA");
}
END_TEST

START_TEST(B_ZS21_P10_serial_out_of_range)
{
	check_refused("$TTL 9\n@ SOA ns hm 4294967296 2 3 4 5\n",
		      "z.zone:2: z.test: SOA: ");
	check_refused("$TTL 9\n@ SOA ns hm -1 2 3 4 5\n", "'-1'");
	check_refused("$TTL 9\n@ SOA ns hm 2026010100x 2 3 4 5\n",
		      "'2026010100x'");
}
END_TEST

/* a TXT of this many strings of 255 octets, and one of last octets more */
static char *big_txt(unsigned strings, unsigned last)
{
	char *text = malloc(100000), *p = text;

	p += sprintf(p, HEAD "a TXT (\n");
	for (unsigned i = 0; i <= strings; i++) {
		unsigned len = i < strings ? 255 : last;

		if (!len)
			break;
		*p++ = '"';
		memset(p, 'x', len);
		p += len;
		p += sprintf(p, "\"\n");
	}
	sprintf(p, ")\nb A 192.0.2.1\n");
	return text;
}

static void check_big_txt(unsigned strings, unsigned last, unsigned len)
{
	char *text = big_txt(strings, last);
	struct zone_load_result result;
	const struct rrset *rrset;

	if (!len) {
		check_refused(text, "TXT");
	} else {
		load_good(&result, text);
		rrset = get(&result, "a", DNS_TYPE_TXT);
		ck_assert_uint_eq(rrset->wire_len, RDLENGTH + 2 + len);
		ck_assert_uint_eq(get_u16(rrset->wire + RDLENGTH), len);
		zone_load_release(&result);
	}
	free(text);
}

START_TEST(B_ZS18_P04_only_rdlength_limits)
{
	check_big_txt(255, 0, 65280);
	check_big_txt(255, 253, 65534);
	check_big_txt(255, 254, 65535);
	check_big_txt(255, 255, 0);
	check_big_txt(256, 1, 0);
}
END_TEST

START_TEST(B_ZS18_openpgpkey_over_900_lines)
{
	char *text = malloc(100000), *p = text;
	struct zone_load_result result;
	const struct rrset *rrset;

	p += sprintf(p, HEAD "k OPENPGPKEY (\n");
	for (int i = 0; i < 1000; i++) {
		memset(p, 'A', 64);
		p += 64;
		p += sprintf(p, i % 3 ? "\n" : "\r\n  ");
	}
	sprintf(p, ")\n");
	load_good(&result, text);
	rrset = get(&result, "k", 61);
	ck_assert_uint_eq(get_u16(rrset->wire + RDLENGTH), 48000);
	zone_load_release(&result);
	free(text);
}
END_TEST

START_TEST(a_fault_keeps_the_version_before)
{
	struct zone_load_result first, second;

	load_good(&first, HEAD);
	ck_assert_int_eq(
	    load(&second, HEAD "a A 192.0.2.999\n", first.snapshot), -EINVAL);
	ck_assert_str_eq(messages, "E z.zone:5: z.test: A: bad IPv4 address "
				   "'192.0.2.999'\n");
	ck_assert_ptr_null(second.snapshot);
	ck_assert_uint_eq(second.source_nr, 1);
	zone_load_release(&second);
	ck_assert_ptr_nonnull(find(&first, "ns"));
	zone_load_release(&first);
}
END_TEST

START_TEST(nothing_changed_is_the_same_version)
{
	struct zone_load_result first, second;

	load_good(&first, HEAD);
	ck_assert_int_eq(load(&second, HEAD "; comment\n", first.snapshot), 0);
	ck_assert_ptr_eq(second.snapshot, first.snapshot);
	zone_load_release(&first);
	ck_assert_ptr_nonnull(find(&second, "ns"));
	ck_assert_uint_eq(second.record_nr, 3);
	zone_load_release(&second);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("load_zone");

	enter_folder();
	tcase_add_test(tcase, B_ZS07_one_ttl_for_an_rrset);
	tcase_add_test(tcase, B_ZD01_records_the_zone_does_not_own);
	tcase_add_test(tcase, B_ZD02_cname_beside_other_data);
	tcase_add_test(tcase, B_ZD03_soa_and_ns_at_the_apex);
	tcase_add_test(tcase, P02_second_soa_with_a_record_behind_it);
	tcase_add_test(tcase, B_ZS21_P10_serial_out_of_range);
	tcase_add_test(tcase, B_ZS18_P04_only_rdlength_limits);
	tcase_add_test(tcase, B_ZS18_openpgpkey_over_900_lines);
	tcase_add_test(tcase, a_fault_keeps_the_version_before);
	tcase_add_test(tcase, nothing_changed_is_the_same_version);
	return unit_run("load_zone", tcase);
}
