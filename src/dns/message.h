/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Constants of the DNS message: header (RFC 1035 section 4.1.1), RCODEs (RFC
 * 6895 section 2.3), EDNS (RFC 6891), Extended DNS Errors (RFC 8914).
 */
#ifndef DNS_MESSAGE_H
#define DNS_MESSAGE_H

#define DNS_HEADER_LEN	12
#define DNS_MESSAGE_MAX 65535
#define DNS_UDP_MIN	512    /* limit without EDNS, RFC 1035 section 4.2.1 */
#define DNS_POINTER_MAX 0x3fff /* offset a compression pointer can hold */

/* The two octets of flags, as one integer. */
#define DNS_FLAG_QR	 0x8000
#define DNS_FLAG_AA	 0x0400
#define DNS_FLAG_TC	 0x0200
#define DNS_FLAG_RD	 0x0100
#define DNS_FLAG_RA	 0x0080
#define DNS_FLAG_AD	 0x0020
#define DNS_FLAG_CD	 0x0010
#define DNS_OPCODE_MASK	 0x7800
#define DNS_OPCODE_SHIFT 11

enum dns_opcode {
	DNS_OPCODE_QUERY = 0,
	DNS_OPCODE_NOTIFY = 4,
	DNS_OPCODE_UPDATE = 5,
};

enum dns_rcode {
	DNS_NOERROR = 0,
	DNS_FORMERR = 1,
	DNS_SERVFAIL = 2,
	DNS_NXDOMAIN = 3,
	DNS_NOTIMP = 4,
	DNS_REFUSED = 5,
	DNS_YXDOMAIN = 6,
	DNS_NOTAUTH = 9,
	DNS_BADVERS = 16, /* extended: upper eight bits lie in OPT */
};

enum dns_class {
	DNS_CLASS_IN = 1,
	DNS_CLASS_CH = 3,
	DNS_CLASS_NONE = 254,
	DNS_CLASS_ANY = 255,
};

/* OPT: TTL field holds extended RCODE, version and flags. */
#define DNS_OPT_LEN 11 /* owner to RDLENGTH */
#define DNS_EDNS_DO 0x8000

enum dns_edns_option {
	DNS_EDNS_NSID = 3,	   /* RFC 5001 */
	DNS_EDNS_EXPIRE = 9,	   /* RFC 7314 */
	DNS_EDNS_COOKIE = 10,	   /* RFC 7873 */
	DNS_EDNS_KEEPALIVE = 11,   /* RFC 7828 */
	DNS_EDNS_PADDING = 12,	   /* RFC 7830 */
	DNS_EDNS_EDE = 15,	   /* RFC 8914 */
	DNS_EDNS_ZONEVERSION = 19, /* RFC 9660 */
};

enum dns_ede {
	DNS_EDE_NONE = -1,
	DNS_EDE_OTHER = 0,
	DNS_EDE_NOT_READY = 14,
	DNS_EDE_PROHIBITED = 18,
	DNS_EDE_NOT_AUTHORITATIVE = 20,
	DNS_EDE_NOT_SUPPORTED = 21,
	DNS_EDE_INVALID_DATA = 24,
};

#endif
