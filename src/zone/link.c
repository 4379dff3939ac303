/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kept and new nodes become one list in canonical order. In that order an
 * owner follows its ancestors directly, so a stack of the last owner's
 * ancestors is all it takes to add empty non-terminals and to know what lies
 * below a cut, below a DNAME, or beside a wildcard.
 */
#include "zone/builder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dns/fold.h"
#include "dns/message.h"
#include "zone/zone_check.h"
#include "zone/rdata.h"
#include "zone/rr.h"

void link_release(struct link *link)
{
	free(link->node);
	free(link->flags);
	free(link->place);
	*link = (struct link){0};
}

static int link_grow(struct link *link, size_t max)
{
	void *node = realloc(link->node, max * sizeof(*link->node));
	void *flags, *place;

	if (!node)
		return -ENOMEM;
	link->node = node;
	flags = realloc(link->flags, max * sizeof(*link->flags));
	if (!flags)
		return -ENOMEM;
	link->flags = flags;
	place = realloc(link->place, max * sizeof(*link->place));
	if (!place)
		return -ENOMEM;
	link->place = place;
	link->max = max;
	return 0;
}

struct linked {
	uint32_t node;
	uint32_t place;
	uint16_t flags;
};

static int link_push(struct link *link, struct linked item)
{
	if (link->nr == link->max &&
	    link_grow(link, link->max ? link->max * 2 : 16))
		return -ENOMEM;
	link->node[link->nr] = item.node;
	link->flags[link->nr] = item.flags;
	link->place[link->nr] = item.place;
	link->nr++;
	return 0;
}

void link_count(struct link *link, const struct node *node, bool kept, int sign)
{
	const struct rrset *rrset = node_first(node);
	size_t size = (size_t)node->size * ARENA_UNIT * (size_t)sign;

	/* Unsigned arithmetic wraps, so that -1 takes away. */
	link->live += size;
	link->fresh += kept ? 0 : size;
	for (unsigned i = 0; i < node->rrset_nr; i++) {
		link->record_nr +=
		    (uint64_t)sign * (rrset->rr_nr + rrset->sig_nr);
		rrset = rrset_next(rrset);
	}
}

/* The two sources of nodes, each in canonical order. */
struct source {
	struct zone_builder *builder;
	struct fragment_list *list;
	size_t next;			    /* in list */
	const uint32_t *old;		    /* names of the shared version */
	const struct snapshot_nsec3 *nsec3; /* or its hashed ones */
	uint32_t old_nr, old_next;
	uint32_t kept; /* the next kept node, 0 for none */
	uint64_t kept_key;
};

/* All nodes with one owner: a kept one or none, and fragments. */
struct group {
	uint32_t kept;
	const struct fragment *fragment;
	size_t nr;
};

static void kept_next(struct source *source)
{
	const struct zone_builder *builder = source->builder;

	source->kept = 0;
	while (source->old_next < source->old_nr) {
		uint32_t i = source->old_next++;
		uint32_t node =
		    source->old ? source->old[i] : source->nsec3[i].node;

		if (!shared_is_kept(builder, node))
			continue;
		source->kept = node;
		source->kept_key =
		    fragment_key(builder_node(builder, node, true)->owner,
				 builder->apex_label_nr);
		return;
	}
}

static int kept_cmp(const struct source *source,
		    const struct fragment *fragment)
{
	const struct zone_builder *builder = source->builder;

	if (source->kept_key != fragment->key)
		return source->kept_key < fragment->key ? -1 : 1;
	return dns_name_cmp(
	    builder_node(builder, source->kept, true)->owner,
	    builder_node(builder, fragment->node, false)->owner);
}

static bool same_owner(const struct zone_builder *builder,
		       const struct fragment *a, const struct fragment *b)
{
	const struct node *left, *right;

	if (a->key != b->key)
		return false;
	left = builder_node(builder, a->node, false);
	right = builder_node(builder, b->node, false);
	return left->owner_len == right->owner_len &&
	       dns_fold_eq(left->owner, right->owner, left->owner_len);
}

