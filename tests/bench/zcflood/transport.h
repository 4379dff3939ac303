/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How queries leave and replies come in. The flood says how many and when;
 * a transport says from which source, takes each query from
 * flood_query(), and hands each reply to flood_reply().
 *
 * An implementation embeds struct transport and declares its operations here.
 */
#ifndef ZCFLOOD_TRANSPORT_H
#define ZCFLOOD_TRANSPORT_H

#include <stdint.h>

#include "zcflood/flood.h"
#include "zcflood/options.h"

struct transport {
	const struct transport_ops *ops;
	struct flood *flood;
};

struct transport_ops {
	const char *name;

	/* NULL after saying on standard error why; borrows both. */
	struct transport *(*open)(struct flood *flood,
				  const struct options *options);

	/*
	 * Sends nr queries, sources taking turns, each with up to a burst of
	 * them. Returns how many were taken from the flood; fewer than nr when
	 * there is no room now: receive() then waits for that, too.
	 */
	uint32_t (*send)(struct transport *transport, uint32_t nr);

	/*
	 * Waits up to wait_ns (0: not at all) for replies, hands over those
	 * that are there after flood_tick(). Bounded: a peer that never stops
	 * cannot keep it.
	 */
	void (*receive)(struct transport *transport, uint64_t wait_ns);

	void (*close)(struct transport *transport);
};

extern const struct transport_ops transport_tap; /* UDP in frames */
extern const struct transport_ops transport_tcp;
extern const struct transport_ops transport_udp;

#endif
