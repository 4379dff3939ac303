# SPDX-License-Identifier: BSD-2-Clause
"""
Name servers under test, started on a free loopback port and stopped again.

    Server   zcdns; the binary comes from $ZCDNS
    Knot     knotd of the distribution  } the same interface,
    Nsd      nsd of the distribution    } for comparison

A server is a context manager: leaving it sends SIGTERM and asserts that the
process ended by itself with status 0 and that no sanitizer had a say.
"""

import contextlib
import ctypes
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import threading
import time

import forbidden

TOP = pathlib.Path(__file__).resolve().parents[2]
SANITIZER = re.compile(rb"AddressSanitizer|LeakSanitizer|ThreadSanitizer"
                       rb"|UndefinedBehavior|runtime error:")
START_SECONDS = 60
STOP_SECONDS = 20
# id.server. CH TXT. The bench runs without dnspython, so it is spelled out.
PROBE = (b"\x5a\x43\0\0\0\1\0\0\0\0\0\0" b"\2id\6server\0" b"\0\x10\0\3")


def program(name="zcdns"):
    """Absolute path of a program of ours: $ZCDNS decides on the folder."""
    given = os.environ.get("ZCDNS")
    places = [pathlib.Path(given).resolve()] if given else [
        pathlib.Path("build/src/zcdns").resolve(), TOP / "build/src/zcdns",
        pathlib.Path("src/zcdns").resolve(), TOP / "src/zcdns"]
    for place in places:
        if place.with_name(name).exists():
            return str(place.with_name(name))
    raise FileNotFoundError(f"{name} is not built: {places}")


def is_sanitized():
    """True when the binary was built with a sanitizer."""
    return re.search(rb"__(asan|tsan|ubsan)_", pathlib.Path(
        program()).read_bytes()) is not None


def find_tool(name):
    """A program of the system, sbin included; None when it is missing."""
    return shutil.which(name, path=os.environ.get("PATH", "")
                        + ":/usr/sbin:/sbin:/usr/local/sbin")


def io_uring_missing():
    """Why this kernel gives no ring to us, None when it does."""
    libc = ctypes.CDLL(None, use_errno=True)
    params = ctypes.create_string_buffer(120)
    fd = libc.syscall(425, 1, params)  # io_uring_setup(2)
    if fd < 0:
        return f"io_uring_setup: {os.strerror(ctypes.get_errno())}"
    os.close(fd)
    return None


def pidfd_getfd(pidfd, number):
    """A descriptor of another process, as one of ours (pidfd_getfd(2))."""
    libc = ctypes.CDLL(None, use_errno=True)
    fd = libc.syscall(438, pidfd, number, 0)
    if fd < 0:
        raise OSError(ctypes.get_errno(), "pidfd_getfd")
    return fd


