/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text codings. A signed zone is mostly base64 and base32hex, so those two
 * read by table, a group at a time. The tables hold value + 1: 0 is a
 * character outside the alphabet.
 */
#include "base/codec.h"

#include <errno.h>
#include <string.h>

static const uint8_t hex_value[256] = {
    ['0'] = 1, 2,  3,  4,  5,  6,	   7,  8,  9,  10, ['A'] = 11,
    12,	       13, 14, 15, 16, ['a'] = 11, 12, 13, 14, 15, 16,
};

static const uint8_t base32hex_value[256] = {
    ['0'] = 1, 2,  3,  4,  5,  6,  7,  8,  9,  10, ['A'] = 11,
    12,	       13, 14, 15, 16, 17, 18, 19, 20, 21, 22,
    23,	       24, 25, 26, 27, 28, 29, 30, 31, 32, ['a'] = 11,
    12,	       13, 14, 15, 16, 17, 18, 19, 20, 21, 22,
    23,	       24, 25, 26, 27, 28, 29, 30, 31, 32,
};

static const uint8_t base64_value[256] =
    {
	['A'] = 1, 2,  3,	   4,	       5,  6,  7,	   8,  9,  10,
	11,	   12, 13,	   14,	       15, 16, 17,	   18, 19, 20,
	21,	   22, 23,	   24,	       25, 26, ['a'] = 27, 28, 29, 30,
	31,	   32, 33,	   34,	       35, 36, 37,	   38, 39, 40,
	41,	   42, 43,	   44,	       45, 46, 47,	   48, 49, 50,
	51,	   52, ['0'] = 53, 54,	       55, 56, 57,	   58, 59, 60,
	61,	   62, ['+'] = 63, ['/'] = 64,
};

static const char hex_digits[] = "0123456789ABCDEF";
static const char base32hex_digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUV";
static const char base64_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "abcdefghijklmnopqrstuvwxyz0123456789+/";

int hex_feed(struct hex_state *state, uint8_t *out, size_t max,
	     const char *text, size_t len)
{
	size_t nr = 0;

	for (size_t i = 0; i < len; i++) {
		unsigned value = hex_value[(uint8_t)text[i]];

		if (!value)
			return -EINVAL;
		value--;
		if (!state->half) {
			state->high = (uint8_t)value;
			state->half = true;
			continue;
		}
		if (nr == max)
			return -ENOSPC;
		out[nr++] = (uint8_t)((unsigned)state->high << 4 | value);
		state->half = false;
	}
	return (int)nr;
}

int hex_end(const struct hex_state *state)
{
	return state->half ? -EINVAL : 0;
}

/* A group of four characters without padding, 0 when it is not one. */
static inline bool base64_group(uint8_t *out, const uint8_t *text)
{
	uint32_t a = base64_value[text[0]], b = base64_value[text[1]];
	uint32_t c = base64_value[text[2]], d = base64_value[text[3]];
	uint32_t bits;

	if (!a || !b || !c || !d)
		return false;
	bits = (a - 1) << 18 | (b - 1) << 12 | (c - 1) << 6 | (d - 1);
	out[0] = (uint8_t)(bits >> 16);
	out[1] = (uint8_t)(bits >> 8);
	out[2] = (uint8_t)bits;
	return true;
}

/*
 * The last group, when its padding is complete: 2 characters are one octet
 * and 4 bits that must be 0, 3 are two octets and 2 bits (RFC 4648 3.5).
 */
static int base64_last(struct base64_state *state, uint8_t *out, size_t max)
{
	unsigned nr = 3u - state->pad;
	uint32_t bits = state->bits << 6 * state->pad;

	if (state->pad > 2 || bits & ((1u << 8 * (3 - nr)) - 1))
		return -EINVAL;
	if (nr > max)
		return -ENOSPC;
	for (unsigned i = 0; i < nr; i++)
		out[i] = (uint8_t)(bits >> (16 - 8 * i));
	state->ended = true;
	return (int)nr;
}

/* One character; returns the octets that it completes. */
static int base64_char(struct base64_state *state, uint8_t *out, size_t max,
		       uint8_t c)
{
	if (state->ended)
		return -EINVAL;
	if (c == '=') {
		state->pad++;
	} else {
		if (state->pad || !base64_value[c])
			return -EINVAL;
		state->bits = state->bits << 6 | (base64_value[c] - 1u);
	}
	if (++state->nr < 4)
		return 0;
	state->nr = 0;
	if (state->pad)
		return base64_last(state, out, max);
	if (max < 3)
		return -ENOSPC;
	out[0] = (uint8_t)(state->bits >> 16);
	out[1] = (uint8_t)(state->bits >> 8);
	out[2] = (uint8_t)state->bits;
	state->bits = 0;
	return 3;
}

