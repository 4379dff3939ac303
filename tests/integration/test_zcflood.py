# SPDX-License-Identifier: BSD-2-Clause
"""
zcflood, the load generator: every way a reply can be wrong is seen and counted
in its own counter, what is right is not; the sources, sizes and times of the
queries are those that were asked for; nothing is wrong with zcdns.
"""

import collections
import ctypes
import json
import os
import pathlib
import resource
import socket
import struct
import subprocess
import sys
import threading
import time

import dns.flags
import dns.message
import pytest

import daemon

ZCFLOOD = (pathlib.Path(daemon.program()).parents[1]
           / "tests/bench/zcflood/zcflood")
WRONG = ("wrong_question", "wrong_code", "wrong_octets", "malformed",
         "unsolicited", "duplicates")
OTHER = ("late", "lost", "send_errors")
NAMES = 40


def right(query):
    """A reply: the query, QR and AA set, and one A record behind it."""
    return (query[:2] + b"\x84\x00" + query[4:6] + b"\0\1\0\0\0\0"
            + query[12:] + b"\xc0\x0c\0\1\0\1\0\0\1\x2c\0\4\xc0\0\2\1")


class Liar:
    """
    Answers each query; calls lie(self, query, peer, nth time of that question)
    first, which returns the replies to send, or None for the right one.
    """

    def __init__(self, lie=None):
        self.lie = lie
        self.asked = collections.Counter()
        self.log = []  # (time, query, peer)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        self.socket.bind(("127.0.0.1", 0))
        self.address, self.port = self.socket.getsockname()
        self.thread = threading.Thread(target=self.serve)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stop:
            stop.sendto(b"stop", (self.address, self.port))
        self.thread.join()
        self.socket.close()

    def serve(self):
        while True:
            query, peer = self.socket.recvfrom(4096)
            if query == b"stop":
                return
            self.log.append((time.monotonic(), query, peer))
            self.asked[query[12:]] += 1
            replies = None
            if self.lie:
                replies = self.lie(self, query, peer, self.asked[query[12:]])
            if replies is None:
                replies = [right(query)]
            for reply in replies:
                self.socket.sendto(reply, peer)


def flood(server, queries, *options, status=0, **popen):
    """Runs zcflood over queries (lines), returns its JSON."""
    done = subprocess.run(
        [ZCFLOOD, "-s", server.address, "-p", str(server.port), "-d", "-",
         "-j", "-", *map(str, options)],
        input="\n".join(queries), capture_output=True, text=True, timeout=60,
        check=False, **popen)
    assert not daemon.SANITIZER.search(done.stderr.encode()), done.stderr
    assert done.returncode == status, (done.returncode, done.stdout,
                                       done.stderr)
    return json.loads(done.stdout) if status < 2 else done.stderr


def names(number=NAMES):
    return [f"n{i:05}.test. A" for i in range(number)]


def once(*options):
    """Every name once, all at once, an answer within 300 ms."""
    return ("-n", NAMES, "-q", NAMES, "-t", 300, *options)


def assert_counters(result, **expected):
    """Those that are not named are 0."""
    for key in WRONG + OTHER:
        assert result[key] == expected.get(key, 0), (key, result)


def on_odd(lie):
    """Lies about every second name, that is about NAMES / 2 of them."""
    def choose(liar, query, peer, nth):
        return lie(query) if query[17] % 2 else None
    return choose


HALF = NAMES // 2


def test_nobody_listens():
    """One message, however often ICMP tells so."""
    done = subprocess.run(
        [ZCFLOOD, "-p", str(daemon.free_port()), "-d", "-", "-j", "-", "-n",
         "20", "-q", "2", "-t", "20"], input="a.test. A", capture_output=True,
        text=True, timeout=60, check=False)
    result = json.loads(done.stdout)
    assert done.returncode == 1 and result["answered"] == 0, done
    assert done.stderr.count("nobody listens on that address and port") == 1


