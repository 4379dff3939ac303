/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the RDATA tests share: text to wire in one call, and a table of sample
 * texts that has every type with a form at least once.
 */
#ifndef TESTS_UNIT_RDATA_H
#define TESTS_UNIT_RDATA_H

#include <stdio.h>
#include <string.h>

#include "dns/type.h"
#include "zone/rdata.h"

static const uint8_t origin[] = "\7example";
static struct rdata_error rdata_error;

/* Text to octets; the length or -EINVAL. */
static inline int from_text_len(uint8_t *out, uint16_t type, const char *text,
				size_t len)
{
	struct scan scan;
	int got;

	memset(&rdata_error, 0, sizeof(rdata_error));
	scan_init_text(&scan, text, len);
	got = rdata_from_text(out, type, &scan, origin, &rdata_error);
	scan_release(&scan);
	return got;
}

static inline int from_text(uint8_t *out, uint16_t type, const char *text)
{
	return from_text_len(out, type, text, strlen(text));
}

enum ldns_opinion {
	LDNS_SAME,    /* ldns makes the same octets */
	LDNS_REFUSES, /* or does not know the type */
	LDNS_WRONG,   /* makes other octets: why is said beside the row */
};

struct sample {
	const char *type;
	const char *text;
	const char *hex; /* NULL: what ldns says */
	enum ldns_opinion ldns;
};

#define HEX20 "0123456789abcdef0123456789abcdef01234567"
#define HEX32 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define HEX48 HEX32 "0123456789abcdef0123456789abcdef"
#define KEY64 "AwEAAcMnWBKLuvG/LwnPVykcmpvnntwxfshHlHRhlY0F3oz8AMcuF8gwlLw="

