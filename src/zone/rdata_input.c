/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fields of RDATA from text. Numbers and IPv4 addresses are read by hand: they
 * are in every record, and strtol() takes too much that is no number.
 */
#include "zone/rdata_input.h"

#include <arpa/inet.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/codec.h"
#include "base/octets.h"
#include "dns/name.h"

#define SHOWN_MAX 48 /* octets of a token that an error shows */

void input_next(struct rdata_input *in)
{
	in->kind = scan_next(in->scan, &in->token);
}

int input_fail(struct rdata_input *in, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(in->error->text, sizeof(in->error->text), format, args);
	va_end(args);
	in->error->line = in->token.line;
	return -EINVAL;
}

/* The token in hand, fit for a message. */
static const char *shown(const struct rdata_input *in, char out[SHOWN_MAX + 4])
{
	size_t len = in->token.len < SHOWN_MAX ? in->token.len : SHOWN_MAX;

	for (size_t i = 0; i < len; i++) {
		char c = in->token.text[i];

		out[i] = c < ' ' || c == 0x7f ? '?' : c;
	}
	memcpy(out + len, in->token.len > len ? "..." : "\0\0\0", 4);
	return out;
}

int input_bad(struct rdata_input *in, const char *what)
{
	char text[SHOWN_MAX + 4];

	return input_fail(in, "bad %s '%s'", what, shown(in, text));
}

int input_unexpected(struct rdata_input *in, const char *wanted)
{
	char text[SHOWN_MAX + 4];

	if (in->kind == SCAN_ERROR) {
		input_fail(in, "%s", in->scan->error);
		in->error->line = in->scan->error_line;
		return -EINVAL;
	}
	if (!input_more(in))
		return input_fail(in, "%s is missing", wanted);
	return input_fail(in, "%s expected, not the quoted text '%s'", wanted,
			  shown(in, text));
}

int input_word(struct rdata_input *in, const char *wanted)
{
	return in->kind == SCAN_WORD ? 0 : input_unexpected(in, wanted);
}

int input_end(struct rdata_input *in)
{
	char text[SHOWN_MAX + 4];

	if (in->kind == SCAN_ERROR)
		return input_unexpected(in, "");
	if (input_more(in))
		return input_fail(in, "extra text '%s'", shown(in, text));
	return 0;
}

static int too_long(struct rdata_input *in)
{
	return input_fail(in, "RDATA over %d octets", RDATA_MAX);
}

int input_put(struct rdata_input *in, const void *octets, size_t len)
{
	if (len > RDATA_MAX - in->len)
		return too_long(in);
	memcpy(in->out + in->len, octets, len);
	in->len += len;
	return 0;
}

int input_put_number(struct rdata_input *in, uint64_t value, unsigned octets)
{
	uint8_t out[8];

	put_u32(out, (uint32_t)(value >> 32));
	put_u32(out + 4, (uint32_t)value);
	return input_put(in, out + 8 - octets, octets);
}

int rdata_number(const char *text, size_t len, uint64_t max, uint64_t *value)
{
	uint64_t v = 0;

	if (!len)
		return -EINVAL;
	for (size_t i = 0; i < len; i++) {
		unsigned digit = (unsigned)text[i] - '0';

		if (digit > 9 || digit > max || v > (max - digit) / 10)
			return -EINVAL;
		v = v * 10 + digit;
	}
	*value = v;
	return 0;
}

int input_get_number(struct rdata_input *in, uint64_t max, uint64_t *value)
{
	char text[SHOWN_MAX + 4];

	if (input_word(in, "number"))
		return -EINVAL;
	if (rdata_number(in->token.text, in->token.len, max, value))
		return input_fail(in, "'%s' is not a number from 0 to %llu",
				  shown(in, text), (unsigned long long)max);
	return 0;
}

int input_number(struct rdata_input *in, unsigned octets)
{
	uint64_t max = UINT64_MAX >> (64 - 8 * octets), value;

	if (input_get_number(in, max, &value) ||
	    input_put_number(in, value, octets))
		return -EINVAL;
	input_next(in);
	return 0;
}

int input_number_or_word(struct rdata_input *in, unsigned octets,
			 const struct rdata_word *table, const char *what)
{
	int number;

	if (input_word(in, what))
		return -EINVAL;
	if ((unsigned)*in->token.text - '0' <= 9)
		return input_number(in, octets);
	number = rdata_word_find(table, in->token.text, in->token.len);
	if (number < 0)
		return input_bad(in, what);
	if (input_put_number(in, (uint64_t)number, octets))
		return -EINVAL;
	input_next(in);
	return 0;
}

int input_name(struct rdata_input *in)
{
	uint8_t name[DNS_NAME_MAX];
	int len;

	if (input_word(in, "name"))
		return -EINVAL;
	if (RDATA_MAX - in->len >= DNS_NAME_MAX) {
		len = dns_name_from_text(in->out + in->len, in->token.text,
					 in->token.len, in->origin);
	} else {
		len = dns_name_from_text(name, in->token.text, in->token.len,
					 in->origin);
		if (len > 0 && (size_t)len <= RDATA_MAX - in->len)
			memcpy(in->out + in->len, name, (size_t)len);
	}
	if (len == -ENAMETOOLONG)
		return input_bad(in, "name (over 255 octets, or a label over "
				     "63)");
	if (len < 0)
		return input_bad(in, "name");
	if ((size_t)len > RDATA_MAX - in->len)
		return too_long(in);
	in->len += (size_t)len;
	input_next(in);
	return 0;
}

