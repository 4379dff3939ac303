# SPDX-License-Identifier: BSD-2-Clause
"""Wildcards (RFC 4592): what they reach and what stops them."""

import pytest

import wire
from tables import Z_ZONE, check_row, nodata, nxdomain, row, same

# The examples of RFC 4592 section 2.2.1 in the shape of our own zone.
APEX_WILDCARD = """\
$TTL 60
@ SOA ns hm 1 2 3 4 5
@ NS ns
ns A 192.0.2.53
* A 192.0.2.1
* MX 10 host
dom NS ns.out.test.
host TXT "here"
sub.* TXT "below an asterisk"
_ssh._tcp.host SRV 0 0 22 host
mixed.CASE A 192.0.2.7
"""

ROWS = [
    row("B_AN02", "x.d.z.test.", "A", "NOERROR AA",
        ["x.d.z.test. 60 A 192.0.2.3"]),
    row("B_AN02", "y.x.d.z.test.", "A", "NOERROR AA",
        ["y.x.d.z.test. 60 A 192.0.2.3"]),
    nodata("B_AN02", "x.d.z.test.", "TXT"),
    nxdomain("B_AN02", "x.c.d.z.test.", "A"),
    nxdomain("B_AN02", "x.r.c.d.z.test.", "A"),
    nodata("B_AN02", "www.d.z.test.", "A"),
    nodata("B_AN02", "c.d.z.test.", "A"),
    nodata("B_AN02", "d.z.test.", "A"),
    row("label-asterisk", "*.x.d.z.test.", "A", "NOERROR AA",
        ["*.x.d.z.test. 60 A 192.0.2.3"]),
    nxdomain("B_AN03", "foo.z.test.", "A",
             ["foo.z.test. 60 CNAME www.*.z.test."]),
    row("cname", "q.wc.z.test.", "A", "NOERROR AA",
        ["q.wc.z.test. 300 CNAME www.z.test.", "www.z.test. 300 A 192.0.2.10"]),
    nxdomain("no-wildcard-below-missing", "x.missing.z.test.", "A"),
]


@pytest.fixture(scope="module")
def server(serve_module):
    return serve_module({"z.test": Z_ZONE, "w.test": APEX_WILDCARD})


@pytest.mark.parametrize("expected", ROWS)
def test_wildcard(server, expected):
    check_row(server, expected)


@pytest.mark.parametrize("qname, rdtype, rcode, answer", [
    ("host3.w.test.", "MX", "NOERROR", ["host3.w.test. 60 MX 10 host.w.test."]),
    ("host3.w.test.", "TXT", "NOERROR", []),
    ("foo.bar.w.test.", "A", "NOERROR", ["foo.bar.w.test. 60 A 192.0.2.1"]),
    ("host.w.test.", "MX", "NOERROR", []),
    ("sub.*.w.test.", "MX", "NOERROR", []),
    ("x.*.w.test.", "A", "NXDOMAIN", []),
    ("_telnet._tcp.host.w.test.", "SRV", "NXDOMAIN", []),
    ("ghost.*.w.test.", "MX", "NXDOMAIN", []),
    ("_tcp.host.w.test.", "A", "NOERROR", []),
    ("case.w.test.", "A", "NOERROR", []),
    ("x.case.w.test.", "A", "NXDOMAIN", []),
    ("mixed.case.w.test.", "A", "NOERROR", ["mixed.case.w.test. 60 A 192.0.2.7"]),
])
def test_rfc_4592_examples(server, qname, rdtype, rcode, answer):
    reply = wire.ask(server, qname, rdtype)
    assert (reply.rcode, reply.aa) == (rcode, True)
    same(reply.answer, answer, "answer")
    if not answer:
        assert reply.types("authority") == ["SOA"]


@pytest.mark.parametrize("qname", ["sub.dom.w.test.", "dom.w.test.",
                                   "*.dom.w.test."])
def test_B_AN12_wildcard_does_not_reach_below_a_cut(server, qname):
    reply = wire.ask(server, qname, "A")
    assert (reply.rcode, reply.aa, reply.answer) == ("NOERROR", False, [])
    assert reply.authority == ["dom.w.test. 60 NS ns.out.test."]


def test_names_in_rdata_of_a_synthesized_answer(server):
    """A compressed name in RDATA moves with the length of the question."""
    for qname in ("q.w.test.", "a-much-longer-name.than.that.w.test."):
        reply = wire.ask(server, qname, "MX")
        assert reply.answer == [f"{qname} 60 MX 10 host.w.test."]
        reply = wire.ask(server, f"x.{qname}", "TXT")
        assert reply.authority == [
            "w.test. 5 SOA ns.w.test. hm.w.test. 1 2 3 4 5"]
