# SPDX-License-Identifier: BSD-2-Clause
"""
The options of the data path (batch-wait, zerocopy, zerocopy-min) and what -V
and the status say about the features of the kernel.
"""

import re
import select
import socket
import subprocess
import time

import pytest

import daemon
import wire
from tables import Z_ZONE, same

FEATURES = ["UDP_SEGMENT", "UDP_GRO", "SO_INCOMING_CPU steering", "io_uring",
            "provided buffer ring", "multishot receive", "deferred task work",
            "zerocopy send", "zerocopy usage report", "minimum batch wait",
            "incremental buffers", "zerocopy send from registered memory"]


def feature(server, name):
    """The rest of the line about a feature."""
    return re.search(rf"^kernel {name}: (.*)$", server.status(), re.M)[1]


def counter(server, pattern):
    return int(re.search(pattern, server.status())[1])


def turns(server):
    return counter(server, r"turns: (\d+)")


def start(serve, **options):
    return serve({"z.test": Z_ZONE},
                 options={"control": '"control"', **options})


def needs(server, name):
    """Skips where the kernel has not got it."""
    said = feature(server, name)
    if not said.startswith("present"):
        pytest.skip(f"{name}: {said}")


def stream(server, count):
    """Queries one after the other without waiting; the seconds it took."""
    with wire.udp_socket(server) as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
        begin = time.monotonic()
        for i in range(count):
            sock.send(wire.make_query("www.z.test.", ident=i + 1))
        seconds = time.monotonic() - begin
        ids = set()
        while len(ids) < count and select.select([sock], [], [], 2)[0]:
            reply = wire.Reply(sock.recv(65535))
            same(reply.answer, ["www.z.test. 300 A 192.0.2.10"], "answer")
            ids.add(reply.message.id)
    assert len(ids) == count
    return seconds


def bundles(server, count, size=40):
    """Sends bursts that come in as one: their replies fill bundles."""
    with wire.udp_socket(server) as sock:
        queries = [wire.make_query(f"q{i:02}.d.z.test.", ident=i + 1)
                   for i in range(size)]
        control = [(socket.IPPROTO_UDP, 103,
                    len(queries[0]).to_bytes(2, "little"))]
        for _ in range(count):
            sock.sendmsg(queries, control)
            seen = set()
            for _ in range(size):
                reply = wire.Reply(sock.recv(65535))
                i = reply.message.id - 1
                same(reply.answer, [f"q{i:02}.d.z.test. 60 A 192.0.2.3"], "a")
                seen.add(i)
            assert len(seen) == size


def test_version_lists_features():
    text = subprocess.run([daemon.program(), "-V"], check=True,
                          capture_output=True, text=True).stdout
    for name in FEATURES:
        said = re.search(rf"^  {name}: (.*)$", text, re.M)
        assert said, text
        assert re.match(r"present, (not )?used|absent, |not tried, ", said[1])


def test_status_lists_features(serve, io):
    server = start(serve)
    text = server.status()
    assert re.findall(r"^kernel (.*?): ", text, re.M) == FEATURES
    assert feature(server, "UDP_GRO") == "present, used"
    assert feature(server, "UDP_SEGMENT") == "present, used"
    assert feature(server, "SO_INCOMING_CPU steering").endswith(
        "not used: one worker")
    if io == "uring":
        assert feature(server, "io_uring") == "present, used"
        assert feature(server, "multishot receive") == "present, used"
    elif server.forbidden:
        assert feature(server, "io_uring").startswith(
            "absent, io_uring is forbidden")
        assert feature(server, "multishot receive").startswith("not tried")
    elif not daemon.io_uring_missing():
        assert feature(server, "io_uring") == "present, not used: io = mmsg"
        assert feature(server, "multishot receive") == \
            "present, not used: io is mmsg"


