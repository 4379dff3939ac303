/* SPDX-License-Identifier: BSD-2-Clause */
/* Records: owner, TTL, class, type, and what is wrong with them. */
#include "loading.h"

#define Z   "E z.zone:1: z.test: "
#define Z2  "E z.zone:2: z.test: "
#define W   "W z.zone:1: z.test: "
#define W2  "W z.zone:2: z.test: "
#define X10 "xxxxxxxxxx"
#define X53 X10 X10 X10 X10 X10 "xxx"
#define X63 X53 X10
#define D20                                                                    \
	"\\120\\120\\120\\120\\120\\120\\120\\120\\120\\120"                   \
	"\\120\\120\\120\\120\\120\\120\\120\\120\\120\\120"

static const struct load_row good_rows[] = {
    {"B-ZS01 P16", "a 60 IN TXT \"one\"two th\"r\"ee\n",
     "a.z.test. 60 TXT 036f6e650374776f0274680172026565\n", ""},
    {"P16", "a 60 TXT ef\"gh\" x\na 60 TXT a(b)c\n",
     "a.z.test. 60 TXT 026566026768"
     "0178\n"
     "a.z.test. 60 TXT 016101620163\n",
     ""},
    {"B-ZS02",
     "k 60 TXT (\n  \"v=DKIM1; \"\n  \"p=AAAA\")\n"
     "l 60 A 192.0.2.1\n",
     "k.z.test. 60 TXT 09763d444b494d313b2006703d41414141\n"
     "l.z.test. 60 A c0000201\n",
     ""},
    {"B-ZS04 P01",
     "a IN 300 A 192.0.2.1\nb IN 5m A 192.0.2.2\n"
     "c 300 IN A 192.0.2.1\nd CLASS1 1 A 192.0.2.1\n",
     "a.z.test. 300 A c0000201\nb.z.test. 300 A c0000202\n"
     "c.z.test. 300 A c0000201\nd.z.test. 1 A c0000201\n",
     ""},
    {"B-ZS05", "$TTL 300\n@ 86400 NS ns\nns A 192.0.2.1\n",
     "z.test. 86400 NS 026e73017a047465737400\n"
     "ns.z.test. 300 A c0000201\n",
     ""},
    {"B-ZS06 P06c P06d",
     "@ 100 NS ns\n@ 200 NS ns\n    \n   ; x\n"
     "ns A 192.0.2.1\n",
     "z.test. 100 NS 026e73017a047465737400\n"
     "z.test. 200 NS 026e73017a047465737400\n"
     "ns.z.test. 200 A c0000201\n",
     ""},
    {"B-ZS06",
     "@ SOA n h 1 2 3 4 77\nns A 192.0.2.1\n"
     "b 5 A 192.0.2.1\nc A 192.0.2.1\n",
     "z.test. 77 SOA 016e017a0474657374000168017a0474657374000000000100000002"
     "00000003000000040000004d\n"
     "ns.z.test. 77 A c0000201\nb.z.test. 5 A c0000201\n"
     "c.z.test. 5 A c0000201\n",
     W "no TTL and no $TTL: SOA MINIMUM 77 is taken\n"},
    {"B-ZS07 is the builder's: both TTLs get there",
     "a 60 A 192.0.2.1\na 90 A 192.0.2.2\n",
     "a.z.test. 60 A c0000201\na.z.test. 90 A c0000202\n", ""},
    {"B-ZS12",
     "$TTL 1H\n@ soa ns hm 1 3H 1h 1W 90\n\tns ns\n"
     "ns in a 192.0.2.1\n",
     "z.test. 3600 SOA 026e73017a04746573740002686d017a04746573740000000001"
     "00002a3000000e1000093a800000005a\n"
     "z.test. 3600 NS 026e73017a047465737400\n"
     "ns.z.test. 3600 A c0000201\n",
     ""},
    {"B-ZS13",
     "$TTL 60\r\n@ SOA n h (\r\n 1 2 ; c\r\n 3 4 5 )\r\n"
     "a TXT \"x\ry\"\r\n",
     "z.test. 60 SOA 016e017a0474657374000168017a0474657374000000000100000002"
     "000000030000000400000005\n"
     "a.z.test. 60 TXT 03780d79\n",
     ""},
    {"B-ZS15",
     "a 60 TXT v=DMARC1;p=none\nb 60 TXT v=DMARC1\\;\n"
     "c 60 TXT x ;y\nd 60 TXT \"x\";y\ne 60 A 192.0.2.1;y\n",
     "a.z.test. 60 TXT 08763d444d41524331\n"
     "b.z.test. 60 TXT 09763d444d415243313b\n"
     "c.z.test. 60 TXT 0178\nd.z.test. 60 TXT 0178\n"
     "e.z.test. 60 A c0000201\n",
     W "';' right behind text starts a comment; for a semicolon write \\; or "
       "use quotes\n"},
    {"B-ZS17 P09",
     "\\@ 60 A 192.0.2.1\n_dmarc.a\\.b 60 A 192.0.2.1\n"
     "@foo 60 A 192.0.2.1\n@.foo 60 A 192.0.2.1\n@ 60 A 192.0.2.1\n"
     "#.x\\;y 60 A 192.0.2.1\n",
     "\\@.z.test. 60 A c0000201\n_dmarc.a\\.b.z.test. 60 A c0000201\n"
     "\\@foo.z.test. 60 A c0000201\n\\@.foo.z.test. 60 A c0000201\n"
     "z.test. 60 A c0000201\n#.x\\;y.z.test. 60 A c0000201\n",
     ""},
    {"P06 P06g", "$TTL 0\na A 192.0.2.1\n$TTL 60\nb A 192.0.2.1\n",
     "a.z.test. 0 A c0000201\nb.z.test. 60 A c0000201\n", ""},
    {"P06e",
     "a 2147483648 A 192.0.2.1\nb A 192.0.2.1\n"
     "c 2147483647 A 192.0.2.1\nd 4294967295 A 192.0.2.1\n",
     "a.z.test. 0 A c0000201\nb.z.test. 0 A c0000201\n"
     "c.z.test. 2147483647 A c0000201\nd.z.test. 0 A c0000201\n",
     W "TTL over 2^31 - 1 is taken as 0: '2147483648'\n"
       "W z.zone:4: z.test: TTL over 2^31 - 1 is taken as 0: '4294967295'\n"},
    {"P14", "\"a\" 9 A 192.0.2.1\n\"a b\" 9 A 192.0.2.1\n",
     "a.z.test. 9 A c0000201\na\\032b.z.test. 9 A c0000201\n", ""},
    {"P20: 75 octets, 293 characters",
     D20 D20 D20 "\\120\\120\\120."
		 "\\121\\121\\121\\121\\121\\121\\121\\121"
		 "\\121\\121. 9 A 192.0.2.1\n",
     X63 ".yyyyyyyyyy. 9 A c0000201\n", ""},
    {"P24: a group may open before the owner", "( a 9 A\n 192.0.2.1 )\n",
     "a.z.test. 9 A c0000201\n", ""},
    {"owner",
     "a 9 A 192.0.2.1\n 8 A 192.0.2.2\n\t7 IN A 192.0.2.3\n"
     "A.b A 192.0.2.1\n",
     "a.z.test. 9 A c0000201\na.z.test. 8 A c0000202\n"
     "a.z.test. 7 A c0000203\nA.b.z.test. 7 A c0000201\n",
     ""},
    {"names that look like something else",
     "300 60 A 192.0.2.1\nin 60 A 192.0.2.1\na 60 A 192.0.2.1\n"
     "\\$ttl 60 A 192.0.2.1\n",
     "300.z.test. 60 A c0000201\nin.z.test. 60 A c0000201\n"
     "a.z.test. 60 A c0000201\n\\$ttl.z.test. 60 A c0000201\n",
     ""},
    {"no line end", "a 60 A 192.0.2.1", "a.z.test. 60 A c0000201\n", ""},
    {"nothing", "; empty\n\n", "", ""},
    {"B-ZS16 is about meta types: others are data",
     "a 60 TYPE65280 \\# 2 abcd\n", "a.z.test. 60 TYPE65280 abcd\n", ""},
};

