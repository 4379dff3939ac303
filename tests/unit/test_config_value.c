/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of the configuration, right and wrong. */
#include "server/config_value.h"
#include "unit.h"

#include <errno.h>
#include <string.h>

START_TEST(numbers)
{
	static const struct {
		const char *text;
		int rc;
		unsigned long value;
	} row[] = {
	    {"10", 0, 10},	 {"0010", 0, 10},
	    {"20", 0, 20},	 {"9", -ERANGE, 0},
	    {"21", -ERANGE, 0},	 {"99999999999999999999", -ERANGE, 0},
	    {"", -EINVAL, 0},	 {" 10", -EINVAL, 0},
	    {"+10", -EINVAL, 0}, {"-10", -EINVAL, 0},
	    {"10 ", -EINVAL, 0}, {"0x10", -EINVAL, 0},
	    {"1e1", -EINVAL, 0},
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		unsigned long value = 0;
		int rc = value_number(row[i].text, 10, 20, &value);

		ck_assert_msg(rc == row[i].rc && value == row[i].value,
			      "'%s': %d, %lu", row[i].text, rc, value);
	}
}
END_TEST

START_TEST(booleans)
{
	bool value = false;

	ck_assert_int_eq(value_bool("YES", &value), 0);
	ck_assert(value);
	ck_assert_int_eq(value_bool("off", &value), 0);
	ck_assert(!value);
	ck_assert_int_eq(value_bool("True", &value), 0);
	ck_assert(value);
	ck_assert_int_eq(value_bool("1", &value), -EINVAL);
	ck_assert_int_eq(value_bool("", &value), -EINVAL);
}
END_TEST

START_TEST(times)
{
	static const struct {
		const char *text;
		int rc;
		unsigned ms;
	} row[] = {
	    {"1", 0, 1000},
	    {"250ms", 0, 250},
	    {"2s", 0, 2000},
	    {"3m", 0, 180000},
	    {"1h", 0, 3600000},
	    {"0", -ERANGE, 0},
	    {"0ms", -ERANGE, 0},
	    {"597h", -ERANGE, 0},
	    {"2147483647ms", 0, 2147483647},
	    {"2147483648ms", -ERANGE, 0},
	    {"99999999999999999999s", -ERANGE, 0},
	    {"s", -EINVAL, 0},
	    {"1 s", -EINVAL, 0},
	    {"1.5s", -EINVAL, 0},
	    {"-1s", -EINVAL, 0},
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		unsigned ms = 0;
		int rc = value_time_ms(row[i].text, &ms);

		ck_assert_msg(rc == row[i].rc && ms == row[i].ms,
			      "'%s': %d, %u", row[i].text, rc, ms);
	}
}
END_TEST

START_TEST(octets)
{
	uint8_t out[4];

	ck_assert_int_eq(value_octets("ams1", out, 4), 4);
	ck_assert_mem_eq(out, "ams1", 4);
	ck_assert_int_eq(value_octets("ams12", out, 4), -ERANGE);
	ck_assert_int_eq(value_octets("", out, 4), 0);
	ck_assert_int_eq(value_octets("0x00fFA0", out, 4), 3);
	ck_assert_mem_eq(out, "\x00\xff\xa0", 3);
	ck_assert_int_eq(value_octets("0x0011223344", out, 4), -ERANGE);
	ck_assert_int_eq(value_octets("0x", out, 4), -EINVAL);
	ck_assert_int_eq(value_octets("0x123", out, 4), -EINVAL);
	ck_assert_int_eq(value_octets("0x12g4", out, 4), -EINVAL);
}
END_TEST

static void check_expand(const char *pattern, const char *name,
			 const char *expected)
{
	char *got = value_expand(pattern, name);

	ck_assert_str_eq(got, expected);
	free(got);
}

START_TEST(expand)
{
	check_expand("zones/%s.zone", "example.com.", "zones/example.com.zone");
	check_expand("%s", "example.com", "example.com");
	check_expand("%s/%s%%", "a.", "a/a%");
	check_expand("%s.zone", ".", "root.zone");
	check_expand("plain", "a.", "plain");
	/* A name never leaves its folder. */
	check_expand("%s", "../../etc.", "..\\047..\\047etc");
	ck_assert_ptr_null(value_expand("%d", "a."));
	ck_assert_int_eq(errno, EINVAL);
	ck_assert_ptr_null(value_expand("%", "a."));
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("config_value");

	tcase_add_test(tcase, numbers);
	tcase_add_test(tcase, booleans);
	tcase_add_test(tcase, times);
	tcase_add_test(tcase, octets);
	tcase_add_test(tcase, expand);
	return unit_run("server/config_value", tcase);
}
