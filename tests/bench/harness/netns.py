# SPDX-License-Identifier: BSD-2-Clause
"""
Where a line is measured: loopback, or a veth pair between two network
namespaces.

The namespaces have no name: they live as long as this process and the servers
in it, so nothing stays behind however the bench ends. The veth pair stands in
for a network card: the server's end has GRO and threaded NAPI, whose thread is
pinned beside the server, so the server's CPU pays for what it receives, and
packets that arrive one by one can coalesce; the client's end does not segment
TCP, without which the kernel would not use NAPI at the other.

    client namespace                          server namespace
    10.53.0.2  + block 10.54.0.0/16           10.53.0.1
    zcNNN, tso off  --------------------->    zsNNN, gro on, threaded NAPI
"""

import contextlib
import ctypes
import fcntl
import os
import signal
import socket
import struct
import subprocess
import time

import daemon
from harness import cpu

CLONE_NEWNET = 0x40000000
PR_SET_PDEATHSIG = 1
SIOCETHTOOL = 0x8946
ETHTOOL_STSO = 0x1f
ETHTOOL_SGRO = 0x2c
NAPI_SECONDS = 5

LIBC = ctypes.CDLL(None, use_errno=True)


def _check(result, what):
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def enter(fd):
    """This thread, and what it starts from now on, is in that namespace."""
    _check(LIBC.setns(fd, CLONE_NEWNET), "setns")


def _current():
    return os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)


def make():
    """A descriptor of a fresh network namespace."""
    home = _current()
    try:
        _check(LIBC.unshare(CLONE_NEWNET), "unshare")
        try:
            return _current()
        finally:
            enter(home)
    finally:
        os.close(home)


def _ethtool(device, command, value):
    """Sets a flag of a device of this namespace (ethtool(8) without it)."""
    data = ctypes.create_string_buffer(struct.pack("II", command, value))
    request = struct.pack("16sP16x", device.encode(), ctypes.addressof(data))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        fcntl.ioctl(sock, SIOCETHTOOL, request)


def scheduling(number, fifo):
    """What a child does before exec: dies with us, on that CPU."""
    def prepare():
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        os.sched_setaffinity(0, {number})
        if fifo:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(fifo))
    return prepare


class Loopback:
    """The host's own loopback."""

    name = "lo"
    title = "loopback"
    server_address = "127.0.0.1"
    block = None  # the load's own choice: 127.0.0.0/8
    packets = None
    device = None

    def missing(self):
        return None

    def free_port(self):
        return daemon.free_port(self.server_address)

    def server_prepare(self, number, fifo):
        return scheduling(number, fifo)

    def soft_threads(self, number):
        return cpu.soft_threads(number)

    @contextlib.contextmanager
    def up(self, server_cpu, fifo=0):
        del server_cpu, fifo
        yield self


class Veth:
    """Within up() this process is in the client's namespace."""

    name = "veth"
    title = "veth pair, server's end with GRO and threaded NAPI"
    server_address = "10.53.0.1"
    client_address = "10.53.0.2"
    block = "10.54.0.0/16"
    # A veth device under NAPI holds 256 packets (VETH_RING_SIZE) and drops
    # what comes then, so a closed loop must not have more on their way.
    packets = 240
    port = 5300

    def __init__(self):
        self.server_ns = self.client_ns = self.home = None
        self.device = f"zs{os.getpid()}"
        self.peer = f"zc{os.getpid()}"

    def missing(self):
        if os.geteuid():
            return "network namespaces need root"
        if not daemon.find_tool("ip"):
            return "ip (iproute2) is not installed"
        return None

    def free_port(self):
        """All are free: a server each, so nothing else is in there."""
        self.port += 1
        return self.port

    def server_prepare(self, number, fifo):
        base = scheduling(number, fifo)

        def prepare():
            enter(self.server_ns)
            base()
        return prepare

    def soft_threads(self, number):
        return cpu.soft_threads(number, self.device)

    def _in(self, fd, *command):
        subprocess.run(command, check=True, preexec_fn=lambda: enter(fd))

    def _ip(self, fd, line):
        self._in(fd, daemon.find_tool("ip"), *line.split())

    @contextlib.contextmanager
    def up(self, server_cpu, fifo=0):
        self.home = _current()
        self.server_ns, self.client_ns = make(), make()
        try:
            enter(self.client_ns)
            self._connect()
            self._tune(server_cpu, fifo)
            yield self
        finally:
            enter(self.home)
            with contextlib.suppress(OSError, subprocess.CalledProcessError):
                self._ip(self.server_ns, f"link del {self.device}")
            for fd in self.server_ns, self.client_ns, self.home:
                os.close(fd)

    def _connect(self):
        """Addresses, static neighbours, the block of source addresses."""
        there, here = self.server_ns, self.client_ns
        # This process is in the client's namespace: its PID names it.
        self._ip(there, f"link add {self.device} type veth "
                        f"peer name {self.peer} netns {os.getpid()}")
        for fd, device, address in (
                (there, self.device, self.server_address),
                (here, self.peer, self.client_address)):
            self._ip(fd, "link set lo up")
            self._ip(fd, f"addr add {address}/24 dev {device}")
            self._ip(fd, f"link set {device} address "
                         f"{'02:00:00:00:53:0' + address[-1]}")
            self._ip(fd, f"link set {device} up")
        self._ip(there, f"neigh replace {self.client_address} lladdr "
                        f"02:00:00:00:53:02 dev {self.device} nud permanent")
        self._ip(here, f"neigh replace {self.server_address} lladdr "
                       f"02:00:00:00:53:01 dev {self.peer} nud permanent")
        self._ip(there, f"route add {self.block} via {self.client_address}")
        self._ip(here, f"route add local {self.block} dev lo")

    def _tune(self, server_cpu, fifo):
        _ethtool(self.peer, ETHTOOL_STSO, 0)
        enter(self.server_ns)
        try:
            _ethtool(self.device, ETHTOOL_SGRO, 1)
        finally:
            enter(self.client_ns)
        # sysfs shows the namespace that it was mounted from.
        self._in(self.server_ns, daemon.find_tool("unshare"), "--mount", "sh",
                 "-c", "mount -t sysfs none /sys && "
                 f"echo 1 > /sys/class/net/{self.device}/threaded")
        for tid in self._napi_threads():
            os.sched_setaffinity(tid, {server_cpu})
            if fifo:
                os.sched_setscheduler(tid, os.SCHED_FIFO, os.sched_param(fifo))

    def _napi_threads(self):
        end = time.monotonic() + NAPI_SECONDS
        while True:
            found = cpu.kernel_threads(rf"napi/{self.device}-\d+")
            if found:
                return found
            if time.monotonic() > end:
                raise OSError(f"no NAPI thread of {self.device}")
            time.sleep(0.02)


NETWORKS = {"lo": Loopback, "veth": Veth}