START_TEST(records_of_good_text)
{
	check_row(&good_rows[_i]);
}
END_TEST

static const struct load_row bad_rows[] = {
    {"B-ZS06", "ns A 192.0.2.1\n", "",
     Z "no TTL: none here, none before, no $TTL, no SOA\n"},
    {"B-ZS14 P17b", "a 60 TXT ( x\nb 60 A 192.0.2.1\n", "",
     Z "TXT: unbalanced '('\n"},
    {"B-ZS14: the first fault does not hide where the group opened",
     "\na 60 A ( 192.0.2.999\nb 60 A 192.0.2.1\n", "",
     Z2 "A: bad IPv4 address '192.0.2.999'\n" Z2 "unbalanced '('\n"},
    {"B-ZS14 P17b", "a 60 TXT x )\nb 60 A 192.0.2.1\n",
     "b.z.test. 60 A c0000201\n", Z "TXT: unbalanced ')'\n"},
    {"B-ZS14", "a 60 TXT ( x ( y ) )\nb 60 A 192.0.2.1\n",
     "b.z.test. 60 A c0000201\n", Z "TXT: nested parentheses\n"},
    {"B-ZS16 P11b", "a 60 TYPE41 \\# 0\nb 60 OPT \\# 0\n", "",
     Z "type cannot be in a zone: 'TYPE41'\n" Z2
       "type cannot be in a zone: 'OPT'\n"},
    {"B-ZS16 P11b", "a 60 TYPE250 \\# 0\na 60 TSIG \\# 0\n", "",
     Z "type cannot be in a zone: 'TYPE250'\n" Z2
       "type cannot be in a zone: 'TSIG'\n"},
    {"B-ZS16 P11b", "a 60 TYPE255 \\# 0\na 60 AXFR \\# 0\n", "",
     Z "type cannot be in a zone: 'TYPE255'\n" Z2
       "type cannot be in a zone: 'AXFR'\n"},
    {"B-ZS16 P11c", "a 60 CH A 192.0.2.1\na CLASS32 60 A 192.0.2.1\n", "",
     Z "class is not IN: 'CH'\n" Z2 "class is not IN: 'CLASS32'\n"},
    {"P11", "a 9 FOO\n# comment\n// x\n", "",
     Z "unknown type 'FOO'\n" Z2 "unknown type 'comment'\n"
       "E z.zone:3: z.test: unknown type 'x'\n"},
    {"P11", "a 9 TYPE65536 \\# 1 00\na 9 FOO \\# 1 00\na 9 TYPE0 \\# 1 00\n",
     "",
     Z "unknown type 'TYPE65536'\n" Z2 "unknown type 'FOO'\n"
       "E z.zone:3: z.test: type cannot be in a zone: 'TYPE0'\n"},
    {"P05", "a 9 TXT \"abc\nb 9 A 192.0.2.1\n", "b.z.test. 9 A c0000201\n",
     Z "TXT: unbalanced quotes\n"},
    {"P05", "a 9 TXT \"abc\ndef\"\n", "",
     Z "TXT: unbalanced quotes\n" Z2 "unbalanced quotes\n"},
    {"P06e", "a 300x A 192.0.2.1\na 3d5 A 192.0.2.1\n", "",
     Z "bad TTL '300x'\n" Z2 "bad TTL '3d5'\n"},
    {"P06e", "a 4294967296 A 192.0.2.1\na 99999w A 192.0.2.1\n", "",
     Z "TTL over 2^32 - 1 '4294967296'\n" Z2 "TTL over 2^32 - 1 '99999w'\n"},
    {"P14", "a\"b 9 A 192.0.2.1\nb 9 A 192.0.2.1\n", "b.z.test. 9 A c0000201\n",
     Z "unbalanced quotes\n"},
    {"P14", "a\"b\" 9 A 192.0.2.1\n\"a\"b 9 A 192.0.2.1\na \"9\" A 1.2.3.4\n",
     "",
     Z "quotes before the type, at 'b'\n" Z2 "quotes before the type, at 'b'\n"
       "E z.zone:3: z.test: quotes before the type, at '9'\n"},
    {"P25", "a 9 A 192.0.2.1\rb 9 A 192.0.2.1\r", "",
     Z "A: CR without LF (line ends must be LF or CR LF)\n"},
    {"P25", "; zone\ra 9 A 192.0.2.1\r", "",
     Z "CR without LF (line ends must be LF or CR LF)\n"},
    {"twice", "a 9 9 A 192.0.2.1\na IN IN A 192.0.2.1\n", "",
     Z "second TTL '9'\n" Z2 "second class 'IN'\n"},
    {"short", "a\na 9\na 9 IN\nb 9 A 192.0.2.1\n", "b.z.test. 9 A c0000201\n",
     Z "type is missing\n" Z2 "type is missing\n"
       "E z.zone:3: z.test: type is missing\n"},
    {"RDATA that is cut short leaves the next line alone",
     "a 9 A\nb 9 A 192.0.2.1\n", "b.z.test. 9 A c0000201\n",
     Z "A: IPv4 address is missing\n"},
    {"owner", " 9 A 192.0.2.1\nb 9 A 192.0.2.1\n", "b.z.test. 9 A c0000201\n",
     Z "indented, but there is no owner before: '9'\n"},
    {"owner",
     "a..b 9 A 192.0.2.1\n.a 9 A 192.0.2.1\n\"\" 9 A 192.0.2.1\n"
     "a\\256 9 A 192.0.2.1\n",
     "",
     Z "bad name 'a..b'\n" Z2 "bad name '.a'\n"
       "E z.zone:3: z.test: bad name ''\nE z.zone:4: z.test: bad name "
       "'a\\256'\n"},
    {"control", "a 9 A \v 192.0.2.1\n", "",
     Z "A: control character outside quotes\n"},
};

