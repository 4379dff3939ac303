/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How reading, building and checking a zone says what it found. Every message
 * is `file:line: zone: what` and names the token; the sink decides where it
 * goes (log, control reply, standard error).
 */
#ifndef ZONE_REPORT_H
#define ZONE_REPORT_H

#include <stdint.h>

enum zone_severity {
	ZONE_WARNING, /* the zone is served all the same */
	ZONE_ERROR,   /* the zone is refused */
};

struct zone_report {
	/* text is one line without its end, valid during the call only. */
	void (*emit)(void *arg, enum zone_severity severity, const char *text);
	void *arg;
	const char *zone;  /* apex as text, for the message */
	const char *file;  /* its file, said when no other is known, or NULL */
	unsigned error_nr; /* counted here; more than the limit: silent */
	unsigned warning_nr;
};

/* Messages of one severity that are emitted; the rest are only counted. */
#define ZONE_REPORT_MAX 20

/* file NULL: a message about the zone as a whole; line 0: no line. */
__attribute__((format(printf, 5, 6))) void
zone_report(struct zone_report *report, enum zone_severity severity,
	    const char *file, uint64_t line, const char *format, ...);

#endif
