# SPDX-License-Identifier: BSD-2-Clause
"""Zones of A records and the queries for them, written once per run."""

import random

HEAD = "$TTL 300\n@ SOA ns hm 1 2 3 4 5\n@ NS ns\nns A 192.0.2.1\n"
SMALL = 10000
LARGE = 1000000
LARGE_QUERIES = 300000
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


class Zone:
    """A zone file and its query file."""

    def __init__(self, apex, path, queries):
        self.apex = apex
        self.path = path
        self.queries = queries

    def zones(self):
        return {self.apex: self.path}


def _address(number):
    return f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"


def _write(folder, apex, names, asked):
    zone = Zone(apex, folder / f"{apex}.zone", folder / f"{apex}.queries")
    with open(zone.path, "w", encoding="ascii") as out:
        out.write(HEAD)
        out.writelines(f"{name} A {_address(i)}\n"
                       for i, name in enumerate(names))
    with open(zone.queries, "w", encoding="ascii") as out:
        out.writelines(f"{name}.{apex}. A\n" for name in asked)
    return zone


def small(folder):
    """10,000 names; every one asked, in an order that is none of the zone."""
    names = [f"h{i:04}" for i in range(SMALL)]
    return _write(folder, "bench.test", names,
                  [names[i * 7919 % SMALL] for i in range(SMALL)])


def large(folder, records=LARGE, queries=LARGE_QUERIES):
    """1,000,000 random names of one length, a part of them asked."""
    pick = random.Random(1)
    names = set()
    while len(names) < records:
        names.add("x" + "".join(pick.choices(LETTERS, k=9)))
    names = sorted(names)
    pick.shuffle(names)
    return _write(folder, "large.test", names,
                  pick.sample(names, min(queries, records)))
