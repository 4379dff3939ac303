/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any octets as a message: query_parse() reads nothing behind them, and what
 * it calls good has a question inside the message.
 */
#include "base/octets.h"
#include "dns/message.h"
#include "fuzz.h"
#include "query/parse.h"

static void check_good(const struct query *query, size_t size)
{
	fuzz_assert(size >= DNS_HEADER_LEN);
	fuzz_assert(!(query->flags & DNS_FLAG_QR));
	fuzz_assert((size_t)DNS_HEADER_LEN + query->question_len <= size);
	fuzz_assert(query->question_len == query->name.len + 4);
	fuzz_assert(query->name.len >= 1 && query->name.len <= DNS_NAME_MAX);
	fuzz_assert(dns_name_check(query->name.lower, query->name.len) ==
		    query->name.len);
	fuzz_assert(dns_name_label_nr(query->name.lower) ==
		    query->name.label_nr);
}

static void parse(const uint8_t *data, size_t size, enum query_transport how)
{
	uint8_t *message = fuzz_copy(data, size);
	struct query *query = malloc(sizeof(*query));

	fuzz_assert(query);
	switch (query_parse(query, message, size, how)) {
	case QUERY_DROP:
		break;
	case QUERY_BARE:
		fuzz_assert(size >= DNS_HEADER_LEN);
		break;
	case QUERY_FAILED:
	case QUERY_OK:
		check_good(query, size);
		break;
	}
	if (size >= DNS_HEADER_LEN && get_u16(message + 2) & DNS_FLAG_QR)
		fuzz_assert(query_parse(query, message, size, how) ==
			    QUERY_DROP);
	free(query);
	free(message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	parse(data, size, QUERY_UDP);
	parse(data, size, QUERY_TCP);
	return 0;
}