START_TEST(faults_of_bad_text)
{
	check_row(&bad_rows[_i]);
}
END_TEST

/* Owner of 63 + 63 + 63 + n letters: with z.test. 255 octets for n = 54. */
START_TEST(B_RD01_P03_owner_over_255)
{
	check_load(X63 "." X63 "." X63 "." X53 "x 9 A 192.0.2.1\n",
		   X63 "." X63 "." X63 "." X53 "x.z.test. 9 A c0000201\n", "");
	check_load(X63 "." X63 "." X63 "." X53 "xx 9 A 192.0.2.1\n", "",
		   Z "label over 63 or name over 255 octets '" X63 "." X10 X10
		     "xxxxx...'\n");
}
END_TEST

START_TEST(faults_end_at_the_limit)
{
	char text[4096] = "";
	struct zone_load_result result;
	unsigned lines = 0;

	for (int i = 0; i < 200; i++)
		strcat(text, "a 9 FOO\n");
	put_file("z.zone", text);
	ck_assert_int_eq(load(&result, "z.zone"), -EINVAL);
	for (const char *p = messages; *p; p++)
		lines += *p == '\n';
	ck_assert_uint_eq(lines, ZONE_REPORT_MAX);
	zone_load_release(&result);
}
END_TEST

START_TEST(builder_out_of_memory_ends_the_load)
{
	struct zone_load_result result;

	add_result = -ENOMEM;
	put_file("z.zone", "a 9 A 192.0.2.1\nb 9 A 192.0.2.1\n");
	ck_assert_int_eq(load(&result, "z.zone"), -ENOMEM);
	ck_assert_uint_eq(record_nr, 1);
	add_result = 0;
	zone_load_release(&result);
}
END_TEST

