/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of zones over files of the test's own: what is loaded, kept,
 * skipped and said, and what a worker would find after it is published.
 */
#include "server/loader.h"
#include "unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[32];
static struct zones zones;

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	ck_assert_int_ge(fputs(text, file), 0);
	ck_assert_int_eq(fclose(file), 0);
}

/* A zone of three records; what follows them is given. */
static void put_zone(const char *path, unsigned serial, const char *more)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "$TTL 60\n"
		 "@ SOA ns hostmaster %u 3600 900 604800 300\n"
		 "@ NS ns\n"
		 "ns A 192.0.2.1\n%s",
		 serial, more);
	unlink(path);
	put(path, text);
}

static void setup(void)
{
	struct log_options options = {.level = LOG_LEVEL_DEBUG,
				      .target = LOG_TARGET_FILE,
				      .path = (char *)"log"};

	strcpy(folder, "/tmp/zcdns-zones-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
	ck_assert_int_eq(log_open(&options), 0);
}

static void teardown(void)
{
	char command[64];

	zones_release(&zones);
	ck_assert_int_eq(chdir("/"), 0);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	ck_assert_int_eq(system(command), 0);
}

static void configure(const char *text)
{
	struct fault_list faults = {0};
	struct config config;

	put("conf", text);
	config_read(&config, "conf", CONFIG_RELOAD, &faults);
	ck_assert_uint_eq(faults.nr, 0);
	ck_assert_int_eq(zones_configure(&zones, &config), 0);
	config_release(&config);
}

static struct zones_tally load(struct zone_entry *only)
{
	struct zones_tally tally;
	struct loader loader;

	ck_assert_int_eq(loader_start(&loader, &zones, only, NULL, NULL), 0);
	loader_join(&loader);
	zones_tally(&zones, &tally);
	ck_assert_int_eq(zones_publish(&zones), 0);
	return tally;
}

static void expect_tally(unsigned loaded, unsigned unchanged, unsigned failed)
{
	struct zones_tally tally = load(NULL);

	ck_assert_uint_eq(tally.loaded, loaded);
	ck_assert_uint_eq(tally.unchanged, unchanged);
	ck_assert_uint_eq(tally.failed, failed);
}

/* What the workers see: state, and serial where it is served. */
static void expect_served(const char *name, enum zone_state state,
			  uint32_t serial)
{
	uint8_t wire[DNS_NAME_MAX];
	struct dns_labels labels;
	const struct zone *zone;

	ck_assert_int_gt(dns_name_from_text(wire, name, strlen(name), NULL), 0);
	dns_labels_parse(&labels, wire, sizeof(wire));
	zone = zone_set_find(zones.served, &labels, 0);
	ck_assert_msg(zone != NULL, "%s", name);
	ck_assert_int_eq(zone->state, state);
	ck_assert(!zone->snapshot == (state != ZONE_SERVED));
	if (zone->snapshot)
		ck_assert_uint_eq(zone->snapshot->serial, serial);
}

static void expect_log(const char *text)
{
	char buf[8192];
	int fd = open("log", O_RDONLY);
	ssize_t len = read(fd, buf, sizeof(buf) - 1);

	close(fd);
	ck_assert_int_ge((int)len, 0);
	buf[len] = '\0';
	ck_assert_msg(strstr(buf, text) != NULL, "'%s' is not in\n%s", text,
		      buf);
	ck_assert_int_eq(truncate("log", 0), 0);
}

START_TEST(B_ZD03_no_SOA_leaves_the_others)
{
	put_zone("good", 7, "");
	put("bad", "$TTL 60\n@ NS ns\nns A 192.0.2.1\n");
	configure("zone good.example { file = good }\n"
		  "zone bad.example { file = bad }\n"
		  "zone none.example { file = none }\n");
	expect_tally(1, 0, 2);
	expect_served("good.example", ZONE_SERVED, 7);
	expect_served("bad.example", ZONE_INVALID, 0);
	expect_served("none.example", ZONE_NOT_READY, 0);
	expect_log("[bad.example.] not loaded, errors: 1, answering SERVFAIL");
}
END_TEST

START_TEST(B_OP01_broken_at_reload)
{
	put_zone("z", 1, "");
	configure("zone z.example { file = z }");
	expect_tally(1, 0, 0);
	expect_log("[z.example.] loaded, serial none -> 1, 3 records, ");
	put_zone("z", 2, "www A 192.0.2.256\n");
	expect_tally(0, 0, 1);
	expect_served("z.example", ZONE_SERVED, 1);
	expect_log("/z:5: z.example.: ");
	/* Named again, though its file is the same. */
	expect_tally(0, 0, 1);
	expect_log(
	    "[z.example.] not loaded, errors: 1, still serving serial 1");
	put_zone("z", 3, "www A 192.0.2.255\n");
	expect_tally(1, 0, 0);
	expect_served("z.example", ZONE_SERVED, 3);
	ck_assert_ptr_null(zones.entry[0].fault);
	expect_log("[z.example.] loaded, serial 1 -> 3, 4 records, ");
}
END_TEST

START_TEST(B_OP01_broken_at_start)
{
	put_zone("z", 1, "www A nonsense\n");
	configure("zone z.example { file = z }");
	expect_tally(0, 0, 1);
	expect_served("z.example", ZONE_INVALID, 0);
	put_zone("z", 1, "");
	expect_tally(1, 0, 0);
	expect_served("z.example", ZONE_SERVED, 1);
}
END_TEST

START_TEST(unchanged_is_not_read)
{
	struct zone_set *before;

	put_zone("z", 1, "");
	configure("zone z.example { file = z }");
	expect_tally(1, 0, 0);
	before = zones.served;
	expect_tally(0, 1, 0);
	ck_assert_ptr_eq(zones.served, before);
	/* Unless it is asked for by name. */
	ck_assert_uint_eq(load(zones_find(&zones, "Z.EXAMPLE.")).loaded, 1);
	ck_assert_ptr_null(zones_find(&zones, "y.example"));
	ck_assert_ptr_null(zones_find(&zones, "..")); /* no name */
}
END_TEST

START_TEST(B_XF04_serial_backwards)
{
	put_zone("z", 2026010200, "");
	configure("zone z.example { file = z }");
	expect_tally(1, 0, 0);
	put_zone("z", 2026010100, "");
	expect_tally(1, 0, 0);
	expect_served("z.example", ZONE_SERVED, 2026010100);
	expect_log("[z.example.] serial went back from 2026010200 to "
		   "2026010100");
	put_zone("z", 2026010100, "new A 192.0.2.9\n");
	expect_tally(1, 0, 0);
	expect_log("[z.example.] changed without a new serial");
	/* RFC 1982: half the circle ahead and less is forward. */
	put_zone("z", 4294967295, "");
	expect_tally(1, 0, 0);
	ck_assert_int_eq(truncate("log", 0), 0);
	put_zone("z", 5, "");
	expect_tally(1, 0, 0);
	expect_log("[z.example.] loaded, serial 4294967295 -> 5");
}
END_TEST

/* A version that a transfer reads outlives the set it was served in. */
START_TEST(B_XF02_held_versions_are_kept)
{
	struct snapshot *first, *second;

	put_zone("z", 1, "");
	put_zone("y", 1, "");
	configure("zone z.example { file = z } zone y.example { file = y }");
	expect_tally(2, 0, 0);
	ck_assert_uint_eq(zones_collect(&zones), 0);
	first = zones_find(&zones, "z.example")->snapshot;
	snapshot_hold(first);
	snapshot_hold(first);
	/* still served: kept without need, and once */
	for (unsigned serial = 2; serial < 5; serial++) {
		put_zone("y", serial, "");
		expect_tally(1, 1, 0);
		ck_assert_uint_eq(zones_collect(&zones), 1);
	}
	put_zone("z", 2, "");
	expect_tally(1, 1, 0);
	second = zones_find(&zones, "z.example")->snapshot;
	snapshot_hold(second);
	put_zone("z", 3, "");
	expect_tally(1, 1, 0);
	ck_assert_uint_eq(zones_collect(&zones), 2);
	ck_assert_uint_eq(atomic_load(&first->refs), 1);
	ck_assert_uint_eq(first->serial, 1);
	snapshot_release(first);
	ck_assert_uint_eq(zones_collect(&zones), 2);
	snapshot_release(second);
	ck_assert_uint_eq(zones_collect(&zones), 1);
	snapshot_release(first);
	ck_assert_uint_eq(zones_collect(&zones), 0);
	expect_served("z.example", ZONE_SERVED, 3);
}
END_TEST

static const struct acl *served_acl(const char *name)
{
	uint8_t wire[DNS_NAME_MAX];
	struct dns_labels labels;

	dns_name_from_text(wire, name, strlen(name), NULL);
	dns_labels_parse(&labels, wire, sizeof(wire));
	return zone_set_transfer(zones.served,
				 zone_set_find(zones.served, &labels, 0));
}

START_TEST(access_alone_is_a_change)
{
	struct zone_set *before;

	put_zone("z", 1, "");
	configure("zone z.example { file = z }");
	expect_tally(1, 0, 0);
	ck_assert_ptr_null(served_acl("z.example"));
	configure("zone z.example { file = z allow-transfer = ::1 }");
	expect_tally(0, 1, 0);
	ck_assert_uint_eq(served_acl("z.example")->nr, 1);
	before = zones.served;
	configure("zone z.example { file = z allow-transfer = ::1 }");
	expect_tally(0, 1, 0);
	ck_assert_ptr_eq(zones.served, before);
	configure("zone z.example { file = z allow-transfer = none }");
	expect_tally(0, 1, 0);
	ck_assert_uint_eq(served_acl("z.example")->nr, 0);
}
END_TEST

START_TEST(zones_come_and_go)
{
	put_zone("a", 1, "");
	put_zone("b", 2, "");
	put_zone("c", 3, "");
	configure("zone b.example { file = b } zone c.example { file = c }");
	expect_tally(2, 0, 0);
	configure("zone a.example { file = a } zone b.example { file = c }");
	expect_log("[c.example.] removed");
	ck_assert_uint_eq(zones.nr, 2);
	expect_tally(2, 0, 0);
	expect_served("a.example", ZONE_SERVED, 1);
	expect_served("b.example", ZONE_SERVED, 3);
	configure("zone b.example { file = c }");
	expect_tally(0, 1, 0);
	ck_assert_uint_eq(zones.served->zone_nr, 1);
	configure("server { }");
	expect_tally(0, 0, 0);
	ck_assert_uint_eq(zones.served->zone_nr, 0);
}
END_TEST

START_TEST(many_zones)
{
	char path[64];

	ck_assert_int_eq(mkdir("zones", 0755), 0);
	for (unsigned i = 0; i < 500; i++) {
		snprintf(path, sizeof(path), "zones/z%u.example.zone", i);
		put_zone(path, i, "");
	}
	configure("zone-dir = zones");
	expect_tally(500, 0, 0);
	expect_served("z0.example", ZONE_SERVED, 0);
	expect_served("z499.example", ZONE_SERVED, 499);
	unlink("zones/z7.example.zone");
	put_zone("zones/z500.example.zone", 500, "");
	configure("zone-dir = zones");
	expect_tally(1, 499, 0);
	ck_assert_ptr_null(zones_find(&zones, "z7.example"));
	expect_served("z500.example", ZONE_SERVED, 500);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("zones");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, B_ZD03_no_SOA_leaves_the_others);
	tcase_add_test(tcase, B_OP01_broken_at_reload);
	tcase_add_test(tcase, B_OP01_broken_at_start);
	tcase_add_test(tcase, unchanged_is_not_read);
	tcase_add_test(tcase, B_XF04_serial_backwards);
	tcase_add_test(tcase, B_XF02_held_versions_are_kept);
	tcase_add_test(tcase, access_alone_is_a_change);
	tcase_add_test(tcase, zones_come_and_go);
	tcase_add_test(tcase, many_zones);
	return unit_run("server/zones", tcase);
}
