/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns/labels.h"
#include "unit.h"

#include <errno.h>
#include <string.h>

START_TEST(taken_apart)
{
	const uint8_t *name = (const uint8_t *)"\3WwW\7example\3com";
	struct dns_labels labels;

	ck_assert_int_eq(dns_labels_parse(&labels, name, 17), 17);
	ck_assert_uint_eq(labels.label_nr, 3);
	ck_assert_uint_eq(labels.len, 17);
	ck_assert_mem_eq(labels.lower, "\3www\7example\3com", 17);
	ck_assert_uint_eq(labels.offset[1], 4);
	ck_assert_uint_eq(labels.offset[3], 16);
	for (unsigned i = 0; i <= 3; i++)
		ck_assert_uint_eq(dns_labels_hash(&labels, i),
				  dns_name_hash(name + labels.offset[i]));
	ck_assert_uint_eq(labels.hash, dns_labels_hash(&labels, 0));
}
END_TEST

START_TEST(bad_names)
{
	struct dns_labels labels;
	uint8_t name[300];

	for (size_t max = 0; max < 5; max++)
		ck_assert_int_eq(
		    dns_labels_parse(&labels, (const uint8_t *)"\3www", max),
		    max < 5 ? -EBADMSG : 5);
	ck_assert_int_eq(
	    dns_labels_parse(&labels, (const uint8_t *)"\xc0\x0c\0", 3),
	    -EBADMSG);
	memset(name, 1, sizeof(name));
	ck_assert_int_eq(dns_labels_parse(&labels, name, sizeof(name)),
			 -EBADMSG);
	name[254] = 0;
	ck_assert_int_eq(dns_labels_parse(&labels, name, sizeof(name)), 255);
	ck_assert_uint_eq(labels.label_nr, 127);
}
END_TEST

/* Labels that only differ in where they end must not look the same. */
START_TEST(hashes_differ)
{
	static const char *const names[] = {
	    "",
	    "\1a",
	    "\2aa",
	    "\1a\1a",
	    "\1a\2aa",
	    "\2aa\1a",
	    "\7aaaaaaa",
	    "\010aaaaaaaa",
	    "\011aaaaaaaaa",
	    "\017aaaaaaaaaaaaaaa",
	    "\020aaaaaaaaaaaaaaaa",
	};
	const size_t nr = sizeof(names) / sizeof(names[0]);

	for (size_t i = 0; i < nr; i++)
		for (size_t k = 0; k < i; k++)
			ck_assert(dns_name_hash((const uint8_t *)names[i]) !=
				  dns_name_hash((const uint8_t *)names[k]));
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("labels");

	tcase_add_test(tcase, taken_apart);
	tcase_add_test(tcase, bad_names);
	tcase_add_test(tcase, hashes_differ);
	return unit_run("dns/labels", tcase);
}
