#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
Millions of replies under flood, each compared octet by octet.

What is expected was asked one by one over TCP and UDP before, and compared
with the zone file as dnspython reads it: an unsigned zone asked with EDNS and
without, a signed one asked with DO; every size of reply, truncated ones too.
Then every combination of

    back end    io_uring with zerocopy always and never; mmsg
    network     loopback; with zerocopy also one whose packets wait (delayed.py)
    batch-wait  auto, 50, busy-poll; the second with two workers
    listener    one address, any address, IPv6: one for each way of asking
    sources     1, 16, 256, 4096
    queries     single, in bursts of 32, the same with replies merged; over TCP
                single and in bursts

A reply that is wrong, comes twice or goes to another client, or more than one
in 10,000 lost, ends it with status 1. Bursts get twice the share of singles,
what is slow half of it. Fifty million take 5 to 10 minutes on two idle cores.
"""

import argparse
import contextlib
import dataclasses
import os
import pathlib
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]
                       / "integration"))

import daemon  # noqa: E402
import delayed  # noqa: E402
import replies  # noqa: E402
from replies import Shape  # noqa: E402

MILLIONS = 50
LOSS = 1e-4
ZEROCOPY_MIN = 512
WAITS = [("auto", 1), ("50", 2), ("busy-poll", 1)]  # batch-wait, workers
SHAPES = [Shape(sources, burst, gro) for sources in (1, 16, 256, 4096)
          for burst, gro in ((1, False), (32, False), (32, True))]
SHAPES += [Shape(sources, burst, transport="tcp") for sources in (1, 256)
           for burst in (1, 32)]
COLUMNS = "{:6}{:8}{:9}{:10}{:5}{:>8}{:>6}{:>4}{:>12}{:>6}{:>11}  {}"


@dataclasses.dataclass(frozen=True)
class Way:
    """A configuration of zcdns, and where it runs."""

    io: str
    zerocopy: str
    network: str = "lo"

    def missing(self):
        if self.io == "uring" and daemon.io_uring_missing():
            return daemon.io_uring_missing()
        return delayed.missing() if self.network == "delayed" else None

    def entered(self):
        return (delayed.loopback() if self.network == "delayed"
                else contextlib.nullcontext())


WAYS = [Way("uring", "always"), Way("uring", "always", "delayed"),
        Way("uring", "never"), Way("mmsg", "never")]


def weight(way, shape):
    """Share of the replies; so that neither slow ones nor fast ones rule."""
    share = 1 if shape.burst == 1 else 2
    if shape.transport == "tcp" or way.network == "delayed":
        share /= 2
    return share


@dataclasses.dataclass
class Total:
    answered: int = 0
    lost: int = 0
    faults: dict = dataclasses.field(default_factory=dict)

    def add(self, other):
        self.answered += other.answered
        self.lost += other.lost
        for key, number in other.faults.items():
            self.faults[key] = self.faults.get(key, 0) + number

    def take(self, code, result):
        self.add(Total(result["answered"], result["lost"],
                       replies.faults(code, result)))

    def loss(self):
        return self.lost / max(1, self.answered + self.lost)


def listeners():
    """(address asked, address listened on) for each lot, in their order."""
    last = "::1"
    try:
        daemon.free_port(last)
    except OSError:  # no IPv6 here
        last = "127.0.0.1"
    return [("127.0.0.1", "127.0.0.1"), ("127.0.0.2", "0.0.0.0"), (last, last)]


def serve(folder, lots, way, wait, workers):
    """The server and where to ask it for each lot."""
    asked, listened = zip(*listeners()[:len(lots)])
    ports = [daemon.free_port(address) for address in listened]
    places = list(zip(asked, ports))
    server = daemon.Server(
        folder, replies.zones(lots), io=way.io, port=ports[0],
        listen=[f"{address}@{port}"
                for address, port in zip(listened, ports)],
        options={"zerocopy": way.zerocopy, "zerocopy-min": ZEROCOPY_MIN,
                 "batch-wait": wait, "workers": workers,
                 "tcp-clients": 1024 * workers})
    return server, places


def run(places, lots, shape, count):
    """One combination; its Total and the seconds it took."""
    total, seconds = Total(), 0
    for place, lot in zip(places, lots):
        code, result = replies.flood(place, lot, count // len(lots) + 1, shape)
        total.take(code, result)
        seconds += result["seconds"]
    return total, seconds


def run_server(folder, lots, way, wait, unit):
    """All shapes against one server; unit: replies of weight 1."""
    sum_of_all = Total()
    server, places = serve(folder, lots, way, *wait)
    with server:
        for lot in lots:
            if not lot.expected_path:
                lot.ask(server)
        for shape in SHAPES:
            total, seconds = run(places, lots, shape,
                                 int(unit * weight(way, shape)))
            print(COLUMNS.format(
                way.io, way.zerocopy, way.network, wait[0], shape.transport,
                shape.sources, shape.burst, "yes" if shape.gro else "no",
                f"{total.answered:,}", total.lost,
                f"{total.answered / seconds:,.0f}", total.faults or "right"),
                flush=True)
            sum_of_all.add(total)
    return sum_of_all


def run_all(folder, ways, replies_nr):
    unit = replies_nr / len(WAITS) / sum(weight(way, shape) for way in ways
                                         for shape in SHAPES)
    lots = replies.make_lots(folder)
    if not any(lot.manner is replies.DNSSEC for lot in lots):
        print("without a signed zone: ldns-signzone is not installed")
    print(COLUMNS.format("io", "zc", "network", "wait", "", "sources", "burst",
                         "gro", "answered", "lost", "replies/s", "octets"))
    total = Total()
    for way in ways:
        for i, wait in enumerate(WAITS):
            name = f"{way.io}-{way.zerocopy}-{way.network}-{i}"
            with way.entered():
                total.add(run_server(folder / name, lots, way, wait, unit))
    return total


def arguments():
    parser = argparse.ArgumentParser(
        description="Replies under flood, each compared octet by octet.")
    parser.add_argument("millions", type=float, nargs="?", default=MILLIONS,
                        help="of replies (%(default)s)")
    args = parser.parse_args()
    if not 0 < args.millions < float("inf"):
        parser.error("millions are above 0")
    return args


def main():
    millions = arguments().millions
    begin = time.monotonic()
    ways = []
    for way in WAYS:
        why = way.missing()
        if why:
            print(f"without {way.io}, {way.zerocopy}, {way.network}: {why}")
        else:
            ways.append(way)
    with tempfile.TemporaryDirectory(prefix="zcdns-integrity-") as name:
        os.chmod(name, 0o755)
        total = run_all(pathlib.Path(name), ways, millions * 1e6)
    print(f"{total.answered:,} replies compared, "
          f"{total.faults or 'all of them right'}, {total.lost:,} lost "
          f"({100 * total.loss():.4f} %), {time.monotonic() - begin:.0f} s")
    sys.exit(1 if total.faults or total.loss() > LOSS else 0)


if __name__ == "__main__":
    main()
