# SPDX-License-Identifier: BSD-2-Clause
"""
The same zones on zcdns, knotd and nsd, the same questions to all three. What
differs must be in ALLOWED, with its reason; a difference that is not there is
a failure, and so is an entry that no difference needed.

Compared are RCODE, AA, TC and the sections as sets of records, case ignored.
"""

import collections
import struct

import dns.name
import dns.rdatatype
import dns.zone
import pytest

import daemon
import wire
from tables import Z_ZONE

TYPES = ["A", "AAAA", "NS", "SOA", "CNAME", "DNAME", "MX", "TXT", "SRV", "DS",
         "DNSKEY", "NSEC", "CAA", "HTTPS", "ANY"]
SAMPLES = ["example.com", "example.net", "kid.example.net", "nsec.example",
           "nsec3.example", "2.0.192.in-addr.arpa"]
PEERS = {"knotd": daemon.Knot, "nsd": daemon.Nsd}
CNAME, DNAME, RRSIG = 5, 39, 46

Asked = collections.namedtuple("Asked", "zone qname rdtype do tcp")
Record = collections.namedtuple("Record", "owner type ttl rdata")
Said = collections.namedtuple(
    "Said", "rcode aa tc answer authority additional")

# Wire form of RDATA: octets before the names that may be compressed, and how
# many names (RFC 3597 section 4).
NAMES = {2: (0, 1), 5: (0, 1), 6: (0, 2), 12: (0, 1), 15: (2, 1), 33: (6, 1),
         39: (0, 1)}


def read_name(octets, at):
    """(name in lower case, where it ends)"""
    labels, end = [], None
    while octets[at]:
        if octets[at] >= 192:
            end = end or at + 2
            at = struct.unpack_from("!H", octets, at)[0] & 0x3fff
            continue
        labels.append(octets[at + 1:at + 1 + octets[at]].lower())
        at += 1 + octets[at]
    return tuple(labels), end or at + 1


def read_rdata(octets, kind, at, end):
    if kind not in NAMES:
        return octets[at:end]
    skip, count = NAMES[kind]
    parts = [octets[at:at + skip]]
    at += skip
    for _ in range(count):
        name, at = read_name(octets, at)
        parts.append(name)
    return tuple(parts) + (octets[at:end],)


def read_reply(octets):
    flags, qd, *counts = struct.unpack_from("!HHHHH", octets, 2)
    at = 12
    for _ in range(qd):
        at = read_name(octets, at)[1] + 4
    sections = []
    for count in counts:
        found = set()
        for _ in range(count):
            owner, at = read_name(octets, at)
            kind, _, ttl, length = struct.unpack_from("!HHIH", octets, at)
            at += 10
            if kind != 41:
                found.add(Record(owner, kind, ttl, read_rdata(
                    octets, kind, at, at + length)))
            at += length
        sections.append(frozenset(found))
    return Said(flags & 15, bool(flags & 0x0400), bool(flags & 0x0200),
                *sections)


# What may differ.

def of_types(section, types):
    return {record for record in section if record.type in types}


def last_alias(asked, said):
    """Where the chain of the answer ends, as labels."""
    name = labels(asked.qname)
    seen = set()
    aliases = {record.owner: record.rdata[1] for record in said.answer
               if record.type == CNAME}
    while name in aliases and name not in seen:
        seen.add(name)
        name = aliases[name]
    return name, name in seen


def labels(text):
    return tuple(label.lower() for label in dns.name.from_text(text).labels[:-1])


def leaves_zone(asked, ours):
    apex = labels(asked.zone)
    return last_alias(asked, ours)[0][-len(apex):] != apex


def any_query(asked, ours, theirs):
    return asked.rdtype == "ANY" and ours.rcode == theirs.rcode


def other_zone(asked, ours, theirs):
    return ours.answer <= theirs.answer and leaves_zone(asked, ours)


def too_long(asked, ours, theirs):
    return (ours.rcode, theirs.rcode) == (6, 3) and ours.answer == theirs.answer


def step_limit(asked, ours, theirs):
    """Theirs or ours goes on where the other one stopped."""
    aliases = len(of_types(ours.answer, {CNAME}))
    if ours.answer == theirs.answer:
        return aliases == 16 and not ours.authority
    return aliases > 5 and (theirs.answer < ours.answer
                            or ours.answer < theirs.answer)


def addresses(asked, ours, theirs):
    """Additional data of answers that are no referral."""
    return (ours[:5] == theirs[:5] and bool(ours.answer)
            and (theirs.additional <= ours.additional
                 or ours.additional <= theirs.additional))


