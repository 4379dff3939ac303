# SPDX-License-Identifier: BSD-2-Clause
"""From exec to the first answer, and from SIGTERM to exit 0."""

import os
import signal
import socket
import time

import pytest

import daemon
import wire
from tables import Z_ZONE, same

ADDRESS = ["www.z.test. 300 A 192.0.2.10"]


def test_start_answer_stop(tmp_path, io):
    server = daemon.Server(tmp_path, {"z.test": Z_ZONE}, io=io)
    server.start()
    for tcp in (False, True):
        same(wire.ask(server, "www.z.test.", "A", tcp=tcp).answer, ADDRESS,
             "answer")
    server.stop()
    with pytest.raises(OSError):
        wire.Tcp(server)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_end_it_with_status_0(tmp_path, io, number):
    server = daemon.Server(tmp_path, {"z.test": Z_ZONE}, io=io)
    server.start()
    server.signal(number)
    assert server.wait() == 0
    assert server.notified("STOPPING=1")


def test_ready_only_when_it_answers(tmp_path, io):
    """READY=1 comes once, and the first query after it has its answer."""
    server = daemon.Server(tmp_path, {"z.test": Z_ZONE}, io=io)
    server.start()
    same(wire.ask(server, "www.z.test.", "A").answer, ADDRESS, "answer")
    server.stop()
    assert server.messages.count("READY=1") == 1


def test_stop_right_after_the_start(tmp_path, io):
    """At any moment, also before it is ready."""
    for delay in (0, 0.005, 0.01, 0.02, 0.05, 0.1):
        server = daemon.Server(tmp_path / str(delay), {"z.test": Z_ZONE}, io=io)
        server.spawn()
        time.sleep(delay)
        server.signal(signal.SIGTERM)
        assert server.wait() in (0, -signal.SIGTERM)
        assert not daemon.SANITIZER.search(server.log_path.read_bytes())


def test_what_was_received_before_sigterm_is_answered(tmp_path, io):
    server = daemon.Server(tmp_path, {"z.test": Z_ZONE}, io=io)
    server.start()
    with wire.udp_socket(server) as sock:
        server.signal(signal.SIGSTOP)
        for i in range(100):
            sock.send(wire.make_query(f"q{i}.d.z.test.", ident=i + 1))
        server.signal(signal.SIGTERM)
        server.signal(signal.SIGCONT)
        got = set()
        sock.settimeout(2)
        while len(got) < 100:
            got.add(sock.recv(65535)[:2])
    assert server.wait() == 0


def test_restart_on_the_same_port(tmp_path, io):
    """TIME-WAIT of the last run's connections is no hindrance."""
    port = None
    for number in range(3):
        with daemon.Server(tmp_path / str(number), {"z.test": Z_ZONE}, io=io,
                           port=port) as server:
            port = server.port
            with wire.Tcp(server) as connection:
                query = wire.make_query("www.z.test.")
                connection.send(query)
                wire.Reply(connection.recv(), query)


@pytest.mark.parametrize("how", ["stop", "kill"])
def test_restart_at_once(tmp_path, io, how):
    """The kernel takes down the ring, and its sockets, after the process."""
    port = None
    for number in range(6):
        server = daemon.Server(tmp_path / str(number), {"z.test": Z_ZONE},
                               io=io, port=port)
        server.start()
        try:
            port = server.port
            same(wire.ask(server, "www.z.test.", "A").answer, ADDRESS,
                 "answer")
            if how == "stop":
                server.stop()
        finally:
            server.kill()


def test_broken_zone_does_not_stop_the_others(tmp_path, io):
    with daemon.Server(tmp_path, {"z.test": Z_ZONE, "bad.test": "@ 60 SOA\n"},
                       io=io) as server:
        same(wire.ask(server, "www.z.test.", "A").answer, ADDRESS, "answer")
        reply = wire.ask(server, "bad.test.", "A", edns=0)
        assert (reply.rcode, reply.aa) == ("SERVFAIL", False)
        assert f"{server.zones['bad.test']}:1: " in server.log()


def test_loaded_line(tmp_path, io):
    """`[zone] loaded, serial old -> new, N records, ms`"""
    with daemon.Server(tmp_path, {"z.test": Z_ZONE}, io=io) as server:
        match = server.wait_log(
            r"\[z\.test\.?\] loaded, serial (\S+) -> (\d+), (\d+) records?, "
            r"\d+(\.\d+)? ms")
        assert match[2] == "2026010100"
        assert 70 < int(match[3]) < 120


def test_occupied_port_is_named(tmp_path, io):
    """Somebody else's socket, not of our reuseport group."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        server = daemon.Server(tmp_path, {"z.test": Z_ZONE}, io=io, port=port)
        server.spawn()
        assert server.wait() == 1
        assert f"127.0.0.1@{port}" in server.log()
        assert os.strerror(98) in server.log()
        assert not server.notified("READY=1")


def test_privileges_are_dropped(tmp_path, io):
    if os.geteuid():
        pytest.skip("needs root")
    tmp_path.chmod(0o755)
    for parent in list(tmp_path.parents)[:3]:
        parent.chmod(parent.stat().st_mode | 0o011)
    with daemon.Server(tmp_path, {"z.test": Z_ZONE.read_text()}, io=io,
                       options={"user": '"nobody"'}) as server:
        same(wire.ask(server, "www.z.test.", "A").answer, ADDRESS, "answer")
        status = open(f"/proc/{server.process.pid}/status",
                      encoding="ascii").read()
        uids = status.split("Uid:")[1].split("\n")[0].split()
        assert "0" not in uids


def test_workers_are_threads(tmp_path, io):
    with daemon.Server(tmp_path, {"z.test": Z_ZONE}, io=io,
                       options={"workers": 3}) as server:
        tasks = os.listdir(f"/proc/{server.process.pid}/task")
        assert len(tasks) >= 4
        for i in range(50):
            assert wire.ask(server, f"q{i}.d.z.test.", "A").aa
