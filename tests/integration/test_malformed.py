# SPDX-License-Identifier: BSD-2-Clause
"""
Octets that are no good query. The rule: FORMERR with a bare header (the
question of a message that cannot be read is not repeated), or nothing at all
for what might be a reply. After each of them the server still answers.
"""

import random
import socket
import struct

import pytest

import wire
from tables import Z_ZONE

GOOD = wire.make_query("www.z.test.", ident=0x1234)
RECORD = b"\xc0\x0c" + struct.pack("!HHIH", 1, 1, 60, 4) + b"\xc0\0\2\1"
LABEL_63 = b"\x3f" + b"a" * 63


@pytest.fixture(scope="module")
def server(serve_module):
    return serve_module({"z.test": Z_ZONE})


def counts(qd, an, ns, ar, behind):
    return struct.pack("!HHHHHH", 0x1234, 0, qd, an, ns, ar) + behind


QUESTION = GOOD[12:]

# What RFC 9619 and RFC 1035 leave no room for: FORMERR.
FORMERR = [
    ("B_HD02-two-questions", counts(2, 0, 0, 0, QUESTION * 2)),
    ("B_HD02-no-question", counts(0, 0, 0, 0, b"")),
    ("B_HD02-question-missing", counts(1, 0, 0, 0, b"")),
    ("B_HD02-stray-octets", GOOD + b"abc"),
    ("B_HD02-stray-octet", GOOD + b"\0"),
    ("B_HD02-answer-record", counts(1, 1, 0, 0, QUESTION + RECORD)),
    ("B_HD02-authority-record", counts(1, 0, 1, 0, QUESTION + RECORD)),
    ("B_HD02-ancount-65535", counts(1, 65535, 0, 0, QUESTION)),
    ("B_HD02-nscount-65535", counts(1, 0, 65535, 0, QUESTION)),
    ("B_HD02-arcount-65535", counts(1, 0, 0, 65535, QUESTION)),
    ("B_HD02-qdcount-65535", counts(65535, 0, 0, 0, QUESTION)),
    ("B_HD02-record-cut", counts(1, 0, 0, 1, QUESTION + RECORD[:-1])),
    ("B_HD02-record-owner-cut", counts(1, 0, 0, 1, QUESTION + b"\xc0")),
    ("B_HD03-pointer-to-itself", counts(1, 0, 0, 0, b"\xc0\x0c\0\1\0\1")),
    ("B_HD03-pointer-to-start", counts(1, 0, 0, 0, b"\xc0\0\0\1\0\1")),
    ("B_HD03-pointer-past-end", counts(1, 0, 0, 0, b"\xc0\x20\0\1\0\1")),
    ("B_HD03-pointer-behind-label",
     counts(1, 0, 0, 0, b"\1a\xc0\x0c\0\1\0\1")),
    ("B_HD03-label-type-01", counts(1, 0, 0, 0, b"\x41" + b"a" * 65
                                    + b"\0\0\1\0\1")),
    ("B_HD03-label-type-10", counts(1, 0, 0, 0, b"\x81\x61\0\0\1\0\1")),
    ("B_HD03-257-octets", counts(1, 0, 0, 0, LABEL_63 * 4 + b"\0\0\1\0\1")),
    ("B_HD03-256-octets", counts(1, 0, 0, 0, LABEL_63 * 3 + b"\x3e" + b"a" * 62
                                 + b"\0\0\1\0\1")),
    ("B_HD03-cut-in-label", counts(1, 0, 0, 0, b"\x05abc")),
    ("B_HD03-no-root-label", counts(1, 0, 0, 0, b"\1a")),
    ("B_HD03-cut-in-type", GOOD[:-3]),
    ("B_HD03-cut-in-class", GOOD[:-1]),
    ("B_HD03-128-labels", counts(1, 0, 0, 0, b"\1a" * 128 + b"\0\0\1\0\1")),
]
DROPPED = [
    ("B_HD02-11-octets", GOOD[:11]),
    ("B_HD02-1-octet", b"\x12"),
    ("B_HD01-qr", GOOD[:2] + b"\x80\0" + GOOD[4:]),
    ("B_HD01-qr-only-header", counts(0, 0, 0, 0, b"")[:2] + b"\x80\0"
     + bytes(8)),
    ("B_HD01-qr-formerr", GOOD[:2] + b"\x80\1" + GOOD[4:]),
    ("B_HD01-qr-notify", GOOD[:2] + b"\xa4\0" + GOOD[4:]),
    ("B_HD01-qr-malformed", GOOD[:2] + b"\x80\0" + GOOD[4:] + b"\xff"),
]


def named(cases):
    return [pytest.param(octets, id=name) for name, octets in cases]


