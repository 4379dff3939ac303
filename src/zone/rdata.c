/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RDATA from text: walks the form of the type, field by field, or reads the
 * generic form. Whatever comes out has passed rdata_fault(), so a converter
 * that let something wrong through is caught here.
 *
 *	rdata.c		forms and the fields only they have
 *	rdata_input.c	numbers, names, strings, addresses, hex, base64
 *	rdata_special.c	types with code of their own
 *	rdata_check.c	the check	rdata_text.c  and the way back
 */
#include "zone/rdata.h"

#include <string.h>

#include "base/codec.h"
#include "dns/type.h"
#include "zone/bitmap.h"
#include "zone/rdata_check.h"
#include "zone/rdata_special.h"
#include "zone/rdata_time.h"
#include "zone/ttl.h"

static int read_type(struct rdata_input *in, int *type)
{
	if (input_word(in, "type"))
		return -EINVAL;
	*type = dns_type_from_text(in->token.text, in->token.len);
	return *type < 0 ? input_bad(in, "type") : 0;
}

static int read_type_field(struct rdata_input *in)
{
	int type;

	if (read_type(in, &type) || input_put_number(in, (uint64_t)type, 2))
		return -EINVAL;
	input_next(in);
	return 0;
}

static int read_bitmap(struct rdata_input *in)
{
	uint8_t wire[BITMAP_MAX];
	struct bitmap bitmap;
	size_t len;

	bitmap_init(&bitmap);
	while (input_more(in)) {
		int type;

		if (read_type(in, &type))
			return -EINVAL;
		if (!type)
			return input_bad(in, "type");
		bitmap_set(&bitmap, (uint16_t)type);
		input_next(in);
	}
	len = bitmap_put(&bitmap, wire);
	return input_put(in, wire, len);
}

static int read_strings(struct rdata_input *in)
{
	do
		if (input_string(in))
			return -EINVAL;
	while (input_more(in));
	return 0;
}

static int read_time(struct rdata_input *in)
{
	uint32_t seconds;

	if (input_word(in, "time"))
		return -EINVAL;
	if (rdata_time_from_text(in->token.text, in->token.len, &seconds))
		return input_bad(in, "time (YYYYMMDDHHmmSS or seconds)");
	if (input_put_number(in, seconds, 4))
		return -EINVAL;
	input_next(in);
	return 0;
}

static int read_period(struct rdata_input *in)
{
	uint32_t seconds;

	if (input_word(in, "period"))
		return -EINVAL;
	if (ttl_from_text(&seconds, in->token.text, in->token.len))
		return input_bad(in, "period");
	if (input_put_number(in, seconds, 4))
		return -EINVAL;
	input_next(in);
	return 0;
}

/* Groups of hex digits between separators: EUI48, EUI64, NID, L64. */
static int read_groups(struct rdata_input *in, char separator, unsigned nr,
		       unsigned octets)
{
	static const char what[] = "groups of hex digits";
	const char *p = in->token.text, *end = p + in->token.len;

	if (input_word(in, what))
		return -EINVAL;
	for (unsigned i = 0; i < nr; i++) {
		char digits[4] = {'0', '0', '0', '0'};
		struct hex_state state = {0};
		uint8_t value[2];
		const char *stop = memchr(p, separator, (size_t)(end - p));
		size_t len = (size_t)((stop ? stop : end) - p);

		/* RFC 6742: zeros in front may be missing; RFC 7043: not. */
		if (!len || len > octets * 2 || (octets == 1 && len != 2) ||
		    (stop == NULL) != (i == nr - 1))
			return input_bad(in, what);
		memcpy(digits + 4 - len, p, len);
		if (hex_feed(&state, value, 2, digits, 4) < 0)
			return input_bad(in, what);
		if (input_put(in, value + 2 - octets, octets))
			return -EINVAL;
		p += len + 1;
	}
	input_next(in);
	return 0;
}

/* Hex or base32hex behind a length octet. */
static int read_salt(struct rdata_input *in)
{
	size_t at = in->len;

	if (input_word(in, "salt") || input_put(in, "\0", 1))
		return -EINVAL;
	if (in->token.len == 1 && *in->token.text == '-') {
		input_next(in);
		return 0;
	}
	if (input_hex_word(in))
		return -EINVAL;
	if (in->len - at - 1 > UINT8_MAX)
		return input_fail(in, "salt over 255 octets");
	in->out[at] = (uint8_t)(in->len - at - 1);
	return 0;
}

static int read_hash(struct rdata_input *in)
{
	uint8_t hash[1 + UINT8_MAX];
	int len;

	if (input_word(in, "hash"))
		return -EINVAL;
	len = base32hex_decode(hash + 1, UINT8_MAX, in->token.text,
			       in->token.len);
	if (len <= 0)
		return input_bad(in, "hash");
	hash[0] = (uint8_t)len;
	if (input_put(in, hash, (size_t)len + 1))
		return -EINVAL;
	input_next(in);
	return 0;
}

