#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
dnsperf as anybody runs it: the most it gets out of each server, the loss at 90 %
of that, and the CPU time of a reply there, against knotd in the same rounds.
Exit status 1 when zcdns loses a query.

    dnsperf.py [--rounds N] [--seconds S] [--json FILE] [--markdown] [--fifo]
"""

import dataclasses
import statistics
import sys

from harness import (machine, measure, netns, options, peers, report, rounds,
                     zones)
from harness.loads import Dnsperf
from harness.options import say

CASES = {"-c 1": Dnsperf(clients=1, outstanding=100),
         "-c 100 -q 2000": Dnsperf(clients=100, outstanding=2000),
         "-m tcp": Dnsperf(clients=1, outstanding=100, mode="tcp")}
PEERS = ("uring", "mmsg", "knotd", "nsd")
OURS = ("uring", "mmsg")
SHARE = 0.9
HEAD = ("server", "most/s", "asked/s", "replies/s", "sent", "lost", "CPU",
        "ns/reply", "x knotd")


def found_maxima(samples):
    """{peer: most replies a second of any round}."""
    return {peer: max(one.rate for one in found)
            for peer, found in samples.items()}


def losses(results):
    """[(case, peer, queries)] that zcdns lost at 90 % of its maximum."""
    return [(case, peer, lost) for case, (_, samples) in results.items()
            for peer in OURS if peer in samples
            for lost in [sum(one.lost for one in samples[peer])] if lost]


def row(peer, most, samples, bound):
    found = samples[peer]
    ratio = "-" if "knotd" not in samples else str(rounds.Ratio.of(
        [one.ns_per_reply for one in samples["knotd"]],
        [one.ns_per_reply for one in found], bound))
    return (peers.LABELS[peer], f"{most[peer]:,.0f}",
            f"{SHARE * most[peer]:,.0f}",
            f"{statistics.median(one.rate for one in found):,.0f}",
            f"{sum(one.sent for one in found):,}",
            f"{sum(one.lost for one in found):,}",
            f"{100 * statistics.median(one.busy for one in found):.0f} %",
            f"{statistics.median(one.ns_per_reply for one in found):,.0f}",
            ratio)


def measure_case(bench, servers, queries, args, load):
    """({peer: maximum}, {peer: samples at 90 % of it})."""
    def run(peer, rate=None):
        return bench.run(dataclasses.replace(load, rate=rate), servers[peer],
                         queries, args.seconds)
    most = found_maxima(rounds.alternate(servers, run, args.rounds))
    return most, rounds.alternate(
        servers, lambda peer: run(peer, SHARE * most[peer]), args.rounds)


def measure_all(args, folder):
    server_cpu, load_cpu = machine.two_cpus()
    network, zone = netns.Loopback(), zones.small(folder)
    fifo = options.priority(args)
    bench = measure.Bench(network, server_cpu, load_cpu, fifo)
    servers = {peer: peers.make(peer, folder / peer, zone.zones(), network)
               for peer in peers.present(PEERS)}
    results = {}
    with peers.running(servers, network, server_cpu, fifo):
        for case, load in CASES.items():
            results[case] = measure_case(bench, servers, zone.queries, args,
                                         load)
            say(f"dnsperf {case}: done")
    return machine.describe(server_cpu, load_cpu), results


def text(args, about, results):
    parts = [report.heading(about, options.settings(args)),
             "most/s: the best round without a limit; the rest at "
             f"{100 * SHARE:.0f} % of it, on loopback."]
    for case, (most, samples) in results.items():
        parts.append(report.title(args.markdown, "dnsperf", case))
        parts.append(report.table(args.markdown, HEAD, [
            row(peer, most, samples, args.spread) for peer in samples]))
    lost = losses(results)
    parts.append("zcdns lost nothing: met" if not lost else "not met: " + "; "
                 .join(f"zcdns {peer} lost {number} queries of {case}"
                       for case, peer, number in lost))
    return report.paragraphs(args.markdown, *parts)


def to_json(args, about, results):
    return {"machine": about, "settings": options.settings(args),
            "cases": {case: {peer: {
                "most": most[peer],
                "samples": [dataclasses.asdict(one) for one in found]}
                for peer, found in samples.items()}
                for case, (most, samples) in results.items()}}


def main(argv=None):
    args = options.parse(options.parser(
        "loss at 90 % of dnsperf's maximum", rounds=3, seconds=2), argv)
    if Dnsperf().missing():
        sys.exit(Dnsperf().missing())
    return 1 if losses(options.run(args, measure_all, text, to_json)) else 0


if __name__ == "__main__":
    sys.exit(main())
