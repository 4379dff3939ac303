# SPDX-License-Identifier: BSD-2-Clause
"""Exact answers: names that exist, what comes with them, classes, meta types."""

import struct

import dns.name
import pytest

import wire
from tables import Z_ZONE, SOA_RDATA, check_row, nodata, row, same

ROOT_ZONE = """\
. 86400 SOA a.root-servers.net. nstld.example. 2026010100 1800 900 604800 3600
. 518400 NS a.root-servers.net.
a.root-servers.net. 518400 A 198.51.100.4
com. 172800 NS a.gtld-servers.net.
com. 86400 DS 1 13 2 """ + "ab" * 32 + """
a.gtld-servers.net. 172800 A 198.51.100.30
"""
SINGLE_LABEL = """\
@ 60 SOA ns hm 1 2 3 4 5
@ 60 NS ns
ns 60 A 192.0.2.1
"""
OPTIONS = {"identity": '"id of this"', "version": '"zcdns test"'}


@pytest.fixture(scope="module")
def server(serve_module):
    return serve_module({"z.test": Z_ZONE}, options=OPTIONS)


NS_ADDRESSES = ["ns.z.test. 300 A 192.0.2.1", "ns.z.test. 300 AAAA 2001:db8::1",
                "ns2.z.test. 300 A 192.0.2.2"]

ROWS = [
    row("soa", "z.test.", "SOA", "NOERROR AA",
        [f"z.test. 500 SOA {SOA_RDATA}"]),
    row("apex-ns", "z.test.", "NS", "NOERROR AA",
        ["z.test. 300 NS ns.z.test.", "z.test. 300 NS ns2.z.test."],
        [], NS_ADDRESSES),
    row("mx", "z.test.", "MX", "NOERROR AA",
        ["z.test. 300 MX 10 mail.z.test.", "z.test. 300 MX 20 mail.out.test."],
        [], ["mail.z.test. 300 A 192.0.2.25"]),
    row("srv", "_sip._udp.z.test.", "SRV", "NOERROR AA",
        ["_sip._udp.z.test. 300 SRV 0 5 5060 sip.z.test."], [],
        ["sip.z.test. 300 A 192.0.2.60"]),
    row("https-own", "svc.z.test.", "HTTPS", "NOERROR AA",
        ['svc.z.test. 300 HTTPS 1 . alpn="h2"'], [],
        ["svc.z.test. 300 A 192.0.2.61"]),
    row("https-alias", "alias-svc.z.test.", "HTTPS", "NOERROR AA",
        ["alias-svc.z.test. 300 HTTPS 0 svc.z.test."], [], None),
    row("many", "many.z.test.", "A", "NOERROR AA",
        [f"many.z.test. 300 A 192.0.2.{n}" for n in range(100, 104)]),
    row("txt", "www.z.test.", "TXT", "NOERROR AA",
        ['www.z.test. 300 TXT "one" "two"']),
    row("unknown", "unknown.z.test.", "TYPE65280", "NOERROR AA",
        [r"unknown.z.test. 300 TYPE65280 \# 3 010203"]),
    row("asterisk", "*.d.z.test.", "A", "NOERROR AA",
        ["*.d.z.test. 60 A 192.0.2.3"]),
    nodata("rrsig-unsigned", "www.z.test.", "RRSIG"),
    nodata("nsec-unsigned", "www.z.test.", "NSEC"),
]


@pytest.mark.parametrize("expected", ROWS)
def test_answer(server, expected):
    check_row(server, expected)


def test_any_udp_gives_one_rrset(server):
    reply = wire.ask(server, "www.z.test.", "ANY")
    assert reply.aa and reply.rcode == "NOERROR"
    assert len(set(reply.types("answer"))) == 1


def test_any_tcp_gives_all(server):
    reply = wire.ask(server, "www.z.test.", "ANY", tcp=True)
    same(reply.answer, ["www.z.test. 300 A 192.0.2.10",
                        "www.z.test. 300 AAAA 2001:db8::10",
                        'www.z.test. 300 TXT "one" "two"'], "answer")


