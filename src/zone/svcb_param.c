/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SvcParams in wire form: the check, which is the same for text, the generic
 * form and transfers, and the way back to text.
 */
#include "zone/svcb.h"

#include <string.h>

#include "base/codec.h"
#include "base/octets.h"
#include "zone/svcb_key.h"

struct param {
	int key;
	const uint8_t *value;
	size_t len;
};

int svcb_key_from_text(const char *text, size_t len)
{
	int key = rdata_word_find(rdata_svcb_keys, text, len);
	uint64_t number;

	/* Names are lower case and so compared (RFC 9460 section 2.1). */
	for (size_t i = 0; i < len; i++)
		if (text[i] >= 'A' && text[i] <= 'Z')
			return -1;
	if (key >= 0)
		return key;
	if (len < 4 || memcmp(text, "key", 3) || (len > 4 && text[3] == '0') ||
	    rdata_number(text + 3, len - 3, SVCB_INVALID - 1, &number))
		return -1;
	return (int)number;
}

const char *svcb_key_name(int key)
{
	const char *name = rdata_word_of(rdata_svcb_keys, (unsigned)key);

	return name ? name : "keyNNN";
}

bool svcb_key_may_be_empty(int key)
{
	return key == SVCB_NO_DEFAULT_ALPN || key == SVCB_OHTTP ||
	       key >= SVCB_DOCPATH;
}

/* Takes the next parameter off the front; false when its octets are not there.
 */
static bool next_param(const uint8_t **p, size_t *left, struct param *param)
{
	if (*left < 4)
		return false;
	param->key = get_u16(*p);
	param->len = get_u16(*p + 2);
	param->value = *p + 4;
	if (param->len > *left - 4)
		return false;
	*p += 4 + param->len;
	*left -= 4 + param->len;
	return true;
}

static bool has_key(const uint8_t *params, size_t len, int key)
{
	struct param param;

	while (len && next_param(&params, &len, &param))
		if (param.key >= key)
			return param.key == key;
	return false;
}

/* Section 8: ascending, each once, not itself, and all of them there. */
static const char *mandatory_fault(const struct param *param,
				   const uint8_t *params, size_t len)
{
	int last = SVCB_MANDATORY;

	if (!param->len || param->len % 2)
		return "bad length of mandatory";
	/* Both lists ascend: one walk finds all. */
	for (size_t i = 0; i < param->len; i += 2) {
		int key = get_u16(param->value + i);
		struct param other = {.key = -1};

		if (key <= last)
			return "mandatory names itself or a key twice";
		while (len && other.key < key &&
		       next_param(&params, &len, &other))
			;
		if (other.key != key)
			return "mandatory names a key that is not there";
		last = key;
	}
	return NULL;
}

static bool strings_are_valid(const struct param *param, bool empty)
{
	const uint8_t *p = param->value, *end = p + param->len;

	while (p < end) {
		if ((!*p && !empty) || *p >= end - p)
			return false;
		p += *p + 1;
	}
	return true;
}

/*
 * RFC 9461 section 5: a relative URI Template with the variable "dns", so it
 * starts with a slash and has the name between braces.
 */
static bool dohpath_is_valid(const struct param *param)
{
	const uint8_t *p = param->value, *end = p + param->len;
	const uint8_t *open;

	if (!param->len || *p != '/')
		return false;
	while ((open = memchr(p, '{', (size_t)(end - p)))) {
		const uint8_t *close = memchr(open, '}', (size_t)(end - open));

		if (!close)
			return false;
		if (memmem(open, (size_t)(close - open), "dns", 3))
			return true;
		p = close;
	}
	return false;
}

static bool groups_are_valid(const struct param *param)
{
	uint32_t seen[65536 / 32] = {0};

	for (size_t i = 0; i + 1 < param->len; i += 2) {
		unsigned group = get_u16(param->value + i);

		if (seen[group / 32] & 1u << group % 32)
			return false;
		seen[group / 32] |= 1u << group % 32;
	}
	return param->len && param->len % 2 == 0;
}

