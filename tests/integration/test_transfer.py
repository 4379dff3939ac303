# SPDX-License-Identifier: BSD-2-Clause
"""Zone transfers out: AXFR and IXFR over TCP, access, limits, reload."""

import socket
import struct
import subprocess
import time

import dns.message
import dns.name
import dns.query
import dns.rcode
import dns.rdatatype
import dns.rrset
import dns.zone
import pytest

import daemon
import wire

ZONE = """$TTL 300
@ SOA ns hm {serial} 3600 600 86400 60
@ NS ns
@ MX 10 mail
ns A 192.0.2.1
mail A 192.0.2.25
www A 192.0.2.80
*.wild TXT "star"
a.b.c AAAA 2001:db8::1
sub NS ns.sub
ns.sub A 192.0.2.9
hidden.sub TXT "below the cut"
"""
ALLOW = "allow-transfer = any"


@pytest.fixture
def start(tmp_path, io):
    running = []

    def start_one(zones, allow=ALLOW, options=None, **rest):
        options = {"tcp-io-timeout": "30s", **(options or {})}
        server = daemon.Server(tmp_path / str(len(running)), zones, io=io,
                               options=options, **rest)
        server.zone_options = allow
        server.write_config()
        server.start()
        running.append(server)
        return server

    yield start_one
    for server in running:
        if server.process.poll() is None:
            server.stop()


def records(rrsets):
    """Every record as (owner, TTL, type, RDATA), names in lower case."""
    return sorted((rrset.name.canonicalize().to_text(), rrset.ttl,
                   dns.rdatatype.to_text(rrset.rdtype), rdata.to_wire())
                  for rrset in rrsets for rdata in rrset)


def records_of_text(name, text):
    """As dnspython reads the zone file; record by record, since a zone of
    dnspython has one TTL for a whole name."""
    zone = dns.zone.from_text(text, name, relativize=False, check_origin=False)
    return records(dns.rrset.from_rdata_list(owner, rdataset.ttl, rdataset)
                   for owner, rdataset in zone.iterate_rdatasets())


def parse(octets):
    return dns.message.from_wire(octets, one_rr_per_rrset=True)


def messages(connection, query, first=None):
    """All messages of one transfer. They are read as fast as they come and
    only then parsed, which takes longer than some servers wait."""
    octets = [first or connection.recv()]
    message = parse(octets[0])
    assert message.rcode() == dns.rcode.NOERROR, message
    numbers = message.answer[0][0].to_wire()[-20:]  # of the SOA
    while not octets[-1].endswith(numbers):
        octets.append(connection.recv())
    found = [parse(one) for one in octets]
    for message in found:
        assert message.id == struct.unpack("!H", query[:2])[0]
        assert message.rcode() == dns.rcode.NOERROR and message.answer
    return found


def transfer(server, name, **fields):
    """The records between both SOAs, the first of them included."""
    query = wire.make_query(name, "AXFR", **fields)
    with wire.Tcp(server) as connection:
        connection.send(query)
        found = [rrset for message in messages(connection, query)
                 for rrset in message.answer]
    assert found[0].rdtype == found[-1].rdtype == dns.rdatatype.SOA
    assert records(found[:1]) == records(found[-1:])
    return records(found[:-1])


def axfr_rcode(server, name):
    """RCODE of the first message."""
    query = wire.make_query(name, "AXFR")
    message = dns.message.from_wire(wire.exchange(server, query, tcp=True))
    return dns.rcode.to_text(message.rcode())


def ixfr_query(name, serial, rdata=None, count=1):
    query = wire.make_query(name, "IXFR")
    if rdata is None:
        rdata = b"\0\0" + struct.pack("!5I", serial, 1, 1, 1, 1)
    record = b"\xc0\x0c" + struct.pack("!HHIH", 6, 1, 0, len(rdata)) + rdata
    return query[:8] + struct.pack("!H", count) + query[10:] + record * count


def many(count, serial=1):
    return ZONE.format(serial=serial) + "".join(
        f"host{i} A 10.{i >> 16 & 255}.{i >> 8 & 255}.{i & 255}\n"
        for i in range(count))


