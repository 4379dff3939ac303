/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Slots of the transmit arena and their states.
 */
#include "uring/slot.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(p, n)	  ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#endif

#define SLOT_ARENA_LEN ((size_t)SLOT_NR * SLOT_LEN)

static uint8_t *slot_base(const struct slot_arena *arena, unsigned slot)
{
	return arena->base + (size_t)slot * SLOT_LEN;
}

int slot_init(struct slot_arena *arena)
{
	memset(arena, 0, sizeof(*arena));
	arena->base = mmap(NULL, SLOT_ARENA_LEN, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (arena->base == MAP_FAILED) {
		arena->base = NULL;
		return -ENOMEM;
	}
	arena->filling = SLOT_NR;
	ASAN_POISON_MEMORY_REGION(arena->base, SLOT_ARENA_LEN);
	return 0;
}

void slot_release(struct slot_arena *arena)
{
	if (!arena->base)
		return;
	ASAN_UNPOISON_MEMORY_REGION(arena->base, SLOT_ARENA_LEN);
	munmap(arena->base, SLOT_ARENA_LEN);
	arena->base = NULL;
}

static bool fill_next(struct slot_arena *arena)
{
	for (unsigned i = 0; i < SLOT_NR; i++) {
		struct slot *slot = &arena->slot[i];

		if (slot->state != SLOT_FREE)
			continue;
		assert(!slot->hold_nr && !slot->submitted);
		slot->state = SLOT_FILLING;
		ASAN_UNPOISON_MEMORY_REGION(slot_base(arena, i), SLOT_LEN);
		arena->filling = i;
		arena->used = 0;
		return true;
	}
	arena->filling = SLOT_NR;
	return false;
}

uint8_t *slot_room(struct slot_arena *arena, size_t need)
{
	assert(need < SLOT_LEN);
	/* never to the last octet: replies of two slots are no neighbours */
	if (arena->filling == SLOT_NR || arena->used + need >= SLOT_LEN)
		if (!fill_next(arena))
			return NULL;
	return slot_base(arena, arena->filling) + arena->used;
}

void slot_keep(struct slot_arena *arena, size_t len)
{
	assert(arena->filling < SLOT_NR);
	assert(arena->used + len < SLOT_LEN);
	arena->used += (uint32_t)len;
}

bool slot_may_hold(const struct slot_arena *arena, unsigned slot)
{
	return arena->slot[slot].hold_nr ||
	       arena->held_nr < SLOT_NR - SLOT_NR / 4;
}

void slot_hold(struct slot_arena *arena, unsigned slot)
{
	assert(arena->slot[slot].state == SLOT_FILLING);
	if (!arena->slot[slot].hold_nr++)
		arena->held_nr++;
}

static void free_if_idle(struct slot_arena *arena, unsigned i)
{
	struct slot *slot = &arena->slot[i];

	if (slot->state == SLOT_KERNEL && !slot->hold_nr && !slot->submitted)
		slot->state = SLOT_FREE;
}

void slot_drop(struct slot_arena *arena, unsigned slot)
{
	assert(arena->slot[slot].state == SLOT_KERNEL);
	assert(arena->slot[slot].hold_nr);
	if (!--arena->slot[slot].hold_nr)
		arena->held_nr--;
	free_if_idle(arena, slot);
}

void slot_submit(struct slot_arena *arena)
{
	for (unsigned i = 0; i < SLOT_NR; i++) {
		struct slot *slot = &arena->slot[i];

		if (slot->state != SLOT_FILLING)
			continue;
		slot->state = SLOT_KERNEL;
		slot->submitted = true;
		ASAN_POISON_MEMORY_REGION(slot_base(arena, i), SLOT_LEN);
	}
	arena->filling = SLOT_NR;
}

void slot_finish(struct slot_arena *arena)
{
	for (unsigned i = 0; i < SLOT_NR; i++) {
		arena->slot[i].submitted = false;
		free_if_idle(arena, i);
	}
}

void slot_expose(struct slot_arena *arena, const void *p, size_t len)
{
	assert(arena->slot[slot_of(arena, p)].state == SLOT_KERNEL);
	ASAN_UNPOISON_MEMORY_REGION(p, len);
}

void slot_conceal(struct slot_arena *arena, const void *p, size_t len)
{
	assert(arena->slot[slot_of(arena, p)].state == SLOT_KERNEL);
	ASAN_POISON_MEMORY_REGION(p, len);
}
