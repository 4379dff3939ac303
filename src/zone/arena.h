/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory that nodes lie in, addressed by offsets in units of 8 octets.
 *
 * While it is small an arena is one malloced block that may move. Past
 * ARENA_SMALL it becomes a reservation of address space, made writable step by
 * step, that never moves: a later version of a large zone appends its changed
 * nodes behind those that workers are reading. Offset 0 is never given out.
 *
 * Written by one loader thread at a time (arena_claim()), read by all, freed
 * when the last version that uses it goes.
 */
#ifndef ZONE_ARENA_H
#define ZONE_ARENA_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARENA_UNIT  8u
#define ARENA_SMALL ((size_t)1 << 20)
#define ARENA_MAX   ((size_t)1 << 35) /* what 32-bit offsets reach */

struct snapshot_arena {
	uint8_t *base;
	size_t used;	 /* octets, the unused first unit included */
	size_t writable; /* octets from base that have memory */
	size_t reserved; /* octets of address space; 0: base is malloced */
	atomic_uint refs;
	atomic_flag writer;
};

/* Reference count 1. NULL when memory is out. */
struct snapshot_arena *arena_new(void);

void arena_get(struct snapshot_arena *arena);

/* NULL is ignored. */
void arena_put(struct snapshot_arena *arena);

/*
 * Makes room for size octets at base + used; base may move while the arena is
 * small. Returns 0, -ENOMEM, or -E2BIG when offsets do not reach so far.
 */
int arena_reserve(struct snapshot_arena *arena, size_t size);

/* Gives out size octets of what was reserved, rounded up; their offset. */
uint32_t arena_commit(struct snapshot_arena *arena, size_t size);

/*
 * Takes a copy of size octets. *offset gets where it lies. Returns 0 or as
 * arena_reserve().
 */
int arena_copy(struct snapshot_arena *arena, const void *from, size_t size,
	       uint32_t *offset);

/* True when the caller is now the only writer; arena_unclaim() ends that. */
bool arena_claim(struct snapshot_arena *arena);
void arena_unclaim(struct snapshot_arena *arena);

/* Gives back address space beyond what the next versions may need. */
void arena_trim(struct snapshot_arena *arena);

static inline void *arena_at(const struct snapshot_arena *arena,
			     uint32_t offset)
{
	return arena->base + (size_t)offset * ARENA_UNIT;
}

#endif
