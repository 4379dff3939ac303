/* SPDX-License-Identifier: BSD-2-Clause */
/* Start, loop and stop of the daemon. */
#include <config.h>

#include "server/daemon.h"

#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "server/command.h"
#include "server/log.h"
#include "server/notify.h"
#include "server/reload.h"

/* For TCP clients to take their replies at the end. */
#define STOP_GRACE_MS 2000

/* Less than half of what notify_loading() asks for. */
#define PROGRESS_SECONDS 5.0

/* How often it is seen whether the transfers of an old version are over. */
#define COLLECT_SECONDS 1.0

/* How long a start waits for an address that another socket has. */
#define TAKEN_MS       1000
#define TAKEN_PAUSE_MS 20

/* Descriptors for zone files, log, control socket; for ring, eventfd, ... */
#define FILES_RESERVED 32
#define FILES_WORKER   4

void daemon_stop(struct daemon *daemon, int status)
{
	daemon->status = status;
	ev_break(daemon->loop, EVBREAK_ALL);
}

/* In a loader thread: the one call of libev that is allowed there. */
static void round_over(void *arg)
{
	struct daemon *daemon = arg;

	ev_async_send(daemon->loop, &daemon->loaded);
}

int daemon_load(struct daemon *daemon, struct zone_entry *only)
{
	int rc = loader_start(&daemon->loader, &daemon->zones, only, round_over,
			      daemon);

	if (rc)
		return rc;
	daemon->loading = true;
	ev_timer_again(daemon->loop, &daemon->progress);
	return 0;
}

static void log_serving(const struct daemon *daemon)
{
	const struct config *config = &daemon->config;
	struct zones_tally tally;

	zones_tally(&daemon->zones, &tally);
	log_info("zones: %u loaded, %llu records, %u failed", tally.loaded,
		 (unsigned long long)tally.record_nr, tally.failed);
	for (unsigned i = 0; i < config->listener_nr; i++)
		log_info("serving on %s", config->listener[i].text);
	log_info("ready: %u worker%s, io %s", daemon->crew.nr,
		 daemon->crew.nr == 1 ? "" : "s", crew_io(&daemon->crew));
}

static void first_round_over(struct daemon *daemon, int rc)
{
	if (rc)
		log_error("cannot serve the loaded zones: %s", strerror(-rc));
	else
		rc = crew_start(&daemon->crew, &daemon->config,
				&daemon->zones.served);
	if (rc) {
		daemon_stop(daemon, EXIT_FAILURE);
		return;
	}
	daemon->serving = true;
	watch_start(&daemon->watch, daemon->loop, &daemon->crew);
	log_serving(daemon);
	log_started();
	notify_ready("serving");
}

static void on_loaded(struct ev_loop *loop, ev_async *async, int events)
{
	struct daemon *daemon = async->data;
	int rc;

	(void)events;
	ev_timer_stop(loop, &daemon->progress);
	loader_join(&daemon->loader);
	daemon->loading = false;
	rc = zones_publish(&daemon->zones);
	if (zones_collect(&daemon->zones))
		ev_timer_again(loop, &daemon->collect);
	if (daemon->serving)
		reload_finish(daemon, rc);
	else
		first_round_over(daemon, rc);
	if (daemon->serving)
		reload_go_on(daemon);
}

static void on_progress(struct ev_loop *loop, ev_timer *timer, int events)
{
	struct daemon *daemon = timer->data;
	unsigned done = atomic_load(&daemon->loader.done);

	(void)loop;
	(void)events;
	notify_loading(done, daemon->zones.nr);
	log_info("loading zones: %u of %u", done, daemon->zones.nr);
}

/* Versions that transfers had held. */
static void on_collect(struct ev_loop *loop, ev_timer *timer, int events)
{
	struct daemon *daemon = timer->data;

	(void)events;
	if (!zones_collect(&daemon->zones))
		ev_timer_stop(loop, timer);
}

static void on_hangup(struct ev_loop *loop, ev_signal *signal, int events)
{
	struct daemon *daemon = signal->data;

	(void)loop;
	(void)events;
	reload_ask(daemon, "");
	reload_go_on(daemon);
}

static void on_terminate(struct ev_loop *loop, ev_signal *signal, int events)
{
	struct daemon *daemon = signal->data;

	(void)loop;
	(void)events;
	log_info("stopping: signal %d", signal->signum);
	daemon_stop(daemon, EXIT_SUCCESS);
}