static const char *value_fault(const struct param *param)
{
	size_t len = param->len;

	switch (param->key) {
	case SVCB_ALPN:
		return len && strings_are_valid(param, false) ? NULL
							      : "bad alpn";
	case SVCB_NO_DEFAULT_ALPN:
		return len ? "no-default-alpn has a value" : NULL;
	case SVCB_PORT:
		return len == 2 ? NULL : "bad port";
	case SVCB_IPV4HINT:
		return len && len % 4 == 0 ? NULL : "bad ipv4hint";
	case SVCB_ECH:
		return len ? NULL : "ech is empty";
	case SVCB_IPV6HINT:
		return len && len % 16 == 0 ? NULL : "bad ipv6hint";
	case SVCB_DOHPATH:
		return dohpath_is_valid(param) ? NULL : "bad dohpath";
	case SVCB_OHTTP:
		return len ? "ohttp has a value" : NULL;
	case SVCB_TLS_GROUPS:
		return groups_are_valid(param) ? NULL
					       : "bad tls-supported-groups";
	case SVCB_DOCPATH:
		return strings_are_valid(param, true) ? NULL : "bad docpath";
	case SVCB_INVALID:
		return "key65535 is reserved";
	default:
		return NULL;
	}
}

const char *svcb_fault(const uint8_t *params, size_t len)
{
	const uint8_t *p = params;
	struct param param;
	size_t left = len;
	int last = -1;

	while (left) {
		const char *fault;

		if (!next_param(&p, &left, &param))
			return "SvcParam ends behind RDATA";
		if (param.key <= last)
			return "SvcParams out of order, or a key twice";
		last = param.key;
		fault = param.key == SVCB_MANDATORY
			    ? mandatory_fault(&param, p, left)
			    : value_fault(&param);
		if (fault)
			return fault;
	}
	/* Section 7.1.1 */
	if (has_key(params, len, SVCB_NO_DEFAULT_ALPN) &&
	    !has_key(params, len, SVCB_ALPN))
		return "no-default-alpn without alpn";
	return NULL;
}

static void print_key(struct rdata_output *out, int key)
{
	const char *name = rdata_word_of(rdata_svcb_keys, (unsigned)key);

	if (name)
		output_format(out, "%s", name);
	else
		output_format(out, "key%d", key);
}

/* Both layers of escapes: first the list's, then those of the quoted text. */
static void print_strings(struct rdata_output *out, const struct param *param)
{
	const uint8_t *p = param->value, *end = p + param->len;
	const char *separator = "";

	output_raw(out, "\"", 1);
	for (; p < end; p += *p + 1) {
		output_format(out, "%s", separator);
		separator = ",";
		for (unsigned i = 1; i <= *p; i++) {
			char text[ESCAPE_LEN(2)];
			uint8_t octet[2] = {'\\', p[i]};
			bool escape = p[i] == ',' || p[i] == '\\';
			size_t len = escape_encode(text, octet + !escape,
						   escape ? 2 : 1);

			output_raw(out, text, len);
		}
	}
	output_raw(out, "\"", 1);
}

static void print_list(struct rdata_output *out, const struct param *param,
		       size_t size)
{
	for (size_t i = 0; i < param->len; i += size) {
		const uint8_t *item = param->value + i;

		if (i)
			output_raw(out, ",", 1);
		if (param->key == SVCB_MANDATORY)
			print_key(out, get_u16(item));
		else if (size == 2)
			output_format(out, "%u", get_u16(item));
		else if (size == 4)
			output_ipv4(out, item);
		else
			output_ipv6(out, item);
	}
}

static void print_value(struct rdata_output *out, const struct param *param)
{
	switch (param->key) {
	case SVCB_MANDATORY:
	case SVCB_PORT:
	case SVCB_TLS_GROUPS:
		print_list(out, param, 2);
		break;
	case SVCB_IPV4HINT:
		print_list(out, param, 4);
		break;
	case SVCB_IPV6HINT:
		print_list(out, param, 16);
		break;
	case SVCB_ECH:
		output_base64(out, param->value, param->len);
		break;
	case SVCB_ALPN:
	case SVCB_DOCPATH:
		print_strings(out, param);
		break;
	default:
		output_quoted(out, param->value, param->len);
	}
}

bool svcb_print(struct rdata_output *out, const uint8_t *params, size_t len)
{
	struct param param;

	while (len && next_param(&params, &len, &param)) {
		/* Text can not tell one empty segment from none. */
		if (param.key == SVCB_DOCPATH && param.len == 1)
			return false;
		output_field(out);
		print_key(out, param.key);
		if (!param.len)
			continue;
		output_raw(out, "=", 1);
		print_value(out, &param);
	}
	return true;
}
