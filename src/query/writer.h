/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RRsets of a snapshot into a message: the one place that knows how the
 * pointers in their wire form (zone/snapshot.h) move with the question.
 *
 * A write that does not fit leaves the message as it was and returns false:
 * there is never half an RRset.
 */
#ifndef QUERY_WRITER_H
#define QUERY_WRITER_H

#include "base/octets.h"
#include "query/answer.h"

/* A name that lies in the message, perhaps ending in a pointer. */
struct message_name {
	uint32_t pos;
	uint16_t len; /* octets when written out */
};

struct writer {
	uint8_t *out;
	size_t pos;
	size_t limit;	   /* never written at or behind it */
	uint16_t apex_pos; /* of the zone's apex in the question */
	uint8_t apex_len;
	bool with_sigs; /* DO: RRSIGs go along */
	uint16_t rr_nr; /* records of the section being written */
};

/* Position of the name that is left of a name after skip octets. */
uint32_t writer_skip(const struct writer *w, uint32_t pos, unsigned skip);

/* Octets of a name in the message when written out. */
uint16_t writer_name_len(const struct writer *w, uint32_t pos);

/* Octets that an RRset takes, its RRSIGs too if they are wanted. */
static inline size_t writer_rrset_len(const struct writer *w,
				      const struct rrset *rrset)
{
	return (size_t)rrset->wire_len + (w->with_sigs ? rrset->sig_len : 0);
}

/* For writer_put(): sets the pointers of an RRset just copied to w->pos. */
void writer_move(struct writer *w, const struct node *node,
		 const struct rrset *rrset, struct message_name name,
		 bool ancestor);

/*
 * An RRset whose owner is the name itself (exact match, wildcard) or a suffix
 * of it of the node's length (ancestor). The common case, an owner that is the
 * question, is one memcpy: its pointers are right as they are.
 */
static inline bool writer_put(struct writer *w, const struct node *node,
			      const struct rrset *rrset,
			      struct message_name name, bool ancestor)
{
	size_t len = writer_rrset_len(w, rrset);

	if (len > w->limit - w->pos)
		return false;
	octets_copy(w->out + w->pos, rrset->wire, len);
	if (name.pos != DNS_HEADER_LEN || name.len != node->owner_len)
		writer_move(w, node, rrset, name, ancestor);
	w->pos += len;
	w->rr_nr = (uint16_t)(w->rr_nr + rrset->rr_nr +
			      (w->with_sigs ? rrset->sig_nr : 0));
	return true;
}

/* The RRSIGs alone of an RRset whose owner is the name itself. */
bool writer_put_sigs(struct writer *w, const struct rrset *rrset,
		     struct message_name name);

/*
 * An RRset without pointers in its RDATA whose owner lies at owner_pos, or
 * nowhere in the message (0): then written as labels and a pointer to the apex.
 */
bool writer_put_elsewhere(struct writer *w, const struct node *node,
			  const struct rrset *rrset, uint32_t owner_pos);

/*
 * The CNAME that a DNAME makes (RFC 6672 section 3.1), TTL of the DNAME. node
 * is the DNAME's, target the name in full; the DNAME is in the message already,
 * its target at dname_pos.
 */
bool writer_put_cname(struct writer *w, const struct node *node,
		      struct message_name owner, const uint8_t *target,
		      uint32_t dname_pos);

#endif
