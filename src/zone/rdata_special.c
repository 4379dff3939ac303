/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * IPSECKEY (RFC 4025), AMTRELAY (RFC 8777), HIP (RFC 8005) and APL (RFC 3123):
 * what a field is depends on one before it. Plus the table of all such types.
 */
#include "zone/rdata_special.h"

#include <string.h>

#include "base/octets.h"
#include "dns/name.h"
#include "dns/type.h"
#include "zone/loc.h"
#include "zone/rdata_legacy.h"
#include "zone/svcb.h"

static const char cut_short[] = "RDATA ends too early";

/*
 * The gateway of IPSECKEY and the relay of AMTRELAY have the same four kinds
 * (RFC 4025 section 2.3, RFC 8777 section 4.2.3).
 */
enum gateway {
	GATEWAY_NONE, /* "." in text, nothing on the wire */
	GATEWAY_IPV4,
	GATEWAY_IPV6,
	GATEWAY_NAME,
};

static int gateway_read(struct rdata_input *in, uint64_t kind)
{
	switch (kind) {
	case GATEWAY_NONE:
		if (input_word(in, "'.'"))
			return -EINVAL;
		if (in->token.len != 1 || *in->token.text != '.')
			return input_bad(in, "gateway (type 0 has only '.')");
		input_next(in);
		return 0;
	case GATEWAY_IPV4:
		return input_ipv4(in);
	case GATEWAY_IPV6:
		return input_ipv6(in);
	case GATEWAY_NAME:
		return input_name(in);
	default:
		return input_fail(in,
				  "gateway type %llu has no text form: use \\#",
				  (unsigned long long)kind);
	}
}

/* Octets of a gateway; -EBADMSG when they are not there. */
static int gateway_len(unsigned kind, const uint8_t *p, size_t left)
{
	static const uint8_t size[] = {0, 4, 16};

	if (kind == GATEWAY_NAME)
		return dns_name_check(p, left);
	if (kind > GATEWAY_NAME || left < size[kind])
		return -EBADMSG;
	return size[kind];
}

static void gateway_print(struct rdata_output *out, unsigned kind,
			  const uint8_t *p)
{
	output_field(out);
	if (kind == GATEWAY_IPV4)
		output_ipv4(out, p);
	else if (kind == GATEWAY_IPV6)
		output_ipv6(out, p);
	else if (kind == GATEWAY_NAME)
		output_name(out, p);
	else
		output_raw(out, ".", 1);
}

static int ipseckey_read(struct rdata_input *in)
{
	uint64_t kind;

	if (input_number(in, 1) || input_get_number(in, UINT8_MAX, &kind))
		return -EINVAL;
	if (input_number(in, 1) || input_number(in, 1) ||
	    gateway_read(in, kind))
		return -EINVAL;
	return input_base64(in); /* none with algorithm 0 */
}

static const char *ipseckey_fault(const uint8_t *rdata, size_t len)
{
	int gateway;

	if (len < 3)
		return cut_short;
	gateway = gateway_len(rdata[1], rdata + 3, len - 3);
	if (gateway < 0)
		return "bad gateway";
	if (rdata[2] && len == 3 + (size_t)gateway)
		return "public key is missing";
	return NULL;
}

static bool ipseckey_print(struct rdata_output *out, const uint8_t *rdata,
			   size_t len)
{
	size_t at = 3 + (size_t)gateway_len(rdata[1], rdata + 3, len - 3);

	output_format(out, "%u %u %u", rdata[0], rdata[1], rdata[2]);
	gateway_print(out, rdata[1], rdata + 3);
	if (at < len) {
		output_field(out);
		output_base64(out, rdata + at, len - at);
	}
	return true;
}

#define AMTRELAY_DISCOVERY 0x80 /* above seven bits of relay type */

