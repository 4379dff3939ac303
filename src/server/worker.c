/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Life of a worker: its memory, its thread, the choice of its back end.
 *
 *	control thread			worker thread
 *	worker_new
 *	worker_start ------------------> pin, init, post "started"
 *	   <---------------------------- loop
 *	worker_stop: flag, eventfd ----> drain, end
 */
#include "server/worker_loop.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>
#include <urcu-qsbr.h>

#include "dns/message.h"
#include "uring/probe.h"

/* An IPv4 datagram of 65,535 octets less its headers. */
#define UDP_REPLY_MAX 65507

static uint64_t clock_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

void worker_begin_turn(struct worker *worker)
{
	worker->now_ms = clock_ms();
	/* rcu_dereference() in a form that ThreadSanitizer sees */
	worker->set =
	    __atomic_load_n(worker->options.zone_set, __ATOMIC_ACQUIRE);
	worker->tcp.now_ms = worker->now_ms;
	worker->tcp.set = worker->set;
	query_batch_begin(&worker->batch.queries, &worker->query, worker->set);
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

void worker_end_turn(struct worker *worker)
{
	const uint64_t *received = worker->query.counters.received;
	struct worker_counters *counters = &worker->counters;

	counter_set(&counters->turns, counters->turns + 1);
	counter_set(&counters->wait_us, worker->wait_us);
	if (wait_count(&worker->wait, received[QUERY_UDP] + received[QUERY_TCP],
		       worker->now_ms))
		wait_judge(&worker->wait, clock_ns(CLOCK_MONOTONIC),
			   clock_ns(CLOCK_THREAD_CPUTIME_ID));
}

bool worker_is_stopping(struct worker *worker)
{
	if (!__atomic_load_n(&worker->stopping, __ATOMIC_ACQUIRE))
		return false;
	worker->stop_ms = worker->now_ms + worker->grace_ms;
	/* 0 means: no stop */
	if (!worker->stop_ms)
		worker->stop_ms = 1;
	return true;
}

static int64_t sooner(int64_t timeout_ms, uint64_t now_ms, uint64_t at_ms)
{
	int64_t rest = at_ms > now_ms ? (int64_t)(at_ms - now_ms) : 0;

	return timeout_ms < 0 || rest < timeout_ms ? rest : timeout_ms;
}

int64_t worker_timeout(const struct worker *worker)
{
	int64_t timeout_ms = tcp_timeout(&worker->tcp);

	if (worker->accept_again_ms)
		timeout_ms =
		    sooner(timeout_ms, worker->now_ms, worker->accept_again_ms);
	if (worker->stop_ms)
		timeout_ms =
		    sooner(timeout_ms, worker->now_ms, worker->stop_ms);
	/* the coarse clock lags: waking one tick early would spin */
	return timeout_ms < 0 ? -1 : timeout_ms + 4;
}

void worker_accept_failed(struct worker *worker)
{
	uint64_t *errors = &worker->counters.tcp_accept_errors;

	counter_set(errors, *errors + 1);
	worker->accept_again_ms = worker->now_ms + WORKER_ACCEPT_REST_MS;
}

void worker_publish_send(struct worker *worker,
			 const struct send_counters *from)
{
	struct worker_counters *to = &worker->counters;

	counter_set(&to->udp_bundles, from->bundles);
	counter_set(&to->udp_replies, from->replies);
	counter_set(&to->udp_send_errors, from->errors);
	counter_set(&to->gso_retreats, from->gso_retreats);
	counter_set(&to->zerocopy_sends, from->zerocopy_sends);
	counter_set(&to->zerocopy_copied, from->zerocopy_copied);
	counter_set(&to->zerocopy_resting, from->zerocopy_resting);
}

static size_t udp_room(const struct query_config *config)
{
	size_t room = config->max_udp_payload;

	if (room < DNS_UDP_MIN)
		room = DNS_UDP_MIN;
	return room < UDP_REPLY_MAX ? room : UDP_REPLY_MAX;
}

static void fill_sockets(struct worker *worker)
{
	const struct worker_options *options = &worker->options;

	for (unsigned i = 0; i < options->listener_nr; i++) {
		worker->socket[i].fd = options->listener[i].udp_fd[options->id];
		worker->socket[i].wildcard = options->listener[i].wildcard;
	}
}

int worker_new(struct worker **out, const struct worker_options *options)
{
	struct worker *worker = calloc(1, sizeof(*worker));
	int error = -ENOMEM;

	if (!worker)
		return error;
	worker->options = *options;
	worker->query.config = options->query;
	worker->room = udp_room(options->query);
	worker->wake_fd = -1;
	worker->wait.policy = options->wait;
	worker->traits.zerocopy_error = -EOPNOTSUPP;
	bundle_init(&worker->bundles);
	worker->socket = calloc(options->listener_nr, sizeof(*worker->socket));
	worker->accepting = calloc(options->listener_nr, sizeof(bool));
	if (!worker->socket || !worker->accepting)
		goto free_worker;
	fill_sockets(worker);
	error = slot_init(&worker->arena);
	if (error)
		goto free_worker;
	error =
	    tcp_init(&worker->tcp, options, &worker->query, &worker->counters);
	if (error)
		goto release_arena;
	*out = worker;
	return 0;
release_arena:
	slot_release(&worker->arena);
free_worker:
	free(worker->socket);
	free(worker->accepting);
	free(worker);
	return error;
}

void worker_free(struct worker *worker)
{
	if (!worker)
		return;
	tcp_release(&worker->tcp);
	slot_release(&worker->arena);
	free(worker->socket);
	free(worker->accepting);
	free(worker);
}

/*
 * io_uring where it is usable and, left to choose, better: it needs the
 * minimum-batch wait to gain over recvmmsg.
 */
static int init_io(struct worker *worker)
{
	struct uring_probe *probe = &worker->traits.probe;
	int error;

	worker->io = WORKER_IO_MMSG;
	if (worker->options.io == WORKER_IO_MMSG)
		return worker_mmsg_init(worker);
	uring_probe(probe);
	error = probe->error ? probe->error : probe->reason ? -EOPNOTSUPP : 0;
	worker->why = probe->reason;
	if (!error && worker->options.io == WORKER_IO_AUTO && probe->advice) {
		worker->why = probe->advice;
		return worker_mmsg_init(worker);
	}
	if (!error) {
		error = worker_uring_init(worker);
		worker->why = error ? uring_reason(error) : NULL;
	}
	if (!error) {
		worker->io = WORKER_IO_URING;
		return 0;
	}
	if (worker->options.io == WORKER_IO_URING)
		return error;
	return worker_mmsg_init(worker);
}

/* Returns the CPU, -1: none. */
static int pin(int cpu)
{
	cpu_set_t set;

	if (cpu < 0 || cpu >= CPU_SETSIZE)
		return -1;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return pthread_setaffinity_np(pthread_self(), sizeof(set), &set) ? -1
									 : cpu;
}

static void steer(struct worker *worker, int cpu)
{
	const struct worker_options *options = &worker->options;

	for (unsigned i = 0; i < options->listener_nr; i++)
		worker->traits.steered = listener_steer(
		    &options->listener[i], options->id, cpu, LISTENER_SYSFS);
}

static void name_thread(unsigned id)
{
	char name[16];

	snprintf(name, sizeof(name), "worker %u", id % 10000);
	pthread_setname_np(pthread_self(), name);
}

static void run(struct worker *worker)
{
	if (worker->io == WORKER_IO_URING) {
		worker_uring_run(worker);
		worker_uring_release(worker);
	} else {
		worker_mmsg_run(worker);
		worker_mmsg_release(worker);
	}
}

static void *thread_main(void *argument)
{
	struct worker *worker = argument;

	name_thread(worker->options.id);
	/* by default the kernel prolongs a wait by up to 50 microseconds */
	prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	steer(worker, pin(worker->options.cpu));
	rcu_register_thread();
	worker_begin_turn(worker);
	worker->error = init_io(worker);
	sem_post(&worker->started);
	if (!worker->error)
		run(worker);
	rcu_unregister_thread();
	return NULL;
}

/* Signals are the control thread's: the new thread inherits a full mask. */
static int start_thread(struct worker *worker)
{
	sigset_t all, before;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&worker->thread, NULL, thread_main, worker);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -error;
}

