#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
What a packet costs that enters the kernel through a TAP device, by each of its
two ways of making an skb: around the memory that a short frame is copied to
(tun_build_skb, for devices without a limit on their send buffer), and by the
allocator of sockets. In turns, in a network namespace of its own.

    tap.py [--rounds N] [--seconds S] [--spread S] [--json FILE]

The cost is CPU time of the sender, on whose CPU the receive path runs, and of
the server, per query that was received. netdev, August 2017, on the change
that brought tun_build_skb: 1.70 to 1.88 million packets a second, +11 %.
"""

import argparse
import contextlib
import dataclasses
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time

from harness import cpu, loads, machine, netns, peers, rounds, zones

import daemon

WAYS = {"build_skb": [], "socket": ["--tap-sndbuf", str(8 << 20)]}
REFERENCE = "netdev, August 2017: 1.70 to 1.88 Mpps, x 1.11"
SETTLE_SECONDS = 0.03
PATIENCE_SECONDS = 30
EXIT_NOTHING_RIGHT = 1


class Tap:
    """Within up() this process is in the namespace of the device."""

    name = "tap"
    server_address = "192.0.2.1"
    station_address = "192.0.2.2"
    station_mac = "02:00:00:7a:63:66"  # zcflood(1)
    block = "198.18.0.0/15"
    device = "zc0"
    port = 5300

    def missing(self):
        if os.geteuid():
            return "network namespaces need root"
        if not daemon.find_tool("ip"):
            return "ip (iproute2) is not installed"
        try:
            os.close(os.open("/dev/net/tun", os.O_RDWR))
        except OSError as error:
            return f"/dev/net/tun: {error.strerror}"
        return None

    def free_port(self):
        self.port += 1
        return self.port

    def server_prepare(self, number, fifo):
        return netns.scheduling(number, fifo)

    @contextlib.contextmanager
    def up(self):
        """The namespace ends with the last process in it."""
        netns.enter(netns.make())
        for line in (
                "link set lo up",
                f"tuntap add mode tap name {self.device}",
                f"address add {self.server_address}/24 dev {self.device}",
                f"link set {self.device} txqueuelen 10000",
                f"link set {self.device} up",
                f"neighbour add {self.station_address} lladdr "
                f"{self.station_mac} dev {self.device} nud permanent",
                f"route add {self.block} via {self.station_address}"):
            subprocess.run([daemon.find_tool("ip"), *line.split()], check=True)
        yield self


class Sink:
    """A socket that nobody reads: what comes when it is full is dropped."""

    def __init__(self, network):
        self.address = network.server_address
        self.port = network.free_port()
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        self.socket.bind((self.address, self.port))

    @staticmethod
    def pids():
        return []


@dataclasses.dataclass(frozen=True)
class Line:
    """server: a peer, or "sink"; options: of zcflood."""

    title: str
    server: str
    options: tuple


SINGLES = ("-q", "500", "-c", "64", "-t", "5000")
LINES = (
    Line("single packets, dropped by a full socket", "sink",
         ("-Q", "1e9", "-t", "1", "-c", "64")),
    Line("single packets, zcdns mmsg", "mmsg", SINGLES),
    Line("single packets, zcdns uring", "uring", SINGLES),
    Line("bursts of 32, zcdns mmsg", "mmsg",
         ("-q", "1024", "-c", "64", "-b", "32", "-g", "-t", "5000")),
)


@dataclasses.dataclass(frozen=True)
class Sample:
    """Nanoseconds per query received; rate of them."""

    sender: float
    server: float
    rate: float

    @property
    def cost(self):
        return self.sender + self.server


def run_flood(command, cpu_number):
    done = subprocess.run(
        command, capture_output=True, text=True, check=False,
        timeout=PATIENCE_SECONDS,
        preexec_fn=netns.scheduling(cpu_number, 0))
    if done.returncode > EXIT_NOTHING_RIGHT:
        raise loads.Failed(f"{' '.join(command)}: {done.stderr}")
    result = json.loads(done.stdout)
    wrong = {key: result[key] for key in loads.WRONG if result[key]}
    if wrong:
        raise loads.Failed(f"wrong replies: {wrong}")
    return result


class Bench:
    """Servers and CPUs of a run."""

    def __init__(self, servers, queries, seconds):
        self.servers = servers
        self.queries = queries
        self.seconds = seconds
        self.server_cpu, self.load_cpu = machine.two_cpus()

    def run(self, line, way):
        server = self.servers[line.server]
        meter = cpu.Meter(server.pids, cpu.soft_threads(self.server_cpu))
        time.sleep(SETTLE_SECONDS)
        meter.start()
        result = run_flood(
            [loads.bench_program("zcflood"), "--tap", Tap.device, "--spin",
             "0", "-s", server.address, "-p", str(server.port), "-d",
             str(self.queries), "-l", f"{self.seconds:g}", "-v", "code", "-j",
             "-", *line.options, *WAYS[way]], self.load_cpu)
        server_ns, _ = meter.stop()
        # Nobody answers for the sink, but it was offered all of them.
        received = result["sent" if line.server == "sink" else "answered"]
        if not received:
            raise loads.Failed("no query was received")
        return Sample(result["cpu_seconds"] * 1e9 / received,
                      0 if line.server == "sink" else server_ns / received,
                      received / result["seconds"])


def arguments():
    parser = argparse.ArgumentParser(
        description="the two ways into the kernel of a TAP device")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=1.0,
                        help="of a run (%(default)s)")
    parser.add_argument("--spread", type=float, default=rounds.SPREAD_MAX,
                        help="of the rounds that refuses a ratio "
                        "(%(default)s)")
    parser.add_argument("--json", metavar="FILE", help="result as JSON")
    args = parser.parse_args()
    if args.rounds < 1 or args.seconds <= 0 or args.spread <= 0:
        parser.error("rounds, seconds and spread are above 0")
    return args


def print_line(line, samples, ratio):
    print(f"\n{line.title}\n{'way':12}{'ns/query':>10} {'(min-max)':>16}"
          f"{'sender':>9}{'server':>9}{'queries/s':>12}")
    for way, rows in samples.items():
        cost = rounds.Summary.of(one.cost for one in rows)
        extremes = f"({cost.low:,.0f}-{cost.high:,.0f})"
        parts = [rounds.Summary.of(getattr(one, name) for one in rows).median
                 for name in ("sender", "server", "rate")]
        print(f"{way:12}{cost.median:10,.0f} {extremes:>16}{parts[0]:9,.0f}"
              f"{parts[1]:9,.0f}{parts[2]:12,.0f}")
    note = "" if ratio.value else \
        f" (spread {ratio.spread:.2f}, more than {ratio.bound:.2f})"
    print(f"socket / build_skb: {ratio}{note}", flush=True)


def measure(bench, args):
    """[{line, samples, ratio}], printed as they come."""
    results = []
    for line in LINES:
        if line.server not in bench.servers:
            continue
        samples = rounds.alternate(
            WAYS, lambda way, line=line: bench.run(line, way), args.rounds)
        ratio = rounds.Ratio.of([one.cost for one in samples["socket"]],
                                [one.cost for one in samples["build_skb"]],
                                args.spread)
        print_line(line, samples, ratio)
        results.append({
            "line": line.title, "ratio": ratio.value, "spread": ratio.spread,
            "samples": {way: [dataclasses.asdict(one) for one in rows]
                        for way, rows in samples.items()}})
    return results


def main():
    args = arguments()
    network = Tap()
    reason = network.missing()
    if reason:
        print(f"skipped: {reason}")
        return 0
    about = machine.describe(*machine.two_cpus())
    print(f"Linux {about['kernel']}, {about['cpu']}, {about['cpus']} CPUs; "
          f"{args.rounds} rounds of {args.seconds:g} s\n{REFERENCE}")
    with tempfile.TemporaryDirectory(prefix="zcdns-tap-") as name, \
            network.up():
        folder = pathlib.Path(name)
        zone = zones.small(folder)
        servers = {peer: peers.make(peer, folder / peer, zone.zones(), network)
                   for peer in ("mmsg", "uring") if not peers.missing(peer)}
        with peers.running(servers, network, machine.two_cpus()[0]):
            results = measure(Bench({**servers, "sink": Sink(network)},
                                    zone.queries, args.seconds), args)
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(
            {"about": about, "reference": REFERENCE, "results": results},
            indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
