/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of zones: the longest enclosing apex, replacement, copies, and the
 * references it holds.
 */
#include "zone/zone_set.h"
#include "zone_text.h"

static void put(struct zone_set *set, const char *apex,
		struct snapshot *snapshot, enum zone_state state)
{
	uint8_t name[DNS_NAME_MAX];

	ck_assert_int_gt(dns_name_from_text(name, apex, strlen(apex), NULL), 0);
	ck_assert_int_eq(zone_set_put(set, name, snapshot, state), 0);
}

static const struct zone *find(const struct zone_set *set, const char *text,
			       unsigned first, unsigned *label)
{
	uint8_t name[DNS_NAME_MAX];
	struct dns_labels labels;
	const struct zone *zone;

	ck_assert_int_gt(dns_name_from_text(name, text, strlen(text), NULL), 0);
	dns_labels_parse(&labels, name, DNS_NAME_MAX);
	zone = zone_set_find(set, &labels, first);
	if (zone)
		*label = zone_apex_label(zone, &labels);
	return zone;
}

static void check_found(const struct zone_set *set, const char *text,
			unsigned first, int label)
{
	unsigned at = 99;
	const struct zone *zone = find(set, text, first, &at);

	ck_assert_msg(!zone == (label < 0), "%s", text);
	if (zone)
		ck_assert_msg((int)at == label, "%s: label %u", text, at);
}

START_TEST(longest_apex_wins)
{
	struct zone_set *set = zone_set_new(4);

	check_found(set, "a.test.", 0, -1);
	put(set, "Example.COM.", NULL, ZONE_NOT_READY);
	put(set, "sub.example.com.", NULL, ZONE_INVALID);
	check_found(set, "example.com.", 0, 0);
	check_found(set, "EXAMPLE.com.", 0, 0);
	check_found(set, "www.example.com.", 0, 1);
	check_found(set, "a.b.sub.example.com.", 0, 2);
	check_found(set, "sub.example.com.", 0, 0);
	/* DS at an apex belongs to the zone above (RFC 4035 3.1.4.1). */
	check_found(set, "sub.example.com.", 1, 1);
	check_found(set, "example.com.", 1, -1);
	check_found(set, "com.", 0, -1);
	check_found(set, ".", 0, -1);
	check_found(set, "example.org.", 0, -1);
	put(set, ".", NULL, ZONE_SERVED);
	check_found(set, ".", 0, 0);
	check_found(set, ".", 1, -1);
	check_found(set, "example.org.", 0, 2);
	check_found(set, "x.example.com.", 0, 1);
	zone_set_free(set);
}
END_TEST

START_TEST(put_replaces)
{
	struct zone_set *set = zone_set_new(1);
	const struct zone *zone;
	unsigned label;

	put(set, "z.test.", NULL, ZONE_NOT_READY);
	put(set, "Z.test.", NULL, ZONE_INVALID);
	ck_assert_uint_eq(set->zone_nr, 1);
	zone = find(set, "z.test.", 0, &label);
	ck_assert_int_eq(zone->state, ZONE_INVALID);
	ck_assert_uint_eq(zone->label_nr, 2);
	ck_assert_mem_eq(zone->apex, "\1z\4test", 8);
	zone_set_free(set);
}
END_TEST

START_TEST(references_are_counted)
{
	static const char *const lines[] = {
	    "z.test. 1 IN SOA z.test. z.test. 1 1 1 1 1",
	    "z.test. 1 IN NS ns.other.", NULL};
	struct zone_text text = {.apex = "z.test."};
	struct zone_set *set = zone_set_new(1), *copy;
	struct snapshot *snapshot;

	ck_assert_int_eq(zone_text_build(&text, lines, &snapshot), 0);
	put(set, "z.test.", snapshot, ZONE_SERVED);
	put(set, "z.test.", snapshot, ZONE_SERVED);
	ck_assert_uint_eq(atomic_load(&snapshot->refs), 2);
	copy = zone_set_copy(set, 5);
	ck_assert_uint_eq(atomic_load(&snapshot->refs), 3);
	zone_set_free(set);
	put(copy, "z.test.", NULL, ZONE_INVALID);
	ck_assert_uint_eq(atomic_load(&snapshot->refs), 1);
	zone_set_free(copy);
	zone_set_free(NULL);
	snapshot_put(snapshot);
}
END_TEST

START_TEST(access_goes_with_the_zone)
{
	struct zone_set *set = zone_set_new(2), *copy;
	struct acl *acl = acl_new(), *other = acl_new();
	unsigned label;

	put(set, "z.test.", NULL, ZONE_NOT_READY);
	put(set, "y.test.", NULL, ZONE_NOT_READY);
	zone_set_allow_transfer(set, (const uint8_t *)"\1Z\4test", other);
	zone_set_allow_transfer(set, (const uint8_t *)"\1z\4test", acl);
	ck_assert_uint_eq(other->refs, 1);
	ck_assert_uint_eq(acl->refs, 2);
	copy = zone_set_copy(set, 50);
	ck_assert_uint_eq(acl->refs, 3);
	zone_set_free(set);
	ck_assert_ptr_eq(
	    zone_set_transfer(copy, find(copy, "z.test.", 0, &label)), acl);
	ck_assert_ptr_null(
	    zone_set_transfer(copy, find(copy, "y.test.", 0, &label)));
	zone_set_free(copy);
	ck_assert_uint_eq(acl->refs, 1);
	acl_put(acl);
	acl_put(other);
}
END_TEST

START_TEST(hundred_thousand_zones)
{
	enum { NR = 100000 };
	struct zone_set *set = zone_set_new(0), *copy;
	char apex[32];

	/* A set grows by copying. */
	for (unsigned i = 0; i < NR; i++) {
		if (i % 4 == 3 && set->zone_nr * 2 >= set->slot_nr) {
			copy = zone_set_copy(set, set->zone_nr);
			zone_set_free(set);
			set = copy;
		}
		snprintf(apex, sizeof(apex), "z%u.test.", i);
		put(set, apex, NULL, ZONE_NOT_READY);
	}
	ck_assert_uint_eq(set->zone_nr, NR);
	for (unsigned i = 0; i < NR; i++) {
		snprintf(apex, sizeof(apex), "www.z%u.test.", i);
		check_found(set, apex, 0, 1);
		snprintf(apex, sizeof(apex), "www.y%u.test.", i);
		check_found(set, apex, 0, -1);
	}
	zone_set_free(set);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("zone_set");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, longest_apex_wins);
	tcase_add_test(tcase, put_replaces);
	tcase_add_test(tcase, references_are_counted);
	tcase_add_test(tcase, access_goes_with_the_zone);
	tcase_add_test(tcase, hundred_thousand_zones);
	return unit_run("zone_set", tcase);
}
