# SPDX-License-Identifier: BSD-2-Clause
"""
Messages to octets and back, over UDP and TCP.

Everything that comes back goes through Reply, which checks what must hold for
every reply of an authoritative server: id, opcode, RD and CD as asked, RA, AD
and Z clear, the question bit for bit, no record twice in a section, nothing
behind the last record.
"""

import random
import socket
import struct
import time

import dns.edns
import dns.flags
import dns.message
import dns.name
import dns.opcode
import dns.rcode
import dns.rdataclass
import dns.rdatatype

TIMEOUT = 5.0


def make_query(qname, rdtype="A", *, rdclass="IN", flags=0, edns=None,
               do=False, payload=1232, options=(), ident=None):
    """Octets of a query. edns: None (as do and options need it), or a version."""
    if isinstance(qname, str):
        qname = dns.name.from_text(qname)
    if ident is None:
        ident = random.randrange(1, 65536)
    kind = dns.rdatatype.from_text(rdtype) if isinstance(rdtype, str) else rdtype
    klass = (dns.rdataclass.from_text(rdclass) if isinstance(rdclass, str)
             else rdclass)
    wire = struct.pack("!HHHHHH", ident, flags, 1, 0, 0, 0)
    wire += qname.to_wire() + struct.pack("!HH", kind, klass)
    if edns is None and (do or options or payload != 1232):
        edns = 0
    if edns is not None:
        wire = add_opt(wire, version=edns, do=do, payload=payload,
                       options=options)
    return wire


def opt_record(*, version=0, do=False, payload=1232, options=(), z=0,
               ext_rcode=0, owner=b"\0", rdlength=None):
    """One OPT record; options are pairs (code, octets)."""
    body = b"".join(struct.pack("!HH", code, len(data)) + data
                    for code, data in options)
    z |= 0x8000 if do else 0
    if rdlength is None:
        rdlength = len(body)
    return owner + struct.pack("!HHBBHH", 41, payload, ext_rcode, version, z,
                               rdlength) + body


def add_opt(wire, **fields):
    arcount = struct.unpack("!H", wire[10:12])[0]
    return (wire[:10] + struct.pack("!H", arcount + 1) + wire[12:]
            + opt_record(**fields))


class Reply:
    """A reply, parsed, with what every reply must fulfil already checked."""

    def __init__(self, wire, query=None):
        self.wire = wire
        self.message = dns.message.from_wire(wire, one_rr_per_rrset=True)
        if query is not None:
            self.check(query)

    def check(self, query):
        flags = struct.unpack("!H", query[2:4])[0]
        mine = struct.unpack("!H", self.wire[2:4])[0]
        assert self.wire[:2] == query[:2], "id differs"
        assert mine & 0x8000, "QR is clear"
        assert mine & 0x7910 == flags & 0x7910, "opcode, RD or CD not copied"
        assert not mine & 0x00E0, "RA, AD or Z is set"
        if struct.unpack("!H", self.wire[4:6])[0]:
            end = 12
            while query[end]:
                end += 1 + query[end]
            end += 5
            assert self.wire[12:end] == query[12:end], "question was altered"
        for section in (self.answer, self.authority, self.additional):
            assert len(section) == len(set(section)), f"twice in {section}"

    @staticmethod
    def _lines(section):
        lines = []
        for rrset in section:
            for rdata in rrset:
                lines.append(f"{rrset.name} {rrset.ttl} "
                             f"{dns.rdatatype.to_text(rrset.rdtype)} {rdata}")
        return lines

    @property
    def answer(self):
        return self._lines(self.message.answer)

    @property
    def authority(self):
        return self._lines(self.message.authority)

    @property
    def additional(self):
        """Without OPT, which dnspython takes out."""
        return self._lines(self.message.additional)

    @property
    def rcode(self):
        return dns.rcode.to_text(self.message.rcode())

    @property
    def aa(self):
        return bool(self.message.flags & dns.flags.AA)

    @property
    def tc(self):
        return bool(self.message.flags & dns.flags.TC)

    @property
    def counts(self):
        return struct.unpack("!HHHH", self.wire[4:12])

    @property
    def header_rcode(self):
        return self.wire[3] & 15

    @property
    def has_opt(self):
        return self.message.edns >= 0

    def option(self, code):
        """Octets of an EDNS option, None when it is not there."""
        for option in self.message.options:
            if int(option.otype) == code:
                return option.to_wire()
        return None

    @property
    def ede(self):
        """INFO-CODEs of the Extended DNS Errors (RFC 8914)."""
        return [struct.unpack("!H", option.to_wire()[:2])[0]
                for option in self.message.options if int(option.otype) == 15]

    def types(self, section):
        return [line.split()[2] for line in getattr(self, section)]