def alias_itself(asked, ours, theirs):
    """NSEC lies beside a CNAME, so it is not asked of the target."""
    return asked.rdtype == "NSEC" and bool(of_types(ours.answer, {CNAME}))


def dname_size(asked, ours, theirs):
    return (not ours.tc and not asked.tcp and theirs.authority < ours.authority
            and bool(of_types(ours.answer, {DNAME})))


def ds_of_unsigned_zone(asked, ours, theirs):
    only = ours.authority - theirs.authority
    return (ours[:4] == theirs[:4] and theirs.authority < ours.authority
            and not of_types(ours.authority, {RRSIG})
            and {record.type for record in only} == {43})


def proof_is_the_answer(asked, ours, theirs):
    """The NSEC of a wildcard, asked for by a name that it makes."""
    return (asked.rdtype == "NSEC" and ours[:4] == theirs[:4]
            and theirs.authority < ours.authority
            and of_types(ours.answer, {47}) != set())


def only_proofs(ours, theirs):
    """The two differ in NSEC and NSEC3 records alone."""
    def keep(section):
        return {record for record in section if record.type not in (47, 50)
                and not (record.type == RRSIG and struct.unpack_from(
                    "!H", record.rdata)[0] in (47, 50))}
    return (ours[:4] == theirs[:4] and ours.additional == theirs.additional
            and keep(ours.authority) == keep(theirs.authority))


def proof_behind_dname(asked, ours, theirs):
    return only_proofs(ours, theirs) and bool(of_types(ours.answer, {DNAME}))


def opt_out_non_terminal(asked, ours, theirs):
    """Empty non-terminals that only insecure delegations make."""
    hidden = {labels(f"{name}.nsec3.example.") for name in ("hidden", "cut")}
    name = labels(asked.qname)
    return only_proofs(ours, theirs) and any(
        name[i:] in hidden for i in range(len(name)))


def asterisk_asked(asked, ours, theirs):
    return (asked.qname.startswith("*.") and only_proofs(ours, theirs)
            and ours.authority < theirs.authority)


# id: (peer, reason, test)
ALLOWED = {
    "any": ("both", "ANY: one RRset over UDP, all over TCP; they give one or "
            "another one (RFC 8482 section 4.1)", any_query),
    "other-zone": ("nsd", "nsd follows an alias into another zone it serves; "
                   "zcdns and knotd stop at the zone's edge", other_zone),
    "alias-nsec": ("knotd", "knotd looks for NSEC at the alias itself, zcdns and "
                   "nsd follow it", alias_itself),
    "dname-size": ("both", "zcdns points the target of a CNAME made from a DNAME "
                   "at that DNAME, so that a long one leaves room for the SOA",
                   dname_size),
    "ds-unsigned": ("both", "they leave the DS out of a referral while the zone "
                    "itself is not signed", ds_of_unsigned_zone),
    "proof-is-answer": ("knotd", "knotd leaves out the NSEC that stands in the "
                        "answer under another owner", proof_is_the_answer),
    "proof-behind-dname": ("nsd", "nsd proves the missing name with the wrong "
                           "NSEC when a wildcard lies behind a DNAME; knotd "
                           "agrees with zcdns", proof_behind_dname),
    "opt-out-ent": ("nsd", "nsd takes a name without NSEC3, which opt-out "
                    "allows, for the closest provable encloser; knotd agrees "
                    "with zcdns (RFC 5155 section 7.2.1)",
                    opt_out_non_terminal),
    "asterisk": ("nsd", "nsd adds an NSEC3 that covers nothing asked when the "
                 "name of a wildcard itself has no such type (RFC 5155 section "
                 "7.2.3 wants one)", asterisk_asked),
    "yxdomain": ("knotd", "knotd says NXDOMAIN where a DNAME makes a name too "
                 "long (RFC 6672 section 2.2: YXDOMAIN)", too_long),
    "steps": ("both", "the length at which a chain of aliases is cut is each "
              "server's choice; ours is 16", step_limit),
    "addresses": ("both", "which addresses come along with an answer is each "
                  "server's choice", addresses),
}


def zone_paths():
    paths = {"z.test": Z_ZONE}
    for name in SAMPLES:
        paths[name] = daemon.TOP / "zones" / f"{name}.zone"
    return paths