def test_axfr_is_the_zone(start):
    server = start({"z.test": ZONE.format(serial=7)})
    expected = records_of_text("z.test", ZONE.format(serial=7))
    assert transfer(server, "z.test") == expected
    assert transfer(server, "Z.TEST") == expected


@pytest.mark.parametrize("tool", ["kdig", "dig"])
def test_axfr_by_tool(start, tool):
    program = daemon.find_tool(tool)
    if not program:
        pytest.skip(f"{tool} is not installed")
    server = start({"z.test": ZONE.format(serial=7)})
    out = subprocess.run(
        [program, f"@{server.address}", "-p", str(server.port), "+tcp",
         "+noall", "+answer", "AXFR", "z.test"], text=True,
        capture_output=True, check=True, timeout=20).stdout
    lines = [line for line in out.splitlines()
             if line and not line.startswith(";")]
    got = records(dns.rrset.from_text(owner, int(ttl), klass, kind, rdata)
                  for owner, ttl, klass, kind, rdata in
                  (line.split(maxsplit=4) for line in lines))
    assert sorted(set(got)) == records_of_text("z.test",
                                               ZONE.format(serial=7))


@pytest.mark.parametrize("name", ["nsec.example", "nsec3.example",
                                  "example.com", "."])
def test_axfr_of_the_sample_zones_equals_knotd(start, tmp_path, name):
    """Signed zones with NSEC3 owners, glue, names below cuts."""
    if not daemon.find_tool("knotd"):
        pytest.skip("knotd is not installed")
    path = daemon.TOP / "zones" / f"{name.rstrip('.') or 'root'}.zone"
    ours = transfer(start({name: path}), name)
    knot = daemon.Knot(tmp_path / "knot", {name: path})
    knot.allow_transfer = True
    with knot:
        assert transfer(knot, name) == ours


def test_dnspython_takes_it(start):
    text = many(3000)
    server = start({"z.test": text})
    zone = dns.zone.Zone("z.test", relativize=False)
    dns.query.inbound_xfr(server.address, zone, port=server.port, timeout=60,
                          lifetime=60)
    got = records(dns.rrset.from_rdata_list(owner, rdataset.ttl, rdataset)
                  for owner, rdataset in zone.iterate_rdatasets())
    assert got == records_of_text("z.test", text)


def test_100k_records(start):
    """Each of them once; written down here, since dnspython would take
    minutes to read so large a file."""
    server = start({"z.test": many(100000)})
    expected = records_of_text("z.test", many(0)) + [
        (f"host{i}.z.test.", 300, "A", struct.pack("!I", 10 << 24 | i))
        for i in range(100000)]
    assert transfer(server, "z.test") == sorted(expected)


def test_zerocopy_always(start):
    """The kernel has the octets of a piece until the client has them."""
    server = start({"z.test": many(20000)}, options={"zerocopy": "always"})
    first = transfer(server, "z.test")
    assert len(first) == 20011
    for _ in range(5):
        assert transfer(server, "z.test") == first


def test_refused_without_allow_transfer(start):
    server = start({"z.test": ZONE.format(serial=7)}, allow="")
    for query in (wire.make_query("z.test", "AXFR", edns=0),
                  wire.add_opt(ixfr_query("z.test", 1))):
        reply = wire.Reply(wire.exchange(server, query, tcp=True), query)
        assert (reply.rcode, reply.ede, reply.answer) == ("REFUSED", [18], [])


@pytest.mark.parametrize("allow, rcode", [
    ("{ 127.0.0.0/8 }", "NOERROR"), ("127.0.0.1", "NOERROR"),
    ("{ 192.0.2.1, 127.0.0.1/32 }", "NOERROR"), ("0.0.0.0/0", "NOERROR"),
    ("any", "NOERROR"), ("none", "REFUSED"), ("127.0.0.2", "REFUSED"),
    ("{ 128.0.0.0/1, 64.0.0.0/3, ::/0 }", "REFUSED")])
def test_addresses(start, allow, rcode):
    server = start({"z.test": ZONE.format(serial=7)},
                   allow=f"allow-transfer = {allow}")
    assert axfr_rcode(server, "z.test") == rcode


