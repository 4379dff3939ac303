/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Octets written as text: hex, base64 and base32hex (RFC 4648 sections 8, 4,
 * 7) and the escapes of master files (RFC 1035 section 5.1).
 *
 * Hex and base64 are decoded piece by piece, since white space may stand
 * anywhere in them: a zeroed state, feed for each piece, end. Decoding is
 * strict: digits outside the alphabet, wrong padding and bits that are left
 * over are errors, so that one text has one meaning. No function allocates or
 * ends its output with a NUL.
 *
 * Decoders return the octets written, or
 *   -EINVAL  the text is not of that coding
 *   -ENOSPC  it does not fit into max octets
 */
#ifndef BASE_CODEC_H
#define BASE_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hex_state {
	bool half; /* the first digit of an octet is in high */
	uint8_t high;
};

int hex_feed(struct hex_state *state, uint8_t *out, size_t max,
	     const char *text, size_t len);

/* 0, or -EINVAL when the number of digits was odd. */
int hex_end(const struct hex_state *state);

struct base64_state {
	uint32_t bits; /* of the characters of a group not yet written */
	uint8_t nr;    /* how many: 0-3; padding counts */
	uint8_t pad;   /* "=" read; when the group is full nothing may follow */
	bool ended;
};

int base64_feed(struct base64_state *state, uint8_t *out, size_t max,
		const char *text, size_t len);

/* 0, or -EINVAL when a group is not complete. */
int base64_end(const struct base64_state *state);

/* One piece, any case, no padding (RFC 5155 section 3.3). */
int base32hex_decode(uint8_t *out, size_t max, const char *text, size_t len);

/*
 * What stands behind a backslash, X or DDD (RFC 1035 section 5.1): the octet,
 * with *p moved behind it, or -EINVAL.
 */
int escape_octet(const char **p, const char *end);

/* \X and \DDD undone. */
int escape_decode(uint8_t *out, size_t max, const char *text, size_t len);

/* Encoders return the characters written; room is the caller's business. */
#define HEX_LEN(len)	   (2 * (len))
#define BASE64_LEN(len)	   (((len) + 2) / 3 * 4)
#define BASE32HEX_LEN(len) ((8 * (len) + 4) / 5)
#define ESCAPE_LEN(len)	   (4 * (len))

size_t hex_encode(char *out, const uint8_t *octets, size_t len);
size_t base64_encode(char *out, const uint8_t *octets, size_t len);
size_t base32hex_encode(char *out, const uint8_t *octets, size_t len);

/* Text to stand between quotes in a master file. */
size_t escape_encode(char *out, const uint8_t *octets, size_t len);

#endif
