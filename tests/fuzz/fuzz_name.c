/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names: text to wire and back is the same name, wire to text and back too;
 * order and equality agree; hashes go by the name without case.
 */
#include "dns/labels.h"
#include "fuzz.h"

static void check_wire(const uint8_t *name, size_t max)
{
	uint8_t lower[DNS_NAME_MAX], again[DNS_NAME_MAX];
	struct dns_labels *labels = malloc(sizeof(*labels));
	char text[DNS_NAME_TEXT_MAX];
	int len = dns_name_check(name, max);
	size_t text_len;

	fuzz_assert(labels);
	fuzz_assert(dns_labels_parse(labels, name, max) == len);
	if (len > 0) {
		text_len = dns_name_to_text(text, name);
		fuzz_assert(text_len == strlen(text));
		fuzz_assert(dns_name_from_text(again, text, text_len, NULL) ==
			    len);
		fuzz_assert(!memcmp(again, name, (size_t)len));
		fuzz_assert(dns_name_lower(lower, name) == (size_t)len);
		fuzz_assert(dns_name_eq(lower, name));
		fuzz_assert(!dns_name_cmp(lower, name));
		fuzz_assert(dns_name_suffix(name, lower) == 0);
		fuzz_assert(labels->hash == dns_name_hash(lower));
		fuzz_assert(!memcmp(labels->lower, lower, (size_t)len));
	}
	free(labels);
}

static void check_pair(const uint8_t *a, const uint8_t *b)
{
	int order = dns_name_cmp(a, b), back = dns_name_cmp(b, a);

	fuzz_assert((order < 0) == (back > 0) && (order > 0) == (back < 0));
	fuzz_assert((order == 0) == dns_name_eq(a, b));
	if (dns_name_eq(a, b))
		fuzz_assert(dns_name_hash(a) == dns_name_hash(b));
	if (dns_name_suffix(a, b) > 0)
		fuzz_assert(order > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t origin[] = "\1z\4test";
	uint8_t *copy = fuzz_copy(data, size);
	uint8_t out[DNS_NAME_MAX];
	int len = dns_name_check(copy, size), second;

	check_wire(copy, size);
	if (len > 0) {
		second = dns_name_check(copy + len, size - (size_t)len);
		if (second > 0)
			check_pair(copy, copy + len);
	}
	len = dns_name_from_text(out, (const char *)copy, size, origin);
	if (len > 0) {
		fuzz_assert(len <= DNS_NAME_MAX);
		fuzz_assert(dns_name_check(out, (size_t)len) == len);
		check_wire(out, (size_t)len);
	}
	free(copy);
	return 0;
}
