/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finding in a snapshot: by name, and by hash for NSEC3.
 */
#include <openssl/sha.h>

#include "zone/nsec3.h"
#include "zone_text.h"

#define SOA "example. 60 IN SOA ns.else. host.else. 7 3600 600 86400 300"
#define NS  "example. 60 IN NS ns.else."

static struct zone_text zone = {.apex = "example."};

static struct snapshot *build(const char *const *lines)
{
	struct snapshot *snapshot;

	ck_assert_msg(!zone_text_build(&zone, lines, &snapshot), "%s",
		      zone.said);
	return snapshot;
}

#define BUILD(...) build((const char *const[]){__VA_ARGS__, NULL})

START_TEST(find_ignores_case_and_nothing_else)
{
	struct snapshot *s =
	    BUILD(SOA, NS, "AbCdEfGhIjK[`{@Z.example. 60 IN A 192.0.2.1",
		  "\\193.example. 60 IN A 192.0.2.1");

	ck_assert_ptr_nonnull(zone_text_find(s, "aBcDeFgHiJk[`{@z.EXAMPLE."));
	/* One bit away from case: { and [, ` and @. */
	ck_assert_ptr_null(zone_text_find(s, "abcdefghijk{`{@z.example."));
	ck_assert_ptr_null(zone_text_find(s, "abcdefghijk[@{@z.example."));
	ck_assert_ptr_nonnull(zone_text_find(s, "\\193.example."));
	ck_assert_ptr_null(zone_text_find(s, "\\225.example."));
	ck_assert_ptr_null(zone_text_find(s, "."));
	ck_assert_ptr_null(zone_text_find(s, "x.example."));
	snapshot_put(s);
}
END_TEST

/* Every name is found although the slots are shared by chance. */
START_TEST(find_among_many)
{
	enum { NR = 5000 };
	static char line[NR][40];
	static const char *lines[NR + 3] = {SOA, NS};
	struct snapshot *s;

	for (unsigned i = 0; i < NR; i++) {
		snprintf(line[i], sizeof(*line), "n%u.example. 60 A 192.0.2.1",
			 i);
		lines[2 + i] = line[i];
	}
	s = build(lines);
	for (unsigned i = 0; i < 2 * NR; i++) {
		char name[32];

		snprintf(name, sizeof(name), "N%u.example.", i);
		ck_assert_int_eq(zone_text_find(s, name) != NULL, i < NR);
	}
	ck_assert_uint_lt(s->node_nr, s->slot_nr * 4ul / 5);
	snapshot_put(s);
}
END_TEST

static void to_base32hex(char *out, const uint8_t hash[NSEC3_HASH_LEN])
{
	for (unsigned i = 0; i < NSEC3_LABEL_LEN; i++) {
		unsigned bit = i * 5, word = (unsigned)hash[bit / 8] << 8;

		if (bit / 8 + 1 < NSEC3_HASH_LEN)
			word |= hash[bit / 8 + 1];
		out[i] =
		    "0123456789abcdefghijklmnopqrstuv"[word >> (11 - bit % 8) &
						       31];
	}
	out[NSEC3_LABEL_LEN] = '\0';
}

static const struct {
	const char *name, *hash;
} rfc5155[] = {
    {"example.", "0p9mhaveqvm6t7vbl5lop2u3t2rp3tom"},
    {"a.example.", "35mthgpgcu1qg68fab165klnsnk3dpvl"},
    {"ai.example.", "gjeqe526plbf1g8mklp59enfd789njgi"},
    {"ns1.example.", "2t7b4g4vsa5smi47k61mv5bv1a22bojr"},
    {"*.w.example.", "r53bq7cc2uvmubfu5ocmm6pers9tk9en"},
    {"xx.example.", "t644ebqk9bibcna874givr6joj62mlhv"},
};

#define PARAM "example. 60 IN NSEC3PARAM 1 0 12 aabbccdd"
#define NSEC3 ".example. 60 IN NSEC3 1 1 12 aabbccdd "
#define CHAIN                                                                  \
	"0P9MHAVEQVM6T7VBL5LOP2U3T2RP3TOM" NSEC3                               \
	"2T7B4G4VSA5SMI47K61MV5BV1A22BOJR NS",                                 \
	    "2T7B4G4VSA5SMI47K61MV5BV1A22BOJR" NSEC3                           \
	    "T644EBQK9BIBCNA874GIVR6JOJ62MLHV A",                              \
	    "T644EBQK9BIBCNA874GIVR6JOJ62MLHV" NSEC3                           \
	    "0P9MHAVEQVM6T7VBL5LOP2U3T2RP3TOM A"

/* RFC 5155 appendix A. */
START_TEST(nsec3_hash_of_the_rfc)
{
	struct snapshot *s = BUILD(SOA, NS, PARAM, CHAIN);

	for (size_t i = 0; i < sizeof(rfc5155) / sizeof(rfc5155[0]); i++) {
		uint8_t name[DNS_NAME_MAX], hash[NSEC3_HASH_LEN];
		uint8_t label[NSEC3_LABEL_LEN + 2], back[NSEC3_HASH_LEN];
		char text[NSEC3_LABEL_LEN + 1];
		int len = dns_name_from_text(name, rfc5155[i].name,
					     strlen(rfc5155[i].name), NULL);

		snapshot_nsec3_hash(s, name, (size_t)len, hash);
		to_base32hex(text, hash);
		ck_assert_str_eq(text, rfc5155[i].hash);
		label[0] = NSEC3_LABEL_LEN;
		memcpy(label + 1, text, sizeof(text));
		ck_assert(nsec3_owner_hash(label, back));
		ck_assert_mem_eq(back, hash, NSEC3_HASH_LEN);
	}
	snapshot_put(s);
}
END_TEST

