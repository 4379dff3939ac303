/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns/order.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

/*
 * Labels of few different octets, those around every limit in the code, with
 * lengths around that of a word; the apex is "z".
 */
static size_t random_name(uint8_t *out)
{
	static const uint8_t octets[] = {0, 1, 2, '@', 'A', 'a', '[', 255};
	size_t len = 0;

	for (long labels = random() % 4; labels > 0; labels--) {
		uint8_t label_len = (uint8_t)(1 + random() % 18);

		out[len++] = label_len;
		for (; label_len > 0; label_len--)
			out[len++] = random() % 4 ? 'a' : octets[random() % 8];
	}
	memcpy(out + len, "\1z", 3);
	return len + 3;
}

static int sign(int x)
{
	return (x > 0) - (x < 0);
}

START_TEST(orders_as_names_do)
{
	uint8_t a[128], b[128];
	struct dns_order left, right;
	unsigned decided = 0;

	for (unsigned i = 0; i < 200000; i++) {
		uint64_t x, y;
		int want;

		/* What lies behind the names must not count. */
		memset(a, (int)random(), sizeof(a));
		memset(b, (int)random(), sizeof(b));
		random_name(a);
		random_name(b);
		want = sign(dns_name_cmp(a, b));
		dns_order_init(&left, a, dns_name_label_nr(a) - 1);
		dns_order_init(&right, b, dns_name_label_nr(b) - 1);
		ck_assert_int_eq(sign(dns_order_cmp(&left, &right)), want);
		x = dns_order_key(&left);
		y = dns_order_key(&right);
		if (x == y)
			continue;
		decided++;
		ck_assert_int_eq(x < y ? -1 : 1, want);
	}
	ck_assert_uint_gt(decided, 100000);
}
END_TEST

START_TEST(apex_is_first)
{
	struct dns_order order;

	dns_order_init(&order, (const uint8_t *)"\1z", 0);
	ck_assert_uint_eq(order.nr, 0);
	ck_assert_uint_eq(dns_order_key(&order), 0);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("order");

	tcase_add_test(tcase, orders_as_names_do);
	tcase_add_test(tcase, apex_is_first);
	return unit_run("dns/order", tcase);
}