int base64_feed(struct base64_state *state, uint8_t *out, size_t max,
		const char *text, size_t len)
{
	const uint8_t *p = (const uint8_t *)text, *end = p + len;
	size_t nr = 0;

	while (p < end) {
		int done;

		if (!state->nr && !state->ended)
			while (end - p >= 4 && max - nr >= 3 &&
			       base64_group(out + nr, p)) {
				p += 4;
				nr += 3;
			}
		if (p == end)
			break;
		done = base64_char(state, out + nr, max - nr, *p++);
		if (done < 0)
			return done;
		nr += (size_t)done;
	}
	return (int)nr;
}

int base64_end(const struct base64_state *state)
{
	return state->nr ? -EINVAL : 0;
}

int base32hex_decode(uint8_t *out, size_t max, const char *text, size_t len)
{
	uint32_t bits = 0;
	unsigned bit_nr = 0;
	size_t nr = 0;

	for (size_t i = 0; i < len; i++) {
		unsigned value = base32hex_value[(uint8_t)text[i]];

		if (!value)
			return -EINVAL;
		bits = bits << 5 | (value - 1);
		bit_nr += 5;
		if (bit_nr < 8)
			continue;
		if (nr == max)
			return -ENOSPC;
		bit_nr -= 8;
		out[nr++] = (uint8_t)(bits >> bit_nr);
		bits &= (1u << bit_nr) - 1;
	}
	/* Five bits left are a character that says nothing. */
	return bits || bit_nr >= 5 ? -EINVAL : (int)nr;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

int escape_octet(const char **p, const char *end)
{
	const char *s = *p;
	int value;

	if (s == end)
		return -EINVAL;
	if (!is_digit(*s)) {
		*p = s + 1;
		return (uint8_t)*s;
	}
	if (end - s < 3 || !is_digit(s[1]) || !is_digit(s[2]))
		return -EINVAL;
	value = (s[0] - '0') * 100 + (s[1] - '0') * 10 + (s[2] - '0');
	*p = s + 3;
	return value > 255 ? -EINVAL : value;
}

int escape_decode(uint8_t *out, size_t max, const char *text, size_t len)
{
	const char *p = text, *end = text + len;
	size_t nr = 0;

	while (p < end) {
		const char *escape = memchr(p, '\\', (size_t)(end - p));
		size_t plain = (size_t)((escape ? escape : end) - p);
		int octet;

		if (plain > max - nr)
			return -ENOSPC;
		memcpy(out + nr, p, plain);
		nr += plain;
		if (!escape)
			break;
		p = escape + 1;
		octet = escape_octet(&p, end);
		if (octet < 0)
			return octet;
		if (nr == max)
			return -ENOSPC;
		out[nr++] = (uint8_t)octet;
	}
	return (int)nr;
}

size_t hex_encode(char *out, const uint8_t *octets, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		*out++ = hex_digits[octets[i] >> 4];
		*out++ = hex_digits[octets[i] & 15];
	}
	return HEX_LEN(len);
}

size_t base64_encode(char *out, const uint8_t *octets, size_t len)
{
	char *p = out;

	for (size_t i = 0; i < len; i += 3) {
		size_t left = len - i;
		uint32_t bits = (uint32_t)octets[i] << 16;

		bits |= left > 1 ? (uint32_t)octets[i + 1] << 8 : 0;
		bits |= left > 2 ? octets[i + 2] : 0;
		*p++ = base64_digits[bits >> 18];
		*p++ = base64_digits[bits >> 12 & 63];
		*p++ = left > 1 ? base64_digits[bits >> 6 & 63] : '=';
		*p++ = left > 2 ? base64_digits[bits & 63] : '=';
	}
	return (size_t)(p - out);
}

size_t base32hex_encode(char *out, const uint8_t *octets, size_t len)
{
	uint32_t bits = 0;
	unsigned bit_nr = 0;
	char *p = out;

	for (size_t i = 0; i < len; i++) {
		bits = (bits << 8 | octets[i]) & 0xfff;
		for (bit_nr += 8; bit_nr >= 5; bit_nr -= 5)
			*p++ = base32hex_digits[bits >> (bit_nr - 5) & 31];
	}
	if (bit_nr)
		*p++ = base32hex_digits[bits << (5 - bit_nr) & 31];
	return (size_t)(p - out);
}

size_t escape_encode(char *out, const uint8_t *octets, size_t len)
{
	char *p = out;

	for (size_t i = 0; i < len; i++) {
		uint8_t c = octets[i];

		if (c < ' ' || c >= 0x7f) {
			*p++ = '\\';
			*p++ = (char)('0' + c / 100);
			*p++ = (char)('0' + c / 10 % 10);
			*p++ = (char)('0' + c % 10);
			continue;
		}
		if (c == '"' || c == '\\')
			*p++ = '\\';
		*p++ = (char)c;
	}
	return (size_t)(p - out);
}
