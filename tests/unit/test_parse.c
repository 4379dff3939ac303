/* SPDX-License-Identifier: BSD-2-Clause */
#include "query/parse.h"
#include "dns/message.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

/* Hex with spaces to octets, in a heap block of that size for ASan. */
static uint8_t *from_hex(const char *hex, size_t *len)
{
	uint8_t *out = malloc(strlen(hex) / 2 + 1);
	unsigned value;

	*len = 0;
	while (*hex) {
		if (*hex == ' ') {
			hex++;
			continue;
		}
		ck_assert_int_eq(sscanf(hex, "%2x", &value), 1);
		out[(*len)++] = (uint8_t)value;
		hex += 2;
	}
	return realloc(out, *len ? *len : 1);
}

#define HEAD	 "1234 0100 0001 0000 0000 "
#define QUESTION "0377 7777 017a 00 0001 0001 "
#define OPT	 "00 0029 04d0 00 00 8000 "

static const struct {
	const char *what, *hex;
	enum query_parsed result;
	unsigned rcode;
} cases[] = {
    {"plain", HEAD "0000" QUESTION, QUERY_OK, 0},
    {"EDNS", HEAD "0001" QUESTION OPT "0000", QUERY_OK, 0},
    {"empty", "", QUERY_DROP, 0},
    {"B-HD02 11 octets", "1234 0100 0001 0000 0000 00", QUERY_DROP, 0},
    {"B-HD01 QR set", "1234 8000 0001 0000 0000 0000" QUESTION, QUERY_DROP, 0},
    {"UPDATE", "1234 2800 0001 0000 0000 0000" QUESTION, QUERY_BARE,
     DNS_NOTIMP},
    {"STATUS without a question", "1234 1000 0000 0000 0000 0000", QUERY_BARE,
     DNS_NOTIMP},
    {"NOTIFY", "1234 2000 0001 0000 0000 0000" QUESTION, QUERY_OK, 0},
    {"no question", "1234 0000 0000 0000 0000 0000", QUERY_BARE, DNS_FORMERR},
    {"B-HD02 two questions", "1234 0000 0002 0000 0000 0000" QUESTION QUESTION,
     QUERY_BARE, DNS_FORMERR},
    {"B-HD02 QDCOUNT 1 with 12 octets", HEAD "0000", QUERY_BARE, DNS_FORMERR},
    {"B-HD02 stray octets", HEAD "0000" QUESTION "00 00 00", QUERY_FAILED,
     DNS_FORMERR},
    {"B-HD02 ANCOUNT 1 with a record",
     "1234 0000 0001 0001 0000 0000" QUESTION
     "00 0001 0001 00000000 0004 c0000201",
     QUERY_FAILED, DNS_FORMERR},
    {"B-HD02 ANCOUNT 65535 and nothing behind",
     "1234 0000 0001 ffff 0000 0000" QUESTION, QUERY_FAILED, DNS_FORMERR},
    {"ARCOUNT 65535 and nothing behind", HEAD "ffff" QUESTION, QUERY_FAILED,
     DNS_FORMERR},
    {"B-HD03 pointer to itself", HEAD "0000 c00c 0001 0001", QUERY_BARE,
     DNS_FORMERR},
    {"B-HD03 pointer to the header", HEAD "0000 c000 0001 0001", QUERY_BARE,
     DNS_FORMERR},
    {"B-HD03 pointer ahead", HEAD "0000 c020 0001 0001", QUERY_BARE,
     DNS_FORMERR},
    {"B-HD03 label type 01", HEAD "0000 41 61 00 0001 0001", QUERY_BARE,
     DNS_FORMERR},
    {"B-HD03 label type 10", HEAD "0000 81 61 00 0001 0001", QUERY_BARE,
     DNS_FORMERR},
    {"B-HD03 cut in a label", HEAD "0000 05 6161", QUERY_BARE, DNS_FORMERR},
    {"cut in the type", HEAD "0000 00 0001 00", QUERY_BARE, DNS_FORMERR},
    {"B-ED01 version 1", HEAD "0001" QUESTION "00 0029 04d0 00 01 0000 0000",
     QUERY_FAILED, DNS_BADVERS},
    {"B-ED01 version 1, unknown option",
     HEAD "0001" QUESTION "00 0029 04d0 00 01 0000 0006 fde9 0002 0000",
     QUERY_FAILED, DNS_BADVERS},
    {"B-ED02 unknown option and flags",
     HEAD "0001" QUESTION "00 0029 04d0 01 00 7fff 0009 fde9 0005 0102030405",
     QUERY_OK, 0},
    {"B-ED03 OPT twice", HEAD "0002" QUESTION OPT "0000" OPT "0000",
     QUERY_FAILED, DNS_FORMERR},
    {"B-ED03 OPT in authority",
     "1234 0000 0001 0000 0001 0000" QUESTION OPT "0000", QUERY_FAILED,
     DNS_FORMERR},
    {"B-ED03 RDLENGTH past the end", HEAD "0001" QUESTION OPT "0032",
     QUERY_FAILED, DNS_FORMERR},
    {"B-ED03 option past the end",
     HEAD "0001" QUESTION OPT "0006 000a 0005 0000", QUERY_FAILED, DNS_FORMERR},
    {"B-ED03 half an option", HEAD "0001" QUESTION OPT "0003 000a 00",
     QUERY_FAILED, DNS_FORMERR},
    {"B-ED03 OPT owner not the root",
     HEAD "0001" QUESTION "0161 00 0029 04d0 00000000 0000", QUERY_FAILED,
     DNS_FORMERR},
    {"ZONEVERSION with a body", HEAD "0001" QUESTION OPT "0005 0013 0001 00",
     QUERY_FAILED, DNS_FORMERR},
    {"owner ends in a pointer",
     HEAD "0001" QUESTION "c00c 0001 0001 00000000 0004 c0000201", QUERY_OK, 0},
    {"owner is half a pointer", HEAD "0001" QUESTION "c0", QUERY_FAILED,
     DNS_FORMERR},
    {"TSIG before OPT",
     HEAD "0002" QUESTION "00 00fa 00ff 00000000 0000" OPT "0000", QUERY_FAILED,
     DNS_FORMERR},
    {"IXFR with its SOA",
     "1234 0000 0001 0000 0001 0000 017a 00 00fb 0001"
     "c00c 0006 0001 00000000 0016 00 00 00000001 00000000 00000000"
     "00000000 00000000",
     QUERY_OK, 0},
    {"IXFR without an SOA", "1234 0000 0001 0000 0000 0000 017a 00 00fb 0001",
     QUERY_FAILED, DNS_FORMERR},
};

