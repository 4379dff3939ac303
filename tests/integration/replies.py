# SPDX-License-Identifier: BSD-2-Clause
"""
Zones whose replies have every size around what fits, and what is right about
them: for the integrity tests.

    Source   a zone file as dnspython reads it, and what it says to a question
    Lot      queries of one zone in one manner of asking, and the reply expected
             to each: asked one by one over TCP and over UDP, and compared with
             the Source, signatures and truncation included
    flood()  zcflood against a Lot
"""

import dataclasses
import json
import os
import pathlib
import struct
import subprocess

import dns.name
import dns.rdatatype
import dns.zone

import daemon
import signing
import wire

HEAD = "$TTL 300\n@ SOA ns hm 1 2 3 4 5\n@ NS ns\nns A 192.0.2.1\n"
WRONG = ("wrong_question", "wrong_code", "wrong_octets", "malformed",
         "unsolicited", "duplicates", "late", "send_errors")
TEXT_MAX = 1250  # beyond what fits into 1,232 octets with all else
FEW = 40  # names of each kind in a signed zone: signatures are checked
MANY = 400
# On their way at once; without privileges a socket has room for few.
OUTSTANDING = 1024 if os.geteuid() == 0 else 128


def text_record(name, size, digit):
    pieces = [f'"{digit * min(200, size - at)}"' for at in range(0, size, 200)]
    return f"{name} TXT {' '.join(pieces)}\n"


