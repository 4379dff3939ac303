/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Configurations, good and bad, written to files in a folder of the test's own.
 * What a fault says is what the operator reads, so it is compared whole.
 */
#include <config.h>

#include "server/config.h"
#include "unit.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/zcdns-config-XXXXXX";
static struct config config;
static struct fault_list faults;

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	ck_assert_int_ge(fputs(text, file), 0);
	ck_assert_int_eq(fclose(file), 0);
}

static void read_config(const char *text, enum config_check check)
{
	put("c", text);
	config_read(&config, "c", check, &faults);
}

static void release(void)
{
	config_release(&config);
	fault_release(&faults);
}

/* All faults, one a line; must be exactly these. */
static void expect(const char *text, const char *expected)
{
	char got[4096] = "";

	read_config(text, CONFIG_START);
	ck_assert(!faults.no_memory);
	for (unsigned i = 0; i < faults.nr; i++) {
		strncat(got, faults.text[i], sizeof(got) - strlen(got) - 1);
		strncat(got, "\n", sizeof(got) - strlen(got) - 1);
	}
	ck_assert_msg(!strcmp(got, expected), "\n%s\ngave\n%s\nand not\n%s",
		      text, got, expected);
	release();
}

static void setup(void)
{
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
	ck_assert_int_eq(mkdir("zones", 0755), 0);
	put("zones/example.com.zone", "");
	put("zones/0\\04725.2.0.192.in-addr.arpa.zone", "");
	put("zones/root.zone", "");
	put("zones/notes.txt", "");
	put("zones/.hidden.zone", "");
}

static void teardown(void)
{
	char command[64];

	ck_assert_int_eq(chdir("/"), 0);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	ck_assert_int_eq(system(command), 0);
}

START_TEST(everything)
{
	read_config("server { listen = { \"127.0.0.1@5300\", '::1@5300' }\n"
		    "workers=1 io = mmsg # a comment\n"
		    "batch-wait = 35 zerocopy = always zerocopy-min = 9000\n"
		    "max-udp-payload = 4096 nsid = 0x61FF identity = me\n"
		    "version = \"zcdns \\\"x\\\"\" minimal-any = no\n"
		    "tcp-clients = 7 tcp-idle-timeout = 2500ms\n"
		    "/* and one\n here */ tcp-io-timeout = 3 user = root\n"
		    "control = run/sock }\n"
		    "log { level = debug target = \"log/z\" timestamp = off }\n"
		    "zone Example.COM { file = \"zones/example.com.zone\" }",
		    CONFIG_START);
	ck_assert_uint_eq(faults.nr, 0);
	ck_assert_uint_eq(config.listener_nr, 2);
	ck_assert_str_eq(config.listener[1].text, "::1@5300");
	ck_assert_uint_eq(config.worker_nr, 1);
	ck_assert_ptr_null(config.cpu);
	ck_assert_int_eq(config.io, WORKER_IO_MMSG);
	ck_assert_int_eq(config.wait.mode, WAIT_FIXED);
	ck_assert_uint_eq(config.wait.us, 35);
	ck_assert_int_eq(config.zerocopy.mode, ZEROCOPY_ALWAYS);
	ck_assert_uint_eq(config.zerocopy.min, 9000);
	ck_assert_uint_eq(config.query.max_udp_payload, 4096);
	ck_assert_uint_eq(config.query.nsid_len, 2);
	ck_assert_mem_eq(config.query.nsid, "a\xff", 2);
	ck_assert_str_eq(config.query.identity, "me");
	ck_assert_str_eq(config.query.version, "zcdns \"x\"");
	ck_assert(!config.query.minimal_any);
	ck_assert_uint_eq(config.query.keepalive, 25);
	ck_assert_uint_eq(config.tcp.client_max, 7);
	ck_assert_uint_eq(config.tcp.idle_ms, 2500);
	ck_assert_uint_eq(config.tcp.io_ms, 3000);
	ck_assert(config.privilege.change);
	ck_assert_int_eq(config.log.level, LOG_LEVEL_DEBUG);
	ck_assert_int_eq(config.log.target, LOG_TARGET_FILE);
	ck_assert_int_eq(config.log.stamp, LOG_STAMP_OFF);
	ck_assert_uint_eq(config.zone_nr, 1);
	ck_assert_str_eq(config.zone[0].name, "example.com.");
	ck_assert_mem_eq(config.zone[0].apex, "\7example\3com", 13);
	ck_assert_uint_eq(config.zone[0].at_line, 11);
	release();
}
END_TEST