int worker_start(struct worker *worker, const char **why)
{
	int error;

	*why = "eventfd";
	worker->wake_fd = eventfd(0, EFD_CLOEXEC);
	if (worker->wake_fd < 0)
		return -errno;
	sem_init(&worker->started, 0, 0);
	*why = "thread";
	error = start_thread(worker);
	if (error)
		goto close_wake;
	while (sem_wait(&worker->started))
		;
	*why = worker->why;
	error = worker->error;
	if (!error)
		return 0;
	pthread_join(worker->thread, NULL);
close_wake:
	sem_destroy(&worker->started);
	close(worker->wake_fd);
	worker->wake_fd = -1;
	return error;
}

void worker_stop(struct worker *worker, unsigned grace_ms)
{
	const uint64_t one = 1;

	if (worker->wake_fd < 0)
		return;
	worker->grace_ms = grace_ms;
	__atomic_store_n(&worker->stopping, true, __ATOMIC_RELEASE);
	while (write(worker->wake_fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
	pthread_join(worker->thread, NULL);
	sem_destroy(&worker->started);
	close(worker->wake_fd);
	worker->wake_fd = -1;
}

enum worker_io worker_io(const struct worker *worker)
{
	return worker->io;
}

const struct worker_traits *worker_traits(const struct worker *worker)
{
	return &worker->traits;
}

const struct worker_counters *worker_counters(const struct worker *worker)
{
	return &worker->counters;
}

const struct query_counters *worker_query_counters(const struct worker *worker)
{
	return &worker->query.counters;
}
