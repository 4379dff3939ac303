#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
Latency under an open loop of zcflood, 4 clients: at 1,000 and 20,000 queries a
second, at half of what each server can do, and for all at half of what knotd
can do. zcdns with each setting of batch-wait, knotd, nsd, plain echo.

    latency.py [--network lo|veth] [--rounds N] [--seconds S] [--json FILE]
               [--markdown] [--fifo]
"""

import contextlib
import dataclasses
import statistics
import sys

from harness import (machine, measure, netns, options, peers, report, rounds,
                     zones)
from harness.loads import Zcflood
from harness.options import say

SATURATE = Zcflood(sources=4)
RATES = {"1k": 1000, "20k": 20000}
HEAD = ("server", "p50 us", "p99 us", "(min-max)", "p99.9 us", "queries/s",
        "CPU", "lost")
PERCENTILES = ("p50", "p99", "p99_9")
TARGET_HEAD = ("load", "server", "p99 against knotd", "")


@dataclasses.dataclass(frozen=True)
class Entry:
    """A server with a setting of batch-wait; the others have none."""

    peer: str
    wait: str = None

    @property
    def name(self):
        return f"{self.peer}-{self.wait}" if self.wait else self.peer

    @property
    def label(self):
        return peers.LABELS[self.peer] + (f" {self.wait}" if self.wait else "")

    def options(self):
        return {"batch-wait": self.wait} if self.wait else None


# Times of waiting are io_uring's; mmsg can only sleep or spin.
ENTRIES = [Entry("echo"),
           *(Entry("uring", wait)
             for wait in ("auto", "none", "20", "50", "busy-poll")),
           Entry("mmsg", "auto"), Entry("mmsg", "busy-poll"),
           Entry("knotd"), Entry("nsd")]
JUDGED = ("uring-auto", "mmsg-auto")


def halves(maxima):
    """{load: {peer: queries a second}} of the two half loads."""
    found = {"half": {peer: rate / 2 for peer, rate in maxima.items()}}
    if "knotd" in maxima:
        found["half-knotd"] = {peer: maxima["knotd"] / 2 for peer in maxima}
    return found


def verdict(samples, name, bound):
    """(ratio, words) on p99 at half load: not above that of knotd."""
    if not samples.get(name) or not samples.get("knotd"):
        return "-", "not measured"
    ratio = rounds.Ratio.of([one.latency["p99"] for one in samples["knotd"]],
                            [one.latency["p99"] for one in samples[name]],
                            bound)
    shown = "" if ratio.value is None else f"{1 / ratio.value:.2f}"
    return shown, ratio.verdict(1)


def row(entry, samples):
    p50, p99, p99_9 = (rounds.Summary.of(one.latency[key] for one in samples)
                       for key in PERCENTILES)
    sent = sum(one.sent for one in samples)
    return (entry.label, f"{p50.median:,.0f}", f"{p99.median:,.0f}",
            f"({p99.low:,.0f}-{p99.high:,.0f})", f"{p99_9.median:,.0f}",
            f"{statistics.median(one.rate for one in samples):,.0f}",
            f"{100 * statistics.median(one.busy for one in samples):.0f} %",
            f"{100 * sum(one.lost for one in samples) / sent:.2f} %")


class Session:
    """The servers, started, on one network."""

    def __init__(self, args, bench, servers, queries):
        self.args = args
        self.bench = bench
        self.servers = servers
        self.queries = queries
        self.entries = [one for one in ENTRIES if one.name in servers]

    def run(self, load, entry):
        server = self.servers[entry.name]
        with contextlib.ExitStack() as stack:
            if entry.wait == "busy-poll":
                stack.enter_context(peers.awake(server))
            return self.bench.run(load, server, self.queries,
                                  self.args.seconds)

    def maxima(self):
        """{peer: queries a second} of a short closed loop each."""
        first = {one.peer: one for one in reversed(self.entries)}
        samples = rounds.alternate(
            first, lambda peer: self.run(SATURATE, first[peer]), 3)
        return {peer: statistics.median(one.rate for one in found)
                for peer, found in samples.items()}

    def measure(self, rate_of):
        """{entry name: samples} of a load; rate_of: {peer: rate}."""
        by_name = {one.name: one for one in self.entries}

        def run(name):
            entry = by_name[name]
            return self.run(Zcflood(sources=4, rate=rate_of[entry.peer]),
                            entry)
        return rounds.alternate(by_name, run, self.args.rounds)

    def run_all(self):
        maxima = self.maxima()
        loads = {name: dict.fromkeys(maxima, rate)
                 for name, rate in RATES.items()}
        loads.update(halves(maxima))
        results = {}
        for name, rate_of in loads.items():
            results[name] = self.measure(rate_of)
            say(f"{name}: done")
        return results


@contextlib.contextmanager
def session(args, folder):
    server_cpu, load_cpu = machine.two_cpus()
    network, zone = netns.NETWORKS[args.network](), zones.small(folder)
    if network.missing():
        sys.exit(network.missing())
    here = peers.present(dict.fromkeys(one.peer for one in ENTRIES))
    entries = [one for one in ENTRIES if one.peer in here]
    with network.up(server_cpu, options.priority(args)), \
            contextlib.ExitStack() as stack:
        servers = {}
        for entry in entries:
            servers[entry.name] = server = peers.make(
                entry.peer, folder / entry.name, zone.zones(), network,
                entry.options())
            # One that never sleeps would starve the machine as SCHED_FIFO.
            spins = entry.wait == "busy-poll"
            stack.enter_context(peers.running(
                {entry.name: server}, network, server_cpu,
                0 if spins else options.priority(args)))
            if spins:
                with peers.awake(server):
                    pass
        yield Session(args, measure.Bench(network, server_cpu, load_cpu,
                                          options.priority(args)),
                      servers, zone.queries)


def measure_all(args, folder):
    with session(args, folder) as running:
        return machine.describe(running.bench.server_cpu,
                                running.bench.load_cpu), running.run_all()


LOAD_TITLES = {
    "1k": "1,000 queries a second", "20k": "20,000 queries a second",
    "half": "half of what each server can do",
    "half-knotd": "half of what knotd can do, the same for all"}


def target_rows(results, bound):
    return [(load, name, *verdict(results[load], name, bound))
            for load in ("half", "half-knotd") if load in results
            for name in JUDGED if name in results[load]]


def text(args, about, results):
    by_name = {one.name: one for one in ENTRIES}
    parts = [report.heading(about, options.settings(args)),
             f"Open loop of zcflood, 4 clients, on {args.network}. "
             "Percentiles are of a round, the figure their median over the "
             "rounds, (min-max) that of p99."]
    for load, samples in results.items():
        parts.append(report.title(args.markdown, load, LOAD_TITLES[load]))
        parts.append(report.table(
            args.markdown, HEAD, [row(by_name[name], found)
                                  for name, found in samples.items()]))
    rows = target_rows(results, args.spread)
    if rows:
        parts.append(report.title(args.markdown, "target",
                                  "p99 at half load not above knotd's"))
        parts.append(report.table(args.markdown, TARGET_HEAD, rows))
    return report.paragraphs(args.markdown, *parts)


def to_json(args, about, results):
    return {"machine": about, "settings": options.settings(args),
            "network": args.network,
            "loads": {load: {name: [dataclasses.asdict(one) for one in found]
                             for name, found in samples.items()}
                      for load, samples in results.items()},
            "target": target_rows(results, args.spread)}


def main(argv=None):
    parser = options.parser("latency of zcdns, knotd, nsd, plain echo",
                            rounds=3, seconds=2.0)
    parser.add_argument("--network", choices=sorted(netns.NETWORKS),
                        default="lo")
    args = options.parse(parser, argv)
    if SATURATE.missing():
        sys.exit(SATURATE.missing())
    options.run(args, measure_all, text, to_json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
