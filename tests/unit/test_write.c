/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A zone written out: in which order and form, and that reading it again gives
 * the same wire data. A snapshot equals another one octet by octet when their
 * index and all their nodes do.
 */
#include "zone/load.h"
#include "zone/write.h"
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const uint8_t apex[] = "\7example\3com";

static void emit(void *arg, enum zone_severity severity, const char *text)
{
	(void)arg;
	if (severity == ZONE_ERROR)
		fprintf(stderr, "%s\n", text);
}

static struct snapshot *load(const char *text)
{
	struct zone_report report = {.emit = emit, .zone = "example.com."};
	struct zone_load_result result;
	char path[] = "/tmp/zcdns-write-XXXXXX";
	int fd = mkstemp(path);
	struct snapshot *snapshot;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq((int)write(fd, text, strlen(text)), (int)strlen(text));
	close(fd);
	ck_assert_int_eq(zone_load(&result, apex, path, NULL, &report), 0);
	unlink(path);
	snapshot = snapshot_get(result.snapshot);
	zone_load_release(&result);
	return snapshot;
}

static char *written(const struct snapshot *snapshot)
{
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	ck_assert_int_eq(zone_write(out, snapshot), 0);
	ck_assert_int_eq(fclose(out), 0);
	return text;
}

START_TEST(order_and_form)
{
	struct snapshot *snapshot =
	    load("$ORIGIN example.com.\n$TTL 60\n"
		 "z A 192.0.2.2\nZ A 192.0.2.1\n"
		 "*.z TXT \"a\\\"b\" \"\"\n"
		 "@ NS Ns\n@ 5 MX 10 z\n"
		 "@ SOA ns host 1 2 3 4 5\n"
		 "Ns A 192.0.2.3\n"
		 "a CNAME z\n"
		 "a RRSIG CNAME 8 3 60 20380101000000 20180101000000 1 "
		 "@ AAAA\n"
		 "deep.in.it TYPE65280 \\# 2 abcd\n");
	char *text = written(snapshot);

	ck_assert_str_eq(
	    text, "example.com.\t60\tIN\tSOA\tns.example.com. "
		  "host.example.com. 1 2 3 4 5\n"
		  "example.com.\t60\tIN\tNS\tNs.example.com.\n"
		  "example.com.\t5\tIN\tMX\t10 z.example.com.\n"
		  "a.example.com.\t60\tIN\tCNAME\tz.example.com.\n"
		  "a.example.com.\t60\tIN\tRRSIG\tCNAME 8 3 60 20380101000000 "
		  "20180101000000 1 example.com. AAAA\n"
		  "deep.in.it.example.com.\t60\tIN\tTYPE65280\t\\# 2 ABCD\n"
		  "Ns.example.com.\t60\tIN\tA\t192.0.2.3\n"
		  "z.example.com.\t60\tIN\tA\t192.0.2.1\n"
		  "z.example.com.\t60\tIN\tA\t192.0.2.2\n"
		  "*.z.example.com.\t60\tIN\tTXT\t\"a\\\"b\" \"\"\n");
	free(text);
	snapshot_put(snapshot);
}
END_TEST

/* NSEC3 owners stand where their names belong. */
START_TEST(nsec3_in_order)
{
	struct snapshot *snapshot =
	    load("$ORIGIN example.com.\n$TTL 60\n"
		 "@ SOA ns host 1 2 3 4 5\n@ NS ns\nns A 192.0.2.3\n"
		 "@ NSEC3PARAM 1 0 0 -\n"
		 "0p9mhaveqvm6t7vbl5lop2u3t2rp3tom NSEC3 1 0 0 - "
		 "v644ebqk9bibcna874givr6joj62mlhv A\n"
		 "v644ebqk9bibcna874givr6joj62mlhv NSEC3 1 0 0 - "
		 "0p9mhaveqvm6t7vbl5lop2u3t2rp3tom SOA NS NSEC3PARAM\n");
	char *text = written(snapshot);
	const char *first = strstr(text, "\n0p9m");
	const char *middle = strstr(text, "\nns.example.com.");
	const char *last = strstr(text, "\nv644");

	ck_assert_ptr_nonnull(first);
	ck_assert_ptr_nonnull(middle);
	ck_assert_ptr_nonnull(last);
	ck_assert(first < middle && middle < last);
	free(text);
	snapshot_put(snapshot);
}
END_TEST

static void same_nodes(const struct snapshot *a, const struct snapshot *b)
{
	ck_assert_uint_eq(a->node_nr, b->node_nr);
	ck_assert_uint_eq(a->record_nr, b->record_nr);
	ck_assert_uint_eq(a->serial, b->serial);
	for (uint32_t i = 0; i < a->node_nr; i++) {
		const struct node *x = snapshot_node(a, a->order[i]);
		const struct node *y = snapshot_node(b, b->order[i]);
		const struct rrset *r = node_first(x), *s = node_first(y);

		ck_assert_uint_eq(x->rrset_nr, y->rrset_nr);
		ck_assert_mem_eq(x->owner, y->owner, x->owner_len);
		for (unsigned k = 0; k < x->rrset_nr; k++) {
			ck_assert_uint_eq(r->type, s->type);
			ck_assert_uint_eq(r->wire_len, s->wire_len);
			ck_assert_uint_eq(r->sig_len, s->sig_len);
			ck_assert_mem_eq(r->wire, s->wire,
					 r->wire_len + r->sig_len);
			r = rrset_next(r);
			s = rrset_next(s);
		}
	}
}

START_TEST(read_again)
{
	struct snapshot *first =
	    load("$ORIGIN example.com.\n$TTL 60\n"
		 "@ SOA ns host 1 2 3 4 5\n@ NS ns\nns A 192.0.2.3\n"
		 "odd\\.\\000\\(\\;\\\"\\@ TXT \"\\000\\255 \\\\\"\n"
		 "srv SRV 1 2 3 Host.In.Zone\n"
		 "caa CAA 0 issue \"x;y=z\"\n"
		 "loc LOC 52 22 23 N 4 53 32 E -2m 0m 10000m 10m\n"
		 "h HTTPS 1 . alpn=h2,h3 ipv4hint=192.0.2.1\n"
		 "n NAPTR 1 2 \"s\" \"a+b\" \"!^.*$!x!\" .\n"
		 "sub NS ns.sub\nsub DS 1 8 2 "
		 "0000000000000000000000000000000000000000000000000000000000"
		 "000000\n"
		 "ns.sub AAAA 2001:db8::1\n"
		 "*.w.w 300 MX 0 ns\n");
	char *text = written(first), *again;
	struct snapshot *second = load(text);

	same_nodes(first, second);
	again = written(second);
	ck_assert_str_eq(text, again);
	free(text);
	free(again);
	snapshot_put(first);
	snapshot_put(second);
}
END_TEST

START_TEST(write_error)
{
	struct snapshot *snapshot =
	    load("@ 1 SOA a b 1 2 3 4 5\n@ 1 NS ns.example.\n");
	FILE *full = fopen("/dev/full", "w");

	ck_assert_ptr_nonnull(full);
	setvbuf(full, NULL, _IONBF, 0);
	ck_assert_int_eq(zone_write(full, snapshot), -ENOSPC);
	fclose(full);
	snapshot_put(snapshot);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("write");

	tcase_add_test(tcase, order_and_form);
	tcase_add_test(tcase, nsec3_in_order);
	tcase_add_test(tcase, read_again);
	tcase_add_test(tcase, write_error);
	return unit_run("zone/write", tcase);
}
