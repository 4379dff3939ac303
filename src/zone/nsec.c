/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Search among NSEC nodes: keys by halving without a branch, then the few nodes
 * between two keys by name. Nodes of a chain have an RRset behind their owner,
 * so its labels can be read in words.
 */
#include "zone/nsec.h"

static void order_node(struct dns_order *order, const struct snapshot *snapshot,
		       uint32_t i, unsigned apex_label_nr)
{
	const struct node *node = snapshot_node(snapshot, snapshot->nsec[i]);

	dns_order_init(order, node->owner,
		       (unsigned)node->label_nr - apex_label_nr);
}

void nsec_fill_keys(struct snapshot *snapshot, unsigned apex_label_nr)
{
	struct dns_order order;

	for (uint32_t i = 0; i < nsec_key_nr(snapshot); i++) {
		order_node(&order, snapshot, i * NSEC_STEP, apex_label_nr);
		snapshot->nsec_key[i] = dns_order_key(&order);
	}
}

/* How many of nr keys, nr not 0, are below a key. */
static inline uint32_t keys_below(const uint64_t *keys, uint32_t nr,
				  uint64_t key)
{
	const uint64_t *base = keys;

	while (nr > 1) {
		uint32_t half = nr / 2;

		base += base[half - 1] < key ? half : 0;
		nr -= half;
	}
	return (uint32_t)(base - keys) + (*base < key);
}

const struct node *nsec_find(const struct snapshot *snapshot,
			     unsigned apex_label_nr,
			     const struct dns_order *name)
{
	uint32_t nr = snapshot->nsec_nr, key_nr = nsec_key_nr(snapshot);
	uint64_t key = dns_order_key(name);
	uint32_t low, high;
	struct dns_order other;

	if (!nr)
		return NULL;
	/* At or before the name: [0, low), all with a key below its own. */
	low = keys_below(snapshot->nsec_key, key_nr, key);
	high = low;
	/* Some keys may be equal, and all of them may be. */
	if (high < key_nr && snapshot->nsec_key[high] == key)
		high = key == UINT64_MAX
			   ? key_nr
			   : keys_below(snapshot->nsec_key, key_nr, key + 1);
	low = low ? (low - 1) * NSEC_STEP + 1 : 0;
	high = high * NSEC_STEP < nr ? high * NSEC_STEP : nr;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		order_node(&other, snapshot, middle, apex_label_nr);
		if (dns_order_cmp(&other, name) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	/* The apex is the first one and before every name of the zone. */
	return snapshot_node(snapshot, snapshot->nsec[low ? low - 1 : 0]);
}
