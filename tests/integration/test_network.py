# SPDX-License-Identifier: BSD-2-Clause
"""Addresses, path MTU, socket options: what the network layer must see."""

import os
import pathlib
import re
import select
import socket
import struct

import pytest

import daemon
import wire
from tables import Z_ZONE, same

ADDRESS = ["www.z.test. 300 A 192.0.2.10"]


def has_ipv6():
    try:
        daemon.free_port("::1")
        return True
    except OSError:
        return False


def serve_wildcard(serve, **options):
    port = daemon.free_port("0.0.0.0")
    listen = [f"0.0.0.0@{port}"]
    if has_ipv6():
        listen.append(f"::@{port}")
    return serve({"z.test": Z_ZONE}, port=port, listen=listen, **options)


@pytest.mark.parametrize("tcp", [False, True], ids=["udp", "tcp"])
def test_B_NW01_reply_comes_from_the_address_asked(serve, tcp):
    """The connected socket takes no reply from another address."""
    server = serve_wildcard(serve)
    for address in ("127.0.0.2", "127.0.0.3", "127.0.0.1", "127.1.2.3"):
        server.address = address
        same(wire.ask(server, "www.z.test.", "A", tcp=tcp).answer, ADDRESS,
             address)
    if has_ipv6():
        server.address = "::1"
        same(wire.ask(server, "www.z.test.", "A", tcp=tcp).answer, ADDRESS,
             "::1")


def test_B_NW01_many_addresses_at_once(serve):
    """Replies of one wake-up to different addresses are not mixed up."""
    server = serve_wildcard(serve)
    socks = []
    for i in range(40):
        server.address = f"127.0.0.{2 + i % 20}"
        sock = wire.udp_socket(server)
        socks.append(sock)
    for round_nr in range(5):
        for i, sock in enumerate(socks):
            for k in range(4):
                sock.send(wire.make_query(
                    f"q{i}.d.z.test.", ident=1 + k + 8 * round_nr))
        for i, sock in enumerate(socks):
            for _ in range(4):
                reply = wire.Reply(sock.recv(65535))
                same(reply.answer, [f"q{i}.d.z.test. 60 A 192.0.2.3"], "answer")
    for sock in socks:
        sock.close()


def link_local():
    """(address, interface) of a link-local address of this machine."""
    try:
        text = pathlib.Path("/proc/net/if_inet6").read_text()
    except OSError:
        return None
    for line in text.splitlines():
        digits, _, _, scope, _, name = line.split()
        if scope == "20":
            groups = [digits[i:i + 4] for i in range(0, 32, 4)]
            return ":".join(groups), name
    return None


def test_B_NW01_link_local(serve):
    if not link_local():
        pytest.skip("no interface has a link-local IPv6 address")
    server = serve_wildcard(serve)
    address, name = link_local()
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as sock:
        sock.settimeout(wire.TIMEOUT)
        sock.connect((address, server.port, 0, socket.if_nametoindex(name)))
        query = wire.make_query("www.z.test.")
        sock.send(query)
        same(wire.Reply(sock.recv(65535), query).answer, ADDRESS, "answer")


def udp_sockets(server):
    """The server's UDP descriptors, opened here (pidfd_getfd(2))."""
    port = f":{server.port:04X}"
    inodes = set()
    for table in ("udp", "udp6"):
        path = pathlib.Path(f"/proc/net/{table}")
        if not path.exists():
            continue
        for line in path.read_text().splitlines()[1:]:
            fields = line.split()
            if fields[1].endswith(port):
                inodes.add(fields[9])
    pid = server.process.pid
    pidfd = os.pidfd_open(pid)
    found = []
    for entry in os.listdir(f"/proc/{pid}/fd"):
        target = os.readlink(f"/proc/{pid}/fd/{entry}")
        match = re.match(r"socket:\[(\d+)\]", target)
        if match and match[1] in inodes:
            fd = daemon.pidfd_getfd(pidfd, int(entry))
            found.append(socket.socket(fileno=fd))
    os.close(pidfd)
    return found


IP_MTU_DISCOVER, IPV6_MTU_DISCOVER, PMTUDISC_PROBE = 10, 23, 3


def test_B_NW02_no_learned_path_mtu_counts(serve):
    """IP_PMTUDISC_PROBE: DF is set, forged "fragmentation needed" is not
    believed (RFC 9715)."""
    server = serve_wildcard(serve)
    socks = udp_sockets(server)
    assert socks
    for sock in socks:
        if sock.family == socket.AF_INET:
            level, name = socket.IPPROTO_IP, IP_MTU_DISCOVER
        else:
            level, name = socket.IPPROTO_IPV6, IPV6_MTU_DISCOVER
        assert sock.getsockopt(level, name) == PMTUDISC_PROBE
        sock.close()


