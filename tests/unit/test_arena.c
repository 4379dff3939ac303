/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An arena from its first block to a mapping: contents stay, offsets too, and
 * a mapping does not move.
 */
#include <errno.h>

#include "unit.h"
#include "zone/arena.h"
#include "zone/place.h"

START_TEST(grows_and_keeps)
{
	struct snapshot_arena *arena = arena_new();
	const uint8_t *base = NULL;
	uint32_t offset, first = 0;

	for (uint64_t i = 0; i < 60000; i++) {
		uint64_t octets[3] = {i, ~i, 0};

		ck_assert_int_eq(arena_copy(arena, octets, 17, &offset), 0);
		if (!i)
			first = offset;
		ck_assert_uint_gt(offset, 0);
		ck_assert_uint_eq(offset, first + 3 * i);
		if (arena->reserved && !base)
			base = arena->base;
	}
	ck_assert_ptr_nonnull(base);
	ck_assert_ptr_eq(arena->base, base);
	for (uint64_t i = 0; i < 60000; i++) {
		const uint64_t *octets =
		    arena_at(arena, (uint32_t)(first + 3 * i));

		ck_assert_uint_eq(octets[0], i);
		ck_assert_uint_eq(octets[1], ~i);
	}
	arena_trim(arena);
	ck_assert_uint_lt(arena->reserved, (size_t)256 << 20);
	ck_assert_ptr_eq(arena->base, base);
	ck_assert_int_eq(arena_copy(arena, &base, sizeof(base), &offset), 0);
	arena_put(arena);
}
END_TEST

START_TEST(refuses_what_offsets_do_not_reach)
{
	struct snapshot_arena *arena = arena_new();

	ck_assert_int_eq(arena_reserve(arena, ARENA_MAX), -E2BIG);
	ck_assert_int_eq(arena_reserve(arena, 100), 0);
	arena_get(arena);
	arena_put(arena);
	ck_assert(arena_claim(arena));
	ck_assert(!arena_claim(arena));
	arena_unclaim(arena);
	ck_assert(arena_claim(arena));
	arena_put(arena);
	arena_put(NULL);
}
END_TEST

static void check_place(const struct place_map *map, uint32_t place,
			const char *file, uint64_t line)
{
	uint64_t found;

	ck_assert_ptr_eq(place_file(map, place, &found), file);
	ck_assert_uint_eq(found, line);
}

/* Into an included file and back, and a file that starts anew. */
START_TEST(places_lead_back)
{
	static const char a[] = "a", b[] = "b";
	struct place_map map = {0};
	uint32_t p1 = place_note(&map, a, 5), p2 = place_note(&map, a, 900);
	uint32_t p3 = place_note(&map, b, 1), p4 = place_note(&map, b, 1);
	uint32_t p5 = place_note(&map, a, 901), p6 = place_note(&map, a, 2);

	check_place(&map, p1, a, 5);
	check_place(&map, p2, a, 900);
	check_place(&map, p3, b, 1);
	check_place(&map, p4, b, 1);
	check_place(&map, p5, a, 901);
	check_place(&map, p6, a, 2);
	check_place(&map, PLACE_NONE, NULL, 0);
	place_release(&map);
}
END_TEST

START_TEST(places_run_out)
{
	static const char a[] = "a";
	struct place_map map = {0};
	uint32_t place = place_note(&map, a, 1);

	ck_assert_uint_eq(place_note(&map, a, 5000000000), PLACE_NONE);
	ck_assert_uint_eq(place_note(&map, a, 5000000001), PLACE_NONE);
	check_place(&map, place, a, 1);
	place_release(&map);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("arena");

	tcase_add_test(tcase, grows_and_keeps);
	tcase_add_test(tcase, refuses_what_offsets_do_not_reach);
	tcase_add_test(tcase, places_lead_back);
	tcase_add_test(tcase, places_run_out);
	return unit_run("arena", tcase);
}
