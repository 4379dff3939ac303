/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Filling struct answer. An RRset whose owner is the name of the step can come
 * twice only if that name comes twice, which the chain does not allow; any
 * other one is looked for before it is added.
 */
#include "query/answer.h"

bool answer_has(const struct answer *answer, const struct rrset *rrset)
{
	for (unsigned i = 0; i < answer->entry_nr; i++)
		if (answer->entry[i].rrset == rrset)
			return true;
	return false;
}

void answer_add_kind(struct answer *answer, enum answer_kind kind,
		     const struct node *node, const struct rrset *rrset)
{
	*answer_next(answer, ANSWER_ANSWER) = (struct answer_entry){
	    .node = node,
	    .rrset = rrset,
	    .section = ANSWER_ANSWER,
	    .kind = (uint8_t)kind,
	    .owner = OWNER_STEP,
	    .step = answer_step(answer),
	};
}