def records(number):
    """Names of one length, so that queries can come in one GSO burst."""
    text = HEAD
    for i in range(number):
        text += f"a{i:04} A 10.0.{i >> 8}.{i & 255}\n"
        text += text_record(f"t{i:04}", 1 + i * TEXT_MAX // number, str(i % 10))
        text += f"c{i:04} CNAME a{i:04}\n"
        text += f"k{i:04} CNAME L{i:04}\nL{i:04} CNAME c{i:04}\n"
        text += "".join(f"m{i:04} AAAA 2001:db8::{i + 1:x}:{k + 1:x}\n"
                        for k in range(1 + i % 20))
        text += f"Em{i:03} MX 10 h{i:04}\n"
        text += f"h{i:04} A 10.3.{i >> 8}.{i & 255}\n"
        text += f"h{i:04} AAAA 2001:db8:1::{i + 1:x}\n"
        text += f"x.f{i:04} TXT below\n"
    return text + "*.w0000 A 10.1.1.1\nd0000 NS ns.d0000\nns.d0000 A 10.2.2.2\n"


def questions(number, apex):
    """(name, type); neighbours differ in the size of their replies."""
    asked = []
    for i in range(number):
        asked += [(f"a{i:04}", "A"), (f"t{i:04}", "TXT"), (f"c{i:04}", "A"),
                  (f"m{i:04}", "AAAA"), (f"x{i:04}", "A"), (f"A{i:04}", "MX"),
                  (f"em{i:03}", "MX"), (f"k{i:04}", "AAAA"), (f"f{i:04}", "A"),
                  (f"K{i:04}", "A"), (f"T{i:04}", "TXT")]
    asked += [(f"v{i:04}.W0000", "A") for i in range(number)]
    asked += [(f"v{i:04}.d0000", "A") for i in range(number)]
    # every second name in mixed case
    tail = [f".{apex}.", f".{apex.title()}."]
    return [(owner + tail[i & 1], kind)
            for i, (owner, kind) in enumerate(asked)]


class Source:
    """The zone file, read by dnspython."""

    def __init__(self, path, apex):
        self.apex = dns.name.from_text(apex)
        self.zone = dns.zone.from_text(pathlib.Path(path).read_text(),
                                       origin=self.apex, relativize=False)
        self.names = {self.apex}
        for owner in self.zone:
            while owner not in self.names:
                self.names.add(owner)
                owner = owner.parent()

    def rrset(self, owner, kind):
        """Lines of an RRset, the owner as asked."""
        rrset = self.zone.get_rrset(owner, kind)
        return [f"{owner} {rrset.ttl} {kind} {rdata}"
                for rdata in rrset] if rrset else []

    def referral(self, qname):
        """NS records of the cut at or above a name; [] when there is none."""
        while qname != self.apex:
            found = self.rrset(qname, "NS")
            if found:
                return found
            qname = qname.parent()
        return []

    def wildcard(self, qname, kind):
        star = dns.name.Name([b"*"]) + qname.parent()
        return [line.replace(str(star), str(qname), 1)
                for line in self.rrset(star, kind)]

    def answer(self, qname, kind):
        """(RCODE, answer section, authority section without DNSSEC)"""
        soa = [line.replace(" 300 ", " 5 ", 1)  # RFC 2308 section 5
               for line in self.rrset(self.apex, "SOA")]
        if self.referral(qname):
            return "NOERROR", [], self.referral(qname)
        chain = []
        while alias := self.rrset(qname, "CNAME"):
            chain += alias
            qname = dns.name.from_text(alias[0].split()[-1])
        if qname not in self.names:
            found = self.wildcard(qname, kind)
            return ("NOERROR", found, []) if found else ("NXDOMAIN", chain, soa)
        found = self.rrset(qname, kind)
        return "NOERROR", chain + found, [] if found else soa

    def additional(self, lines):
        """Addresses of the hosts that these MX or NS records name."""
        hosts = {dns.name.from_text(line.split()[-1]) for line in lines
                 if line.split()[2] in ("MX", "NS")}
        return [line for host in hosts for kind in ("A", "AAAA")
                for line in self.rrset(host, kind)]


def plain(lines):
    """Without DNSSEC, in any order and case: octets are compared elsewhere."""
    return sorted(line.lower() for line in lines if line.split()[2] not in (
        "RRSIG", "NSEC", "NSEC3", "DS"))


@dataclasses.dataclass(frozen=True)
class Manner:
    """How to ask: zcflood's option, what make_query needs, what fits."""

    name: str
    option: tuple
    fields: dict
    limit: int


PLAIN = Manner("plain", (), {"edns": None}, 512)
EDNS = Manner("edns", ("-e",), {"edns": 0}, 1232)
DNSSEC = Manner("dnssec", ("-D",), {"edns": 0, "do": True}, 1232)


class Lot:
    """
    The queries of a zone (path, for zcflood) and the octets expected over each
    transport (expected_path).
    """

    def __init__(self, folder, apex, zone_path, number, manner):
        self.folder, self.apex, self.manner = pathlib.Path(folder), apex, manner
        self.zone_path = zone_path
        self.number = number
        self.questions = questions(number, apex)
        self.path = self.folder / f"{apex}.{manner.name}.queries"
        self.path.write_text("".join(f"{owner} {kind}\n"
                                     for owner, kind in self.questions))
        self.replies = {"udp": [], "tcp": []}
        self.expected_path = {}

    def ask(self, server):
        """One by one; each is checked before it is expected."""
        source = Source(self.zone_path, self.apex)
        oracle = (signing.Oracle(self.zone_path, self.apex)
                  if self.manner is DNSSEC else None)
        with wire.Tcp(server) as tcp, wire.udp_socket(server) as udp:
            for owner, kind in self.questions:
                query = wire.make_query(owner, kind, ident=1,
                                        **self.manner.fields)
                tcp.send(query)
                whole = tcp.recv()
                udp.send(query)
                short = udp.recv(65535)
                said = self.check(source, oracle, wire.Reply(whole, query),
                                  owner, kind)
                self.check_size(whole, short, query, said)
                self.replies["tcp"].append(whole)
                self.replies["udp"].append(short)
        self.check_spread()
        for transport, replies in self.replies.items():
            self.expected_path[transport] = self.write(
                replies, f"{self.path}.{transport}")

    def check(self, source, oracle, reply, owner, kind):
        qname = dns.name.from_text(owner)
        rcode, answer, authority = source.answer(qname, kind)
        said = (owner, kind, reply.message.to_text())
        assert reply.rcode == rcode and not reply.tc, said
        assert plain(reply.answer) == plain(answer), said
        assert plain(reply.authority) == plain(authority), said
        assert plain(reply.additional) == plain(
            source.additional(answer + authority)), said
        assert reply.has_opt == (self.manner is not PLAIN), said
        if oracle and reply.aa:
            signing.check_signatures(reply, oracle)
            self.check_denial(oracle, reply, rcode, qname, said)
        return said

    @staticmethod
    def check_denial(oracle, reply, rcode, qname, said):
        denials = set(signing.denials(reply))
        if rcode == "NXDOMAIN":
            assert denials == oracle.nxdomain(qname), said
        elif not reply.answer:
            assert denials == oracle.nodata(qname), said
        elif not oracle.exists(qname):
            assert denials == oracle.wildcard(qname), said

    def check_size(self, whole, short, query, said):
        """Over UDP the same octets, or, where they do not fit, TC."""
        if len(whole) <= self.manner.limit:
            assert short == whole, said
            return
        reply, full = wire.Reply(short, query), wire.Reply(whole, query)
        assert reply.tc and len(short) <= self.manner.limit, said
        assert reply.rcode == full.rcode and reply.aa == full.aa, said
        for section in ("answer", "authority", "additional"):
            assert set(getattr(reply, section)) <= set(
                getattr(full, section)), said

    def check_spread(self):
        """Every size is near, some replies do not fit, most do."""
        sizes = {len(reply) for reply in self.replies["udp"]}
        cut = sum(bool(reply[2] & 2) for reply in self.replies["udp"])
        assert len(sizes) > min(100, self.number // 2), sorted(sizes)
        assert max(sizes) > self.manner.limit * 0.9, sorted(sizes)
        assert 0 < cut < len(self.questions) / 3, cut

    @staticmethod
    def write(replies, path):
        pathlib.Path(path).write_bytes(b"".join(
            struct.pack("!H", len(reply)) + reply for reply in replies))
        return path


def make_lots(folder, few=FEW, many=MANY):
    """
    An unsigned zone, asked with EDNS and without, and, where the tool for it is
    there, a signed one.
    """
    folder = pathlib.Path(folder)
    path = folder / "many.test.zone"
    path.write_text(records(many))
    lots = [Lot(folder, "many.test", path, many, EDNS),
            Lot(folder, "many.test", path, many, PLAIN)]
    if daemon.find_tool("ldns-signzone") and daemon.find_tool("ldns-keygen"):
        signed = signing.sign(folder / "sign", "signed.test", records(few))
        lots.append(Lot(folder, "signed.test", signed, few, DNSSEC))
    return lots


def zones(lots):
    return {lot.apex: lot.zone_path for lot in lots}


def program():
    return str(pathlib.Path(daemon.program()).parents[1]
               / "tests/bench/zcflood/zcflood")


@dataclasses.dataclass(frozen=True)
class Shape:
    """Who asks: how many, how many queries in a send, replies merged or not."""

    sources: int
    burst: int
    gro: bool = False
    transport: str = "udp"

    def options(self):
        """In random order, unless equal lengths are to follow each other."""
        yield from ("-c", self.sources, "-b", self.burst, "-m", self.transport)
        if self.gro:
            yield "-g"
        if self.burst == 1:
            yield from ("-r", "-S", self.sources)


def flood(place, lot, count, shape, expected=None):
    """
    (exit status, JSON of zcflood): count queries to (address, port), every
    octet of the replies compared.
    """
    command = [program(), "-s", place[0], "-p", place[1], "-d", lot.path, "-v",
               "full", "-E", expected or lot.expected_path[shape.transport],
               "-n", count, "-q", max(OUTSTANDING, shape.burst), "-t", 10000,
               "-j", "-", *lot.manner.option, *shape.options()]
    done = subprocess.run(list(map(str, command)), capture_output=True,
                          text=True, check=False, timeout=3600)
    assert done.returncode in (0, 1) and done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def faults(code, result):
    """What is wrong with a flood; losses are no fault."""
    found = {key: result[key] for key in WRONG if result[key]}
    return found or ({"status": code} if code else {})
