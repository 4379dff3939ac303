/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Presentation text that grows: fields with one space between them. A failed
 * allocation is remembered, so that callers ask once, at the end.
 */
#ifndef ZONE_RDATA_OUTPUT_H
#define ZONE_RDATA_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rdata_output {
	char *text;
	size_t len, size;
	bool failed; /* memory ran out: text is freed and NULL */
};

/* The text, ended by a NUL; the caller frees it. NULL when memory ran out. */
char *output_take(struct rdata_output *out);

/* Starts a field: a space, but not in front of the first one. */
void output_field(struct rdata_output *out);

/* Appends to the field. */
void output_raw(struct rdata_output *out, const char *text, size_t len);
__attribute__((format(printf, 2, 3))) void
output_format(struct rdata_output *out, const char *format, ...);
void output_name(struct rdata_output *out, const uint8_t *name);
void output_quoted(struct rdata_output *out, const uint8_t *text, size_t len);
void output_ipv4(struct rdata_output *out, const uint8_t *address);
void output_ipv6(struct rdata_output *out, const uint8_t *address);
void output_hex(struct rdata_output *out, const uint8_t *octets, size_t len);
void output_base64(struct rdata_output *out, const uint8_t *octets, size_t len);
void output_base32hex(struct rdata_output *out, const uint8_t *octets,
		      size_t len);

#endif