static bool group_next(struct source *source, struct group *group)
{
	const struct fragment_list *list = source->list;
	bool more = source->next < list->nr;
	const struct fragment *first =
	    more ? list->fragment + source->next : NULL;
	int diff = !more ? -1 : source->kept ? kept_cmp(source, first) : 1;

	*group = (struct group){.fragment = first};
	if (!more && !source->kept)
		return false;
	if (diff <= 0) {
		group->kept = source->kept;
		kept_next(source);
	}
	if (diff < 0)
		return true;
	do {
		group->nr++;
		source->next++;
	} while (
	    source->next < list->nr &&
	    same_owner(source->builder, first, list->fragment + source->next));
	return true;
}

/* The records of a node, back into the run. */
static int node_to_run(struct zone_builder *builder, const struct node *node,
		       uint32_t place)
{
	const struct rrset *rrset = node_first(node);
	struct rr_reader reader;
	struct rr rr;

	for (unsigned i = 0; i < node->rrset_nr;
	     i++, rrset = rrset_next(rrset)) {
		rr_reader_init(&reader, node, rrset);
		while (rr_reader_next(&reader, &rr, builder->rdata)) {
			struct run_rr copy = {.rdata = rr.rdata,
					      .ttl = rr.ttl,
					      .place = place,
					      .type = rr.type,
					      .len = rr.len};

			if (run_add(&builder->run, &copy))
				return -ENOMEM;
		}
	}
	return 0;
}

static int group_collect(struct zone_builder *builder,
			 const struct group *group)
{
	const struct node *node;
	int err = 0;

	if (!builder->rdata)
		builder->rdata = malloc(RDATA_MAX);
	if (!builder->rdata)
		return -ENOMEM;
	node = group->kept
		   ? builder_node(builder, group->kept, true)
		   : builder_node(builder, group->fragment->node, false);
	run_start(&builder->run, node->owner, node->owner_len);
	if (group->kept)
		err = node_to_run(builder, node, PLACE_NONE);
	for (size_t i = 0; i < group->nr && !err; i++) {
		node = builder_node(builder, group->fragment[i].node, false);
		builder->stage_dead += (size_t)node->size * ARENA_UNIT;
		err = node_to_run(builder, node, group->fragment[i].place);
	}
	return err;
}

/* One node for the group. */
static int group_node(struct zone_builder *builder, const struct group *group,
		      struct linked *item)
{
	bool kept = !group->nr;
	int err;

	*item = (struct linked){.node = group->kept, .place = PLACE_NONE};
	if (group->nr) {
		item->place = group->fragment->place;
		item->node = group->fragment->node;
	}
	if (group->nr + (group->kept != 0) > 1) {
		err = group_collect(builder, group);
		if (!err)
			err = builder_compose(builder, &builder->run,
					      &item->node, &kept);
		builder->run.record_nr = 0;
		if (err)
			return err;
	}
	if (kept)
		item->flags = LINK_KEPT;
	if (kept && !item->place)
		item->place = shared_place(builder, item->node);
	return 0;
}

struct ancestors {
	struct zone_builder *builder;
	unsigned depth; /* of the last owner, labels below the apex */
	size_t at[DNS_LABELS_MAX + 1];	/* by depth: where in names */
	bool dname[DNS_LABELS_MAX + 1]; /* it or one above has a DNAME */
};

static const struct node *linked_node(const struct zone_builder *builder,
				      size_t i)
{
	return builder_node(builder, builder->names.node[i],
			    builder->names.flags[i] & LINK_KEPT);
}

