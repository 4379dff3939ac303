/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RDATA to text: the walk of rdata.c, the other way round. What has no text of
 * its own is written in the generic form, which always reads back.
 */
#include "zone/rdata.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/octets.h"
#include "dns/name.h"
#include "dns/type.h"
#include "zone/bitmap.h"
#include "zone/rdata_special.h"
#include "zone/rdata_time.h"

/* What is left to print. */
struct cursor {
	const uint8_t *p;
	size_t left;
};

/* Takes len octets off the front. */
static const uint8_t *take(struct cursor *at, size_t len)
{
	const uint8_t *p = at->p;

	at->p += len;
	at->left -= len;
	return p;
}

static void print_type(struct rdata_output *out, uint16_t type)
{
	char text[DNS_TYPE_TEXT_MAX];

	output_format(out, "%s", dns_type_to_text(text, type));
}

static void print_bitmap(struct rdata_output *out, struct cursor *at)
{
	for (int type = 0; (type = bitmap_next(at->p, at->left, type)) >= 0;
	     type++) {
		output_field(out);
		print_type(out, (uint16_t)type);
	}
	take(at, at->left);
}

static void print_string(struct rdata_output *out, struct cursor *at)
{
	size_t len = *take(at, 1);

	output_field(out);
	output_quoted(out, take(at, len), len);
}

static void print_time(struct rdata_output *out, uint32_t seconds)
{
	char text[RDATA_TIME_TEXT_MAX];

	rdata_time_to_text(text, seconds);
	output_format(out, "%s", text);
}

/* Octets in hex, groups of size between separators. */
static void print_groups(struct rdata_output *out, const uint8_t *p, size_t len,
			 size_t size)
{
	for (size_t i = 0; i < len; i += size) {
		if (i)
			output_raw(out, size == 1 ? "-" : ":", 1);
		output_hex(out, p + i, size);
	}
}

static void print_word(struct rdata_output *out, unsigned number,
		       const struct rdata_word *table)
{
	const char *word = rdata_word_of(table, number);

	if (word)
		output_format(out, "%s", word);
	else
		output_format(out, "%u", number);
}

static void print_salt(struct rdata_output *out, struct cursor *at)
{
	size_t len = *take(at, 1);

	if (len)
		output_hex(out, take(at, len), len);
	else
		output_raw(out, "-", 1);
}

static uint64_t take_u64(struct cursor *at)
{
	uint64_t high = get_u32(take(at, 4));

	return high << 32 | get_u32(take(at, 4));
}

/* Fields that fill the rest, or have their length in front. */
static void print_long_field(struct rdata_output *out, char letter,
			     struct cursor *at)
{
	size_t len = at->left;

	switch (letter) {
	case 'n':
	case 'N':
		output_name(out, take(at, dns_name_len(at->p)));
		break;
	case 'T':
		len = *take(at, 1);
		output_raw(out, (const char *)take(at, len), len);
		break;
	case 'h':
		print_salt(out, at);
		break;
	case 'H':
		len = *take(at, 1);
		output_base32hex(out, take(at, len), len);
		break;
	case 'v':
		output_quoted(out, take(at, len), len);
		break;
	case 'x':
		output_hex(out, take(at, len), len);
		break;
	case 'B':
		if (!len) {
			output_raw(out, "-", 1);
			break;
		}
		output_base64(out, take(at, len), len);
		break;
	default:
		output_base64(out, take(at, len), len);
		break;
	}
}

static void print_field(struct rdata_output *out, char letter,
			struct cursor *at)
{
	output_field(out);
	switch (letter) {
	case '1':
	case 'g':
		output_format(out, "%u", *take(at, 1));
		break;
	case 'd':
		print_word(out, *take(at, 1), rdata_dsync_schemes);
		break;
	case '2':
		output_format(out, "%u", get_u16(take(at, 2)));
		break;
	case 'c':
		print_word(out, get_u16(take(at, 2)), rdata_cert_types);
		break;
	case 'y':
		print_type(out, get_u16(take(at, 2)));
		break;
	case '4':
	case 'p':
		output_format(out, "%u", get_u32(take(at, 4)));
		break;
	case 't':
		print_time(out, get_u32(take(at, 4)));
		break;
	case '8':
		output_format(out, "%llu", (unsigned long long)take_u64(at));
		break;
	case 'a':
		output_ipv4(out, take(at, 4));
		break;
	case 'A':
		output_ipv6(out, take(at, 16));
		break;
	case 'e':
		print_groups(out, take(at, 6), 6, 1);
		break;
	case 'E':
		print_groups(out, take(at, 8), 8, 1);
		break;
	case 'l':
		print_groups(out, take(at, 8), 8, 2);
		break;
	default:
		print_long_field(out, letter, at);
	}
}

static bool print_form(struct rdata_output *out, const struct dns_type *row,
		       const uint8_t *rdata, size_t len)
{
	struct cursor at = {rdata, len};

	for (const char *f = row->form; *f; f++) {
		switch (*f) {
		case 's':
			print_string(out, &at);
			break;
		case 'S':
		case 'o':
			while (at.left)
				print_string(out, &at);
			break;
		case 'm':
			print_bitmap(out, &at);
			break;
		case 'k':
			if (at.left)
				print_field(out, 'b', &at);
			break;
		case '*':
			return rdata_special_find(row->type)->print(out, at.p,
								    at.left);
		default:
			print_field(out, *f, &at);
		}
	}
	return true;
}

static void print_generic(struct rdata_output *out, const uint8_t *rdata,
			  size_t len)
{
	out->len = 0;
	output_format(out, "\\# %zu", len);
	if (!len)
		return;
	output_field(out);
	output_hex(out, rdata, len);
}

char *rdata_to_text(uint16_t type, const uint8_t *rdata, size_t len)
{
	const struct dns_type *row = dns_type_find(type);
	struct rdata_output out = {0};

	if (!row || !row->form || !print_form(&out, row, rdata, len))
		print_generic(&out, rdata, len);
	return output_take(&out);
}
