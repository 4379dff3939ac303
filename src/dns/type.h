/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RR types: number, mnemonic, and what lies in their RDATA (IANA registry
 * "Resource Record (RR) TYPEs").
 *
 * The form of an RDATA is written as one letter a field, in wire order:
 *
 *	n  name that RFC 1035 allows to compress (RFC 3597 section 4)
 *	N  name that is never compressed
 *	1 2 4 8  unsigned integer of that many octets
 *	p  period: 4 octets, units allowed in text (SOA timers, RFC 1035 5.1)
 *	t  time: 4 octets, YYYYMMDDHHmmSS or seconds (RFC 4034 section 3.2)
 *	y  RR type, 2 octets, mnemonic in text
 *	a  IPv4 address	 A  IPv6 address
 *	e  EUI: 6 (EUI48) octets; E 8 (EUI64) octets
 *	l  locator: 8 octets as four groups of hex (RFC 6742)
 *	s  one character-string	 S  character-strings to the end, at least one
 *	o  one character-string or none, at the end (ISDN, RFC 1183 3.2)
 *	T  tag: letters and digits behind a length octet (RFC 8659 4.1)
 *	v  text to the end without length octet (URI target, CAA value)
 *	g  DNSSEC algorithm, 1 octet, mnemonic allowed
 *	c  certificate type, 2 octets, mnemonic allowed
 *	d  DSYNC scheme, 1 octet, mnemonic allowed (RFC 9859 section 2.1)
 *	b  base64 to the end	 x  hex to the end, both at least one octet
 *	k  base64 to the end, may be missing (KEY without a key, RFC 2535 3.1.2)
 *	B  base64 to the end, "-" when empty (DOA)
 *	h  salt: hex behind a length octet, "-" when empty (RFC 5155 3.3)
 *	H  hash: base32hex behind a length octet (RFC 5155 section 3.3)
 *	m  type bitmap to the end (RFC 4034 section 4.1.2)
 *	*  anything to the end: code of its own; names in it are not to be
 *	   compressed and dns_rdata_next_name() does not find them
 *
 * A NULL form is RDATA without structure: generic text form only (RFC 3597).
 */
#ifndef DNS_TYPE_H
#define DNS_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dns_rr_type {
	DNS_TYPE_A = 1,
	DNS_TYPE_NS = 2,
	DNS_TYPE_MD = 3,
	DNS_TYPE_MF = 4,
	DNS_TYPE_CNAME = 5,
	DNS_TYPE_SOA = 6,
	DNS_TYPE_NULL = 10,
	DNS_TYPE_WKS = 11,
	DNS_TYPE_PTR = 12,
	DNS_TYPE_MX = 15,
	DNS_TYPE_TXT = 16,
	DNS_TYPE_NSAP = 22,
	DNS_TYPE_SIG = 24,
	DNS_TYPE_KEY = 25,
	DNS_TYPE_AAAA = 28,
	DNS_TYPE_LOC = 29,
	DNS_TYPE_NXT = 30,
	DNS_TYPE_SRV = 33,
	DNS_TYPE_ATMA = 34,
	DNS_TYPE_NAPTR = 35,
	DNS_TYPE_A6 = 38,
	DNS_TYPE_DNAME = 39,
	DNS_TYPE_OPT = 41,
	DNS_TYPE_APL = 42,
	DNS_TYPE_DS = 43,
	DNS_TYPE_SSHFP = 44,
	DNS_TYPE_IPSECKEY = 45,
	DNS_TYPE_RRSIG = 46,
	DNS_TYPE_NSEC = 47,
	DNS_TYPE_DNSKEY = 48,
	DNS_TYPE_NSEC3 = 50,
	DNS_TYPE_NSEC3PARAM = 51,
	DNS_TYPE_HIP = 55,
	DNS_TYPE_CDS = 59,
	DNS_TYPE_CDNSKEY = 60,
	DNS_TYPE_CSYNC = 62,
	DNS_TYPE_ZONEMD = 63,
	DNS_TYPE_SVCB = 64,
	DNS_TYPE_HTTPS = 65,
	DNS_TYPE_NXNAME = 128,
	DNS_TYPE_TSIG = 250,
	DNS_TYPE_IXFR = 251,
	DNS_TYPE_AXFR = 252,
	DNS_TYPE_ANY = 255,
	DNS_TYPE_URI = 256,
	DNS_TYPE_CAA = 257,
	DNS_TYPE_AMTRELAY = 260,
	DNS_TYPE_TA = 32768,
	DNS_TYPE_DLV = 32769,
};

struct dns_type {
	uint16_t type;
	const char *mnemonic; /* upper case */
	const char *form;     /* NULL: opaque */
};

/* NULL when the type has no mnemonic here (then it is TYPEnnn). */
const struct dns_type *dns_type_find(uint16_t type);

/*
 * Mnemonic in any case, or TYPEnnn (RFC 3597 section 5). text need not end in
 * a NUL. Returns the type (0-65535; 0 from TYPE0 only) or -EINVAL.
 */
int dns_type_from_text(const char *text, size_t len);

/* Mnemonic or TYPEnnn, ended by a NUL, in upper case. */
#define DNS_TYPE_TEXT_MAX 16
const char *dns_type_to_text(char out[DNS_TYPE_TEXT_MAX], uint16_t type);

/*
 * True for types that cannot be data in a zone: 0, OPT, 128-255 except those
 * IANA lists as data there (RFC 6895 section 3.1).
 */
static inline bool dns_type_is_meta(uint16_t type)
{
	/* IANA lists no data type in 128-255: NXNAME is a meta type too. */
	return type == 0 || type == DNS_TYPE_OPT ||
	       (type >= DNS_TYPE_NXNAME && type <= DNS_TYPE_ANY);
}

/*
 * The next name inside RDATA. *pos is where to go on, 0 at first; state is
 * kept in *form (dns_type_find()->form at first). Returns its offset, or -1
 * when there is none left. rdata must have passed the check of its form.
 */
int dns_rdata_next_name(const char **form, const uint8_t *rdata, size_t len,
			size_t *pos, bool *compressible);

#endif
