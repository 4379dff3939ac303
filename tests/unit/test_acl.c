/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/acl.h"
#include "unit.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>

static const struct {
	const char *text;
	int rc;
} texts[] = {
    {"192.0.2.1", 0},
    {"192.0.2.0/24", 0},
    {"192.0.2.1/32", 0},
    {"0.0.0.0/0", 0},
    {"2001:db8::/32", 0},
    {"::/0", 0},
    {"::1/128", 0},
    {"2001:db8:8000::/33", 0},
    {"", -EINVAL},
    {"/", -EINVAL},
    {"/24", -EINVAL},
    {"192.0.2", -EINVAL},
    {"192.0.2.256", -EINVAL},
    {"192.0.2.0/", -EINVAL},
    {"192.0.2.0/ 24", -EINVAL},
    {"192.0.2.0/+24", -EINVAL},
    {"192.0.2.0/24x", -EINVAL},
    {"192.0.2.0/24/8", -EINVAL},
    {"host.example", -EINVAL},
    {"fe80::1%lo", -EINVAL},
    {"2001:0db8:0000:0000:0000:0000:0000:0000:0000:0000:0000", -EINVAL},
    {"192.0.2.0/33", -ERANGE},
    {"::/129", -ERANGE},
    {"::/99999999999999999999", -ERANGE},
    {"192.0.2.1/24", -EDOM},
    {"192.0.2.128/24", -EDOM},
    {"128.0.0.0/0", -EDOM},
    {"2001:db8:8000::/32", -EDOM},
    {"::1/127", -EDOM},
};

START_TEST(text_to_prefix)
{
	struct acl_prefix prefix;

	ck_assert_msg(acl_prefix_parse(&prefix, texts[_i].text) == texts[_i].rc,
		      "%s", texts[_i].text);
}
END_TEST

static struct acl *acl_of(const char *const *text)
{
	struct acl *acl = acl_new();
	struct acl_prefix prefix;

	ck_assert_ptr_nonnull(acl);
	for (; *text; text++) {
		ck_assert_int_eq(acl_prefix_parse(&prefix, *text), 0);
		ck_assert_int_eq(acl_add(acl, &prefix), 0);
	}
	return acl;
}

static bool permits(const struct acl *acl, const char *text)
{
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};
	struct sockaddr_in in = {.sin_family = AF_INET};

	if (inet_pton(AF_INET, text, &in.sin_addr) == 1)
		return acl_permits(acl, (const void *)&in);
	ck_assert_int_eq(inet_pton(AF_INET6, text, &in6.sin6_addr), 1);
	return acl_permits(acl, (const void *)&in6);
}

static const char *const some[] = {"192.0.2.0/25", "198.51.100.7",
				   "2001:db8:8000::/33", NULL};

static const struct {
	const char *address;
	bool permitted;
} addresses[] = {
    {"192.0.2.0", true},
    {"192.0.2.127", true},
    {"192.0.2.128", false},
    {"192.0.3.0", false},
    {"198.51.100.7", true},
    {"198.51.100.6", false},
    {"2001:db8:8000::", true},
    {"2001:db8:ffff::1", true},
    {"2001:db8:7fff::1", false},
    {"2001:db9:8000::", false},
    {"::ffff:192.0.2.1", true},
    {"::ffff:192.0.2.129", false},
    /* the same octets, another family */
    {"c000:200::", false},
};

START_TEST(address_in_prefixes)
{
	struct acl *acl = acl_of(some);

	ck_assert_msg(permits(acl, addresses[_i].address) ==
			  addresses[_i].permitted,
		      "%s", addresses[_i].address);
	acl_put(acl);
}
END_TEST

START_TEST(zero_bits_are_one_family)
{
	static const char *const v4[] = {"0.0.0.0/0", NULL};
	static const char *const v6[] = {"::/0", NULL};
	struct acl *four = acl_of(v4), *six = acl_of(v6);

	ck_assert(permits(four, "203.0.113.9"));
	ck_assert(!permits(four, "2001:db8::1"));
	ck_assert(permits(six, "2001:db8::1"));
	ck_assert(!permits(six, "203.0.113.9"));
	acl_put(four);
	acl_put(six);
}
END_TEST

/* Written as IPv6, meant for IPv4: as peers are compared. */
START_TEST(mapped_prefixes_are_ipv4)
{
	static const char *const mapped[] = {"::ffff:192.0.2.0/121",
					     "::ffff:198.51.100.7", NULL};
	struct acl *acl = acl_of(mapped);

	ck_assert(permits(acl, "192.0.2.127"));
	ck_assert(!permits(acl, "192.0.2.128"));
	ck_assert(permits(acl, "198.51.100.7"));
	ck_assert(!permits(acl, "198.51.100.6"));
	ck_assert(!permits(acl, "c000:200::"));
	acl_put(acl);
}
END_TEST

START_TEST(nobody_without_list_or_address)
{
	struct sockaddr other = {.sa_family = AF_UNSPEC};
	struct acl *acl = acl_new();

	ck_assert(!permits(NULL, "192.0.2.1"));
	ck_assert(!permits(acl, "192.0.2.1"));
	ck_assert(!acl_permits(acl, NULL));
	ck_assert(!acl_permits(acl, &other));
	acl_put(acl);
}
END_TEST

START_TEST(comparison)
{
	static const char *const less[] = {"192.0.2.0/25", "198.51.100.7",
					   NULL};
	static const char *const longer[] = {"192.0.2.0/26", "198.51.100.7",
					     "2001:db8:8000::/33", NULL};
	struct acl *a = acl_of(some), *b = acl_of(some);
	struct acl *c = acl_of(less), *d = acl_of(longer), *none = acl_new();

	ck_assert(acl_same(a, a) && acl_same(a, b));
	ck_assert(!acl_same(a, c) && !acl_same(a, d) && !acl_same(a, NULL));
	ck_assert(acl_same(NULL, NULL) && acl_same(none, NULL));
	acl_put(acl_get(a));
	ck_assert(permits(a, "192.0.2.1"));
	acl_put(a);
	acl_put(b);
	acl_put(c);
	acl_put(d);
	acl_put(none);
	acl_put(NULL);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("acl");

	tcase_add_loop_test(tcase, text_to_prefix, 0,
			    sizeof(texts) / sizeof(texts[0]));
	tcase_add_loop_test(tcase, address_in_prefixes, 0,
			    sizeof(addresses) / sizeof(addresses[0]));
	tcase_add_test(tcase, zero_bits_are_one_family);
	tcase_add_test(tcase, mapped_prefixes_are_ipv4);
	tcase_add_test(tcase, nobody_without_list_or_address);
	tcase_add_test(tcase, comparison);
	return unit_run("acl", tcase);
}
