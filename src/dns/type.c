/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of RR types. Both look-ups are on the path of every record that is
 * loaded: by number it is an index into one of two dense arrays, by mnemonic
 * a walk along the few types that share its first letter, frequent ones first.
 */
#include "dns/type.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "dns/name.h"

#define ROW(base, nr, name, form) [(nr) - (base)] = {nr, name, form}
#define LOW(nr, name, form)	  ROW(0, nr, name, form)
#define HIGH(nr, name, form)	  ROW(HIGH_FIRST, nr, name, form)
#define HIGH_FIRST		  249

static const struct dns_type low_types[] = {
    LOW(1, "A", "a"),
    LOW(2, "NS", "n"),
    LOW(3, "MD", "n"),
    LOW(4, "MF", "n"),
    LOW(5, "CNAME", "n"),
    LOW(6, "SOA", "nn4pppp"),
    LOW(7, "MB", "n"),
    LOW(8, "MG", "n"),
    LOW(9, "MR", "n"),
    LOW(10, "NULL", NULL),
    LOW(11, "WKS", "*"),
    LOW(12, "PTR", "n"),
    LOW(13, "HINFO", "ss"),
    LOW(14, "MINFO", "nn"),
    LOW(15, "MX", "2n"),
    LOW(16, "TXT", "S"),
    LOW(17, "RP", "NN"),
    LOW(18, "AFSDB", "2N"),
    LOW(19, "X25", "s"),
    LOW(20, "ISDN", "so"),
    LOW(21, "RT", "2N"),
    LOW(22, "NSAP", "*"),
    LOW(23, "NSAP-PTR", "N"),
    LOW(24, "SIG", "yg14tt2Nb"),
    LOW(25, "KEY", "21gk"),
    LOW(26, "PX", "2NN"),
    LOW(27, "GPOS", "sss"),
    LOW(28, "AAAA", "A"),
    LOW(29, "LOC", "*"),
    LOW(30, "NXT", NULL),
    LOW(31, "EID", "x"),
    LOW(32, "NIMLOC", "x"),
    LOW(33, "SRV", "222N"),
    LOW(34, "ATMA", "*"),
    LOW(35, "NAPTR", "22sssN"),
    LOW(36, "KX", "2N"),
    LOW(37, "CERT", "c2gb"),
    LOW(38, "A6", NULL),
    LOW(39, "DNAME", "N"),
    LOW(40, "SINK", NULL),
    LOW(41, "OPT", NULL),
    LOW(42, "APL", "*"),
    LOW(43, "DS", "2g1x"),
    LOW(44, "SSHFP", "11x"),
    LOW(45, "IPSECKEY", "*"),
    LOW(46, "RRSIG", "yg14tt2Nb"),
    LOW(47, "NSEC", "Nm"),
    LOW(48, "DNSKEY", "21gb"),
    LOW(49, "DHCID", "b"),
    LOW(50, "NSEC3", "112hHm"),
    LOW(51, "NSEC3PARAM", "112h"),
    LOW(52, "TLSA", "111x"),
    LOW(53, "SMIMEA", "111x"),
    LOW(55, "HIP", "*"),
    LOW(56, "NINFO", "S"),
    LOW(57, "RKEY", "21gb"),
    LOW(58, "TALINK", "NN"),
    LOW(59, "CDS", "2g1x"),
    LOW(60, "CDNSKEY", "21gb"),
    LOW(61, "OPENPGPKEY", "b"),
    LOW(62, "CSYNC", "42m"),
    LOW(63, "ZONEMD", "411x"),
    LOW(64, "SVCB", "2N*"),
    LOW(65, "HTTPS", "2N*"),
    LOW(66, "DSYNC", "yd2N"),
    LOW(67, "HHIT", "b"),
    LOW(68, "BRID", "b"),
    LOW(99, "SPF", "S"),
    LOW(100, "UINFO", NULL),
    LOW(101, "UID", NULL),
    LOW(102, "GID", NULL),
    LOW(103, "UNSPEC", NULL),
    LOW(104, "NID", "2l"),
    LOW(105, "L32", "2a"),
    LOW(106, "L64", "2l"),
    LOW(107, "LP", "2N"),
    LOW(108, "EUI48", "e"),
    LOW(109, "EUI64", "E"),
    LOW(128, "NXNAME", NULL),
};

static const struct dns_type high_types[] = {
    HIGH(249, "TKEY", NULL),   HIGH(250, "TSIG", NULL),
    HIGH(251, "IXFR", NULL),   HIGH(252, "AXFR", NULL),
    HIGH(253, "MAILB", NULL),  HIGH(254, "MAILA", NULL),
    HIGH(255, "ANY", NULL),    HIGH(256, "URI", "22v"),
    HIGH(257, "CAA", "1Tv"),   HIGH(258, "AVC", "S"),
    HIGH(259, "DOA", "441sB"), HIGH(260, "AMTRELAY", "*"),
    HIGH(261, "RESINFO", "S"), HIGH(262, "WALLET", "S"),
    HIGH(263, "CLA", "S"),     HIGH(264, "IPN", "8"),
};

