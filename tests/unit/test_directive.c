/* SPDX-License-Identifier: BSD-2-Clause */
/* $ORIGIN, $TTL and $INCLUDE. */
#include "loading.h"

#define Z  "E z.zone:1: z.test: "
#define Z2 "E z.zone:2: z.test: "
#define Z3 "E z.zone:3: z.test: "
#define A  " 60 A 192.0.2.1\n"

static const struct load_row rows[] = {
    {"B-ZS11 P07",
     "$ORIGIN z.test.\n$ORIGIN foo\nbar" A "$ORIGIN @\nbaz" A
     "$ORIGIN w.z.test.\nx" A,
     "bar.foo.z.test. 60 A c0000201\nbaz.foo.z.test. 60 A c0000201\n"
     "x.w.z.test. 60 A c0000201\n",
     ""},
    {"P07", "$ORIGIN a.example. foo\nx" A, "x.z.test. 60 A c0000201\n",
     Z "extra text 'foo'\n"},
    {"P07: the origin is no owner", "a" A "$ORIGIN b\n" A,
     "a.z.test. 60 A c0000201\na.z.test. 60 A c0000201\n", ""},
    {"$ORIGIN", "$ORIGIN\n$ORIGIN a..b\n$ORIGIN \"x\n", "",
     Z "$ORIGIN without a name\n" Z2 "bad name 'a..b'\n" Z3
       "unbalanced quotes\n"},
    {"P06 P06b", "$TTL abc\n$TTL 4294967296\n$TTL\n", "",
     Z "bad TTL 'abc'\n" Z2 "TTL over 2^32 - 1 '4294967296'\n" Z3
       "$TTL without a TTL\n"},
    {"P06f", "$TTL 1H 30M\nx" A, "x.z.test. 60 A c0000201\n",
     Z "extra text '30M'\n"},
    {"$TTL", "$TTL ( 1h\n30m )\n", "", Z2 "extra text '30m'\n"},
    {"P08", "$origin x.z.test.\n$ttl 5\na A 192.0.2.1\n",
     "a.x.z.test. 5 A c0000201\n", ""},
    {"P08", "\xef\xbb\xbf$TTL 5\na A 192.0.2.1\n", "a.z.test. 5 A c0000201\n",
     ""},
    {"P08",
     "\xef\xbb\xbf"
     "a 5 A 192.0.2.1\n",
     "a.z.test. 5 A c0000201\n", ""},
    {"P08", "a" A " $TTL 5\n", "a.z.test. 60 A c0000201\n",
     Z2 "directive is indented: '$TTL'\n"},
    {"unknown", "$DATE\n$TTLX 5\n$ A 192.0.2.1\n", "",
     Z "unknown directive '$DATE'\n" Z2 "unknown directive '$TTLX'\n" Z3
       "unknown directive '$'\n"},
    {"$TTL above 2^31 - 1", "$TTL 2147483648\na A 192.0.2.1\n",
     "a.z.test. 0 A c0000201\n",
     "W z.zone:1: z.test: TTL over 2^31 - 1 is taken as 0: '2147483648'\n"},
};

START_TEST(directives)
{
	check_row(&rows[_i]);
}
END_TEST

START_TEST(B_ZS08_P08b_include_has_its_own_origin)
{
	put_file("part.inc", "$ORIGIN deep\nw 60 A 192.0.2.1\n");
	check_load("$INCLUDE part.inc sub\nmail 60 A 192.0.2.2\n",
		   "w.deep.sub.z.test. 60 A c0000201\n"
		   "mail.z.test. 60 A c0000202\n",
		   "");
	check_load("$include \"part.inc\" ; here\nmail 60 A 192.0.2.2\n",
		   "w.deep.z.test. 60 A c0000201\nmail.z.test. 60 A c0000202\n",
		   "");
	check_load("$INCLUDE part.inc sub x\n$INCLUDE part.inc a..b\n$INCLUDE",
		   "",
		   Z "extra text 'x'\n" Z2 "bad name 'a..b'\n" Z3
		     "$INCLUDE without a file name\n");
}
END_TEST

/* Owner and TTL go in; the TTL comes out again, the owner does not. */
START_TEST(what_passes_through_an_include)
{
	put_file("part.inc", " 7 A 192.0.2.1\n$TTL 9\nb A 192.0.2.1\n");
	check_load("a 60 A 192.0.2.1\n$INCLUDE part.inc\n A 192.0.2.2\n",
		   "a.z.test. 60 A c0000201\na.z.test. 7 A c0000201\n"
		   "b.z.test. 9 A c0000201\na.z.test. 9 A c0000202\n",
		   "");
}
END_TEST