static int amtrelay_read(struct rdata_input *in)
{
	uint64_t discovery, kind;

	if (input_number(in, 1) || input_get_number(in, 1, &discovery))
		return -EINVAL;
	input_next(in);
	if (input_get_number(in, 127, &kind))
		return -EINVAL;
	input_next(in);
	if (input_put_number(in, kind | discovery * AMTRELAY_DISCOVERY, 1))
		return -EINVAL;
	return gateway_read(in, kind);
}

static const char *amtrelay_fault(const uint8_t *rdata, size_t len)
{
	unsigned kind;
	int relay;

	if (len < 2)
		return cut_short;
	kind = rdata[1] & ~(unsigned)AMTRELAY_DISCOVERY;
	if (kind > GATEWAY_NAME)
		return NULL; /* not ours to know, RFC 8777 section 4.2.3 */
	relay = gateway_len(kind, rdata + 2, len - 2);
	return relay < 0 || (size_t)relay != len - 2 ? "bad relay" : NULL;
}

static bool amtrelay_print(struct rdata_output *out, const uint8_t *rdata,
			   size_t len)
{
	unsigned kind = rdata[1] & ~(unsigned)AMTRELAY_DISCOVERY;

	(void)len;
	if (kind > GATEWAY_NAME)
		return false;
	output_format(out, "%u %u %u", rdata[0], rdata[1] >> 7, kind);
	gateway_print(out, kind, rdata + 2);
	return true;
}

/* HIT length 1 | algorithm 1 | key length 2 | HIT | key | server names */
static int hip_read(struct rdata_input *in)
{
	size_t at = in->len, hit, key;

	if (input_put(in, "\0", 1) || input_number(in, 1) ||
	    input_put(in, "\0", 2))
		return -EINVAL;
	hit = in->len;
	if (input_hex_word(in))
		return -EINVAL;
	key = in->len;
	if (key - hit > UINT8_MAX)
		return input_fail(in, "host identity tag over 255 octets");
	if (input_base64_word(in))
		return -EINVAL;
	in->out[at] = (uint8_t)(key - hit);
	put_u16(in->out + at + 2, (uint16_t)(in->len - key));
	while (input_more(in))
		if (input_name(in))
			return -EINVAL;
	return 0;
}

static const char *hip_fault(const uint8_t *rdata, size_t len)
{
	size_t at;

	if (len < 4)
		return cut_short;
	if (!rdata[0] || !get_u16(rdata + 2))
		return "host identity tag or key is empty";
	at = 4u + rdata[0] + get_u16(rdata + 2);
	if (at > len)
		return cut_short;
	while (at < len) {
		int name = dns_name_check(rdata + at, len - at);

		if (name < 0)
			return "bad name of a rendezvous server";
		at += (size_t)name;
	}
	return NULL;
}

static bool hip_print(struct rdata_output *out, const uint8_t *rdata,
		      size_t len)
{
	size_t key = get_u16(rdata + 2), at = 4u + rdata[0];

	output_format(out, "%u ", rdata[1]);
	output_hex(out, rdata + 4, rdata[0]);
	output_field(out);
	output_base64(out, rdata + at, key);
	for (at += key; at < len; at += dns_name_len(rdata + at)) {
		output_field(out);
		output_name(out, rdata + at);
	}
	return true;
}

/* Address families of APL: octets of an address, 0 for one not known. */
static unsigned apl_size(unsigned family)
{
	return family == 1 ? 4 : family == 2 ? 16 : 0;
}

#define APL_NOT 0x80 /* above seven bits of length */

