/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sections server and log, and the configuration as a whole: defaults, values
 * that depend on each other, comparison for the reload.
 */
#include <config.h>

#include "server/config.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#include "server/config_parser.h"
#include "server/config_value.h"

/* Defaults; RFC 7766 section 6.2.3 asks for an idle time of seconds. */
#define DEFAULT_UDP_PAYLOAD 1232 /* DNS flag day 2020 */
#define DEFAULT_TCP_CLIENTS 4096
#define DEFAULT_TCP_IDLE_MS 10000
#define DEFAULT_TCP_IO_MS   2000
#define DEFAULT_TRANSFERS   64
#define DEFAULT_TRANSFER_MS 7200000 /* two hours, as BIND has it */

static bool get_number(struct config_parser *p, const char *value,
		       unsigned long min, unsigned long max, unsigned long *out)
{
	int rc = value_number(value, min, max, out);

	if (rc == -EINVAL)
		parser_fault(p, "bad number '%s'", value);
	else if (rc)
		parser_fault(p, "'%s' is not from %lu to %lu", value, min, max);
	return !rc;
}

static void get_bool(struct config_parser *p, const char *value, bool *out)
{
	if (value_bool(value, out))
		parser_fault(p, "'%s' is not yes or no", value);
}

static void get_time(struct config_parser *p, const char *value, unsigned *out)
{
	int rc = value_time_ms(value, out);

	if (rc == -EINVAL)
		parser_fault(p, "bad time '%s': a number and ms, s, m or h",
			     value);
	else if (rc)
		parser_fault(p, "time '%s' is not from 1ms to 596h", value);
}

/* Negative when they are bad, which has been said. */
static int get_octets(struct config_parser *p, const char *value, uint8_t *out,
		      size_t max)
{
	int len = value_octets(value, out, max);

	if (len == -ERANGE)
		parser_fault(p, "more than %zu octets", max);
	else if (len < 0)
		parser_fault(p, "bad hex text '%s'", value);
	return len;
}

static void get_text(struct config_parser *p, const char *value, char *out)
{
	int len = get_octets(p, value, (uint8_t *)out, QUERY_TEXT_MAX);

	if (len >= 0)
		out[len] = '\0';
}

static void get_path(struct config_parser *p, const char *value, char **out)
{
	if (!*value)
		parser_fault(p, "empty path");
	free(*out);
	*out = parser_strdup(p, value);
}

static bool same_addr(const struct listener *a, const struct listener *b)
{
	return a->addr_len == b->addr_len &&
	       !memcmp(&a->addr, &b->addr, a->addr_len);
}

static void set_listen(struct config_parser *p, const char *value)
{
	struct config *config = p->config;
	struct listener *listener;

	listener = parser_grow(p, &config->listener, &config->listener_nr,
			       sizeof(*listener));
	if (!listener)
		return;
	if (listener_parse(listener, value)) {
		parser_fault(p,
			     "bad address '%s': an IP address or address@port",
			     value);
		config->listener_nr--;
		return;
	}
	/* sin_port and sin6_port lie at the same place */
	if (!listener->addr.in.sin_port) {
		parser_fault(p, "'%s' has port 0, which no client can ask",
			     value);
		config->listener_nr--;
		return;
	}
	for (unsigned i = 0; i + 1 < config->listener_nr; i++) {
		if (!same_addr(&config->listener[i], listener))
			continue;
		parser_fault(p, "address %s was given already", listener->text);
		config->listener_nr--;
		return;
	}
}

static void set_workers(struct config_parser *p, const char *value)
{
	get_number(p, value, 0, CONFIG_WORKERS_MAX, &p->worker_nr);
}

static void add_cpu(struct config_parser *p, unsigned long cpu)
{
	struct config *config = p->config;
	cpu_set_t set;
	int *at;

	if (!sched_getaffinity(0, sizeof(set), &set) && !CPU_ISSET(cpu, &set)) {
		parser_fault(p, "CPU %lu is not there or not ours", cpu);
		return;
	}
	at = parser_grow(p, &config->cpu, &config->cpu_nr, sizeof(*at));
	if (at)
		*at = (int)cpu;
}

