# SPDX-License-Identifier: BSD-2-Clause
"""
One run: a load against a server, with the server's CPU time around it.

The cost is CPU time per reply that the client received, over the whole run,
so neither a client that is the limit nor a reply that nobody got spoils it.
"""

import dataclasses
import subprocess
import time

from harness import cpu, loads, netns

SETTLE_SECONDS = 0.03
PATIENCE_SECONDS = 30


@dataclasses.dataclass(frozen=True)
class Sample:
    """ns_per_reply: of the server; busy: share of its CPU while loaded."""

    ns_per_reply: float
    rate: float
    busy: float
    waited: float
    sent: int
    answered: int
    lost: int
    seconds: float
    latency: dict = dataclasses.field(default_factory=dict)

    @property
    def replies_per_cpu_second(self):
        return 1e9 / self.ns_per_reply


def sample(result, run_ns, waited_ns):
    """Sample of a run; a server that used nothing was not measured."""
    if not result.answered or run_ns <= 0:
        raise loads.Failed(f"{result.answered} replies, {run_ns} ns")
    return Sample(ns_per_reply=run_ns / result.answered, rate=result.rate,
                  busy=run_ns / 1e9 / result.seconds,
                  waited=waited_ns / 1e9 / result.seconds, sent=result.sent,
                  answered=result.answered, lost=result.lost,
                  seconds=result.seconds, latency=result.latency)


class Bench:
    """Network, CPUs and priority of a series of runs."""

    def __init__(self, network, server_cpu, load_cpu, fifo=0):
        self.network = network
        self.server_cpu = server_cpu
        self.load_cpu = load_cpu
        self.fifo = fifo

    def load(self, load, server, queries, seconds):
        """Runs the generator; its Result."""
        if self.network.packets:
            load = load.within(self.network.packets)
        command = load.command(server.address, server.port, queries, seconds,
                               self.network.block)
        done = subprocess.run(
            command, capture_output=True, text=True, check=False,
            timeout=seconds + PATIENCE_SECONDS,
            preexec_fn=netns.scheduling(self.load_cpu, self.fifo))
        if done.returncode:
            raise loads.Failed(f"{' '.join(command)}: status "
                               f"{done.returncode}\n{done.stdout[-2000:]}"
                               f"{done.stderr[-2000:]}")
        return load.parse(done.stdout)

    def run(self, load, server, queries, seconds):
        """Sample of one run."""
        # What the run before left in queues is answered before this one.
        time.sleep(SETTLE_SECONDS)
        meter = cpu.Meter(server.pids,
                          self.network.soft_threads(self.server_cpu))
        meter.start()
        result = self.load(load, server, queries, seconds)
        return sample(result, *meter.stop())
