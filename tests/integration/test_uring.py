# SPDX-License-Identifier: BSD-2-Clause
"""
What a ring does under stress, and what happens where there is none. The burst
tests run on both back ends: the promise to the client is the same.
"""

import errno
import os
import pathlib
import re
import resource
import select
import shutil
import signal
import socket
import subprocess
import time

import pytest

import daemon
import forbidden
import wire
from tables import Z_ZONE, same

def big_zone():
    text = "$TTL 60\n@ SOA ns hm 1 2 3 4 5\n@ NS ns\nns A 192.0.2.1\n"
    return text + "".join(f"a A 192.0.2.{i}\n" for i in range(70))


def burst(server, count, qname, socket_nr=8):
    """Sends while the server is stopped; the ids that come back afterwards."""
    socks = [wire.udp_socket(server) for _ in range(socket_nr)]
    for sock in socks:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
    server.signal(signal.SIGSTOP)
    try:
        for i in range(count):
            socks[i % socket_nr].send(
                wire.make_query(qname.format(i), ident=i + 1))
        held = queued_octets(server)
    finally:
        server.signal(signal.SIGCONT)
    got = []
    while len(got) < count:
        readable = select.select(socks, [], [], 0.5)[0]
        if not readable:
            break
        for sock in readable:
            reply = sock.recv(65535)
            number = int.from_bytes(reply[:2], "big") - 1
            assert sock is socks[number % socket_nr], "another one's reply"
            got.append(reply)
    for sock in socks:
        sock.close()
    return got, held


def queued_octets(server):
    """(octets waiting, datagrams dropped) of the UDP sockets of the server."""
    port = f":{server.port:04X}"
    waiting = dropped = 0
    for line in pathlib.Path("/proc/net/udp").read_text().splitlines()[1:]:
        fields = line.split()
        if fields[1].endswith(port):
            waiting += int(fields[4].split(":")[1], 16)
            dropped += int(fields[12])
    return waiting, dropped


@pytest.mark.parametrize("qname, count", [("q{}.d.z.test.", 1000),
                                          ("q{}.d.z.test.", 10000)])
def test_B_IU01_burst_while_the_worker_sleeps(serve, qname, count):
    """More than all receive buffers hold. What the socket buffer took is
    answered, each query once, and nothing stops afterwards."""
    server = serve({"z.test": Z_ZONE})
    for _ in range(3):
        before = queued_octets(server)[1]
        got, (_, dropped) = burst(server, count, qname)
        ids = [reply[:2] for reply in got]
        assert len(ids) == len(set(ids)), "answered twice"
        assert len(ids) == count - (dropped - before)
    assert wire.ask(server, "www.z.test.", "A").rcode == "NOERROR"


def test_B_IU02_completions_pile_up(serve):
    """Thousands of receives and sends complete between two looks."""
    server = serve({"b.test": big_zone()})
    before = queued_octets(server)[1]
    got, (_, dropped) = burst(server, 3000, "q{}.b.test.", socket_nr=64)
    assert len({reply[:2] for reply in got}) == 3000 - (dropped - before)
    got, (_, dropped) = burst(server, 500, "a.b.test.", socket_nr=16)
    assert len(got) >= 500 - (dropped - before)
    with wire.Tcp(server) as connection:
        query = wire.make_query("ns.b.test.")
        connection.send(query)
        assert wire.Reply(connection.recv(), query).aa


def test_B_IU03_replies_stay_whole_under_zero_copy(serve):
    """Bundles above and below any threshold; loopback copies, so the socket
    retreats; no reply carries another one's octets."""
    server = serve({"b.test": big_zone()}, options={"max-udp-payload": 1232})
    with wire.udp_socket(server) as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
        for round_nr in range(40):
            asked = {}
            for i in range(60):
                query = wire.make_query("a.b.test.", payload=4096, edns=0,
                                        ident=1 + i + 64 * round_nr)
                asked[query[:2]] = query
                sock.send(query)
            for _ in range(60):
                reply = sock.recv(65535)
                query = asked.pop(reply[:2])
                parsed = wire.Reply(reply, query)
                assert len(parsed.answer) == 70
    assert wire.ask(server, "ns.b.test.", "A").aa