def test_any_udp_gives_all_when_not_minimal(serve):
    server = serve({"z.test": Z_ZONE}, options={"minimal-any": "false"})
    reply = wire.ask(server, "www.z.test.", "ANY")
    assert sorted(reply.types("answer")) == ["A", "AAAA", "TXT"]


def test_any_of_a_missing_type_is_nodata(server):
    reply = wire.ask(server, "two.three.z.test.", "ANY")
    assert (reply.rcode, reply.answer) == ("NOERROR", [])
    assert reply.types("authority") == ["SOA"]


@pytest.mark.parametrize("tcp", [False, True])
@pytest.mark.parametrize("qname", ["wWw.Z.tEsT.", "WWW.z.test.", "www.z.test."])
def test_B_AN13_question_comes_back_bit_for_bit(server, qname, tcp):
    reply = wire.ask(server, qname, "A", tcp=tcp)
    assert reply.wire[12:12 + len(qname) + 1] == dns.name.from_text(
        qname).to_wire()
    same(reply.answer, ["www.z.test. 300 A 192.0.2.10"], "answer")


def test_B_AN13_dname_owner_is_the_zones(server):
    reply = wire.ask(server, "wWw.DnAmE.z.test.", "A")
    same(reply.answer, ["dname.z.test. 60 DNAME target.z.test.",
                        "www.dname.z.test. 60 CNAME www.target.z.test.",
                        "www.target.z.test. 60 A 192.0.2.13"], "answer")
    owner = reply.message.answer[0].name
    assert len(owner) == len(dns.name.from_text("dname.z.test."))


def test_B_AN14_root_zone(serve):
    server = serve({".": ROOT_ZONE})
    reply = wire.ask(server, ".", "NS")
    same(reply.answer, [". 518400 NS a.root-servers.net."], "answer")
    same(reply.additional, ["a.root-servers.net. 518400 A 198.51.100.4"],
         "additional")
    reply = wire.ask(server, "com.", "DS")
    assert reply.aa and reply.types("answer") == ["DS"]
    reply = wire.ask(server, "nope.", "A")
    assert (reply.rcode, reply.aa) == ("NXDOMAIN", True)
    assert reply.authority[0].startswith(". 3600 SOA ")
    reply = wire.ask(server, "www.com.", "A")
    assert (reply.rcode, reply.aa, reply.answer) == ("NOERROR", False, [])
    same(reply.authority, ["com. 172800 NS a.gtld-servers.net."], "authority")
    same(reply.additional, ["a.gtld-servers.net. 172800 A 198.51.100.30"],
         "additional")


def test_B_AN14_root_name_without_root_zone(server):
    for rdtype in ("NS", "A", "DS"):
        reply = wire.ask(server, ".", rdtype)
        assert (reply.rcode, reply.aa) == ("REFUSED", False)


def test_B_AN14_single_label_zone(serve):
    server = serve({"test": SINGLE_LABEL})
    same(wire.ask(server, "ns.test.", "A").answer,
         ["ns.test. 60 A 192.0.2.1"], "answer")
    assert wire.ask(server, "test.", "DS").rcode == "NOERROR"
    assert wire.ask(server, "tes.", "A").rcode == "REFUSED"


@pytest.mark.parametrize("qname", ["out.test.", "test.", "zz.test.",
                                   "www.example.com."])
def test_name_in_no_zone_is_refused(server, qname):
    reply = wire.ask(server, qname, "A", edns=0)
    assert (reply.rcode, reply.aa, reply.ede) == ("REFUSED", False, [20])
    assert reply.counts[1:3] == (0, 0)
    assert not wire.ask(server, qname, "A").has_opt


@pytest.mark.parametrize("qname, text", [
    ("version.bind.", "zcdns test"), ("version.server.", "zcdns test"),
    ("hostname.bind.", "id of this"), ("id.server.", "id of this"),
    ("VERSION.bind.", "zcdns test")])