static void set_pinning(struct config_parser *p, const char *value)
{
	unsigned long cpu;
	bool on;

	if (p->pinning < 0 && !value_bool(value, &on)) {
		p->pinning = on;
		return;
	}
	if (value_number(value, 0, CPU_SETSIZE - 1, &cpu) ||
	    (p->pinning >= 0 && p->pinning != 2)) {
		parser_fault(p, "'%s' is not yes, no or the number of a CPU",
			     value);
		return;
	}
	p->pinning = 2;
	add_cpu(p, cpu);
}

static void set_io(struct config_parser *p, const char *value)
{
	static const char *const words[] = {[WORKER_IO_AUTO] = "auto",
					    [WORKER_IO_URING] = "uring",
					    [WORKER_IO_MMSG] = "mmsg"};

	for (unsigned i = 0; i < 3; i++) {
		if (!strcmp(value, words[i])) {
			p->config->io = (enum worker_io)i;
			return;
		}
	}
	parser_fault(p, "'%s' is not auto, uring or mmsg", value);
}

static void set_batch_wait(struct config_parser *p, const char *value)
{
	static const char *const words[] = {[WAIT_AUTO] = "auto",
					    [WAIT_NONE] = "none",
					    [WAIT_FIXED] = NULL,
					    [WAIT_BUSY] = "busy-poll"};
	struct wait_policy *wait = &p->config->wait;
	unsigned long us;

	for (unsigned i = 0; i < 4; i++) {
		if (words[i] && !strcmp(value, words[i])) {
			wait->mode = (enum wait_mode)i;
			return;
		}
	}
	if (value_number(value, 1, WAIT_US_MAX, &us)) {
		parser_fault(p,
			     "'%s' is not auto, none, busy-poll or a number "
			     "of microseconds from 1 to %d",
			     value, WAIT_US_MAX);
		return;
	}
	*wait = (struct wait_policy){WAIT_FIXED, (unsigned)us};
}

static void set_zerocopy(struct config_parser *p, const char *value)
{
	static const char *const words[] = {[ZEROCOPY_AUTO] = "auto",
					    [ZEROCOPY_ALWAYS] = "always",
					    [ZEROCOPY_NEVER] = "never"};

	for (unsigned i = 0; i < 3; i++) {
		if (!strcmp(value, words[i])) {
			p->config->zerocopy.mode = (enum zerocopy_mode)i;
			return;
		}
	}
	parser_fault(p, "'%s' is not auto, always or never", value);
}

static void set_zerocopy_min(struct config_parser *p, const char *value)
{
	unsigned long number;

	if (get_number(p, value, 1, 65535, &number))
		p->config->zerocopy.min = (uint32_t)number;
}

static void set_max_udp_payload(struct config_parser *p, const char *value)
{
	unsigned long number;

	if (get_number(p, value, 512, 65535, &number))
		p->config->query.max_udp_payload = (uint16_t)number;
}

static void set_nsid(struct config_parser *p, const char *value)
{
	struct query_config *query = &p->config->query;
	int len = get_octets(p, value, query->nsid, sizeof(query->nsid));

	if (len >= 0)
		query->nsid_len = (uint8_t)len;
}

static void set_identity(struct config_parser *p, const char *value)
{
	get_text(p, value, p->config->query.identity);
}

static void set_version(struct config_parser *p, const char *value)
{
	get_text(p, value, p->config->query.version);
}

static void set_minimal_any(struct config_parser *p, const char *value)
{
	get_bool(p, value, &p->config->query.minimal_any);
}

static void set_tcp_clients(struct config_parser *p, const char *value)
{
	get_number(p, value, 1, 1000000, &p->tcp_clients);
}

static void set_tcp_idle(struct config_parser *p, const char *value)
{
	get_time(p, value, &p->config->tcp.idle_ms);
}

static void set_tcp_io(struct config_parser *p, const char *value)
{
	get_time(p, value, &p->config->tcp.io_ms);
}

static void set_transfer_clients(struct config_parser *p, const char *value)
{
	get_number(p, value, 1, 10000, &p->transfer_clients);
}

static void set_transfer_timeout(struct config_parser *p, const char *value)
{
	get_time(p, value, &p->config->transfer.ms);
}

static void set_user(struct config_parser *p, const char *value)
{
	if (privilege_parse(&p->config->privilege, value))
		parser_fault(p, "no user or group '%s'", value);
}

static void set_control(struct config_parser *p, const char *value)
{
	get_path(p, value, &p->config->control);
}