def names_of(apex, path):
    """Every owner, what lies above, below and beside it."""
    root = dns.name.from_text(apex)
    zone = dns.zone.from_text(path.read_text(), origin=root, relativize=False,
                              check_origin=False)
    owners = {owner for owner, node in zone.nodes.items()
              if not node.get_rdataset(1, dns.rdatatype.NSEC3)}
    names = {root}
    for owner in owners:
        around = [owner, owner.parent()]
        for label in ([b"x"], [b"*"], [b"y", b"x"]):
            around += [dns.name.Name(label + list(where.labels))
                       for where in (owner, owner.parent())
                       if sum(map(len, where.labels)) + len(where.labels) < 250]
        names |= {name for name in around if name.is_subdomain(root)}
    if apex == "z.test":
        names.add(dns.name.from_text("x" * 63 + ".l.z.test."))
    return sorted(names)


def questions():
    for apex, path in zone_paths().items():
        for number, qname in enumerate(names_of(apex, path)):
            for rdtype in TYPES:
                for do in (False, True):
                    yield Asked(apex, qname.to_text(), rdtype, do, False)
                if number % 4 == 0:
                    yield Asked(apex, qname.to_text(), rdtype, True, True)


def batches(items, size):
    batch = []
    for item in items:
        batch.append(item)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


class Client:
    """Asks in batches, so that the time goes to the servers."""

    def __init__(self, server):
        self.udp = wire.udp_socket(server)
        self.tcp = wire.Tcp(server)

    def ask(self, asked):
        """Raw replies to a batch, in order."""
        replies = {}
        udp = [i for i, one in enumerate(asked) if not one.tcp]
        tcp = [i for i, one in enumerate(asked) if one.tcp]
        for i in udp:
            self.udp.send(query(asked[i], i + 1))
        self.tcp.sock.sendall(b"".join(
            wire.frame(query(asked[i], i + 1)) for i in tcp))
        for _ in udp:
            self.keep(replies, self.udp.recv(65535))
        for _ in tcp:
            self.keep(replies, self.tcp.recv())
        return [replies[i + 1] for i in range(len(asked))]

    @staticmethod
    def keep(replies, octets):
        replies[struct.unpack_from("!H", octets)[0]] = octets

    def close(self):
        self.udp.close()
        self.tcp.sock.close()


def query(asked, ident):
    return wire.make_query(asked.qname, asked.rdtype, do=asked.do, ident=ident,
                           payload=1232, edns=0 if asked.do else None)


def why(peer, asked, ours, theirs):
    """The entry that allows a difference; None when there is none."""
    for ident, (who, _, test) in ALLOWED.items():
        if who in (peer, "both") and test(asked, ours, theirs):
            return ident
    return None


def describe(peer, asked, ours, theirs):
    lines = [f"{peer}: {asked}"]
    for what in Said._fields:
        mine, other = getattr(ours, what), getattr(theirs, what)
        if mine != other and isinstance(mine, frozenset):
            lines += [f"  {what} only here: {record}"
                      for record in sorted(map(str, mine - other))]
            lines += [f"  {what} only there: {record}"
                      for record in sorted(map(str, other - mine))]
        elif mine != other:
            lines.append(f"  {what}: {mine} here, {other} there")
    return "\n".join(lines)


def compare(peer, ours, theirs, used, faults):
    for batch in batches(questions(), 40):
        for asked, mine, other in zip(batch, ours.ask(batch),
                                      theirs.ask(batch)):
            mine, other = read_reply(mine), read_reply(other)
            if mine == other:
                continue
            reason = why(peer, asked, mine, other)
            used[reason] += 1
            if reason is None:
                kind = (asked.zone, *(
                    what for what, a, b in zip(Said._fields, mine, other)
                    if a != b))
                faults.setdefault(kind, describe(peer, asked, mine, other))


@pytest.mark.parametrize("peer", PEERS)
def test_same_answers(tmp_path, peer):
    if not daemon.find_tool(peer):
        pytest.skip(f"{peer} is not installed")
    used, faults = collections.Counter(), {}
    paths = zone_paths()
    with daemon.Server(tmp_path / "zcdns", paths) as ours, \
            PEERS[peer](tmp_path / peer, paths) as theirs:
        clients = [Client(ours), Client(theirs)]
        compare(peer, *clients, used, faults)
        for client in clients:
            client.close()
    print(dict(used))
    assert not faults, f"{used[None]} differences\n" + "\n".join(
        faults.values())
    idle = {ident for ident, (who, _, _) in ALLOWED.items()
            if who in (peer, "both")} - set(used)
    assert not idle, f"no difference needs {idle}"