START_TEST(defaults)
{
	cpu_set_t set;

	ck_assert_int_eq(sched_getaffinity(0, sizeof(set), &set), 0);
	read_config("server { }", CONFIG_START);
	ck_assert_uint_eq(faults.nr, 0);
	ck_assert_uint_eq(config.listener_nr, 2);
	ck_assert_str_eq(config.listener[0].text, "0.0.0.0@53");
	ck_assert_str_eq(config.listener[1].text, "::@53");
	ck_assert_uint_eq(config.worker_nr, 1);
	ck_assert_int_eq(config.wait.mode, WAIT_AUTO);
	ck_assert_int_eq(config.zerocopy.mode, ZEROCOPY_AUTO);
	ck_assert_uint_eq(config.zerocopy.min, SEND_ZEROCOPY_MIN);
	ck_assert_uint_eq(config.query.max_udp_payload, 1232);
	ck_assert(config.query.minimal_any);
	ck_assert_str_eq(config.query.version, "");
	ck_assert_ptr_null(config.control);
	ck_assert_uint_eq(config.transfer.max, 64);
	ck_assert_uint_eq(config.transfer.ms, 7200000);
	release();
	read_config("server { workers = 0 tcp-clients = 1 }", CONFIG_START);
	ck_assert_uint_eq(config.worker_nr, (unsigned)CPU_COUNT(&set));
	ck_assert_uint_eq(config.cpu_nr, config.worker_nr);
	ck_assert_uint_eq(config.tcp.client_max, 1);
	release();
	read_config("server { workers = 0 pinning = no }", CONFIG_START);
	ck_assert_uint_eq(config.cpu_nr, 0);
	release();
}
END_TEST

/* Paths start from server.directory, wherever that stands. */
START_TEST(paths)
{
	char path[128];

	read_config("server { control = sock }\n"
		    "zone-dir = \".\"\n"
		    "template default { file = \"%s.zone\" }\n"
		    "zone example.com { }\n"
		    "zone \"0/25.2.0.192.in-addr.arpa\" { }\n"
		    "server { directory = zones }\n",
		    CONFIG_START);
	ck_assert_uint_eq(faults.nr, 0);
	snprintf(path, sizeof(path), "%s/zones/sock", folder);
	ck_assert_str_eq(config.control, path);
	/* The block wins over the folder's file of the same name. */
	ck_assert_uint_eq(config.zone_nr, 3);
	ck_assert_str_eq(config.zone[0].name, ".");
	ck_assert(config.zone[0].from_dir);
	snprintf(path, sizeof(path), "%s/zones/./root.zone", folder);
	ck_assert_str_eq(config.zone[0].file, path);
	ck_assert_str_eq(config.zone[1].name, "0/25.2.0.192.in-addr.arpa.");
	ck_assert(!config.zone[1].from_dir);
	ck_assert_str_eq(config.zone[2].name, "example.com.");
	ck_assert_uint_eq(config.zone[2].at_line, 4);
	release();
}
END_TEST