def test_template_and_its_exceptions(start, tmp_path):
    """Zones take the access of their template unless they say their own."""
    path = daemon.zone_file(tmp_path, "one", ZONE.format(serial=7))
    folder = tmp_path / "dir"
    folder.mkdir()
    daemon.zone_file(folder, "dir.test", ZONE.format(serial=7))
    server = start({}, allow="", extra=f"""
        zone default.test {{ file = "{path}" }}
        zone other.test {{ file = "{path}" template = other }}
        zone none.test {{
            file = "{path}" template = other allow-transfer = none }}
        zone own.test {{ file = "{path}" allow-transfer = 127.0.0.1 }}
        template default {{ allow-transfer = 192.0.2.1 }}
        template other {{ allow-transfer = 127.0.0.1 }}
        zone-dir = "{folder}"
        """)
    got = {name: axfr_rcode(server, f"{name}.test")
           for name in ("default", "other", "none", "own", "dir")}
    assert got == {"default": "REFUSED", "other": "NOERROR",
                   "none": "REFUSED", "own": "NOERROR", "dir": "REFUSED"}
    server.config.write_text(server.config.read_text().replace(
        "192.0.2.1", "127.0.0.1"))
    after = len(server.log())
    server.signal(1)
    server.wait_log("zones: 0 loaded", after=after)
    for name in ("default", "dir"):
        assert axfr_rcode(server, f"{name}.test") == "NOERROR", name


def test_not_the_apex_is_notauth(start):
    server = start({"z.test": ZONE.format(serial=7)})
    for name in ("www.z.test", "nope.z.test", "test", "other.example", "."):
        reply = wire.ask(server, name, "AXFR", tcp=True, edns=0)
        assert (reply.rcode, reply.ede) == ("NOTAUTH", [20]), name


def test_axfr_over_udp_is_formerr(start):
    server = start({"z.test": ZONE.format(serial=7)})
    assert wire.ask(server, "z.test", "AXFR").rcode == "FORMERR"


def test_zone_without_data_is_servfail(start, tmp_path):
    server = start({"z.test": "@ NS ns\n"})
    reply = wire.ask(server, "z.test", "AXFR", tcp=True, edns=0)
    assert (reply.rcode, reply.ede) == ("SERVFAIL", [24])


def test_ixfr_is_a_whole_transfer_or_the_soa(start):
    """RFC 1995 section 4, and serial arithmetic of RFC 1982."""
    server = start({"z.test": ZONE.format(serial=7)})
    expected = records_of_text("z.test", ZONE.format(serial=7))
    for serial in (6, 0, 7 - 2**31 & 0xffffffff, 0xfffffff0):
        query = ixfr_query("z.test", serial)
        with wire.Tcp(server) as connection:
            connection.send(query)
            found = [rrset for message in messages(connection, query)
                     for rrset in message.answer]
        assert records(found[:-1]) == expected, serial
    for serial in (7, 8, 7 + 2**31 - 1):
        query = ixfr_query("z.test", serial)
        reply = wire.Reply(wire.exchange(server, query, tcp=True), query)
        assert (reply.rcode, reply.types("answer"), reply.aa) == (
            "NOERROR", ["SOA"], True)
        query = ixfr_query("z.test", 1)
        reply = wire.Reply(wire.exchange(server, query), query)
        assert (reply.rcode, reply.types("answer")) == ("NOERROR", ["SOA"])


@pytest.mark.parametrize("tcp", [False, True])
@pytest.mark.parametrize("rdata, count", [
    (None, 0), (b"\0\0\0\0", 1), (b"", 1), (b"\0\0" + bytes(19), 1),
    (b"\0\0" + bytes(21), 1), (None, 2),
    ((b"\x3f" + b"a" * 63) * 8 + b"\0\0" + bytes(20), 1)])
def test_B_XF03_ixfr_without_a_right_soa(start, rdata, count, tcp):
    server = start({"z.test": ZONE.format(serial=7)})
    query = ixfr_query("z.test", 1, rdata, count)
    reply = wire.Reply(wire.exchange(server, query, tcp), query)
    assert (reply.rcode, reply.answer) == ("FORMERR", [])


