/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SvcParams of SVCB and HTTPS (RFC 9460), behind priority and target:
 *
 *	key 2 | length 2 | value     ascending keys, each once
 *
 * with the keys of RFC 9460, 9461 (dohpath), 9540 (ohttp), tls-supported-groups
 * and docpath; others are keyNNN. A set of parameters that contradicts itself
 * is refused (RFC 9460 sections 2.2, 7.1.1 and 8). AliasMode with parameters
 * is kept: they are for recipients to ignore (section 2.4.2).
 */
#ifndef ZONE_SVCB_H
#define ZONE_SVCB_H

#include "zone/rdata_special.h"

int svcb_read(struct rdata_input *in);
const char *svcb_fault(const uint8_t *params, size_t len);
bool svcb_print(struct rdata_output *out, const uint8_t *params, size_t len);

#endif