START_TEST(B_HD02_B_HD03_B_ED03_messages)
{
	struct query query;
	size_t len;
	uint8_t *message = from_hex(cases[_i].hex, &len);
	enum query_parsed result = query_parse(&query, message, len, QUERY_UDP);

	ck_assert_msg(
	    result == cases[_i].result && query.rcode == cases[_i].rcode,
	    "%s: result %d, RCODE %u", cases[_i].what, result, query.rcode);
	free(message);
}
END_TEST

/* Cut at any octet, a message is dropped or refused, and never overread. */
START_TEST(cut_anywhere)
{
	size_t len;
	uint8_t *message =
	    from_hex(HEAD "0001" QUESTION OPT "000c 0003 0000 000b 0000"
			  "0009 0000",
		     &len);
	struct query query;

	ck_assert_int_eq(query_parse(&query, message, len, QUERY_TCP),
			 QUERY_OK);
	ck_assert_uint_eq(query.wants, QUERY_WANTS_NSID |
					   QUERY_WANTS_KEEPALIVE |
					   QUERY_WANTS_EXPIRE);
	ck_assert(query.dnssec_ok);
	ck_assert_uint_eq(query.payload, 1232);
	ck_assert_uint_eq(query.type, DNS_TYPE_A);
	for (size_t cut = 0; cut < len; cut++) {
		uint8_t *part = malloc(cut ? cut : 1);

		memcpy(part, message, cut);
		ck_assert_int_ne(query_parse(&query, part, cut, QUERY_UDP),
				 QUERY_OK);
		free(part);
	}
	free(message);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("parse");

	tcase_add_loop_test(tcase, B_HD02_B_HD03_B_ED03_messages, 0,
			    sizeof(cases) / sizeof(cases[0]));
	tcase_add_test(tcase, cut_anywhere);
	return unit_run("query/parse", tcase);
}
