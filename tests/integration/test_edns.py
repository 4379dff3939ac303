# SPDX-License-Identifier: BSD-2-Clause
"""EDNS (RFC 6891): version, options, flags, faults, sizes, cookies."""

import struct

import pytest

import wire
from tables import Z_ZONE, same

NSID, COOKIE, KEEPALIVE, UNKNOWN = 3, 10, 11, 65001


@pytest.fixture(scope="module")
def server(serve_module):
    return serve_module({"z.test": Z_ZONE}, options={"nsid": '"node-7"'})


def test_no_opt_without_opt(server):
    assert not wire.ask(server, "www.z.test.", "A").has_opt


def test_opt_comes_back_with_our_size(server):
    reply = wire.ask(server, "www.z.test.", "A", edns=0, payload=4096)
    assert (reply.message.edns, reply.message.payload) == (0, 1232)
    assert reply.message.options == ()


@pytest.mark.parametrize("do", [False, True])
def test_do_is_copied(server, do):
    reply = wire.ask(server, "www.z.test.", "A", edns=0, do=do)
    assert reply.message.ednsflags & 0xffff == (0x8000 if do else 0)


@pytest.mark.parametrize("options", [(), [(UNKNOWN, b"12345")], [(NSID, b"")]])
@pytest.mark.parametrize("version", [1, 2, 255])
@pytest.mark.parametrize("tcp", [False, True])
def test_B_ED01_other_version_is_badvers(server, version, options, tcp):
    ident = 0x4242
    reply = wire.ask(server, "www.z.test.", "A", edns=version, options=options,
                     ident=ident, tcp=tcp)
    assert reply.header_rcode == 0
    assert reply.rcode == "BADVERS"
    assert (reply.message.edns, reply.message.options) == (0, ())
    assert reply.counts == (1, 0, 0, 1)
    after = wire.ask(server, "www.z.test.", "A", edns=0, ident=ident, tcp=tcp)
    assert (after.rcode, len(after.answer)) == ("NOERROR", 1)


def test_B_ED01_version_decides_before_the_zone(server):
    reply = wire.ask(server, "nope.example.", "A", edns=1)
    assert reply.rcode == "BADVERS"


def test_B_ED02_unknown_option_is_not_echoed(server):
    for options in ([(UNKNOWN, b"12345")], [(UNKNOWN, b"")],
                    [(UNKNOWN, b"a" * 400), (0, b""), (65535, b"z")]):
        reply = wire.ask(server, "www.z.test.", "A", options=options)
        assert (reply.rcode, reply.message.options) == ("NOERROR", ())
        assert len(reply.answer) == 1


def test_B_ED02_nsid(server):
    for body in (b"", b"not empty"):
        reply = wire.ask(server, "www.z.test.", "A", options=[(NSID, body)])
        assert reply.option(NSID) == b"node-7"
    assert wire.ask(server, "www.z.test.", "A", edns=0).option(NSID) is None
    both = wire.ask(server, "www.z.test.", "A",
                    options=[(UNKNOWN, b"1"), (NSID, b"")])
    assert [int(option.otype) for option in both.message.options] == [NSID]


def test_B_ED02_nsid_with_an_error(server):
    reply = wire.ask(server, "nope.example.", "A", options=[(NSID, b"")])
    assert (reply.rcode, reply.option(NSID)) == ("REFUSED", b"node-7")
    assert reply.ede == [20]


def test_B_ED02_nsid_switched_off(serve):
    server = serve({"z.test": Z_ZONE})
    reply = wire.ask(server, "www.z.test.", "A", options=[(NSID, b"")])
    assert (reply.rcode, reply.message.options) == ("NOERROR", ())


def test_B_ED02_flags_and_extended_rcode_of_a_query(server):
    query = wire.add_opt(wire.make_query("www.z.test."), z=0x7fff, ext_rcode=1)
    reply = wire.Reply(wire.udp_raw(server, query), query)
    assert (reply.rcode, reply.message.ednsflags) == ("NOERROR", 0)
    assert len(reply.answer) == 1


def opt_in_authority(query):
    return (query[:8] + b"\0\1" + query[10:] + wire.opt_record())


