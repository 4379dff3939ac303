# SPDX-License-Identifier: BSD-2-Clause
"""
Signed zones: the right proofs, once each, and nothing without DO. What an
answer must have is worked out from the zone file (signing.Oracle), not from
another server.
"""

import itertools

import dns.name
import dns.rdatatype
import pytest

import daemon
import signing
import wire
from signing import name

SOURCE = """\
$TTL 300
@	500 SOA	ns hm 2026010100 3600 900 1209600 60
@	NS	ns
@	A	192.0.2.80
ns	A	192.0.2.1
a	A	192.0.2.1
www	A	192.0.2.10
www	AAAA	2001:db8::10
*.w	TXT	"x"
deep.closer.w TXT "y"
*.x	CNAME	w.out.test.
*.y	CNAME	www
*.m	MX	10 www
default._domainkey TXT "y"
one.two.three TXT "ent"
s	NS	ns.s
s	DS	1 13 2 abababababababababababababababababababababababababababababababab
ns.s	A	192.0.2.2
i	NS	ns.i
ns.i	A	192.0.2.3
e	NS	ns.out.test.
d	DNAME	www
dd	DNAME	e
c1	CNAME	c2
c2	CNAME	gone
c3	CNAME	x.w
c4	CNAME	q.i
CamelCase TXT "case"
f.*.star A	192.0.2.4
"""
SAMPLES = daemon.TOP / "zones"
KINDS = {"nsec.test": (), "nsec3.test": ("-n", "-t", "0"),
         "salt.test": ("-n", "-t", "5", "-s", "abcd"),
         "flag.test": ("-n", "-t", "0", "-p")}
DS, NS = dns.rdatatype.DS, dns.rdatatype.NS


@pytest.fixture(scope="module")
def zones(tmp_path_factory):
    for tool in ("ldns-keygen", "ldns-signzone"):
        if not daemon.find_tool(tool):
            pytest.skip(f"{tool} is not installed (ldnsutils)")
    made = {apex: signing.sign(tmp_path_factory.mktemp(apex), apex, SOURCE,
                               *options) for apex, options in KINDS.items()}
    made["nsec.example"] = SAMPLES / "nsec.example.zone"
    made["nsec3.example"] = SAMPLES / "nsec3.example.zone"
    return made


@pytest.fixture(scope="module")
def oracles(zones):
    return {apex: signing.Oracle(path, apex) for apex, path in zones.items()}


@pytest.fixture(scope="module")
def server(serve_module, zones):
    return serve_module(zones)


@pytest.fixture(params=list(KINDS))
def apex(request):
    return request.param


def ask(server, qname, rdtype, **fields):
    """Asks over TCP, so that no limit of size gets in the way."""
    return wire.ask(server, qname, rdtype, do=True, tcp=True, **fields)


def check_denial(reply, oracle, expected):
    got = denials(reply)
    assert sorted(got) == sorted(expected)
    assert {rrset.rdtype for rrset in reply.message.authority
            if rrset.name in expected and rrset.rdtype in
            (signing.NSEC, signing.NSEC3)} <= {oracle.denial()}


def denials(reply):
    return signing.denials(reply)


def soa_of(reply):
    return [rrset for rrset in reply.message.authority
            if rrset.rdtype == dns.rdatatype.SOA]


def test_positive_answer_has_its_signature_and_no_proof(server, oracles, apex):
    reply = ask(server, f"www.{apex}.", "A")
    assert reply.types("answer") == ["A", "RRSIG"]
    assert reply.authority == []
    signing.check_signatures(reply, oracles[apex])


def test_without_do_nothing_of_the_sort(server, apex):
    for qname, rdtype in (("www", "A"), ("nope", "A"), ("q.w", "TXT"),
                          ("w.i", "A"), ("w.s", "A"), ("a", "TXT"),
                          ("e", "DS"), ("x.d", "A")):
        for fields in ({}, {"edns": 0}):
            reply = wire.ask(server, f"{qname}.{apex}.", rdtype, **fields)
            kinds = {line.split()[2] for line in
                     reply.answer + reply.authority + reply.additional}
            assert not kinds & {"RRSIG", "NSEC", "NSEC3"}, (qname, kinds)
            assert "DS" not in reply.types("authority")


