# SPDX-License-Identifier: BSD-2-Clause
"""TCP (RFC 7766): pipelining, pieces, limits, and clients that do not behave."""

import re
import resource
import select
import signal
import socket
import struct
import threading
import time

import pytest

import wire
from tables import Z_ZONE

HUGE = ("$TTL 60\n@ SOA ns hm 1 2 3 4 5\n@ NS ns\nns A 192.0.2.1\nhuge TXT "
        + " ".join(['"' + "x" * 250 + '"'] * 240) + "\n")
ZONES = {"z.test": Z_ZONE, "huge.test": HUGE}


@pytest.fixture(scope="module")
def server(serve_module):
    return serve_module(ZONES)


def queries(count, first=1, qname="q{}.d.z.test."):
    return [wire.make_query(qname.format(i), ident=i)
            for i in range(first, first + count)]


def collect(connection, asked):
    """Reads one reply for each query; the queries it belongs to, checked."""
    waiting = {query[:2]: query for query in asked}
    while waiting:
        reply = connection.recv()
        wire.Reply(reply, waiting.pop(reply[:2]))


def test_B_TC01_many_queries_in_one_write_and_in_single_octets(server):
    with wire.Tcp(server) as connection:
        first = queries(50)
        connection.sock.sendall(b"".join(map(wire.frame, first)))
        collect(connection, first)
        second = queries(5, first=100)
        for octet in b"".join(map(wire.frame, second)):
            connection.sock.sendall(bytes([octet]))
            time.sleep(0.002)
        collect(connection, second)
        third = queries(50, first=200)
        connection.sock.sendall(b"".join(map(wire.frame, third)))
        collect(connection, third)


def test_B_TC01_octet_by_octet_with_gaps(server):
    query = wire.make_query("www.z.test.")
    with wire.Tcp(server) as connection:
        for octet in wire.frame(query):
            connection.sock.sendall(bytes([octet]))
            time.sleep(0.01)
        wire.Reply(connection.recv(), query)


def test_B_TC01_cut_at_every_octet(server):
    """Two messages, parted once, at each place there is."""
    asked = queries(2)
    stream = b"".join(map(wire.frame, asked))
    for cut in range(1, len(stream)):
        with wire.Tcp(server) as connection:
            connection.sock.sendall(stream[:cut])
            time.sleep(0.001)
            connection.sock.sendall(stream[cut:])
            collect(connection, asked)


def test_B_TC01_length_and_message_leave_together(server):
    """RFC 7766 section 8: what is there after the first octet is all of it."""
    with wire.Tcp(server) as connection:
        connection.send(wire.make_query("www.z.test."))
        select.select([connection.sock], [], [], 5)
        data = connection.sock.recv(65535)
        assert len(data) == 2 + struct.unpack("!H", data[:2])[0]


def test_B_TC02_many_queries_on_one_connection(server):
    with wire.Tcp(server) as connection:
        for query in queries(1000):
            connection.send(query)
            wire.Reply(connection.recv(), query)


def test_large_pipeline(server):
    """More than any buffer holds, read while it is written."""
    asked = queries(20000)
    with wire.Tcp(server) as connection:
        sender = threading.Thread(
            target=connection.sock.sendall,
            args=(b"".join(map(wire.frame, asked)),))
        sender.start()
        collect(connection, asked)
        sender.join()


def test_half_close(server):
    """What was asked before the FIN is answered, then the server closes."""
    asked = queries(20)
    with wire.Tcp(server) as connection:
        connection.sock.sendall(b"".join(map(wire.frame, asked)))
        connection.sock.shutdown(socket.SHUT_WR)
        collect(connection, asked)
        assert connection.closed_within(5)


def test_half_close_behind_half_a_message(server):
    query = wire.make_query("www.z.test.")
    with wire.Tcp(server) as connection:
        connection.sock.sendall(wire.frame(query) + b"\0\x20abc")
        connection.sock.shutdown(socket.SHUT_WR)
        wire.Reply(connection.recv(), query)
        assert connection.closed_within(5)


def test_length_zero(server):
    """A message of no octets is closed or passed over, never waited for."""
    query = wire.make_query("www.z.test.")
    with wire.Tcp(server) as connection:
        connection.sock.sendall(b"\0\0" + wire.frame(query))
        try:
            wire.Reply(connection.recv(), query)
        except (EOFError, ConnectionError):
            pass
    assert wire.ask(server, "www.z.test.", "A", tcp=True).rcode == "NOERROR"