START_TEST(includes)
{
	ck_assert_int_eq(mkdir("d", 0755), 0);
	put("d/a.conf", "zone a.example { file = zones/root.zone }\n");
	put("d/b.conf", "include \"*.inc\" # relative to d\n");
	put("d/x.inc", "\n\nzone b.example { files = x }");
	expect("include \"d/*.conf\"\ninclude(none/*.conf)\nworkers = 1\n",
	       "d/x.inc:3: no option 'files' in 'zone'\n"
	       "c:3: no section or option 'workers'\n"
	       "d/x.inc:3: zone 'b.example' has no file, nor has template "
	       "'default'\n");
	expect("include \"none.conf\"\n",
	       "c:1: none.conf: No such file or directory\n");
	put("loop", "include loop\n");
	expect("include(loop)",
	       "loop:1: more than 10 files included in each other\n");
	read_config("include d/a.conf", CONFIG_START);
	ck_assert_uint_eq(config.text.file_nr, 2);
	ck_assert_str_eq(config.text.file[1], "d/a.conf");
	release();
}
END_TEST

/* Seven files that include each other are a tree of 7^10. */
START_TEST(include_pattern_that_matches_itself)
{
	for (char name[] = "0.conf"; *name < '7'; ++*name)
		put(name, "include \"*.conf\"\n");
	expect("include 0.conf",
	       "0.conf:1: more than 10 files included in each other\n");
}
END_TEST

START_TEST(very_many_faults)
{
	static char text[100001];

	memset(text, '}', sizeof(text) - 1);
	read_config(text, CONFIG_START);
	ck_assert_uint_eq(faults.nr, sizeof(text) - 1);
	ck_assert_str_eq(faults.text[99999], "c:1: '}' without a '{'");
	release();
}
END_TEST

/* A FIFO without a writer would be waited for; a pipe is empty when read
   again, and no zones would be left. */
START_TEST(fifo_is_no_configuration)
{
	ck_assert_int_eq(mkfifo("fifo", 0600), 0);
	expect("\ninclude fifo", "c:2: fifo: is not a regular file\n");
	config_read(&config, "fifo", CONFIG_RELOAD, &faults);
	ck_assert_uint_eq(faults.nr, 1);
	ck_assert_str_eq(faults.text[0], "fifo: is not a regular file");
	release();
}
END_TEST

/* A file cut short at a reload must not take all zones away. */
START_TEST(empty_configuration)
{
	expect("", "c: nothing is configured\n");
	expect("# one line\n\n", "c: nothing is configured\n");
	expect("include \"none/*.conf\"", "c: nothing is configured\n");
}
END_TEST