int input_string(struct rdata_input *in)
{
	uint8_t string[1 + UINT8_MAX];
	int len;

	if (!input_more(in))
		return input_unexpected(in, "text");
	len =
	    escape_decode(string + 1, UINT8_MAX, in->token.text, in->token.len);
	if (len == -ENOSPC)
		return input_bad(in, "text (over 255 octets)");
	if (len < 0)
		return input_bad(in, "escape in");
	string[0] = (uint8_t)len;
	if (input_put(in, string, (size_t)len + 1))
		return -EINVAL;
	input_next(in);
	return 0;
}

int input_text(struct rdata_input *in)
{
	int len;

	if (!input_more(in))
		return input_unexpected(in, "text");
	len = escape_decode(in->out + in->len, RDATA_MAX - in->len,
			    in->token.text, in->token.len);
	if (len == -ENOSPC)
		return too_long(in);
	if (len < 0)
		return input_bad(in, "escape in");
	in->len += (size_t)len;
	input_next(in);
	return 0;
}

bool rdata_ipv4(uint8_t out[4], const char *text, size_t len)
{
	const char *p = text, *end = text + len;

	for (int i = 0; i < 4; i++) {
		unsigned value = 0;
		const char *start;

		if (i && (p == end || *p++ != '.'))
			return false;
		for (start = p; p < end && (unsigned)*p - '0' <= 9; p++) {
			value = value * 10 + (unsigned)(*p - '0');
			if (value > UINT8_MAX)
				return false;
		}
		/* A leading zero could be meant as octal: refused. */
		if (p == start || (*start == '0' && p - start > 1))
			return false;
		out[i] = (uint8_t)value;
	}
	return p == end;
}

bool rdata_ipv6(uint8_t out[16], const char *text, size_t len)
{
	char copy[INET6_ADDRSTRLEN];

	if (len >= sizeof(copy))
		return false;
	memcpy(copy, text, len);
	copy[len] = '\0';
	return strlen(copy) == len && inet_pton(AF_INET6, copy, out) == 1;
}

int input_ipv4(struct rdata_input *in)
{
	uint8_t address[4];

	if (input_word(in, "IPv4 address"))
		return -EINVAL;
	if (!rdata_ipv4(address, in->token.text, in->token.len))
		return input_bad(in, "IPv4 address");
	if (input_put(in, address, sizeof(address)))
		return -EINVAL;
	input_next(in);
	return 0;
}

int input_ipv6(struct rdata_input *in)
{
	uint8_t address[16];

	if (input_word(in, "IPv6 address"))
		return -EINVAL;
	if (!rdata_ipv6(address, in->token.text, in->token.len))
		return input_bad(in, "IPv6 address");
	if (input_put(in, address, sizeof(address)))
		return -EINVAL;
	input_next(in);
	return 0;
}

/* One more token of base64 or hex; got is what its decoder said. */
static int fed(struct rdata_input *in, int got, const char *what)
{
	if (got == -ENOSPC)
		return too_long(in);
	if (got < 0)
		return input_bad(in, what);
	in->len += (size_t)got;
	input_next(in);
	return 0;
}

static int base64_words(struct rdata_input *in, bool one)
{
	struct base64_state state = {0};

	while (in->kind == SCAN_WORD) {
		int got =
		    base64_feed(&state, in->out + in->len, RDATA_MAX - in->len,
				in->token.text, in->token.len);

		if (fed(in, got, "base64"))
			return -EINVAL;
		if (one)
			break;
	}
	if (in->kind == SCAN_QUOTED && !one)
		return input_unexpected(in, "base64");
	if (base64_end(&state))
		return input_fail(in, "incomplete base64");
	return 0;
}

static int hex_words(struct rdata_input *in, bool one)
{
	struct hex_state state = {0};

	while (in->kind == SCAN_WORD) {
		int got =
		    hex_feed(&state, in->out + in->len, RDATA_MAX - in->len,
			     in->token.text, in->token.len);

		if (fed(in, got, "hex"))
			return -EINVAL;
		if (one)
			break;
	}
	if (in->kind == SCAN_QUOTED && !one)
		return input_unexpected(in, "hex");
	if (hex_end(&state))
		return input_fail(in, "odd number of hex digits");
	return 0;
}

int input_base64(struct rdata_input *in)
{
	return base64_words(in, false);
}

int input_hex(struct rdata_input *in)
{
	return hex_words(in, false);
}

int input_base64_word(struct rdata_input *in)
{
	return input_word(in, "base64") ? -EINVAL : base64_words(in, true);
}

int input_hex_word(struct rdata_input *in)
{
	return input_word(in, "hex") ? -EINVAL : hex_words(in, true);
}