@pytest.mark.parametrize("fault, query", [
    ("twice", lambda q: wire.add_opt(wire.add_opt(q))),
    ("in-authority", opt_in_authority),
    ("rdlength-50", lambda q: wire.add_opt(q, rdlength=50)),
    ("option-5-of-2", lambda q: q[:11] + b"\1" + q[12:]
     + wire.opt_record(rdlength=6) + b"\xfd\xe9\0\5ab"),
    ("option-header-cut", lambda q: q[:11] + b"\1" + q[12:]
     + wire.opt_record(rdlength=3) + b"\0\3\0"),
    ("owner", lambda q: wire.add_opt(q, owner=b"\1a\0")),
    ("owner-pointer", lambda q: wire.add_opt(q, owner=b"\xc0\x0c")),
    ("cut-in-fixed-part", lambda q: wire.add_opt(q)[:-3]),
])
@pytest.mark.parametrize("tcp", [False, True])
def test_B_ED03_faulty_opt_is_formerr(server, fault, query, tcp):
    query = query(wire.make_query("www.z.test."))
    reply = wire.exchange(server, query, tcp)
    assert reply[:2] == query[:2]
    assert reply[3] & 15 == 1, "FORMERR"
    assert reply[6:10] == bytes(4), "no answer and no authority"
    if fault == "twice":
        assert wire.Reply(reply).has_opt


@pytest.mark.parametrize("payload, limit", [(0, 512), (100, 512), (512, 512),
                                            (700, 700), (1232, 1232),
                                            (65535, 1232)])
def test_B_ED04_sizes(server, payload, limit):
    """big TXT: 593 octets, so 512 is too small and 700 is not."""
    reply = wire.ask(server, "big.z.test.", "TXT", edns=0, payload=payload)
    assert reply.tc == (limit == 512)
    assert len(reply.wire) <= limit
    assert reply.has_opt
    assert len(reply.answer) == (0 if reply.tc else 1)


@pytest.mark.parametrize("length", [0, 7, 8, 9, 12, 15, 16, 24, 40, 41])
def test_B_ED05_cookie_is_ignored_while_cookies_are_off(server, length):
    reply = wire.ask(server, "www.z.test.", "A",
                     options=[(COOKIE, bytes(range(length)))])
    assert (reply.rcode, reply.message.options) == ("NOERROR", ())
    same(reply.answer, ["www.z.test. 300 A 192.0.2.10"], "answer")


def test_B_ED06_options_on_axfr_change_nothing(server):
    """Client subnet and padding: the RCODE is that without them, OPT is in
    the reply, and the connection goes on."""
    plain = wire.make_query("z.test.", "AXFR")
    more = wire.make_query("z.test.", "AXFR", options=[
        (8, b"\0\1\x18\0\xc0\0\2"), (12, bytes(20))])
    good = wire.make_query("www.z.test.")
    with wire.Tcp(server) as connection:
        replies = []
        for query in (plain, more, good):
            connection.send(query)
            replies.append(wire.Reply(connection.recv(), query))
    assert replies[0].rcode == replies[1].rcode
    assert (replies[0].has_opt, replies[1].has_opt) == (False, True)
    assert {int(option.otype) for option in replies[1].message.options} <= {15}
    assert replies[2].rcode == "NOERROR" and len(replies[2].answer) == 1


def test_keepalive_over_tcp_only(server):
    """RFC 7828 section 3.2: sent in answer to it, never over UDP."""
    options = [(KEEPALIVE, b"")]
    reply = wire.ask(server, "www.z.test.", "A", tcp=True, options=options)
    assert len(reply.option(KEEPALIVE)) == 2
    assert struct.unpack("!H", reply.option(KEEPALIVE))[0] > 0
    reply = wire.ask(server, "www.z.test.", "A", options=options)
    assert reply.option(KEEPALIVE) is None


def test_opt_before_another_record(server):
    """OPT need not be the last record of the additional section."""
    query = wire.make_query("www.z.test.", edns=0)
    query = query[:10] + b"\0\2" + query[12:] + (
        b"\xc0\x0c" + struct.pack("!HHIH", 1, 1, 60, 4) + b"\xc0\0\2\1")
    reply = wire.Reply(wire.udp_raw(server, query), query)
    assert (reply.rcode, len(reply.answer), reply.has_opt) == (
        "NOERROR", 1, True)
