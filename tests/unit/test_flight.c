/* SPDX-License-Identifier: BSD-2-Clause */
#include "zcflood/flight.h"
#include "unit.h"

static struct flight_table table;

static struct flight *start(uint32_t source, uint16_t *id)
{
	struct flight *flight = flight_next(&table, source, id);

	ck_assert(flight->state != FLIGHT_FLYING);
	flight_start(&table, flight, *id);
	return flight;
}

START_TEST(found_by_source_and_id)
{
	uint16_t id[64][8];

	ck_assert_int_eq(flight_init(&table, 64, 8), 0);
	for (uint32_t k = 0; k < 8; k++)
		for (uint32_t i = 0; i < 64; i++)
			start(i, &id[i][k])->query = i * 8 + k;
	ck_assert_uint_eq(table.nr, 512);
	for (uint32_t i = 0; i < 64; i++) {
		for (uint32_t k = 0; k < 8; k++) {
			struct flight *flight =
			    flight_find(&table, i, id[i][k]);

			ck_assert_ptr_nonnull(flight);
			ck_assert_uint_eq(flight->query, i * 8 + k);
			/* the neighbour would not take it for its own */
			ck_assert_ptr_null(
			    flight_find(&table, (i + 1) % 64, id[i][k]));
		}
	}
}
END_TEST

/* A slot remembers its last query until it is needed again. */
START_TEST(remembered)
{
	uint16_t first, id;

	ck_assert_int_eq(flight_init(&table, 1, 4), 0);
	flight_end(&table, start(0, &first), FLIGHT_ANSWERED);
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(flight_find(&table, 0, first)->state,
				 FLIGHT_ANSWERED);
		flight_end(&table, start(0, &id), FLIGHT_LOST);
		ck_assert_int_eq(flight_find(&table, 0, id)->state,
				 FLIGHT_LOST);
	}
	start(0, &id);
	ck_assert_ptr_null(flight_find(&table, 0, first));
	ck_assert_ptr_null(flight_find(&table, 0, (uint16_t)(id + 4)));
}
END_TEST

/* As long as none of the next few slots is flying. */
START_TEST(room_for_a_burst)
{
	struct flight *first;
	uint16_t id;

	ck_assert_int_eq(flight_init(&table, 2, 8), 0);
	ck_assert(flight_has_room(&table, 0, 8));
	first = start(0, &id);
	ck_assert(flight_has_room(&table, 0, 7));
	ck_assert(!flight_has_room(&table, 0, 8));
	ck_assert(flight_has_room(&table, 1, 8));
	flight_end(&table, first, FLIGHT_LOST);
	ck_assert(flight_has_room(&table, 0, 8));
}
END_TEST

START_TEST(in_order_of_sending)
{
	struct flight *flight[6];
	uint16_t id;

	ck_assert_int_eq(flight_init(&table, 2, 8), 0);
	ck_assert_ptr_null(flight_oldest(&table));
	for (uint32_t i = 0; i < 6; i++)
		flight[i] = start(i % 2, &id);
	flight_end(&table, flight[0], FLIGHT_ANSWERED);
	ck_assert_ptr_eq(flight_oldest(&table), flight[1]);
	flight_end(&table, flight[3], FLIGHT_ANSWERED);
	flight_end(&table, flight[5], FLIGHT_ANSWERED);
	for (int i = 1; i < 5; i += i == 2 ? 2 : 1) {
		ck_assert_ptr_eq(flight_oldest(&table), flight[i]);
		flight_end(&table, flight[i], FLIGHT_LOST);
	}
	ck_assert_ptr_null(flight_oldest(&table));
	ck_assert_uint_eq(table.nr, 0);
	start(0, &id);
	ck_assert_ptr_nonnull(flight_oldest(&table));
}
END_TEST

/* One query that is not answered does not cost its id its place. */
START_TEST(stuck_one_is_passed_over)
{
	uint16_t stuck, id;

	ck_assert_int_eq(flight_init(&table, 1, 4), 0);
	start(0, &stuck);
	for (int i = 0; i < 1000000; i++)
		flight_end(&table, start(0, &id), FLIGHT_ANSWERED);
	ck_assert_int_eq(flight_find(&table, 0, stuck)->state, FLIGHT_FLYING);
}
END_TEST

START_TEST(all_flying)
{
	struct flight *flight;
	uint16_t id;

	ck_assert_int_eq(flight_init(&table, 1, 16), 0);
	for (int i = 0; i < 16; i++)
		start(0, &id);
	flight = flight_next(&table, 0, &id);
	ck_assert_int_eq(flight->state, FLIGHT_FLYING);
	flight_end(&table, flight, FLIGHT_LOST);
	flight_start(&table, flight, id);
	ck_assert_ptr_eq(flight_find(&table, 0, id), flight);
	ck_assert_uint_eq(table.nr, 16);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("flight");

	tcase_add_test(tcase, found_by_source_and_id);
	tcase_add_test(tcase, remembered);
	tcase_add_test(tcase, room_for_a_burst);
	tcase_add_test(tcase, in_order_of_sending);
	tcase_add_test(tcase, stuck_one_is_passed_over);
	tcase_add_test(tcase, all_flying);
	return unit_run("zcflood/flight", tcase);
}
