#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
Makes zones/queries.txt, dnsperf's input, from the sample zones: every owner
with the types it has and some that it has not, names that do not exist,
wildcards at several depths, names below cuts and DNAMEs. Always the same
output. Needs dnspython. usage: tests/zones-queries.py > zones/queries.txt
"""

import pathlib
import random

import dns.name
import dns.rdatatype
import dns.zone

ZONES = pathlib.Path(__file__).resolve().parent.parent / "zones"
SKIP = {"RRSIG", "NSEC3"}
OTHER = ["A", "AAAA", "MX", "TXT", "HTTPS"]


def zone_files():
    for path in sorted(ZONES.glob("*.zone")):
        yield dns.name.from_text("" if path.stem == "root" else path.stem), path


def owner_queries(node, name, rng):
    """What is there, and one or two things that are not."""
    types = {dns.rdatatype.to_text(rdataset.rdtype) for rdataset in node}
    if types <= SKIP:
        return
    for rdtype in sorted(types - SKIP):
        yield name, rdtype
    for rdtype in rng.sample(OTHER, 2):
        if rdtype not in types:
            yield name, rdtype


def near_queries(node, name, rng):
    """Names beside and below: misses, wildcards, referrals, DNAME."""
    word = "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=8))
    has = {rdataset.rdtype for rdataset in node}
    if name.is_wild():
        for text in (word, f"{word}.x"):
            below = dns.name.from_text(text, name.parent())
            yield from ((below, rdtype) for rdtype in ("A", "TXT", "MX"))
    elif has & {dns.rdatatype.NS, dns.rdatatype.DNAME}:
        for text in (word, "www", f"a.{word}"):
            yield dns.name.from_text(text, name), "A"
        yield name, "DS"
    else:
        yield dns.name.from_text(word, name), "A"
        yield dns.name.from_text(word, name.parent()), "AAAA"


def main():
    rng = random.Random(20261201)
    queries = []
    for origin, path in zone_files():
        zone = dns.zone.from_file(str(path), origin, relativize=False,
                                  check_origin=False)
        for name, node in zone.items():
            for query in owner_queries(node, name, rng):
                queries += [query] * (3 if query[1] in OTHER else 1)
            if not any(rdataset.rdtype == dns.rdatatype.NSEC3
                       for rdataset in node):
                queries += near_queries(node, name, rng)
        queries += [(origin, "SOA"), (origin, "NS")] * 4
    rng.shuffle(queries)
    for name, rdtype in queries:
        if len(name.to_wire()) <= 255:
            print(name.to_text(), rdtype)


main()
