# SPDX-License-Identifier: BSD-2-Clause
"""
Zones whose replies have every size up to 1,232 octets, and what is right about
them: for the integrity tests.

    Lot      queries of one zone and the expected reply to each: asked one by
             one over TCP, and compared with the zone file as dnspython reads
             it (Source), signatures included
    flood()  zcflood against a Lot
"""

import json
import pathlib
import struct
import subprocess

import dns.name
import dns.rdataclass
import dns.rdatatype
import dns.zone

import daemon
import signing
import wire

HEAD = "$TTL 300\n@ SOA ns hm 1 2 3 4 5\n@ NS ns\nns A 192.0.2.1\n"
LIMIT = 1232
WRONG = ("wrong_question", "wrong_code", "wrong_octets", "malformed",
         "unsolicited", "duplicates", "late", "send_errors")
FEW = 40  # names of each kind in a signed zone: signatures are checked
MANY = 400


def records(number, text_max):
    """Names of one length, so that queries can come in one GSO burst."""
    text = HEAD
    for i in range(number):
        size = 1 + i * text_max // number
        pieces = [f"{i % 10}" * min(200, size - at)
                  for at in range(0, size, 200)]
        text += f"a{i:04} A 10.0.{i >> 8}.{i & 255}\n"
        text += f"t{i:04} TXT " + " ".join(f'"{one}"' for one in pieces) + "\n"
        text += f"c{i:04} CNAME a{i:04}\n"
        text += "".join(f"m{i:04} AAAA 2001:db8::{i + 1:x}:{k + 1:x}\n"
                        for k in range(1 + i % 20))
    text += "*.w0000 A 10.1.1.1\nd0000 NS ns.d0000\nns.d0000 A 10.2.2.2\n"
    return text


def questions(number, apex):
    """(name, type); neighbours differ in the size of their replies."""
    asked = []
    for i in range(number):
        asked += [(f"a{i:04}", "A"), (f"t{i:04}", "TXT"), (f"c{i:04}", "A"),
                  (f"m{i:04}", "AAAA"), (f"x{i:04}", "A"), (f"a{i:04}", "MX")]
    asked += [(f"v{i:04}.w0000", "A") for i in range(number)]
    asked += [(f"v{i:04}.d0000", "A") for i in range(number)]
    return [(f"{owner}.{apex}.", kind) for owner, kind in asked]


class Source:
    """The zone file, read by dnspython, and what it says to a question."""

    def __init__(self, path, apex):
        self.apex = dns.name.from_text(apex)
        self.zone = dns.zone.from_text(pathlib.Path(path).read_text(),
                                       origin=self.apex, relativize=False)

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

    def answer(self, qname, kind):
        """(RCODE, answer section, authority section without DNSSEC)"""
        soa = [line.replace(" 300 ", " 5 ", 1)  # RFC 2308 section 5
               for line in self.rrset(self.apex, "SOA")]
        if self.referral(qname):
            return "NOERROR", [], self.referral(qname)
        found = self.rrset(qname, kind) or self.rrset(qname, "CNAME")
        if found:
            if " CNAME " in found[0]:
                target = dns.name.from_text(found[0].split()[-1])
                found += self.rrset(target, kind)
            return "NOERROR", found, []
        if self.zone.get_node(qname):
            return "NOERROR", [], soa
        star = dns.name.Name([b"*"]) + qname.parent()
        found = [line.replace(str(star), str(qname), 1)
                 for line in self.rrset(star, kind)]
        return ("NOERROR", found, []) if found else ("NXDOMAIN", [], soa)


def plain(lines):
    return sorted(line for line in lines
                  if line.split()[2] not in ("RRSIG", "NSEC", "NSEC3", "DS"))


class Lot:
    """
    The queries of a zone (path, for zcflood) and the replies expected
    (expected_path). dnssec: the zone is signed and asked with DO.
    """

    def __init__(self, folder, apex, zone_path, number, dnssec):
        self.folder, self.apex, self.dnssec = pathlib.Path(folder), apex, dnssec
        self.zone_path = zone_path
        self.questions = questions(number, apex)
        self.path = self.folder / f"{apex}.queries"
        self.expected_path = self.folder / f"{apex}.expected"
        self.path.write_text("".join(f"{owner} {kind}\n"
                                     for owner, kind in self.questions))
        self.replies = []

    def query(self, owner, kind):
        """As zcflood asks: -e or -D."""
        return wire.make_query(owner, kind, edns=0, do=self.dnssec, ident=1)

    def ask(self, server):
        """One by one over TCP; each is checked before it is expected."""
        source = Source(self.zone_path, self.apex)
        oracle = (signing.Oracle(self.zone_path, self.apex)
                  if self.dnssec else None)
        with wire.Tcp(server) as connection:
            for owner, kind in self.questions:
                query = self.query(owner, kind)
                connection.send(query)
                reply = connection.recv()
                assert len(reply) <= LIMIT, f"{owner} {kind}: {len(reply)}"
                self.check(source, oracle, wire.Reply(reply, query), owner,
                           kind)
                self.replies.append(reply)
        self.write()
        sizes = {len(reply) for reply in self.replies}
        assert len(sizes) > 40 and max(sizes) > 1000, sorted(sizes)

    def check(self, source, oracle, reply, owner, kind):
        rcode, answer, authority = source.answer(dns.name.from_text(owner),
                                                 kind)
        said = (owner, kind, reply.message.to_text())
        assert reply.rcode == rcode, said
        assert plain(reply.answer) == sorted(answer), said
        assert plain(reply.authority) == sorted(authority), said
        if self.dnssec and reply.aa:
            signing.check_signatures(reply, oracle)
        if self.dnssec and rcode == "NXDOMAIN":
            assert set(signing.denials(reply)) == oracle.nxdomain(
                dns.name.from_text(owner)), said

    def write(self, replies=None, path=None):
        path = path or self.expected_path
        path.write_bytes(b"".join(struct.pack("!H", len(reply)) + reply
                                  for reply in replies or self.replies))
        return path


def make_lots(folder, few=FEW, many=MANY):
    """An unsigned zone and, where the tool for it is there, a signed one."""
    folder = pathlib.Path(folder)
    path = folder / "many.test.zone"
    path.write_text(records(many, 1150))
    lots = [Lot(folder, "many.test", path, many, False)]
    if daemon.find_tool("ldns-signzone") and daemon.find_tool("ldns-keygen"):
        signed = signing.sign(folder / "sign", "signed.test", records(few, 1020))
        lots.append(Lot(folder, "signed.test", signed, few, True))
    return lots


def program():
    return str(pathlib.Path(daemon.program()).parents[1]
               / "tests/bench/zcflood/zcflood")


def flood(server, lot, count, sources, burst, expected=None):
    """(exit status, JSON of zcflood): count queries, every octet compared."""
    command = [program(), "-s", server.address, "-p", server.port, "-d",
               lot.path, "-E", expected or lot.expected_path, "-v", "full",
               "-D" if lot.dnssec else "-e", "-n", count, "-c", sources, "-q",
               1024, "-b", burst, "-t", 3000, "-j", "-"]
    command += ["-g"] if burst > 1 else ["-r", "-S", sources]
    done = subprocess.run(list(map(str, command)), capture_output=True,
                          text=True, check=False, timeout=3600)
    assert done.returncode in (0, 1) and done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def faults(result):
    """What is wrong in a result; losses are no fault."""
    return {key: result[key] for key in WRONG if result[key]}
