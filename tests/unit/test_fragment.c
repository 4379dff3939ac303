/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keys that order as names do, and the stable sort over them.
 */
#include "unit.h"
#include "zone/fragment.h"

#define NR 4000u

static uint32_t state = 7;

static uint32_t random_below(uint32_t limit)
{
	state = state * 1664525 + 1013904223;
	return (state >> 8) % limit;
}

/* A name below "z." of one to three short labels of awkward octets. */
static size_t random_name(uint8_t *out)
{
	static const uint8_t octets[] = {0, 1, 2, 'a', 'A', 'b', '*', 255};
	size_t len = 0;

	for (unsigned i = 1 + random_below(3); i > 0; i--) {
		uint8_t label = (uint8_t)(1 + random_below(4));

		out[len++] = label;
		while (label--)
			out[len++] = octets[random_below(sizeof(octets))];
	}
	memcpy(out + len, "\1z", 3);
	return len + 3;
}

static int sign(int x)
{
	return (x > 0) - (x < 0);
}

START_TEST(keys_order_as_names)
{
	uint8_t a[64], b[64];
	unsigned decided = 0;

	for (unsigned i = 0; i < 100000; i++) {
		uint64_t x, y;

		random_name(a);
		random_name(b);
		x = fragment_key(a, 1);
		y = fragment_key(b, 1);
		if (x == y)
			continue;
		decided++;
		ck_assert_int_eq(x < y ? -1 : 1, sign(dns_name_cmp(a, b)));
	}
	ck_assert_uint_gt(decided, 50000);
	ck_assert_uint_eq(fragment_key((const uint8_t *)"\1z", 1), 0);
}
END_TEST

static void add(struct fragment_list *list, struct snapshot_arena *arena,
		const uint8_t *name, size_t len, uint32_t place)
{
	struct fragment fragment = {.key = fragment_key(name, 1),
				    .place = place};
	struct node *node;

	ck_assert_int_eq(arena_reserve(arena, 16 + len), 0);
	fragment.node = arena_commit(arena, 16 + len);
	node = arena_at(arena, fragment.node);
	memcpy(node->owner, name, len);
	ck_assert_int_eq(fragment_add(list, arena, fragment), 0);
}

static void check_sorted(const struct fragment_list *list,
			 const struct snapshot_arena *arena)
{
	for (size_t i = 1; i < list->nr; i++) {
		const struct node *a =
		    arena_at(arena, list->fragment[i - 1].node);
		const struct node *b = arena_at(arena, list->fragment[i].node);
		int diff = dns_name_cmp(a->owner, b->owner);

		ck_assert_int_le(diff, 0);
		if (!diff)
			ck_assert_uint_lt(list->fragment[i - 1].place,
					  list->fragment[i].place);
	}
}

START_TEST(sort_is_stable)
{
	struct fragment_list list = {0};
	struct snapshot_arena *arena = arena_new();
	uint8_t name[64];

	for (uint32_t i = 0; i < NR; i++) {
		size_t len = random_name(name);

		add(&list, arena, name, len, i + 1);
	}
	ck_assert(list.unsorted);
	ck_assert_int_eq(fragment_sort(&list, arena), 0);
	ck_assert_uint_eq(list.nr, NR);
	check_sorted(&list, arena);
	/* And once more, with some behind it. */
	for (uint32_t i = 0; i < 10; i++) {
		size_t len = random_name(name);

		add(&list, arena, name, len, NR + i + 1);
	}
	ck_assert_int_eq(fragment_sort(&list, arena), 0);
	check_sorted(&list, arena);
	fragment_release(&list);
	arena_put(arena);
}
END_TEST

START_TEST(sorted_input_stays)
{
	struct fragment_list list = {0};
	struct snapshot_arena *arena = arena_new();
	uint8_t name[] = "\4aaaa\1z";

	for (uint32_t i = 0; i < 26; i++) {
		name[4] = (uint8_t)('a' + i);
		add(&list, arena, name, sizeof(name), 2 * i);
		add(&list, arena, name, sizeof(name), 2 * i + 1);
	}
	ck_assert(!list.unsorted);
	ck_assert_int_eq(fragment_sort(&list, arena), 0);
	check_sorted(&list, arena);
	fragment_release(&list);
	arena_put(arena);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("fragment");

	tcase_add_test(tcase, keys_order_as_names);
	tcase_add_test(tcase, sort_is_stable);
	tcase_add_test(tcase, sorted_input_stays);
	return unit_run("fragment", tcase);
}
