# SPDX-License-Identifier: BSD-2-Clause
"""NODATA, NXDOMAIN, empty non-terminals, and zones that are not there."""

import pytest

import wire
from tables import (NEGATIVE, SOA_RDATA, Z_ZONE, check_row, nodata, nxdomain,
                    row)

ROWS = [
    nodata("B_AN11", "www.z.test.", "MX"),
    nodata("B_AN11", "three.z.test.", "A"),
    nodata("B_AN11", "two.three.z.test.", "TXT"),
    nxdomain("B_AN11", "missing.z.test.", "A"),
    nxdomain("B_AN11", "below.www.z.test.", "A"),
    nxdomain("B_AN11", "four.two.three.z.test.", "A"),
    row("B_AN11", "z.test.", "SOA", "NOERROR AA",
        [f"z.test. 500 SOA {SOA_RDATA}"]),
    nodata("B_AN11", "z.test.", "DS"),
    nodata("B_AN01", "something.e.z.test.", "A"),
    nodata("B_AN01", "e.z.test.", "A"),
    nodata("B_AN01", "*.e.z.test.", "A"),
    nxdomain("B_AN01", "x.t.e.z.test.", "A"),
    nodata("type-256", "www.z.test.", "TYPE256"),
    nxdomain("labels", ".".join(["a"] * 123) + ".z.test.", "A"),
]


@pytest.fixture(scope="module")
def server(serve_module):
    return serve_module({"z.test": Z_ZONE})


@pytest.mark.parametrize("expected", ROWS)
def test_negative(server, expected):
    check_row(server, expected)


def test_B_AN11_minimum_above_the_soas_ttl(serve):
    """The lower of both, whichever it is (RFC 2308 section 3)."""
    server = serve({"m.test": "@ 30 SOA ns hm 1 2 3 4 600\n@ 30 NS ns\n"
                              "ns 30 A 192.0.2.1\n"})
    reply = wire.ask(server, "nope.m.test.", "A")
    assert reply.authority == [
        "m.test. 30 SOA ns.m.test. hm.m.test. 1 2 3 4 600"]


def test_negative_over_the_longest_name(server):
    """255 octets: the SOA's owner still fits behind the question."""
    qname = ".".join(["x" * 63] * 3 + ["y" * 54]) + ".z.test."
    assert len(wire.make_query(qname)) == 12 + 255 + 4
    reply = wire.ask(server, qname, "A")
    assert reply.rcode == "NXDOMAIN"
    assert [line.lower() for line in reply.authority] == [
        line.lower() for line in NEGATIVE]


@pytest.mark.parametrize("text", [
    "@ 60 NS ns\nns 60 A 192.0.2.1\n",
    "@ 60 SOA ns hm 1 2 3 4 5\n@ 60 SOA ns hm 2 2 3 4 5\n@ 60 NS ns\n",
    "@ 60 SOA ns hm 1 2 3 4 5\nns 60 A 192.0.2.1\n"],
    ids=["no-soa", "two-soas", "no-ns"])
def test_B_ZD03_refused_zone_is_servfail(serve, text):
    server = serve({"bad.test": text, "z.test": Z_ZONE})
    for qname in ("bad.test.", "x.bad.test."):
        reply = wire.ask(server, qname, "A", edns=0)
        assert (reply.rcode, reply.aa) == ("SERVFAIL", False)
        assert reply.ede in ([14], [24])
    assert wire.ask(server, "www.z.test.", "A").rcode == "NOERROR"
