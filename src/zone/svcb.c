/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SvcParams from text. A value passes two layers: the character-string, whose
 * escapes are undone first, and for lists the commas, with escapes of their
 * own (RFC 9460 appendix A.1). Parameters are put in their place as they come;
 * whether they fit together is svcb_fault()'s to say, for all ways in.
 */
#include "zone/svcb.h"

#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "base/octets.h"
#include "zone/svcb_key.h"

#define PARAM_HEADER 4

/* A value behind the first layer of escapes, and what is left of it. */
struct value {
	const char *text;
	size_t len;
};

/* The part in front of the next comma, without escapes; false at the end. */
static bool next_item(struct value *list, struct value *item)
{
	const char *comma;

	if (!list->text)
		return false;
	item->text = list->text;
	comma = memchr(list->text, ',', list->len);
	if (!comma) {
		item->len = list->len;
		list->text = NULL;
		return true;
	}
	item->len = (size_t)(comma - list->text);
	list->text = comma + 1;
	list->len -= item->len + 1;
	return true;
}

static int put_port(struct rdata_input *in, struct value value)
{
	uint64_t port;

	if (rdata_number(value.text, value.len, UINT16_MAX, &port))
		return input_fail(in, "port is not a number from 0 to 65535");
	return input_put_number(in, port, 2);
}

static int put_groups(struct rdata_input *in, struct value list)
{
	struct value item;
	uint64_t group;

	while (next_item(&list, &item)) {
		if (rdata_number(item.text, item.len, UINT16_MAX, &group))
			return input_fail(in, "bad group in "
					      "tls-supported-groups");
		if (input_put_number(in, group, 2))
			return -EINVAL;
	}
	return 0;
}

static int put_addresses(struct rdata_input *in, struct value list, bool ipv6)
{
	uint8_t address[16];
	struct value item;

	while (next_item(&list, &item)) {
		if (ipv6 ? !rdata_ipv6(address, item.text, item.len)
			 : !rdata_ipv4(address, item.text, item.len))
			return input_fail(in, "bad address in %s",
					  ipv6 ? "ipv6hint" : "ipv4hint");
		if (input_put(in, address, ipv6 ? 16 : 4))
			return -EINVAL;
	}
	return 0;
}

static int put_ech(struct rdata_input *in, struct value value)
{
	struct base64_state state = {0};
	int len = base64_feed(&state, in->out + in->len, RDATA_MAX - in->len,
			      value.text, value.len);

	if (len < 0 || base64_end(&state))
		return input_fail(in, "bad base64 in ech");
	in->len += (size_t)len;
	return 0;
}

/* A comma or backslash of an item is escaped by a backslash, nothing else. */
static int item_octet(struct value *list)
{
	if (*list->text == '\\') {
		list->text++;
		list->len--;
		if (!list->len || !strchr(",\\", *list->text))
			return -EINVAL;
	}
	list->len--;
	return (uint8_t)*list->text++;
}

/* Items behind a length octet each: alpn, docpath. */
static int put_strings(struct rdata_input *in, struct value list,
		       const char *key)
{
	while (list.len) {
		uint8_t item[1 + UINT8_MAX];
		unsigned len = 0;

		while (list.len && *list.text != ',') {
			int octet = item_octet(&list);

			if (octet < 0)
				return input_fail(in, "bad escape in %s", key);
			if (len == UINT8_MAX)
				return input_fail(in,
						  "part of %s over 255 "
						  "octets",
						  key);
			item[++len] = (uint8_t)octet;
		}
		item[0] = (uint8_t)len;
		if (input_put(in, item, len + 1))
			return -EINVAL;
		if (!list.len)
			break;
		list.text++;
		/* A comma at the end has an empty item behind it. */
		if (!--list.len)
			return input_put(in, "\0", 1);
	}
	return 0;
}

static int key_cmp(const void *a, const void *b)
{
	return memcmp(a, b, 2);
}

/* Keys in ascending order; one given twice is left for svcb_fault(). */
static int put_mandatory(struct rdata_input *in, struct value list)
{
	size_t at = in->len;
	struct value item;

	while (next_item(&list, &item)) {
		int key = svcb_key_from_text(item.text, item.len);

		if (key < 0)
			return input_fail(in, "bad key in mandatory");
		if (input_put_number(in, (uint64_t)key, 2))
			return -EINVAL;
	}
	qsort(in->out + at, (in->len - at) / 2, 2, key_cmp);
	return 0;
}

