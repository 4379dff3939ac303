/* SPDX-License-Identifier: BSD-2-Clause */
#include "rdata.h"

#include <errno.h>

#include "base/codec.h"
#include "unit.h"

static uint8_t wire[RDATA_MAX];

struct good {
	const char *text;
	const char *hex;
};

static const struct good good[] = {
    /* RFC 9460 appendix D.1 and D.2 */
    {"0 foo.example.com.", "0000 03666f6f076578616d706c6503636f6d00"},
    {"1 .", "0001 00"},
    {"16 foo. port=53", "0010 03666f6f00 0003 0002 0035"},
    {"1 foo. key667=hello", "0001 03666f6f00 029b 0005 68656c6c6f"},
    {"1 foo. key667=\"hello\\210qoo\"",
     "0001 03666f6f00 029b 0009 68656c6c6fd2716f6f"},
    {"1 foo. ipv6hint=\"2001:db8::1,2001:db8::53:1\"",
     "0001 03666f6f00 0006 0020 20010db8000000000000000000000001"
     "20010db8000000000000000000530001"},
    {"1 foo. ipv6hint=\"2001:db8:122:344::192.0.2.33\"",
     "0001 03666f6f00 0006 0010 20010db80122034400000000c0000221"},
    {"16 foo. alpn=h2,h3-19 mandatory=ipv4hint,alpn ipv4hint=192.0.2.1",
     "0010 03666f6f00 0000 0004 00010004"
     "0001 0009 026832 0568332d3139 0004 0004 c0000201"},
    /* B-RD02 */
    {"1 . port=\"8443\" alpn=\"h2,h3\"",
     "0001 00 0001 0006 026832 026833 0003 0002 20fb"},
    /* B-RD03: two layers of escapes */
    {"16 b. alpn=\"f\\\\\\\\oo\\\\,bar,h2\"",
     "0010 016200 0001 000c 08665c6f6f2c626172 026832"},
    {"16 b. alpn=f\\\\\\092oo\\092,bar,h2",
     "0010 016200 0001 000c 08665c6f6f2c626172 026832"},
    /* B-RD04: the legal one */
    {"1 . no-default-alpn=\"\" alpn=h2", "0001 00 0001 0003 026832 0002 0000"},
    {"1 . no-default-alpn alpn=h2", "0001 00 0001 0003 026832 0002 0000"},
    {"1 . no-default-alpn= alpn=h2", "0001 00 0001 0003 026832 0002 0000"},
    /* section 2.1: behind keyNNN stand the octets themselves */
    {"1 . key1=\\002h2 key3=AB", "0001 00 0001 0003 026832 0003 0002 4142"},
    {"1 . ech=AAAA", "0001 00 0005 0003 000000"},
    {"1 . ech=\"AAAA\"", "0001 00 0005 0003 000000"},
    {"1 . dohpath=/q{?dns}", "0001 00 0007 0008 2f717b3f646e737d"},
    {"1 . ohttp", "0001 00 0008 0000"},
    {"1 . tls-supported-groups=29,23", "0001 00 0009 0004 001d0017"},
    {"1 . docpath=a,b\\\\,c", "0001 00 000a 0006 0161 03622c63"},
    {"1 . docpath", "0001 00 000a 0000"},
    {"1 . key65534", "0001 00 fffe 0000"},
    {"1 . key65534=\"\"", "0001 00 fffe 0000"},
    {"1 . key65534=a=b", "0001 00 fffe 0003 613d62"},
    /* AliasMode: parameters are for recipients to ignore */
    {"0 a. port=1", "0000 016100 0003 0002 0001"},
};

START_TEST(B_RD02_B_RD03_values)
{
	uint8_t want[256];

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		int len = from_text(wire, DNS_TYPE_HTTPS, good[i].text);
		struct hex_state state = {0};
		int want_len = 0;

		ck_assert_msg(len >= 0, "%s: %s", good[i].text,
			      rdata_error.text);
		for (const char *p = good[i].hex; *p; p++)
			if (*p != ' ')
				want_len +=
				    hex_feed(&state, want + want_len, 1, p, 1);
		ck_assert_msg(len == want_len, "%s: %d octets", good[i].text,
			      len);
		ck_assert_msg(!memcmp(wire, want, (size_t)len), "%s",
			      good[i].text);
	}
}
END_TEST