static int read_tag(struct rdata_input *in)
{
	return input_word(in, "tag") ? -EINVAL : input_string(in);
}

/* Hex and base64 that must be there. */
static int read_some(struct rdata_input *in, bool hex)
{
	if (input_word(in, hex ? "hex" : "base64"))
		return -EINVAL;
	return hex ? input_hex(in) : input_base64(in);
}

/* "-" for no octets at all. */
static int read_base64_or_dash(struct rdata_input *in)
{
	if (in->kind != SCAN_WORD || in->token.len != 1 ||
	    *in->token.text != '-')
		return read_some(in, false);
	input_next(in);
	return 0;
}

/* Fields that only few types have. */
static int read_rare_field(struct rdata_input *in, char letter, uint16_t type)
{
	switch (letter) {
	case '8':
		return input_number(in, 8);
	case 'e':
		return read_groups(in, '-', 6, 1);
	case 'E':
		return read_groups(in, '-', 8, 1);
	case 'l':
		return read_groups(in, ':', 4, 2);
	case 'o':
		return input_more(in) ? input_string(in) : 0;
	case 'T':
		return read_tag(in);
	case 'v':
		return input_text(in);
	case 'c':
		return input_number_or_word(in, 2, rdata_cert_types,
					    "certificate type");
	case 'd':
		return input_number_or_word(in, 1, rdata_dsync_schemes,
					    "DSYNC scheme");
	case 'k':
		return input_base64(in);
	case 'B':
		return read_base64_or_dash(in);
	default:
		return rdata_special_find(type)->read(in);
	}
}

static int read_field(struct rdata_input *in, char letter, uint16_t type)
{
	switch (letter) {
	case 'n':
	case 'N':
		return input_name(in);
	case '1':
		return input_number(in, 1);
	case '2':
		return input_number(in, 2);
	case '4':
		return input_number(in, 4);
	case 'a':
		return input_ipv4(in);
	case 'A':
		return input_ipv6(in);
	case 's':
		return input_string(in);
	case 'S':
		return read_strings(in);
	case 'p':
		return read_period(in);
	case 't':
		return read_time(in);
	case 'y':
		return read_type_field(in);
	case 'm':
		return read_bitmap(in);
	case 'g':
		return input_number_or_word(in, 1, rdata_algorithms,
					    "DNSSEC algorithm");
	case 'b':
		return read_some(in, false);
	case 'x':
		return read_some(in, true);
	case 'h':
		return read_salt(in);
	case 'H':
		return read_hash(in);
	default:
		return read_rare_field(in, letter, type);
	}
}

/* \# length hex (RFC 3597 section 5); the token in hand is \#. */
static int read_generic(struct rdata_input *in)
{
	uint64_t len;

	input_next(in);
	if (input_get_number(in, RDATA_MAX, &len))
		return -EINVAL;
	input_next(in);
	if (input_hex(in))
		return -EINVAL;
	if (in->len != len)
		return input_fail(in, "\\# says %llu octets, but there are %zu",
				  (unsigned long long)len, in->len);
	return 0;
}

/* A type without a form, and not \#. */
static int no_text_form(struct rdata_input *in, uint16_t type)
{
	const char *why = "no text form";

	if (type == DNS_TYPE_A6)
		why = "historic (RFC 6563)";
	if (type == DNS_TYPE_NXT)
		why = "obsolete (RFC 3755)";
	return input_fail(in, "%s: only \\# and hex (RFC 3597) can be read",
			  why);
}

static bool is_generic(const struct rdata_input *in)
{
	return in->kind == SCAN_WORD && in->token.len == 2 &&
	       in->token.text[0] == '\\' && in->token.text[1] == '#';
}

static int read_form(struct rdata_input *in, uint16_t type)
{
	const struct dns_type *row = dns_type_find(type);

	if (is_generic(in))
		return read_generic(in);
	if (in->kind == SCAN_ERROR)
		return input_end(in);
	if (!row || !row->form)
		return no_text_form(in, type);
	for (const char *f = row->form; *f; f++)
		if (read_field(in, *f, type))
			return -EINVAL;
	return 0;
}

int rdata_from_text(uint8_t *out, uint16_t type, struct scan *scan,
		    const uint8_t *origin, struct rdata_error *error)
{
	struct rdata_input in = {
	    .scan = scan,
	    .token.line = scan->line,
	    .origin = origin,
	    .error = error,
	    .out = out,
	};
	const char *fault;

	input_next(&in);
	if (read_form(&in, type) || input_end(&in))
		return -EINVAL;
	fault = rdata_fault(type, out, in.len);
	if (fault)
		return input_fail(&in, "%s", fault);
	return (int)in.len;
}