static unsigned flags_of_rrset(const struct rrset *rrset)
{
	unsigned flags = 0;

	/* What RRSIGs or size there is to check. */
	if (rrset->sig_nr || rrset->wire_len > DNS_MESSAGE_MAX - 512)
		flags |= LINK_CHECK;
	if (!rrset->rr_nr)
		return flags;
	if (rrset->type == DNS_TYPE_NS)
		flags |= NODE_CUT;
	else if (rrset->type == DNS_TYPE_CNAME)
		flags |= NODE_CNAME;
	else if (rrset->type == DNS_TYPE_DNAME)
		flags |= NODE_DNAME;
	else if (rrset->type == DNS_TYPE_NSEC)
		flags |= LINK_NSEC;
	if (rrset_has_refs(rrset->type))
		flags |= LINK_REFS;
	return flags;
}

static uint16_t flags_of_types(const struct node *node)
{
	const struct rrset *rrset = node_first(node);
	unsigned flags = node->rrset_nr ? 0 : LINK_EMPTY;

	for (unsigned i = 0; i < node->rrset_nr; i++, rrset = rrset_next(rrset))
		flags |= flags_of_rrset(rrset);
	return (uint16_t)flags;
}

/* The flags that follow from the node and its parent. */
static uint16_t flags_below(const struct node *node, uint16_t parent)
{
	unsigned flags = flags_of_types(node);

	if (parent & (NODE_CUT | NODE_BELOW_CUT)) {
		/* Below a cut an NS cuts nothing off (RFC 2181 section 6). */
		flags &= ~(unsigned)NODE_CUT;
		flags |= NODE_BELOW_CUT;
	}
	if (node->owner[0] == 1 && node->owner[1] == '*')
		flags |= NODE_WILDCARD;
	return (uint16_t)flags;
}

/* Nodes in the stage are ours to write, those kept are published. */
static void flag_parent(struct zone_builder *builder, size_t parent)
{
	struct link *names = &builder->names;

	names->flags[parent] |= NODE_WILDCARD_CHILD;
	if (!(names->flags[parent] & LINK_KEPT)) {
		struct node *node =
		    arena_at(builder->stage, names->node[parent]);

		node->flags |= NODE_WILDCARD_CHILD;
	}
}

static int name_push(struct ancestors *above, struct linked item,
		     unsigned depth)
{
	struct zone_builder *builder = above->builder;
	struct link *names = &builder->names;
	const struct node *node =
	    builder_node(builder, item.node, item.flags & LINK_KEPT);
	uint16_t flags;

	if (!depth) {
		flags =
		    (uint16_t)((flags_of_types(node) & ~NODE_CUT) | NODE_APEX);
		above->dname[0] = false;
	} else {
		size_t parent = above->at[depth - 1];

		flags = flags_below(node, names->flags[parent]);
		if (flags & NODE_WILDCARD)
			flag_parent(builder, parent);
		above->dname[depth] = above->dname[depth - 1] ||
				      names->flags[parent] & NODE_DNAME;
	}
	check_node(builder, node, flags, item.place);
	if (depth && above->dname[depth] && node->rrset_nr)
		check_say_owner(builder, ZONE_ERROR, item.place, node->owner,
				"lies below a DNAME");
	above->at[depth] = names->nr;
	above->depth = depth;
	if (!(item.flags & LINK_KEPT))
		((struct node *)arena_at(builder->stage, item.node))->flags =
		    flags & (uint16_t)~LINK_ALL;
	link_count(names, node, item.flags & LINK_KEPT, 1);
	item.flags |= flags;
	return link_push(names, item);
}

/* Labels below the apex that the owner has in common with the stack. */
static unsigned common_depth(const struct ancestors *above,
			     const struct node *node, unsigned depth)
{
	unsigned d = above->depth < depth - 1 ? above->depth : depth - 1;

	for (; d > 0; d--) {
		const struct node *other =
		    linked_node(above->builder, above->at[d]);
		size_t len = other->owner_len;

		/* As many labels as d on both sides: no label is cut. */
		if (len < node->owner_len &&
		    dns_fold_eq(node->owner + node->owner_len - len,
				other->owner, len) &&
		    dns_name_suffix(node->owner, other->owner) >= 0)
			break;
	}
	return d;
}

