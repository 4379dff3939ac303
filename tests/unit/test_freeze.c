/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Versions of a large zone that share nodes. Whatever is shared, the snapshot
 * must say the same as one that is built from the same records alone, and the
 * versions before it must stay as they were.
 */
#include "base/octets.h"
#include "zone/arena.h"
#include "zone_text.h"

/* Large enough for an arena of its own (ARENA_SMALL). */
#define NAME_NR 16000u

static const uint8_t apex[] = "\1z\4test";

enum kind {
	KIND_NONE,
	KIND_A,
	KIND_MX,
	KIND_NS,
	KIND_WILD,
	KIND_DEEP,
	KIND_NR,
	KIND_ALIAS
};

struct model {
	uint32_t serial;
	bool scattered; /* the file has each owner's records in two places */
	struct {
		enum kind kind;
		uint32_t value;
	} name[NAME_NR];
};

static char said[4096];
static uint64_t line_nr; /* of the record added last */

/* Check tells its parent of each ck_assert(): too slow for each node. */
#define MUST(condition)                                                        \
	do {                                                                   \
		if (!(condition))                                              \
			ck_abort_msg("%s", #condition);                        \
	} while (0)

static void emit(void *arg, enum zone_severity severity, const char *text)
{
	(void)arg;
	(void)severity;
	snprintf(said, sizeof(said), "%s", text);
}

static uint32_t random_next(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

static void add(struct zone_builder *builder, const char *owner, uint16_t type,
		const void *rdata, size_t len)
{
	uint8_t name[DNS_NAME_MAX];
	struct zone_record record = {.owner = name,
				     .rdata = rdata,
				     .type = type,
				     .rdata_len = (uint16_t)len,
				     .ttl = 60,
				     .file = "f",
				     .line = ++line_nr};

	MUST(dns_name_from_text(name, owner, strlen(owner), apex) > 0);
	MUST(!zone_build_add(builder, &record));
}

static void add_address(struct zone_builder *builder, const char *owner,
			uint32_t value)
{
	uint8_t rdata[4];

	put_u32(rdata, value);
	add(builder, owner, DNS_TYPE_A, rdata, 4);
}

static void add_host(struct zone_builder *builder, const char *owner,
		     uint16_t type, uint32_t host)
{
	uint8_t rdata[2 + DNS_NAME_MAX] = {0};
	char text[32];
	unsigned at = rrset_ref_name(type);
	int len;

	snprintf(text, sizeof(text), "h%05u", host % NAME_NR);
	len = dns_name_from_text(rdata + at, text, strlen(text), apex);
	add(builder, owner, type, rdata, at + (unsigned)len);
}

static void add_name(struct zone_builder *builder, const struct model *model,
		     unsigned i)
{
	uint32_t value = model->name[i].value;
	char owner[64], other[80];

	snprintf(owner, sizeof(owner), "h%05u", i);
	switch (model->name[i].kind) {
	case KIND_A:
		add_address(builder, owner, value);
		break;
	case KIND_MX:
		add_host(builder, owner, DNS_TYPE_MX, value);
		add_address(builder, owner, value);
		break;
	case KIND_NS:
		add_host(builder, owner, DNS_TYPE_NS, value);
		snprintf(other, sizeof(other), "a.%s", owner);
		add_address(builder, other, value);
		break;
	case KIND_WILD:
		snprintf(other, sizeof(other), "*.%s", owner);
		add_host(builder, other, DNS_TYPE_MX, value);
		break;
	case KIND_DEEP:
		snprintf(other, sizeof(other), "x.y%u.%s", value % 3, owner);
		add_address(builder, other, value);
		break;
	case KIND_ALIAS:
		add_host(builder, owner, DNS_TYPE_CNAME, value);
		break;
	default:
		break;
	}
}

static void add_model(struct zone_builder *builder, const struct model *model)
{
	uint8_t soa[2 * sizeof(apex) + 20];

	line_nr = 0;
	memcpy(soa, apex, sizeof(apex));
	memcpy(soa + sizeof(apex), apex, sizeof(apex));
	memset(soa + 2 * sizeof(apex), 0, 20);
	put_u32(soa + 2 * sizeof(apex), model->serial);
	add(builder, "@", DNS_TYPE_SOA, soa, sizeof(soa));
	add_host(builder, "@", DNS_TYPE_NS, 0);
	for (unsigned i = 0; i < NAME_NR; i++)
		add_name(builder, model, i);
	for (unsigned i = 0; model->scattered && i < NAME_NR; i += 2)
		if (model->name[i].kind == KIND_A)
			add(builder,
			    (char[]){'h', (char)('0' + i / 10000),
				     (char)('0' + i / 1000 % 10),
				     (char)('0' + i / 100 % 10),
				     (char)('0' + i / 10 % 10),
				     (char)('0' + i % 10), 0},
			    DNS_TYPE_TXT, "\1x", 2);
}

static struct snapshot *build(const struct model *model,
			      struct snapshot *previous)
{
	struct zone_report report = {.emit = emit, .zone = "z.test."};
	struct zone_builder *builder =
	    zone_build_new(apex, previous, 0, &report);
	struct snapshot *snapshot = NULL;

	add_model(builder, model);
	ck_assert_msg(!zone_build_end(builder, &snapshot), "%s", said);
	zone_build_free(builder);
	return snapshot;
}

static const struct node *find_again(const struct snapshot *snapshot,
				     const struct node *node)
{
	return snapshot_find(snapshot, dns_name_hash(node->owner), node->owner,
			     node->owner_len);
}

/* References lead to the same names, each to its own version's node. */
static void refs_same(const struct snapshot *a, const struct rrset *left,
		      const struct snapshot *b, const struct rrset *right)
{
	for (uint32_t i = 0; i < left->rr_nr; i++) {
		uint32_t x = rrset_refs(left)[i], y = rrset_refs(right)[i];
		const struct node *host;

		MUST(!x == !y);
		if (!x)
			continue;
		host = snapshot_node(a, x);
		MUST(dns_name_eq(host->owner, snapshot_node(b, y)->owner));
		MUST(find_again(a, host) == host);
	}
}

static void rrset_same(const struct snapshot *a, const struct rrset *left,
		       const struct snapshot *b, const struct rrset *right)
{
	MUST(!memcmp(left, right, offsetof(struct rrset, wire)));
	MUST(!memcmp(left->wire, right->wire, left->wire_len + left->sig_len));
	MUST(!memcmp(rrset_fixes(left), rrset_fixes(right),
		     left->fix_nr * sizeof(struct rrset_fix)));
	if (rrset_has_refs(left->type))
		refs_same(a, left, b, right);
}

static void nodes_same(const struct snapshot *a, const struct node *left,
		       const struct snapshot *b, const struct node *right)
{
	const struct rrset *l = node_first(left), *r = node_first(right);

	MUST(dns_name_eq(left->owner, right->owner));
	MUST(left->flags == right->flags);
	MUST(left->size == right->size);
	MUST(left->rrset_nr == right->rrset_nr);
	for (unsigned i = 0; i < left->rrset_nr; i++) {
		rrset_same(a, l, b, r);
		l = rrset_next(l);
		r = rrset_next(r);
	}
	MUST(find_again(a, left) == left);
}

static void same(const struct snapshot *a, const struct snapshot *b)
{
	ck_assert_uint_eq(a->node_nr, b->node_nr);
	ck_assert_uint_eq(a->record_nr, b->record_nr);
	ck_assert_uint_eq(a->serial, b->serial);
	for (uint32_t i = 0; i < a->node_nr; i++)
		nodes_same(a, snapshot_node(a, a->order[i]), b,
			   snapshot_node(b, b->order[i]));
	ck_assert_mem_eq(snapshot_rrset(a, a->negative_soa)->wire,
			 snapshot_rrset(b, b->negative_soa)->wire,
			 snapshot_rrset(a, a->negative_soa)->wire_len);
}

static struct model *model_new(void)
{
	struct model *model = calloc(1, sizeof(*model));

	model->serial = 1;
	for (unsigned i = 0; i < NAME_NR; i++) {
		model->name[i].kind = KIND_A;
		model->name[i].value = i;
	}
	return model;
}

static uint64_t sum_of(const struct snapshot *snapshot)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < snapshot->node_nr; i++) {
		const struct node *node =
		    snapshot_node(snapshot, snapshot->order[i]);
		const uint64_t *word = (const void *)node;

		for (uint32_t k = 0; k < node->size; k++)
			sum = sum * 31 + word[k];
	}
	return sum;
}

