/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * $GENERATE. What the good rows give is what BIND 9.18 makes of them (but for
 * the trailing dot that it writes for an even width with n).
 */
#include "loading.h"

#define Z  "E z.zone:1: z.test: "
#define C1 " 60 CNAME x.\n"
#define CX " 60 CNAME 017800\n"

static const struct load_row rows[] = {
    {"P08c", "$GENERATE 1-3 h$ 60 A 192.0.2.$\n",
     "h1.z.test. 60 A c0000201\nh2.z.test. 60 A c0000202\n"
     "h3.z.test. 60 A c0000203\n",
     ""},
    {"step", "$GENERATE 1-4/2 h$ 60 A 192.0.2.$\n",
     "h1.z.test. 60 A c0000201\nh3.z.test. 60 A c0000203\n", ""},
    {"step over the end", "$generate 2147483647-2147483647/2147483647 h$" C1,
     "h2147483647.z.test." CX, ""},
    {"offset", "$GENERATE 1-2 h${5}x${-1}y${+1} 60 A 192.0.2.${5}\n",
     "h6x0y2.z.test. 60 A c0000206\nh7x1y3.z.test. 60 A c0000207\n", ""},
    {"width", "$GENERATE 10-10 h${0,1}.${0,2}.${0,5}" C1,
     "h10.10.00010.z.test." CX, ""},
    {"base", "$GENERATE 300-300 ${0,0,d}.${0,0,o}.${0,4,x}.${0,4,X}" C1,
     "300.454.012c.012C.z.test." CX, ""},
    {"nibbles", "$GENERATE 300-300 ${0,0,n}y${0,1,n}y${0,7,n}y${0,3,N}" C1,
     "c.2.1yc.2.1yc.2.1.0yC.2.1.z.test." CX, ""},
    {"nibbles", "$GENERATE 16-17 a${0,2,n}x${0,4,n}x" C1,
     "a0.1x0.1.x.z.test." CX "a1.1x1.1.x.z.test." CX, ""},
    {"nibbles of 0", "$GENERATE 0-0 a${0,0,n}x${0,1,n}x${0,3,n}" C1,
     "a0x0x0.0.z.test." CX, ""},
    {"below 0 in decimal", "$GENERATE 1-1 a${-5}" C1, "a-4.z.test." CX, ""},
    {"dollars", "$GENERATE 1-1 a\\$b$$c$\\${5} 60 CNAME \\$$\\\\.\n",
     "a\\$b\\$c1\\${5}.z.test. 60 CNAME 0324315c00\n", ""},
    {"quotes", "$GENERATE 10-10 h$ 60 TXT \"hello $ \\\"q; $\\\" \\;\"\n",
     "h10.z.test. 60 TXT 0568656c6c6f02313005713b203130013b\n", ""},
    {"TTL and class",
     "$GENERATE 1-1 a 5 IN MX \"10 m$.\"\n"
     "$GENERATE 1-1 a IN 6 MX \"10 m$.\"\n$TTL 7\n"
     "$GENERATE 1-1 a MX \"10 m$.\"\n",
     "a.z.test. 5 MX 000a026d3100\na.z.test. 6 MX 000a026d3100\n"
     "a.z.test. 7 MX 000a026d3100\n",
     ""},
    {"origin, and the owner before stays",
     "b" C1 "$ORIGIN s\n$GENERATE 1-1 @ 60 CNAME $\n" C1,
     "b.z.test." CX "s.z.test. 60 CNAME 01310173017a047465737400\n"
     "b.z.test." CX,
     ""},
    {"range", "$GENERATE 2-1 a" C1, "", Z "bad range '2-1'\n"},
    {"range", "$GENERATE -1-3 a" C1, "", Z "bad range '-1-3'\n"},
    {"range", "$GENERATE 1-3/0 a" C1, "", Z "bad range '1-3/0'\n"},
    {"range", "$GENERATE 1-3/ a" C1, "", Z "bad range '1-3/'\n"},
    {"range", "$GENERATE 1-3x a" C1, "", Z "bad range '1-3x'\n"},
    {"range", "$GENERATE 1- a" C1, "", Z "bad range '1-'\n"},
    {"range", "$GENERATE 1-2147483648 a" C1, "",
     Z "bad range '1-2147483648'\n"},
    {"range", "$GENERATE 0-99999999999999999999 a" C1, "",
     Z "bad range '0-99999999999999999999'\n"},
    {"count", "$GENERATE 0-1048576 a" C1, "",
     Z "$GENERATE: more than 1048576 records\n"},
    {"count", "$GENERATE 0-2147483647 a" C1, "",
     Z "$GENERATE: more than 1048576 records\n"},
    {"modifier", "$GENERATE 1-3 a${1,2,q}" C1, "",
     Z "$GENERATE: bad ${offset,width,base}\n"},
    {"modifier", "$GENERATE 1-3 a${1" C1, "",
     Z "$GENERATE: bad ${offset,width,base}\n"},
    {"modifier", "$GENERATE 1-3 a${}" C1, "",
     Z "$GENERATE: bad ${offset,width,base}\n"},
    {"modifier", "$GENERATE 1-3 a${0,2,d,e}" C1, "",
     Z "$GENERATE: bad ${offset,width,base}\n"},
    {"modifier", "$GENERATE 1-3 a${0,,x}" C1, "",
     Z "$GENERATE: bad ${offset,width,base}\n"},
    {"modifier", "$GENERATE 1-3 a${0,2,}" C1, "",
     Z "$GENERATE: bad ${offset,width,base}\n"},
    {"modifier", "$GENERATE 1-3 a${0,256}" C1, "",
     Z "$GENERATE: bad ${offset,width,base}\n"},
    {"below 0", "$GENERATE 1-3 a${-5,2,n}" C1, "",
     Z "$GENERATE: number below 0\n"},
    {"below 0", "$GENERATE 1-3 a${-5,2,x}" C1, "",
     Z "$GENERATE: number below 0\n"},
    {"more than one word", "$GENERATE 1-3 a 60 MX 10 a$\nb" C1, "b.z.test." CX,
     Z "$GENERATE wants RDATA of more than one word in quotes; extra text "
       "'a$'\n"},
    {"short", "$GENERATE\nb" C1, "b.z.test." CX,
     Z "$GENERATE without a range\n"},
    {"short", "$GENERATE 1-3\nb" C1, "b.z.test." CX,
     Z "$GENERATE without an owner\n"},
    {"short", "$GENERATE 1-3 a\nb" C1, "b.z.test." CX, Z "type is missing\n"},
    {"short", "$GENERATE 1-3 a A\nb" C1, "b.z.test." CX,
     Z "$GENERATE without RDATA\n"},
    {"empty", "$GENERATE 1-3 a 60 A \"\"\nb" C1, "b.z.test." CX,
     Z "A: IPv4 address is missing\n"},
    {"the fault is reported once, and what came before it is there",
     "$GENERATE 254-300 a 60 A 192.0.2.$\nb" C1,
     "a.z.test. 60 A c00002fe\na.z.test. 60 A c00002ff\nb.z.test." CX,
     Z "A: bad IPv4 address '192.0.2.256'\n"},
    {"parentheses in the text", "$GENERATE 1-1 a 60 A \"(192.0.2.1\"\nb" C1,
     "b.z.test." CX, Z "A: unbalanced '('\n"},
    {"meta", "$GENERATE 1-1 a ANY x\n", "",
     Z "type cannot be in a zone: 'ANY'\n"},
    {"unknown", "$GENERATE 1-1 \"a\" A x\n", "", Z "bad owner 'a'\n"},
};

