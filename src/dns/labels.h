/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A name taken apart once: lower-cased octets, where each label starts, and
 * its keyed hash. The zone look-up, the node look-up and the walk to the
 * closest encloser work on it.
 *
 *	name     3www7example3com0
 *	label    0   1       2   3          label_nr = 3
 *	offset   0   4       12  16         offset[label_nr] is the root label
 *
 * The hash is SipHash-1-3 over the lower-case octets of a name, in words of 8
 * with zeros behind the last. Its key is drawn at start, so nobody outside can
 * aim names at one slot.
 */
#ifndef DNS_LABELS_H
#define DNS_LABELS_H

#include "dns/name.h"

/* Zeros behind a name that is read in words. */
#define DNS_HASH_PAD 8

struct dns_labels {
	uint8_t len;	  /* octets of the name, root label included */
	uint8_t label_nr; /* root label not counted */
	uint8_t offset[DNS_LABELS_MAX + 1];
	uint64_t hash; /* of the whole name */
	uint8_t lower[DNS_NAME_MAX + DNS_HASH_PAD];
};

/*
 * Draws the key of the hash. Called once, before the first hash is taken and
 * before a second thread exists; without it the key is zero, which is what
 * the tests use. Returns 0 or -errno.
 */
int dns_hash_init(void);

/*
 * Takes apart the name at p, of which max octets may be read: checks it,
 * lower-cases it and hashes it. Returns its length or -EBADMSG as
 * dns_name_check().
 */
int dns_labels_parse(struct dns_labels *labels, const uint8_t *p, size_t max);

/* Hash of a name in lower case, len octets with DNS_HASH_PAD behind. */
uint64_t dns_hash_lower(const uint8_t *lower, size_t len);

/* Hash of the name that starts at label i. */
static inline uint64_t dns_labels_hash(const struct dns_labels *labels,
				       unsigned i)
{
	unsigned offset = labels->offset[i];

	return dns_hash_lower(labels->lower + offset, labels->len - offset);
}

/* Hash of a whole checked name, as dns_labels_parse() has it. */
uint64_t dns_name_hash(const uint8_t *name);

#endif