@pytest.mark.parametrize("tcp", [False, True], ids=["udp", "tcp"])
@pytest.mark.parametrize("octets", named(FORMERR))
def test_formerr(server, octets, tcp):
    reply = wire.exchange(server, octets, tcp)
    assert reply[:2] == octets[:2]
    assert struct.unpack("!H", reply[2:4])[0] & 0xfeff == 0x8001
    assert reply[6:12] == bytes(6)
    if len(reply) == 12:
        assert reply[4:6] == b"\0\0"
    else:
        assert reply[4:] == octets[4:6] + bytes(6) + QUESTION
    assert wire.ask(server, "www.z.test.", "A", tcp=tcp).rcode == "NOERROR"


@pytest.mark.parametrize("octets", named(
    [case for case in FORMERR if case[0].startswith("B_HD03")]))
def test_formerr_to_an_unreadable_question_is_a_bare_header(server, octets):
    assert len(wire.udp_raw(server, octets)) == 12


@pytest.mark.parametrize("octets", named(DROPPED))
def test_dropped_over_udp(server, octets):
    assert wire.udp_silent(server, octets)


def test_empty_datagram_is_dropped(server):
    assert wire.udp_silent(server, b"")


@pytest.mark.parametrize("octets", named(DROPPED))
def test_dropped_over_tcp(server, octets):
    """No reply; the connection ends, or goes on with the next query."""
    with wire.Tcp(server) as connection:
        connection.send(octets)
        connection.send(GOOD)
        try:
            reply = connection.recv()
        except (EOFError, ConnectionError):
            return
        assert reply[2] & 0x80 and len(reply) > 12
        assert wire.Reply(reply, GOOD).rcode == "NOERROR"


def test_B_HD01_reply_from_our_own_address_starts_no_loop(server):
    """What the server says to itself ends after one message."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.settimeout(0.2)
        sock.sendto(GOOD, (server.address, server.port))
        reply = sock.recv(65535)
        sock.sendto(reply, (server.address, server.port))
        with pytest.raises((TimeoutError, socket.timeout)):
            sock.recv(65535)


@pytest.mark.parametrize("owner", [0x80, 12 + len(QUESTION), 3])
def test_B_HD02_owner_of_a_record_is_not_followed(server, owner):
    """Pointers forward, to itself and into the header: nothing loops."""
    octets = counts(1, 0, 0, 1, QUESTION + bytes([0xc0, owner]) + RECORD[2:])
    reply = wire.udp_raw(server, octets)
    assert reply[:2] == octets[:2] and reply[3] & 15 in (0, 1)


def test_query_of_maximum_size(server):
    """64 KiB over TCP: options fill it up."""
    query = wire.make_query("www.z.test.", options=[(65001, b"x" * 65480)])
    assert len(query) > 65500
    reply = wire.Reply(wire.exchange(server, query, tcp=True), query)
    assert (reply.rcode, len(reply.answer)) == ("NOERROR", 1)


def test_large_query_over_udp(server):
    """Over any receive buffer's segment: answered or FORMERR, never garbled."""
    query = wire.make_query("www.z.test.", options=[(65001, b"x" * 8000)])
    reply = wire.udp_raw(server, query, timeout=1)
    if reply is not None:
        assert reply[:2] == query[:2] and reply[3] & 15 in (0, 1)
    assert wire.ask(server, "www.z.test.", "A").rcode == "NOERROR"


def test_random_changes(server):
    """Replies to mutated queries are whole messages with the query's id."""
    rng = random.Random(20261201)
    sources = [GOOD, wire.make_query("x.d.z.test.", "MX", do=True),
               wire.make_query("a.c.dn.z.test.", "A", options=[(3, b"")])]
    with wire.udp_socket(server) as sock:
        for _ in range(4000):
            query = bytearray(rng.choice(sources))
            for _ in range(rng.randrange(1, 5)):
                query[rng.randrange(2, len(query))] = rng.randrange(256)
            if rng.random() < 0.2:
                del query[rng.randrange(len(query)):]
            sock.send(query)
            sock.settimeout(0)
            try:
                while True:
                    check_whole(sock.recv(65535))
            except BlockingIOError:
                pass
    assert wire.ask(server, "www.z.test.", "A").rcode == "NOERROR"


def check_whole(reply):
    assert reply[2] & 0x80
    if reply[2] & 0x78 == 0 and reply[3] & 15 != 1:
        wire.Reply(reply)


def test_tcp_garbage(server):
    """Random octets as a stream: closed or answered, and nothing breaks."""
    rng = random.Random(7)
    for _ in range(50):
        with wire.Tcp(server) as connection:
            try:
                connection.sock.sendall(rng.randbytes(rng.randrange(1, 4000)))
                connection.sock.shutdown(socket.SHUT_WR)
            except OSError:
                continue
            assert connection.closed_within(5)
    assert wire.ask(server, "www.z.test.", "A", tcp=True).rcode == "NOERROR"
