/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Taking a name apart, and hashing suffixes of it. Each suffix is hashed by
 * itself, in words from its first octet on: a look-up asks for two of them, the
 * name and the apex, and a pass that kept what all others need costs more.
 */
#include "dns/labels.h"

#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "dns/fold.h"
#include "dns/sip.h"

static uint64_t hash_key[2];

int dns_hash_init(void)
{
	ssize_t got = getrandom(hash_key, sizeof(hash_key), 0);

	if (got < 0)
		return -errno;
	return got == sizeof(hash_key) ? 0 : -EIO;
}

/*
 * Names end by themselves, so no two are the same octets with zeros behind, and
 * neither length nor end need to be hashed.
 */
static inline uint64_t hash_words(const uint8_t *lower, size_t len)
{
	const uint8_t *end = lower + len;
	uint64_t word;
	struct sip s;

	sip_init(&s, hash_key);
	for (; lower < end; lower += sizeof(word)) {
		memcpy(&word, lower, sizeof(word));
		sip_word(&s, le64toh(word));
	}
	return sip_final(&s);
}

uint64_t dns_hash_lower(const uint8_t *lower, size_t len)
{
	return hash_words(lower, len);
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

	if (len < 0)
		return len;
	dns_fold_copy(labels->lower, p, (size_t)len);
	memset(labels->lower + len, 0, DNS_HASH_PAD);
	labels->hash = hash_words(labels->lower, (size_t)len);
	return len;
}

uint64_t dns_name_hash(const uint8_t *name)
{
	uint8_t lower[DNS_NAME_MAX + DNS_HASH_PAD];
	size_t len = dns_name_lower(lower, name);

	memset(lower + len, 0, DNS_HASH_PAD);
	return hash_words(lower, len);
}
