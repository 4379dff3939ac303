/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The log: one line an event, to standard error, to syslog, or to a file that
 * is opened again at reload. One per process, like the streams of stdio.
 *
 *	2026-11-30T21:10:57.123+0000 info: [example.com.] loaded, serial ...
 *
 * Any thread of the control plane may write; a line is one write(2). Workers
 * never log.
 */
#ifndef SERVER_LOG_H
#define SERVER_LOG_H

#include <stdbool.h>

enum log_level {
	LOG_LEVEL_ERROR,
	LOG_LEVEL_WARNING,
	LOG_LEVEL_INFO,
	LOG_LEVEL_DEBUG
};

enum log_target { LOG_TARGET_STDERR, LOG_TARGET_SYSLOG, LOG_TARGET_FILE };

enum log_stamp {
	LOG_STAMP_AUTO, /* not where the journal or syslog adds its own */
	LOG_STAMP_ON,
	LOG_STAMP_OFF,
};

struct log_options {
	enum log_level level;
	enum log_target target;
	enum log_stamp stamp;
	char *path; /* LOG_TARGET_FILE, absolute */
};

/*
 * Switches to these options; before the first call everything down to info
 * goes to standard error. The same file is opened again, so that a rotated one
 * is let go. Returns 0, or -errno and nothing has changed. Control thread only.
 */
int log_open(const struct log_options *options);

/*
 * Until it is called errors go to standard error too, wherever the log goes:
 * who starts the server is to see why it does not.
 */
void log_started(void);

/* True when lines of this level are written. */
bool log_wants(enum log_level level);

__attribute__((format(printf, 2, 3))) void log_write(enum log_level level,
						     const char *format, ...);

#define log_error(...)	 log_write(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warning(...) log_write(LOG_LEVEL_WARNING, __VA_ARGS__)
#define log_info(...)	 log_write(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...)	 log_write(LOG_LEVEL_DEBUG, __VA_ARGS__)

#endif
