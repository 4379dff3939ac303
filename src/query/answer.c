/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Filling struct answer. An RRset whose owner is the name of the step can come
 * twice only if that name comes twice, which the chain does not allow; any
 * other one is looked for before it is added.
 */
#include "query/answer.h"

#include <assert.h>

static bool has_rrset(const struct answer *answer, const struct rrset *rrset)
{
	for (unsigned i = 0; i < answer->entry_nr; i++)
		if (answer->entry[i].rrset == rrset)
			return true;
	return false;
}

static struct answer_entry *next_entry(struct answer *answer)
{
	assert(answer->entry_nr < ANSWER_ENTRIES_MAX);
	return &answer->entry[answer->entry_nr++];
}

void answer_add(struct answer *answer, enum answer_section section,
		enum answer_owner owner, const struct node *node,
		const struct rrset *rrset)
{
	if (owner != OWNER_STEP && has_rrset(answer, rrset))
		return;
	*next_entry(answer) = (struct answer_entry){
	    .node = node,
	    .rrset = rrset,
	    .section = (uint8_t)section,
	    .kind = ANSWER_RRSET,
	    .owner = (uint8_t)owner,
	    .step = answer_step(answer),
	};
}

void answer_add_kind(struct answer *answer, enum answer_kind kind,
		     const struct node *node, const struct rrset *rrset)
{
	*next_entry(answer) = (struct answer_entry){
	    .node = node,
	    .rrset = rrset,
	    .section = ANSWER_ANSWER,
	    .kind = (uint8_t)kind,
	    .owner = OWNER_STEP,
	    .step = answer_step(answer),
	};
}