static const struct good bad[] = {
    {"1 . mandatory=port alpn=h2", "mandatory names a key that is not "
				   "there"},
    {"1 . mandatory=alpn", "mandatory names a key that is not there"},
    {"1 . mandatory=mandatory", "mandatory names itself or a key twice"},
    {"1 . mandatory=alpn,alpn alpn=h2",
     "mandatory names itself or a key twice"},
    {"1 . mandatory alpn=h2", "mandatory needs a value"},
    {"1 . mandatory=foo alpn=h2", "bad key in mandatory"},
    {"1 . mandatory=alpn, alpn=h2", "bad key in mandatory"},
    {"1 . alpn=h2 alpn=h3", "key1 is there twice"},
    {"1 . alpn=h2 port=1 key1=x", "key1 is there twice"},
    {"1 . port=65536", "port is not a number from 0 to 65535"},
    {"1 . port", "port needs a value"},
    {"1 . port=", "port needs a value"},
    {"1 . port=\"\"", NULL},
    {"1 . port=1,2", NULL},
    {"1 . alpn", "alpn needs a value"},
    {"1 . alpn=\"\"", "bad alpn"},
    {"1 . alpn=h2,", "bad alpn"},
    {"1 . alpn=,h2", "bad alpn"},
    {"1 . alpn=a\\\\b", "bad escape in alpn"},
    {"1 . no-default-alpn=x alpn=h2", "no-default-alpn has a value"},
    {"1 . no-default-alpn", "no-default-alpn without alpn"},
    {"1 . ipv4hint=192.0.2.256", "bad address in ipv4hint"},
    {"1 . ipv4hint=192.0.2.1,", "bad address in ipv4hint"},
    {"1 . ipv6hint=192.0.2.1", "bad address in ipv6hint"},
    {"1 . ech=A", "bad base64 in ech"},
    {"1 . ech=\"\"", "ech is empty"},
    {"1 . dohpath=q", "bad dohpath"},
    {"1 . dohpath=/q", "bad dohpath"},
    {"1 . ohttp=x", "ohttp has a value"},
    {"1 . tls-supported-groups=29,29", "bad tls-supported-groups"},
    {"1 . tls-supported-groups=x", NULL},
    {"1 . key65535=x", "bad SvcParam 'key65535=x'"},
    {"1 . key65536=x", NULL},
    {"1 . key01=x", NULL},
    {"1 . key=x", NULL},
    {"1 . ALPN=h2", "bad SvcParam 'ALPN=h2'"},
    {"1 . foo=h2", "bad SvcParam 'foo=h2'"},
    {"1 . =h2", NULL},
    {"1 . \"alpn=h2\"", NULL},
    {"1 . alpn =h2", "alpn needs a value"},
    {"1 . alpn= \"h2\"", "alpn needs a value"},
    {"1 . alpn=h2\"h3\"", NULL},
    {"1 . alpn\"h3\"", NULL},
    {"1 . alpn=\"h2\"port=1", NULL},
    {"1 . key9\\057=x", NULL},
    {"65536 .", "'65536' is not a number from 0 to 65535"},
    {"1", "name is missing"},
    /* B-RD05: a value past the end, and other octets made by hand */
    {"\\# 8 0001 00 0001 ffff 61", "SvcParam ends behind RDATA"},
    {"\\# 6 0001 00 0001 ff", NULL},
    {"\\# 7 0001 00 0003 0000", "bad port"},
    {"\\# 12 0001 00 0003 0002 0035 fffe 00", NULL},
    {"\\# 11 0001 00 fffe 0000 0008 0000", NULL},
    {"\\# 7 0001 00 ffff 0000", "key65535 is reserved"},
    {"\\# 10 0001 00 0001 0003 03 6832", "bad alpn"},
    {"\\# 8 0001 00 0001 0001 00", "bad alpn"},
    {"\\# 10 0001 00 0000 0003 000100", "bad length of mandatory"},
};

START_TEST(B_RD04_B_RD05_contradictions)
{
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		int len = from_text(wire, DNS_TYPE_SVCB, bad[i].text);

		ck_assert_msg(len == -EINVAL, "%s", bad[i].text);
		if (bad[i].hex)
			ck_assert_str_eq(rdata_error.text, bad[i].hex);
	}
}
END_TEST

/* Keys come in any order; the octets are the same. */
START_TEST(B_RD05_thousands_of_keys)
{
	static char text[6000 * 16], *p;
	static uint8_t sorted[RDATA_MAX];
	int len;

	p = text + sprintf(text, "1 .");
	for (unsigned i = 0; i < 6000; i++)
		p += sprintf(p, " key%u=x", 100 + i);
	len = from_text(sorted, DNS_TYPE_SVCB, text);
	ck_assert_int_eq(len, 3 + 6000 * 5);
	p = text + sprintf(text, "1 .");
	for (unsigned i = 0; i < 6000; i++)
		p += sprintf(p, " key%u=x", 100 + i * 7 % 6000);
	ck_assert_int_eq(from_text(wire, DNS_TYPE_SVCB, text), len);
	ck_assert(!memcmp(wire, sorted, (size_t)len));
	p = text + sprintf(text, "1 .");
	for (unsigned i = 6000; i; i--)
		p += sprintf(p, " key%u=x", 99 + i);
	ck_assert_int_eq(from_text(wire, DNS_TYPE_SVCB, text), len);
	ck_assert(!memcmp(wire, sorted, (size_t)len));
}
END_TEST

START_TEST(value_too_long)
{
	static char text[RDATA_MAX + 64];
	int head = sprintf(text, "1 . key100=");

	memset(text + head, 'x', RDATA_MAX);
	ck_assert_int_eq(from_text_len(wire, DNS_TYPE_SVCB, text,
				       (size_t)head + RDATA_MAX - 7),
			 RDATA_MAX);
	ck_assert_int_eq(from_text_len(wire, DNS_TYPE_SVCB, text,
				       (size_t)head + RDATA_MAX - 6),
			 -EINVAL);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("svcb");

	tcase_add_test(tcase, B_RD02_B_RD03_values);
	tcase_add_test(tcase, B_RD04_B_RD05_contradictions);
	tcase_add_test(tcase, B_RD05_thousands_of_keys);
	tcase_add_test(tcase, value_too_long);
	return unit_run("zone/svcb", tcase);
}
