/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transmit memory of a worker: one contiguous mapping, cut into slots of 64
 * KiB. Replies are rendered one behind the other into a slot. It stays small
 * on purpose: sends from a large arena miss cache and TLB.
 *
 *	FREE ----> FILLING ----> KERNEL ----> FREE
 *	    room          submit       release, and the last
 *	                               zerocopy notification
 *
 * The states change in slot.c only. A slot that is not FILLING is poisoned
 * under ASan: a reply written into memory that the kernel still sends from is
 * reported where it happens.
 *
 * One thread. No allocation after init.
 */
#ifndef URING_SLOT_H
#define URING_SLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SLOT_NR	 16
#define SLOT_LEN 65536

enum slot_state { SLOT_FREE, SLOT_FILLING, SLOT_KERNEL };

struct slot {
	enum slot_state state;
	uint32_t hold_nr; /* zerocopy sends without their notification */
	bool submitted;	  /* copying sends are with the kernel */
};

struct slot_arena {
	uint8_t *base;
	uint32_t used;	  /* octets in the slot being filled */
	uint32_t filling; /* that slot; SLOT_NR: none */
	uint32_t held_nr; /* slots with hold_nr > 0 */
	struct slot slot[SLOT_NR];
};

/* Maps the memory. Returns 0 or -ENOMEM. */
int slot_init(struct slot_arena *arena);
void slot_release(struct slot_arena *arena);

/*
 * Room for need octets (less than SLOT_LEN), or NULL when every slot is
 * taken: then flush, and drop the reply if that does not help.
 */
uint8_t *slot_room(struct slot_arena *arena, size_t need);

/* Keeps the first len octets of the last room. */
void slot_keep(struct slot_arena *arena, size_t len);

/* Which slot an address of the arena lies in. */
static inline unsigned slot_of(const struct slot_arena *arena, const void *p)
{
	return (unsigned)((size_t)((const uint8_t *)p - arena->base) /
			  SLOT_LEN);
}

/*
 * True if a zerocopy send may pin the slot: a quarter of the arena always
 * stays with copying sends, so that slow notifications cannot stop replies.
 */
bool slot_may_hold(const struct slot_arena *arena, unsigned slot);

/* A zerocopy send uses the slot; slot_drop when its notification came. */
void slot_hold(struct slot_arena *arena, unsigned slot);
void slot_drop(struct slot_arena *arena, unsigned slot);

/* All filled slots go to the kernel: to be called right before it is entered.
 */
void slot_submit(struct slot_arena *arena);

/*
 * Copying sends are done: the slots that no zerocopy send holds become FREE.
 * To be called once the kernel has returned and failed sends were looked at.
 */
void slot_finish(struct slot_arena *arena);

/* Lets a failed send be repeated from memory that is with the kernel. */
void slot_expose(struct slot_arena *arena, const void *p, size_t len);
void slot_conceal(struct slot_arena *arena, const void *p, size_t len);

#endif
