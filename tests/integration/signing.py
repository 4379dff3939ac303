# SPDX-License-Identifier: BSD-2-Clause
"""
Signing zones and judging what a signed zone's server says.

Oracle reads the signed zone file itself and works out, without the server,
which denial records an answer must have (RFC 4035 section 3.1.3, RFC 5155
section 7.2); valid() checks signatures with dnspython.
"""

import pathlib
import subprocess

import dns.dnssec
import dns.name
import dns.rdataclass
import dns.rdatatype
import dns.rrset
import dns.zone

import daemon

INCEPTION, EXPIRATION = "20261101000000", "20461101000000"
NSEC, NSEC3, RRSIG = (dns.rdatatype.NSEC, dns.rdatatype.NSEC3,
                      dns.rdatatype.RRSIG)
STAR = dns.name.Name([b"*"])


def sign(folder, apex, text, *options):
    """Signs with ldns-signzone; the path of the signed zone."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "unsigned"
    source.write_text(text)
    key = subprocess.run(
        [daemon.find_tool("ldns-keygen"), "-r", "/dev/urandom", "-a",
         "ECDSAP256SHA256", "-k", apex], cwd=folder, check=True,
        capture_output=True, text=True).stdout.strip()
    signed = folder / "signed"
    subprocess.run(
        [daemon.find_tool("ldns-signzone"), *options, "-i", INCEPTION, "-e",
         EXPIRATION, "-o", apex, "-f", signed, source, key], cwd=folder,
        check=True, capture_output=True)
    return signed


def name(text):
    return dns.name.from_text(text)


class Oracle:
    """What the signed zone in a file obliges its server to say."""

    def __init__(self, path, apex):
        self.apex = name(apex)
        self.zone = dns.zone.from_text(
            pathlib.Path(path).read_text(), origin=self.apex, relativize=False)
        self.nsec3 = {}
        self.nsec = []
        self.names = set()
        self.params = None
        for owner, node in self.zone.items():
            for rdataset in node:
                if rdataset.rdtype == NSEC3:
                    label = owner.labels[0].decode().upper()
                    self.nsec3[label] = (owner, rdataset[0])
                    self.params = (rdataset[0].salt, rdataset[0].iterations)
            if node.get_rdataset(dns.rdataclass.IN, NSEC):
                self.nsec.append(owner)
            if any(rds.rdtype not in (NSEC3, RRSIG) or
                   rds.rdtype == RRSIG and rds.covers != NSEC3
                   for rds in node):
                while owner not in self.names and owner.is_subdomain(self.apex):
                    self.names.add(owner)
                    owner = owner.parent() if owner != self.apex else owner
                    if owner in self.names:
                        break
        self.nsec.sort()
        self.keys = {self.apex: self.zone.find_rrset(
            self.apex, dns.rdatatype.DNSKEY)}

    def exists(self, owner):
        return owner in self.names

    def encloser(self, qname):
        """(closest encloser, next closer name)"""
        closer = qname
        while not self.exists(closer):
            closer, qname = closer.parent(), closer
        return closer, qname

    # NSEC3 (RFC 5155 section 7.2)

    def hash(self, owner):
        salt, iterations = self.params
        return dns.dnssec.nsec3_hash(owner, salt, iterations, 1)

    def nsec3_match(self, owner):
        found = self.nsec3.get(self.hash(owner))
        return found and found[0]

    def nsec3_cover(self, owner):
        wanted = self.hash(owner)
        before = [label for label in self.nsec3 if label < wanted]
        return self.nsec3[max(before or self.nsec3)][0]

    def nsec3_encloser(self, qname):
        """Owners for the closest provable encloser and the next closer."""
        encloser, closer = self.encloser(qname)
        while not self.nsec3_match(encloser):
            encloser, closer = encloser.parent(), encloser
        return encloser, {self.nsec3_match(encloser), self.nsec3_cover(closer)}

    def nsec_at(self, qname):
        """Owner of the NSEC that matches or covers."""
        before = [owner for owner in self.nsec if owner <= qname]
        return before[-1] if before else self.nsec[-1]

    # What an answer has to carry

    def nodata(self, qname):
        if not self.params:
            return {self.nsec_at(qname)}
        match = self.nsec3_match(qname)
        return {match} if match else self.nsec3_encloser(qname)[1]

    def nxdomain(self, qname):
        if not self.params:
            star = STAR + self.encloser(qname)[0]
            return {self.nsec_at(qname), self.nsec_at(star)}
        encloser, owners = self.nsec3_encloser(qname)
        return owners | {self.nsec3_cover(STAR + encloser)}

    def wildcard(self, qname):
        _, closer = self.encloser(qname)
        if not self.params:
            return {self.nsec_at(qname)}
        return {self.nsec3_cover(closer)}

    def wildcard_nodata(self, qname):
        encloser, closer = self.encloser(qname)
        star = STAR + encloser
        if not self.params:
            return {self.nsec_at(qname), self.nsec_at(star)}
        return {self.nsec3_match(encloser), self.nsec3_cover(closer),
                self.nsec3_match(star)}

    def no_ds(self, cut):
        return self.nodata(cut)

    def denial(self):
        return NSEC3 if self.params else NSEC


def rrsets(section):
    """The section's records as RRsets, keyed by (owner, type, covered)."""
    found = {}
    for rrset in section:
        for rdata in rrset:
            key = (rrset.name, rrset.rdtype,
                   rdata.covers() if rrset.rdtype == RRSIG else 0)
            found.setdefault(key, dns.rrset.RRset(
                rrset.name, dns.rdataclass.IN, rrset.rdtype, key[2])).add(
                    rdata, rrset.ttl)
    return found


def denials(reply):
    """Owners of the NSEC and NSEC3 records in the authority section."""
    return [rrset.name for rrset in reply.message.authority
            if rrset.rdtype in (NSEC, NSEC3)]


def check_signatures(reply, oracle, unsigned=()):
    """Every RRset of answer and authority has a signature that is valid;
    unsigned: (owner, type) of those that must have none."""
    for section in (reply.message.answer, reply.message.authority):
        sets = rrsets(section)
        for (owner, kind, covered), rrset in sets.items():
            if kind == RRSIG:
                assert (owner, covered, 0) in sets, f"lone RRSIG {owner}"
                continue
            signature = sets.get((owner, RRSIG, kind))
            if (owner, kind) in unsigned:
                assert signature is None, f"RRSIG over {owner} {kind}"
                continue
            assert signature, f"no RRSIG for {owner} {kind}"
            assert signature.ttl == rrset.ttl, "TTL of RRSIG"
            original = dns.rrset.from_rdata_list(
                owner, signature[0].original_ttl, list(rrset))
            dns.dnssec.validate(original, signature, oracle.keys, now=1797000000)
