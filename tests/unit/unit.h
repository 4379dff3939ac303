/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What every unit test shares: one suite, one main, TAP when the environment
 * asks for it (CK_TAP_LOG_FILE_NAME).
 */
#ifndef TESTS_UNIT_UNIT_H
#define TESTS_UNIT_UNIT_H

#include <check.h>
#include <stdlib.h>

/* Runs the test cases of one file; takes the case. Result of main(). */
static inline int unit_run(const char *name, TCase *tcase)
{
	Suite *suite = suite_create(name);
	SRunner *runner;
	int failed;

	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
