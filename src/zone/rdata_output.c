/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Growing text: every writer asks for its largest size first, then writes in
 * place.
 */
#include "zone/rdata_output.h"

#include <arpa/inet.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "dns/name.h"

/* Where room characters can be written, NULL when memory is out. */
static char *reserve(struct rdata_output *out, size_t room)
{
	size_t size = out->size ? out->size : 256;
	char *text;

	if (out->failed)
		return NULL;
	if (out->size - out->len > room)
		return out->text + out->len;
	while (size - out->len <= room)
		size *= 2;
	text = realloc(out->text, size);
	if (!text) {
		free(out->text);
		*out = (struct rdata_output){.failed = true};
		return NULL;
	}
	out->text = text;
	out->size = size;
	return text + out->len;
}

char *output_take(struct rdata_output *out)
{
	char *end = reserve(out, 1), *text = out->text;

	if (!end)
		return NULL;
	*end = '\0';
	*out = (struct rdata_output){0};
	return text;
}

void output_raw(struct rdata_output *out, const char *text, size_t len)
{
	char *p = reserve(out, len);

	if (!p)
		return;
	memcpy(p, text, len);
	out->len += len;
}

void output_field(struct rdata_output *out)
{
	if (out->len)
		output_raw(out, " ", 1);
}

void output_format(struct rdata_output *out, const char *format, ...)
{
	char *p = reserve(out, 128);
	va_list args;

	if (!p)
		return;
	va_start(args, format);
	out->len += (size_t)vsnprintf(p, 128, format, args);
	va_end(args);
}

void output_name(struct rdata_output *out, const uint8_t *name)
{
	char *p = reserve(out, DNS_NAME_TEXT_MAX);

	if (p)
		out->len += dns_name_to_text(p, name);
}

void output_quoted(struct rdata_output *out, const uint8_t *text, size_t len)
{
	char *p = reserve(out, ESCAPE_LEN(len) + 2), *start = p;

	if (!p)
		return;
	*p++ = '"';
	p += escape_encode(p, text, len);
	*p++ = '"';
	out->len += (size_t)(p - start);
}

void output_ipv4(struct rdata_output *out, const uint8_t *address)
{
	output_format(out, "%u.%u.%u.%u", address[0], address[1], address[2],
		      address[3]);
}

void output_ipv6(struct rdata_output *out, const uint8_t *address)
{
	char text[INET6_ADDRSTRLEN];

	output_format(out, "%s",
		      inet_ntop(AF_INET6, address, text, sizeof(text)));
}

void output_hex(struct rdata_output *out, const uint8_t *octets, size_t len)
{
	char *p = reserve(out, HEX_LEN(len));

	if (p)
		out->len += hex_encode(p, octets, len);
}

void output_base64(struct rdata_output *out, const uint8_t *octets, size_t len)
{
	char *p = reserve(out, BASE64_LEN(len));

	if (p)
		out->len += base64_encode(p, octets, len);
}

void output_base32hex(struct rdata_output *out, const uint8_t *octets,
		      size_t len)
{
	char *p = reserve(out, BASE32HEX_LEN(len));

	if (p)
		out->len += base32hex_encode(p, octets, len);
}
