# SPDX-License-Identifier: BSD-2-Clause
"""
The servers under comparison, one worker each, all on one CPU:

    echo    the floor: recvmmsg and sendmmsg of 64, nothing looked up
    uring   zcdns, io = uring
    mmsg    zcdns, io = mmsg
    knotd   Knot DNS of the distribution, its own UDP sockets
    nsd     NSD of the distribution
"""

import contextlib
import os
import signal

import daemon
from harness import loads
from harness.options import say

NAMES = ("echo", "uring", "mmsg", "knotd", "nsd")
LABELS = {"echo": "plain echo", "uring": "zcdns uring", "mmsg": "zcdns mmsg",
          "knotd": "Knot DNS", "nsd": "NSD"}


class Echo(daemon.Daemon):
    """tests/bench/echo.c behind the interface of the servers."""

    def command(self):
        return [loads.bench_program("echo"), self.address, str(self.port)]


def missing(name):
    """Why a peer cannot run here, None when it can."""
    if name == "uring" and daemon.io_uring_missing():
        return f"zcdns uring: {daemon.io_uring_missing()}"
    if name in ("knotd", "nsd") and not daemon.find_tool(name):
        return f"{name} is not installed"
    return None


def present(names):
    """Those that can run here; says why the others cannot."""
    found = []
    for name in names:
        reason = missing(name)
        if reason:
            say(f"left out: {reason}")
        else:
            found.append(name)
    return found


def make(name, folder, zones, network, options=None):
    """A server, not started. options: of zcdns, as in its configuration."""
    place = {"address": network.server_address, "port": network.free_port()}
    if name in ("uring", "mmsg"):
        return daemon.Server(folder, zones, io=name, options=options, **place)
    kinds = {"echo": Echo, "knotd": daemon.Knot, "nsd": daemon.Nsd}
    return kinds[name](folder, zones, **place)


def start(server, network, number, fifo=0):
    """Starts it on that CPU; some choose a CPU themselves, so pins again."""
    server.start(preexec_fn=network.server_prepare(number, fifo))
    for pid in server.pids():
        for tid in os.listdir(f"/proc/{pid}/task"):
            os.sched_setaffinity(int(tid), {number})


def signal_all(server, number):
    for pid in server.pids():
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


@contextlib.contextmanager
def awake(server):
    """A server that keeps its CPU busy runs only while it is measured."""
    signal_all(server, signal.SIGCONT)
    try:
        yield server
    finally:
        signal_all(server, signal.SIGSTOP)


@contextlib.contextmanager
def running(servers, network, number, fifo=0):
    """All of {name: server} started, and killed in the end."""
    try:
        for server in servers.values():
            start(server, network, number, fifo)
        yield servers
    finally:
        for server in servers.values():
            server.kill()