START_TEST(B_ZS09_include_is_relative_to_the_including_file)
{
	struct zone_load_result result;
	char path[4096];

	ck_assert_int_eq(mkdir("zones", 0700), 0);
	ck_assert_int_eq(mkdir("zones/common", 0700), 0);
	put_file("zones/x.zone", "$INCLUDE common/soa.inc\n");
	put_file("zones/common/soa.inc", "$INCLUDE n\\115\\ .inc\n");
	put_file("zones/common/ns .inc", "a 60 A 192.0.2.1\n");
	ck_assert_int_eq(load(&result, "zones/x.zone"), 0);
	ck_assert_str_eq(records, "a.z.test. 60 A c0000201\n");
	ck_assert_uint_eq(result.source_nr, 3);
	ck_assert_str_eq(result.source[2].path, "zones/common/ns .inc");
	ck_assert_uint_eq(result.record_nr, 1);
	zone_load_release(&result);

	/* The same from another working directory, by an absolute path. */
	ck_assert_ptr_nonnull(getcwd(path, sizeof(path) - 20));
	strcat(path, "/zones/x.zone");
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(load(&result, path), 0);
	ck_assert_str_eq(records, "a.z.test. 60 A c0000201\n");
	zone_load_release(&result);
	ck_assert_int_eq(chdir(folder), 0);
}
END_TEST

START_TEST(B_ZS09_error_names_both_files)
{
	ck_assert_int_eq(mkdir("d", 0700), 0);
	check_load("\n$INCLUDE no.inc\n$INCLUDE d\nx 60 A 192.0.2.1\n",
		   "x.z.test. 60 A c0000201\n",
		   Z2
		   "$INCLUDE 'no.inc': No such file or directory (z.zone)\n" Z3
		   "$INCLUDE 'd': is a directory (z.zone)\n");
	put_file("part.inc", "$INCLUDE d/no.inc\n");
	check_load("$INCLUDE part.inc\n", "",
		   "E part.inc:1: z.test: $INCLUDE 'd/no.inc': No such file or "
		   "directory (z.zone > part.inc)\n");
	check_load("$INCLUDE \"\"\n$INCLUDE a\\000b\n$INCLUDE a\\25x\n", "",
		   Z "bad file name ''\n" Z2 "bad file name 'a\\000b'\n" Z3
		     "bad file name 'a\\25x'\n");
}
END_TEST

START_TEST(B_ZS10_include_loop)
{
	put_file("a.inc", "$INCLUDE ./b.inc\n");
	put_file("b.inc", "$INCLUDE a.inc\n");
	check_load("$INCLUDE a.inc\nx 60 A 192.0.2.1\n",
		   "x.z.test. 60 A c0000201\n",
		   "E ./b.inc:1: z.test: $INCLUDE './a.inc': include depth: "
		   "file includes itself (z.zone > a.inc > ./b.inc)\n");
	check_load("$INCLUDE z.zone\n", "",
		   Z "$INCLUDE 'z.zone': include depth: file includes itself "
		     "(z.zone)\n");
}
END_TEST

/* Each file includes the next one: 10 below the zone file, and 11. */
static void put_chain(int depth)
{
	char name[32], text[64];

	for (int i = 1; i <= depth; i++) {
		snprintf(name, sizeof(name), "%d.inc", i);
		snprintf(text, sizeof(text), "$INCLUDE %d.inc\n", i + 1);
		put_file(name, i < depth ? text : "x 60 A 192.0.2.1\n");
	}
}

START_TEST(B_ZS10_include_depth)
{
	put_chain(10);
	check_load("$INCLUDE 1.inc\n", "x.z.test. 60 A c0000201\n", "");
	put_chain(11);
	check_load("$INCLUDE 1.inc\n", "",
		   "E 10.inc:1: z.test: $INCLUDE '11.inc': include depth is "
		   "over 10 (z.zone > 1.inc > 2.inc > 3.inc > 4.inc > 5.inc > "
		   "6.inc > 7.inc > 8.inc > 9.inc > 10.inc)\n");
}
END_TEST

START_TEST(B_ZS19_error_names_file_line_and_token)
{
	put_file("part.inc",
		 "\n\n\n\n\n\na 60 A 192.0.2.999\n\na 60 A (\n\n x)");
	check_load("$INCLUDE part.inc\n", "",
		   "E part.inc:7: z.test: A: bad IPv4 address '192.0.2.999'\n"
		   "E part.inc:11: z.test: A: bad IPv4 address 'x'\n");
}
END_TEST

/* The limit of messages counts over all files. */
START_TEST(faults_end_at_the_limit_in_includes)
{
	char text[1024] = "";
	struct zone_load_result result;

	for (int i = 0; i < 30; i++)
		strcat(text, "a 9 FOO\n");
	put_file("part.inc", text);
	put_file("z.zone", "$INCLUDE part.inc\n$INCLUDE part.inc\n");
	ck_assert_int_eq(load(&result, "z.zone"), -EINVAL);
	ck_assert_uint_eq(result.source_nr, 2);
	zone_load_release(&result);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("directive");

	enter_folder();
	tcase_add_loop_test(tcase, directives, 0, ROW_NR(rows));
	tcase_add_test(tcase, B_ZS08_P08b_include_has_its_own_origin);
	tcase_add_test(tcase, what_passes_through_an_include);
	tcase_add_test(tcase, B_ZS09_include_is_relative_to_the_including_file);
	tcase_add_test(tcase, B_ZS09_error_names_both_files);
	tcase_add_test(tcase, B_ZS10_include_loop);
	tcase_add_test(tcase, B_ZS10_include_depth);
	tcase_add_test(tcase, B_ZS19_error_names_file_line_and_token);
	tcase_add_test(tcase, faults_end_at_the_limit_in_includes);
	return unit_run("directive", tcase);
}