static const struct sample samples[] = {
    {"A", "192.0.2.1", "c0000201", LDNS_SAME},
    {"A", "( 0.0.0.0\n )", "00000000", LDNS_SAME},
    {"A", "\\# 4 c0 000201", "c0000201", LDNS_SAME},
    {"NS", "ns", "026e73076578616d706c6500", LDNS_SAME},
    {"MD", "a.", "016100", LDNS_SAME},
    {"MF", "a.", "016100", LDNS_SAME},
    {"CNAME", "WWW.Example.", "03575757074578616d706c6500", LDNS_SAME},
    /* B-ZS17 */
    {"CNAME", "https://www.z.test.", "0b68747470733a2f2f777777017a047465737400",
     LDNS_SAME},
    {"CNAME", "@", "076578616d706c6500", LDNS_SAME},
    {"CNAME", "\\@", "0140076578616d706c6500", LDNS_WRONG}, /* origin */
    {"CNAME", "a\\.b\\032\\\"c.",
     "06612e622022630"
     "0",
     LDNS_SAME},
    {"CNAME", ".", "00", LDNS_SAME},
    /* B-ZS12 */
    {"SOA", "ns hm ( 1 3H ; refresh\n 1h 1W 90 )",
     "026e73076578616d706c650002686d076578616d706c6500"
     "00000001"
     "00002a30"
     "00000e10"
     "00093a80"
     "0000005a",
     LDNS_REFUSES}, /* the comment */
    {"SOA", ". . 4294967295 0 0 0 4294967295", NULL, LDNS_SAME},
    {"SOA", ". . 0 1d12h 90m 1w1d1h1m1s 5S", NULL, LDNS_SAME},
    {"MB", "a.", "016100", LDNS_SAME},
    {"MG", "a.", "016100", LDNS_SAME},
    {"MR", "a.", "016100", LDNS_SAME},
    {"NULL", "\\# 0", "", LDNS_SAME}, /* B-RD09 */
    {"NULL", "\\# 3 010203", "010203", LDNS_SAME},
    {"WKS", "192.0.2.1 tcp 0 7 8 25", "c00002010681800040", LDNS_SAME},
    {"WKS", "192.0.2.1 UDP domain",
     "c000020111"
     "00000000000004",
     LDNS_SAME},
    {"WKS", "192.0.2.1 6", "c000020106", LDNS_WRONG},
    {"PTR", "host.example.", NULL, LDNS_SAME},
    {"HINFO", "\"PC Intel\" LINUX", NULL, LDNS_SAME},
    {"MINFO", "a b", NULL, LDNS_SAME},
    {"MX", "10 mail", "000a046d61696c076578616d706c6500", LDNS_SAME},
    {"MX", "65535 .", "ffff00", LDNS_SAME},
    {"TXT", "abc \"d e\"",
     "03616263"
     "03642065",
     LDNS_SAME},
    {"TXT", "\"\"", "00", LDNS_SAME},
    {"TXT", "\"\\\"\\\\\\000\\255;\"", "05225c00ff3b", LDNS_SAME},
    /* B-ZS01 */
    {"TXT", "\"one\"two th\"r\"ee",
     "036f6e650374776f02746801720265"
     "65",
     LDNS_WRONG}, /* quotes become data */
    {"TXT", "ef\"gh\" x",
     "026566026768"
     "0178",
     LDNS_WRONG},
    /* B-ZS15: the first loses what stands behind the semicolon */
    {"TXT", "v=DMARC1;p=none", "08763d444d41524331", LDNS_SAME},
    {"TXT", "v=DMARC1\\;", "09763d444d415243313b", LDNS_SAME},
    {"RP", "hm txt", NULL, LDNS_SAME},
    {"AFSDB", "1 a", NULL, LDNS_SAME},
    {"X25", "311061700956", NULL, LDNS_SAME},
    {"ISDN", "150862028003217 004", NULL, LDNS_SAME},
    {"ISDN", "150862028003217", NULL, LDNS_SAME},
    {"RT", "2 relay.example.", NULL, LDNS_SAME},
    {"NSAP", "0x47.0005.80.005a00", "47000580005a00", LDNS_SAME},
    {"NSAP-PTR", "a", "0161076578616d706c6500", LDNS_WRONG}, /* text */
    {"SIG", "A 5 2 3600 20260101000000 20250101000000 12345 a " KEY64, NULL,
     LDNS_SAME},
    {"KEY", "512 3 5 " KEY64, NULL, LDNS_SAME},
    {"KEY", "49152 3 0", "c0000300", LDNS_REFUSES},
    {"PX", "10 a b", NULL, LDNS_SAME},
    {"GPOS", "-32.6882 116.8652 10.0", NULL, LDNS_SAME},
    {"AAAA", "2001:DB8::1", "20010db8000000000000000000000001", LDNS_SAME},
    {"AAAA", "::ffff:192.0.2.1", "00000000000000000000ffffc0000201", LDNS_SAME},
    {"LOC", "42 21 54.5 N 71 06 18 W -24m 30m", NULL, LDNS_SAME},
    {"LOC", "0 S 180 0 0 E 42849672.95m 0.01 90000000m 0m", NULL,
     LDNS_WRONG}, /* altitude ends at 42849672.94 */
    {"LOC", "90 0 0.000 s 0 0 0.001 w -100000.00",
     "001216136cb027007fffffff00000000", LDNS_REFUSES}, /* lower case */
    {"EID", "e32c6f78163a9348", NULL, LDNS_SAME},
    {"NIMLOC", "32251a030067", NULL, LDNS_SAME},
    {"SRV", "1 2 65535 host", NULL, LDNS_SAME},
    {"ATMA", "39.246f.00", "0039246f00", LDNS_WRONG}, /* no format octet */
    {"ATMA", "+61200000000",
     "01"
     "3631323030303030303030",
     LDNS_REFUSES},
    {"NAPTR", "100 50 \"s\" \"z3950+I2L+I2C\" \"\" _z3950._tcp.gatech.edu.",
     NULL, LDNS_SAME},
    {"NAPTR", "1 2 u E2U+sip \"!^.*$!sip:a@b!\" .", NULL, LDNS_SAME},
    {"KX", "1 a", NULL, LDNS_SAME},
    {"CERT", "PGP 0 0 " KEY64, NULL, LDNS_SAME},
    {"CERT", "65534 65535 RSASHA256 AA==", NULL, LDNS_SAME},
    {"A6", "\\# 17 00 20010db8000000000000000000000001",
     "0020010db8000000000000000000000001", LDNS_SAME}, /* B-RD09 */
    {"DNAME", "a.b", NULL, LDNS_SAME},
    /* B-RD06 */
    {"APL", "1:10.1.0.0/16 !2:2001:db8::/32",
     "000110020a01"
     "0002208420010db8",
     LDNS_SAME},
    {"APL", "1:0.0.0.0/0 2:::/0",
     "00010000"
     "00020000",
     LDNS_SAME},
    {"APL", "", "", LDNS_REFUSES},
    {"DS", "60485 5 1 " HEX20, NULL, LDNS_SAME},
    {"DS",
     "60485 ECDSAP256SHA256 2 01234567 (\n89abcdef0123456789abcdef"
     "0123456789abcdef0123456789abcdef )",
     NULL, LDNS_SAME},
    {"DS", "1 253 4 " HEX48, NULL, LDNS_SAME},
    {"SSHFP", "4 2 " HEX32, NULL, LDNS_SAME},
    {"SSHFP", "1 1 " HEX20, NULL, LDNS_SAME},
    {"SSHFP", "1 9 00", NULL, LDNS_SAME},
    {"IPSECKEY", "10 1 2 192.0.2.38 " KEY64, NULL, LDNS_SAME},
    {"IPSECKEY", "10 0 2 . " KEY64, NULL, LDNS_SAME},
    {"IPSECKEY", "10 2 2 2001:db8::2 " KEY64, NULL, LDNS_SAME},
    {"IPSECKEY", "10 3 2 gw AAAA",
     "0a030202677707657861"
     "6d706c6500000000",
     LDNS_WRONG}, /* no origin */
    {"IPSECKEY", "10 0 0 .", "0a0000", LDNS_REFUSES},
    {"RRSIG", "A 13 2 3600 20260101000000 20250101000000 12345 a " KEY64, NULL,
     LDNS_SAME},
    {"RRSIG", "type65280 8 0 0 4294967295 0 0 . AA AA", NULL, LDNS_SAME},
    {"RRSIG", "MX ED25519 0 0 21060207062815 19700101000000 0 . AAAA", NULL,
     LDNS_SAME},
    {"RRSIG", "MX 15 0 0 20240229235959 20000301000000 0 . AAAA", NULL,
     LDNS_SAME},
    /* B-RD08 */
    {"NSEC", "b a mx type65280",
     "0162076578616d706c6500"
     "00024001"
     "ff0180",
     LDNS_SAME},
    {"NSEC", "b. TYPE65535 TYPE256 TYPE255 NSEC A TYPE1", NULL, LDNS_SAME},
    {"DNSKEY", "257 3 8 " KEY64, NULL, LDNS_SAME},
    {"DNSKEY", "256 3 ECDSAP384SHA384 AAAA AAAA", NULL, LDNS_SAME},
    {"DHCID", "AAIBY2/AuCccgoJbsaxcQc9TUapptP69lOjxfNuVAA2kjEA=", NULL,
     LDNS_SAME},
    {"NSEC3", "1 1 12 aabbccdd 2vptu5timamqttgl4luu9kg21e0aor3s A RRSIG", NULL,
     LDNS_SAME},
    {"NSEC3", "1 0 0 - 2T7B4G4VSA5SMI47K61MV5BV1A22BOJR",
     "0100000000"
     "14"
     "174eb2409fe28bcb4887a1836f957f0a8425e27b",
     LDNS_SAME},
    {"NSEC3PARAM", "1 0 65535 -", NULL, LDNS_SAME},
    {"NSEC3PARAM", "1 0 0 00ff", NULL, LDNS_SAME},
    {"TLSA", "3 1 1 " HEX32, NULL, LDNS_SAME},
    {"SMIMEA", "3 1 0 00", NULL, LDNS_SAME},
    {"HIP",
     "2 200100107B1A74DF365639CC39F1D578 AwEAAbdxyhNuSutc5EMzxTs9LBPCIkOF"
     " rvs1 rvs2.example.com.",
     NULL, LDNS_SAME},
    {"HIP", "2 00 AAAA", NULL, LDNS_SAME},
    {"NINFO", "a \"b c\"",
     "0161"
     "03622063",
     LDNS_REFUSES},
    {"RKEY", "0 1 8 AAAA", "00000108000000", LDNS_REFUSES},
    {"TALINK", "a. b.", NULL, LDNS_SAME},
    {"CDS", "60485 5 1 " HEX20, NULL, LDNS_SAME},
    {"CDS", "0 0 0 00", "0000000000", LDNS_SAME},
    {"CDNSKEY", "257 3 13 " KEY64, NULL, LDNS_SAME},
    {"CDNSKEY", "0 3 0 AA==", "0000030000", LDNS_SAME},
    {"OPENPGPKEY", "( AAAA\n AAAA )", NULL, LDNS_SAME},
    {"CSYNC", "66 3 A NS AAAA", NULL, LDNS_SAME},
    {"CSYNC", "66 3", "000000420003", LDNS_REFUSES}, /* B-RD08 */
    {"ZONEMD", "2026010100 1 1 " HEX48, NULL, LDNS_SAME},
    {"ZONEMD", "1 1 240 000000000000000000000000", NULL, LDNS_SAME},
    {"SVCB", "0 alias", NULL, LDNS_SAME},
    {"SVCB", "1 . port=53 ipv4hint=192.0.2.1,192.0.2.2", NULL, LDNS_SAME},
    {"HTTPS", "1 . alpn=h2", NULL, LDNS_SAME},
    {"DSYNC", "CDS NOTIFY 5300 target", NULL, LDNS_REFUSES},
    {"DSYNC", "ANY 255 0 .", "00ffff000000", LDNS_REFUSES},
    {"HHIT", "AAAA", "000000", LDNS_REFUSES},
    {"BRID", "AAAA", "000000", LDNS_REFUSES},
    {"SPF", "\"v=spf1 -all\"", NULL, LDNS_SAME},
    {"NID", "10 0014:4fff:ff20:ee64", NULL, LDNS_SAME},
    {"NID", "10 14:4fff:0:e", "000a00144fff0000000e", LDNS_SAME},
    {"L32", "10 10.1.2.0", NULL, LDNS_SAME},
    {"L64", "10 2001:0DB8:1140:1000", NULL, LDNS_SAME},
    {"LP", "10 l64", NULL, LDNS_SAME},
    {"EUI48", "00-00-5e-00-53-2A", NULL, LDNS_SAME},
    {"EUI64", "00-00-5e-ef-10-00-00-2a", NULL, LDNS_SAME},
    {"URI", "10 1 \"ftp://x.test/\"", NULL, LDNS_SAME},
    {"URI", "10 1 ftp://x.test/",
     "000a0001"
     "6674703a2f2f782e746573742f",
     LDNS_REFUSES}, /* B-RD07 */
    {"CAA", "0 issue ca.test", "0005697373756563612e74657374", LDNS_REFUSES},
    {"CAA", "128 ISSUE \";\"", "800549535355453b", LDNS_SAME},
    {"CAA", "0 issue \"\"", NULL, LDNS_SAME},
    {"AVC", "app-name:WOLFGANG", NULL, LDNS_REFUSES},
    {"DOA", "1 2 3 text/plain AAAA",
     "00000001"
     "00000002"
     "03"
     "0a746578742f706c61696e"
     "000000",
     LDNS_REFUSES},
    {"DOA", "0 1 2 \"\" -",
     "00000000"
     "00000001"
     "02"
     "00",
     LDNS_REFUSES},
    {"AMTRELAY", "10 0 0 .", "0a00", LDNS_REFUSES},
    {"AMTRELAY", "10 1 1 203.0.113.15", "0a81cb00710f", LDNS_REFUSES},
    {"AMTRELAY", "10 0 2 2001:db8::15", "0a0220010db8000000000000000000000015",
     LDNS_REFUSES},
    {"AMTRELAY", "128 1 3 relays",
     "8083"
     "0672656c617973076578616d706c6500",
     LDNS_REFUSES},
    {"AMTRELAY", "\\# 4 0a040102", "0a040102", LDNS_REFUSES},
    {"RESINFO", "qnamemin exterr=15-17 infourl=https://x.test/", NULL,
     LDNS_REFUSES},
    {"WALLET", "BTC abc",
     "03425443"
     "03616263",
     LDNS_REFUSES},
    {"CLA", "TCP-v4-v6", "095443502d76342d7636", LDNS_REFUSES},
    {"IPN", "18446744073709551615", "ffffffffffffffff", LDNS_REFUSES},
    {"TA", "60485 5 1 " HEX20, NULL, LDNS_REFUSES},
    {"DLV", "60485 5 1 " HEX20, NULL, LDNS_SAME},
    {"TYPE65280", "\\# 3 ( 01 02\n03 )", "010203", LDNS_SAME},
    {"TYPE65280", "\\# 0", "", LDNS_SAME},
};

#define SAMPLE_NR (sizeof(samples) / sizeof(samples[0]))

#endif