def test_length_zero_then_nothing(server):
    with wire.Tcp(server) as connection:
        connection.sock.sendall(b"\0\0" * 10)
        time.sleep(0.1)
    assert wire.ask(server, "www.z.test.", "A", tcp=True).rcode == "NOERROR"


def test_client_vanishes(server):
    """RST with replies under way."""
    for _ in range(20):
        connection = wire.Tcp(server)
        for query in queries(20, qname="huge.huge.test."):
            connection.send(query)
        connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                   struct.pack("ii", 1, 0))
        connection.sock.close()
    assert wire.ask(server, "www.z.test.", "A", tcp=True).rcode == "NOERROR"


def test_idle_connection_is_closed(serve):
    server = serve(ZONES, options={"tcp-idle-timeout": "1s"})
    with wire.Tcp(server) as connection:
        start = time.monotonic()
        assert connection.closed_within(5)
        assert time.monotonic() - start > 0.9
    with wire.Tcp(server) as connection:
        for query in queries(6):
            connection.send(query)
            wire.Reply(connection.recv(), query)
            time.sleep(0.25)
        assert connection.closed_within(5)


def test_message_that_stops_half_way_is_given_up(serve):
    server = serve(ZONES, options={"tcp-io-timeout": "300ms",
                                   "tcp-idle-timeout": "300ms"})
    with wire.Tcp(server) as connection:
        connection.sock.sendall(b"\0\x40\1\2")
        assert connection.closed_within(5)


def test_B_TC02_query_at_the_edge_of_the_idle_timeout(serve):
    """Answered, or closed without RST in front of an answer that was due."""
    server = serve(ZONES, options={"tcp-idle-timeout": "200ms"})
    answered = 0
    for step in range(24):
        query = wire.make_query("www.z.test.")
        with wire.Tcp(server) as connection:
            connection.send(query)
            wire.Reply(connection.recv(), query)
            time.sleep(0.188 + step * 0.001)
            try:
                connection.send(query)
                wire.Reply(connection.recv(), query)
                answered += 1
            except (EOFError, ConnectionError):
                pass
    assert wire.ask(server, "www.z.test.", "A", tcp=True).rcode == "NOERROR"
    assert answered, "even 12 ms before the limit none was answered"


def test_B_TC02_answer_before_the_close_arrives_whole(serve):
    """A large answer that is on its way when the idle time is over."""
    server = serve(ZONES, options={"tcp-idle-timeout": "200ms",
                                   "tcp-io-timeout": "5s"})
    query = wire.make_query("huge.huge.test.", "TXT")
    with wire.Tcp(server, rcvbuf=4096) as connection:
        for _ in range(10):
            connection.send(query)
        time.sleep(0.6)
        for _ in range(10):
            reply = wire.Reply(connection.recv(), query)
            assert len(reply.wire) > 60000
        assert connection.closed_within(5)


def test_B_TC03_client_that_never_reads(serve):
    """Memory stays bounded, UDP goes on, the connection ends."""
    server = serve(ZONES, options={"tcp-io-timeout": "1s",
                                   "tcp-idle-timeout": "1s"})
    wire.ask(server, "huge.huge.test.", "TXT", tcp=True)
    before = server.pss_kib()
    stream = wire.frame(wire.make_query("huge.huge.test.", "TXT")) * 10000
    with wire.Tcp(server, rcvbuf=4096) as connection:
        connection.sock.settimeout(0.2)
        sent = 0
        try:
            while sent < len(stream):
                sent += connection.sock.send(stream[sent:])
        except (TimeoutError, socket.timeout, ConnectionError):
            pass
        for _ in range(50):
            start = time.monotonic()
            assert wire.ask(server, "www.z.test.", "A").rcode == "NOERROR"
            assert time.monotonic() - start < 1
        assert server.pss_kib() - before < 16 * 1024
        time.sleep(1.5)
        # What lies in the socket buffers may still be read, no more.
        connection.sock.settimeout(wire.TIMEOUT)
        total = 0
        try:
            while piece := connection.sock.recv(1 << 20):
                total += len(piece)
        except ConnectionError:
            pass
        assert total < 10000 * 60000


def test_B_TC03_slow_reader_gets_everything(serve):
    server = serve(ZONES, options={"tcp-io-timeout": "2s"})
    asked = queries(40, qname="huge.huge.test.")
    asked = [query[:-4] + b"\0\x10\0\1" for query in asked]
    with wire.Tcp(server, rcvbuf=4096) as connection:
        connection.sock.sendall(b"".join(map(wire.frame, asked)))
        for query in asked:
            time.sleep(0.02)
            reply = wire.Reply(connection.recv())
            assert len(reply.wire) > 60000 and query
    assert wire.ask(server, "www.z.test.", "A", tcp=True).rcode == "NOERROR"


