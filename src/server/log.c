/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writing log lines. The descriptor of a log file never changes its number
 * once it is there: a new file is put under it with dup3(2), so that a loader
 * thread in the middle of a line writes to the old file or to the new one.
 */
#include <config.h>

#include "server/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#define LINE_MAX_LEN 4096 /* longer lines are cut */

static const struct {
	const char *name;
	int priority; /* of syslog(3), also sd-daemon(3) */
} levels[] = {
    [LOG_LEVEL_ERROR] = {"error", LOG_ERR},
    [LOG_LEVEL_WARNING] = {"warning", LOG_WARNING},
    [LOG_LEVEL_INFO] = {"info", LOG_INFO},
    [LOG_LEVEL_DEBUG] = {"debug", LOG_DEBUG},
};

static atomic_int log_level = LOG_LEVEL_INFO;
static atomic_int log_target = LOG_TARGET_STDERR;
static atomic_bool log_stamped = true;
static atomic_bool log_to_journal; /* standard error is the journal's */
static atomic_bool log_is_started;
static int log_fd = -1; /* LOG_TARGET_FILE; set once, kept open */

/* systemd.exec(5): JOURNAL_STREAM is device:inode of the stream it gave us. */
static bool stderr_is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long device, inode;
	struct stat st;

	return stream && sscanf(stream, "%llu:%llu", &device, &inode) == 2 &&
	       !fstat(STDERR_FILENO, &st) && st.st_dev == device &&
	       st.st_ino == inode;
}

/* O_NONBLOCK: a FIFO must not stop us, who would not even hear a signal. */
static int open_file(const char *path)
{
	int fd = open(path,
		      O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK |
			  O_NOCTTY,
		      0640);
	int rc = 0;

	if (fd < 0)
		return -errno;
	if (log_fd < 0) {
		log_fd = fd;
		return 0;
	}
	if (dup3(fd, log_fd, O_CLOEXEC) < 0)
		rc = -errno;
	close(fd);
	return rc;
}

int log_open(const struct log_options *options)
{
	bool journal =
	    options->target == LOG_TARGET_STDERR && stderr_is_journal();
	int rc = 0;

	if (options->target == LOG_TARGET_FILE)
		rc = open_file(options->path);
	if (rc)
		return rc;
	if (options->target == LOG_TARGET_SYSLOG)
		openlog("zcdns", LOG_PID | LOG_NDELAY, LOG_DAEMON);
	log_level = (int)options->level;
	log_to_journal = journal;
	log_stamped = options->stamp == LOG_STAMP_AUTO
			  ? !journal
			  : options->stamp == LOG_STAMP_ON;
	log_target = (int)options->target;
	return 0;
}

void log_started(void)
{
	log_is_started = true;
}

bool log_wants(enum log_level level)
{
	return (int)level <= log_level;
}

static size_t put_stamp(char *out, size_t max)
{
	char zone[8], seconds[32];
	struct timespec now;
	struct tm tm;

	clock_gettime(CLOCK_REALTIME, &now);
	localtime_r(&now.tv_sec, &tm);
	strftime(seconds, sizeof(seconds), "%Y-%m-%dT%H:%M:%S", &tm);
	strftime(zone, sizeof(zone), "%z", &tm);
	return (size_t)snprintf(out, max, "%s.%03ld%s ", seconds,
				now.tv_nsec / 1000000, zone);
}

/* What stands before the text; returns its length. */
static size_t put_head(char *out, size_t max, enum log_level level)
{
	size_t len = 0;

	if (log_to_journal)
		len +=
		    (size_t)snprintf(out, max, "<%d>", levels[level].priority);
	if (log_stamped)
		len += put_stamp(out + len, max - len);
	return len + (size_t)snprintf(out + len, max - len,
				      "%s: ", levels[level].name);
}

/* A log file on a full disk, or a terminal that went away: not our end. */
static void write_line(int fd, const char *line, size_t len)
{
	while (len) {
		ssize_t n = write(fd, line, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		line += n;
		len -= (size_t)n;
	}
}

void log_write(enum log_level level, const char *format, ...)
{
	char line[LINE_MAX_LEN];
	size_t head, len;
	va_list ap;
	int rc;

	if (!log_wants(level))
		return;
	head = log_target == LOG_TARGET_SYSLOG
		   ? 0
		   : put_head(line, sizeof(line), level);
	va_start(ap, format);
	rc = vsnprintf(line + head, sizeof(line) - head - 1, format, ap);
	va_end(ap);
	if (rc < 0)
		return;
	len = strlen(line);
	if (level == LOG_LEVEL_ERROR && log_target != LOG_TARGET_STDERR &&
	    !log_is_started)
		dprintf(STDERR_FILENO, "zcdns: %s\n", line + head);
	if (log_target == LOG_TARGET_SYSLOG) {
		syslog(levels[level].priority, "%s", line);
		return;
	}
	line[len++] = '\n';
	write_line(log_target == LOG_TARGET_FILE ? log_fd : STDERR_FILENO, line,
		   len);
}