def test_B_NW02_answer_above_the_usual_mtu(serve):
    """4,096 octets asked for, 1,232 given; 4,096 set up, 4,000 given."""
    big = "$TTL 60\n@ SOA ns hm 1 2 3 4 5\n@ NS ns\nns A 192.0.2.1\n" + "".join(
        f"a A 192.0.{i // 250}.{i % 250}\n" for i in range(240))
    server = serve({"b.test": big})
    assert wire.ask(server, "a.b.test.", "A", payload=4096).tc
    large = serve({"b.test": big}, options={"max-udp-payload": 4096})
    reply = wire.ask(large, "a.b.test.", "A", payload=4096)
    assert not reply.tc and len(reply.answer) == 240


def test_B_NW03_reuseport_group_of_four_workers(serve):
    """Every socket of the group is read; options are on all of them."""
    server = serve({"z.test": Z_ZONE}, options={"workers": 4})
    socks = udp_sockets(server)
    assert len(socks) == 4
    for sock in socks:
        assert sock.getsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT)
        sock.close()
    for i in range(200):
        same(wire.ask(server, f"q{i}.d.z.test.", "A").answer,
             [f"q{i}.d.z.test. 60 A 192.0.2.3"], "answer")
    for _ in range(40):
        same(wire.ask(server, "www.z.test.", "A", tcp=True).answer, ADDRESS,
             "answer")


def test_B_NW03_nobody_is_left_in_the_group_after_the_stop(serve):
    """A second server on the same port gets every query."""
    server = serve({"z.test": Z_ZONE}, options={"workers": 4})
    server.stop()
    again = serve({"z.test": Z_ZONE}, options={"workers": 2}, port=server.port)
    for i in range(100):
        assert wire.ask(again, f"q{i}.d.z.test.", "A").rcode == "NOERROR"


def test_two_addresses(serve):
    port = daemon.free_port()
    server = serve({"z.test": Z_ZONE}, port=port,
                   listen=[f"127.0.0.1@{port}", f"127.0.0.9@{port}"])
    for address in ("127.0.0.1", "127.0.0.9"):
        server.address = address
        for tcp in (False, True):
            assert wire.ask(server, "www.z.test.", "A", tcp=tcp).aa
    server.address = "127.0.0.5"
    with pytest.raises(OSError):
        wire.ask(server, "www.z.test.", "A", tcp=True)


def test_ipv6(serve):
    if not has_ipv6():
        pytest.skip("no IPv6 on loopback")
    server = serve({"z.test": Z_ZONE}, address="::1")
    for tcp in (False, True):
        same(wire.ask(server, "www.z.test.", "A", tcp=tcp).answer, ADDRESS,
             "answer")


def test_burst_that_is_longer_than_a_receive(serve, io):
    """
    Of 64 of the longest queries in one datagram some do not fit into what is
    received at once: each is answered or counted as dropped.
    """
    server = serve({"z.test": Z_ZONE}, options={"control": '"control"'})
    rest = ".".join(["x" * 63, "y" * 63, "z" * 63, "v" * 50, "z.test."])
    queries = [wire.make_query(f"q{i:02}.{rest}", ident=i + 1)
               for i in range(64)]
    replies = set()
    with wire.udp_socket(server) as sock:
        for _ in range(2):
            sock.sendmsg(queries, [(socket.IPPROTO_UDP, 103,
                                    struct.pack("H", len(queries[0])))])
        while select.select([sock], [], [], 0.5)[0]:
            reply = sock.recv(65535)
            replies.add((len(replies), reply[:2]))
    dropped = int(re.search(r"dropped: (\d+)", server.status())[1])
    assert len(replies) + dropped == 128
    assert {ident for _, ident in replies} <= {q[:2] for q in queries}
    assert io != "mmsg" or dropped > 0


def test_burst_of_one_client_with_gso(serve):
    """64 queries as one send: each gets its own reply (UDP_GRO, UDP_SEGMENT)."""
    server = serve({"z.test": Z_ZONE})
    with wire.udp_socket(server) as sock:
        asked = {}
        for i in range(64):
            query = wire.make_query(f"q{i:02}.d.z.test.", ident=i + 1)
            asked[query[:2]] = (i, query)
        size = len(query)
        control = [(socket.IPPROTO_UDP, 103, struct.pack("H", size))]
        sock.sendmsg([query for _, query in asked.values()], control)
        while asked:
            wire_reply = sock.recv(65535)
            i, query = asked.pop(wire_reply[:2])
            same(wire.Reply(wire_reply, query).answer,
                 [f"q{i:02}.d.z.test. 60 A 192.0.2.3"], "answer")