def test_signature_types_on_demand(server, apex):
    """Asked for by name they come without DO."""
    reply = wire.ask(server, f"www.{apex}.", "RRSIG", tcp=True)
    assert set(reply.types("answer")) == {"RRSIG"} and len(reply.answer) >= 2
    reply = wire.ask(server, f"{apex}.", "DNSKEY")
    assert reply.types("answer") == ["DNSKEY"]
    reply = wire.ask(server, f"www.{apex}.", "NSEC")
    expected = ["NSEC"] if apex == "nsec.test" else []
    assert reply.types("answer") == expected


@pytest.mark.parametrize("qname, rdtype", [
    ("a", "TXT"), ("www", "CAA"), ("@", "TXT"), ("three", "A"),
    ("two.three", "A"), ("w", "TXT"), ("*.w", "A"), ("star", "A"),
    ("*.star", "A"), ("@", "DS"), ("CAMELcase", "A"), ("d", "A"), ("s", "TXT")])
def test_B_DS01_nodata(server, oracles, apex, qname, rdtype):
    oracle = oracles[apex]
    full = f"{apex}." if qname == "@" else f"{qname}.{apex}."
    reply = ask(server, full, rdtype)
    if qname == "s":
        assert not reply.aa and denials(reply) == []
        return
    assert (reply.rcode, reply.answer, reply.aa) == ("NOERROR", [], True)
    assert len(soa_of(reply)) == 1 and soa_of(reply)[0].ttl == 60
    check_denial(reply, oracle, oracle.nodata(name(full)))
    signing.check_signatures(reply, oracle)


@pytest.mark.parametrize("qname", [
    "nope", "x.nope", "a.b.c.nope", "z.a", "four.three", "q.two.three",
    "x.star", "closer.q.nope", "zzzz", "0", "\\000", "x.closer.w",
    "x.deep.closer.w", "WwWw", "_domainkeys", "q.default._domainkey"])
def test_B_DS01_nxdomain(server, oracles, apex, qname):
    oracle = oracles[apex]
    full = f"{qname}.{apex}."
    reply = ask(server, full, "A")
    if qname == "x.star":
        assert reply.rcode == "NOERROR"
        return
    assert (reply.rcode, reply.answer, reply.aa) == ("NXDOMAIN", [], True)
    check_denial(reply, oracle, oracle.nxdomain(name(full)))
    signing.check_signatures(reply, oracle)


@pytest.mark.parametrize("qname", ["q.w", "p.q.w", "x.star", "q.m"])
def test_B_DS01_wildcard_without_the_type(server, oracles, apex, qname):
    oracle = oracles[apex]
    full = f"{qname}.{apex}."
    reply = ask(server, full, "A")
    assert (reply.rcode, reply.answer) == ("NOERROR", [])
    check_denial(reply, oracle, oracle.wildcard_nodata(name(full)))
    signing.check_signatures(reply, oracle)


@pytest.mark.parametrize("qname, rdtype", [
    ("q.w", "TXT"), ("p.q.w", "TXT"), ("q.m", "MX"), ("Q.W", "TXT")])
def test_B_DS02_wildcard_answer_needs_its_proof(server, oracles, apex, qname,
                                                rdtype):
    oracle = oracles[apex]
    full = f"{qname}.{apex}."
    reply = ask(server, full, rdtype)
    assert reply.types("answer") == [rdtype, "RRSIG"]
    assert reply.message.answer[1][0].labels == 3, "of *.w.<apex>"
    check_denial(reply, oracle, oracle.wildcard(name(full)))
    signing.check_signatures(reply, oracle)


def test_B_DS02_wildcard_cname(server, oracles, apex):
    oracle = oracles[apex]
    reply = ask(server, f"a.x.{apex}.", "A")
    assert reply.types("answer") == ["CNAME", "RRSIG"]
    assert soa_of(reply) == []
    check_denial(reply, oracle, oracle.wildcard(name(f"a.x.{apex}.")))
    signing.check_signatures(reply, oracle)
    reply = ask(server, f"a.y.{apex}.", "A")
    assert sorted(reply.types("answer")) == ["A", "CNAME", "RRSIG", "RRSIG"]
    check_denial(reply, oracle, oracle.wildcard(name(f"a.y.{apex}.")))
    signing.check_signatures(reply, oracle)