def test_B_XF03_notify_with_a_short_soa(start):
    server = start({"z.test": ZONE.format(serial=7)})
    query = wire.make_query("z.test", "SOA", flags=4 << 11)
    query = query[:6] + b"\0\1" + query[8:] + (
        b"\xc0\x0c" + struct.pack("!HHIH", 6, 1, 0, 2) + b"\0\0")
    reply = wire.Reply(wire.exchange(server, query), query)
    assert reply.rcode == "FORMERR"


def test_opt_is_in_the_first_message(start):
    server = start({"z.test": many(5000)}, options={"nsid": '"me"'})
    query = wire.make_query("z.test", "AXFR", options=[(3, b""), (9, b"")])
    with wire.Tcp(server) as connection:
        connection.send(query)
        found = messages(connection, query)
    assert [message.edns for message in found] == (
        [0] + [-1] * (len(found) - 1))
    options = {int(option.otype): option.to_wire()
               for option in found[0].options}
    assert options == {3: b"me", 9: struct.pack("!I", 86400)}


def test_queries_behind_a_transfer_are_answered_after_it(start):
    server = start({"z.test": many(20000)})
    axfr = wire.make_query("z.test", "AXFR")
    behind = [wire.make_query(f"host{i}.z.test") for i in range(100)]
    with wire.Tcp(server) as connection:
        connection.sock.sendall(b"".join(
            wire.frame(one) for one in [behind[0], axfr, *behind[1:], axfr,
                                        behind[1]]))
        assert wire.Reply(connection.recv(), behind[0]).rcode == "NOERROR"
        first = messages(connection, axfr)
        for query in behind[1:]:
            assert len(wire.Reply(connection.recv(), query).answer) == 1
        assert len(messages(connection, axfr)) == len(first) > 10
        assert wire.Reply(connection.recv(), behind[1]).rcode == "NOERROR"


def test_half_closed_client_gets_it_all(start):
    server = start({"z.test": many(50000)})
    axfr = wire.make_query("z.test", "AXFR")
    with wire.Tcp(server) as connection:
        connection.send(axfr)
        connection.sock.shutdown(socket.SHUT_WR)
        count = sum(len(one.answer) for one in messages(connection, axfr))
        assert count > 50000
        assert connection.closed_within(5)


def test_B_XF02_reload_in_the_middle(start):
    """The transfer ends with the version it began with; queries see the new
    one at once; the old one is given back when the transfer is over."""
    server = start({"z.test": many(100000, serial=1)},
                   options={"control": '"control"'})
    axfr = wire.make_query("z.test", "AXFR")
    connections = [wire.Tcp(server, rcvbuf=65536) for _ in range(3)]
    first = []
    for connection in connections:
        connection.send(axfr)
        first.append(connection.recv())
    for serial in (2, 3):
        server.zones["z.test"].write_text(
            many(100, serial) + "new TXT only-in-the-new\n")
        after = len(server.log())
        server.signal(1)
        server.wait_log("zones: 1 loaded", after=after)
        reply = wire.ask(server, "z.test", "SOA")
        assert f" {serial} 3600" in reply.answer[0]
        assert server.status().count("kept for transfers: 1") == 1
    connections.pop().sock.close()
    for connection, octets in zip(connections, first):
        found = [rrset for message in messages(connection, axfr, octets)
                 for rrset in message.answer]
        assert found[0][0].serial == found[-1][0].serial == 1
        assert len(found) == 100012
        assert "new.z.test." not in {rrset.name.to_text() for rrset in found}
        connection.sock.close()
    server.wait_until(lambda: "kept for transfers: 0" in server.status(),
                      what="the old version is still there")


def test_B_TC03_client_that_stops_reading(start):
    server = start({"z.test": many(300000)},
                   options={"tcp-io-timeout": "500ms",
                            "control": '"control"'})
    before = server.pss_kib()
    with wire.Tcp(server, rcvbuf=65536) as connection:
        connection.send(wire.make_query("z.test", "AXFR"))
        server.wait_until(
            lambda: "1 open" in server.status().split("transfers: ")[1],
            what="not begun")
        server.wait_until(lambda: "0 open, 1 granted, 0 complete, 1 broken"
                          in server.status(), what="not broken off")
        if not daemon.is_sanitized():  # a sanitizer keeps freed memory
            assert server.pss_kib() - before < 2048
    assert wire.ask(server, "www.z.test").rcode == "NOERROR"


