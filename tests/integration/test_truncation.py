# SPDX-License-Identifier: BSD-2-Clause
"""What fits, what does not, and what TC says about it."""

import pytest

import wire
from tables import same

DS = "60 DS 1 13 2 " + "ab" * 32


def zone():
    """RRsets whose sizes sit around every limit that there is."""
    lines = ["$TTL 60", "@ SOA ns hm 1 2 3 4 5", "@ NS ns", "ns A 192.0.2.1"]
    lines += [f"a{n} A 192.0.2.{i}" for n in (20, 29, 30, 40, 80, 200, 250)
              for i in range(n)]
    for n in range(6):
        lines += [f"kid NS ns{n}.kid", f"ns{n}.kid A 192.0.2.{n}",
                  f"ns{n}.kid AAAA 2001:db8::{n}"]
    lines += [f"out NS a-rather-long-name-of-a-server-{n}.out.test."
              for n in range(30)]
    lines += [f"mx MX {n} host{n}" for n in range(8)]
    lines += [f"host{n} A 192.0.2.{i}" for n in range(8) for i in range(8)]
    lines += ["huge TXT " + " ".join(['"' + "x" * 250 + '"'] * 240)]
    lines += ["over TXT " + " ".join(['"' + "x" * 255 + '"'] * 255)]
    lines += ["alias CNAME a80"]
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def server(serve_module):
    return serve_module({"s.test": zone()})


@pytest.mark.parametrize("count", [20, 29, 30, 40, 80, 200, 250])
@pytest.mark.parametrize("payload", [None, 512, 800, 1232, 4096])
def test_whole_rrset_or_tc(server, count, payload):
    fields = {} if payload is None else {"edns": 0, "payload": payload}
    reply = wire.ask(server, f"a{count}.s.test.", "A", **fields)
    limit = min(1232, payload or 512)
    size = 12 + len(f"a{count}") + 1 + 8 + 4 + 16 * count
    size += 11 if payload else 0
    assert reply.tc == (size > limit)
    assert len(reply.answer) == (0 if size > limit else count)
    assert reply.tc or len(reply.wire) == size
    assert reply.has_opt == (payload is not None)


def test_tcp_gives_all(server):
    for count in (20, 250):
        reply = wire.ask(server, f"a{count}.s.test.", "A", tcp=True)
        assert not reply.tc and len(reply.answer) == count
    reply = wire.ask(server, "huge.s.test.", "TXT", tcp=True)
    assert not reply.tc and len(reply.wire) > 60000


def test_tcp_limit(server):
    """65,280 octets of RDATA fit; with OPT they do too."""
    reply = wire.ask(server, "over.s.test.", "TXT", tcp=True, edns=0)
    assert not reply.tc and len(reply.answer) == 1
    assert 65280 < len(reply.wire) <= 65535


def test_alias_that_fits_before_a_target_that_does_not(server):
    reply = wire.ask(server, "alias.s.test.", "A", edns=0, payload=512)
    assert reply.tc
    assert all(line.split()[2] == "CNAME" for line in reply.answer)


def test_B_ED04_in_domain_glue_that_does_not_fit_sets_tc(server):
    """RFC 9471 section 3.1; six servers with two addresses each."""
    full = wire.ask(server, "x.kid.s.test.", "A", tcp=True)
    assert len(full.additional) == 12 and not full.tc
    reply = wire.ask(server, "x.kid.s.test.", "A", edns=0)
    assert len(reply.additional) == 12 and not reply.tc
    small = wire.ask(server, "x" * 60 + "." + "y" * 60 + ".kid.s.test.", "A",
                     edns=0, payload=512)
    assert small.tc
    for name in {line.split()[0] for line in small.additional}:
        for rdtype in ("A", "AAAA"):
            have = [line for line in small.additional
                    if line.split()[0] == name and line.split()[2] == rdtype]
            assert len(have) in (0, 1)


def test_referral_that_does_not_fit_sets_tc(server):
    reply = wire.ask(server, "x.out.s.test.", "A", edns=0, payload=512)
    assert reply.tc and not reply.aa
    assert len(reply.authority) in (0, 30), "never half an RRset"
    assert not wire.ask(server, "x.out.s.test.", "A", tcp=True).tc


def test_B_ED04_optional_addresses_are_left_out_without_tc(server):
    reply = wire.ask(server, "mx.s.test.", "MX", edns=0, payload=512)
    assert not reply.tc and len(reply.answer) == 8
    owners = [line.split()[0] for line in reply.additional]
    assert all(owners.count(name) == 8 for name in set(owners)), "half an RRset"
    assert len(set(owners)) < 8
    full = wire.ask(server, "mx.s.test.", "MX", tcp=True)
    assert len(full.additional) == 64


@pytest.mark.parametrize("limit", [512, 600, 1400, 4096])
def test_max_udp_payload(serve, limit):
    server = serve({"s.test": zone()}, options={"max-udp-payload": limit})
    for count in (20, 29, 30, 40, 80, 200):
        reply = wire.ask(server, f"a{count}.s.test.", "A", edns=0,
                         payload=65535)
        size = 12 + len(f"a{count}") + 1 + 8 + 4 + 16 * count + 11
        assert reply.tc == (size > limit)
        assert reply.message.payload == limit


def test_same_octets_over_both_transports(server):
    one = wire.ask(server, "a20.s.test.", "A", ident=7)
    two = wire.ask(server, "a20.s.test.", "A", ident=7, tcp=True)
    same(one.answer, two.answer, "answer")
    assert one.wire == two.wire
