# SPDX-License-Identifier: BSD-2-Clause
"""
zcflood over TCP: the same judgement as over UDP, whichever way replies are cut
into segments; queries of a burst leave together; ended connections are opened
again; nothing is wrong with zcdns.
"""

import selectors
import socket
import struct
import threading

import pytest

import test_zcflood
from tables import Z_ZONE
from test_zcflood import (HALF, NAMES, assert_counters, flood, names, on_odd,
                          once, right)


class Liar(test_zcflood.Liar):
    """As over UDP; cut(octets) says in which pieces replies are written."""

    def __init__(self, lie=None, cut=None, end_after=None):
        super().__init__(lie)
        self.socket.close()
        self.cut = cut or (lambda octets: [octets])
        self.end_after = end_after
        self.reads = []  # queries in each read
        self.peers = set()
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.address, self.port = self.socket.getsockname()
        self.stop, self.stopping = socket.socketpair()
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.socket, selectors.EVENT_READ)
        self.selector.register(self.stopping, selectors.EVENT_READ)

    def __exit__(self, *_):
        self.stop.send(b"x")
        self.thread.join()
        for key in list(self.selector.get_map().values()):
            key.fileobj.close()
        self.selector.close()
        self.stop.close()

    def accept(self):
        connection, peer = self.socket.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.peers.add(peer)
        self.selector.register(connection, selectors.EVENT_READ,
                               {"peer": peer, "rest": b"", "answered": 0})

    def answer(self, query, peer):
        self.asked[query[12:]] += 1
        replies = self.lie(self, query, peer, self.asked[query[12:]]) \
            if self.lie else None
        return [right(query)] if replies is None else replies

    def read(self, connection, state):
        try:
            state["rest"] += connection.recv(1 << 16) or b"END"
        except ConnectionError:
            state["rest"] = b"END"
        queries, out = [], b""
        while not state["rest"].startswith(b"END") and len(state["rest"]) > 1:
            length = 2 + struct.unpack("!H", state["rest"][:2])[0]
            if len(state["rest"]) < length:
                break
            queries.append(state["rest"][2:length])
            state["rest"] = state["rest"][length:]
        self.reads.append(len(queries))
        for query in queries:
            for reply in self.answer(query, state["peer"]):
                out += struct.pack("!H", len(reply)) + reply
        for piece in self.cut(out):
            connection.sendall(piece)
        state["answered"] += len(queries)
        if state["rest"].startswith(b"END") or \
                self.end_after and state["answered"] >= self.end_after:
            self.selector.unregister(connection)
            connection.close()

    def serve(self):
        while True:
            for key, _ in self.selector.select():
                if key.fileobj is self.stopping:
                    return
                if key.fileobj is self.socket:
                    self.accept()
                else:
                    self.read(key.fileobj, key.data)


def tcp(*options):
    return ("-m", "tcp", *options)


@pytest.mark.parametrize("cut", [
    lambda octets: [octets],
    lambda octets: [octets[i:i + 1] for i in range(len(octets))],
    lambda octets: [octets[i:i + 61] for i in range(0, len(octets), 61)],
], ids=["whole", "octets", "pieces"])
def test_all_right(cut):
    with Liar(cut=cut) as liar:
        result = flood(liar, names(), *tcp("-n", 4 * NAMES, "-q", 8, "-c", 4))
    assert_counters(result)
    assert result["sent"] == result["answered"] == 4 * NAMES
    assert result["transport"] == "tcp"
    assert sum(liar.reads) == 4 * NAMES
    assert len(liar.peers) == 4


def test_bursts_are_one_send():
    with Liar() as liar:
        result = flood(liar, names(), *tcp("-n", 320, "-q", 32, "-b", 16,
                                           "-c", 2))
    assert_counters(result)
    # a slow reader finds two bursts at once, but never a part of one
    assert not [nr for nr in liar.reads if nr % 16]


@pytest.mark.parametrize("lie, counters, status", [
    (lambda query: [query[:1] + bytes([query[1] ^ 0x55]) + right(query)[2:]],
     {"unsolicited": HALF, "lost": HALF}, 1),
    (lambda query: [], {"lost": HALF}, 0),
    (lambda query: [b""], {"malformed": HALF, "lost": HALF}, 1),
    (lambda query: [right(query)] * 2, {"duplicates": HALF}, 1),
], ids=["id", "nothing", "empty", "twice"])
def test_lies(lie, counters, status):
    with Liar(on_odd(lie)) as liar:
        result = flood(liar, names(), *tcp(*once()), status=status)
    assert_counters(result, **counters)


def test_reply_to_another_connection():
    """Each of two connections gets replies to what the other asked."""
    kept = {}

    def swap(_liar, query, peer, _nth):
        kept[peer] = query
        return [right(other) for who, other in kept.items() if who != peer]

    with Liar(swap) as liar:
        result = flood(liar, names(), *tcp(*once("-c", 2)), status=1)
    assert result["answered"] == 0 and result["lost"] == NAMES
    assert result["unsolicited"] >= NAMES / 2


def test_ended_connections_are_opened_again():
    """What was on its way is lost, nothing else, and the flood goes on."""
    with Liar(end_after=50) as liar:
        result = flood(liar, names(), *tcp("-l", 0.5, "-q", 4, "-c", 2, "-t",
                                           50))
    assert len(liar.peers) > 4
    assert result["answered"] > 150
    assert_counters(result, lost=result["lost"])


def test_server_that_does_not_read():
    """The flood ends in its time; what waits in buffers is lost."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)

        class Silent:
            address, port = server.getsockname()

        result = flood(Silent, names(), *tcp("-l", 0.5, "-Q", 2000000, "-b",
                                             64, "-t", 100), status=1)
    assert result["answered"] == 0
    assert result["lost"] == result["sent"] > 1000


def test_many_connections_to_zcdns(serve):
    server = serve({"z.test": Z_ZONE})
    result = flood(server, ["www.z.test. A", "z.test. SOA", "nx.z.test. A"],
                   *tcp("-l", 1, "-q", 2000, "-c", 200, "-b", 5))
    assert_counters(result)
    assert result["answered"] == result["sent"] > 2000


def test_not_with_a_device():
    class Nowhere:
        address, port = "127.0.0.1", 5
    assert "-m tcp" in flood(Nowhere, names(1), *tcp("-g"), status=2)
