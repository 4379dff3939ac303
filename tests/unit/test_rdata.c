/* SPDX-License-Identifier: BSD-2-Clause */
#include "rdata.h"

#include <errno.h>
#include <ldns/ldns.h>

#include "base/codec.h"
#include "dns/name.h"
#include "unit.h"

static uint8_t wire[RDATA_MAX], want[RDATA_MAX];

static uint16_t type_of(const char *text)
{
	return (uint16_t)dns_type_from_text(text, strlen(text));
}

static int from_hex(const char *hex)
{
	struct hex_state state = {0};

	return hex_feed(&state, want, sizeof(want), hex, strlen(hex));
}

/* What ldns makes of the same text, -1 when it refuses. */
static int from_ldns(const struct sample *sample)
{
	ldns_rdf *name = ldns_dname_new_frm_str("example.");
	ldns_rr *rr = NULL;
	char line[1024];
	size_t len = 0;

	snprintf(line, sizeof(line), "a.example. 9 IN %s %s", sample->type,
		 sample->text);
	for (char *p = line; *p; p++)
		if (strchr("()\n", *p))
			*p = ' ';
	if (ldns_rr_new_frm_str(&rr, line, 0, name, NULL)) {
		ldns_rdf_deep_free(name);
		return -1;
	}
	for (size_t i = 0; i < ldns_rr_rd_count(rr); i++) {
		const ldns_rdf *rdf = ldns_rr_rdf(rr, i);

		if (ldns_rdf_size(rdf))
			memcpy(want + len, ldns_rdf_data(rdf),
			       ldns_rdf_size(rdf));
		len += ldns_rdf_size(rdf);
	}
	ldns_rdf_deep_free(name);
	ldns_rr_free(rr);
	return (int)len;
}

static void same_octets(const struct sample *sample, int len, int want_len)
{
	ck_assert_msg(len == want_len, "%s %s: %d octets, not %d (%s)",
		      sample->type, sample->text, len, want_len,
		      rdata_error.text);
	ck_assert_msg(!memcmp(wire, want, (size_t)len), "%s %s", sample->type,
		      sample->text);
}

/* B-RD06 B-RD07 B-RD08 B-RD09 B-ZS01 B-ZS12 B-ZS15 B-ZS17: in the table */
START_TEST(samples_of_every_type)
{
	for (size_t i = 0; i < SAMPLE_NR; i++) {
		const struct sample *sample = &samples[i];
		int len = from_text(wire, type_of(sample->type), sample->text);

		ck_assert_msg(len >= 0, "%s %s: %s", sample->type, sample->text,
			      rdata_error.text);
		if (sample->hex)
			same_octets(sample, len, from_hex(sample->hex));
		if (sample->ldns == LDNS_SAME && strcmp(sample->text, ""))
			same_octets(sample, len, from_ldns(sample));
	}
}
END_TEST

START_TEST(every_form_has_a_sample)
{
	for (unsigned type = 0; type < 65536; type++) {
		const struct dns_type *row = dns_type_find((uint16_t)type);
		bool found = !row || !row->form;

		for (size_t i = 0; i < SAMPLE_NR && !found; i++)
			found = type_of(samples[i].type) == type;
		ck_assert_msg(found, "%s", row->mnemonic);
	}
}
END_TEST

struct refusal {
	const char *type;
	const char *text;
	const char *error;
};

