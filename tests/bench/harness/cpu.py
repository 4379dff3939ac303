# SPDX-License-Identifier: BSD-2-Clause
"""
CPU time in nanoseconds, from /proc/PID/task/TID/schedstat: the run time of each
thread, the softirq work done on its back included. What a softirq thread does
for a server is counted with it: ksoftirqd of its CPU, and the NAPI threads of
its network device.

The kernel brings the figure of a running thread up to date once a tick; over a
second that is an error below half a per cent.
"""

import contextlib
import os
import pathlib
import re

PROC = pathlib.Path("/proc")


def schedstat(text):
    """(nanoseconds run, nanoseconds ready but waiting) of a schedstat file."""
    run, waited = text.split()[:2]
    return int(run), int(waited)


def threads(pids):
    """All threads of the processes."""
    found = []
    for pid in pids:
        with contextlib.suppress(OSError):
            found += [int(tid) for tid in os.listdir(PROC / f"{pid}/task")]
    return found


def kernel_threads(pattern):
    """Kernel threads whose whole name matches."""
    found = []
    for entry in PROC.iterdir():
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(OSError):
            name = (entry / "comm").read_text().rstrip("\n")
            # They have no memory of their own, so nothing to be named by.
            if re.fullmatch(pattern, name) and \
                    not (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
    return found


class Meter:
    """CPU time from start() to stop() of processes and kernel threads."""

    def __init__(self, pids, kernel=()):
        """pids: a function that lists the processes, as they may change."""
        self.pids = pids
        self.kernel = list(kernel)
        self.before = {}

    def _read(self):
        figures = {}
        for tid in threads(self.pids()) + self.kernel:
            with contextlib.suppress(OSError):
                figures[tid] = schedstat(
                    (PROC / f"{tid}/schedstat").read_text())
        return figures

    def start(self):
        self.before = self._read()

    def stop(self):
        """(nanoseconds run, nanoseconds waited for the CPU) since start."""
        run = waited = 0
        for tid, after in self._read().items():
            before = self.before.get(tid, (0, 0))
            run += after[0] - before[0]
            waited += after[1] - before[1]
        return run, waited


def soft_threads(cpu, device=None):
    """ksoftirqd of a CPU and the NAPI threads of a device."""
    found = kernel_threads(f"ksoftirqd/{cpu}")
    if device:
        found += kernel_threads(rf"napi/{re.escape(device)}-\d+")
    return found