def test_B_DS02_wildcard_cname_that_ends_in_nodata(server, oracles, apex):
    """Both proofs: no closer match, and no such type at the target."""
    oracle = oracles[apex]
    reply = ask(server, f"a.y.{apex}.", "CAA")
    expected = oracle.wildcard(name(f"a.y.{apex}.")) | oracle.nodata(
        name(f"www.{apex}."))
    check_denial(reply, oracle, expected)
    signing.check_signatures(reply, oracle)


def test_chain_that_ends_in_nxdomain(server, oracles, apex):
    oracle = oracles[apex]
    reply = ask(server, f"c1.{apex}.", "A")
    assert reply.rcode == "NXDOMAIN"
    assert sorted(reply.types("answer")) == ["CNAME"] * 2 + ["RRSIG"] * 2
    check_denial(reply, oracle, oracle.nxdomain(name(f"gone.{apex}.")))
    signing.check_signatures(reply, oracle)


def test_dname_is_signed_and_its_cname_is_not(server, oracles, apex):
    oracle = oracles[apex]
    reply = ask(server, f"x.d.{apex}.", "A")
    assert reply.rcode == "NXDOMAIN"
    assert sorted(reply.types("answer")) == ["CNAME", "DNAME", "RRSIG"]
    check_denial(reply, oracle, oracle.nxdomain(name(f"x.www.{apex}.")))
    signing.check_signatures(
        reply, oracle, [(name(f"x.d.{apex}."), dns.rdatatype.CNAME)])


@pytest.mark.parametrize("pair", [("wWw.{}", "www.{}"), ("nOpE.{}", "nope.{}"),
                                  ("X.w.{}", "x.w.{}"),
                                  ("cAmElCaSe.{}", "camelcase.{}")])
def test_B_DS03_case_changes_nothing_that_is_signed(server, oracles, apex,
                                                    pair):
    """NSEC, NSEC3 and RRSIG octets are those of the lower-case query."""
    mixed, lower = (ask(server, one.format(apex.upper() if one is pair[0]
                                           else apex) + ".", "CAA")
                    for one in pair)
    assert mixed.rcode == lower.rcode

    def signed(reply):
        return sorted(line.split(" ", 1)[1] for line in reply.authority
                      if line.split()[2] in ("NSEC", "NSEC3", "RRSIG"))
    assert signed(mixed) == signed(lower) != []
    signing.check_signatures(mixed, oracles[apex])


def test_B_DS04_secure_referral(server, oracles, apex):
    oracle = oracles[apex]
    reply = ask(server, f"w.s.{apex}.", "A")
    assert (reply.aa, reply.answer) == (False, [])
    assert sorted(reply.types("authority")) == ["DS", "NS", "RRSIG"]
    assert reply.additional == [f"ns.s.{apex}. 300 A 192.0.2.2"]
    signing.check_signatures(reply, oracle, [(name(f"s.{apex}."), NS)])
    assert denials(reply) == []


@pytest.mark.parametrize("cut", ["i", "e"])
def test_B_DS04_insecure_referral(server, oracles, apex, cut):
    oracle = oracles[apex]
    reply = ask(server, f"w.{cut}.{apex}.", "A")
    assert (reply.aa, reply.answer) == (False, [])
    check_denial(reply, oracle, oracle.no_ds(name(f"{cut}.{apex}.")))
    signing.check_signatures(reply, oracle, [(name(f"{cut}.{apex}."), NS)])
    assert "RRSIG" not in reply.types("additional")


@pytest.mark.parametrize("cut", ["i", "e", "I"])
def test_B_DS01_ds_of_an_insecure_cut(server, oracles, apex, cut):
    oracle = oracles[apex]
    reply = ask(server, f"{cut}.{apex}.", "DS")
    assert (reply.rcode, reply.answer, reply.aa) == ("NOERROR", [], True)
    check_denial(reply, oracle, oracle.no_ds(name(f"{cut}.{apex}.")))
    signing.check_signatures(reply, oracle)


def test_ds_of_a_secure_cut(server, oracles, apex):
    reply = ask(server, f"s.{apex}.", "DS")
    assert reply.types("answer") == ["DS", "RRSIG"] and reply.aa
    signing.check_signatures(reply, oracles[apex])