/* 60 strings of 200: 12,060 octets, over any line buffer there was. */
START_TEST(B_ZS18_long_line)
{
	char *text = malloc(40000), *want = malloc(40000);
	char *t = text, *w = want;

	t += sprintf(t, "k 60 TXT");
	w += sprintf(w, "k.z.test. 60 TXT ");
	for (int i = 0; i < 60; i++) {
		t += sprintf(t, i % 2 ? " ( \n\"" : " %s\"", i ? ") " : "");
		w += sprintf(w, "c8");
		for (int j = 0; j < 200; j++) {
			t += sprintf(t, "x");
			w += sprintf(w, "78");
		}
		t += sprintf(t, "\"");
	}
	sprintf(t, ")\n");
	sprintf(w, "\n");
	check_load(text, want, "");
	free(text);
	free(want);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("load");

	enter_folder();
	tcase_add_loop_test(tcase, records_of_good_text, 0, ROW_NR(good_rows));
	tcase_add_loop_test(tcase, faults_of_bad_text, 0, ROW_NR(bad_rows));
	tcase_add_test(tcase, B_RD01_P03_owner_over_255);
	tcase_add_test(tcase, faults_end_at_the_limit);
	tcase_add_test(tcase, builder_out_of_memory_ends_the_load);
	tcase_add_test(tcase, B_ZS18_long_line);
	return unit_run("load", tcase);
}