/* [!]family:address/prefix; the address without its trailing zero octets. */
static int apl_item(struct rdata_input *in, uint8_t out[4 + 16])
{
	const char *p = in->token.text, *end = p + in->token.len;
	const char *colon, *slash;
	uint64_t family, prefix;
	uint8_t negation = *p == '!' ? APL_NOT : 0;
	unsigned len;

	p += negation != 0;
	colon = memchr(p, ':', (size_t)(end - p));
	slash = memchr(p, '/', (size_t)(end - p));
	if (!colon || !slash || slash < colon ||
	    rdata_number(p, (size_t)(colon - p), 2, &family) || !family)
		return -EINVAL;
	len = apl_size((unsigned)family);
	if (rdata_number(slash + 1, (size_t)(end - slash - 1), len * 8,
			 &prefix))
		return -EINVAL;
	p = colon + 1;
	if (family == 1 ? !rdata_ipv4(out + 4, p, (size_t)(slash - p))
			: !rdata_ipv6(out + 4, p, (size_t)(slash - p)))
		return -EINVAL;
	while (len && !out[4 + len - 1])
		len--;
	put_u16(out, (uint16_t)family);
	out[2] = (uint8_t)prefix;
	out[3] = (uint8_t)(len | negation);
	return (int)len + 4;
}

/* RFC 3123 section 5; no item at all is right. */
static int apl_read(struct rdata_input *in)
{
	while (input_more(in)) {
		uint8_t item[4 + 16];
		int len;

		if (input_word(in, "address prefix"))
			return -EINVAL;
		len = apl_item(in, item);
		if (len < 0)
			return input_bad(in, "address prefix");
		if (input_put(in, item, (size_t)len))
			return -EINVAL;
		input_next(in);
	}
	return 0;
}

/* RFC 3123 section 4 */
static const char *apl_fault(const uint8_t *rdata, size_t len)
{
	while (len) {
		unsigned size, address;

		if (len < 4)
			return cut_short;
		size = apl_size(get_u16(rdata));
		address = rdata[3] & ~(unsigned)APL_NOT;
		if (len - 4 < address)
			return cut_short;
		if (size && (address > size || rdata[2] > size * 8))
			return "address or prefix longer than its family has";
		if (size && address && !rdata[3 + address])
			return "address ends in a zero octet";
		rdata += 4 + address;
		len -= 4 + address;
	}
	return NULL;
}

static bool apl_print(struct rdata_output *out, const uint8_t *rdata,
		      size_t len)
{
	const uint8_t *end = rdata + len;

	for (const uint8_t *p = rdata; p < end; p += 4 + (p[3] & 0x7f))
		if (!apl_size(get_u16(p)))
			return false;
	while (rdata < end) {
		unsigned family = get_u16(rdata), size = rdata[3] & 0x7f;
		uint8_t address[16] = {0};

		memcpy(address, rdata + 4, size);
		output_field(out);
		output_format(out, "%s%u:", rdata[3] & APL_NOT ? "!" : "",
			      family);
		if (family == 1)
			output_ipv4(out, address);
		else
			output_ipv6(out, address);
		output_format(out, "/%u", rdata[2]);
		rdata += 4 + size;
	}
	return true;
}

static const struct rdata_special specials[] = {
    {DNS_TYPE_SVCB, svcb_read, svcb_fault, svcb_print},
    {DNS_TYPE_HTTPS, svcb_read, svcb_fault, svcb_print},
    {DNS_TYPE_APL, apl_read, apl_fault, apl_print},
    {DNS_TYPE_IPSECKEY, ipseckey_read, ipseckey_fault, ipseckey_print},
    {DNS_TYPE_AMTRELAY, amtrelay_read, amtrelay_fault, amtrelay_print},
    {DNS_TYPE_HIP, hip_read, hip_fault, hip_print},
    {DNS_TYPE_LOC, loc_read, loc_fault, loc_print},
    {DNS_TYPE_WKS, wks_read, wks_fault, wks_print},
    {DNS_TYPE_NSAP, nsap_read, nsap_fault, nsap_print},
    {DNS_TYPE_ATMA, atma_read, atma_fault, atma_print},
};

const struct rdata_special *rdata_special_find(uint16_t type)
{
	for (size_t i = 0; i < sizeof(specials) / sizeof(specials[0]); i++)
		if (specials[i].type == type)
			return &specials[i];
	return NULL;
}