static const struct dns_type type_ta = {DNS_TYPE_TA, "TA", "2g1x"};
static const struct dns_type type_dlv = {DNS_TYPE_DLV, "DLV", "2g1x"};

/* Types by first letter of the mnemonic, ended by 0. */
static const uint16_t types_of_letter[26][16] = {
    ['A' - 'A'] = {1, 28, 18, 34, 38, 42, 258, 260, 252, 255},
    ['B' - 'A'] = {68},
    ['C' - 'A'] = {5, 257, 59, 60, 37, 62, 263},
    ['D' - 'A'] = {43, 48, 39, 49, 66, 259, DNS_TYPE_DLV},
    ['E' - 'A'] = {108, 109, 31},
    ['G' - 'A'] = {27, 102},
    ['H' - 'A'] = {65, 13, 55, 67},
    ['I' - 'A'] = {45, 20, 264, 251},
    ['K' - 'A'] = {25, 36},
    ['L' - 'A'] = {29, 105, 106, 107},
    ['M' - 'A'] = {15, 3, 4, 7, 8, 9, 14, 253, 254},
    ['N' - 'A'] = {2, 50, 47, 35, 51, 10, 22, 23, 30, 32, 56, 104, 128},
    ['O' - 'A'] = {61, 41},
    ['P' - 'A'] = {12, 26},
    ['R' - 'A'] = {46, 17, 21, 57, 261},
    ['S' - 'A'] = {6, 33, 44, 64, 99, 53, 24, 40},
    ['T' - 'A'] = {16, 52, 58, DNS_TYPE_TA, 249, 250},
    ['U' - 'A'] = {256, 100, 101, 103},
    ['W' - 'A'] = {11, 262},
    ['X' - 'A'] = {19},
    ['Z' - 'A'] = {63},
};

const struct dns_type *dns_type_find(uint16_t type)
{
	const struct dns_type *row = NULL;

	if (type < sizeof(low_types) / sizeof(low_types[0]))
		row = &low_types[type];
	else if (type >= HIGH_FIRST &&
		 type - HIGH_FIRST <
		     (int)(sizeof(high_types) / sizeof(high_types[0])))
		row = &high_types[type - HIGH_FIRST];
	else if (type == DNS_TYPE_TA)
		row = &type_ta;
	else if (type == DNS_TYPE_DLV)
		row = &type_dlv;
	return row && row->mnemonic ? row : NULL;
}

/* text against a word in upper case. */
static bool word_eq(const char *word, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!word[i] ||
		    dns_lower[(uint8_t)word[i]] != dns_lower[(uint8_t)text[i]])
			return false;
	return !word[len];
}

/* TYPEnnn (RFC 3597 section 5). */
static int type_from_number(const char *text, size_t len)
{
	int value = 0;

	if (len < 5 || len > 9 || !word_eq("TYPE", text, 4))
		return -EINVAL;
	for (size_t i = 4; i < len; i++) {
		if (text[i] < '0' || text[i] > '9')
			return -EINVAL;
		value = value * 10 + (text[i] - '0');
	}
	return value > UINT16_MAX ? -EINVAL : value;
}

int dns_type_from_text(const char *text, size_t len)
{
	unsigned letter;

	if (!len)
		return -EINVAL;
	letter = dns_lower[(uint8_t)*text] - (unsigned)'a';
	if (letter >= 26)
		return -EINVAL;
	for (const uint16_t *type = types_of_letter[letter]; *type; type++)
		if (word_eq(dns_type_find(*type)->mnemonic, text, len))
			return *type;
	return type_from_number(text, len);
}

const char *dns_type_to_text(char out[DNS_TYPE_TEXT_MAX], uint16_t type)
{
	const struct dns_type *row = dns_type_find(type);

	if (row)
		snprintf(out, DNS_TYPE_TEXT_MAX, "%s", row->mnemonic);
	else
		snprintf(out, DNS_TYPE_TEXT_MAX, "TYPE%u", type);
	return out;
}

/* Octets of a field of fixed size. */
static const uint8_t field_size[128] = {
    ['1'] = 1, ['g'] = 1, ['d'] = 1, ['2'] = 2, ['y'] = 2,
    ['c'] = 2, ['4'] = 4, ['p'] = 4, ['t'] = 4, ['a'] = 4,
    ['e'] = 6, ['8'] = 8, ['E'] = 8, ['l'] = 8, ['A'] = 16,
};

int dns_rdata_next_name(const char **form, const uint8_t *rdata, size_t len,
			size_t *pos, bool *compressible)
{
	const char *f = *form;
	size_t at = *pos;

	if (!f)
		return -1;
	for (; *f; f++) {
		if (*f == 'n' || *f == 'N') {
			assert(at < len);
			*compressible = *f == 'n';
			*form = f + 1;
			*pos = at + dns_name_len(rdata + at);
			return (int)at;
		}
		if (field_size[(uint8_t)*f])
			at += field_size[(uint8_t)*f];
		else if (strchr("sThH", *f))
			at += rdata[at] + 1u;
		else
			break; /* to the end: no name can follow */
		assert(at <= len);
	}
	*form = "";
	return -1;
}