def test_zerocopy_retreats_where_it_copies(serve, io):
    server = start(serve, zerocopy="auto", **{"zerocopy-min": 1000})
    needs(server, "zerocopy send from registered memory")
    bundles(server, 100)
    sends = counter(server, r"UDP zerocopy: (\d+) sends")
    if io == "mmsg":
        assert sends == 0
        return
    assert 64 <= sends < 100
    assert counter(
        server, r"UDP zerocopy: \d+ sends, (\d+) copied after all") == sends
    assert feature(server, "zerocopy send") == \
        "present, not used: the devices copy (loopback, veth)"


def test_zerocopy_always_does_not(serve, io):
    server = start(serve, zerocopy="always", **{"zerocopy-min": 1000})
    needs(server, "zerocopy send from registered memory")
    bundles(server, 100)
    sends = counter(server, r"UDP zerocopy: (\d+) sends")
    if io == "mmsg":
        assert sends == 0
        assert server.log().count("zerocopy = always has no effect") == 1
        return
    assert sends >= 100
    assert feature(server, "zerocopy send") == \
        "present, used: always, from 1000 octets on"
    assert "no effect" not in server.log()


def test_zerocopy_of_single_replies(serve, io):
    """zerocopy-min is about sends, whether of one reply or of many."""
    if io == "mmsg":
        pytest.skip("mmsg copies")
    server = start(serve, zerocopy="always", **{"zerocopy-min": 40})
    needs(server, "zerocopy send from registered memory")
    for i in range(20):
        same(wire.ask(server, f"q{i}.d.z.test.", "A").answer,
             [f"q{i}.d.z.test. 60 A 192.0.2.3"], "answer")
    assert counter(server, r"UDP zerocopy: (\d+) sends") >= 20


def test_zerocopy_min_decides(serve):
    server = start(serve, zerocopy="always", **{"zerocopy-min": 60000})
    bundles(server, 20)
    assert counter(server, r"UDP zerocopy: (\d+) sends") == 0


def test_zerocopy_never(serve, io):
    server = start(serve, zerocopy="never", **{"zerocopy-min": 1000})
    needs(server, "zerocopy send from registered memory")
    bundles(server, 50)
    assert counter(server, r"UDP zerocopy: (\d+) sends") == 0
    if io == "uring":
        assert feature(server, "zerocopy send") == \
            "present, not used: zerocopy = never"


@pytest.mark.parametrize("wait", ["auto", "none", "20", "1000"])
def test_batch_wait_sleeps_when_idle(serve, wait):
    """Linux ends a minimum wait without a time-out although nothing came."""
    server = start(serve, **{"batch-wait": wait})
    stream(server, 100)
    before = turns(server)
    time.sleep(0.5)
    assert turns(server) - before < 20


@pytest.mark.parametrize("wait, said, used", [
    ("auto", r"auto, \d+ us now", "used"),
    ("none", "none", "not used: batch-wait = none"),
    ("30", "30 us", "used"),
    ("busy-poll", "busy-poll", "not used: batch-wait = busy-poll")])
def test_batch_wait_in_the_status(serve, io, wait, said, used):
    server = start(serve, **{"batch-wait": wait})
    needs(server, "minimum batch wait")
    if io == "mmsg":
        used = "not used: io is mmsg"
    assert re.search(rf"^batch wait: {said}$", server.status(), re.M)
    assert feature(server, "minimum batch wait") == f"present, {used}"
    stream(server, 200)


def test_batch_wait_gathers(serve):
    """A millisecond each: hardly more turns than there were milliseconds."""
    server = start(serve, **{"batch-wait": 1000})
    stream(server, 10)
    before = turns(server)
    seconds = stream(server, 3000)
    assert turns(server) - before < seconds * 1000 + 30


def test_busy_poll_spins(serve):
    """It answers, never sleeps, and stops when it is told to."""
    server = start(serve, **{"batch-wait": "busy-poll"})
    before = turns(server)
    time.sleep(0.3)
    assert turns(server) - before > 300
    stream(server, 500)
    assert wire.ask(server, "www.z.test.", "A", tcp=True).aa
    assert "no effect" not in server.log()
