# SPDX-License-Identifier: BSD-2-Clause
"""Zone cuts: referrals, glue, what lies below, and DS from the right side."""

import pytest

import wire
from tables import Z_ZONE, check_row, row, same

PARENT = """\
$TTL 60
@ 500 SOA ns hm 1 2 3 4 5
@ NS ns
ns A 192.0.2.1
kid NS ns.kid
ns.kid A 192.0.2.2
h NS ns.h
ns.h A 192.0.2.3
"""
CHILD = """\
$TTL 60
@ SOA ns hm 77 2 3 4 5
@ NS ns
ns A 192.0.2.2
"""
PARENT_SOA = "t.test. 5 SOA ns.t.test. hm.t.test. 1 2 3 4 5"
CHILD_SOA = "kid.t.test. 5 SOA ns.kid.t.test. hm.kid.t.test. 77 2 3 4 5"

H_NS = ["h.z.test. 300 NS ns.h.z.test."]
H_GLUE = ["ns.h.z.test. 300 A 192.0.2.9"]


def referral(ident, qname, rdtype, answer=(), aa="-"):
    return row(ident, qname, rdtype, f"NOERROR {aa}", answer, H_NS, H_GLUE)


ROWS = [
    referral("B_AN09", "h.z.test.", "SOA"),
    referral("B_AN09", "h.z.test.", "NS"),
    referral("B_AN09", "h.z.test.", "ANY"),
    referral("B_AN09", "occ.h.z.test.", "A"),
    referral("B_AN09", "deep.occ.h.z.test.", "TXT"),
    referral("B_AN09", "ns.h.z.test.", "A"),
    referral("B_AN09", "ns.h.z.test.", "MX"),
    referral("B_AN09", "x.y.h.z.test.", "A"),
    referral("below-cut-ds", "occ.h.z.test.", "DS"),
    referral("cname-to-cut", "tocut.z.test.", "A",
             ["tocut.z.test. 300 CNAME x.h.z.test."], "AA"),
    row("no-glue", "x.sub.z.test.", "A", "NOERROR -", [],
        ["sub.z.test. 300 NS ns.out.test."]),
    row("sibling", "both.z.test.", "A", "NOERROR -", [],
        ["both.z.test. 300 NS ns.z.test.", "both.z.test. 300 NS ns.both.z.test."],
        ["ns.both.z.test. 300 A 192.0.2.12",
         "ns.both.z.test. 300 AAAA 2001:db8::12",
         "ns.z.test. 300 A 192.0.2.1", "ns.z.test. 300 AAAA 2001:db8::1"]),
]


@pytest.fixture(scope="module")
def server(serve_module):
    return serve_module({"z.test": Z_ZONE})


@pytest.mark.parametrize("expected", ROWS)
def test_referral(server, expected):
    check_row(server, expected)


@pytest.mark.parametrize("zones", [("parent", "child"), ("parent",)])
def test_B_AN10_ds_comes_from_the_parent(serve, zones):
    text = {"parent": PARENT, "child": CHILD}
    apex = {"parent": "t.test", "child": "kid.t.test"}
    server = serve({apex[name]: text[name] for name in zones})
    for qname in ("kid.t.test.", "h.t.test.", "KID.t.test."):
        reply = wire.ask(server, qname, "DS")
        assert (reply.rcode, reply.aa) == ("NOERROR", True)
        assert (reply.answer, reply.authority) == ([], [PARENT_SOA])
    reply = wire.ask(server, "kid.t.test.", "SOA")
    if "child" in zones:
        assert (reply.aa, reply.types("answer")) == (True, ["SOA"])
        assert " 77 " in reply.answer[0]
    else:
        assert (reply.aa, reply.answer) == (False, [])


def test_B_AN10_only_the_child_is_served(serve):
    server = serve({"kid.t.test": CHILD})
    reply = wire.ask(server, "kid.t.test.", "DS")
    assert (reply.rcode, reply.aa) == ("NOERROR", True)
    assert reply.authority == [CHILD_SOA]


def test_B_ZD01_cut_below_a_cut_is_not_one(serve):
    """RFC 2181 section 6: what lies below a cut is glue at most."""
    server = serve({"z.test": "$TTL 60\n@ SOA ns hm 1 2 3 4 5\n@ NS ns\n"
                              "ns A 192.0.2.1\nsub NS ns.sub\n"
                              "ns.sub A 192.0.2.2\nx.sub NS y.sub\n"
                              "y.sub A 192.0.2.3\n"
                              "w.other.test. 60 A 192.0.2.4\n"})
    for qname in ("x.sub.z.test.", "a.x.sub.z.test.", "y.sub.z.test."):
        reply = wire.ask(server, qname, "A")
        assert (reply.aa, reply.answer) == (False, [])
        assert reply.authority == ["sub.z.test. 60 NS ns.sub.z.test."]
        same(reply.additional, ["ns.sub.z.test. 60 A 192.0.2.2"], "additional")
    assert wire.ask(server, "w.other.test.", "A").rcode == "REFUSED"
    assert wire.ask(server, "x.sub.z.test.", "DS").aa is False