/* The ancestors of owner from depth from to below depth (RFC 4592 2.2.2). */
static int push_empty(struct ancestors *above, const uint8_t *owner,
		      unsigned from, unsigned depth)
{
	struct zone_builder *builder = above->builder;
	unsigned skip = depth - from;
	const uint8_t *name;

	for (; skip > 0; skip--) {
		struct linked item = {.place = PLACE_NONE};
		bool kept;
		int err;

		name = owner;
		for (unsigned i = 0; i < skip; i++)
			name += *name + 1;
		run_start(&builder->run, name, dns_name_len(name));
		err =
		    builder_compose(builder, &builder->run, &item.node, &kept);
		if (kept)
			item.flags = LINK_KEPT;
		if (!err)
			err = name_push(above, item, depth - skip);
		if (err)
			return err;
	}
	return 0;
}

static int name_link(struct ancestors *above, struct linked item)
{
	struct zone_builder *builder = above->builder;
	const struct node *node =
	    builder_node(builder, item.node, item.flags & LINK_KEPT);
	unsigned depth = node->label_nr - (unsigned)builder->apex_label_nr;
	unsigned common;
	int err;

	if (depth > 1) {
		common = common_depth(above, node, depth);
		if (common + 1 < depth) {
			uint8_t owner[DNS_NAME_MAX];

			/* Composing may move the stage. */
			memcpy(owner, node->owner, node->owner_len);
			err = push_empty(above, owner, common + 1, depth);
			if (err)
				return err;
		}
	}
	return name_push(above, item, depth);
}

static const struct node *item_node(const struct zone_builder *builder,
				    const struct linked *item)
{
	return builder_node(builder, item->node, item->flags & LINK_KEPT);
}

static int link_names(struct zone_builder *builder)
{
	struct ancestors above = {.builder = builder};
	struct source source = {.builder = builder,
				.list = &builder->fragments};
	struct group group;
	struct linked item;
	int err = fragment_sort(&builder->fragments, builder->stage);

	if (!err)
		err = link_grow(&builder->names,
				builder->fragments.nr + builder->kept_nr + 16);
	if (err)
		return err;
	if (builder->shared) {
		source.old = builder->shared->order;
		source.old_nr = builder->shared->node_nr;
		kept_next(&source);
	}
	while (!err && group_next(&source, &group)) {
		err = group_node(builder, &group, &item);
		if (!err && !builder->names.nr &&
		    !check_apex(builder, item_node(builder, &item)))
			return -EINVAL;
		if (!err)
			err = name_link(&above, item);
	}
	return err;
}

static int link_nsec3(struct zone_builder *builder)
{
	struct source source = {.builder = builder,
				.list = &builder->nsec3_fragments};
	struct group group;
	struct linked item;
	int err = fragment_sort(source.list, builder->stage);

	if (builder->shared) {
		source.nsec3 = builder->shared->nsec3;
		source.old_nr = builder->shared->nsec3_nr;
		kept_next(&source);
	}
	while (!err && group_next(&source, &group)) {
		err = group_node(builder, &group, &item);
		if (!err)
			err = link_push(&builder->nsec3, item);
		if (!err)
			link_count(&builder->nsec3, item_node(builder, &item),
				   item.flags & LINK_KEPT, 1);
	}
	return err;
}

int link_build(struct zone_builder *builder)
{
	int err;

	shared_sort_places(builder);
	err = link_names(builder);
	if (!err && !builder->names.nr) {
		builder_say(builder, ZONE_ERROR, PLACE_NONE,
			    "no SOA: the zone has no records");
		err = -EINVAL;
	}
	if (!err)
		err = link_nsec3(builder);
	/* They are the size of the index that is made next. */
	fragment_release(&builder->fragments);
	fragment_release(&builder->nsec3_fragments);
	return err;
}