/* Builds the next version over the one before; checks all that must hold. */
static struct snapshot *step(const struct model *model, struct snapshot *old)
{
	uint64_t sum = sum_of(old);
	struct snapshot *next = build(model, old), *alone = build(model, NULL);

	same(next, alone);
	ck_assert_uint_eq(sum_of(old), sum);
	snapshot_put(alone);
	return next;
}

START_TEST(small_change_costs_little)
{
	struct model *model = model_new();
	struct snapshot *s = build(model, NULL), *next;
	size_t used = s->arena->used;

	ck_assert_ptr_eq(build(model, s), s);
	model->serial = 2;
	model->name[77].value = 1;
	model->name[NAME_NR / 2].kind = KIND_NONE;
	next = step(model, s);
	ck_assert_ptr_eq(next->arena, s->arena);
	ck_assert_uint_lt(next->arena->used - used, 512);
	ck_assert_uint_eq(next->node_nr, s->node_nr - 1);
	snapshot_put(s);
	snapshot_put(s);
	same(next, next);
	snapshot_put(next);
	free(model);
}
END_TEST

/* What is said of a node that did not change names its line all the same. */
START_TEST(kept_nodes_have_their_line)
{
	struct model *model = model_new();
	struct snapshot *s, *next;

	model->name[9].kind = KIND_MX;
	model->name[9].value = 10;
	model->name[10].kind = KIND_ALIAS;
	said[0] = '\0';
	s = build(model, NULL);
	ck_assert_ptr_nonnull(strstr(said, "f:12: z.test.: h00009.z.test. MX"));
	model->serial = 2;
	said[0] = '\0';
	next = build(model, s);
	ck_assert_ptr_eq(next->arena, s->arena);
	ck_assert_ptr_nonnull(strstr(said, "f:12: z.test.: h00009.z.test. MX"));
	snapshot_put(s);
	snapshot_put(next);
	free(model);
}
END_TEST