/* One block of SHA-1 takes 55 octets; iterations go over all of the salt. */
START_TEST(nsec3_hash_of_any_length)
{
	struct snapshot *s = calloc(1, sizeof(*s));
	uint8_t octets[DNS_NAME_MAX + 255];

	for (unsigned i = 0; i < sizeof(octets); i++)
		octets[i] = (uint8_t)(i * 7 + 1);
	for (unsigned len = 1; len <= DNS_NAME_MAX; len++) {
		unsigned salt_len = (len * 41 + 3) % 256;
		uint8_t want[NSEC3_HASH_LEN], hash[NSEC3_HASH_LEN];
		uint8_t again[NSEC3_HASH_LEN + 255];

		s->nsec3_salt_len = (uint8_t)salt_len;
		memcpy(s->nsec3_salt, octets + len, salt_len);
		SHA1(octets, len + salt_len, want);
		s->nsec3_iterations = 0;
		snapshot_nsec3_hash(s, octets, len, hash);
		ck_assert_mem_eq(hash, want, sizeof(hash));
		memcpy(again, want, sizeof(want));
		memcpy(again + sizeof(want), octets + len, salt_len);
		SHA1(again, sizeof(want) + salt_len, want);
		s->nsec3_iterations = 1;
		snapshot_nsec3_hash(s, octets, len, hash);
		ck_assert_mem_eq(hash, want, sizeof(hash));
	}
	free(s);
}
END_TEST

/* B-DS01: the hash that matches, or the one before it in the ring. */
START_TEST(B_DS01_nsec3_matches_or_covers)
{
	struct snapshot *s = BUILD(SOA, NS, PARAM, CHAIN);
	uint8_t hash[NSEC3_HASH_LEN];
	bool match;

	ck_assert_int_eq(s->denial, DENIAL_NSEC3);
	ck_assert_uint_eq(s->nsec3_nr, 3);
	for (uint32_t i = 0; i < 3; i++) {
		const struct node *node = snapshot_node(s, s->nsec3[i].node);

		memcpy(hash, s->nsec3[i].hash, NSEC3_HASH_LEN);
		ck_assert_ptr_eq(snapshot_find_nsec3(s, hash, &match), node);
		ck_assert(match);
		hash[NSEC3_HASH_LEN - 1]++;
		ck_assert_ptr_eq(snapshot_find_nsec3(s, hash, &match), node);
		ck_assert(!match);
		hash[NSEC3_HASH_LEN - 1] -= 2;
		ck_assert_ptr_eq(snapshot_find_nsec3(s, hash, &match),
				 snapshot_node(s, s->nsec3[(i + 2) % 3].node));
		ck_assert(!match);
	}
	snapshot_put(s);
	s = BUILD(SOA, NS);
	ck_assert_ptr_null(snapshot_find_nsec3(s, hash, &match));
	snapshot_put(s);
}
END_TEST

/* Against a plain scan, for hashes spread evenly and all in one corner. */
START_TEST(nsec3_search_finds_what_a_scan_finds)
{
	enum { NR = 3000 };
	struct snapshot_nsec3 *entry = calloc(NR, sizeof(*entry));
	struct snapshot s = {.base = (const uint8_t *)0, .nsec3 = entry};
	uint8_t hash[NSEC3_HASH_LEN] = {0};
	bool match;

	for (unsigned step = 1; step <= 1431655; step = step * 7 + 3) {
		s.nsec3_nr = NR;
		for (unsigned i = 0; i < NR; i++) {
			uint32_t value = htobe32(i * step + 5);

			memcpy(entry[i].hash, &value, 4);
			entry[i].node = i + 1;
		}
		for (unsigned i = 0; i < 4 * NR; i++) {
			uint32_t value = i * (step / 3 + 1);
			uint32_t at = value < 5 ? NR : (value - 5) / step + 1;
			uint32_t be = htobe32(value);
			const struct node *node;

			memcpy(hash, &be, 4);
			node = snapshot_find_nsec3(&s, hash, &match);
			if (at > NR)
				at = NR;
			ck_assert_ptr_eq(node, snapshot_node(&s, at));
			ck_assert_int_eq(match, value >= 5 &&
						    (value - 5) % step == 0 &&
						    (value - 5) / step < NR);
		}
	}
	free(entry);
}
END_TEST

START_TEST(owners_are_counted)
{
	struct snapshot *s = BUILD(SOA, NS);

	ck_assert_ptr_eq(snapshot_get(s), s);
	snapshot_put(s);
	ck_assert_uint_eq(atomic_load(&s->refs), 1);
	ck_assert_uint_gt(s->memory, sizeof(*s));
	snapshot_put(s);
	snapshot_put(NULL);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("snapshot");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, find_ignores_case_and_nothing_else);
	tcase_add_test(tcase, find_among_many);
	tcase_add_test(tcase, nsec3_hash_of_the_rfc);
	tcase_add_test(tcase, nsec3_hash_of_any_length);
	tcase_add_test(tcase, B_DS01_nsec3_matches_or_covers);
	tcase_add_test(tcase, nsec3_search_finds_what_a_scan_finds);
	tcase_add_test(tcase, owners_are_counted);
	return unit_run("snapshot", tcase);
}
