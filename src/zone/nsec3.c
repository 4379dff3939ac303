/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The hash of NSEC3 (RFC 5155 section 5) and owner names made of it.
 */
/* The plain functions of libcrypto: the EVP ones allocate. */
#define OPENSSL_API_COMPAT 0x10100000L
#include <openssl/sha.h>

#include <assert.h>

#include "base/octets.h"
#include "zone/nsec3.h"

static_assert(NSEC3_HASH_LEN == SHA_DIGEST_LENGTH, "SHA-1 only");

/* SHA-1 pads a message with an octet 0x80, zeros, and its length in bits. */
#define PAD_LEN 9

/* A name or a hash, and a salt, as whole blocks. */
#define MESSAGE_MAX (9 * SHA_CBLOCK)

static_assert(MESSAGE_MAX >= DNS_NAME_MAX + 255 + PAD_LEN, "room");

/*
 * Name and salt most often fill one block. What SHA1_Update() and SHA1_Final()
 * do around it costs a third of hashing it.
 */
static void sha1(const uint8_t *message, size_t block_nr,
		 uint8_t out[NSEC3_HASH_LEN])
{
	SHA_CTX sha;

	SHA1_Init(&sha);
	for (; block_nr-- > 0; message += SHA_CBLOCK)
		SHA1_Transform(&sha, message);
	put_u32(out, sha.h0);
	put_u32(out + 4, sha.h1);
	put_u32(out + 8, sha.h2);
	put_u32(out + 12, sha.h3);
	put_u32(out + 16, sha.h4);
}

static void hash_once(const struct snapshot *snapshot, const uint8_t *from,
		      size_t len, uint8_t out[NSEC3_HASH_LEN])
{
	size_t salt_len = snapshot->nsec3_salt_len;
	size_t block_nr =
	    (len + salt_len + PAD_LEN + SHA_CBLOCK - 1) / SHA_CBLOCK;
	uint8_t message[MESSAGE_MAX];

	memset(message, 0, SHA_CBLOCK);
	if (block_nr > 1)
		memset(message + SHA_CBLOCK, 0, (block_nr - 1) * SHA_CBLOCK);
	memcpy(message, from, len);
	if (salt_len)
		memcpy(message + len, snapshot->nsec3_salt, salt_len);
	message[len + salt_len] = 0x80;
	put_u32(message + block_nr * SHA_CBLOCK - 4,
		(uint32_t)(len + salt_len) * 8);
	sha1(message, block_nr, out);
}

void snapshot_nsec3_hash(const struct snapshot *snapshot, const uint8_t *lower,
			 size_t len, uint8_t out[NSEC3_HASH_LEN])
{
	hash_once(snapshot, lower, len, out);
	for (unsigned i = 0; i < snapshot->nsec3_iterations; i++)
		hash_once(snapshot, out, NSEC3_HASH_LEN, out);
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
