/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Growing an arena. Address space is reserved without access rights and
 * opened with mprotect(2), so that it is not charged under strict overcommit
 * before it is used, and a large arena costs two mappings (vm.max_map_count).
 */
#include "zone/arena.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifndef MADV_COLLAPSE /* Linux 6.1; not in glibc 2.36 */
#define MADV_COLLAPSE 25
#endif

#define ARENA_FIRST 4096u
#define ARENA_STEP  ((size_t)4 << 20)  /* grows by; whole huge pages */
#define ARENA_HUGE  ((size_t)32 << 20) /* a huge page is little beside this */
#define ARENA_SLACK ((size_t)64 << 20)
#define ARENA_LEAST ((size_t)64 << 20) /* reservation not worth less */

struct snapshot_arena *arena_new(void)
{
	struct snapshot_arena *arena = calloc(1, sizeof(*arena));

	if (!arena)
		return NULL;
	arena->used = ARENA_UNIT;
	atomic_init(&arena->refs, 1);
	atomic_flag_clear(&arena->writer);
	return arena;
}

void arena_get(struct snapshot_arena *arena)
{
	atomic_fetch_add_explicit(&arena->refs, 1, memory_order_relaxed);
}

void arena_put(struct snapshot_arena *arena)
{
	if (!arena)
		return;
	if (atomic_fetch_sub_explicit(&arena->refs, 1, memory_order_acq_rel) >
	    1)
		return;
	if (arena->reserved)
		munmap(arena->base, arena->reserved);
	else
		free(arena->base);
	free(arena);
}

static size_t round_up(size_t size, size_t unit)
{
	return (size + unit - 1) / unit * unit;
}

static int grow_block(struct snapshot_arena *arena, size_t need)
{
	size_t size = arena->writable ? arena->writable : ARENA_FIRST;
	uint8_t *base;

	while (size < need)
		size *= 2;
	base = realloc(arena->base, size);
	if (!base)
		return -ENOMEM;
	if (!arena->base)
		memset(base, 0, ARENA_UNIT);
	arena->base = base;
	arena->writable = size;
	return 0;
}

/* A limit on address space (RLIMIT_AS) may leave less than the whole reach. */
static void *map_most(size_t need, size_t *size)
{
	for (*size = ARENA_MAX; *size >= ARENA_LEAST && *size >= need;
	     *size /= 2) {
		void *p =
		    mmap(NULL, *size, PROT_NONE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		if (p != MAP_FAILED)
			return p;
	}
	return NULL;
}

static int open_to(struct snapshot_arena *arena, uint8_t *base, size_t need)
{
	size_t size = round_up(need, ARENA_STEP);

	if (size > arena->reserved)
		size = arena->reserved;
	if (mprotect(base, size, PROT_READ | PROT_WRITE))
		return -ENOMEM;
	/* Fewer TLB misses on random names; without THP nothing is lost. */
	if (size >= ARENA_HUGE) {
		madvise(base, size, MADV_HUGEPAGE);
		/* what was written before; khugepaged would take minutes */
		if (arena->writable < ARENA_HUGE)
			madvise(base, arena->writable, MADV_COLLAPSE);
	}
	arena->writable = size;
	return 0;
}

static int grow_mapping(struct snapshot_arena *arena, size_t need)
{
	uint8_t *base;
	int err;

	if (arena->reserved)
		return need > arena->reserved
			   ? -ENOMEM
			   : open_to(arena, arena->base, need);
	base = map_most(need, &arena->reserved);
	if (!base) {
		arena->reserved = 0;
		return -ENOMEM;
	}
	err = open_to(arena, base, need);
	if (err) {
		munmap(base, arena->reserved);
		arena->reserved = 0;
		return err;
	}
	if (arena->base)
		memcpy(base, arena->base, arena->used);
	free(arena->base);
	arena->base = base;
	return 0;
}

int arena_reserve(struct snapshot_arena *arena, size_t size)
{
	size_t need = arena->used + round_up(size, ARENA_UNIT);

	if (need <= arena->writable)
		return 0;
	if (need > ARENA_MAX)
		return -E2BIG;
	if (need <= ARENA_SMALL && !arena->reserved)
		return grow_block(arena, need);
	return grow_mapping(arena, need);
}

uint32_t arena_commit(struct snapshot_arena *arena, size_t size)
{
	uint32_t offset = (uint32_t)(arena->used / ARENA_UNIT);

	arena->used += round_up(size, ARENA_UNIT);
	return offset;
}

int arena_copy(struct snapshot_arena *arena, const void *from, size_t size,
	       uint32_t *offset)
{
	int err = arena_reserve(arena, size);

	if (err)
		return err;
	*offset = arena_commit(arena, size);
	memcpy(arena_at(arena, *offset), from, size);
	return 0;
}

bool arena_claim(struct snapshot_arena *arena)
{
	return !atomic_flag_test_and_set_explicit(&arena->writer,
						  memory_order_acquire);
}

void arena_unclaim(struct snapshot_arena *arena)
{
	atomic_flag_clear_explicit(&arena->writer, memory_order_release);
}

void arena_trim(struct snapshot_arena *arena)
{
	size_t keep = arena->used * 2 + ARENA_SLACK;

	if (!arena->reserved)
		return;
	keep = round_up(keep, ARENA_STEP);
	if (keep >= arena->reserved || keep < arena->writable)
		return;
	munmap(arena->base + keep, arena->reserved - keep);
	arena->reserved = keep;
}
