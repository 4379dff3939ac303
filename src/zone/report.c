/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages about zone data. Text from files may be in them, so nothing that a
 * terminal or a log would act on gets through.
 */
#include "zone/report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define TEXT_MAX 1024 /* a path of the usual length, a name, a token */

/* As snprintf() behind what is there; never past the end. */
static size_t cut(int written, size_t room)
{
	if (written < 0)
		return 0;
	return (size_t)written < room ? (size_t)written : room - 1;
}

static size_t put_place(char text[TEXT_MAX], const struct zone_report *report,
			const char *file, uint64_t line)
{
	int written;

	if (!file) {
		file = report->file;
		line = 0;
	}
	if (!file)
		written = snprintf(text, TEXT_MAX, "%s: ", report->zone);
	else if (!line)
		written =
		    snprintf(text, TEXT_MAX, "%s: %s: ", file, report->zone);
	else
		written = snprintf(text, TEXT_MAX, "%s:%" PRIu64 ": %s: ", file,
				   line, report->zone);
	return cut(written, TEXT_MAX);
}

static void make_printable(char *text)
{
	for (unsigned char *p = (unsigned char *)text; *p; p++)
		if (*p < ' ' || *p == 0x7f)
			*p = '?';
}

void zone_report(struct zone_report *report, enum zone_severity severity,
		 const char *file, uint64_t line, const char *format, ...)
{
	unsigned *nr =
	    severity == ZONE_ERROR ? &report->error_nr : &report->warning_nr;
	char text[TEXT_MAX];
	va_list args;
	size_t len;

	if (++*nr > ZONE_REPORT_MAX)
		return;
	len = put_place(text, report, file, line);
	va_start(args, format);
	vsnprintf(text + len, TEXT_MAX - len, format, args);
	va_end(args);
	make_printable(text);
	report->emit(report->arg, severity, text);
}