START_TEST(generated_records)
{
	check_row(&rows[_i]);
}
END_TEST

START_TEST(long_texts)
{
	char text[12000];
	struct zone_load_result result;

	/* 150 numbers of 9 digits are over the 1024 octets of an owner. */
	strcpy(text, "$GENERATE 1-1 ");
	for (int i = 0; i < 150; i++)
		strcat(text, "${0,9}");
	strcat(text, C1);
	check_load(text, "", Z "$GENERATE: text gets too long\n");
	strcpy(text, "$GENERATE 1-1 a 60 CNAME ");
	memset(text + strlen(text), 'x', 9000);
	strcpy(text + 9000, "\n");
	put_file("z.zone", text);
	ck_assert_int_eq(load(&result, "z.zone"), -EINVAL);
	ck_assert_ptr_nonnull(strstr(messages, Z "RDATA is too long: 'xxx"));
	zone_load_release(&result);
}
END_TEST

START_TEST(as_many_as_there_may_be)
{
	struct zone_load_result result;

	put_file("z.zone", "$GENERATE 0-1048575 a$ 60 A 192.0.2.1\n");
	ck_assert_int_eq(load(&result, "z.zone"), 0);
	ck_assert_uint_eq(result.record_nr, 1048576);
	zone_load_release(&result);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("generate");

	enter_folder();
	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, generated_records, 0, ROW_NR(rows));
	tcase_add_test(tcase, long_texts);
	tcase_add_test(tcase, as_many_as_there_may_be);
	return unit_run("generate", tcase);
}