static const struct refusal refusals[] = {
    /* B-ZS19: the token is named */
    {"A", "192.0.2.999", "bad IPv4 address '192.0.2.999'"},
    {"A", "192.0.2", "bad IPv4 address '192.0.2'"},
    {"A", "192.0.2.1.", "bad IPv4 address '192.0.2.1.'"},
    {"A", "192.0.2.01", "bad IPv4 address '192.0.2.01'"},
    {"A", "192.0..1", "bad IPv4 address '192.0..1'"},
    {"A", "", "IPv4 address is missing"},
    {"A", "192.0.2.1 x", "extra text 'x'"},
    {"A", "\"192.0.2.1\"", NULL},
    {"A", "( 192.0.2.1", "unbalanced '('"},
    {"AAAA", "2001:db8::g", "bad IPv6 address '2001:db8::g'"},
    {"AAAA", "192.0.2.1", NULL},
    {"AAAA", "1111:2222:3333:4444:5555:6666:7777:8888:9999:aaaa:bbbb:cccc",
     NULL},
    {"CNAME", "\"b.example.\"", NULL},
    {"CNAME", "a..b", "bad name 'a..b'"},
    {"CNAME", "\\256", "bad name '\\256'"},
    {"CNAME", "a b", "extra text 'b'"},
    {"NS", "", "name is missing"},
    /* B-ZS21 */
    {"SOA", ". . 4294967296 1 1 1 1",
     "'4294967296' is not a number from 0 to 4294967295"},
    {"SOA", ". . -1 1 1 1 1", NULL},
    {"SOA", ". . 2026010100x 1 1 1 1", NULL},
    {"SOA", ". . 1 3d5 1 1 1", "bad period '3d5'"},
    {"SOA", ". . 1 1 1 1 99999w", NULL},
    {"SOA", ". . 1 1 1 1", "period is missing"},
    {"MX", "70000 b", "'70000' is not a number from 0 to 65535"},
    {"MX", "-1 b", NULL},
    {"MX", "b", NULL},
    {"MX", "10", "name is missing"},
    {"SRV", "1 2 65536 b", NULL},
    {"CAA", "256 issue x", NULL},
    {"CAA", "0 is-sue x", "tag is not letters and digits"},
    {"CAA", "0 \"issue\" x", NULL},
    {"CAA", "0 issue", NULL},
    {"CAA", "0 issue a b", "extra text 'b'"},
    {"URI", "1 1 \"\"", "target is empty"},
    {"TXT", "", "text is missing"},
    {"TXT", "\"abc", "unbalanced quotes"},
    {"TXT", "\\256", NULL},
    {"DS", "1 256 2 " HEX32, NULL},
    {"DS", "1 8 SHA256 " HEX32, "'SHA256' is not a number from 0 to 255"},
    {"DS", "1 8 2 " HEX32 "0", "odd number of hex digits"},
    {"DS", "1 8 2 " HEX20, "digest has the wrong length for its type"},
    {"DS", "1 8 1 " HEX32, NULL},
    {"DS", "1 8 4 " HEX32, NULL},
    {"DS", "1 8 2", "hex is missing"},
    {"DS", "1 RSASHA999 1 " HEX20, "bad DNSSEC algorithm 'RSASHA999'"},
    {"CDS", "1 0 0 00", NULL},
    {"CDS", "0 0 0 0", NULL},
    {"CDNSKEY", "0 3 0 0", NULL},
    {"CDNSKEY", "0 3 0 AAAA", NULL},
    {"SSHFP", "1 1 0011223344", NULL},
    {"SSHFP", "1 2 " HEX20, NULL},
    {"ZONEMD", "1 1 1 " HEX32, NULL},
    {"ZONEMD", "1 1 240 0011223344556677889900", NULL},
    {"NSEC", "b.", "no types"},
    {"NSEC", "b. A FOO", "bad type 'FOO'"},
    {"NSEC", "b. A,MX", "bad type 'A,MX'"},
    {"NSEC", "b. TYPE0", "bad type 'TYPE0'"},
    {"NSEC", "b. TYPE65536", NULL},
    {"NSEC3", "1 0 70000 - 2T7B4G4VSA5SMI47K61MV5BV1A22BOJR", NULL},
    {"NSEC3", "1 0 0 - 2T7B4G4VSA5SMI47", "SHA-1 hash is not 20 octets"},
    {"NSEC3", "1 0 0 abc 2T7B4G4VSA5SMI47K61MV5BV1A22BOJR", NULL},
    {"NSEC3", "1 0 0 - !!not-base32!!", "bad hash '!!not-base32!!'"},
    {"NSEC3", "1 0 0 - -", NULL},
    {"CSYNC", "4294967296 3 A", NULL},
    {"RRSIG", "FOO 8 2 1 1 1 1 a. AAAA", "bad type 'FOO'"},
    {"RRSIG", "TYPE0 8 2 1 1 1 1 a. AAAA", "type covered is 0"},
    {"RRSIG", "A 8 2 1 4294967296 1 1 a. AAAA", NULL},
    {"RRSIG", "A 8 2 1 20230229000000 1 1 a. AAAA",
     "bad time (YYYYMMDDHHmmSS or seconds) '20230229000000'"},
    {"RRSIG", "A 8 2 1 20231301000000 1 1 a. AAAA", NULL},
    {"RRSIG", "A 8 2 1 19691231235959 1 1 a. AAAA", NULL},
    {"RRSIG", "A 8 2 1 21060207062816 1 1 a. AAAA", NULL},
    {"RRSIG", "A 8 2 1 20230101240000 1 1 a. AAAA", NULL},
    {"RRSIG", "A 8 2 1 1 1 1 a.", "base64 is missing"},
    {"RRSIG", "A 8 2 1 1 1 1 a. AAA", "incomplete base64"},
    {"DNSKEY", "256 3 8 A!==", "bad base64 'A!=='"},
    {"CERT", "FOO 0 0 AAAA", "bad certificate type 'FOO'"},
    {"APL", "1:10.0.0.0/33", "bad address prefix '1:10.0.0.0/33'"},
    {"APL", "3:10.0.0.0/8", NULL},
    {"APL", "1:10.0.0.0", NULL},
    {"APL", "1:2001:db8::/16", NULL},
    {"APL", "2:2001:db8::/129", NULL},
    {"LOC", "91 0 0 N 0 0 0 E 0m", NULL},
    {"LOC", "90 0 0.001 N 0 E 0m", "angle over 90 degrees"},
    {"LOC", "1 60 0 N 0 E 0m", NULL},
    {"LOC", "1 1 60 N 0 E 0m", NULL},
    {"LOC", "1 1 1.0001 N 0 E 0m", NULL},
    {"LOC", "1 N 181 E 0m", NULL},
    {"LOC", "1 N 1 E 42849672.96m", NULL},
    {"LOC", "1 N 1 E -100000.01m", NULL},
    {"LOC", "1 N 1 E", "altitude is missing"},
    {"LOC", "1 N 1 E foo", "bad altitude 'foo'"},
    {"LOC", "1 N 1 E m", NULL},
    {"LOC", "1 E 1 N 1m", NULL},
    {"LOC", "1 N 1 E 1m 90000001m", NULL},
    {"LOC", "1 N 1 E 1m 1m 1m 1m 1m", "extra text '1m'"},
    {"WKS", "192.0.2.1 tcp no-such-service", "bad port 'no-such-service'"},
    {"WKS", "192.0.2.1 tcp 65536", NULL},
    {"WKS", "192.0.2.1 no-such-protocol 1", NULL},
    {"NSAP", "4700", NULL},
    {"NSAP", "0x470", NULL},
    {"ATMA", "+", NULL},
    {"ATMA", "39246", NULL},
    {"EUI48", "00-00-5e-00-53", NULL},
    {"EUI48", "00-00-5e-00-53-2a-00", NULL},
    {"EUI48", "00-00-5e-00-53-2", NULL},
    {"EUI48", "00-00-5e-00-53-2g", NULL},
    {"NID", "1 1:2:3", NULL},
    {"NID", "1 1:2:3:4:5", NULL},
    {"NID", "1 1::3:4", NULL},
    {"NID", "1 1:2:3:10000", NULL},
    {"IPSECKEY", "1 4 2 . AAAA", NULL},
    {"IPSECKEY", "1 0 2 gw AAAA", NULL},
    {"IPSECKEY", "1 0 2 .", "public key is missing"},
    {"AMTRELAY", "1 2 0 .", "'2' is not a number from 0 to 1"},
    {"AMTRELAY", "1 0 4 .", NULL},
    {"AMTRELAY", "1 0 128 .", NULL},
    {"AMTRELAY", "1 0 1 2001:db8::", NULL},
    {"HIP", "2 00", NULL},
    {"HIP", "2 0 AAAA", "odd number of hex digits"},
    {"DSYNC", "CDS FOO 1 a", "bad DSYNC scheme 'FOO'"},
    {"DSYNC", "FOO NOTIFY 1 a", NULL},
    {"IPN", "18446744073709551616", NULL},
    {"DOA", "0 1 2 a", NULL},
    /* B-RD09 */
    {"A6", "0 2001:db8::1",
     "historic (RFC 6563): only \\# and hex (RFC 3597) can be read"},
    {"NXT", "a. A", NULL},
    {"TYPE65280", "0102", NULL},
    {"NULL", "x", NULL},
    /* B-RD10 */
    {"A", "\\# 5 c000020100", "octets behind the end of RDATA"},
    {"MX", "\\# 4 000a c00c", "bad or compressed name in RDATA"},
    {"TXT", "\\# 3 05 6161", "RDATA ends too early"},
    {"A", "\\# 0", "RDATA ends too early"},
    {"TXT", "\\# 0", NULL},
    {"MX", "\\# 6 000a0161 00ff", NULL},
    {"TYPE65280", "\\# 2 zzzz", "bad hex 'zzzz'"},
    {"TYPE65280", "\\# 2 00", "\\# says 2 octets, but there are 1"},
    {"TYPE65280", "\\# 1 0000", NULL},
    {"TYPE65280", "\\# 1 000", NULL},
    {"TYPE65280", "\\# 65536 00", NULL},
    {"TYPE65280", "\\#", "number is missing"},
    /* B-RD06 */
    {"APL", "\\# 8 0001 20 04 c0000200", NULL},
    {"APL", "\\# 9 0001 20 05 c000020101", NULL},
};

