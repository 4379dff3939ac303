/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Wire form against the form of its type, then against what the type's RFC
 * says of sizes. Everything that becomes part of a zone comes through here:
 * what was read from text, what was given in the generic form, what a primary
 * sent. Later code reads RDATA without looking at bounds again.
 */
#include "zone/rdata_check.h"

#include <string.h>

#include "base/octets.h"
#include "dns/name.h"
#include "dns/type.h"
#include "zone/bitmap.h"
#include "zone/rdata_special.h"

struct cursor {
	const uint8_t *p;
	size_t left;
};

static const char cut_short[] = "RDATA ends too early";

static const char *skip(struct cursor *at, size_t len)
{
	if (at->left < len)
		return cut_short;
	at->p += len;
	at->left -= len;
	return NULL;
}

static const char *skip_name(struct cursor *at)
{
	int len = dns_name_check(at->p, at->left);

	if (len < 0)
		return "bad or compressed name in RDATA";
	return skip(at, (size_t)len);
}

/* What lies behind a length octet. */
static const char *skip_string(struct cursor *at)
{
	return skip(at, at->left ? at->p[0] + 1u : 1);
}

static const char *skip_strings(struct cursor *at)
{
	const char *fault = skip_string(at);

	while (!fault && at->left)
		fault = skip_string(at);
	return fault;
}

/* RFC 8659 section 4.1: ASCII letters and digits, at least one. */
static const char *skip_tag(struct cursor *at)
{
	const uint8_t *tag = at->p;
	const char *fault = skip_string(at);

	if (fault)
		return fault;
	for (unsigned i = 1; i <= tag[0]; i++) {
		uint8_t c = dns_lower[tag[i]];

		if ((c < 'a' || c > 'z') && (c < '0' || c > '9'))
			return "tag is not letters and digits";
	}
	return tag[0] ? NULL : "tag is empty";
}

static const char *skip_hash(struct cursor *at)
{
	if (at->left && !at->p[0])
		return "hash is empty";
	return skip_string(at);
}

static const char *skip_rest(struct cursor *at, bool empty)
{
	return at->left || empty ? skip(at, at->left) : cut_short;
}

static const char *skip_bitmap(struct cursor *at)
{
	if (!bitmap_is_valid(at->p, at->left))
		return "bad type bitmap";
	return skip(at, at->left);
}

static const char *skip_special(struct cursor *at, uint16_t type)
{
	const char *fault = rdata_special_find(type)->fault(at->p, at->left);

	return fault ? fault : skip(at, at->left);
}

static const char *skip_field(struct cursor *at, char letter, uint16_t type)
{
	switch (letter) {
	case 'n':
	case 'N':
		return skip_name(at);
	case '1':
	case 'g':
	case 'd':
		return skip(at, 1);
	case '2':
	case 'y':
	case 'c':
		return skip(at, 2);
	case '4':
	case 'p':
	case 't':
	case 'a':
		return skip(at, 4);
	case 'e':
		return skip(at, 6);
	case '8':
	case 'E':
	case 'l':
		return skip(at, 8);
	case 'A':
		return skip(at, 16);
	case 's':
	case 'h':
		return skip_string(at);
	case 'o':
		return at->left ? skip_string(at) : NULL;
	case 'S':
		return skip_strings(at);
	case 'T':
		return skip_tag(at);
	case 'H':
		return skip_hash(at);
	case 'b':
	case 'x':
		return skip_rest(at, false);
	case 'v':
	case 'k':
	case 'B':
		return skip_rest(at, true);
	case 'm':
		return skip_bitmap(at);
	default:
		return skip_special(at, type);
	}
}

/* RFC 4034 5.1.4, RFC 4509, RFC 5933, RFC 6605, RFC 9558, RFC 9563 */
static const char *ds_fault(const uint8_t *rdata, size_t len)
{
	static const uint8_t size[] = {0, 20, 32, 32, 48, 32, 32};
	uint8_t digest = rdata[3];

	if (digest < sizeof(size) && size[digest] && len - 4 != size[digest])
		return "digest has the wrong length for its type";
	return NULL;
}

