/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Collecting and ordering the records of one owner. Nearly all owners have one
 * to four records, a few have tens of thousands: nothing here is quadratic.
 */
#include "zone/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/octets.h"
#include "dns/type.h"

void run_start(struct run *run, const uint8_t *owner, size_t owner_len)
{
	run->record_nr = 0;
	run->octet_nr = 0;
	run->owner_len = (uint8_t)owner_len;
	memcpy(run->owner, owner, owner_len);
	run->label_nr = (uint8_t)dns_name_label_nr(owner);
}

static int room_for_octets(struct run *run, size_t len)
{
	size_t max = run->octet_max ? run->octet_max : 512;
	void *p;

	if (run->octet_nr + len <= run->octet_max)
		return 0;
	while (max < run->octet_nr + len)
		max *= 2;
	/* Offsets are of 32 bits; no RRset near that can ever be sent. */
	if (max > UINT32_MAX)
		return -ENOMEM;
	p = realloc(run->octets, max);
	if (!p)
		return -ENOMEM;
	run->octets = p;
	run->octet_max = max;
	return 0;
}

static int room_for_record(struct run *run)
{
	size_t max = run->record_max ? run->record_max * 2 : 8;
	void *p;

	if (run->record_nr < run->record_max)
		return 0;
	p = realloc(run->record, max * sizeof(*run->record));
	if (!p)
		return -ENOMEM;
	run->record = p;
	run->record_max = max;
	return 0;
}

int run_add(struct run *run, const struct run_rr *rr)
{
	struct run_record *record;

	if (room_for_record(run) || room_for_octets(run, rr->len))
		return -ENOMEM;
	record = &run->record[run->record_nr++];
	*record = (struct run_record){.at = (uint32_t)run->octet_nr,
				      .canonical = (uint32_t)run->octet_nr,
				      .ttl = rr->ttl,
				      .place = rr->place,
				      .len = rr->len,
				      .type = rr->type};
	if (rr->len)
		memcpy(run->octets + run->octet_nr, rr->rdata, rr->len);
	run->octet_nr += rr->len;
	if (rr->type == DNS_TYPE_RRSIG && rr->len >= 2) {
		record->sig = true;
		record->type = get_u16(rr->rdata);
	}
	return 0;
}

static void lower_names(uint8_t *rdata, const char *form, size_t len)
{
	size_t pos = 0;
	bool compressible;
	int at;

	while ((at = dns_rdata_next_name(&form, rdata, len, &pos,
					 &compressible)) >= 0)
		dns_name_lower(rdata + at, rdata + at);
}

/* Names inside RDATA are the same name in any case (RFC 2181 section 5). */
static int make_canonical(struct run *run, struct run_record *record)
{
	uint16_t type = record->sig ? DNS_TYPE_RRSIG : record->type;
	const struct dns_type *row = dns_type_find(type);
	uint8_t *copy;

	if (!row || !row->form || !strpbrk(row->form, "nN"))
		return 0;
	if (room_for_octets(run, record->len))
		return -ENOMEM;
	copy = run->octets + run->octet_nr;
	memcpy(copy, run->octets + record->at, record->len);
	lower_names(copy, row->form, record->len);
	record->canonical = (uint32_t)run->octet_nr;
	run->octet_nr += record->len;
	return 0;
}

static int rdata_cmp(const struct run_record *a, const struct run_record *b,
		     const uint8_t *octets)
{
	size_t len = a->len < b->len ? a->len : b->len;
	int diff = 0;

	if (len) /* octets may be NULL where all RDATA is empty */
		diff =
		    memcmp(octets + a->canonical, octets + b->canonical, len);
	return diff ? diff : a->len - b->len;
}

static bool same_rrset(const struct run_record *a, const struct run_record *b)
{
	return a->type == b->type && a->sig == b->sig;
}

static int record_cmp(const void *left, const void *right, void *octets)
{
	const struct run_record *a = left, *b = right;
	int diff;

	if (a->type != b->type)
		return a->type < b->type ? -1 : 1;
	if (a->sig != b->sig)
		return a->sig ? 1 : -1;
	diff = rdata_cmp(a, b, octets);
	if (diff)
		return diff;
	/* Of duplicates the first in the file stays. */
	return a->at < b->at ? -1 : a->at > b->at;
}

int run_sort(struct run *run)
{
	struct run_record *record = run->record;

	if (run->record_nr < 2)
		return 0;
	for (size_t i = 0; i < run->record_nr; i++)
		if (make_canonical(run, &record[i]))
			return -ENOMEM;
	qsort_r(record, run->record_nr, sizeof(*record), record_cmp,
		run->octets);
	for (size_t i = 1; i < run->record_nr; i++)
		record[i].dup =
		    same_rrset(&record[i], &record[i - 1]) &&
		    !rdata_cmp(&record[i], &record[i - 1], run->octets);
	return 0;
}

void run_release(struct run *run)
{
	free(run->record);
	free(run->octets);
	*run = (struct run){0};
}
