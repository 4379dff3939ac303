/* SPDX-License-Identifier: BSD-2-Clause */
#include "zone/report.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

static char last[2000];
static unsigned emitted;

static void emit(void *arg, enum zone_severity severity, const char *text)
{
	ck_assert_ptr_eq(arg, &emitted);
	snprintf(last, sizeof(last), "%c %s",
		 severity == ZONE_ERROR ? 'E' : 'W', text);
	emitted++;
}

static struct zone_report report = {
    .emit = emit, .arg = &emitted, .zone = "z.test"};

START_TEST(places)
{
	zone_report(&report, ZONE_ERROR, "a/b", 5000000000, "bad '%s'", "x");
	ck_assert_str_eq(last, "E a/b:5000000000: z.test: bad 'x'");
	zone_report(&report, ZONE_WARNING, "a/b", 0, "odd");
	ck_assert_str_eq(last, "W a/b: z.test: odd");
	zone_report(&report, ZONE_ERROR, NULL, 0, "no SOA");
	ck_assert_str_eq(last, "E z.test: no SOA");
	report.file = "d/z.zone";
	zone_report(&report, ZONE_ERROR, NULL, 7, "no SOA");
	ck_assert_str_eq(last, "E d/z.zone: z.test: no SOA");
	report.file = NULL;
	ck_assert_uint_eq(report.error_nr, 3);
	ck_assert_uint_eq(report.warning_nr, 1);
}
END_TEST

START_TEST(one_printable_line)
{
	zone_report(&report, ZONE_ERROR, "a\nb", 1, "\033[2J %s", "x\r\n");
	ck_assert_str_eq(last, "E a?b:1: z.test: ?[2J x??");
}
END_TEST

START_TEST(long_texts_are_cut)
{
	char text[3000];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	zone_report(&report, ZONE_ERROR, "f", 1, "%s", text);
	ck_assert_uint_eq(strlen(last), 1023 + 2);
	zone_report(&report, ZONE_ERROR, text, 1, "%s", text);
	ck_assert_uint_eq(strlen(last), 1023 + 2);
}
END_TEST

START_TEST(more_than_the_limit_is_counted_only)
{
	for (int i = 0; i < 2 * ZONE_REPORT_MAX; i++) {
		zone_report(&report, ZONE_ERROR, NULL, 0, "e");
		zone_report(&report, ZONE_WARNING, NULL, 0, "w");
	}
	ck_assert_uint_eq(report.error_nr, 2 * ZONE_REPORT_MAX);
	ck_assert_uint_eq(report.warning_nr, 2 * ZONE_REPORT_MAX);
	ck_assert_uint_eq(emitted, 2 * ZONE_REPORT_MAX);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("report");

	tcase_add_test(tcase, places);
	tcase_add_test(tcase, one_printable_line);
	tcase_add_test(tcase, long_texts_are_cut);
	tcase_add_test(tcase, more_than_the_limit_is_counted_only);
	return unit_run("report", tcase);
}
