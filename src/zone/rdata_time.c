/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Dates by hand: timegm() takes the 31st of February, and strptime() takes
 * much else.
 */
#include "zone/rdata_time.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include "zone/rdata_input.h"

#define DATE_LEN 14
#define DAY	 86400u

static bool is_leap(unsigned year)
{
	return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

/* Two digits of a date, all of which are digits. */
static unsigned two(const char *text)
{
	return (unsigned)(text[0] - '0') * 10 + (unsigned)(text[1] - '0');
}

static int date_from_text(const char *text, uint32_t *seconds)
{
	static const uint16_t before[] = {0,   31,  59,	 90,  120, 151, 181,
					  212, 243, 273, 304, 334, 365};
	unsigned year = two(text) * 100 + two(text + 2);
	unsigned month = two(text + 4), day = two(text + 6);
	unsigned hour = two(text + 8), minute = two(text + 10);
	unsigned second = two(text + 12), leaps;
	uint64_t days, sum;

	if (year < 1970 || month < 1 || month > 12 || day < 1 || hour > 23 ||
	    minute > 59 || second > 60)
		return -EINVAL;
	if (day > (unsigned)before[month] - before[month - 1] +
		      (month == 2 && is_leap(year)))
		return -EINVAL;
	leaps = (year - 1969) / 4 - (year - 1901) / 100 + (year - 1601) / 400;
	days = (year - 1970) * 365u + leaps + before[month - 1] + day - 1 +
	       (month > 2 && is_leap(year));
	sum = days * DAY + hour * 3600 + minute * 60 + second;
	if (sum > UINT32_MAX)
		return -EINVAL;
	*seconds = (uint32_t)sum;
	return 0;
}

int rdata_time_from_text(const char *text, size_t len, uint32_t *seconds)
{
	uint64_t value;

	if (rdata_number(text, len, UINT64_MAX, &value))
		return -EINVAL;
	if (len == DATE_LEN)
		return date_from_text(text, seconds);
	if (value > UINT32_MAX)
		return -EINVAL;
	*seconds = (uint32_t)value;
	return 0;
}

void rdata_time_to_text(char out[RDATA_TIME_TEXT_MAX], uint32_t seconds)
{
	time_t moment = seconds;
	struct tm tm;

	gmtime_r(&moment, &tm);
	strftime(out, RDATA_TIME_TEXT_MAX, "%Y%m%d%H%M%S", &tm);
}