def test_B_TC04_more_connections_than_the_limit(serve):
    """A newcomer with a query is served at once; the longest idle one goes."""
    server = serve(ZONES, options={"tcp-clients": 100,
                                   "tcp-idle-timeout": "60s"})
    connections = [wire.Tcp(server) for _ in range(150)]
    query = wire.make_query("www.z.test.")
    start = time.monotonic()
    with wire.Tcp(server) as newcomer:
        newcomer.send(query)
        wire.Reply(newcomer.recv(), query)
    assert time.monotonic() - start < 1
    assert wire.ask(server, "www.z.test.", "A").rcode == "NOERROR"
    open_nr = 0
    for connection in connections:
        readable = select.select([connection.sock], [], [], 0)[0]
        open_nr += not readable
    assert open_nr <= 100
    connections[-1].send(query)
    wire.Reply(connections[-1].recv(), query)
    server.wait_log("warning: TCP: tcp-clients reached, 5[0-9] idle")
    for connection in connections:
        connection.sock.close()


def test_B_TC04_file_descriptors_run_out(serve, io):
    """EMFILE in accept neither spins nor stops UDP."""
    server = serve(ZONES, options={"tcp-idle-timeout": "60s"})
    soft = 64
    resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (soft, soft))
    connections = [wire.Tcp(server) for _ in range(100)]
    time.sleep(0.3)
    before = server.cpu_seconds()
    time.sleep(1)
    assert server.cpu_seconds() - before < 0.5, "accept spins"
    assert wire.ask(server, "www.z.test.", "A").rcode == "NOERROR"
    for connection in connections:
        connection.sock.close()
    server_answers = False
    for _ in range(20):
        try:
            server_answers = wire.ask(server, "www.z.test.", "A",
                                      tcp=True).rcode == "NOERROR"
            break
        except (EOFError, OSError):
            time.sleep(0.1)
    assert server_answers, "TCP did not come back"


def test_replies_under_way_at_sigterm(serve):
    server = serve(ZONES)
    asked = queries(200)
    with wire.Tcp(server) as connection:
        connection.sock.sendall(b"".join(map(wire.frame, asked)))
        collect(connection, asked[:0])
        first = connection.recv()
        assert first
        server.stop()
        got = 1
        try:
            while connection.recv():
                got += 1
        except (EOFError, ConnectionError):
            pass
        assert got == 200


def test_replies_and_sends_are_counted(serve):
    """
    More than out of a connection holds, in one write, with a message between
    them that gets no reply: each counts once, and many share a send.
    """
    server = serve(ZONES, options={"control": '"control"'})
    asked = queries(300, qname="q{}.d.z.test.")
    large = [wire.make_query("huge.huge.test.", "TXT", ident=1000 + i)
             for i in range(10)]
    dropped = bytearray(queries(1)[0])
    dropped[2] |= 0x80  # a reply
    stream = asked[:100] + large[:5] + [bytes(dropped)] + asked[100:200] \
        + large[5:] + asked[200:]
    with wire.Tcp(server) as connection:
        connection.sock.sendall(b"".join(map(wire.frame, stream)))
        collect(connection, asked + large)
    text = wait_status(server, r"TCP: 310 replies in (\d+) ")
    assert "queries: 0 UDP, 311 TCP\n" in text
    assert "dropped: 1, malformed: 0," in text
    # 600 KB leave in pieces of at most 128 KiB; far from one for each reply
    assert int(re.search(r"310 replies in (\d+)", text)[1]) < 60


def wait_status(server, pattern):
    """The status, once it says that; counters may come behind the replies."""
    for _ in range(100):
        text = server.status()
        if re.search(pattern, text):
            return text
        time.sleep(0.02)
    raise AssertionError(text)


def test_late_event_of_a_closed_connection_hits_nobody_else(serve):
    """Over the limit the oldest goes; its place is the newcomer's at once."""
    server = serve(ZONES, options={"tcp-clients": "1"})
    query = wire.make_query("www.z.test.")
    for _ in range(5):
        first = wire.Tcp(server)
        first.send(query)
        wire.Reply(first.recv(), query)
        time.sleep(0.05)
        server.signal(signal.SIGSTOP)
        time.sleep(0.05)
        second, third = wire.Tcp(server), wire.Tcp(server)
        first.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                              struct.pack("ii", 1, 0))
        first.sock.close()
        server.signal(signal.SIGCONT)
        time.sleep(0.1)
        third.send(query)
        wire.Reply(third.recv(), query)
        second.sock.close()
        third.sock.close()
