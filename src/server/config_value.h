/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values of the configuration: text to number, time, octets, CPUs. Pure.
 */
#ifndef SERVER_CONFIG_VALUE_H
#define SERVER_CONFIG_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A decimal number from min to max, the whole text. Returns 0, -EINVAL, or
 * -ERANGE.
 */
int value_number(const char *text, unsigned long min, unsigned long max,
		 unsigned long *out);

/* yes, on, true, no, off, false in any case. Returns 0 or -EINVAL. */
int value_bool(const char *text, bool *out);

/*
 * A time: a number with the unit ms, s, m or h behind it; without one it is
 * seconds. Returns 0, -EINVAL, or -ERANGE when it is 0 or over 2^31 ms.
 */
int value_time_ms(const char *text, unsigned *out);

/*
 * Octets: hex behind 0x, else the text itself. Returns the length, -EINVAL for
 * bad hex, or -ERANGE when there are more than max.
 */
int value_octets(const char *text, uint8_t *out, size_t max);

/*
 * "%s" in a pattern becomes the name without its final dot ("root" for the
 * root zone), "%%" a percent sign; a slash in the name becomes \047. Returns a
 * malloced text, or NULL with errno EINVAL or ENOMEM.
 */
char *value_expand(const char *pattern, const char *name);

#endif
