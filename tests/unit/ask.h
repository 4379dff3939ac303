/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Asking query_answer() in a unit test: zone text in, reply as one line out.
 *
 *	RCODE flags; answer; authority; additional
 *
 * where a section is its records in text, sorted, joined by " | ". The reply
 * is read back by ldns, which makes it a second opinion on every octet.
 */
#ifndef TESTS_UNIT_ASK_H
#define TESTS_UNIT_ASK_H

#include <ldns/ldns.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dns/message.h"
#include "query/query.h"
#include "unit.h"
#include "zone/load.h"

static struct zone_set *ask_set;
static struct query_config ask_config = {
    .max_udp_payload = 1232,
    .minimal_any = true,
    .identity = "id1",
    .version = "v1",
};
static struct query_ctx ask_ctx = {.config = &ask_config};

static inline void ask_emit(void *arg, enum zone_severity severity,
			    const char *text)
{
	(void)arg;
	if (severity == ZONE_ERROR)
		fprintf(stderr, "%s\n", text);
}

/* Reads text as a zone into a snapshot; NULL when it is refused. */
static inline struct snapshot *ask_snapshot(const char *apex, const char *text)
{
	char path[] = "/tmp/zcdns-unit-XXXXXX";
	struct zone_report report = {.emit = ask_emit, .zone = apex};
	struct zone_load_result result;
	struct snapshot *snapshot;
	uint8_t name[DNS_NAME_MAX];
	int fd = mkstemp(path);
	FILE *file;

	ck_assert_int_ge(fd, 0);
	file = fdopen(fd, "w");
	fputs(text, file);
	fclose(file);
	ck_assert_int_gt(dns_name_from_text(name, apex, strlen(apex), NULL), 0);
	if (zone_load(&result, name, path, NULL, &report))
		result.snapshot = NULL;
	unlink(path);
	snapshot = result.snapshot ? snapshot_get(result.snapshot) : NULL;
	zone_load_release(&result);
	return snapshot;
}

/* Adds a zone to the set that ask() uses. text NULL: not loaded. */
static inline void ask_zone(const char *apex, const char *text)
{
	struct snapshot *snapshot = text ? ask_snapshot(apex, text) : NULL;
	uint8_t name[DNS_NAME_MAX];

	if (!ask_set)
		ask_set = zone_set_new(8);
	ck_assert(!text || snapshot);
	dns_name_from_text(name, apex, strlen(apex), NULL);
	ck_assert_int_eq(zone_set_put(ask_set, name, snapshot,
				      snapshot ? ZONE_SERVED : ZONE_NOT_READY),
			 0);
	snapshot_put(snapshot);
}

/* A sample zone of zones/, file name NAME.zone. */
static inline void ask_zone_file(const char *apex)
{
	static char text[200000];
	const char *srcdir = getenv("srcdir");
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/zones/%s.zone", srcdir ? srcdir : ".",
		 apex);
	file = fopen(path, "r");
	ck_assert_msg(file, "%s: cannot be opened", path);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	ask_zone(apex, text);
}

static inline void ask_release(void)
{
	zone_set_free(ask_set);
	ask_set = NULL;
}

/* What a test may vary in a question. */
struct ask {
	const char *name;
	const char *type;
	int size; /* EDNS payload size; 0: no OPT */
	bool do_bit;
	bool tcp;
};

static inline size_t ask_message(const struct ask *ask, uint8_t *out)
{
	uint8_t *p = out + DNS_HEADER_LEN;
	int type = dns_type_from_text(ask->type, strlen(ask->type));

	memset(out, 0, DNS_HEADER_LEN);
	out[0] = 0x12;
	out[1] = 0x34;
	out[5] = 1;
	p += dns_name_from_text(p, ask->name, strlen(ask->name), NULL);
	*p++ = (uint8_t)(type >> 8);
	*p++ = (uint8_t)type;
	*p++ = 0;
	*p++ = DNS_CLASS_IN;
	if (ask->size) {
		const uint8_t opt[] = {0,
				       0,
				       DNS_TYPE_OPT,
				       (uint8_t)(ask->size >> 8),
				       (uint8_t)ask->size,
				       0,
				       0,
				       ask->do_bit ? 0x80 : 0,
				       0,
				       0,
				       0};

		out[11] = 1;
		memcpy(p, opt, sizeof(opt));
		p += sizeof(opt);
	}
	return (size_t)(p - out);
}

