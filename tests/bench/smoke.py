#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
Queries per CPU-second of zcdns, knotd and nsd under dnsperf: one zone of 10,000
names, one worker each, side by side in one run; a newcomer's one minute. What
counts is the ratio in one run, never the figure of another one. bench.py has
the other loads.
"""

import argparse
import pathlib
import sys
import tempfile

from harness import loads, machine, measure, netns, peers, rounds, zones

import daemon

LOAD = loads.Dnsperf()


def make_servers(folder, zone, network):
    """Without the floor: this one is about servers."""
    servers = {"zcdns": daemon.Server(folder / "zcdns", zone.zones())}
    for name in ("knotd", "nsd"):
        if peers.missing(name):
            print(peers.missing(name), file=sys.stderr)
        else:
            servers[name] = peers.make(name, folder / name, zone.zones(),
                                       network)
    return servers


def measure_all(folder, number, seconds):
    zone, network = zones.small(folder), netns.Loopback()
    server_cpu, load_cpu = machine.two_cpus()
    bench = measure.Bench(network, server_cpu, load_cpu)
    with peers.running(make_servers(folder, zone, network), network,
                       server_cpu) as servers:
        return rounds.alternate(
            servers, lambda name: bench.run(LOAD, servers[name], zone.queries,
                                            seconds), number)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split(":")[0].strip())
    parser.add_argument("--rounds", type=int, default=5, help="(%(default)s)")
    parser.add_argument("--seconds", type=float, default=3,
                        help="of a run (%(default)s)")
    args = parser.parse_args()
    if args.rounds < 1 or args.seconds <= 0:
        parser.error("rounds and seconds are above 0")
    return args


def report(results):
    print(f"\n{zones.SMALL:,} names, dnsperf -c {LOAD.clients} "
          f"-q {LOAD.outstanding}, one worker each; medians (min-max)\n")
    print(f"{'server':8} {'queries per CPU-second':>28} {'lost':>10} "
          f"{'against zcdns':>14}")
    rates = {name: [one.replies_per_cpu_second for one in samples]
             for name, samples in results.items()}
    for name, samples in results.items():
        cost = rounds.Summary.of(rates[name])
        lost = sum(one.lost for one in samples)
        total = sum(one.sent for one in samples)
        ratio = rounds.Ratio.of(rates["zcdns"], rates[name])
        print(f"{name:8} {cost.median:12,.0f} ({cost.low:,.0f}-"
              f"{cost.high:,.0f}) {100 * lost / total:8.3f} % "
              f"{ratio!s:>14}")
    print("\nagainst zcdns: how many times as many zcdns answers for the same "
          "CPU time; \"disagree\"\nwhere the rounds differ too much for a "
          "ratio: the machine has other work.")


def main():
    args = arguments()
    if LOAD.missing():
        sys.exit(LOAD.missing())
    with tempfile.TemporaryDirectory() as name:
        report(measure_all(pathlib.Path(name), args.rounds, args.seconds))


if __name__ == "__main__":
    main()
