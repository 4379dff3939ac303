/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Domain names in wire form. Length octets are at most 63 and so lie below
 * 'A': a whole name can be folded to lower case octet by octet without taking
 * it apart.
 */
#include "dns/name.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/codec.h"
#include "dns/fold.h"

/* clang-format off */
#define ROW(n)                                                                 \
	n + 0, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7, n + 8, n + 9,  \
		n + 10, n + 11, n + 12, n + 13, n + 14, n + 15

const uint8_t dns_lower[256] = {
	ROW(0x00), ROW(0x10), ROW(0x20), ROW(0x30), 0x40,
	'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm',
	'n', 'o', 'p', 'q', 'r', 's', 't', 'u', 'v', 'w', 'x', 'y', 'z',
	0x5b, 0x5c, 0x5d, 0x5e, 0x5f,
	ROW(0x60), ROW(0x70), ROW(0x80), ROW(0x90), ROW(0xa0), ROW(0xb0),
	ROW(0xc0), ROW(0xd0), ROW(0xe0), ROW(0xf0),
};
/* clang-format on */

size_t dns_name_len(const uint8_t *name)
{
	const uint8_t *p = name;

	while (*p)
		p += *p + 1;
	return (size_t)(p - name) + 1;
}

int dns_name_check(const uint8_t *p, size_t max)
{
	size_t pos = 0;

	if (max > DNS_NAME_MAX)
		max = DNS_NAME_MAX;
	while (pos < max) {
		if (p[pos] > DNS_LABEL_MAX)
			return -EBADMSG;
		if (!p[pos])
			return (int)pos + 1;
		pos += p[pos] + 1u;
	}
	return -EBADMSG;
}

unsigned dns_name_label_nr(const uint8_t *name)
{
	unsigned nr = 0;

	for (; *name; name += *name + 1)
		nr++;
	return nr;
}

bool dns_name_eq(const uint8_t *a, const uint8_t *b)
{
	size_t len = dns_name_len(a);

	return dns_name_len(b) == len && dns_fold_eq(a, b, len);
}

/* Offsets of the labels of a name, left to right; returns how many. */
static unsigned label_offsets(const uint8_t *name, uint8_t off[DNS_LABELS_MAX])
{
	unsigned nr = 0;
	const uint8_t *p;

	for (p = name; *p; p += *p + 1)
		off[nr++] = (uint8_t)(p - name);
	return nr;
}

static int label_cmp(const uint8_t *a, const uint8_t *b)
{
	unsigned len = *a < *b ? *a : *b;

	for (unsigned i = 1; i <= len; i++) {
		int diff = dns_lower[a[i]] - dns_lower[b[i]];

		if (diff)
			return diff;
	}
	return *a - *b;
}

int dns_name_cmp(const uint8_t *a, const uint8_t *b)
{
	uint8_t a_off[DNS_LABELS_MAX], b_off[DNS_LABELS_MAX];
	unsigned a_nr = label_offsets(a, a_off);
	unsigned b_nr = label_offsets(b, b_off);

	while (a_nr && b_nr) {
		int diff = label_cmp(a + a_off[--a_nr], b + b_off[--b_nr]);

		if (diff)
			return diff;
	}
	return (int)a_nr - (int)b_nr;
}

int dns_name_suffix(const uint8_t *name, const uint8_t *ancestor)
{
	return dns_fold_suffix(name, dns_name_len(name), ancestor,
			       dns_name_len(ancestor));
}

size_t dns_name_lower(uint8_t *out, const uint8_t *name)
{
	size_t len = dns_name_len(name);

	dns_fold_copy(out, name, len);
	return len;
}

static int name_append_origin(uint8_t *out, size_t pos, const uint8_t *origin)
{
	size_t len = origin ? dns_name_len(origin) : 1;

	if (pos + len > DNS_NAME_MAX)
		return -ENAMETOOLONG;
	if (origin)
		memcpy(out + pos, origin, len);
	else
		out[pos] = 0;
	return (int)(pos + len);
}

/*
 * One label with the dot behind it. Returns the octets written, its length
 * octet included; *dot tells whether a dot ended it.
 */
static int label_from_text(uint8_t *out, const char **p, const char *end,
			   bool *dot)
{
	size_t len = 0;

	*dot = false;
	while (*p < end) {
		int c;

		if (**p == '.') {
			*dot = true;
			(*p)++;
			break;
		}
		c = *(*p)++ & 0xff;
		if (c == '\\')
			c = escape_octet(p, end);
		if (c < 0)
			return c;
		if (len == DNS_LABEL_MAX)
			return -ENAMETOOLONG;
		out[++len] = (uint8_t)c;
	}
	if (!len)
		return -EINVAL;
	out[0] = (uint8_t)len;
	return (int)len + 1;
}

int dns_name_from_text(uint8_t *out, const char *text, size_t text_len,
		       const uint8_t *origin)
{
	const char *p = text, *end = text + text_len;
	uint8_t label[DNS_LABEL_MAX + 1];
	size_t pos = 0;
	bool dot = false;

	if (!text_len)
		return -EINVAL;
	if (text_len == 1 && *text == '.') {
		out[0] = 0;
		return 1;
	}
	if (text_len == 1 && *text == '@' && origin)
		return name_append_origin(out, 0, origin);
	while (p < end) {
		int len = label_from_text(label, &p, end, &dot);

		if (len < 0)
			return len;
		if (pos + (size_t)len >= DNS_NAME_MAX)
			return -ENAMETOOLONG;
		memcpy(out + pos, label, (size_t)len);
		pos += (size_t)len;
	}
	return name_append_origin(out, pos, dot ? NULL : origin);
}

static char *octet_to_text(char *out, uint8_t c)
{
	if (c <= ' ' || c >= 0x7f)
		return out + sprintf(out, "\\%03u", c);
	if (strchr(".;()\"\\@$", c))
		*out++ = '\\';
	*out++ = (char)c;
	return out;
}

size_t dns_name_to_text(char out[DNS_NAME_TEXT_MAX], const uint8_t *name)
{
	char *p = out;

	if (!*name)
		*p++ = '.';
	for (; *name; name += *name + 1) {
		for (unsigned i = 1; i <= *name; i++)
			p = octet_to_text(p, name[i]);
		*p++ = '.';
	}
	*p = '\0';
	return (size_t)(p - out);
}