static void start_watchers(struct daemon *daemon)
{
	struct ev_loop *loop = daemon->loop;

	ev_signal_init(&daemon->hangup, on_hangup, SIGHUP);
	ev_signal_init(&daemon->terminate, on_terminate, SIGTERM);
	ev_signal_init(&daemon->interrupt, on_terminate, SIGINT);
	ev_async_init(&daemon->loaded, on_loaded);
	ev_timer_init(&daemon->progress, on_progress, 0, PROGRESS_SECONDS);
	ev_timer_init(&daemon->collect, on_collect, 0, COLLECT_SECONDS);
	daemon->collect.data = daemon;
	daemon->hangup.data = daemon;
	daemon->terminate.data = daemon;
	daemon->interrupt.data = daemon;
	daemon->loaded.data = daemon;
	daemon->progress.data = daemon;
	ev_signal_start(loop, &daemon->hangup);
	ev_signal_start(loop, &daemon->terminate);
	ev_signal_start(loop, &daemon->interrupt);
	ev_async_start(loop, &daemon->loaded);
}

/*
 * The signals go back to their default action: a second SIGTERM ends a stop
 * that takes too long.
 */
static void stop_signals(struct daemon *daemon)
{
	ev_signal_stop(daemon->loop, &daemon->hangup);
	signal(SIGHUP, SIG_IGN);
	ev_signal_stop(daemon->loop, &daemon->terminate);
	ev_signal_stop(daemon->loop, &daemon->interrupt);
}

static int read_config(struct daemon *daemon, const char *path)
{
	struct fault_list faults = {0};
	bool good;

	config_read(&daemon->config, path, CONFIG_START, &faults);
	fault_print(&faults, stderr);
	good = !fault_any(&faults);
	fault_release(&faults);
	if (!good)
		return -EINVAL;
	daemon->path = config_path(path);
	return daemon->path ? 0 : -errno;
}

static int open_log(const struct daemon *daemon)
{
	const struct log_options *options = &daemon->config.log;
	int rc = log_open(options);

	if (rc)
		fprintf(stderr, "zcdns: log %s: %s\n",
			options->path ? options->path : "", strerror(-rc));
	return rc;
}

/*
 * SO_REUSEPORT lets a second zcdns of the same user bind beside the first, and
 * each would get half of the queries. A socket without it finds out.
 */
