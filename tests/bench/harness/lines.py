# SPDX-License-Identifier: BSD-2-Clause
"""
The lines of the table: a load on a network, with the peers that take part.
"""

import dataclasses
import fnmatch

from harness import netns, peers, zones
from harness.loads import Dnsperf, Zcflood

RATE = 20000


@dataclasses.dataclass(frozen=True)
class Line:
    """network: key of netns.NETWORKS. zone: name of a function of zones."""

    network: str
    load_name: str
    title: str
    load: object
    zone: str = "small"
    peers: tuple = peers.NAMES

    @property
    def name(self):
        return f"{self.network}/{self.load_name}"


LOADS = {
    "singles-gro": ("4 clients, single packets, clients with GRO",
                    Zcflood(sources=4, gro=True)),
    "singles": ("4 clients, single packets, clients without GRO",
                Zcflood(sources=4)),
    "dnsperf": ("dnsperf -c 4 -q 240", Dnsperf()),
    "coalesced": ("8 clients, GSO bursts of 32, clients with GRO",
                  Zcflood(sources=8, burst=32, gro=True, outstanding=4096)),
    "sources": ("4,096 sources, single packets",
                Zcflood(sources=4096)),
    "rate-dnsperf": (f"{RATE:,} queries/s from dnsperf -c 4",
                     Dnsperf(rate=RATE)),
    "rate": (f"{RATE:,} queries/s from zcflood, 4 clients",
             Zcflood(sources=4, rate=RATE)),
}

LINES = [Line(network, name, title, load)
         for network in netns.NETWORKS
         for name, (title, load) in LOADS.items()]
LINES.append(Line("lo", "large", "singles-gro on a zone of "
                  f"{zones.LARGE:,} random names", LOADS["singles-gro"][1],
                  zone="large"))


def select(wanted):
    """Lines by name, load name, network or pattern; all without any."""
    chosen = []
    for line in LINES:
        keys = (line.name, line.load_name, line.network)
        if not wanted or any(fnmatch.fnmatch(key, pattern)
                             for key in keys for pattern in wanted):
            chosen.append(line)
    return chosen