def test_all_right():
    with Liar() as liar:
        result = flood(liar, names(), "-n", 4 * NAMES, "-q", 8)
    assert_counters(result)
    assert result["sent"] == result["answered"] == 4 * NAMES
    assert result["rcodes"] == {"NOERROR": 4 * NAMES}
    assert result["octets_received"] == sum(
        len(right(query)) for _, query, _ in liar.log)
    latency = result["latency_us"]
    order = [latency[key] for key in ("min", "p50", "p90", "p99", "p99_9",
                                      "max")]
    assert order == sorted(order) and order[0] > 0
    assert order[0] <= latency["mean"] <= order[-1]
    assert result["seconds"] * 1e6 >= order[-1]
    assert result["rate"] == pytest.approx(
        result["answered"] / result["seconds"], rel=1e-3)


@pytest.mark.parametrize("lie, counter", [
    (lambda query: [query[:1] + bytes([query[1] ^ 0x55]) + right(query)[2:]],
     "unsolicited"),
    (lambda query: [query[:2] + right(query)[2:13] + b"X"
                    + right(query)[14:]], "wrong_question"),
    (lambda query: [right(query)[:-20] and query[:2] + right(query)[2:24]
                    + b"\x1c" + right(query)[25:]], "wrong_question"),
    (lambda query: [], None),
    (lambda query: [b""], "malformed"),
    (lambda query: [query[:1]], "malformed"),
    (lambda query: [right(query)[:11]], "malformed"),
    (lambda query: [right(query)[:20]], "malformed"),
    (lambda query: [query], "malformed"),
    (lambda query: [right(query)[:4] + b"\0\0" + right(query)[6:]],
     "malformed"),
], ids=["id", "name", "type", "nothing", "empty", "one-octet", "11-octets",
        "cut-question", "query", "no-question"])
def test_no_reply_to_it(lie, counter):
    """Not a reply to the query: that one is lost as well."""
    with Liar(on_odd(lie)) as liar:
        result = flood(liar, names(), *once(), status=1 if counter else 0)
    expected = {counter: HALF} if counter else {}
    assert_counters(result, lost=HALF, **expected)
    assert result["answered"] == HALF


@pytest.mark.parametrize("lie, counter", [
    (lambda query: [right(query)[:3] + b"\2" + right(query)[4:]],
     "wrong_code"),
    (lambda query: [right(query)[:3] + b"\3" + right(query)[4:]],
     "wrong_code"),
    (lambda query: [right(query)[:-1] + b"\7"], "wrong_octets"),
    (lambda query: [right(query)[:-1]], "wrong_octets"),
    (lambda query: [right(query) + b"\0"], "wrong_octets"),
    (lambda query: [right(query)[:2] + b"\x80\0" + right(query)[4:]],
     "wrong_octets"),
], ids=["SERVFAIL", "NXDOMAIN", "octet", "short", "long", "no-AA"])
def test_wrong_reply(lie, counter):
    """The first reply to each question is the right one."""
    def choose(_liar, query, _peer, nth):
        return lie(query) if nth > 1 else None

    with Liar(choose) as liar:
        result = flood(liar, names(), "-n", 3 * NAMES, "-q", NAMES, status=1)
    assert_counters(result, **{counter: 2 * NAMES})
    assert result["answered"] == 3 * NAMES


@pytest.mark.parametrize("level, status, found", [
    ("full", 1, 2 * HALF), ("code", 0, 0), ("none", 0, 0)])
