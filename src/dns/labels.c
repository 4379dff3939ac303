/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Taking a name apart and hashing its suffixes. The state of SipHash after
 * the labels of one suffix is where the next longer suffix goes on. It is kept,
 * since a look-up asks for the hash of two suffixes of a name, seldom more, and
 * finalising costs three rounds where a label costs one or two.
 */
#include "dns/labels.h"

#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "dns/fold.h"

static uint64_t hash_key[2];

int dns_hash_init(void)
{
	ssize_t got = getrandom(hash_key, sizeof(hash_key), 0);

	if (got < 0)
		return -errno;
	return got == sizeof(hash_key) ? 0 : -EIO;
}

/*
 * A label with its length octet in front, lower case, as words. At most 7
 * octets behind it are read and masked away: struct dns_labels has room.
 */
static inline void sip_label(struct sip *s, const uint8_t *label)
{
	unsigned left = *label + 1u;
	uint64_t m;

	for (; left > 8; left -= 8, label += 8) {
		memcpy(&m, label, 8);
		sip_word(s, le64toh(m));
	}
	memcpy(&m, label, 8);
	sip_word(s, le64toh(m) & (~0ULL >> (64 - 8 * left)));
}

/* Where the labels start. Returns the length of the name or -EBADMSG. */
static inline int labels_split(struct dns_labels *labels, const uint8_t *p,
			       size_t max)
{
	unsigned nr = 0;
	size_t pos = 0;

	if (max > DNS_NAME_MAX)
		max = DNS_NAME_MAX;
	for (; pos < max; pos += p[pos] + 1u) {
		labels->offset[nr] = (uint8_t)pos;
		if (!p[pos]) {
			labels->label_nr = (uint8_t)nr;
			labels->len = (uint8_t)(pos + 1);
			return (int)pos + 1;
		}
		if (p[pos] > DNS_LABEL_MAX)
			return -EBADMSG;
		nr++;
	}
	return -EBADMSG;
}

int dns_labels_parse(struct dns_labels *labels, const uint8_t *p, size_t max)
{
	int len = labels_split(labels, p, max);
	struct sip s;

	if (len < 0)
		return len;
	dns_fold_copy(labels->lower, p, (size_t)len);
	/* sip_label() reads in words: what lies behind the name is masked. */
	memset(labels->lower + len, 0, 8);
	sip_init(&s, hash_key);
	labels->state[labels->label_nr] = s;
	for (unsigned i = labels->label_nr; i-- > 0;) {
		sip_label(&s, labels->lower + labels->offset[i]);
		labels->state[i] = s;
	}
	labels->hash = sip_final(&s);
	return len;
}

uint64_t dns_name_hash(const uint8_t *name)
{
	struct dns_labels labels;

	dns_labels_parse(&labels, name, DNS_NAME_MAX);
	return labels.hash;
}

uint64_t dns_labels_hash_wildcard(const struct dns_labels *labels, unsigned i)
{
	struct sip s = labels->state[i];

	/* The label as sip_label() reads it: length 1, then the asterisk. */
	sip_word(&s, 1 | '*' << 8);
	return sip_final(&s);
}
