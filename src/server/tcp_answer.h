/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages of a TCP connection to replies, in batches: what came together is
 * parsed together and waits for memory together.
 */
#ifndef SERVER_TCP_ANSWER_H
#define SERVER_TCP_ANSWER_H

#include "dns/message.h"
#include "server/tcp.h"

#define TCP_PREFIX_LEN 2 /* length of a message, RFC 1035 section 4.2.2 */
#define TCP_FRAME_MAX  (TCP_PREFIX_LEN + DNS_MESSAGE_MAX)
/* Memory of a connection that was used beyond this is given back. */
#define TCP_KEEP_LEN 16384

/*
 * Answers the whole messages of len octets at p into out and returns the octets
 * used. Sets blocked when one has to wait for room or for a transfer, bad and
 * ending when what follows is no message.
 */
size_t tcp_answer(struct tcp *tcp, struct tcp_conn *conn, const uint8_t *p,
		  size_t len);

/*
 * Puts the next piece of the connection's transfer into out; the rest of the
 * queries waits. False when it cannot go on, which never happens to the first
 * piece.
 */
bool tcp_fill_transfer(struct tcp *tcp, struct tcp_conn *conn);

#endif