def test_negative_soa_and_its_signature_have_the_same_ttl(server, apex):
    """B-AN11: TTL 60 both, Original TTL 500."""
    reply = ask(server, f"nope.{apex}.", "A")
    for rrset in reply.message.authority:
        for rdata in rrset:
            if rrset.rdtype == dns.rdatatype.SOA:
                assert rrset.ttl == 60
            if (rrset.rdtype == signing.RRSIG
                    and rdata.type_covered == dns.rdatatype.SOA):
                assert (rrset.ttl, rdata.original_ttl) == (60, 500)


def test_nsec3_owner_is_no_name(server, oracles):
    """RFC 5155 section 7.2.8: answered by the original names."""
    oracle = oracles["nsec3.test"]
    for owner, _ in itertools.islice(oracle.nsec3.values(), 3):
        for rdtype in ("NSEC3", "A", "ANY"):
            reply = ask(server, owner.to_text(), rdtype)
            assert (reply.rcode, reply.answer) == ("NXDOMAIN", [])
            check_denial(reply, oracle, oracle.nxdomain(owner))


def test_any_with_do(server, oracles, apex):
    reply = ask(server, f"www.{apex}.", "ANY")
    kinds = set(reply.types("answer"))
    assert {"A", "AAAA", "RRSIG"} <= kinds
    signing.check_signatures(reply, oracles[apex])


SAMPLE_NAMES = ["", "www", "nope", "x.nope", "mixed", "b.ent", "ent", "a.b.ent",
                "hidden", "x.hidden", "only.hidden", "x.only.hidden", "q.wild",
                "known.wild", "x.known.wild", "q.sub.wild", "q.alias",
                "q.walias", "q.wgone", "star", "x.star", "c1", "gone", "nodata",
                "self", "out", "towild", "tocut", "x.old", "www.old", "x.away",
                "secure", "x.secure", "secure2", "x.secure2", "insecure",
                "x.insecure", "insecure2", "x.insecure2", "deep", "deep.cut",
                "cut", "x.deep.cut", "big"]


@pytest.mark.parametrize("apex", ["nsec.example", "nsec3.example"])
@pytest.mark.parametrize("rdtype", ["A", "DS", "TXT", "NS"])
def test_samples(server, oracles, apex, rdtype):
    """Every kind of name of the sample zones, opt-out among them."""
    oracle = oracles[apex]
    for first in SAMPLE_NAMES:
        qname = f"{first}.{apex}.".lstrip(".")
        reply = ask(server, qname, rdtype)
        unsigned = unsigned_sets(reply)
        signing.check_signatures(reply, oracle, unsigned)
        got = denials(reply)
        assert len(got) == len(set(got))
        expected = expected_denial(oracle, reply, qname)
        if expected is not None:
            assert sorted(got) == sorted(expected), (qname, rdtype)


def unsigned_sets(reply):
    """NS of a referral, and CNAMEs made from a DNAME."""
    found = []
    if not soa_of(reply):
        found += [(rrset.name, NS) for rrset in reply.message.authority
                  if rrset.rdtype == NS]
    owners = [rrset.name for rrset in reply.message.answer
              if rrset.rdtype == dns.rdatatype.DNAME]
    found += [(rrset.name, rrset.rdtype) for rrset in reply.message.answer
              if rrset.rdtype == dns.rdatatype.CNAME
              and any(rrset.name.is_subdomain(owner) and rrset.name != owner
                      for owner in owners)]
    return found


def expected_denial(oracle, reply, qname):
    """For answers without an alias; None: not worked out here."""
    qname = name(qname)
    if any(rrset.rdtype in (dns.rdatatype.CNAME, dns.rdatatype.DNAME)
           for rrset in reply.message.answer):
        return None
    cuts = [rrset.name for rrset in reply.message.authority
            if rrset.rdtype == NS]
    if cuts:
        secure = any(rrset.rdtype == DS for rrset in reply.message.authority)
        return set() if secure else oracle.no_ds(cuts[0])
    if reply.rcode == "NXDOMAIN":
        return oracle.nxdomain(qname)
    if oracle.exists(qname):
        return set() if reply.message.answer else oracle.nodata(qname)
    if reply.message.answer:
        return oracle.wildcard(qname)
    return oracle.wildcard_nodata(qname)
