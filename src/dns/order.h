/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names in canonical order (RFC 4034 section 6.1), compared in words of 8
 * octets: labels from right to left, without those of an apex that all names
 * have in common.
 *
 *	name    1a2bc7example0        apex "example"
 *	label   label[0] = 2bc, label[1] = 1a        nr = 2
 *
 * Each label points at its length octet; what lies behind the label must be
 * readable up to a whole number of words from its first octet on, and is not
 * looked at. Case is ignored.
 */
#ifndef DNS_ORDER_H
#define DNS_ORDER_H

#include "dns/name.h"

struct dns_order {
	unsigned nr;
	const uint8_t *label[DNS_LABELS_MAX + 1];
};

/* The nr labels on the left of a name. */
static inline void dns_order_init(struct dns_order *order, const uint8_t *name,
				  unsigned nr)
{
	order->nr = nr;
	for (; nr-- > 0; name += *name + 1)
		order->label[nr] = name;
}

/*
 * The first octets of a name in a form that orders as canonical order does.
 * Equal keys say nothing.
 */
uint64_t dns_order_key(const struct dns_order *order);

/* Below, at or above zero as a comes before, is, or comes after b. */
int dns_order_cmp(const struct dns_order *a, const struct dns_order *b);

#endif
