#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
Queries per CPU-second of zcdns, knotd and nsd: one zone of 10,000 names, one
worker each, side by side in one run. The server is pinned to CPU 0, dnsperf to
CPU 1; the servers take turns, the figures are medians with the extremes. What
counts is the ratio in one run, never the figure of another one.

    smoke.py [ROUNDS [SECONDS]]
"""

import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]
                       / "integration"))

import daemon  # noqa: E402

NAMES = 10000
CLIENTS = 4
OUTSTANDING = 400


def write_zone(folder):
    path = folder / "bench.test.zone"
    with open(path, "w", encoding="ascii") as out:
        out.write("$TTL 300\n@ SOA ns hm 1 2 3 4 5\n@ NS ns\nns A 192.0.2.1\n")
        for i in range(NAMES):
            out.write(f"h{i} A 10.0.{i >> 8 & 255}.{i & 255}\n")
    return path


def write_queries(folder):
    """Every name, in an order that is no order of the zone."""
    path = folder / "queries"
    with open(path, "w", encoding="ascii") as out:
        for i in range(NAMES):
            out.write(f"h{i * 7919 % NAMES}.bench.test. A\n")
    return path


def make_servers(folder, zone):
    zones = {"bench.test": zone}
    servers = {"zcdns": daemon.Server(folder / "zcdns", zones)}
    if daemon.find_tool("knotd"):
        servers["knotd"] = daemon.Knot(folder / "knotd", zones)
    if daemon.find_tool("nsd"):
        servers["nsd"] = daemon.Nsd(folder / "nsd", zones)
    return servers


def pin(server, cpu):
    for pid in server.pids():
        for task in os.listdir(f"/proc/{pid}/task"):
            os.sched_setaffinity(int(task), {cpu})


def load(server, queries, seconds, cpu):
    """One run of dnsperf: (answered, lost, CPU-seconds of the server)."""
    before = server.cpu_seconds()
    done = subprocess.run(
        [daemon.find_tool("dnsperf"), "-s", server.address, "-p",
         str(server.port), "-d", queries, "-l", str(seconds), "-c",
         str(CLIENTS), "-q", str(OUTSTANDING), "-t", "2"],
        capture_output=True, text=True, check=True,
        preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))
    used = server.cpu_seconds() - before
    answered = int(re.search(r"Queries completed:\s+(\d+)", done.stdout)[1])
    lost = int(re.search(r"Queries lost:\s+(\d+)", done.stdout)[1])
    codes = re.search(r"Response codes:\s+(.*)", done.stdout)[1]
    assert codes.startswith("NOERROR") and "100.00%" in codes, codes
    return answered, lost, used


def measure(servers, queries, rounds, seconds):
    cpus = sorted(os.sched_getaffinity(0))
    results = {name: [] for name in servers}
    for server in servers.values():
        server.start()
        pin(server, cpus[0])
    try:
        for number in range(rounds + 1):
            for name, server in servers.items():
                result = load(server, queries, seconds, cpus[-1])
                if number:  # the first round warms up
                    results[name].append(result)
    finally:
        for server in servers.values():
            server.kill()
    return results


def report(results):
    print(f"\n{NAMES:,} names, dnsperf -c {CLIENTS} -q {OUTSTANDING}, one "
          "worker each; medians (min-max)\n")
    print(f"{'server':8} {'queries per CPU-second':>28} {'queries/s lost':>15}"
          f" {'against zcdns':>14}")
    rates = {name: [answered / used for answered, _, used in rows]
             for name, rows in results.items()}
    base = statistics.median(rates["zcdns"])
    for name, values in rates.items():
        middle = statistics.median(values)
        lost = sum(row[1] for row in results[name])
        total = sum(row[0] for row in results[name])
        print(f"{name:8} {middle:12,.0f} ({min(values):,.0f}-{max(values):,.0f})"
              f"{100 * lost / total:13.3f} % {base / middle:12.2f} x")


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    seconds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    if not daemon.find_tool("dnsperf"):
        sys.exit("dnsperf is not installed")
    if len(os.sched_getaffinity(0)) < 2:
        sys.exit("two CPUs are needed, one for the server, one for the load")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        servers = make_servers(folder, write_zone(folder))
        report(measure(servers, write_queries(folder), rounds, seconds))


if __name__ == "__main__":
    main()
