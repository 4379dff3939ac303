# SPDX-License-Identifier: BSD-2-Clause
"""What the bench ran on."""

import os
import pathlib
import platform
import re
import subprocess
import sys

import daemon

STAT_STEAL = 7  # proc(5): user nice system idle iowait irq softirq steal


def two_cpus():
    """(CPU of the server, CPU of the load); ends the program without two."""
    allowed = sorted(os.sched_getaffinity(0))
    if len(allowed) < 2:
        sys.exit("two CPUs are needed, one for the server, one for the load")
    return allowed[0], allowed[-1]


def cpu_model():
    text = pathlib.Path("/proc/cpuinfo").read_text()
    match = re.search(r"^(?:model name|Model|cpu model)\s*:\s*(.+)", text,
                      re.M)
    return match[1].strip() if match else platform.machine()


def version(*command):
    """The line in which a program says its version, None without."""
    try:
        done = subprocess.run(command, capture_output=True, text=True,
                              timeout=10, check=False)
    except OSError:
        return None
    for line in (done.stdout + done.stderr).splitlines():
        if re.search(r"\d+\.\d+", line):
            return line.strip().rstrip(".")
    return None


def versions():
    """Of the servers and of dnsperf; what is not installed is left out."""
    commands = {"zcdns": [daemon.program(), "-V"],
                "knotd": [daemon.find_tool("knotd") or "", "--version"],
                "nsd": [daemon.find_tool("nsd") or "", "-v"],
                "dnsperf": [daemon.find_tool("dnsperf") or "", "-h"]}
    found = {name: version(*command) for name, command in commands.items()
             if command[0]}
    return {name: text if name in text.lower() else f"{name} {text}"
            for name, text in found.items() if text}


def describe(server_cpu, load_cpu):
    return {"kernel": platform.release(), "cpu": cpu_model(),
            "cpus": os.cpu_count(), "server_cpu": server_cpu,
            "load_cpu": load_cpu, "versions": versions()}


def stat_shares(before, after):
    """Share of stolen time between two first lines of /proc/stat."""
    first, second = ([int(one) for one in text.split()[1:9]]
                     for text in (before, after))
    gone = [b - a for a, b in zip(first, second)]
    return gone[STAT_STEAL] / sum(gone) if sum(gone) else 0.0


class Steal:
    """Share of the machine's CPU time that the hypervisor kept since start."""

    def __init__(self):
        self.before = self._line()

    @staticmethod
    def _line():
        with open("/proc/stat", encoding="ascii") as stat:
            return stat.readline()

    def share(self):
        return stat_shares(self.before, self._line())