START_TEST(scattered_records_share_too)
{
	struct model *model = model_new();
	struct snapshot *s, *next;

	model->scattered = true;
	s = build(model, NULL);
	ck_assert_ptr_eq(build(model, s), s);
	snapshot_put(s);
	model->serial = 2;
	model->name[6].value = 1;
	next = step(model, s);
	ck_assert_ptr_eq(next->arena, s->arena);
	snapshot_put(s);
	/* A second run that the version before did not have, and back. */
	model->scattered = false;
	s = step(model, next);
	snapshot_put(next);
	model->scattered = true;
	next = step(model, s);
	snapshot_put(s);
	snapshot_put(next);
	free(model);
}
END_TEST

START_TEST(dead_nodes_are_left_behind)
{
	struct model *model = model_new();
	struct snapshot *s = build(model, NULL), *next;
	bool anew = false;

	for (unsigned round = 0; round < 6; round++) {
		model->serial++;
		for (unsigned i = 0; i < NAME_NR; i += 3)
			model->name[i].value++;
		next = step(model, s);
		anew = anew || next->arena != s->arena;
		ck_assert_uint_lt(next->arena->used, NAME_NR * 72 * 3);
		snapshot_put(s);
		s = next;
	}
	ck_assert(anew);
	snapshot_put(s);
	free(model);
}
END_TEST

/* Each name refers to the one behind it: the last one moves them all. */
START_TEST(chain_of_references_moves)
{
	struct model *model = model_new();
	struct snapshot *s, *next;

	for (unsigned i = 0; i < 20; i++) {
		model->name[i].kind = KIND_MX;
		model->name[i].value = i + 1;
	}
	s = build(model, NULL);
	model->serial = 2;
	model->name[20].value = 1;
	next = step(model, s);
	ck_assert_ptr_ne(next->arena, s->arena);
	snapshot_put(s);
	/* A short chain is followed within the arena. */
	model->serial = 3;
	model->name[1].value = 1000;
	s = step(model, next);
	ck_assert_ptr_eq(s->arena, next->arena);
	snapshot_put(next);
	snapshot_put(s);
	free(model);
}
END_TEST

/* Neighbours come and go: flags and references of kept nodes follow. */
START_TEST(random_changes)
{
	struct model *model = model_new();
	struct snapshot *s, *next;
	uint32_t state = 1;

	for (unsigned i = 0; i < NAME_NR; i += 2)
		model->name[i].kind = random_next(&state) % KIND_NR;
	s = build(model, NULL);
	for (unsigned round = 0; round < 8; round++) {
		unsigned changes = round % 3 == 2 ? 4000 : 40;

		model->serial += round % 4 != 3;
		for (unsigned i = 0; i < changes; i++) {
			unsigned k = random_next(&state) % NAME_NR;

			model->name[k].kind = random_next(&state) % KIND_NR;
			model->name[k].value = random_next(&state);
		}
		next = step(model, s);
		snapshot_put(s);
		s = next;
	}
	snapshot_put(s);
	free(model);
}
END_TEST

