/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The mnemonics. Numbers are what nearly all zones have in these fields, so
 * nothing here is made for speed.
 */
#include "zone/rdata_word.h"

#include <string.h>
#include <strings.h>

const struct rdata_word rdata_algorithms[] = {
    {"RSAMD5", 1},
    {"DH", 2},
    {"DSA", 3},
    {"ECC", 4},
    {"RSASHA1", 5},
    {"DSA-NSEC3-SHA1", 6},
    {"NSEC3DSA", 6},
    {"RSASHA1-NSEC3-SHA1", 7},
    {"NSEC3RSASHA1", 7},
    {"RSASHA256", 8},
    {"RSASHA512", 10},
    {"ECC-GOST", 12},
    {"ECCGOST", 12},
    {"ECDSAP256SHA256", 13},
    {"ECDSAP384SHA384", 14},
    {"ED25519", 15},
    {"ED448", 16},
    {"SM2SM3", 17},
    {"ECC-GOST12", 23},
    {"INDIRECT", 252},
    {"PRIVATEDNS", 253},
    {"PRIVATEOID", 254},
    {NULL, 0},
};

/* RFC 4398 section 2.1 */
const struct rdata_word rdata_cert_types[] = {
    {"PKIX", 1},  {"SPKI", 2},	{"PGP", 3},    {"IPKIX", 4},
    {"ISPKI", 5}, {"IPGP", 6},	{"ACPKIX", 7}, {"IACPKIX", 8},
    {"URI", 253}, {"OID", 254}, {NULL, 0},
};

const struct rdata_word rdata_dsync_schemes[] = {
    {"NOTIFY", 1}, /* RFC 9859 section 6.2 */
    {NULL, 0},
};

/* RFC 9460 section 14.3.2 and what came later */
const struct rdata_word rdata_svcb_keys[] = {
    {"mandatory", 0},	    {"alpn", 1},
    {"no-default-alpn", 2}, {"port", 3},
    {"ipv4hint", 4},	    {"ech", 5},
    {"ipv6hint", 6},	    {"dohpath", 7},
    {"ohttp", 8},	    {"tls-supported-groups", 9},
    {"docpath", 10},	    {NULL, 0},
};

int rdata_word_find(const struct rdata_word *table, const char *text,
		    size_t len)
{
	for (; table->word; table++)
		if (strlen(table->word) == len &&
		    !strncasecmp(table->word, text, len))
			return table->number;
	return -1;
}

const char *rdata_word_of(const struct rdata_word *table, unsigned number)
{
	for (; table->word; table++)
		if (table->number == number)
			return table->word;
	return NULL;
}