START_TEST(B_ZS21_B_RD10_refused_with_the_token)
{
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		const struct refusal *r = &refusals[i];
		int len = from_text(wire, type_of(r->type), r->text);

		ck_assert_msg(len == -EINVAL, "%s %s", r->type, r->text);
		ck_assert_msg(*rdata_error.text, "%s %s", r->type, r->text);
		if (r->error)
			ck_assert_str_eq(rdata_error.text, r->error);
		ck_assert_uint_eq(rdata_error.line, 1);
	}
}
END_TEST

START_TEST(B_RD06_apl_length_past_its_family)
{
	uint8_t rdata[131] = {0, 1, 32, 127};

	ck_assert_int_eq(rdata_check(DNS_TYPE_APL, rdata, 131), -EBADMSG);
}
END_TEST

/* One string of n octets, each written as an escape. */
static int escaped_txt(size_t nr, const char *unit, size_t unit_len)
{
	static char text[2048];
	size_t len = 0;

	text[len++] = '"';
	for (size_t i = 0; i < nr; i++, len += unit_len)
		memcpy(text + len, unit, unit_len);
	text[len++] = '"';
	return from_text_len(wire, DNS_TYPE_TXT, text, len);
}

START_TEST(B_ZS03_limit_counts_octets_not_characters)
{
	ck_assert_int_eq(escaped_txt(255, "\\120", 4), 256);
	ck_assert_int_eq(wire[0], 255);
	ck_assert_int_eq(wire[255], 'x');
	ck_assert_int_eq(escaped_txt(255, "\\;", 2), 256);
	ck_assert_int_eq(escaped_txt(256, "\\120", 4), -EINVAL);
	ck_assert_int_eq(escaped_txt(256, "x", 1), -EINVAL);
}
END_TEST