/* From an arena to one block and back. */
START_TEST(zone_shrinks_and_grows)
{
	struct model *model = model_new(), *small = model_new();
	struct snapshot *s = build(model, NULL), *next;

	small->serial = 2;
	for (unsigned i = 100; i < NAME_NR; i++)
		small->name[i].kind = KIND_NONE;
	next = step(small, s);
	ck_assert_ptr_nonnull(s->arena);
	ck_assert_ptr_null(next->arena);
	snapshot_put(s);
	ck_assert_ptr_eq(build(small, next), next);
	snapshot_put(next);
	s = step(model, next);
	ck_assert_ptr_nonnull(s->arena);
	snapshot_put(s);
	snapshot_put(next);
	free(model);
	free(small);
}
END_TEST

/* A build that fails leaves the shared arena as it was. */
START_TEST(failed_build_leaves_no_trace)
{
	struct model *model = model_new();
	struct snapshot *s = build(model, NULL), *none = NULL;
	struct zone_report report = {.emit = emit, .zone = "z.test."};
	struct zone_builder *builder = zone_build_new(apex, s, 0, &report);
	size_t used = s->arena->used;

	model->serial = 2;
	add_model(builder, model);
	add(builder, "h00001", DNS_TYPE_CNAME, apex, sizeof(apex));
	ck_assert_int_eq(zone_build_end(builder, &none), -EINVAL);
	zone_build_free(builder);
	ck_assert_ptr_null(none);
	ck_assert_uint_eq(s->arena->used, used);
	ck_assert_uint_eq(atomic_load(&s->refs), 1);
	snapshot_put(step(model, s));
	snapshot_put(s);
	free(model);
}
END_TEST

/* Two builders over one version: only one may append to its arena. */
START_TEST(second_builder_shares_nothing)
{
	struct model *model = model_new();
	struct snapshot *s = build(model, NULL), *next;
	struct zone_report report = {.emit = emit, .zone = "z.test."};
	struct zone_builder *builder = zone_build_new(apex, s, 0, &report);

	model->serial = 2;
	next = step(model, s);
	ck_assert_ptr_ne(next->arena, s->arena);
	zone_build_free(builder);
	snapshot_put(next);
	next = step(model, s);
	ck_assert_ptr_eq(next->arena, s->arena);
	snapshot_put(next);
	snapshot_put(s);
	free(model);
}
END_TEST

START_TEST(hundred_thousand_small_zones)
{
	enum { NR = 100000 };
	struct snapshot **s = calloc(NR, sizeof(*s));
	struct model *model = calloc(1, sizeof(*model));
	size_t memory = 0;

	for (unsigned i = 0; i < 4; i++)
		model->name[i].kind = KIND_A;
	for (unsigned i = 0; i < NR; i++) {
		struct zone_report report = {.emit = emit, .zone = "z.test."};
		struct zone_builder *builder =
		    zone_build_new(apex, NULL, 0, &report);
		uint8_t soa[2 * sizeof(apex) + 20] = {0};

		memcpy(soa, apex, sizeof(apex));
		memcpy(soa + sizeof(apex), apex, sizeof(apex));
		add(builder, "@", DNS_TYPE_SOA, soa, sizeof(soa));
		add_host(builder, "@", DNS_TYPE_NS, 0);
		for (unsigned k = 0; k < 4; k++)
			add_name(builder, model, k);
		MUST(!zone_build_end(builder, &s[i]));
		zone_build_free(builder);
		memory += s[i]->memory;
	}
	ck_assert_uint_eq(s[NR - 1]->record_nr, 6);
	ck_assert_uint_lt(memory / NR, 1100);
	for (unsigned i = 0; i < NR; i++)
		snapshot_put(s[i]);
	free(s);
	free(model);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("freeze");

	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, small_change_costs_little);
	tcase_add_test(tcase, kept_nodes_have_their_line);
	tcase_add_test(tcase, scattered_records_share_too);
	tcase_add_test(tcase, dead_nodes_are_left_behind);
	tcase_add_test(tcase, chain_of_references_moves);
	tcase_add_test(tcase, random_changes);
	tcase_add_test(tcase, zone_shrinks_and_grows);
	tcase_add_test(tcase, failed_build_leaves_no_trace);
	tcase_add_test(tcase, second_builder_shares_nothing);
	tcase_add_test(tcase, hundred_thousand_small_zones);
	return unit_run("freeze", tcase);
}
