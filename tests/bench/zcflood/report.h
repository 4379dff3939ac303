/* SPDX-License-Identifier: BSD-2-Clause */
/* What came out of a flood, as text or as JSON. */
#ifndef ZCFLOOD_REPORT_H
#define ZCFLOOD_REPORT_H

#include <stdio.h>

#include "zcflood/run.h"

void report_text(FILE *out, const struct run *run);

/* One object. */
void report_json(FILE *out, const struct run *run);

#endif
