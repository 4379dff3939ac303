# SPDX-License-Identifier: BSD-2-Clause
"""
A loopback device of our own on which packets wait.

The kernel takes its own copy of what zerocopy sends over loopback when the
packet arrives, and usually it arrives before the send returns: memory that is
used again too early would never show. Here a token bucket holds the packets
back, with the sender's pages in them, as the queue of a network card does.
"""

import contextlib
import ctypes
import os
import subprocess

import daemon

CLONE_NEWNET = 0x40000000
# The bucket is larger than any packet, so none is segmented on the way in.
SETUP = (("ip", "link set lo up"),
         ("tc", "qdisc add dev lo root tbf rate {rate} burst 100k limit 64m"))
RATE = "800mbit"


def _check(result):
    if result:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def missing():
    """Why there is none, None when there is."""
    if os.geteuid():
        return "network namespaces need root"
    for tool, _ in SETUP:
        if not daemon.find_tool(tool):
            return f"{tool} (iproute2) is not installed"
    try:
        with loopback():
            return None
    except (OSError, subprocess.CalledProcessError) as error:
        return f"{error} {getattr(error, 'stderr', '')}".strip()


@contextlib.contextmanager
def loopback(rate=RATE):
    """
    This thread, and what it starts, is in a network namespace of its own. It
    lives as long as a process in it.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    home = os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    try:
        _check(libc.unshare(CLONE_NEWNET))
        for tool, line in SETUP:
            subprocess.run(
                [daemon.find_tool(tool), *line.format(rate=rate).split()],
                check=True, capture_output=True, text=True)
        yield
    finally:
        _check(libc.setns(home, CLONE_NEWNET))
        os.close(home)