static const struct {
	const char *text, *fault;
} bad[] = {
    {"server {\nworker = 2\nio = uring }",
     "c:2: no option 'worker' in 'server'\n"},
    {"server {\n foo = { 1, 2 } workers = x\n}\nsever { }\n",
     "c:2: no option 'foo' in 'server'\n"
     "c:2: workers: bad number 'x'\n"
     "c:4: no section or option 'sever'\n"},
    {"server { listen = \"127.0.0.1@70000\" }\n",
     "c:1: listen: bad address '127.0.0.1@70000': an IP address or "
     "address@port\n"},
    {"server { listen = { \"127.0.0.1@53\",\n\"127.0.0.1\" } }\n",
     "c:2: listen: address 127.0.0.1@53 was given already\n"},
    {"server { listen = ::1 }\nserver { listen = \"::1@53\" }",
     "c:2: listen: address ::1@53 was given already\n"},
    {"server {\nlisten = { } }", "c:2: option 'listen' has no value\n"},
    {"zone-dir = {}", "c:1: option 'zone-dir' has no value\n"},
    {"server { workers = 1025 }",
     "c:1: workers: '1025' is not from 0 to 1024\n"},
    {"server { workers = 1 }\n\nserver { workers = 2 }",
     "c:3: option 'workers' was given already at c:1\n"},
    {"server { workers = -1 }", "c:1: workers: bad number '-1'\n"},
    {"server { workers = 1x }", "c:1: workers: bad number '1x'\n"},
    {"server { pinning = 4000 }",
     "c:1: pinning: '4000' is not yes, no or the number of a CPU\n"},
    {"server { pinning = { yes, 0 } }",
     "c:1: pinning: '0' is not yes, no or the number of a CPU\n"},
    {"server { pinning = 1023 }",
     "c:1: pinning: CPU 1023 is not there or not ours\n"},
    {"server { io = epoll }", "c:1: io: 'epoll' is not auto, uring or mmsg\n"},
    {"server { batch-wait = 1001 }",
     "c:1: batch-wait: '1001' is not auto, none, busy-poll or a number of "
     "microseconds from 1 to 1000\n"},
    {"server { batch-wait = 0 }",
     "c:1: batch-wait: '0' is not auto, none, busy-poll or a number of "
     "microseconds from 1 to 1000\n"},
    {"server { zerocopy = yes }",
     "c:1: zerocopy: 'yes' is not auto, always or never\n"},
    {"server { zerocopy-min = 65536 }",
     "c:1: zerocopy-min: '65536' is not from 1 to 65535\n"},
    {"server { max-udp-payload = 511 }",
     "c:1: max-udp-payload: '511' is not from 512 to 65535\n"},
    {"server { nsid = 0x123 }", "c:1: nsid: bad hex text '0x123'\n"},
    {"server { transfer-clients = 0 }",
     "c:1: transfer-clients: '0' is not from 1 to 10000\n"},
    {"server { transfer-timeout = soon }",
     "c:1: transfer-timeout: bad time 'soon': a number and ms, s, m or h\n"},
    {"zone a.example { file = c\nallow-transfer = { 192.0.2.1,\n192.0.2 } }",
     "c:3: allow-transfer: bad address '192.0.2': an IP address, "
     "address/bits, any or none\n"},
    {"zone a.example { file = c allow-transfer = { 192.0.2.0/33, ::/129 } }",
     "c:1: allow-transfer: prefix '192.0.2.0/33' is longer than the address\n"
     "c:1: allow-transfer: prefix '::/129' is longer than the address\n"},
    {"template t { allow-transfer = 192.0.2.1/24 }",
     "c:1: allow-transfer: '192.0.2.1/24' has bits set behind its prefix\n"},
    {"template t { allow-transfer = { none, 192.0.2.1 } }",
     "c:1: allow-transfer: 'none' beside another value\n"},
    {"template t { allow-transfer = { any, none } }",
     "c:1: allow-transfer: 'none' beside another value\n"},
    {"template t { allow-transfer = {} }",
     "c:1: option 'allow-transfer' has no value\n"},
    {"server { allow-transfer = any }",
     "c:1: no option 'allow-transfer' in 'server'\n"},
    {"zone a.example { file = c template = none }",
     "c:1: no template 'none'\n"},
    {"server { minimal-any = maybe }",
     "c:1: minimal-any: 'maybe' is not yes or no\n"},
    {"server { tcp-clients = 0 }",
     "c:1: tcp-clients: '0' is not from 1 to 1000000\n"},
    {"server { tcp-idle-timeout = 10d }",
     "c:1: tcp-idle-timeout: bad time '10d': a number and ms, s, m or h\n"},
    {"server { batch-wait =\n zerocopy = auto }",
     "c:1: option 'batch-wait' has no value\n"},
    {"server {\n workers =\n}", "c:2: option 'workers' has no value\n"},
    {"server {\n workers = =\n}",
     "c:2: option 'workers' has no value\nc:2: unexpected token '='\n"},
    {"server {\n listen = \"192.0.2.1@0\" }",
     "c:2: listen: '192.0.2.1@0' has port 0, which no client can ask\n"},
    {"server { tcp-io-timeout = 0 }",
     "c:1: tcp-io-timeout: time '0' is not from 1ms to 596h\n"},
    {"server { user = no-such-user }",
     "c:1: user: no user or group 'no-such-user'\n"},
    {"server { user = \"root:no-such-group\" }",
     "c:1: user: no user or group 'root:no-such-group'\n"},
    {"log {\n level = loud\n timestamp = 3 }",
     "c:2: level: 'loud' is not error, warning, info or debug\n"
     "c:3: timestamp: '3' is not yes, no or auto\n"},
    {"zone a.example { file = zones/root.zone }\n"
     "/* x */ # y\n"
     "zone \"A.Example.\" { file = zones/root.zone }",
     "c:3: zone a.example. was given already at c:1\n"},
    {"zone a..example { file = zones/root.zone }",
     "c:1: bad zone name 'a..example'\n"},
    {"zone a.example { file = x\n file = y }",
     "c:2: option 'file' was given already at c:1\n"
     "c:2: /F/y: No such file or directory\n"},
    {"zone a.example { file = zones/none }",
     "c:1: /F/zones/none: No such file or directory\n"},
    {"zone a.example {\n\n file = zones/none }",
     "c:3: /F/zones/none: No such file or directory\n"},
    {"zone a.example {\n template = t }", "c:2: no template 't'\n"},
    {"template t { file = zones/%d }\nzone a.example { template = t }",
     "c:1: '%' is followed by neither s nor % in 'zones/%d'\n"},
    {"template t { }\ntemplate t { }",
     "c:2: template 't' was given already at c:1\n"},
    {"template t {\ntemplate = u }",
     "c:2: no option 'template' in 'template'\n"},
    {"zone-dir = nowhere", "c:1: /F/nowhere: No such file or directory\n"},
    {"zone-dir = zones\nzone-dir = ./zones\n",
     "c:2: zone . has two files: /F/zones/root.zone and "
     "/F/./zones/root.zone\n"
     "c:2: zone 0/25.2.0.192.in-addr.arpa. has two files: "
     "/F/zones/0\\04725.2.0.192.in-addr.arpa.zone and "
     "/F/./zones/0\\04725.2.0.192.in-addr.arpa.zone\n"
     "c:2: zone example.com. has two files: /F/zones/example.com.zone and "
     "/F/./zones/example.com.zone\n"},
    {"zone { }", "c:1: missing title for section 'zone'\n"},
    {"server {\n workers 3\n}\nlog { level = x }",
     "c:2: missing equal sign after option 'workers'\n"
     "c:4: level: 'x' is not error, warning, info or debug\n"},
    {"server {\n # }\n", "c:1: '{' is never closed\n"},
    {"server", "c:1: the file ends inside a statement\n"},
    {"\n}\nlog { level = x }",
     "c:2: '}' without a '{'\n"
     "c:3: level: 'x' is not error, warning, info or debug\n"},
    {"log {\n target = \"x }\n\n", "c:2: string has no end\n"},
    {"\n/* no end", "c:2: comment has no end\n"},
    {"log { target = \"\\777\" }\nlog { level = x }",
     "c:1: invalid octal number '\\777'\n"
     "c:2: level: 'x' is not error, warning, info or debug\n"},
    {"zone a.example { file = zones/*.zone }",
     "c:1: 'zones/*.zone' must be quoted\n"
     "c:1: no such option '.zone'\n"},
    {"zone-dir = \"\"", "c:1: zone-dir: empty path\n"},
    {"include a b", "c:1: a: No such file or directory\n"
		    "c:1: the file ends inside a statement\n"},
    {"include(\na, b)", "c:1: include takes one file name or pattern\n"},
};

