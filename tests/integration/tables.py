# SPDX-License-Identifier: BSD-2-Clause
"""
Rows of "ask this, expect that", shared by the topics.

A row is (id, qname, type, flags, answer, authority, additional). flags is the
RCODE, then "AA" or "-": the answer is authoritative or not. Sections are lists
of record texts; their order does not matter, case does not either. None: the
section is looked at elsewhere.
"""

import collections
import functools
import pathlib

import pytest

import wire

Z_ZONE = pathlib.Path(__file__).with_name("z.test.zone")

Row = collections.namedtuple(
    "Row", "id qname type flags answer authority additional")

SOA_RDATA = "ns.z.test. hostmaster.z.test. 2026010100 3600 900 1209600 60"
NEGATIVE = [f"z.test. 60 SOA {SOA_RDATA}"]


def row(ident, qname, rdtype, flags, answer=(), authority=(), additional=()):
    return pytest.param(
        Row(ident, qname, rdtype, flags, answer, authority, additional),
        id=f"{ident}-{qname}-{rdtype}".replace(".", "_"))


def nodata(ident, qname, rdtype, answer=()):
    return row(ident, qname, rdtype, "NOERROR AA", answer, NEGATIVE)


def nxdomain(ident, qname, rdtype, answer=()):
    return row(ident, qname, rdtype, "NXDOMAIN AA", answer, NEGATIVE)


def same(got, expected, what):
    got = sorted(line.lower() for line in got)
    expected = sorted(line.lower() for line in expected)
    assert got == expected, f"{what}: {got}, not {expected}"


def check_reply(reply, expected):
    rcode, aa = expected.flags.split()
    assert reply.rcode == rcode
    assert reply.aa == (aa == "AA"), "AA"
    assert not reply.tc, "TC"
    for what in ("answer", "authority", "additional"):
        if getattr(expected, what) is not None:
            same(getattr(reply, what), getattr(expected, what), what)


def check_row(server, expected):
    """Asks over UDP, over TCP and with EDNS; the same answer each time."""
    asked = functools.partial(wire.ask, server, expected.qname, expected.type)
    for reply in (asked(), asked(tcp=True), asked(edns=0)):
        check_reply(reply, expected)
