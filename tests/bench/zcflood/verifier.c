/* SPDX-License-Identifier: BSD-2-Clause */
/* Judging replies. */
#include "zcflood/verifier.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/octets.h"
#include "dns/message.h"

#define MEMORY_STEP (16u << 20)
#define RCODE_MASK  0x0f

int verifier_init(struct verifier *verifier, enum verify_level level,
		  const struct queries *queries)
{
	memset(verifier, 0, sizeof(*verifier));
	verifier->queries = queries;
	verifier->level = level;
	verifier->expected = calloc(queries->nr, sizeof(*verifier->expected));
	return verifier->expected ? 0 : -ENOMEM;
}

/* Never freed: expected replies live as long as the process. */
static uint8_t *take_memory(struct verifier *verifier, size_t len)
{
	uint8_t *memory;

	if (verifier->memory_rest < len) {
		memory = mmap(NULL, MEMORY_STEP, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (memory == MAP_FAILED)
			return NULL;
		verifier->memory = memory;
		verifier->memory_rest = MEMORY_STEP;
	}
	memory = verifier->memory;
	verifier->memory += len;
	verifier->memory_rest -= len;
	return memory;
}

/* Returns -ENOMEM when the reply could not be kept. */
static int keep(struct verifier *verifier, uint32_t number,
		const uint8_t *octets, size_t len)
{
	uint8_t *memory = take_memory(verifier, len);

	if (!memory)
		return -ENOMEM;
	memcpy(memory, octets, len);
	verifier->expected[number].octets = memory;
	verifier->expected[number].len = (uint32_t)len;
	return 0;
}

static const char *read_reply(struct verifier *verifier, uint32_t number,
			      FILE *file)
{
	uint8_t octets[DNS_MESSAGE_MAX], prefix[2];
	size_t len;

	if (fread(prefix, 1, 2, file) != 2)
		return "fewer replies than queries";
	len = get_u16(prefix);
	if (fread(octets, 1, len, file) != len)
		return "the last reply is cut";
	if (len < DNS_HEADER_LEN)
		return "a reply without a header";
	return keep(verifier, number, octets, len) ? "out of memory" : NULL;
}

int verifier_read(struct verifier *verifier, const char *path)
{
	FILE *file = fopen(path, "rb");
	const char *fault = NULL;

	if (!file) {
		fprintf(stderr, "zcflood: %s: %s\n", path, strerror(errno));
		return -1;
	}
	for (uint32_t i = 0; i < verifier->queries->nr && !fault; i++)
		fault = read_reply(verifier, i, file);
	if (!fault && fgetc(file) != EOF)
		fault = "more replies than queries";
	fclose(file);
	if (fault)
		fprintf(stderr, "zcflood: %s: %s\n", path, fault);
	verifier->given = true;
	return fault ? -1 : 0;
}

/*
 * An error may come without its question (RFC 1035 section 4.1.1 leaves that
 * open, FORMERR often does): header and no counts.
 */
static enum verdict check_question(const struct queries *queries,
				   uint32_t number, const uint8_t *octets,
				   size_t len)
{
	const uint8_t *sent = queries_octets(queries, number);
	size_t question_len = queries->query[number].question_len;
	unsigned question_nr;

	if (len < DNS_HEADER_LEN || !(octets[2] & DNS_FLAG_QR >> 8))
		return VERDICT_MALFORMED;
	question_nr = get_u16(octets + 4);
	if (!question_nr && octets[3] & RCODE_MASK)
		return VERDICT_RIGHT;
	if (question_nr != 1 || len < DNS_HEADER_LEN + question_len)
		return VERDICT_MALFORMED;
	return memcmp(octets + DNS_HEADER_LEN, sent + DNS_HEADER_LEN,
		      question_len)
		   ? VERDICT_QUESTION
		   : VERDICT_RIGHT;
}

/* The RCODE alone; the reply has a header. */
static enum verdict check_code(const struct verifier *verifier,
			       const struct expected *expected,
			       const uint8_t *octets)
{
	unsigned code = octets[3] & RCODE_MASK;

	if (!verifier->given && code != DNS_NOERROR && code != DNS_NXDOMAIN)
		return VERDICT_CODE;
	if (expected->octets && (expected->octets[3] & RCODE_MASK) != code)
		return VERDICT_CODE;
	return VERDICT_RIGHT;
}

static enum verdict check_octets(const struct expected *expected,
				 const uint8_t *octets, size_t len)
{
	return len == expected->len &&
		       !memcmp(octets + 2, expected->octets + 2, len - 2)
		   ? VERDICT_RIGHT
		   : VERDICT_OCTETS;
}

enum verdict verifier_check(struct verifier *verifier, uint32_t number,
			    const uint8_t *octets, size_t len)
{
	struct expected *expected = &verifier->expected[number];
	enum verdict verdict;

	if (verifier->level == VERIFY_NONE)
		return len < DNS_HEADER_LEN ? VERDICT_MALFORMED : VERDICT_RIGHT;
	verdict = check_question(verifier->queries, number, octets, len);
	if (verdict == VERDICT_RIGHT)
		verdict = check_code(verifier, expected, octets);
	if (verdict != VERDICT_RIGHT)
		return verdict;
	if (!expected->octets)
		/* the header is enough for the code */
		return keep(verifier, number, octets,
			    verifier->level == VERIFY_FULL ? len
							   : DNS_HEADER_LEN)
			   ? VERDICT_OCTETS
			   : VERDICT_RIGHT;
	return verifier->level == VERIFY_FULL
		   ? check_octets(expected, octets, len)
		   : VERDICT_RIGHT;
}