def free_port(address="127.0.0.1"):
    """A port that is free for UDP and TCP."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    for _ in range(100):
        with socket.socket(family, socket.SOCK_DGRAM) as udp, \
                socket.socket(family, socket.SOCK_STREAM) as tcp:
            udp.bind((address, 0))
            with contextlib.suppress(OSError):
                tcp.bind((address, udp.getsockname()[1]))
                return udp.getsockname()[1]
    raise OSError("no port is free for both UDP and TCP")


def zone_file(folder, name, text):
    """Writes a zone; returns its path. Text may be a path to one instead."""
    if isinstance(text, pathlib.Path):
        return text
    path = folder / f"{name.rstrip('.') or 'root'}.zone"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


class Daemon:
    """What all servers share: process, log, waiting, stopping."""

    max_udp_payload = 1232

    def __init__(self, folder, zones, *, address="127.0.0.1", port=None):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.address = address
        self.port = port or free_port(address)
        self.log_path = self.folder / "log"
        self.process = None
        self.zones = {name: zone_file(self.folder, name, text)
                      for name, text in zones.items()}

    def command(self):
        raise NotImplementedError

    def environment(self):
        return dict(os.environ)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self.stop()
        else:
            self.kill()

    def spawn(self, **options):
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                self.command(), stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, env=self.environment(), cwd=self.folder,
                **options)

    def start(self, **options):
        self.spawn(**options)
        try:
            self.wait_ready()
        except BaseException:
            self.kill()
            raise

    def answers(self):
        """True when a probe over UDP gets a reply."""
        family = socket.AF_INET6 if ":" in self.address else socket.AF_INET
        with contextlib.suppress(OSError), \
                socket.socket(family, socket.SOCK_DGRAM) as sock:
            sock.settimeout(0.2)
            sock.connect((self.address, self.port))
            sock.send(PROBE)
            return bool(sock.recv(65535))
        return False

    def wait_ready(self):
        self.wait_until(self.answers, START_SECONDS, "no reply to a probe")

    def wait_until(self, condition, seconds=10, what="condition not met"):
        """Polls; fails with the log when time is up or the process ended."""
        end = time.monotonic() + seconds
        while not condition():
            status = self.process.poll()
            assert status is None, f"ended, status {status}\n{self.log()}"
            assert time.monotonic() < end, f"{what}\n{self.log()}"
            time.sleep(0.02)

    def wait_log(self, pattern, seconds=10, after=0):
        """Waits for a line in the log, from an offset on; the match."""
        self.wait_until(lambda: re.search(pattern, self.log()[after:], re.M),
                        seconds, f"not in the log: {pattern}")
        return re.search(pattern, self.log()[after:], re.M)

    def log(self):
        return self.log_path.read_text(errors="replace")

    def signal(self, number):
        self.process.send_signal(number)

    def stop(self):
        status = self.process.poll()
        assert status is None, f"ended, status {status}\n{self.log()}"
        self.signal(signal.SIGTERM)
        status = self.wait()
        assert status == 0, f"exit status {status}\n{self.log()}"
        assert not SANITIZER.search(self.log_path.read_bytes()), self.log()

    def wait(self, seconds=STOP_SECONDS):
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(
                f"still running after {seconds} s\n{self.log()}") from None

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
            self.process.wait()

    def cpu_seconds(self):
        """User and system time of the process and its children so far."""
        ticks = os.sysconf("SC_CLK_TCK")
        return sum(cpu_ticks(pid) for pid in self.pids()) / ticks

    def pids(self):
        """The process and everything below it."""
        found, todo = [], [self.process.pid]
        while todo:
            pid = todo.pop()
            found.append(pid)
            with contextlib.suppress(OSError):
                for task in os.listdir(f"/proc/{pid}/task"):
                    children = pathlib.Path(
                        f"/proc/{pid}/task/{task}/children").read_text()
                    todo += [int(child) for child in children.split()]
        return found

    def pss_kib(self):
        """Memory, shared pages counted by share (proc(5), smaps_rollup)."""
        total = 0
        for pid in self.pids():
            with contextlib.suppress(OSError):
                rollup = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
                total += int(re.search(r"^Pss:\s+(\d+)", rollup, re.M)[1])
        return total


def cpu_ticks(pid):
    try:
        text = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return 0
    fields = text.rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


class Server(Daemon):
    """zcdns. options go into the server section, extra behind it; zone_options
    into each zone, by write_config() when they change."""

    zone_options = ""

    def __init__(self, folder, zones, *, io="auto", options=None, extra="",
                 listen=None, wrapper=(), env=None, **rest):
        super().__init__(folder, zones, **rest)
        self.forbidden = isinstance(io, forbidden.Forbidden)
        self.io = "auto" if self.forbidden else io
        self.options = dict(options or {})
        self.max_udp_payload = self.options.get("max-udp-payload", 1232)
        self.extra = extra
        self.listen = listen or [f"{self.address}@{self.port}"]
        self.wrapper = list(wrapper)
        if self.forbidden and not wrapper:
            self.wrapper = forbidden.wrapper()
        self.env = dict(env or {})
        self.config = self.folder / "zcdns.conf"
        self.notify_path = str(self.folder / "notify")
        self.notify = None
        self.messages = []
        self.log_start = 0  # of the present run
        self.write_config()

    def config_text(self):
        options = {"workers": 1, "io": self.io, **self.options}
        lines = ["server {", "\tlisten = { "
                 + ", ".join(f'"{one}"' for one in self.listen) + " }"]
        lines += [f"\t{key} = {value}" for key, value in options.items()]
        lines += ["}"]
        lines += [f'zone "{name}" {{ file = "{path}" {self.zone_options} }}'
                  for name, path in self.zones.items()]
        return "\n".join(lines) + "\n" + self.extra + "\n"

    def write_config(self):
        self.config.write_text(self.config_text())

    def command(self):
        return [*self.wrapper, program(), "-c", str(self.config)]

    def environment(self):
        return {**os.environ, "NOTIFY_SOCKET": self.notify_path, **self.env}

    def spawn(self, **options):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.notify_path)
        self.notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notify.bind(self.notify_path)
        os.chmod(self.notify_path, 0o666)
        self.messages = []
        self.log_start = (self.log_path.stat().st_size
                          if self.log_path.exists() else 0)
        threading.Thread(target=self.listen_to_it, daemon=True,
                         args=(self.notify, self.messages)).start()
        super().spawn(**options)

    @staticmethod
    def listen_to_it(notify, messages):
        """As the service manager does: always, or its queue would fill."""
        while octets := notify.recv(4096):
            messages += octets.decode().split("\n")
        notify.close()

    def notified(self, word="READY=1"):
        """True when systemd would have been told this word."""
        return word in self.messages

    def control(self, line):
        """What a command on the control socket says, to its end."""
        with socket.socket(socket.AF_UNIX) as sock:
            sock.connect(str(self.folder / "control"))  # waits for a place
            sock.settimeout(10)
            sock.sendall(line.encode() + b"\n")
            sock.shutdown(socket.SHUT_WR)
            with sock.makefile() as said:
                return said.read()

    def status(self):
        text = self.control("status")
        assert text.endswith("ok\n"), text
        return text

    def wait_ready(self):
        self.wait_until(self.notified, START_SECONDS, "no READY=1")

    def stop(self):
        super().stop()
        if self.forbidden:
            said = self.log()[self.log_start:].count(forbidden.WARNING)
            assert said == 1, f"{said} warnings\n{self.log()}"

    def wait(self, seconds=STOP_SECONDS):
        status = super().wait(seconds)
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as end:
            end.sendto(b"", self.notify_path)  # the listener ends
        return status


class Knot(Daemon):
    """knotd with its journal and timers kept in the folder. secondary: zones
    that it transfers from another server."""

    allow_transfer = False
    secondary = {}

    def command(self):
        lines = ["server:", f"    listen: {self.address}@{self.port}",
                 f"    rundir: {self.folder}", "    udp-workers: 1",
                 "    tcp-workers: 1", "    background-workers: 1",
                 "    tcp-io-timeout: 20000", "    tcp-remote-io-timeout: 20000",
                 "    udp-max-payload: 1232",
                 "log:", "  - target: stderr", "    any: warning",
                 "database:", f"    storage: {self.folder}",
                 "remote:"]
        for name, server in self.secondary.items():
            lines += [f"  - id: {name}",
                      f"    address: {server.address}@{server.port}"]
        lines += ["acl:", "  - id: all", "    address: 127.0.0.0/8",
                  "    action: transfer",
                  "template:", "  - id: default",
                  "    zonefile-sync: -1", "    journal-content: none",
                  "    semantic-checks: soft"]
        if self.allow_transfer or self.secondary:
            lines += ["    acl: all"]
        lines += ["zone:"]
        for name, path in self.zones.items():
            lines += [f"  - domain: {name.rstrip('.')}.", f"    file: {path}"]
        for name in self.secondary:
            lines += [f"  - domain: {name}.", f"    master: {name}",
                      "    refresh-max-interval: 2"]
        config = self.folder / "knot.conf"
        config.write_text("\n".join(lines) + "\n")
        return [find_tool("knotd"), "-c", str(config)]


class Nsd(Daemon):
    """nsd in the foreground, one server process."""

    allow_transfer = False

    def command(self):
        lines = ["server:", f"    ip-address: {self.address}@{self.port}",
                 "    server-count: 1", '    username: ""', '    chroot: ""',
                 f'    zonesdir: "{self.folder}"', '    database: ""',
                 f'    pidfile: "{self.folder}/nsd.pid"',
                 f'    xfrdfile: "{self.folder}/xfrd.state"',
                 f'    zonelistfile: "{self.folder}/zone.list"',
                 f'    cookie-secret-file: "{self.folder}/cookies"',
                 "    reuseport: no", "    rrl-ratelimit: 0",
                 "    rrl-whitelist-ratelimit: 0", "    tcp-count: 1000",
                 "    minimal-responses: yes", "    ipv4-edns-size: 1232",
                 "    hide-version: no", "    round-robin: no",
                 "remote-control:", "    control-enable: no"]
        for name, path in self.zones.items():
            lines += ["zone:", f"    name: \"{name}\"",
                      f"    zonefile: \"{path}\""]
            if self.allow_transfer:
                lines += ["    provide-xfr: 127.0.0.0/8 NOKEY"]
        config = self.folder / "nsd.conf"
        config.write_text("\n".join(lines) + "\n")
        return [find_tool("nsd"), "-d", "-c", str(config)]
