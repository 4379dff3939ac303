#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
TCP side by side: zcdns on both back ends, knotd and nsd, asked over 1, 16 and
256 standing connections, one query at a time on each and pipelined; then what
uring/stream gains by sending many replies at once and by zerocopy.

    tcp.py [--only CASE]... [--rounds N] [--seconds S] [--json FILE]
           [--markdown] [--fifo]
"""

import dataclasses
import json
import subprocess
import sys

from harness import (loads, machine, measure, netns, options, peers, report,
                     rounds, zones)
from harness.options import say

PEERS = ("uring", "mmsg", "knotd", "nsd")
CONNECTIONS = (1, 16, 256)
PIPELINED = 64  # queries on their way on a connection
BURST = 32      # of these in one send
WANTED = 2.0    # times cheaper than knotd, pipelined
STREAM_ROUNDS = 9
HEAD = ("server", "ns/reply", "(min-max)", "replies/s", "CPU", "lost",
        "x knotd")
STREAM_HEAD = ("reply", "a turn", "a send", "", "CPU ns/reply", "ns/reply",
               "times cheaper", "(min-max)", "copied")


def cases():
    """{name: (title, load)}."""
    found = {}
    for number in CONNECTIONS:
        found[f"{number}-single"] = (
            f"{number} connections, one query at a time on each",
            loads.Zcflood(sources=number, outstanding=number, tcp=True))
        found[f"{number}-pipelined"] = (
            f"{number} connections, {PIPELINED} queries on their way on each, "
            f"{BURST} in one send",
            loads.Zcflood(sources=number, burst=BURST, tcp=True,
                          outstanding=PIPELINED * number))
    return found


@dataclasses.dataclass
class Case:
    """samples: {peer: [Sample of each round]}."""

    name: str
    title: str
    samples: dict

    def ratio(self, peer, bound):
        """How many times cheaper than knotd; None without that."""
        if "knotd" not in self.samples:
            return None
        return rounds.Ratio.of(
            [one.ns_per_reply for one in self.samples["knotd"]],
            [one.ns_per_reply for one in self.samples[peer]], bound)


def measure_cases(args, folder, server_cpu, load_cpu):
    network, zone = netns.Loopback(), zones.small(folder)
    fifo = options.priority(args)
    bench = measure.Bench(network, server_cpu, load_cpu, fifo)
    servers = {peer: peers.make(peer, folder / peer, zone.zones(), network)
               for peer in peers.present(PEERS)}
    found = []
    with peers.running(servers, network, server_cpu, fifo):
        for name, (title, load) in cases().items():
            if args.only and name not in args.only:
                continue
            found.append(Case(name, title, rounds.alternate(
                servers, lambda peer, load=load: bench.run(
                    load, servers[peer], zone.queries, args.seconds),
                args.rounds)))
            say(f"{name}: done")
    return found


def measure_streams():
    """What stream_bench says, a list of ways; it takes both CPUs."""
    done = subprocess.run(
        [loads.bench_program("stream_bench"), "-j", "-r", str(STREAM_ROUNDS)],
        stdout=subprocess.PIPE, text=True, check=True, timeout=300)
    return json.loads(done.stdout)


def row(case, peer, bound):
    samples = case.samples[peer]
    cost = rounds.Summary.of(one.ns_per_reply for one in samples)
    sent = sum(one.sent for one in samples)
    ratio = case.ratio(peer, bound)
    return (peers.LABELS[peer], f"{cost.median:,.0f}",
            f"({cost.low:,.0f}-{cost.high:,.0f})",
            f"{rounds.Summary.of(one.rate for one in samples).median:,.0f}",
            f"{100 * rounds.Summary.of(one.busy for one in samples).median:.0f}"
            " %", f"{100 * sum(one.lost for one in samples) / sent:.2f} %",
            "-" if ratio is None else str(ratio))


def stream_row(way):
    return (f"{way['octets']:,}", str(way["turn"]), str(way["a_send"]),
            "zerocopy" if way["zerocopy"] else "copy",
            f"{way['cpu_ns']:,.0f}", f"{way['ns']:,.0f}",
            f"{way['ratio']:.2f}" if "ratio" in way else "-",
            f"({way['low']:.2f}-{way['high']:.2f})" if "low" in way else "",
            f"{100 * way['copied']:.0f} %" if way["zerocopy"] else "")


def verdicts(found, bound):
    """[(case, peer, ratio, met or not)] of the pipelined ones."""
    judged = []
    for case in found:
        for peer in ("uring", "mmsg"):
            ratio = case.ratio(peer, bound) if peer in case.samples else None
            if case.name.endswith("-pipelined") and ratio:
                judged.append((case.name, peer, str(ratio),
                               ratio.verdict(WANTED)))
    return judged


def measure_all(args, folder):
    """(machine, (cases, ways of a stream))"""
    cpus = machine.two_cpus()
    found = measure_cases(args, folder, *cpus)
    streaming = not peers.missing("uring") and \
        (not args.only or "streams" in args.only)
    return machine.describe(*cpus), \
        (found, measure_streams() if streaming else [])


def text(args, about, results):
    found, ways = results
    parts = [report.heading(about, options.settings(args)),
             "ns/reply: CPU time of the server and its softirq threads over "
             "replies that the client received; on loopback."]
    for case in found:
        parts.append(report.title(args.markdown, case.name, case.title))
        parts.append(report.table(args.markdown, HEAD, [
            row(case, peer, args.spread) for peer in case.samples]))
    judged = verdicts(found, args.spread)
    if judged:
        parts.append(report.title(args.markdown, "target", "pipelined, "
                                  f"{WANTED:g} times cheaper than knotd"))
        parts.append(report.table(args.markdown, ("load", "zcdns", "x knotd",
                                                  ""), judged))
    for name in dict.fromkeys(way["table"] for way in ways):
        parts.append(report.title(
            args.markdown, f"stream_bench, {name}",
            "of the sender, which pays for delivery; against the line above"))
        parts.append(report.table(args.markdown, STREAM_HEAD, [
            stream_row(way) for way in ways if way["table"] == name]))
    return report.paragraphs(args.markdown, *parts)


def to_json(args, about, results):
    found, ways = results
    return {"machine": about, "settings": options.settings(args),
            "cases": {case.name: {
                "title": case.title, "peers": {peer: {
                    "ratio": report.ratio_json(case.ratio(peer, args.spread)),
                    "samples": [dataclasses.asdict(one) for one in samples]}
                    for peer, samples in case.samples.items()}}
                for case in found}, "streams": ways}


def arguments(argv):
    parser = options.parser("CPU cost of a reply over TCP", rounds=5,
                            seconds=1.0)
    parser.add_argument("--only", action="append", metavar="CASE",
                        choices=[*cases(), "streams"],
                        help="may be given again: %(choices)s")
    return options.parse(parser, argv)


def main(argv=None):
    options.run(arguments(argv), measure_all, text, to_json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
