#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
The cost of a reply, side by side: plain echo, zcdns on both back ends, knotd
and nsd of the distribution, one worker each, under several loads, on loopback
and on a veth pair. `make bench` runs all of it.

    bench.py [--list] [--only NAME]... [--rounds N] [--seconds S]
             [--json FILE] [--chart FILE] [--markdown] [--fifo]

What counts is a ratio in one run, never a figure of another one.
"""

import contextlib
import pathlib
import sys
import tempfile
import time

from harness import (chart, lines, loads, machine, measure, netns, options,
                     peers, report, rounds, zones)
from harness.options import say

# Start of the generator, settling, a started server: beside the load itself.
RUN_OVERHEAD = 0.2


def arguments(argv):
    parser = options.parser("CPU cost of a reply: zcdns, knotd, nsd, plain "
                            "echo", rounds=5, seconds=1.0)
    parser.add_argument("--list", action="store_true", help="name the lines")
    parser.add_argument("--only", action="append", default=[], metavar="NAME",
                        help="a line, a load, a network or a pattern; "
                        "may be given again")
    parser.add_argument("--peers", default=",".join(peers.NAMES),
                        metavar="LIST", help="servers (%(default)s)")
    parser.add_argument("--chart", metavar="FILE", help="result as SVG")
    args = options.parse(parser, argv)
    unknown = set(args.peers.split(",")) - set(peers.NAMES)
    if unknown:
        parser.error(f"no such peer: {', '.join(sorted(unknown))}")
    for name in args.only:
        if not lines.select([name]):
            parser.error(f"no such line: {name}; --list names them")
    return args


class Session:
    """The lines of one invocation; zones are written when first wanted."""

    def __init__(self, args, folder):
        self.args = args
        self.folder = folder
        self.server_cpu, self.load_cpu = machine.two_cpus()
        self.fifo = options.priority(args)
        self.zones = {}
        self.peers = peers.present(args.peers.split(","))

    def zone(self, name):
        if name not in self.zones:
            self.zones[name] = getattr(zones, name)(self.folder)
        return self.zones[name]

    def run(self, chosen):
        """[LineResult] of the lines, those of a network and zone together."""
        results, groups = [], {}
        for line in chosen:
            groups.setdefault((line.network, line.zone), []).append(line)
        for (network, zone), group in groups.items():
            results += self.run_group(netns.NETWORKS[network](), zone, group)
        return results

    def run_group(self, network, zone, group):
        """The servers run through all lines of the group."""
        reason = network.missing()
        if reason:
            say(f"left out: {network.title}: {reason}")
            return []
        with contextlib.ExitStack() as stack:
            stack.enter_context(network.up(self.server_cpu, self.fifo))
            servers = {name: peers.make(
                name, self.folder / network.name / zone / name,
                self.zone(zone).zones(), network) for name in self.peers}
            stack.enter_context(peers.running(servers, network,
                                              self.server_cpu, self.fifo))
            bench = measure.Bench(network, self.server_cpu, self.load_cpu,
                                  self.fifo)
            return [self.run_line(bench, servers, line) for line in group]

    def run_line(self, bench, servers, line):
        reason = line.load.missing()
        if reason:
            return report.LineResult(line, {}, self.args.spread, reason)
        taking = [name for name in servers if name in line.peers]
        queries = self.zone(line.zone).queries
        begun = time.monotonic()
        try:
            samples = rounds.alternate(
                taking, lambda name: bench.run(line.load, servers[name],
                                               queries, self.args.seconds),
                self.args.rounds)
        except loads.Failed as error:
            say(f"{line.name}: {error}")
            return report.LineResult(line, {}, self.args.spread, str(error))
        say(f"{line.name}: {time.monotonic() - begun:.0f} s")
        return report.LineResult(line, samples, self.args.spread)


def expected_seconds(args, chosen, peer_nr):
    return len(chosen) * peer_nr * (args.rounds + 1) \
        * (args.seconds + RUN_OVERHEAD)


def finish(args, about, results):
    settings = options.settings(args)
    print(report.text(about, settings, results, args.markdown), flush=True)
    options.write_json(args, report.to_json(about, settings, results))
    if args.chart:
        reason = chart.draw(args.chart, results)
        say(f"no chart: {reason}" if reason else f"chart: {args.chart}")


def main(argv=None):
    args = arguments(argv)
    chosen = lines.select(args.only)
    if args.list:
        for line in chosen:
            print(f"{line.name:20} {line.title}")
        return 0
    steal = machine.Steal()
    with tempfile.TemporaryDirectory(prefix="zcdns-bench-") as name:
        session = Session(args, pathlib.Path(name))
        wanted = expected_seconds(args, chosen, len(session.peers))
        say(f"about {wanted / 60:.0f} min" if wanted >= 90 else
            f"about {wanted:.0f} s")
        results = session.run(chosen)
    about = machine.describe(session.server_cpu, session.load_cpu)
    about["steal"] = steal.share()
    finish(args, about, results)
    return 1 if any(one.error for one in results) else 0


if __name__ == "__main__":
    sys.exit(main())