START_TEST(B_RD01_target_with_origin_over_255)
{
	char text[247];

	memset(text, 'x', sizeof(text));
	text[63] = text[127] = text[191] = '.';
	ck_assert_int_eq(from_text_len(wire, DNS_TYPE_CNAME, text, 192 + 53),
			 255);
	ck_assert_int_eq(from_text_len(wire, DNS_TYPE_CNAME, text, 192 + 54),
			 -EINVAL);
}
END_TEST

/* nr strings of size octets each on their own line. */
static int long_txt(size_t nr, size_t size)
{
	char *text = malloc(nr * (size + 1) + 8), *p = text;
	int len;

	*p++ = '(';
	for (size_t i = 0; i < nr; i++) {
		memset(p, 'y', size);
		p += size;
		*p++ = '\n';
	}
	*p++ = ')';
	len = from_text_len(wire, DNS_TYPE_TXT, text, (size_t)(p - text));
	free(text);
	return len;
}

START_TEST(B_ZS18_long_records)
{
	ck_assert_int_eq(long_txt(60, 200), 60 * 201);
	ck_assert_int_eq(long_txt(255, 255), 65280);
	ck_assert_int_eq(long_txt(256, 255), -EINVAL);
	ck_assert_str_eq(rdata_error.text, "RDATA over 65535 octets");
}
END_TEST

