# SPDX-License-Identifier: BSD-2-Clause
"""CNAME and DNAME: chains, loops, ends, and names that grow too long."""

import pytest

import wire
from tables import Z_ZONE, check_row, nodata, nxdomain, row

T_ZONE = """\
$TTL 60
@ SOA ns hm 1 2 3 4 5
@ NS ns
ns A 192.0.2.1
x CNAME www.u.test.
y CNAME no.u.test.
"""
U_ZONE = """\
$TTL 60
@ SOA ns hm 1 2 3 4 5
@ NS ns
ns A 192.0.2.1
www A 192.0.2.2
"""

LOOP = ["l1.z.test. 60 CNAME l2.z.test.", "l2.z.test. 60 CNAME l1.z.test."]
L_DNAME = ("l.z.test. 60 DNAME " + "a" * 63 + "." + "b" * 63 + "." + "c" * 63
           + ".dddddd.z.test.")

ROWS = [
    row("cname", "good.z.test.", "A", "NOERROR AA",
        ["good.z.test. 300 CNAME www.z.test.", "www.z.test. 300 A 192.0.2.10"]),
    row("cname-itself", "good.z.test.", "CNAME", "NOERROR AA",
        ["good.z.test. 300 CNAME www.z.test."]),
    nodata("B_AN07-other-type", "good.z.test.", "MX",
           ["good.z.test. 300 CNAME www.z.test."]),
    row("B_AN04", "a.c.dn.z.test.", "CNAME", "NOERROR AA",
        ["c.dn.z.test. 60 DNAME f.dn.z.test.",
         "a.c.dn.z.test. 60 CNAME a.f.dn.z.test."]),
    nxdomain("B_AN04", "a.c.dn.z.test.", "A",
             ["c.dn.z.test. 60 DNAME f.dn.z.test.",
              "a.c.dn.z.test. 60 CNAME a.f.dn.z.test."]),
    row("B_AN04", "www.c.dn.z.test.", "A", "NOERROR AA",
        ["c.dn.z.test. 60 DNAME f.dn.z.test.",
         "www.c.dn.z.test. 60 CNAME www.f.dn.z.test.",
         "www.f.dn.z.test. 60 A 192.0.2.5"]),
    row("dname-itself", "c.dn.z.test.", "DNAME", "NOERROR AA",
        ["c.dn.z.test. 60 DNAME f.dn.z.test."]),
    nodata("dname-owner-is-not-renamed", "c.dn.z.test.", "A"),
    row("cname-to-dname", "todn.z.test.", "A", "NOERROR AA",
        ["todn.z.test. 300 CNAME www.c.dn.z.test.",
         "c.dn.z.test. 60 DNAME f.dn.z.test.",
         "www.c.dn.z.test. 60 CNAME www.f.dn.z.test.",
         "www.f.dn.z.test. 60 A 192.0.2.5"]),
    row("B_AN05", "x" * 63 + ".l.z.test.", "A", "YXDOMAIN AA", [L_DNAME], None),
    row("B_AN06", "l1.z.test.", "A", "NOERROR AA", LOOP),
    row("B_AN06", "l2.z.test.", "TXT", "NOERROR AA", LOOP),
    row("B_AN06", "q.w.z.test.", "A", "NOERROR AA",
        ["q.w.z.test. 60 CNAME *.w.z.test.", "*.w.z.test. 60 CNAME *.w.z.test."]),
    row("B_AN06", "c.s.z.test.", "A", "NOERROR AA",
        ["s.z.test. 60 DNAME s.z.test.", "c.s.z.test. 60 CNAME c.s.z.test."]),
    nxdomain("B_AN07", "a.z.test.", "A",
             ["a.z.test. 60 CNAME b.z.test.", "b.z.test. 60 CNAME gone.z.test."]),
    nodata("B_AN07", "n.z.test.", "A", ["n.z.test. 60 CNAME t.z.test."]),
    row("out-of-zone", "out.z.test.", "A", "NOERROR AA",
        ["out.z.test. 300 CNAME www.out.test."]),
    row("fifteen-steps", "k1.z.test.", "A", "NOERROR AA",
        [f"k{n}.z.test. 300 CNAME k{n + 1}.z.test." for n in range(1, 16)]
        + ["k16.z.test. 300 A 192.0.2.90"]),
]


@pytest.fixture(scope="module")
def server(serve_module):
    return serve_module({"z.test": Z_ZONE, "t.test": T_ZONE, "u.test": U_ZONE})


@pytest.mark.parametrize("expected", ROWS)
def test_alias(server, expected):
    check_row(server, expected)


@pytest.mark.parametrize("qname, target", [
    ("x.t.test.", "www.u.test."), ("y.t.test.", "no.u.test.")])
def test_B_AN08_alias_stops_at_the_zones_edge(server, qname, target):
    reply = wire.ask(server, qname, "A")
    assert (reply.rcode, reply.aa) == ("NOERROR", True)
    assert reply.answer == [f"{qname} 60 CNAME {target}"]
    assert (reply.authority, reply.additional) == ([], [])


def test_chain_stops_after_sixteen_steps(server):
    reply = wire.ask(server, "j1.z.test.", "A", tcp=True)
    assert (reply.rcode, reply.aa) == ("NOERROR", True)
    assert reply.types("answer") == ["CNAME"] * 16
    assert reply.answer[0] == "j1.z.test. 300 CNAME j2.z.test."


def test_dname_target_of_just_255_octets(server):
    """One octet less than YXDOMAIN: 207 + 48 - the apex's and root's share."""
    label = "x" * 47
    reply = wire.ask(server, f"{label}.l.z.test.", "A", tcp=True)
    assert reply.rcode == "NXDOMAIN"
    assert reply.types("answer") == ["DNAME", "CNAME"]
    reply = wire.ask(server, f"x{label}.l.z.test.", "A")
    assert reply.rcode == "YXDOMAIN"
