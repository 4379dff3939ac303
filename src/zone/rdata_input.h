/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One RDATA on its way from tokens to octets: the token that is next, the
 * octets so far, and the fields that most types are made of.
 *
 *	scan > [token] > input_number(), input_name(), ... > out[0, len)
 *
 * Each input_ function that reads takes the token in hand, appends the field
 * and moves on to the next token. It returns 0, or -EINVAL after filling in
 * the error with what is wrong and with which token.
 */
#ifndef ZONE_RDATA_INPUT_H
#define ZONE_RDATA_INPUT_H

#include <errno.h>

#include "zone/rdata.h"
#include "zone/rdata_word.h"

struct rdata_input {
	struct scan *scan;
	struct scan_token token; /* next, not yet taken */
	enum scan_kind kind;	 /* of it */
	const uint8_t *origin;
	struct rdata_error *error;
	uint8_t *out; /* RDATA_MAX octets */
	size_t len;
};

/* The next token; the one before is no longer valid. */
void input_next(struct rdata_input *in);

/* True while there are tokens, SCAN_ERROR not counted. */
static inline bool input_more(const struct rdata_input *in)
{
	return in->kind == SCAN_WORD || in->kind == SCAN_QUOTED;
}

/* All of them write the error and return -EINVAL. */
__attribute__((format(printf, 2, 3))) int input_fail(struct rdata_input *in,
						     const char *format, ...);
int input_bad(struct rdata_input *in, const char *what); /* bad WHAT 'token' */
int input_unexpected(struct rdata_input *in, const char *wanted);

/* 0 when the token in hand is a word without quotes. */
int input_word(struct rdata_input *in, const char *wanted);

/* 0 when no token is left. */
int input_end(struct rdata_input *in);

/* Appends octets. */
int input_put(struct rdata_input *in, const void *octets, size_t len);
int input_put_number(struct rdata_input *in, uint64_t value, unsigned octets);

/* Digits only, at most max. Returns 0, or -EINVAL without an error text. */
int rdata_number(const char *text, size_t len, uint64_t max, uint64_t *value);

/* The word in hand as a number, not appended. */
int input_get_number(struct rdata_input *in, uint64_t max, uint64_t *value);

/* Field of 1, 2, 4 or 8 octets. */
int input_number(struct rdata_input *in, unsigned octets);
int input_number_or_word(struct rdata_input *in, unsigned octets,
			 const struct rdata_word *table, const char *what);
int input_name(struct rdata_input *in);
int input_string(struct rdata_input *in); /* behind a length octet */
int input_text(struct rdata_input *in);	  /* without one */
int input_ipv4(struct rdata_input *in);
int input_ipv6(struct rdata_input *in);

/* To the end of the line, or nothing where none is left. */
int input_base64(struct rdata_input *in);
int input_hex(struct rdata_input *in);

/* One token. */
int input_base64_word(struct rdata_input *in);
int input_hex_word(struct rdata_input *in);

/* Address text, not ended by a NUL, to octets; false when it is none. */
bool rdata_ipv4(uint8_t out[4], const char *text, size_t len);
bool rdata_ipv6(uint8_t out[16], const char *text, size_t len);

#endif
