/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The names of class CH that tell who answers (RFC 4892; version.bind and
 * hostname.bind by custom).
 */
#ifndef QUERY_CHAOS_H
#define QUERY_CHAOS_H

#include "query/parse.h"

/* The text to answer with, NULL: REFUSED. */
const char *chaos_text(const struct query *query,
		       const struct query_config *config);

#endif
