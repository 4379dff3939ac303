/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any octets as a message to a server with unsigned zones, one signed with
 * NSEC and one with NSEC3 and opt-out: the reply keeps to its room, is whole,
 * and is that of the rules every reply follows.
 *
 * The zones are those of zones/; $srcdir (as in make check) or the folder
 * above says where.
 */
#include <errno.h>

#include "base/octets.h"
#include "dns/message.h"
#include "fuzz.h"
#include "loading.h"
#include "query/query.h"

static const char *const zone_name[] = {"example.com", "example.net",
					"nsec.example", "nsec3.example"};
static struct zone_set *set;
static const struct query_config config = {
    .max_udp_payload = 1232,
    .keepalive = 100,
    .minimal_any = true,
    .nsid_len = 4,
    .nsid = "node",
    .identity = "identity",
    .version = "version",
};

/* The file as text; NULL when it is not below that folder. */
static char *read_zone(const char *folder, const char *name, size_t *len)
{
	char path[512];
	char *text;
	FILE *in;

	snprintf(path, sizeof(path), "%s/zones/%s.zone", folder, name);
	in = fopen(path, "r");
	if (!in)
		return NULL;
	text = malloc(1 << 20);
	fuzz_assert(text);
	*len = fread(text, 1, 1 << 20, in);
	fclose(in);
	return text;
}

static void add_zone(const char *name)
{
	const char *folder = getenv("srcdir");
	uint8_t apex[DNS_NAME_MAX];
	struct snapshot *snapshot;
	size_t len = 0;
	char *text = read_zone(folder ? folder : ".", name, &len);

	if (!text)
		text = read_zone("..", name, &len);
	if (!text) {
		fprintf(stderr, "zones/%s.zone is not in $srcdir\n", name);
		exit(2);
	}
	fuzz_assert(dns_name_from_text(apex, name, strlen(name), NULL) > 0);
	snapshot = loading_load(apex, text, len, NULL);
	fuzz_assert(snapshot);
	fuzz_assert(!zone_set_put(set, apex, snapshot, ZONE_SERVED));
	snapshot_put(snapshot);
	free(text);
}

static void make_set(void)
{
	static const uint8_t invalid[] = "\7invalid\7example";
	static const uint8_t not_ready[] = "\11not-ready\7example";

	set = zone_set_new(8);
	fuzz_assert(set);
	for (size_t i = 0; i < sizeof(zone_name) / sizeof(*zone_name); i++)
		add_zone(zone_name[i]);
	fuzz_assert(!zone_set_put(set, invalid, NULL, ZONE_INVALID));
	fuzz_assert(!zone_set_put(set, not_ready, NULL, ZONE_NOT_READY));
}

/* Steps over a name that may end in a pointer; checks where that leads. */
static size_t skip_name(const uint8_t *reply, size_t len, size_t at)
{
	while (at < len && reply[at]) {
		if (reply[at] >= 0xc0) {
			fuzz_assert(at + 2 <= len);
			fuzz_assert((get_u16(reply + at) & 0x3fffu) < at);
			return at + 2;
		}
		fuzz_assert(reply[at] <= DNS_LABEL_MAX);
		at += reply[at] + 1u;
	}
	fuzz_assert(at < len);
	return at + 1;
}

/* All records lie inside the reply and nothing lies behind them. */
static void check_records(const uint8_t *reply, size_t len)
{
	unsigned rr_nr = 0;
	size_t at = DNS_HEADER_LEN;

	for (unsigned i = 6; i < DNS_HEADER_LEN; i += 2)
		rr_nr += get_u16(reply + i);
	if (get_u16(reply + 4))
		at = skip_name(reply, len, at) + 4;
	while (rr_nr--) {
		at = skip_name(reply, len, at);
		fuzz_assert(at + 10 <= len);
		at += 10u + get_u16(reply + at + 8);
		fuzz_assert(at <= len);
	}
	fuzz_assert(at == len);
}

static void check_reply(const uint8_t *query, const uint8_t *reply, size_t len)
{
	const uint16_t copied = DNS_OPCODE_MASK | DNS_FLAG_RD | DNS_FLAG_CD;
	const uint16_t clear = DNS_FLAG_RA | DNS_FLAG_AD | 0x40;
	uint16_t asked = get_u16(query + 2), flags = get_u16(reply + 2);

	fuzz_assert(!(asked & DNS_FLAG_QR));
	fuzz_assert(get_u16(query) == get_u16(reply));
	fuzz_assert(flags & DNS_FLAG_QR && !(flags & clear));
	fuzz_assert((flags & copied) == (asked & copied));
	fuzz_assert(get_u16(reply + 4) <= 1);
	check_records(reply, len);
}

static size_t answer(const uint8_t *data, size_t size,
		     enum query_transport transport, size_t room)
{
	struct query_ctx ctx = {.config = &config};
	const struct query_peer peer = {.transport = transport};
	uint8_t *query = fuzz_copy(data, size), *reply = malloc(room);
	size_t len;

	fuzz_assert(reply);
	len = query_answer(&ctx, set, &peer, query, size, reply, room);
	fuzz_assert(len <= room);
	if (transport == QUERY_UDP)
		fuzz_assert(len <= config.max_udp_payload);
	if (len) {
		fuzz_assert(len >= DNS_HEADER_LEN);
		check_reply(query, reply, len);
	}
	if (transport == QUERY_TCP && len)
		fuzz_assert(!(get_u16(reply + 2) & DNS_FLAG_TC) ||
			    room < DNS_MESSAGE_MAX);
	free(query);
	free(reply);
	return len;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t udp, tcp;

	if (!set)
		make_set();
	udp = answer(data, size, QUERY_UDP, 1232);
	answer(data, size, QUERY_UDP, DNS_UDP_MIN);
	tcp = answer(data, size, QUERY_TCP, DNS_MESSAGE_MAX);
	fuzz_assert(!udp == !tcp);
	return 0;
}