/* An OPENPGPKEY of so many octets, in lines of 64 characters. */
static int long_base64(size_t octets)
{
	size_t chars = octets / 3 * 4, len = 0;
	char *text = malloc(chars + chars / 64 + 8);
	int got;

	text[len++] = '(';
	for (size_t i = 0; i < chars; i++) {
		text[len++] = 'q';
		if (i % 64 == 63)
			text[len++] = '\n';
	}
	text[len++] = ')';
	got = from_text_len(wire, 61, text, len);
	free(text);
	return got;
}

START_TEST(B_ZS18_long_base64)
{
	ck_assert_int_eq(long_base64(48000), 48000);
	ck_assert_int_eq(long_base64(65535), 65535);
	ck_assert_int_eq(long_base64(65538), -EINVAL);
}
END_TEST

START_TEST(generic_of_full_size)
{
	static char text[2 * RDATA_MAX + 16];
	int head = sprintf(text, "\\# 65535 ");

	memset(text + head, '7', 2 * RDATA_MAX);
	ck_assert_int_eq(
	    from_text_len(wire, 65280, text, (size_t)head + 2 * RDATA_MAX),
	    RDATA_MAX);
	ck_assert_int_eq(wire[RDATA_MAX - 1], 0x77);
}
END_TEST

START_TEST(bitmap_with_all_types)
{
	static char text[65536 * 10];
	char *p = text + sprintf(text, ". ");

	for (unsigned type = 65535; type; type--)
		p += sprintf(p, "TYPE%u ", type);
	ck_assert_int_eq(from_text(wire, DNS_TYPE_NSEC, text), 1 + 256 * 34);
	ck_assert_mem_eq(wire, "\0\0\x20\x7f\xff", 5);
}
END_TEST

START_TEST(salt_of_255_and_256)
{
	char text[600];
	int head = sprintf(text, "1 0 0 ");

	memset(text + head, 'a', 512);
	ck_assert_int_eq(from_text_len(wire, 51, text, (size_t)head + 510),
			 260);
	ck_assert_int_eq(from_text_len(wire, 51, text, (size_t)head + 512),
			 -EINVAL);
}
END_TEST

/* After an error the rest of that line is skipped, and no more. */
START_TEST(error_leaves_the_next_line)
{
	static const char *const lines[] = {
	    "192.0.2.999 x\nnext\n",
	    "192.0.2.1 x y\nnext\n",
	    "\nnext\n",
	    "( 192.0.2\n1 )\nnext\n",
	    "\"x\nnext\n",
	    "\\# 9 00\nnext\n",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct scan_token token;
		struct scan scan;

		scan_init_text(&scan, lines[i], strlen(lines[i]));
		if (*lines[i] == '\n')
			scan.in_line = true; /* behind owner and type */
		ck_assert_int_eq(rdata_from_text(wire, DNS_TYPE_A, &scan,
						 origin, &rdata_error),
				 -EINVAL);
		scan_skip_line(&scan);
		ck_assert_int_eq(scan_next(&scan, &token), SCAN_WORD);
		ck_assert_msg(token.len == 4 && !memcmp(token.text, "next", 4),
			      "%s", lines[i]);
	}
}
END_TEST

START_TEST(error_names_the_line_of_the_token)
{
	ck_assert_int_eq(from_text(wire, DNS_TYPE_SOA, "( . .\n1 2\n3 x\n5 )"),
			 -EINVAL);
	ck_assert_uint_eq(rdata_error.line, 3);
	ck_assert_str_eq(rdata_error.text, "bad period 'x'");
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("rdata");

	tcase_add_test(tcase, samples_of_every_type);
	tcase_add_test(tcase, every_form_has_a_sample);
	tcase_add_test(tcase, B_ZS21_B_RD10_refused_with_the_token);
	tcase_add_test(tcase, B_RD06_apl_length_past_its_family);
	tcase_add_test(tcase, B_ZS03_limit_counts_octets_not_characters);
	tcase_add_test(tcase, B_RD01_target_with_origin_over_255);
	tcase_add_test(tcase, B_ZS18_long_records);
	tcase_add_test(tcase, B_ZS18_long_base64);
	tcase_add_test(tcase, generic_of_full_size);
	tcase_add_test(tcase, bitmap_with_all_types);
	tcase_add_test(tcase, salt_of_255_and_256);
	tcase_add_test(tcase, error_leaves_the_next_line);
	tcase_add_test(tcase, error_names_the_line_of_the_token);
	return unit_run("zone/rdata", tcase);
}