static void set_directory(struct config_parser *p, const char *value)
{
	get_path(p, value, &p->directory);
}

static const struct config_option server_options[] = {
    {"listen", set_listen, true},
    {"workers", set_workers, false},
    {"pinning", set_pinning, true},
    {"io", set_io, false},
    {"batch-wait", set_batch_wait, false},
    {"zerocopy", set_zerocopy, false},
    {"zerocopy-min", set_zerocopy_min, false},
    {"max-udp-payload", set_max_udp_payload, false},
    {"nsid", set_nsid, false},
    {"identity", set_identity, false},
    {"version", set_version, false},
    {"minimal-any", set_minimal_any, false},
    {"tcp-clients", set_tcp_clients, false},
    {"tcp-idle-timeout", set_tcp_idle, false},
    {"tcp-io-timeout", set_tcp_io, false},
    {"transfer-clients", set_transfer_clients, false},
    {"transfer-timeout", set_transfer_timeout, false},
    {"user", set_user, false},
    {"control", set_control, false},
    {"directory", set_directory, false},
};

#define NR(array) (sizeof(array) / sizeof(*(array)))
_Static_assert(NR(server_options) <= CONFIG_SERVER_OPTIONS, "room for all");

static void set_level(struct config_parser *p, const char *value)
{
	static const char *const words[] = {
	    [LOG_LEVEL_ERROR] = "error",
	    [LOG_LEVEL_WARNING] = "warning",
	    [LOG_LEVEL_INFO] = "info",
	    [LOG_LEVEL_DEBUG] = "debug",
	};

	for (unsigned i = 0; i < 4; i++) {
		if (!strcmp(value, words[i])) {
			p->config->log.level = (enum log_level)i;
			return;
		}
	}
	parser_fault(p, "'%s' is not error, warning, info or debug", value);
}

static void set_target(struct config_parser *p, const char *value)
{
	struct log_options *log = &p->config->log;

	if (!strcmp(value, "stderr")) {
		log->target = LOG_TARGET_STDERR;
	} else if (!strcmp(value, "syslog")) {
		log->target = LOG_TARGET_SYSLOG;
	} else {
		log->target = LOG_TARGET_FILE;
		get_path(p, value, &log->path);
	}
}

static void set_timestamp(struct config_parser *p, const char *value)
{
	bool on = false;

	if (!strcmp(value, "auto")) {
		p->config->log.stamp = LOG_STAMP_AUTO;
	} else if (!value_bool(value, &on)) {
		p->config->log.stamp = on ? LOG_STAMP_ON : LOG_STAMP_OFF;
	} else {
		parser_fault(p, "'%s' is not yes, no or auto", value);
	}
}

static const struct config_option log_options[] = {
    {"level", set_level, false},
    {"target", set_target, false},
    {"timestamp", set_timestamp, false},
};

const struct config_section config_sections[] = {
    /* The options of these two come once in the whole configuration. */
    {.name = "server",
     .option = server_options,
     .option_nr = NR(server_options)},
    {.name = "log", .option = log_options, .option_nr = NR(log_options)},
    {.name = "zone",
     .option = config_zone_options,
     .option_nr = 3,
     .title = true,
     .end = config_zone_end},
    {.name = "template",
     .option = config_zone_options,
     .option_nr = 2,
     .title = true,
     .end = config_template_end},
    {.name = "zone-dir",
     .option = &config_zone_dir_option,
     .option_nr = 1,
     .top = true},
};
const unsigned config_section_nr = NR(config_sections);

/* Where an option of section server was given. */
static void at_option(struct config_parser *p, const char *name)
{
	for (unsigned i = 0; i < NR(server_options); i++)
		if (!strcmp(server_options[i].name, name))
			p->at = p->given[0][i];
}

static void finish_cpus(struct config_parser *p)
{
	struct config *config = p->config;
	unsigned long said = p->worker_nr;
	cpu_set_t set;

	/* Over 1024 CPUs the call fails: then one worker, not pinned. */
	if (sched_getaffinity(0, sizeof(set), &set)) {
		config->worker_nr = said ? (unsigned)said : 1;
		return;
	}
	config->worker_nr = (unsigned)(said ? said : (unsigned)CPU_COUNT(&set));
	if (p->pinning != 1 && (p->pinning >= 0 || said))
		return;
	for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set))
			add_cpu(p, cpu);
}

