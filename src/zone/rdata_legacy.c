/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * WKS, NSAP, ATMA. Names of protocols and services come from the system's
 * tables through the re-entrant calls, since zones load in parallel.
 */
#include "zone/rdata_legacy.h"

#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <strings.h>

#include "base/codec.h"
#include "dns/name.h"

#define WORD_MAX    32
#define WKS_HEAD    5
#define PORT_OCTETS 8192 /* a bit for each of 65536 ports */

enum atma_format {
	ATMA_OCTETS,
	ATMA_DIGITS,
};

/* The word in hand in lower case, as the system's tables have it. */
static bool lower_word(const struct rdata_input *in, char out[WORD_MAX])
{
	if (in->token.len >= WORD_MAX)
		return false;
	for (size_t i = 0; i < in->token.len; i++)
		out[i] = (char)dns_lower[(uint8_t)in->token.text[i]];
	out[in->token.len] = '\0';
	return true;
}

static bool find_protocol(const char *word, uint64_t *number)
{
	struct protoent entry, *found = NULL;
	char buf[1024];

	/* These two work without /etc/protocols. */
	if (!strcmp(word, "tcp") || !strcmp(word, "udp")) {
		*number = *word == 't' ? IPPROTO_TCP : IPPROTO_UDP;
		return true;
	}
	if (getprotobyname_r(word, &entry, buf, sizeof(buf), &found) || !found)
		return false;
	*number = (uint64_t)entry.p_proto;
	return *number <= UINT8_MAX;
}

static bool find_service(const char *word, uint64_t protocol, uint64_t *port)
{
	struct servent entry, *found = NULL;
	char buf[1024];

	if (getservbyname_r(word, protocol == IPPROTO_UDP ? "udp" : "tcp",
			    &entry, buf, sizeof(buf), &found) ||
	    !found)
		return false;
	*port = ntohs((uint16_t)entry.s_port);
	return true;
}

static int read_protocol(struct rdata_input *in, uint64_t *protocol)
{
	char word[WORD_MAX];

	if (input_word(in, "protocol"))
		return -EINVAL;
	if (rdata_number(in->token.text, in->token.len, UINT8_MAX, protocol) &&
	    (!lower_word(in, word) || !find_protocol(word, protocol)))
		return input_bad(in, "protocol");
	input_next(in);
	return input_put_number(in, *protocol, 1);
}

int wks_read(struct rdata_input *in)
{
	uint8_t bits[PORT_OCTETS] = {0};
	uint64_t protocol, port;
	char word[WORD_MAX];
	size_t len = 0;

	if (input_ipv4(in) || read_protocol(in, &protocol))
		return -EINVAL;
	for (; input_more(in); input_next(in)) {
		if (input_word(in, "port"))
			return -EINVAL;
		if (rdata_number(in->token.text, in->token.len, UINT16_MAX,
				 &port) &&
		    (!lower_word(in, word) ||
		     !find_service(word, protocol, &port)))
			return input_bad(in, "port");
		bits[port / 8] |= (uint8_t)(0x80 >> port % 8);
		if (len <= port / 8)
			len = port / 8 + 1;
	}
	return input_put(in, bits, len);
}

const char *wks_fault(const uint8_t *rdata, size_t len)
{
	(void)rdata;
	if (len < WKS_HEAD)
		return "RDATA ends too early";
	return len > WKS_HEAD + PORT_OCTETS ? "more ports than there are"
					    : NULL;
}

bool wks_print(struct rdata_output *out, const uint8_t *rdata, size_t len)
{
	if (len > WKS_HEAD && !rdata[len - 1])
		return false; /* text has no way to say trailing zeros */
	output_ipv4(out, rdata);
	output_format(out, " %u", rdata[4]);
	for (size_t port = 0; port < (len - WKS_HEAD) * 8; port++)
		if (rdata[WKS_HEAD + port / 8] & 0x80 >> port % 8)
			output_format(out, " %zu", port);
	return true;
}

/* Hex with dots between octets or digits. */
static int dotted_hex(struct rdata_input *in, const char *text, size_t len)
{
	struct hex_state state = {0};
	size_t start = in->len;

	while (len) {
		const char *dot = memchr(text, '.', len);
		size_t part = dot ? (size_t)(dot - text) : len;
		int got = hex_feed(&state, in->out + in->len,
				   RDATA_MAX - in->len, text, part);

		if (got < 0)
			return input_bad(in, "hex");
		in->len += (size_t)got;
		text += part + (dot != NULL);
		len -= part + (dot != NULL);
	}
	if (hex_end(&state) || in->len == start)
		return input_bad(in, "number of hex digits in");
	input_next(in);
	return 0;
}

int nsap_read(struct rdata_input *in)
{
	const char *text = in->token.text;

	if (input_word(in, "NSAP address"))
		return -EINVAL;
	if (in->token.len < 2 || strncasecmp(text, "0x", 2))
		return input_bad(in, "NSAP address (it starts with 0x)");
	return dotted_hex(in, text + 2, in->token.len - 2);
}

const char *nsap_fault(const uint8_t *rdata, size_t len)
{
	(void)rdata;
	return len ? NULL : "RDATA is empty";
}

bool nsap_print(struct rdata_output *out, const uint8_t *rdata, size_t len)
{
	output_raw(out, "0x", 2);
	output_hex(out, rdata, len);
	return true;
}

static bool are_digits(const uint8_t *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] < '0' || text[i] > '9')
			return false;
	return len > 0;
}

int atma_read(struct rdata_input *in)
{
	const char *text = in->token.text;
	size_t len = in->token.len;
	bool digits;

	if (input_word(in, "ATM address"))
		return -EINVAL;
	digits = *text == '+';
	if (input_put_number(in, digits ? ATMA_DIGITS : ATMA_OCTETS, 1))
		return -EINVAL;
	if (!digits)
		return dotted_hex(in, text, len);
	if (!are_digits((const uint8_t *)text + 1, len - 1))
		return input_bad(in, "ATM address");
	if (input_put(in, text + 1, len - 1))
		return -EINVAL;
	input_next(in);
	return 0;
}

const char *atma_fault(const uint8_t *rdata, size_t len)
{
	(void)rdata;
	return len > 1 ? NULL : "RDATA ends too early";
}

bool atma_print(struct rdata_output *out, const uint8_t *rdata, size_t len)
{
	if (rdata[0] == ATMA_OCTETS) {
		output_hex(out, rdata + 1, len - 1);
		return true;
	}
	if (rdata[0] != ATMA_DIGITS || !are_digits(rdata + 1, len - 1))
		return false;
	output_format(out, "+");
	output_raw(out, (const char *)rdata + 1, len - 1);
	return true;
}
