/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Authenticated denial: the NSEC records (RFC 4035 section 3.1.3) or NSEC3
 * records (RFC 5155 section 7.2) that go with an answer, each once. Called
 * only with DO set; adds nothing to an unsigned zone.
 */
#ifndef QUERY_DENIAL_H
#define QUERY_DENIAL_H

#include "query/answer.h"

/*
 * Where a name was looked for: labels is the name, encloser the label at which
 * the closest encloser starts (0: the name itself exists). node is that of the
 * name that exists: its own NSEC is the proof.
 */

/* The name exists and has no RRset of the type; DS of an insecure cut too. */
void denial_nodata(struct answer *answer, const struct dns_labels *labels,
		   const struct node *node);

/* Neither the name nor a wildcard for it exists. */
void denial_nxdomain(struct answer *answer, const struct dns_labels *labels,
		     unsigned encloser);

/* An answer came from the wildcard below the encloser. */
void denial_wildcard(struct answer *answer, const struct dns_labels *labels,
		     unsigned encloser);

/* That wildcard has no RRset of the type. */
void denial_wildcard_nodata(struct answer *answer,
			    const struct dns_labels *labels, unsigned encloser,
			    const struct node *node);

/* The cut that starts at label cut has no DS. */
void denial_no_ds(struct answer *answer, const struct dns_labels *labels,
		  unsigned cut, const struct node *node);

#endif