static void finish_server(struct config_parser *p)
{
	struct config *config = p->config;
	struct sockaddr_un sun;
	unsigned keepalive;

	if (!config->listener_nr) {
		set_listen(p, "0.0.0.0@53");
		set_listen(p, "::@53");
	}
	finish_cpus(p);
	config->tcp.client_max =
	    ((unsigned)p->tcp_clients + config->worker_nr - 1) /
	    config->worker_nr;
	config->transfer.max =
	    ((unsigned)p->transfer_clients + config->worker_nr - 1) /
	    config->worker_nr;
	keepalive = config->tcp.idle_ms / 100; /* RFC 7828 section 3.1 */
	config->query.keepalive = (uint16_t)(keepalive > UINT16_MAX ? UINT16_MAX
					     : keepalive	    ? keepalive
								    : 1);
	parser_absolute(p, &config->control);
	parser_absolute(p, &config->log.path);
	at_option(p, "control");
	if (config->control && strlen(config->control) >= sizeof(sun.sun_path))
		parser_fault(p, "path of the control socket is over %zu octets",
			     sizeof(sun.sun_path) - 1);
}

/* The folder that a path lies in, absolute; malloced. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *name, *folder;

	if (!slash)
		return realpath(".", NULL);
	name = strndup(path, (size_t)(slash + 1 - path));
	folder = name ? realpath(name, NULL) : NULL;
	free(name);
	return folder;
}

char *config_path(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = folder_of(path), *out;

	if (!folder)
		return NULL;
	if (asprintf(&out, "%s/%s", folder, slash ? slash + 1 : path) < 0)
		out = NULL;
	free(folder);
	return out;
}

static void finish_directory(struct config_parser *p)
{
	char *given = p->directory;

	p->directory = NULL;
	parser_absolute(p, &given);
	p->directory = given;
}

void config_read(struct config *config, const char *path,
		 enum config_check check, struct fault_list *faults)
{
	struct config_parser parser = {
	    .config = config,
	    .faults = faults,
	    .folder = folder_of(path),
	    .check = check,
	    .pinning = -1,
	    .worker_nr = 1,
	    .tcp_clients = DEFAULT_TCP_CLIENTS,
	    .transfer_clients = DEFAULT_TRANSFERS,
	};

	*config = (struct config){
	    .query = {.max_udp_payload = DEFAULT_UDP_PAYLOAD,
		      .minimal_any = true},
	    .zerocopy = {.min = SEND_ZEROCOPY_MIN},
	    .tcp = {.idle_ms = DEFAULT_TCP_IDLE_MS, .io_ms = DEFAULT_TCP_IO_MS},
	    .transfer = {.ms = DEFAULT_TRANSFER_MS},
	    .log = {.level = LOG_LEVEL_INFO},
	};
	/* A pipe has nothing more to say when it is read again. */
	config->text.regular = check == CONFIG_RELOAD;
	config_text_read(&config->text, path, faults);
	if (parser.folder) {
		parser_run(&parser);
		finish_directory(&parser);
		finish_server(&parser);
		config_zone_finish(&parser);
	} else if (!fault_any(faults)) {
		fault_add(faults, path, 0, "%s", strerror(errno));
	}
	config_zone_release(&parser);
	free(parser.directory);
	free(parser.folder);
}

void config_compare(const struct config *a, const struct config *b,
		    void (*differs)(const char *option))
{
	for (unsigned i = 0; i < NR(server_options); i++) {
		const char *x = a->written[i], *y = b->written[i];

		if (x != y && (!x || !y || strcmp(x, y)))
			differs(server_options[i].name);
	}
}

void config_release(struct config *config)
{
	for (unsigned i = 0; i < config->listener_nr; i++)
		listener_release(&config->listener[i]);
	free(config->listener);
	free(config->cpu);
	free(config->control);
	free(config->log.path);
	for (unsigned i = 0; i < config->zone_nr; i++) {
		free(config->zone[i].apex);
		free(config->zone[i].name);
		free(config->zone[i].file);
		acl_put(config->zone[i].transfer);
	}
	free(config->zone);
	for (unsigned i = 0; i < CONFIG_SERVER_OPTIONS; i++)
		free(config->written[i]);
	config_text_release(&config->text);
	*config = (struct config){0};
}
