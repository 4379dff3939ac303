/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The hash of NSEC3 (RFC 5155 section 5) and owner names made of it.
 */
/* The plain functions of libcrypto: the EVP ones allocate. */
#define OPENSSL_API_COMPAT 0x10100000L
#include <openssl/sha.h>

#include <assert.h>

#include "zone/nsec3.h"

static_assert(NSEC3_HASH_LEN == SHA_DIGEST_LENGTH, "SHA-1 only");

void snapshot_nsec3_hash(const struct snapshot *snapshot, const uint8_t *lower,
			 size_t len, uint8_t out[NSEC3_HASH_LEN])
{
	SHA_CTX sha;

	for (unsigned i = 0; i <= snapshot->nsec3_iterations; i++) {
		SHA1_Init(&sha);
		SHA1_Update(&sha, i ? out : lower, i ? NSEC3_HASH_LEN : len);
		SHA1_Update(&sha, snapshot->nsec3_salt,
			    snapshot->nsec3_salt_len);
		SHA1_Final(out, &sha);
	}
}

/* One character of base32hex (RFC 4648 section 7), any case; 32 for none. */
static unsigned base32hex_value(uint8_t c)
{
	c = dns_lower[c];
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'v')
		return c - 'a' + 10u;
	return 32;
}

bool nsec3_owner_hash(const uint8_t *owner, uint8_t hash[NSEC3_HASH_LEN])
{
	unsigned bits = 0, have = 0, out = 0;

	if (owner[0] != NSEC3_LABEL_LEN)
		return false;
	for (unsigned i = 1; i <= NSEC3_LABEL_LEN; i++) {
		unsigned value = base32hex_value(owner[i]);

		if (value > 31)
			return false;
		bits = (bits << 5 | value) & 0xfff;
		have += 5;
		if (have < 8)
			continue;
		have -= 8;
		hash[out++] = (uint8_t)(bits >> have);
	}
	return true;
}