def test_level(level, status, found):
    """Octets are looked at by "full" alone."""
    def choose(_liar, query, _peer, nth):
        return [right(query)[:-1] + bytes([nth // 2])]

    with Liar(choose) as liar:
        result = flood(liar, names(HALF), "-n", 4 * HALF, "-q", HALF, "-v",
                       level, status=status)
    # seen as 0, 1, 1, 2
    assert_counters(result, wrong_octets=3 * HALF if found else 0)


def test_level_none_takes_any_code():
    with Liar(lambda _, query, *rest: [query[:2] + b"\x80\5"
                                       + query[4:]]) as liar:
        result = flood(liar, names(), *once("-v", "none"))
        assert result["rcodes"] == {"REFUSED": NAMES}
        result = flood(liar, names(), *once("-v", "code"), status=1)
        assert_counters(result, wrong_code=NAMES)


def test_error_without_question():
    """FORMERR may come without its question; it is a code like others."""
    with Liar(lambda _, query, *rest: [query[:2] + b"\x80\1"
                                       + 8 * b"\0"]) as liar:
        result = flood(liar, names(), *once(), status=1)
    assert_counters(result, wrong_code=NAMES)


def test_duplicate():
    with Liar(on_odd(lambda query: 2 * [right(query)])) as liar:
        result = flood(liar, names(), *once(), "-l", 1, status=1)
    # The second copy of the last one may come when all is over.
    assert HALF - 1 <= result["duplicates"] <= HALF
    assert result["answered"] == NAMES


@pytest.mark.parametrize("sources", [2, 70])
def test_reply_to_another_source(sources):
    """From 65 sources on it is IP_PKTINFO that tells them apart."""
    first = []

    def choose(liar, query, peer, _nth):
        first.append(peer)
        if query[17] % 2 and peer != first[0]:
            liar.socket.sendto(right(query), first[0])
            return []
        return None

    with Liar(choose) as liar:
        result = flood(liar, names(), *once("-c", sources), status=1)
    strayed = sum(query[17] % 2 and peer != first[0]
                  for _, query, peer in liar.log)
    assert strayed
    assert_counters(result, unsolicited=strayed, lost=strayed)


def test_reply_from_another_server():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(("127.0.0.1", 0))

        def choose(_liar, query, peer, _nth):
            other.sendto(right(query), peer)
            return []

        with Liar(choose) as liar:
            result = flood(liar, names(), *once("-c", 70), status=1)
    assert_counters(result, unsolicited=NAMES, lost=NAMES)


def test_late():
    """Half of them come after the time-out, twice."""
    held, released = [], []

    def choose(liar, query, peer, _nth):
        now = time.monotonic()
        while held and now - held[0][0] > 0.25:
            released.append(held.pop(0))
            for _ in range(2):
                liar.socket.sendto(right(released[-1][1]), peer)
        if query[17] % 2:
            held.append((now, query))
            return []
        return None

    with Liar(choose) as liar:
        result = flood(liar, names(), "-Q", 100, "-n", 2 * NAMES, "-t", 150,
                       status=1)
    assert len(released) > HALF // 2
    assert_counters(result, late=len(released), duplicates=len(released),
                    lost=NAMES)
    assert result["answered"] == NAMES


def test_nobody_there():
    """No reply at all is a failure, lost queries alone are none."""
    with Liar() as liar:
        pass
    result = flood(liar, names(), *once(), status=1)
    assert result["sent"] == result["lost"] == NAMES
    assert result["answered"] == result["rate"] == 0


def test_expected_file(tmp_path):
    """Expected octets from a file: what is seen first can be wrong, too."""
    path = tmp_path / "expected"

    def write(lines, change=b""):
        octets = b""
        for line in lines:
            query = dns.message.make_query(*line.split(), flags=0).to_wire()
            reply = right(query) + change
            octets += struct.pack("!H", len(reply)) + reply
        path.write_bytes(octets)

    with Liar() as liar:
        write(names())
        assert_counters(flood(liar, names(), *once("-E", path)))
        write(names(), b"\0")
        result = flood(liar, names(), *once("-E", path), status=1)
        assert_counters(result, wrong_octets=NAMES)
        write(names(NAMES - 1))
        said = flood(liar, names(), *once("-E", path), status=2)
        assert "fewer replies than queries" in said
        write(names(NAMES + 1))
        said = flood(liar, names(), *once("-E", path), status=2)
        assert "more replies than queries" in said


@pytest.mark.parametrize("options, addresses, ports", [
    (("-c", 1), 1, 1), (("-c", 50), 1, 50), (("-c", 300), 19, 16),
    (("-c", 300, "-a", "127.9.8.0/24"), 19, 16),
    (("-c", 300, "-a", "127.9.8.16/30"), 2, 150)])
def test_sources(options, addresses, ports):
    """Each source is one (address, port), and all of them are used."""
    with Liar() as liar:
        result = flood(liar, names(300), "-n", 600, "-q", 50, *options)
    assert_counters(result)
    peers = collections.Counter(peer for _, _, peer in liar.log)
    assert len(peers) == options[1]
    assert max(peers.values()) == 600 // options[1]
    assert len({peer[0] for peer in peers}) == addresses
    assert len({peer[1] for peer in peers}) == ports
    if "-a" in options:
        assert all(peer[0].startswith("127.9.8.") for peer in peers)
        # neither the network itself nor its broadcast address
        unfit = {"127.9.8.0", "127.9.8.19" if ports == 150 else ""}
        assert unfit.isdisjoint(peer[0] for peer in peers)


def test_sources_without_descriptors():
    """65,536 sources with 64 descriptors."""
    def limit():
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))

    with Liar() as liar:
        result = flood(liar, names(), "-c", 65536, "-n", 4000, "-q", 1000,
                       preexec_fn=limit)
    assert_counters(result)
    assert len({peer for _, _, peer in liar.log}) == 4000


def test_bursts():
    """A burst is of one source; lengths that differ end a message only."""
    lines = names(7) + ["longer.n00008.test. A"] + names(6)
    with Liar() as liar:
        result = flood(liar, lines, "-c", 3, "-b", 6, "-q", 18, "-n", 600,
                       "-g")
    assert_counters(result)
    peers = [peer for _, _, peer in liar.log]
    for i in range(0, 600, 6):
        assert len(set(peers[i:i + 6])) == 1, i
    assert all(peers[i] != peers[i + 6] for i in range(0, 594, 6))
    asked = [dns.message.from_wire(query).question[0].name.to_text() + " A"
             for _, query, _ in liar.log]
    assert asked == [lines[i % len(lines)] for i in range(600)]


def test_open_loop():
    """400 queries at 1,000 a second take 0.4 s, whatever comes back."""
    with Liar(lambda *_: []) as liar:
        result = flood(liar, names(), "-Q", 1000, "-n", 400, "-t", 100,
                       status=1)
    assert result["sent"] == result["lost"] == 400
    assert result["mode"] == "open"
    times = [when for when, _, _ in liar.log]
    assert 0.35 < times[-1] - times[0]
    # Evenly: the first half is not sent at once.
    assert 0.15 < times[200] - times[0]


def test_closed_loop_outstanding():
    """Without replies no more than -q are sent in each time-out."""
    with Liar(lambda *_: []) as liar:
        result = flood(liar, names(), "-q", 7, "-l", 0.5, "-t", 200,
                       status=1)
    assert result["mode"] == "closed"
    assert 14 <= result["sent"] <= 21
    assert result["lost"] == result["sent"] == len(liar.log)


def test_warm_up():
    with Liar() as liar:
        result = flood(liar, names(), "-w", 0.3, "-Q", 1000, "-n", 100)
    assert_counters(result)
    assert result["sent"] == result["answered"] == 100
    assert 300 < len(liar.log) <= 500
    assert result["seconds"] < 0.3


def test_random_order():
    def order(*options):
        with Liar() as liar:
            flood(liar, names(), "-q", 1, "-n", 200, *options)
        return [query[12:] for _, query, _ in liar.log]

    seeded = order("-r", "-S", 5)
    assert seeded == order("-r", "-S", 5) != order("-r", "-S", 6)
    assert order() == order() != seeded
    assert len(set(seeded)) > HALF


@pytest.mark.parametrize("options, edns, want_dnssec", [
    ((), -1, False), (("-e",), 0, False), (("-D",), 0, True)])
def test_edns(options, edns, want_dnssec):
    with Liar() as liar:
        flood(liar, ["; no query", "", "a.test. TYPE65",
                     "  \\101b.test MX ", "# end"], "-n", 2, *options)
    asked = [dns.message.from_wire(query) for _, query, _ in liar.log]
    assert [str(one.question[0]) for one in asked] == [
        "a.test. IN HTTPS", "eb.test. IN MX"]
    for one in asked:
        assert one.edns == edns and one.flags == 0
        assert bool(one.ednsflags & dns.flags.DO) == want_dnssec
        assert edns < 0 or one.payload == 1232


@pytest.mark.parametrize("lines, what", [
    ([], "no query"), (["a.test."], "-:1: the type is missing"),
    (["a.test. A", "a.test. NO"], "-:2: no such type"),
    (["a..test. A"], "-:1: bad name"),
    (["a.test. A A"], "-:1: more than a name and a type")])
def test_bad_queries(lines, what):
    with Liar() as liar:
        assert what in flood(liar, lines, status=2)


@pytest.mark.parametrize("options", [
    ("-c", "0"), ("-c", "65537"), ("-b", "65"), ("-q", "1.5"), ("-l", "x"),
    ("-Q", "-1"), ("-v", "some"), ("-a", "127.0.0.0/33"), ("-a", "::/64"),
    ("-s", "name"), ("-p", "0"), ("-b", "8", "-q", "7"),
    ("-Q", "8", "-q", "7"), ("-x",), ("more",),
    ("-E", "/nonexistent"), ("-E", "-", "-v", "code"), ("-m", "sctp"),
    ("-d", "/nonexistent"), ("-t", "nan"), ("--spin", "-1"),
    ("--tap-sndbuf", "1000"), ("--tap", "lo", "-s", "::1"),
    ("--tap", "lo", "-a", "127.0.0.0/8"), ("--tap", "no such device"),
    ("--tap", "x" * 16), ("--tap", "lo", "--tap-sndbuf", "0")])
def test_usage(options):
    with Liar() as liar:
        assert flood(liar, names(), *options, status=2)


def test_text_and_progress(tmp_path):
    with Liar() as liar:
        done = subprocess.run(
            [ZCFLOOD, "-s", liar.address, "-p", str(liar.port), "-d", "-",
             "-Q", "100", "-l", "1.2", "-i"], input="a.test. A",
            capture_output=True, text=True, timeout=60, check=True)
        assert "answered         12" in done.stdout
        assert "p99.9" in done.stdout
        assert done.stderr.count("replies/s") == 1
        path = tmp_path / "result"
        flags = ["-n", "5", "-j", path]
        done = subprocess.run(
            [ZCFLOOD, "-s", liar.address, "-p", str(liar.port), "-d", "-",
             *flags], input="a.test. A", capture_output=True, text=True,
            timeout=60, check=True)
        assert done.stdout == ""
        assert json.loads(path.read_text())["sent"] == 5


def test_ipv6(serve):
    server = serve({"z.test": pathlib.Path(__file__).with_name(
        "z.test.zone")}, address="::1")
    result = flood(server, ["www.z.test. A", "z.test. SOA"], "-c", 20, "-n",
                   2000, "-g")
    assert_counters(result)


@pytest.mark.parametrize("options", [
    "-c 1 -q 64", "-c 16 -q 256", "-c 4096 -q 4096", "-c 1 -b 32 -q 512 -g",
    "-c 16 -b 32 -q 1024 -g", "-c 4096 -b 32 -q 4096 -g",
    "-c 16 -b 32 -q 1024", "-c 16 -q 256 -g -D -r -S 3"])
def test_zcdns(serve_module, options):
    """What zcdns says does not change, whoever asks how."""
    if not hasattr(serve_module, "server"):
        serve_module.server = serve_module({"flood.test": ZONE})
    lines = [f"{kind}{i:04}.flood.test. {rtype}" for i in range(500)
             for kind, rtype in (("a", "A"), ("a", "TXT"), ("no", "A"),
                                 ("w.wild", "A"))]
    result = flood(serve_module.server, lines, "-n", 40000, "-t", 5000,
                   *options.split())
    assert_counters(result)
    assert result["answered"] == 40000
    assert result["rcodes"]["NXDOMAIN"] > 5000


ZONE = ("$TTL 300\n@ SOA ns hm 1 2 3 4 5\n@ NS ns\nns A 192.0.2.1\n"
        "*.wild A 192.0.2.2\n"
        + "".join(f"a{i:04} A 10.0.{i >> 8}.{i & 255}\na{i:04} TXT \"{i * 'x'}"
                  f"\"\n" for i in range(250))
        + "".join(f"a{i:04} A 10.1.{i >> 8}.{i & 255}\n"
                  for i in range(250, 500)))


TAP_LINES = """\
link set lo up
tuntap add mode tap name zc0
address add 192.0.2.1/24 dev zc0
link set zc0 txqueuelen 10000
link set zc0 up
route add 198.18.0.0/15 via 192.0.2.2 dev zc0"""

NEIGHBOUR = ("neighbour replace 192.0.2.2 lladdr 02:00:00:7a:63:66 dev zc0 "
             "nud permanent")


def in_namespace(body):
    """Runs it in a thread with a network namespace of its own and a TAP."""
    failures = []

    def run():
        try:
            libc = ctypes.CDLL(None, use_errno=True)
            assert libc.unshare(0x40000000) == 0  # CLONE_NEWNET
            for line in TAP_LINES.splitlines():
                subprocess.run([daemon.find_tool("ip"), *line.split()],
                               check=True)
            body()
        except BaseException as error:  # pylint: disable=broad-except
            failures.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if failures:
        raise failures[0]


needs_tap = pytest.mark.skipif(
    os.geteuid() != 0 or not os.access("/dev/net/tun", os.R_OK | os.W_OK)
    or not daemon.find_tool("ip"), reason="needs root, /dev/net/tun and ip")


@needs_tap
def test_tap(serve):
    """Both ways of sending, bursts and bundles, one source and many."""
    def body():
        server = serve({"flood.test": ZONE}, address="192.0.2.1")
        lines = [f"{kind}{i:04}.flood.test. {rtype}" for i in range(250)
                 for kind, rtype in (("a", "A"), ("a", "TXT"), ("no", "A"))]
        # Others find the neighbour known: few packets wait for ARP's answer.
        result = flood(server, lines, "--tap", "zc0", "-n", 100, "-q", 10,
                       "-t", 5000)
        assert_counters(result)
        subprocess.run([daemon.find_tool("ip"), *NEIGHBOUR.split()],
                       check=True)
        for options in ("-c 1", "-c 300", "-c 4096 -q 2048", "-b 32 -q 512",
                        "-c 16 -b 32 -q 512 -g", "-g --spin 0",
                        "-c 300 --tap-sndbuf 1000000",
                        "-b 32 -q 512 -g --tap-sndbuf 1000000"):
            result = flood(server, lines, "--tap", "zc0", "-n", 10000, "-t",
                           5000, *options.split())
            assert_counters(result)
            assert result["answered"] == 10000, options
            assert result["transport"] == "tap"

    in_namespace(body)


@needs_tap
def test_tap_checks(serve):
    """A device that is down takes nothing; wrong octets are seen as ever."""
    def body():
        server = serve({"flood.test": ZONE}, address="192.0.2.1")
        one = ["a0001.flood.test. A"]
        # the second line has another question, of one length with the first
        two = [*one, "a0002.flood.test. A"]
        expected = server.folder / "expected"
        octets = b""
        for line in 2 * one:
            query = dns.message.make_query(*line.split(), flags=0).to_wire()
            reply = right(query)[:-4] + bytes((10, 0, 0, 1))
            octets += struct.pack("!H", len(reply)) + reply
        expected.write_bytes(octets)
        result = flood(server, two, "--tap", "zc0", "-n", 100, "-E", expected,
                       status=1)
        assert_counters(result, wrong_octets=50)
        subprocess.run([daemon.find_tool("ip"), "link", "set", "zc0", "down"],
                       check=True)
        result = flood(server, one, "--tap", "zc0", "-l", 0.1, status=1)
        assert result["send_errors"] > 0 and result["sent"] == 0

    in_namespace(body)


@needs_tap
def test_bench_tap(tmp_path):
    """make bench-tap, for a moment: both ways in, each with its servers."""
    path = tmp_path / "result"
    done = subprocess.run(
        [sys.executable, daemon.TOP / "tests/bench/tap.py", "--rounds", "1",
         "--seconds", "0.1", "--json", path], capture_output=True, text=True,
        timeout=120, check=False,
        env={**os.environ, "ZCDNS": daemon.program()})
    assert done.returncode == 0, done.stderr
    results = json.loads(path.read_text())["results"]
    assert len(results) == 3 + (daemon.io_uring_missing() is None)
    for one in results:
        assert done.stdout.count(one["line"]) == 1
        assert set(one["samples"]) == {"build_skb", "socket"}
        for (sample,) in one["samples"].values():
            assert sample["sender"] > 0 and sample["rate"] > 0
            assert (sample["server"] > 0) == ("zcdns" in one["line"])
