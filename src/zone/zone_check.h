/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is wrong with a zone although each of its records is right. Errors make
 * the build fail; warnings are said and the zone is served.
 */
#ifndef ZONE_ZONE_CHECK_H
#define ZONE_ZONE_CHECK_H

#include "zone/builder.h"

/* Says "owner: what". */
void check_say_owner(struct zone_builder *builder, enum zone_severity severity,
		     uint32_t place, const uint8_t *owner, const char *what);

/*
 * The first node in canonical order: it must be the apex, with SOA and NS. An
 * error is said when it is not, then false.
 */
bool check_apex(struct zone_builder *builder, const struct node *node);

/* What may lie together at one node that has these flags. */
void check_node(struct zone_builder *builder, const struct node *node,
		uint16_t flags, uint32_t place);

/*
 * Takes the NSEC3 nodes that do not fit the apex out of builder->nsec3 and
 * says so. Fills denial, nsec3_iterations and the salt.
 */
void check_nsec3(struct zone_builder *builder, const struct node *apex,
		 struct snapshot *snapshot);

/* Warnings that need references and order: hosts, chains, signatures. */
void check_snapshot(struct zone_builder *builder,
		    const struct snapshot *snapshot);

#endif