def udp_socket(server, address=None):
    address = address or server.address
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_DGRAM)
    sock.settimeout(TIMEOUT)
    sock.connect((address, server.port))
    return sock


def udp_raw(server, wire, timeout=TIMEOUT, address=None):
    """Sends octets, returns the octets that come back, None when none do."""
    with udp_socket(server, address) as sock:
        sock.settimeout(timeout)
        sock.send(wire)
        try:
            return sock.recv(65535)
        except (TimeoutError, socket.timeout):
            return None


def udp_silent(server, wire):
    """True when the octets get no reply while a good query gets one."""
    with udp_socket(server) as sock:
        probe = make_query("id.server.", "TXT", rdclass="CH", ident=0xFFFE)
        sock.send(wire)
        sock.send(probe)
        first = sock.recv(65535)
        if first[:2] != probe[:2]:
            return False
        sock.settimeout(0.1)
        try:
            sock.recv(65535)
        except (TimeoutError, socket.timeout):
            return True
        return False


class Tcp:
    """A connection with DNS framing (RFC 1035 section 4.2.2)."""

    def __init__(self, server, address=None, rcvbuf=None):
        address = address or server.address
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self.sock = socket.socket(family, socket.SOCK_STREAM)
        if rcvbuf:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, rcvbuf)
        self.sock.settimeout(TIMEOUT)
        self.sock.connect((address, server.port))
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.sock.close()

    def send(self, wire):
        self.sock.sendall(frame(wire))

    def read(self, count):
        data = b""
        while len(data) < count:
            piece = self.sock.recv(count - len(data))
            if not piece:
                raise EOFError(f"closed after {len(data)} of {count} octets")
            data += piece
        return data

    def recv(self):
        return self.read(struct.unpack("!H", self.read(2))[0])

    def closed_within(self, seconds):
        """True when the server ends the connection in that time."""
        end = time.monotonic() + seconds
        while True:
            left = end - time.monotonic()
            if left <= 0:
                return False
            self.sock.settimeout(left)
            try:
                if not self.sock.recv(65536):
                    return True
            except (TimeoutError, socket.timeout):
                return False
            except ConnectionError:
                return True


def frame(wire):
    return struct.pack("!H", len(wire)) + wire


def exchange(server, wire, tcp=False):
    if not tcp:
        reply = udp_raw(server, wire)
        assert reply is not None, "no reply over UDP"
        return reply
    with Tcp(server) as connection:
        connection.send(wire)
        return connection.recv()


def ask(server, qname, rdtype="A", *, tcp=False, **fields):
    """One query over UDP or TCP; the checked reply."""
    query = make_query(qname, rdtype, **fields)
    wire = exchange(server, query, tcp)
    if not tcp:
        limit = 512
        if len(query) > len(query_question(query)) + 12:
            limit = max(512, min(fields.get("payload", 1232),
                                 server.max_udp_payload))
        assert len(wire) <= limit, f"{len(wire)} octets, limit {limit}"
    return Reply(wire, query)


def query_question(query):
    """The octets of a query's only question."""
    end = 12
    while query[end]:
        end += 1 + query[end]
    return query[12:end + 5]
