/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A merge sort that starts from the runs it finds, on 64-bit keys; names are
 * compared only where the keys are equal.
 */
#include "zone/fragment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dns/order.h"

/* A key is read in words: from a copy that has room for it. */
uint64_t fragment_key(const uint8_t *owner, unsigned apex_label_nr)
{
	uint8_t name[DNS_NAME_MAX + 8];
	size_t len = dns_name_lower(name, owner);
	struct dns_order order;

	memset(name + len, 0, 8);
	dns_order_init(&order, name, dns_name_label_nr(name) - apex_label_nr);
	return dns_order_key(&order);
}

static bool is_after(const struct fragment *a, const struct fragment *b,
		     const struct snapshot_arena *arena)
{
	const struct node *left, *right;

	if (a->key != b->key)
		return a->key > b->key;
	left = arena_at(arena, a->node);
	right = arena_at(arena, b->node);
	return dns_name_cmp(left->owner, right->owner) > 0;
}

int fragment_add(struct fragment_list *list, const struct snapshot_arena *arena,
		 struct fragment fragment)
{
	if (list->nr == list->max) {
		size_t max = list->max ? list->max * 2 : 16;
		void *p = realloc(list->fragment, max * sizeof(fragment));

		if (!p)
			return -ENOMEM;
		list->fragment = p;
		list->max = max;
	}
	if (list->nr && !list->unsorted)
		list->unsorted =
		    is_after(&list->fragment[list->nr - 1], &fragment, arena);
	list->fragment[list->nr++] = fragment;
	return 0;
}

struct merge {
	const struct snapshot_arena *arena;
	struct fragment *from, *to;
	uint32_t *run; /* where each sorted run begins, and the end */
	size_t run_nr;
};

static void find_runs(struct merge *merge, size_t nr)
{
	merge->run[merge->run_nr++] = 0;
	for (size_t i = 1; i < nr; i++)
		if (is_after(&merge->from[i - 1], &merge->from[i],
			     merge->arena))
			merge->run[merge->run_nr++] = (uint32_t)i;
	merge->run[merge->run_nr] = (uint32_t)nr;
}

/* Merges the runs [low, middle) and [middle, high). */
static void merge_two(const struct merge *merge, size_t low, size_t middle,
		      size_t high)
{
	const struct fragment *a = merge->from + low;
	const struct fragment *b = merge->from + middle;
	const struct fragment *a_end = b, *b_end = merge->from + high;
	struct fragment *out = merge->to + low;

	while (a < a_end && b < b_end)
		*out++ = is_after(a, b, merge->arena) ? *b++ : *a++;
	while (a < a_end)
		*out++ = *a++;
	while (b < b_end)
		*out++ = *b++;
}

/* Halves the number of runs. */
static void merge_pass(struct merge *merge)
{
	struct fragment *swap = merge->from;
	uint32_t *run = merge->run;
	size_t end = run[merge->run_nr], out = 0;

	for (size_t i = 0; i < merge->run_nr; i += 2) {
		bool pair = i + 1 < merge->run_nr;
		uint32_t low = run[i], middle = run[i + 1];

		merge_two(merge, low, middle, pair ? run[i + 2] : middle);
		run[out++] = low;
	}
	run[out] = (uint32_t)end;
	merge->run_nr = out;
	merge->from = merge->to;
	merge->to = swap;
}

int fragment_sort(struct fragment_list *list,
		  const struct snapshot_arena *arena)
{
	struct merge merge = {.arena = arena, .from = list->fragment};

	if (!list->unsorted)
		return 0;
	merge.to = malloc(list->nr * sizeof(*merge.to));
	merge.run = malloc((list->nr + 1) * sizeof(*merge.run));
	if (!merge.to || !merge.run) {
		free(merge.to);
		free(merge.run);
		return -ENOMEM;
	}
	find_runs(&merge, list->nr);
	while (merge.run_nr > 1)
		merge_pass(&merge);
	list->fragment = merge.from;
	list->max = list->nr;
	list->unsorted = false;
	free(merge.to);
	free(merge.run);
	return 0;
}

void fragment_release(struct fragment_list *list)
{
	free(list->fragment);
	*list = (struct fragment_list){0};
}
