# SPDX-License-Identifier: BSD-2-Clause
"""
The load generators: a command line for a server, and what came of it.
"""

import dataclasses
import json
import math
import pathlib
import re

import daemon

# A closed loop goes on without a lost query after so long, or a server that
# loses some would be measured under an ever lighter load.
CLOSED_TIMEOUT_MS = 100
# TCP loses nothing, but a server that leaves Nagle's algorithm on waits.
TCP_TIMEOUT_MS = 1000
# Replies that are not what was asked for; one of them and the run is void.
WRONG = ("wrong_question", "wrong_code", "wrong_octets", "malformed",
         "unsolicited")


class Failed(Exception):
    """A run that cannot be used."""


@dataclasses.dataclass(frozen=True)
class Result:
    """Of one run; latency in microseconds by name, empty when not known."""

    sent: int
    answered: int
    lost: int
    seconds: float
    latency: dict

    @property
    def rate(self):
        return self.answered / self.seconds


def bench_program(name):
    """A program of tests/bench, out of the build that $ZCDNS is from."""
    folder = pathlib.Path(daemon.program()).parents[1] / "tests/bench"
    for place in (folder / name, folder / name / name):
        if place.is_file():
            return str(place)
    raise FileNotFoundError(f"{name} is not built in {folder}")


def parse_zcflood(text):
    """Result out of zcflood's JSON."""
    try:
        data = json.loads(text)
    except ValueError:
        raise Failed(f"no JSON from zcflood: {text[:200]!r}") from None
    wrong = {key: data[key] for key in WRONG if data[key]}
    if wrong:
        raise Failed(f"wrong replies: {wrong}")
    codes = set(data["rcodes"]) - {"NOERROR"}
    if codes or not data["answered"]:
        raise Failed(f"replies: {data['rcodes'] or 'none'}")
    return Result(data["sent"], data["answered"], data["lost"],
                  data["seconds"], data["latency_us"])


def parse_dnsperf(text):
    """Result out of dnsperf's statistics."""
    found = {}
    for key, pattern in {"sent": r"Queries sent:\s+(\d+)",
                         "answered": r"Queries completed:\s+(\d+)",
                         "lost": r"Queries lost:\s+(\d+)",
                         "seconds": r"Run time \(s\):\s+([\d.]+)",
                         "codes": r"Response codes:[ \t]*(.*)"}.items():
        match = re.search(pattern, text)
        if not match:
            raise Failed(f"not in what dnsperf said: {key}")
        found[key] = match[1]
    if not re.fullmatch(r"NOERROR \d+ \(100\.00%\)", found["codes"].strip()):
        raise Failed(f"replies: {found['codes'] or 'none'}")
    return Result(int(found["sent"]), int(found["answered"]),
                  int(found["lost"]), float(found["seconds"]), {})


@dataclasses.dataclass(frozen=True)
class Zcflood:
    """rate: queries a second, open loop; None: closed loop."""

    sources: int = 4
    burst: int = 1
    gro: bool = False
    outstanding: int = 1000
    rate: float = None
    tcp: bool = False

    def missing(self):
        try:
            bench_program("zcflood")
        except FileNotFoundError as error:
            return str(error)
        return None

    def within(self, packets):
        """The same load with no more packets on their way than that."""
        return dataclasses.replace(self, outstanding=min(
            self.outstanding, packets * self.burst))

    def command(self, address, port, queries, seconds, block=None):
        line = [bench_program("zcflood"), "-s", address, "-p", str(port),
                "-d", str(queries), "-l", f"{seconds:g}",
                "-c", str(self.sources), "-b", str(self.burst),
                "-v", "code", "-j", "-"]
        line += ["-Q", f"{self.rate:g}"] if self.rate else \
            ["-q", str(self.outstanding), "-t", str(
                TCP_TIMEOUT_MS if self.tcp else CLOSED_TIMEOUT_MS)]
        line += ["-m", "tcp"] if self.tcp else []
        line += ["-g"] if self.gro else []
        line += ["-a", block] if block and self.sources > 64 else []
        return line

    parse = staticmethod(parse_zcflood)


@dataclasses.dataclass(frozen=True)
class Dnsperf:
    """
    As Zcflood; dnsperf takes whole seconds. So few are outstanding that the
    receive buffer which Linux gives by default holds them all.
    """

    clients: int = 4
    outstanding: int = 240
    rate: float = None
    mode: str = "udp"

    def missing(self):
        return None if daemon.find_tool("dnsperf") else \
            "dnsperf is not installed"

    def within(self, packets):
        return dataclasses.replace(self, outstanding=min(
            self.outstanding, packets))

    def command(self, address, port, queries, seconds, block=None):
        del block
        line = [daemon.find_tool("dnsperf"), "-s", address, "-p", str(port),
                "-d", str(queries), "-l", str(math.ceil(seconds)),
                "-c", str(self.clients), "-q", str(self.outstanding),
                "-m", self.mode, "-t", "1"]
        return line + (["-Q", f"{self.rate:.0f}"] if self.rate else [])

    parse = staticmethod(parse_dnsperf)
