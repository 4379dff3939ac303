/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Taking a name apart and hashing its suffixes. The state of SipHash after
 * the labels of one suffix is where the next longer suffix goes on; only the
 * finalisation works on a copy. SipHash: Aumasson and Bernstein, 2012.
 */
#include "dns/labels.h"

#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/random.h>

struct sip {
	uint64_t v0, v1, v2, v3;
};

static uint64_t hash_key[2];

int dns_hash_init(void)
{
	ssize_t got = getrandom(hash_key, sizeof(hash_key), 0);

	if (got < 0)
		return -errno;
	return got == sizeof(hash_key) ? 0 : -EIO;
}

static inline uint64_t rotl(uint64_t x, int n)
{
	return x << n | x >> (64 - n);
}

static inline void sip_round(struct sip *s)
{
	s->v0 += s->v1;
	s->v2 += s->v3;
	s->v1 = rotl(s->v1, 13) ^ s->v0;
	s->v3 = rotl(s->v3, 16) ^ s->v2;
	s->v0 = rotl(s->v0, 32);
	s->v2 += s->v1;
	s->v0 += s->v3;
	s->v1 = rotl(s->v1, 17) ^ s->v2;
	s->v3 = rotl(s->v3, 21) ^ s->v0;
	s->v2 = rotl(s->v2, 32);
}

static inline void sip_init(struct sip *s)
{
	s->v0 = hash_key[0] ^ 0x736f6d6570736575;
	s->v1 = hash_key[1] ^ 0x646f72616e646f6d;
	s->v2 = hash_key[0] ^ 0x6c7967656e657261;
	s->v3 = hash_key[1] ^ 0x7465646279746573;
}

static inline void sip_word(struct sip *s, uint64_t m)
{
	s->v3 ^= m;
	sip_round(s);
	s->v0 ^= m;
}

static inline uint64_t sip_final(struct sip s)
{
	s.v2 ^= 0xff;
	sip_round(&s);
	sip_round(&s);
	sip_round(&s);
	return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
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

static int labels_split(struct dns_labels *labels, const uint8_t *p, size_t max)
{
	unsigned pos = 0, nr = 0;

	if (max > DNS_NAME_MAX)
		max = DNS_NAME_MAX;
	for (;;) {
		unsigned len, end;

		if (pos >= max)
			return -EBADMSG;
		len = p[pos];
		labels->offset[nr] = (uint8_t)pos;
		if (!len)
			break;
		end = pos + 1 + len;
		if (len > DNS_LABEL_MAX || end >= max)
			return -EBADMSG;
		for (; pos < end; pos++)
			labels->lower[pos] = dns_lower[p[pos]];
		nr++;
	}
	labels->lower[pos] = 0;
	labels->label_nr = (uint8_t)nr;
	labels->len = (uint8_t)(pos + 1);
	return (int)pos + 1;
}

int dns_labels_parse(struct dns_labels *labels, const uint8_t *p, size_t max)
{
	int len = labels_split(labels, p, max);
	struct sip s;

	if (len < 0)
		return len;
	/* sip_label() reads in words: what lies behind the name is masked. */
	memset(labels->lower + len, 0, 8);
	sip_init(&s);
	labels->hash[labels->label_nr] = sip_final(s);
	for (unsigned i = labels->label_nr; i-- > 0;) {
		sip_label(&s, labels->lower + labels->offset[i]);
		labels->hash[i] = sip_final(s);
	}
	return len;
}

uint64_t dns_name_hash(const uint8_t *name)
{
	struct dns_labels labels;

	dns_labels_parse(&labels, name, DNS_NAME_MAX);
	return labels.hash[0];
}

uint64_t dns_labels_hash_child(const struct dns_labels *labels, unsigned i,
			       const uint8_t *label)
{
	uint8_t padded[DNS_LABEL_MAX + 8 + 1] = {0};
	struct sip s;

	memcpy(padded, label, *label + 1u);
	sip_init(&s);
	for (unsigned k = labels->label_nr; k-- > i;)
		sip_label(&s, labels->lower + labels->offset[k]);
	sip_label(&s, padded);
	return sip_final(s);
}