static bool is_taken(const struct listener *listener)
{
	bool v6 = listener->addr.sa.sa_family == AF_INET6;
	int fd =
	    socket(listener->addr.sa.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int on = 1;
	bool taken;

	if (fd < 0)
		return false;
	if (v6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
	taken = bind(fd, &listener->addr.sa, listener->addr_len) &&
		errno == EADDRINUSE;
	close(fd);
	return taken;
}

/*
 * The kernel takes a ring down after its process has ended, some 50 ms, and
 * the ring's sockets with it: who starts again at once after a kill has to be
 * patient.
 */
static bool stays_taken(const struct listener *listener)
{
	const struct timespec pause = {.tv_nsec = TAKEN_PAUSE_MS * 1000000};

	for (unsigned ms = 0; is_taken(listener); ms += TAKEN_PAUSE_MS) {
		if (ms >= TAKEN_MS)
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

static int open_listeners(struct daemon *daemon)
{
	struct config *config = &daemon->config;

	for (unsigned i = 0; i < config->listener_nr; i++) {
		struct listener *listener = &config->listener[i];
		const char *what = "bind UDP";
		int rc = -EADDRINUSE;

		if (!stays_taken(listener))
			rc = listener_open(listener, config->worker_nr, &what);
		if (!rc)
			continue;
		log_error("%s: %s: %s", listener->text, what, strerror(-rc));
		return rc;
	}
	return 0;
}

static int open_control(struct daemon *daemon)
{
	const struct privilege *privilege = &daemon->config.privilege;
	const char *path = daemon->config.control;
	uid_t uid = privilege->change ? privilege->uid : geteuid();
	gid_t gid = privilege->change ? privilege->gid : getegid();
	int rc;

	if (!path)
		return 0;
	rc = control_open(&daemon->control, path, uid, gid);
	if (rc)
		log_error("control socket %s: %s", path,
			  rc == -EADDRINUSE ? "another process listens there"
					    : strerror(-rc));
	return rc;
}

/* What a reload will not be able to do is said now (B-OP03). */
static void check_readable(const struct daemon *daemon)
{
	const struct config *config = &daemon->config;

	for (unsigned i = 0; i < config->text.file_nr; i++)
		if (access(config->text.file[i], R_OK))
			log_warning("%s: %s as user %s, a reload will fail",
				    config->text.file[i], strerror(errno),
				    config->privilege.user);
	if (config->log.path && access(config->log.path, W_OK))
		log_warning("%s: %s as user %s, a reload will not open it "
			    "again",
			    config->log.path, strerror(errno),
			    config->privilege.user);
}

static int drop_privileges(const struct daemon *daemon)
{
	const struct privilege *privilege = &daemon->config.privilege;
	int rc = privilege_drop(privilege);

	if (rc)
		log_error("user %s: %s", privilege->user, strerror(-rc));
	else if (privilege->change)
		check_readable(daemon);
	return rc;
}

/*
 * A socket for each address and worker, and TCP clients (B-TC04). Where they
 * do not all fit, fewer clients are taken: to close the longest idle one is
 * better than to fail in accept.
 */
static void raise_file_limit(struct config *config)
{
	rlim_t workers = config->worker_nr;
	rlim_t other = FILES_RESERVED + workers * FILES_WORKER +
		       workers * 2 * config->listener_nr;
	rlim_t need = other + workers * config->tcp.client_max;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	if (limit.rlim_max == RLIM_INFINITY || limit.rlim_max >= need)
		return;
	config->tcp.client_max = 1;
	if (limit.rlim_max > other + workers)
		config->tcp.client_max =
		    (unsigned)((limit.rlim_max - other) / workers);
	log_warning("RLIMIT_NOFILE is %lu, tcp-clients needs %lu: taking %lu "
		    "clients",
		    (unsigned long)limit.rlim_max, (unsigned long)need,
		    (unsigned long)(workers * config->tcp.client_max));
}

/*
 * Everything up to the loop, in the order that needs the privileges first. All
 * faults are said where they are found.
 */
static int start(struct daemon *daemon, const char *path)
{
	int rc = read_config(daemon, path);

	if (!rc)
		rc = open_log(daemon);
	if (rc)
		return rc;
	log_info("zcdns %s starting with %s", PACKAGE_VERSION, daemon->path);
	raise_file_limit(&daemon->config);
	rc = dns_hash_init();
	if (rc)
		log_error("random numbers: %s", strerror(-rc));
	if (!rc)
		rc = open_listeners(daemon);
	if (!rc)
		rc = open_control(daemon);
	if (!rc)
		rc = drop_privileges(daemon);
	if (rc)
		return rc;
	if (daemon->control)
		control_start(daemon->control, daemon->loop, command_run,
			      daemon);
	if (!daemon->config.zone_nr)
		log_warning("no zones are configured");
	rc = zones_configure(&daemon->zones, &daemon->config);
	if (!rc)
		rc = daemon_load(daemon, NULL);
	if (rc)
		log_error("cannot start to load zones: %s", strerror(-rc));
	return rc;
}

static void finish(struct daemon *daemon)
{
	notify_stopping();
	stop_signals(daemon);
	watch_stop(&daemon->watch, daemon->loop);
	crew_stop(&daemon->crew, STOP_GRACE_MS);
	log_info("stopped");
}

int daemon_run(const char *path)
{
	static struct daemon daemon;

	signal(SIGPIPE, SIG_IGN);
	signal(SIGUSR1, SIG_IGN);
	signal(SIGUSR2, SIG_IGN);
	daemon.status = EXIT_FAILURE;
	daemon.started = time(NULL);
	daemon.loop = ev_default_loop(EVFLAG_NOENV);
	if (!daemon.loop) {
		fputs("zcdns: libev has no event loop here\n", stderr);
		return EXIT_FAILURE;
	}
	/* From here on a signal waits for the loop, however long the start. */
	start_watchers(&daemon);
	if (!start(&daemon, path)) {
		ev_run(daemon.loop, 0);
		finish(&daemon);
	}
	control_close(daemon.control);
	/* Loader threads that read a large zone are not waited for, so nothing
	   may be taken down under them: no handlers of exit(3) either. */
	if (daemon.loading)
		_exit(daemon.status);
	zones_release(&daemon.zones);
	config_release(&daemon.config);
	free(daemon.path);
	return daemon.status;
}
