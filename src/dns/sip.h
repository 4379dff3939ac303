/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SipHash-1-3 (Aumasson and Bernstein, 2012) fed with whole words: the hash of
 * names. All of it is inlined, so that its state stays in registers.
 */
#ifndef DNS_SIP_H
#define DNS_SIP_H

#include <stdint.h>

struct sip {
	uint64_t v0, v1, v2, v3;
};

static inline uint64_t sip_rotl(uint64_t x, int n)
{
	return x << n | x >> (64 - n);
}

static inline void sip_round(struct sip *s)
{
	s->v0 += s->v1;
	s->v2 += s->v3;
	s->v1 = sip_rotl(s->v1, 13) ^ s->v0;
	s->v3 = sip_rotl(s->v3, 16) ^ s->v2;
	s->v0 = sip_rotl(s->v0, 32);
	s->v2 += s->v1;
	s->v0 += s->v3;
	s->v1 = sip_rotl(s->v1, 17) ^ s->v2;
	s->v3 = sip_rotl(s->v3, 21) ^ s->v0;
	s->v2 = sip_rotl(s->v2, 32);
}

static inline void sip_init(struct sip *s, const uint64_t key[2])
{
	s->v0 = key[0] ^ 0x736f6d6570736575;
	s->v1 = key[1] ^ 0x646f72616e646f6d;
	s->v2 = key[0] ^ 0x6c7967656e657261;
	s->v3 = key[1] ^ 0x7465646279746573;
}

static inline void sip_word(struct sip *s, uint64_t word)
{
	s->v3 ^= word;
	sip_round(s);
	s->v0 ^= word;
}

/* The hash of what was fed so far; more may be fed afterwards. */
static inline uint64_t sip_final(const struct sip *s)
{
	struct sip end = *s;

	end.v2 ^= 0xff;
	sip_round(&end);
	sip_round(&end);
	sip_round(&end);
	return end.v0 ^ end.v1 ^ end.v2 ^ end.v3;
}

#endif