/* "/F" stands for the folder. */
static void expect_row(const char *text, const char *fault)
{
	char out[4096], *p = out;

	for (; *fault; fault++) {
		if (!strncmp(fault, "/F", 2)) {
			p = stpcpy(p, folder);
			fault++;
		} else {
			*p++ = *fault;
		}
	}
	*p = '\0';
	expect(text, out);
}

START_TEST(faults_are_named)
{
	expect_row(bad[_i].text, bad[_i].fault);
}
END_TEST

START_TEST(no_such_configuration)
{
	config_read(&config, "nowhere", CONFIG_START, &faults);
	ck_assert_uint_eq(faults.nr, 1);
	ck_assert_str_eq(faults.text[0], "nowhere: No such file or directory");
	release();
	put("nul", "server {");
	int fd = open("nul", O_WRONLY | O_APPEND);
	ck_assert_int_eq((int)write(fd, "\n\0}", 3), 3);
	close(fd);
	config_read(&config, "nul", CONFIG_START, &faults);
	ck_assert_uint_eq(faults.nr, 1);
	ck_assert_str_eq(faults.text[0], "nul:2: octet 0 in a text file");
	release();
}
END_TEST

/* A zone file that went away is the zone's fault at reload, not ours. */
START_TEST(reload_without_zone_file)
{
	read_config("zone a.example { file = none }", CONFIG_RELOAD);
	ck_assert_uint_eq(faults.nr, 0);
	ck_assert_uint_eq(config.zone_nr, 1);
	release();
}
END_TEST