def test_client_that_closes_in_the_middle(start):
    server = start({"z.test": many(200000)},
                   options={"control": '"control"', "transfer-clients": 2})
    for _ in range(10):
        with wire.Tcp(server) as connection:
            connection.send(wire.make_query("z.test", "AXFR"))
            connection.recv()
    server.wait_until(
        lambda: "transfers: 0 open, 10 granted" in server.status())
    assert wire.ask(server, "z.test", "SOA").rcode == "NOERROR"


def test_transfer_clients_and_timeout(start):
    server = start({"z.test": many(200000)},
                   options={"transfer-clients": 3, "transfer-timeout": "1s",
                            "control": '"control"'})
    axfr = wire.make_query("z.test", "AXFR")
    open_ones = [wire.Tcp(server, rcvbuf=65536) for _ in range(3)]
    for connection in open_ones:
        connection.send(axfr)
        connection.recv()
    reply = wire.ask(server, "z.test", "AXFR", tcp=True)
    assert (reply.rcode, reply.answer) == ("SERVFAIL", [])
    # each goes on reading, yet none lives beyond its time
    end = time.monotonic() + 10
    while open_ones and time.monotonic() < end:
        time.sleep(0.2)
        for connection in list(open_ones):
            try:
                connection.read(20000)
            except (EOFError, ConnectionError):
                open_ones.remove(connection)
    assert not open_ones
    assert "3 broken off, 1 over the limit" in server.status()
    assert axfr_rcode(server, "z.test") == "NOERROR"


def test_many_at_once(start):
    """All get the same octets, and queries are answered meanwhile."""
    server = start({"z.test": many(20000)})
    axfr = wire.make_query("z.test", "AXFR", ident=77)
    connections = [wire.Tcp(server) for _ in range(40)]
    got = [b""] * len(connections)
    for connection in connections:
        connection.send(axfr)
        connection.sock.settimeout(0.05)
    size = None
    for turn in range(2000):
        for i, connection in enumerate(connections):
            if len(got[i]) != size:
                try:
                    got[i] += connection.sock.recv(65536)
                except (TimeoutError, socket.timeout):
                    size = size or len(got[i])
        if turn % 50 == 0:
            assert wire.ask(server, "www.z.test").rcode == "NOERROR"
        if size and all(len(one) == size for one in got):
            break
    assert len(set(got)) == 1 and size > 400000
    for connection in connections:
        connection.sock.close()


def test_access_changes_with_a_reload(start):
    server = start({"z.test": ZONE.format(serial=7)}, allow="")
    assert axfr_rcode(server, "z.test") == "REFUSED"
    server.zone_options = ALLOW
    server.write_config()
    after = len(server.log())
    server.signal(1)
    server.wait_log("zones: 0 loaded, 1 unchanged", after=after)
    assert axfr_rcode(server, "z.test") == "NOERROR"


def test_knot_as_secondary(start, tmp_path):
    """knotd transfers the zone, follows a new serial, and answers."""
    if not daemon.find_tool("knotd"):
        pytest.skip("knotd is not installed")
    text = many(20000, serial=1)
    server = start({"z.test": text})
    knot = daemon.Knot(tmp_path / "knot", {})
    knot.secondary = {"z.test": server}
    with knot:
        knot.wait_until(lambda: wire.ask(knot, "z.test", "SOA").rcode
                        == "NOERROR", 20, "nothing transferred")
        assert transfer(knot, "z.test") == records_of_text("z.test", text)
        server.zones["z.test"].write_text(many(5, serial=2))
        server.signal(1)
        knot.wait_until(lambda: " 2 3600" in wire.ask(
            knot, "z.test", "SOA").answer[0], 20, "the serial is not followed")
        assert transfer(knot, "z.test") == records_of_text(
            "z.test", many(5, serial=2))