def test_B_HD04_chaos(server, qname, text):
    reply = wire.ask(server, qname, "TXT", rdclass="CH")
    assert reply.rcode == "NOERROR"
    assert [rrset[0].strings for rrset in reply.message.answer] == [
        (text.encode(),)]
    assert wire.ask(server, "other.bind.", "TXT",
                    rdclass="CH").rcode == "REFUSED"


def test_B_HD04_chaos_switched_off(serve):
    server = serve({"z.test": Z_ZONE},
                   options={"identity": '""', "version": '""'})
    for qname in ("version.bind.", "version.server.", "hostname.bind.",
                  "id.server."):
        reply = wire.ask(server, qname, "TXT", rdclass="CH")
        assert (reply.rcode, reply.answer) == ("REFUSED", [])


@pytest.mark.parametrize("rdclass", [255, 1234, 254, 2, 4, 0, 65535])
def test_B_HD04_other_classes_are_refused(server, rdclass):
    reply = wire.ask(server, "www.z.test.", "A", rdclass=rdclass)
    assert (reply.rcode, reply.aa, reply.answer) == ("REFUSED", False, [])


def test_ixfr_over_udp_is_one_soa(server):
    query = wire.make_query("z.test.", "IXFR")
    soa = (b"\xc0\x0c" + struct.pack("!HHIH", 6, 1, 0, 22) + b"\0\0"
           + struct.pack("!IIIII", 1, 2, 3, 4, 5))
    query = query[:8] + b"\0\1" + query[10:] + soa
    reply = wire.Reply(wire.udp_raw(server, query), query)
    assert reply.rcode == "NOERROR"
    same(reply.answer, [f"z.test. 500 SOA {SOA_RDATA}"], "answer")


def test_axfr_over_udp_is_formerr(server):
    assert wire.ask(server, "z.test.", "AXFR").rcode == "FORMERR"


def test_meta_types_get_one_rcode(server):
    got = {wire.ask(server, "z.test.", rdtype, tcp=tcp).rcode
           for rdtype in (41, 249, 250, 253, 254) for tcp in (False, True)}
    assert got in ({"FORMERR"}, {"NOTIMP"})


@pytest.mark.parametrize("opcode", [1, 2, 3, 5, 6, 15])
@pytest.mark.parametrize("tcp", [False, True])
def test_other_opcodes_are_not_implemented(server, opcode, tcp):
    query = wire.make_query("z.test.", "SOA", flags=opcode << 11)
    reply = wire.exchange(server, query, tcp)
    flags = 0x8000 | opcode << 11 | 4
    assert reply[:4] == query[:2] + struct.pack("!H", flags)
    assert reply[6:12] == bytes(6)


def test_opcode_without_question_is_not_implemented(server):
    query = struct.pack("!HHHHHH", 77, 2 << 11, 0, 0, 0, 0)
    reply = wire.Reply(wire.udp_raw(server, query), query)
    assert (reply.rcode, reply.counts) == ("NOTIMP", (0, 0, 0, 0))


@pytest.mark.parametrize("flags", [0, 0x0100, 0x0010, 0x0110, 0x00e0, 0x0600])
def test_header_flags(server, flags):
    """RD and CD come back, AA TC RA Z AD of a query count for nothing."""
    reply = wire.ask(server, "www.z.test.", "A", flags=flags)
    assert reply.aa and not reply.tc and len(reply.answer) == 1


def test_zone_with_the_longest_apex_answers(serve):
    inner = SINGLE_LABEL.replace("192.0.2.1", "192.0.2.99")
    server = serve({"test": SINGLE_LABEL, "z.test": Z_ZONE,
                    "deep.www.z.test": inner})
    same(wire.ask(server, "ns.deep.www.z.test.", "A").answer,
         ["ns.deep.www.z.test. 60 A 192.0.2.99"], "answer")
    same(wire.ask(server, "sip.z.test.", "A").answer,
         ["sip.z.test. 300 A 192.0.2.60"], "answer")
    same(wire.ask(server, "ns.test.", "A").answer,
         ["ns.test. 60 A 192.0.2.1"], "answer")