/* Prefixes of a zone that says so, of its template, of nobody. */
START_TEST(transfer_access)
{
	const struct config_zone *zone;

	read_config("zone a.example { file = c }\n"
		    "zone b.example { file = c template = t }\n"
		    "zone c.example { file = c template = t\n"
		    "\tallow-transfer = none }\n"
		    "zone d.example { file = c allow-transfer = { 192.0.2.1,\n"
		    "\t198.51.100.0/24 } allow-transfer = ::1 }\n"
		    "template t { allow-transfer = any }\n"
		    "server { transfer-clients = 5 transfer-timeout = 9 }",
		    CONFIG_START);
	ck_assert_uint_eq(faults.nr, 0);
	ck_assert_uint_eq(config.transfer.max, 5);
	ck_assert_uint_eq(config.transfer.ms, 9000);
	zone = config.zone;
	ck_assert_ptr_null(zone[0].transfer);
	ck_assert_uint_eq(zone[1].transfer->nr, 2);
	ck_assert_uint_eq(zone[2].transfer->nr, 0);
	ck_assert_uint_eq(zone[3].transfer->nr, 3);
	release();
	read_config("zone-dir = zones\n"
		    "zone a.example { file = c }\n"
		    "zone b.example { file = c template = t }\n"
		    "template default { allow-transfer = 192.0.2.1 }\n"
		    "template t { }\n"
		    "server { workers = 3 transfer-clients = 7 }",
		    CONFIG_START);
	ck_assert_uint_eq(faults.nr, 0);
	ck_assert_uint_eq(config.transfer.max, 3);
	ck_assert_uint_eq(config.zone_nr, 5);
	/* all but b.example, whose template says nothing */
	for (unsigned i = 0; i < 5; i++)
		ck_assert(!config.zone[i].transfer ==
			  !strcmp(config.zone[i].name, "b.example."));
	release();
}
END_TEST

static char differing[256];

static void note_differs(const char *option)
{
	strcat(strcat(differing, option), " ");
}

START_TEST(compare)
{
	struct config old;

	read_config("server { listen = ::1 workers = 2 nsid = a }",
		    CONFIG_START);
	old = config;
	memset(&config, 0, sizeof(config));
	read_config("server { nsid = b io = auto listen = { ::1 } workers = 2}",
		    CONFIG_RELOAD);
	differing[0] = '\0';
	config_compare(&old, &config, note_differs);
	ck_assert_str_eq(differing, "io nsid ");
	config_release(&old);
	release();
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("config");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, everything);
	tcase_add_test(tcase, defaults);
	tcase_add_test(tcase, paths);
	tcase_add_test(tcase, includes);
	tcase_add_test(tcase, empty_configuration);
	tcase_add_test(tcase, fifo_is_no_configuration);
	tcase_add_test(tcase, very_many_faults);
	tcase_add_test(tcase, include_pattern_that_matches_itself);
	tcase_add_loop_test(tcase, faults_are_named, 0,
			    sizeof(bad) / sizeof(*bad));
	tcase_add_test(tcase, no_such_configuration);
	tcase_add_test(tcase, reload_without_zone_file);
	tcase_add_test(tcase, transfer_access);
	tcase_add_test(tcase, compare);
	return unit_run("server/config", tcase);
}