/* RFC 8078 section 4: algorithm 0 is the wish to delete, in one form only. */
static const char *cds_fault(const uint8_t *rdata, size_t len)
{
	if (rdata[2])
		return ds_fault(rdata, len);
	return len == 5 && !memcmp(rdata, "\0\0\0\0", 5)
		   ? NULL
		   : "algorithm 0 is for '0 0 0 00' only";
}

static const char *cdnskey_fault(const uint8_t *rdata, size_t len)
{
	if (rdata[3])
		return NULL;
	return len == 5 && !memcmp(rdata, "\0\0\3\0", 5)
		   ? NULL
		   : "algorithm 0 is for '0 3 0 AA==' only";
}

/* RFC 4255 3.1.2, RFC 6594 */
static const char *sshfp_fault(const uint8_t *rdata, size_t len)
{
	if ((rdata[1] == 1 && len != 2 + 20) ||
	    (rdata[1] == 2 && len != 2 + 32))
		return "fingerprint has the wrong length for its type";
	return NULL;
}

/* RFC 8976 sections 2.2.3 and 2.2.4 */
static const char *zonemd_fault(const uint8_t *rdata, size_t len)
{
	size_t digest = len - 6;

	if (digest < 12 || (rdata[5] == 1 && digest != 48) ||
	    (rdata[5] == 2 && digest != 64))
		return "digest has the wrong length for its algorithm";
	return NULL;
}

/* RFC 5155 section 5: a SHA-1 hash has 20 octets. */
static const char *nsec3_fault(const uint8_t *rdata)
{
	const uint8_t *hash = rdata + 5 + rdata[4];

	return rdata[0] == 1 && hash[0] != 20 ? "SHA-1 hash is not 20 octets"
					      : NULL;
}

/* What the RFC of a type demands of RDATA that has the right form. */
static const char *rule_fault(uint16_t type, const uint8_t *rdata, size_t len)
{
	switch (type) {
	case DNS_TYPE_DS:
	case DNS_TYPE_TA:
	case DNS_TYPE_DLV:
		return ds_fault(rdata, len);
	case DNS_TYPE_CDS:
		return cds_fault(rdata, len);
	case DNS_TYPE_CDNSKEY:
		return cdnskey_fault(rdata, len);
	case DNS_TYPE_SSHFP:
		return sshfp_fault(rdata, len);
	case DNS_TYPE_ZONEMD:
		return zonemd_fault(rdata, len);
	case DNS_TYPE_NSEC3:
		return nsec3_fault(rdata);
	case DNS_TYPE_NSEC:
		return len == dns_name_len(rdata) ? "no types" : NULL;
	case DNS_TYPE_RRSIG:
		/* RFC 2931 section 2.4: that is SIG(0), not zone data. */
		return get_u16(rdata) ? NULL : "type covered is 0";
	case DNS_TYPE_URI:
		/* RFC 7553 section 4.5 */
		return len == 4 ? "target is empty" : NULL;
	default:
		return NULL;
	}
}

const char *rdata_fault(uint16_t type, const uint8_t *rdata, size_t len)
{
	const struct dns_type *row = dns_type_find(type);
	struct cursor at = {rdata, len};
	const char *fault = NULL;

	if (len > RDATA_MAX)
		return "RDATA over 65535 octets";
	if (!row || !row->form)
		return NULL;
	for (const char *f = row->form; *f && !fault; f++)
		fault = skip_field(&at, *f, type);
	if (fault)
		return fault;
	if (at.left)
		return "octets behind the end of RDATA";
	return rule_fault(type, rdata, len);
}

int rdata_check(uint16_t type, const uint8_t *rdata, size_t len)
{
	return rdata_fault(type, rdata, len) ? -EBADMSG : 0;
}
