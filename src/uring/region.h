/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Regions: registered memory of a ring, known to its sends by index. Registered
 * pages are pinned and count as locked memory of the user, so there are few,
 * and what is rarely sent from is registered for as long as it is.
 *
 * The first region taken has index 0.
 */
#ifndef URING_REGION_H
#define URING_REGION_H

#include <stddef.h>

#include "uring/ring.h"

#define REGION_NR 17 /* the arena for datagrams, and 16 connections */

/*
 * Registers [base, base + len). Returns the index or -errno: -ENOMEM locked
 * memory, -EMFILE all are taken, -EINVAL not known to the kernel.
 */
int region_take(struct ring *ring, void *base, size_t len);

/* No send from it is under way, notifications included. */
void region_drop(struct ring *ring, unsigned index);

#endif
