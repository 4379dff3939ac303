/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of the configuration. */
#include "server/config_value.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int value_number(const char *text, unsigned long min, unsigned long max,
		 unsigned long *out)
{
	unsigned long value;
	char *end;

	/* strtoul() would take blanks and a sign. */
	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	errno = 0;
	value = strtoul(text, &end, 10);
	if (*end)
		return -EINVAL;
	if (errno || value < min || value > max)
		return -ERANGE;
	*out = value;
	return 0;
}

int value_bool(const char *text, bool *out)
{
	static const char *const words[] = {"no",  "off", "false",
					    "yes", "on",  "true"};

	for (size_t i = 0; i < 6; i++) {
		if (!strcasecmp(text, words[i])) {
			*out = i >= 3;
			return 0;
		}
	}
	return -EINVAL;
}

int value_time_ms(const char *text, unsigned *out)
{
	static const struct {
		const char *unit;
		unsigned long ms;
	} units[] = {
	    {"", 1000}, {"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}};
	unsigned long value;
	char *end;

	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	errno = 0;
	value = strtoul(text, &end, 10);
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (strcmp(end, units[i].unit))
			continue;
		if (errno || !value || value > INT_MAX / units[i].ms)
			return -ERANGE;
		*out = (unsigned)(value * units[i].ms);
		return 0;
	}
	return -EINVAL;
}

static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, tolower((unsigned char)c)) : NULL;

	return at ? (int)(at - digits) : -1;
}

static int hex_octets(const char *hex, uint8_t *out, size_t max)
{
	size_t len = strlen(hex) / 2;

	if (!len || strlen(hex) % 2)
		return -EINVAL;
	for (size_t i = 0; i < len; i++) {
		int high = hex_digit(hex[2 * i]);
		int low = hex_digit(hex[2 * i + 1]);

		if (high < 0 || low < 0)
			return -EINVAL;
		if (i < max)
			out[i] = (uint8_t)(high << 4 | low);
	}
	return len > max ? -ERANGE : (int)len;
}

int value_octets(const char *text, uint8_t *out, size_t max)
{
	size_t len = strlen(text);

	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		return hex_octets(text + 2, out, max);
	if (len > max)
		return -ERANGE;
	memcpy(out, text, len);
	return (int)len;
}

/* The name as it stands in a path; returns the end. */
static char *expand_name(char *out, const char *name)
{
	size_t len = strlen(name);

	if (!strcmp(name, "."))
		return stpcpy(out, "root");
	for (size_t i = 0; i + 1 < len || (i < len && name[i] != '.'); i++) {
		if (name[i] == '/')
			out = stpcpy(out, "\\047");
		else
			*out++ = name[i];
	}
	return out;
}

char *value_expand(const char *pattern, const char *name)
{
	size_t max = strlen(pattern) + 1;
	char *start, *out;

	for (const char *p = pattern; *p; p++)
		max += *p == '%' ? 4 * strlen(name) + 4 : 0;
	start = out = malloc(max);
	if (!start)
		return NULL;
	for (; *pattern; pattern++) {
		if (*pattern != '%') {
			*out++ = *pattern;
		} else if (*++pattern == 's') {
			out = expand_name(out, name);
		} else if (*pattern == '%') {
			*out++ = '%';
		} else {
			free(start);
			errno = EINVAL;
			return NULL;
		}
	}
	*out = '\0';
	return start;
}
