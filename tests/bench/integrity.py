#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
Millions of replies under flood, each compared octet by octet: both back ends,
zerocopy always and never, 1 to 4,096 sources, single queries and bursts, an
unsigned and a signed zone. What is expected was asked one by one over TCP
before, and compared with the zone file as dnspython reads it. A reply that is
wrong, comes twice or goes to another client ends it with status 1; losses are
counted.

    integrity.py [MILLIONS]   (50)
"""

import os
import pathlib
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]
                       / "integration"))

import daemon  # noqa: E402
import replies  # noqa: E402

MILLIONS = 50
WAYS = [("uring", "always"), ("uring", "never"), ("mmsg", "never")]
SHAPES = [(sources, burst) for sources in (1, 16, 256, 4096)
          for burst in (1, 32)]


def say(*columns):
    print("{:6} {:8} {:12} {:>7} {:>5} {:>11} {:>8} {:>9}  {}".format(*columns),
          flush=True)


def run(server, way, lot, count, shape):
    """One flood; (answered, lost, faults)"""
    code, result = replies.flood(server, lot, count, *shape)
    found = replies.faults(result)
    if code and not found:
        found = {"status": code}
    say(*way, lot.apex, *shape, f"{result['answered']:,}", result["lost"],
        f"{result['rate']:,.0f}", found or "right")
    return result["answered"], result["lost"], found


def run_way(way, folder, count):
    """All floods against one server."""
    io, zerocopy = way
    lots = replies.make_lots(folder)
    options = {"zerocopy": zerocopy, "zerocopy-min": 300}
    zones = {lot.apex: lot.zone_path for lot in lots}
    totals = []
    with daemon.Server(folder / "server", zones, io=io,
                       options=options) as server:
        for lot in lots:
            lot.ask(server)
        each = count // (len(SHAPES) * len(lots)) + 1
        for lot in lots:
            totals += [run(server, way, lot, each, shape) for shape in SHAPES]
    return totals


def main():
    millions = float(sys.argv[1]) if len(sys.argv) > 1 else MILLIONS
    ways = WAYS
    if daemon.io_uring_missing():
        print(f"without io_uring: {daemon.io_uring_missing()}")
        ways = [way for way in WAYS if way[0] != "uring"]
    begin = time.monotonic()
    say("io", "zerocopy", "zone", "sources", "burst", "answered", "lost",
        "replies/s", "octets")
    totals = []
    for way in ways:
        with tempfile.TemporaryDirectory(prefix="zcdns-integrity-") as name:
            os.chmod(name, 0o755)
            folder = pathlib.Path(name)
            totals += run_way(way, folder, int(millions * 1e6) // len(ways))
    answered, lost = (sum(column) for column in list(zip(*totals))[:2])
    wrong = [found for *_, found in totals if found]
    print(f"{answered:,} replies compared, {len(wrong)} floods with faults, "
          f"{lost:,} lost ({100 * lost / (answered + lost):.4f} %), "
          f"{time.monotonic() - begin:.0f} s")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
