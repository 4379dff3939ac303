/* SPDX-License-Identifier: BSD-2-Clause */
#include "zone/ttl.h"
#include "unit.h"

#include <errno.h>
#include <string.h>

struct row {
	const char *text;
	int result;
	uint32_t seconds;
};

static const struct row rows[] = {
    {"0", 0, 0},
    {"3600", 0, 3600},
    {"0000000000000000060", 0, 60},
    {"4294967295", 0, 4294967295},
    {"2147483648", 0, 2147483648},
    /* B-ZS12, B-ZS04 */
    {"3H", 0, 10800},
    {"1h", 0, 3600},
    {"1W", 0, 604800},
    {"5m", 0, 300},
    {"90s", 0, 90},
    {"1w2d3h4m5s", 0, 788645},
    {"7101w3d6h28m15s", 0, 4294967295},
    /* P06b, P06e */
    {"7101w3d6h28m16s", -ERANGE, 0},
    {"4294967296", -ERANGE, 0},
    {"99999w", -ERANGE, 0},
    {"18446744073709551617", -ERANGE, 0},
    {"4294967295w4294967295w4294967295w", -ERANGE, 0},
    {"99999wx", -EINVAL, 0},
    {"300x", -EINVAL, 0},
    {"3d5", -EINVAL, 0},
    {"abc", -EINVAL, 0},
    {"", -EINVAL, 0},
    {"d", -EINVAL, 0},
    {"-1", -EINVAL, 0},
    {"+1", -EINVAL, 0},
    {"1 ", -EINVAL, 0},
    {"1h30", -EINVAL, 0},
    {"1hh", -EINVAL, 0},
    {"0x10", -EINVAL, 0},
};

START_TEST(P06_text_to_seconds)
{
	const struct row *row = &rows[_i];
	uint32_t seconds = 0;

	ck_assert_int_eq(ttl_from_text(&seconds, row->text, strlen(row->text)),
			 row->result);
	ck_assert_uint_eq(seconds, row->seconds);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("ttl");

	tcase_add_loop_test(tcase, P06_text_to_seconds, 0,
			    (int)(sizeof(rows) / sizeof(*rows)));
	return unit_run("ttl", tcase);
}
