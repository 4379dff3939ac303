/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Domain names in wire form: labels of 1-63 octets, each behind its length,
 * ended by the root label, 255 octets at most (RFC 1035 sections 2.3.4, 3.1).
 *
 * A "name" in zcdns is such a run of octets, uncompressed and checked; the
 * functions that take one trust it. What comes from outside goes through
 * dns_name_check() or dns_labels_parse() first. Case is kept everywhere and
 * ignored by every comparison (RFC 4343). All functions are pure and may be
 * called from any thread.
 */
#ifndef DNS_NAME_H
#define DNS_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DNS_NAME_MAX   255 /* octets, root label included */
#define DNS_LABEL_MAX  63  /* octets in one label */
#define DNS_LABELS_MAX 127 /* labels in one name, root label not counted */

/* Text of the longest name: 254 octets as \DDD would be 4 times as many. */
#define DNS_NAME_TEXT_MAX 1024

/* ASCII lower case of one octet; the other 230 values stay. */
extern const uint8_t dns_lower[256];

/* Length in octets of a checked name. */
size_t dns_name_len(const uint8_t *name);

/*
 * Checks a name at p, of which max octets may be read.
 * Returns its length, or -EBADMSG when it is cut short, longer than 255
 * octets, or has a label that is not of the plain kind (a pointer included).
 */
int dns_name_check(const uint8_t *p, size_t max);

/* Labels in the name, the root label not counted. */
unsigned dns_name_label_nr(const uint8_t *name);

/* Same name, case ignored. */
bool dns_name_eq(const uint8_t *a, const uint8_t *b);

/* Canonical order (RFC 4034 section 6.1): < 0, 0, > 0. */
int dns_name_cmp(const uint8_t *a, const uint8_t *b);

/*
 * Offset in name at which ancestor starts (0 when they are the same name),
 * -1 when ancestor is neither the name nor above it.
 */
int dns_name_suffix(const uint8_t *name, const uint8_t *ancestor);

/* Copies a checked name, in lower case; returns its length. */
size_t dns_name_lower(uint8_t *out, const uint8_t *name);

/*
 * Master file text to a name (RFC 1035 section 5.1): \X and \DDD, a lone "@"
 * is the origin, without a final dot the origin is added. Text is not ended
 * by a NUL. origin NULL: the text must be absolute, or is taken as absolute.
 * Writes at most DNS_NAME_MAX octets to out. Returns the length or
 *   -EINVAL        empty text or label, bad escape
 *   -ENAMETOOLONG  label over 63 or name over 255 octets
 */
int dns_name_from_text(uint8_t *out, const char *text, size_t text_len,
		       const uint8_t *origin);

/*
 * A name as text that dns_name_from_text() reads back, absolute, ended by a
 * NUL. Returns the length without the NUL.
 */
size_t dns_name_to_text(char out[DNS_NAME_TEXT_MAX], const uint8_t *name);

#endif
