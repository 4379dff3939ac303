#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
Writes the seeds of the fuzz targets, corpus/fuzz_ENTRY/seed-NAME. They are
taken from the tables of the integration tests, so that what those ask is where
the fuzzers begin. Findings lie beside them under names of their own.
"""

import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent / "integration"))

import test_malformed  # noqa: E402
import test_zone_cases  # noqa: E402
import wire  # noqa: E402

SIZE_MAX = 4096
NAMES = ["example.com.", "www.example.com.", "WwW.eXample.com.",
         "nope.example.com.", "example.net.", "www.example.net.",
         "x.wild.example.net.", "x.deep.wild.example.net.",
         "q.alias.example.net.", "q.loop.example.net.", "x.star.example.net.",
         "c1.example.net.", "self.example.net.", "outgone.example.net.",
         "www.old.example.net.", "x.away.example.net.", "x.spin.example.net.",
         "y" * 60 + ".long.example.net.", "x.cut.example.net.",
         "x.mix.example.net.", "kid.example.net.", "ent.example.net.",
         "nsec.example.", "nope.nsec.example.", "q.wild.nsec.example.",
         "q.walias.nsec.example.", "x.insecure.nsec.example.",
         "x.secure.nsec.example.", "b.ent.nsec.example.", "nsec3.example.",
         "nope.nsec3.example.", "a.b.c.nope.nsec3.example.",
         "q.wild.nsec3.example.", "q.wgone.nsec3.example.",
         "x.insecure.nsec3.example.", "insecure.nsec3.example.",
         "only.hidden.nsec3.example.", "hidden.nsec3.example.",
         "x.secure.nsec3.example.", "x.away.nsec3.example.",
         "big.nsec3.example.", ".", "com.", "invalid.example.",
         "x.not-ready.example.", ".".join(["a"] * 120) + ".nsec3.example."]
TYPES = ["A", "AAAA", "NS", "SOA", "MX", "TXT", "CNAME", "DS", "ANY", "RRSIG",
         "NSEC", "NSEC3", "DNSKEY", "SRV"]


def put(entry, name, data):
    folder = HERE / "corpus" / f"fuzz_{entry}"
    folder.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_")[:60]
    if len(data) <= SIZE_MAX:
        (folder / f"seed-{name}").write_bytes(data)


def messages():
    for i, qname in enumerate(NAMES):
        for k in range(2):
            rdtype = TYPES[(i * 2 + k * 7) % len(TYPES)]
            fields = [{}, {"do": True}, {"do": True, "payload": 512},
                      {"edns": 0, "options": [(3, b""), (10, b"12345678")]},
                      {"do": True, "options": [(11, b""), (19, b""), (9, b"")]},
                      {"flags": 0x0110}][(i + k * 3) % 6]
            yield (f"{qname}-{rdtype}-{k}",
                   wire.make_query(qname, rdtype, ident=0x1234, **fields))
    for qname in ("id.server.", "version.bind."):
        yield f"ch-{qname}", wire.make_query(qname, "TXT", rdclass="CH",
                                             ident=1)
    for rdtype in (41, 249, 250, 251, 252, 253, 254):
        yield f"meta-{rdtype}", wire.make_query("example.com.", rdtype, ident=1)
    for opcode in (1, 2, 4, 5, 6):
        yield f"opcode-{opcode}", wire.make_query(
            "example.com.", "SOA", flags=opcode << 11, ident=1)
    yield "version-1", wire.make_query("example.com.", edns=1, ident=1)
    yield from test_malformed.FORMERR
    yield from test_malformed.DROPPED


def main():
    for name, octets in messages():
        put("message", name, octets)
        put("answer", name, octets)
    for i, qname in enumerate(NAMES):
        octets = wire.query_question(wire.make_query(qname, ident=1))[:-4]
        put("name", f"wire-{i}", octets)
        put("name", f"pair-{i}", octets + octets.upper().replace(b"X", b"y"))
        put("name", f"text-{i}", qname.encode())
    for i, text in enumerate([
            "@", "", "\\.", "\\065.b", "\\256", "\\25", "a..b", ".a", "\\@",
            "*", "a\\.b.c", "x" * 63, "x" * 64, "\\000" * 63, "."]):
        put("name", f"text-odd-{i}", text.encode("latin-1"))
    for case in test_zone_cases.GOOD + test_zone_cases.BAD:
        text = case.text.replace("{z}", "z.test.")
        if not case.files:
            put("zone", case.id, text.encode())
    every = [case.text[len(test_zone_cases.HEAD):] for case in
             test_zone_cases.GOOD if not case.files
             and case.text.startswith(test_zone_cases.HEAD)
             and len(case.text) < 600]
    put("zone", "every", (test_zone_cases.HEAD + "".join(
        f"$ORIGIN z{i}.z.test.\n" + text for i, text in enumerate(every)
    ).replace("{z}", "z.test.")).encode())


if __name__ == "__main__":
    main()
