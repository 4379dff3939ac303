#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
Zone transfer: CPU time of the server per record that a client took by AXFR,
against knotd and nsd in the same rounds. The client only reads and counts.

    axfr.py [--rounds N] [--seconds S] [--only ZONE] [--json FILE] [--markdown]
            [--fifo]
"""

import dataclasses
import os
import socket
import struct
import sys
import time

from harness import cpu, machine, netns, options, peers, report, rounds
from harness.loads import Failed
from harness.options import say
from harness.zones import HEAD

PEERS = ("uring", "mmsg", "knotd", "nsd")
OURS = ("uring", "mmsg")
WANTED = 2.0
HOSTS = 1000000
CUTS = 300000
ROOM = 1 << 20
TIMEOUT_SECONDS = 60
SETTLE_SECONDS = 0.03
AXFR = 252
TABLE_HEAD = ("server", "ns/record", "(min-max)", "MB/CPU-s", "octets",
              "messages", "x knotd", "x nsd")


def write_hosts(path, count=HOSTS):
    """A records; the number of records in the zone."""
    with open(path, "w", encoding="ascii") as out:
        out.write(HEAD)
        out.writelines(
            f"host{i:07} A 10.{i >> 16 & 255}.{i >> 8 & 255}.{i & 255}\n"
            for i in range(count))
    return 3 + count


def write_cuts(path, count=CUTS):
    """Delegations to name servers elsewhere, every second one with DS."""
    digest = "0123456789abcdef" * 4
    with open(path, "w", encoding="ascii") as out:
        out.write(HEAD)
        for i in range(count):
            host = f"dns{i % 977}.provider{i % 89}.example."
            out.write(f"name{i:07} NS ns1.{host}\n"
                      f"name{i:07} NS ns2.{host}\n")
            if i % 2:
                out.write(f"name{i:07} DS {i % 65536} 13 2 {digest}\n")
    return 3 + 2 * count + count // 2


ZONES = {"hosts": (write_hosts, f"{HOSTS:,} A records"),
         "cuts": (write_cuts, f"{CUTS:,} delegations")}


def axfr_query(name):
    labels = b"".join(bytes([len(label)]) + label.encode()
                      for label in name.rstrip(".").split("."))
    query = (b"\x12\x34" + struct.pack("!5H", 0, 1, 0, 0, 0) + labels + b"\0"
             + struct.pack("!HH", AXFR, 1))
    return struct.pack("!H", len(query)) + query


@dataclasses.dataclass
class Taken:
    """What came of transfers."""

    records: int = 0
    octets: int = 0
    messages: int = 0
    transfers: int = 0

    def add(self, message):
        if message[3] & 15 or not message[2] & 128:
            raise Failed(f"RCODE {message[3] & 15}")
        self.records += struct.unpack_from("!H", message, 6)[0]
        self.octets += 2 + len(message)
        self.messages += 1


class Client:
    """Transfers over one connection each; records: of the zone, SOA twice."""

    def __init__(self, server, zone, records):
        self.place = (server.address, server.port)
        self.query = axfr_query(zone)
        self.records = records
        self.buffer = bytearray(ROOM)
        self.have = 0

    def messages(self, sock):
        """Whole messages as they come, without end."""
        view = memoryview(self.buffer)
        self.have = 0
        while True:
            got = sock.recv_into(view[self.have:])
            if not got:
                raise Failed("the server has closed the connection")
            self.have += got
            at = 0
            while self.have - at >= 2:
                end = at + 2 + (view[at] << 8 | view[at + 1])
                if end > self.have:
                    break
                yield view[at + 2:end]
                at = end
            view[:self.have - at] = view[at:self.have]
            self.have -= at

    def transfer(self, taken):
        """One transfer; counted up to the last record."""
        wanted = taken.records + self.records
        with socket.create_connection(self.place, TIMEOUT_SECONDS) as sock:
            sock.sendall(self.query)
            for message in self.messages(sock):
                taken.add(message)
                if taken.records >= wanted:
                    break
        if taken.records != wanted:
            raise Failed(f"{taken.records - wanted} records too many")
        # the last SOA has its serial and times at the end, as the first
        if bytes(message[-20:]) != struct.pack("!5I", 1, 2, 3, 4, 5):
            raise Failed("the last record is not the SOA")
        taken.transfers += 1


@dataclasses.dataclass(frozen=True)
class Sample:
    ns_per_record: float
    octets_per_cpu_second: float
    octets: float
    messages: float
    transfers: int
    seconds: float


def measure(server, client, seconds, soft):
    """Transfers for so long, CPU time of the server around them."""
    time.sleep(SETTLE_SECONDS)
    meter = cpu.Meter(server.pids, soft)
    taken, start = Taken(), time.monotonic()
    meter.start()
    while not taken.transfers or time.monotonic() - start < seconds:
        client.transfer(taken)
    run, _ = meter.stop()
    return Sample(run / taken.records, taken.octets * 1e9 / run,
                  taken.octets / taken.transfers,
                  taken.messages / taken.transfers, taken.transfers,
                  time.monotonic() - start)


def make_servers(folder, zones, network):
    servers = {}
    for peer in peers.present(PEERS):
        server = peers.make(peer, folder / peer, zones, network)
        server.allow_transfer = True
        if peer in OURS:
            server.zone_options = "allow-transfer = any"
            server.write_config()
        servers[peer] = server
    return servers


def measure_all(args, folder):
    """(machine, {zone: {peer: [Sample]}})"""
    server_cpu, load_cpu = machine.two_cpus()
    network, fifo = netns.Loopback(), options.priority(args)
    counts, zones, results = {}, {}, {}
    for name in args.only or ZONES:
        zones[f"{name}.test"] = folder / f"{name}.zone"
        counts[name] = ZONES[name][0](folder / f"{name}.zone")
    servers = make_servers(folder, zones, network)
    soft = network.soft_threads(server_cpu)
    with peers.running(servers, network, server_cpu, fifo):
        os.sched_setaffinity(0, {load_cpu})
        for name, count in counts.items():
            clients = {peer: Client(server, f"{name}.test", count + 1)
                       for peer, server in servers.items()}
            results[name] = rounds.alternate(
                servers, lambda peer: measure(servers[peer], clients[peer],
                                              args.seconds, soft), args.rounds)
            say(f"{name}: done")
    return machine.describe(server_cpu, load_cpu), results


def ratio(samples, peer, against, bound):
    """How many times cheaper a record is; None without that peer."""
    if against not in samples:
        return None
    return rounds.Ratio.of([one.ns_per_record for one in samples[against]],
                           [one.ns_per_record for one in samples[peer]], bound)


def row(samples, peer, bound):
    found = samples[peer]
    cost = rounds.Summary.of(one.ns_per_record for one in found)
    rate = rounds.Summary.of(one.octets_per_cpu_second for one in found)
    ratios = [ratio(samples, peer, base, bound) for base in ("knotd", "nsd")]
    return (peers.LABELS[peer], f"{cost.median:,.1f}",
            f"({cost.low:,.1f}-{cost.high:,.1f})",
            f"{rate.median / 1e6:,.0f}", f"{found[0].octets:,.0f}",
            f"{found[0].messages:,.0f}",
            *("-" if one is None else str(one) for one in ratios))


def verdicts(results, bound):
    """Lines on what is wanted: twice the records per CPU-second."""
    lines = []
    for zone, samples in results.items():
        for peer in OURS:
            for base in ("knotd", "nsd"):
                one = peer in samples and ratio(samples, peer, base, bound)
                if one:
                    lines.append(f"{zone}: zcdns {peer} >= {WANTED:g} x "
                                 f"{base}: {one}, {one.verdict(WANTED)}")
    return lines


def text(args, about, results):
    parts = [report.heading(about, options.settings(args)),
             "ns/record: CPU time of the server over records that the client "
             "received;\noctets and messages: of one transfer; x knotd, x nsd: "
             "how many times cheaper a record is."]
    for zone, samples in results.items():
        parts.append(report.title(args.markdown, zone, ZONES[zone][1]))
        parts.append(report.table(args.markdown, TABLE_HEAD, [
            row(samples, peer, args.spread) for peer in samples]))
    return report.paragraphs(args.markdown, *parts,
                             "\n".join(verdicts(results, args.spread)))


def to_json(args, about, results):
    return {"machine": about, "settings": options.settings(args),
            "zones": {zone: {peer: [dataclasses.asdict(one) for one in found]
                             for peer, found in samples.items()}
                      for zone, samples in results.items()}}


def main(argv=None):
    made = options.parser("zone transfers", rounds=7, seconds=1)
    made.add_argument("--only", action="append", choices=list(ZONES),
                      help="of the zones")
    options.run(options.parse(made, argv), measure_all, text, to_json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