/* Exactly sized copies, so that ASan sees every octet read or written amiss. */
static inline size_t ask_raw(const uint8_t *message, size_t len, bool tcp,
			     uint8_t *out)
{
	const struct query_peer peer = {.transport =
					    tcp ? QUERY_TCP : QUERY_UDP};
	size_t max = tcp ? DNS_MESSAGE_MAX : 1232;
	uint8_t *in = malloc(len ? len : 1), *reply = malloc(max);

	memcpy(in, message, len);
	len = query_answer(&ask_ctx, ask_set, &peer, in, len, reply, max);
	memcpy(out, reply, len);
	free(in);
	free(reply);
	return len;
}

static inline int ask_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static inline void ask_section(char *out, ldns_rr_list *list)
{
	size_t nr = ldns_rr_list_rr_count(list);
	char **text = calloc(nr + 1, sizeof(*text));

	for (size_t i = 0; i < nr; i++) {
		text[i] = ldns_rr2str(ldns_rr_list_rr(list, i));
		for (char *p = text[i]; *p; p++)
			if (*p == '\t')
				*p = ' ';
		text[i][strcspn(text[i], "\n")] = '\0';
	}
	qsort(text, nr, sizeof(*text), ask_compare);
	strcat(out, ";");
	for (size_t i = 0; i < nr; i++) {
		strcat(out, i ? " | " : " ");
		strcat(out, text[i]);
		free(text[i]);
	}
	free(text);
}

/* A question to ldns' view of the reply; the caller frees it. */
static inline ldns_pkt *ask_pkt(const struct ask *ask)
{
	static uint8_t reply[DNS_MESSAGE_MAX];
	uint8_t message[600];
	size_t len = ask_message(ask, message);
	ldns_pkt *pkt = NULL;

	len = ask_raw(message, len, ask->tcp, reply);
	ck_assert_int_eq(ldns_wire2pkt(&pkt, reply, len), LDNS_STATUS_OK);
	return pkt;
}

/* A reply as one line; static, valid until the next call. */
static inline const char *ask_text(const uint8_t *reply, size_t len)
{
	static char text[200000];
	ldns_pkt *pkt = NULL;
	char *rcode;

	if (!len)
		return "dropped";
	ck_assert_msg(ldns_wire2pkt(&pkt, reply, len) == LDNS_STATUS_OK,
		      "ldns cannot read the reply of %zu octets", len);
	rcode = ldns_pkt_rcode2str(ldns_pkt_get_rcode(pkt));
	sprintf(text, "%s%s%s", rcode, ldns_pkt_aa(pkt) ? " aa" : "",
		ldns_pkt_tc(pkt) ? " tc" : "");
	free(rcode);
	ask_section(text, ldns_pkt_answer(pkt));
	ask_section(text, ldns_pkt_authority(pkt));
	ask_section(text, ldns_pkt_additional(pkt));
	ldns_pkt_free(pkt);
	return text;
}

static inline const char *ask(const struct ask *ask)
{
	static uint8_t reply[DNS_MESSAGE_MAX];
	uint8_t message[600];
	size_t len = ask_message(ask, message);

	len = ask_raw(message, len, ask->tcp, reply);
	ck_assert_mem_eq(reply, message, 2);
	return ask_text(reply, len);
}

/* A plain question over UDP. */
static inline void ask_expect(const char *name, const char *type,
			      const char *expected)
{
	const struct ask a = {.name = name, .type = type};
	const char *got = ask(&a);

	ck_assert_msg(!strcmp(got, expected), "%s %s:\n got  %s\n want %s",
		      name, type, got, expected);
}

#endif