static int put_value(struct rdata_input *in, int key, struct value value)
{
	switch (key) {
	case SVCB_MANDATORY:
		return put_mandatory(in, value);
	case SVCB_ALPN:
		return put_strings(in, value, "alpn");
	case SVCB_PORT:
		return put_port(in, value);
	case SVCB_IPV4HINT:
		return put_addresses(in, value, false);
	case SVCB_ECH:
		return put_ech(in, value);
	case SVCB_IPV6HINT:
		return put_addresses(in, value, true);
	case SVCB_TLS_GROUPS:
		return put_groups(in, value);
	case SVCB_DOCPATH:
		return put_strings(in, value, "docpath");
	default:
		return input_put(in, value.text, value.len);
	}
}

/* The first layer: the token's escapes undone. */
static int put_token(struct rdata_input *in, int key, const char *text,
		     size_t len)
{
	uint8_t raw[RDATA_MAX];
	int raw_len = escape_decode(raw, sizeof(raw), text, len);

	if (raw_len < 0)
		return input_bad(in, raw_len == -ENOSPC ? "value (too long)"
							: "escape in");
	return put_value(in, key,
			 (struct value){(const char *)raw, (size_t)raw_len});
}

/*
 * The key in front of the value, and a length of 0. *format is how to read the
 * value: keyNNN has the octets themselves even where the key has a name (RFC
 * 9460 section 2.1).
 */
static int read_key(struct rdata_input *in, size_t len, int *key, int *format)
{
	const char *text = in->token.text;

	*key = svcb_key_from_text(text, len);
	if (*key < 0)
		return input_bad(in, "SvcParam");
	*format = len > 3 && !memcmp(text, "key", 3) ? SVCB_INVALID : *key;
	if (input_put_number(in, (uint64_t)*key, 2))
		return -EINVAL;
	return input_put(in, "\0", 2);
}

/* key, key=value, or key= with the quoted value as the next token. */
static int read_param(struct rdata_input *in, int *key)
{
	const char *text = in->token.text;
	const char *equals = memchr(text, '=', in->token.len);
	size_t len = equals ? (size_t)(equals - text) : in->token.len;
	size_t value_len = equals ? in->token.len - len - 1 : 0;
	int format = SVCB_INVALID;

	if (read_key(in, len, key, &format))
		return -EINVAL;
	if (value_len && put_token(in, format, equals + 1, value_len))
		return -EINVAL;
	input_next(in);
	if (equals && !value_len && in->kind == SCAN_QUOTED &&
	    in->token.glued) {
		if (put_token(in, format, in->token.text, in->token.len))
			return -EINVAL;
		input_next(in);
	} else if (!value_len && !svcb_key_may_be_empty(*key)) {
		return input_fail(in, "%s needs a value", svcb_key_name(*key));
	}
	if (input_more(in) && in->token.glued)
		return input_bad(in, "SvcParam, no white space before");
	return 0;
}

/* Moves the parameter at last, the end of RDATA, to its place by key. */
static int sort_in(struct rdata_input *in, size_t first, size_t last, int key)
{
	uint8_t param[RDATA_MAX];
	size_t at = first, len = in->len - last;

	while (at < last && get_u16(in->out + at) < key)
		at += PARAM_HEADER + get_u16(in->out + at + 2);
	if (at == last)
		return 0;
	if (get_u16(in->out + at) == key)
		return input_fail(in, "key%d is there twice", key);
	memcpy(param, in->out + last, len);
	memmove(in->out + at + len, in->out + at, last - at);
	memcpy(in->out + at, param, len);
	return 0;
}

int svcb_read(struct rdata_input *in)
{
	size_t first = in->len, highest = 0;
	const char *fault;

	while (input_more(in)) {
		size_t at = in->len;
		int key;

		if (input_word(in, "SvcParam") || read_param(in, &key))
			return -EINVAL;
		put_u16(in->out + at + 2, (uint16_t)(in->len - at - 4));
		if (at > first && (size_t)key <= highest) {
			if (sort_in(in, first, at, key))
				return -EINVAL;
		} else {
			highest = (size_t)key;
		}
	}
	if (in->kind == SCAN_ERROR)
		return input_end(in);
	fault = svcb_fault(in->out + first, in->len - first);
	return fault ? input_fail(in, "%s", fault) : 0;
}