@pytest.fixture(scope="session")
def seccomp():
    if forbidden.missing():
        pytest.skip(forbidden.missing())
    return forbidden.helper()


@pytest.mark.parametrize("number, cause", [
    (errno.EPERM, "kernel.io_uring_disabled"),
    (errno.ENOSYS, "kernel or seccomp filter"),
    (errno.ENOMEM, "LimitMEMLOCK=")])
def test_B_IU04_forbidden_ring_falls_back(tmp_path, seccomp, number, cause):
    """One warning names the cause, answers are the same."""
    with daemon.Server(tmp_path, {"z.test": Z_ZONE}, io="auto",
                       wrapper=[seccomp, str(number)]) as server:
        for tcp in (False, True):
            same(wire.ask(server, "www.z.test.", "A", tcp=tcp).answer,
                 ["www.z.test. 300 A 192.0.2.10"], "answer")
        lines = [line for line in server.log().splitlines()
                 if "io_uring" in line]
        assert len(lines) == 1, lines
        assert "warning" in lines[0] and cause in lines[0]


def test_B_IU04_demanded_ring_that_is_forbidden_ends_the_start(
        tmp_path, seccomp):
    server = daemon.Server(tmp_path, {"z.test": Z_ZONE}, io="uring",
                           wrapper=[seccomp, str(errno.EPERM)])
    server.spawn()
    assert server.wait() not in (0, -signal.SIGSEGV, -signal.SIGABRT)
    assert "io_uring" in server.log()
    assert not server.notified("READY=1")


def test_B_IU04_mmsg_needs_no_ring(tmp_path, seccomp):
    with daemon.Server(tmp_path, {"z.test": Z_ZONE}, io="mmsg",
                       wrapper=[seccomp, str(errno.EPERM)]) as server:
        assert wire.ask(server, "www.z.test.", "A").aa
        assert "io_uring" not in server.log()


@pytest.mark.parametrize("limit", [0, 64 << 10, 8 << 20])
def test_B_IU05_small_memlock_limit(tmp_path, monkeypatch, io, limit):
    """Starts with fewer registered buffers, or another back end; and again."""
    def limited():
        resource.setrlimit(resource.RLIMIT_MEMLOCK, (limit, limit))
        if os.geteuid() == 0:
            os.setgroups([])
            os.setresgid(65534, 65534, 65534)
            os.setresuid(65534, 65534, 65534)
    tmp_path.chmod(0o777)
    for parent in list(tmp_path.parents)[:3]:
        parent.chmod(parent.stat().st_mode | 0o011)
    # The checkout may be in a folder that only its owner may enter.
    monkeypatch.setenv("ZCDNS", shutil.copy(daemon.program(), tmp_path))
    for number in range(4):
        folder = tmp_path / str(number)
        server = daemon.Server(folder, {"z.test": Z_ZONE.read_text()},
                               io="auto" if io == "uring" else io,
                               options={"workers": 4})
        folder.chmod(0o777)
        server.start(preexec_fn=limited)
        for i in range(20):
            assert wire.ask(server, f"q{i}.d.z.test.", "A").aa
        server.stop()


def test_back_end_makes_only_its_own_system_calls(serve, io):
    """Under load: the ring's workers enter the kernel for the ring alone."""
    if not shutil.which("strace"):
        pytest.skip("strace is not installed")
    server = serve({"z.test": Z_ZONE})
    calls = ["io_uring_enter", "sendto", "sendmsg", "recvmsg", "recvfrom",
             "recvmmsg", "sendmmsg"]
    trace = server.folder / "trace"
    tracer = subprocess.Popen(
        ["strace", "-f", "-q", "-o", trace, "-e", "trace=" + ",".join(calls),
         "-p", str(server.process.pid)], stderr=subprocess.DEVNULL)
    try:
        time.sleep(0.5)
        for i in range(100):
            wire.ask(server, f"q{i}.d.z.test.", "A")
    finally:
        tracer.send_signal(signal.SIGINT)
        tracer.wait(10)
    found = set(re.findall(r"^\d+ +(?:<\.\.\. )?(\w+)", trace.read_text(), re.M))
    if not found:
        pytest.skip("strace may not attach here")
    allowed = {"uring": {"io_uring_enter"}, "mmsg": {"recvmmsg", "sendmmsg"}}
    assert found <= allowed[io], found
