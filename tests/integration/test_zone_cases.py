# SPDX-License-Identifier: BSD-2-Clause
"""
Zone files that others misread. A good one goes through zcdns-checkzone -o,
through that again, and through the daemon, which must serve the octets of the
table; a bad one must be refused with file, line and token.
"""

import collections
import os
import pathlib
import re
import shutil
import struct
import subprocess
import threading

import dns.name
import dns.rdatatype
import pytest

import daemon
import wire

HEAD = "$TTL 3600\n@ SOA ns hm 1 2 3 4 5\n@ NS ns\nns A 192.0.2.1\n"
HEAD_LINES = 4

Good = collections.namedtuple("Good", "id text asked files")
Bad = collections.namedtuple("Bad", "id text line token files")


def good(ident, lines, *asked, head=HEAD, files=None):
    """asked: (owner below the apex, type, TTL, RDATA in hex, ...)"""
    return Good(ident, head + lines, asked, files or {})


def bad(ident, lines, token="", line=1, head=HEAD, files=None):
    """line: counted from the first line behind the head; 0: any."""
    text = head + lines
    return Bad(ident, text, line and line + head.count("\n"), token,
               files or {})


def strings(*pieces):
    return b"".join(bytes([len(p)]) + p for p in pieces).hex()


def hexname(text):
    return dns.name.from_text(text).to_wire().hex()


L63 = "a" * 63
LONG = f"{L63}.{'b' * 63}.{'c' * 63}."

# Zone names are NAME.test; "{z}" in a text stands for the apex with its dot.
GOOD = [
    good("B-ZS01", 'a 60 IN TXT "one"two th"r"ee\n',
         ("a", "TXT", 60, strings(b"one", b"two", b"th", b"r", b"ee"))),
    good("B-ZS02", 'k 60 TXT (\n  "v=DKIM1; "\n  "p=AAAA")\n',
         ("k", "TXT", 60, strings(b"v=DKIM1; ", b"p=AAAA"))),
    good("B-ZS03", 'a 60 TXT "' + "x" * 254 + '\\;"\nb 60 TXT "'
         + "\\120" * 255 + '"\n',
         ("a", "TXT", 60, strings(b"x" * 254 + b";")),
         ("b", "TXT", 60, strings(b"x" * 255))),
    good("B-ZS04", "a IN 300 A 192.0.2.1\nb IN 5m A 192.0.2.2\n"
         "c 300 IN A 192.0.2.3\n",
         ("a", "A", 300, "c0000201"), ("b", "A", 300, "c0000202"),
         ("c", "A", 300, "c0000203")),
    good("B-ZS05", "ns A 192.0.2.1\n", ("ns", "A", 300, "c0000201"),
         head="$TTL 300\n@ SOA ns hm 1 2 3 4 5\n@ 86400 NS ns\n"),
    good("B-ZS06", "ns A 192.0.2.1\n", ("ns", "A", 200, "c0000201"),
         head="@ 100 SOA ns hm 1 2 3 4 5\n@ 200 NS ns\n    \n"),
    good("B-ZS07", "a 60 A 192.0.2.1\na 90 A 192.0.2.2\n",
         ("a", "A", 60, "c0000201", "c0000202")),
    good("B-ZS08", "$INCLUDE part.inc sub\nmail A 192.0.2.2\n",
         ("w.deep.sub", "A", 3600, "c0000201"),
         ("mail", "A", 3600, "c0000202"),
         files={"part.inc": "$ORIGIN deep\nw A 192.0.2.1\n"}),
    good("B-ZS09", "$INCLUDE folder/part.inc\n", ("w", "A", 3600, "c0000201"),
         files={"folder/part.inc": "$INCLUDE next.inc\n",
                "folder/next.inc": "w A 192.0.2.1\n"}),
    good("B-ZS11", "$ORIGIN foo\nbar 60 A 192.0.2.1\n$ORIGIN @\n"
         "baz 60 A 192.0.2.2\n",
         ("bar.foo", "A", 60, "c0000201"), ("baz.foo", "A", 60, "c0000202")),
    good("B-ZS12", "@ soa ns hm 1 3H 1h 1W 90\n ns ns\nns a 192.0.2.1\n",
         ("ns", "A", 3600, "c0000201"), head="$TTL 1H\n"),
    good("B-ZS13", 't TXT "in quotes"\r\nm MX 10 ns\r\n',
         ("t", "TXT", 3600, strings(b"in quotes")),
         head="$TTL 3600\r\n@ SOA ns hm (\r\n 1 2 3\r\n 4 5 )\r\n@ NS ns\r\n"
         "ns A 192.0.2.1\r\n"),
    good("B-ZS13-quoted-cr", 't TXT "a\rb"\n',
         ("t", "TXT", 3600, strings(b"a\rb"))),
    good("B-ZS15", "a 60 TXT v=DMARC1;p=none\nb 60 TXT v=DMARC1\\;\n",
         ("a", "TXT", 60, strings(b"v=DMARC1")),
         ("b", "TXT", 60, strings(b"v=DMARC1;"))),
    good("B-ZS17", "a 60 CNAME https://www.z.test.\n\\@ 60 A 192.0.2.1\n"
         "_dmarc.a\\.b 60 TXT x\n",
         ("a", "CNAME", 60, b"\x0bhttps://www\x01z\x04test\0".hex()),
         ("\\@", "A", 60, "c0000201"),
         ("_dmarc.a\\.b", "TXT", 60, strings(b"x"))),
    good("B-ZS18", "k 60 TXT " + " ".join(["x" * 200] * 60) + "\n"
         "o 60 OPENPGPKEY (\n" + ("QUJD" * 17 + "\n") * 900 + ")\n",
         ("k", "TXT", 60, strings(*[b"x" * 200] * 60)),
         ("o", "OPENPGPKEY", 60, (b"ABC" * 17 * 900).hex())),
    good("B-ZD01", "w.other.test. 60 A 192.0.2.4\nb 60 A 192.0.2.5\n",
         ("b", "A", 60, "c0000205")),
    good("B-ZD02-signed", "a 60 CNAME b\n"
         "a 60 RRSIG CNAME 13 3 60 20461101000000 20261101000000 1 {z} AAAA\n"
         "a 60 NSEC b CNAME RRSIG NSEC\n"
         "b 60 A 192.0.2.1\n",
         ("b", "A", 60, "c0000201")),
    good("B-RD01", f"t CNAME {LONG[:-1]}.{'d' * 61}.\n",
         ("t", "CNAME", 3600, hexname(f"{LONG[:-1]}.{'d' * 61}."))),
    good("B-RD02", 'a 60 HTTPS 1 . port="8443" alpn="h2,h3"\n',
         ("a", "HTTPS", 60, "0001000001000602683202683300030002" + "20fb")),
    good("B-RD03", r'a 60 SVCB 16 b.z.test. alpn="f\\\\oo\\,bar,h2"' + "\n",
         ("a", "SVCB", 60, "0010" + hexname("b.z.test.")
          + "0001000c08665c6f6f2c6261720268" + "32")),
    good("B-RD04", 'a 60 SVCB 1 . no-default-alpn="" alpn=h2\n',
         ("a", "SVCB", 60, "000100" + "00010003026832" + "00020000")),
    good("B-RD05", "a 60 SVCB 1 . " + " ".join(
        f"key{n}=x" for n in range(1000, 7000)) + "\n",
         ("a", "SVCB", 60, "000100" + "".join(
             struct.pack("!HH", n, 1).hex() + "78" for n in range(1000, 7000)))),
    good("B-RD06", "c 60 APL 1:10.1.0.0/16 !2:2001:db8::/32\n",
         ("c", "APL", 60, "000110020a010002208420010db8")),
    good("B-RD07", 'a 60 CAA 0 issue ca.test\nb 60 CAA 128 ISSUE ";"\n'
         'c 60 URI 10 1 "ftp://x.test/"\n',
         ("a", "CAA", 60, "0005697373756563612e74657374"),
         ("b", "CAA", 60, "800549535355453b"),
         ("c", "URI", 60, "000a0001" + b"ftp://x.test/".hex())),
    good("B-RD08", "c 60 CSYNC 66 3\n", ("c", "CSYNC", 60, "000000420003")),
    good("B-RD09", "b 60 TYPE38 \\# 17 00 20010db8000000000000000000000001\n"
         "c 60 TYPE10 \\# 0\nd 60 TYPE65280 \\# 3 ( 01 02\n 03 )\n",
         ("b", "TYPE38", 60, "0020010db8000000000000000000000001"),
         ("c", "TYPE10", 60, ""), ("d", "TYPE65280", 60, "010203")),
    good("B-RD10", "a 60 A \\# 4 c0000201\n", ("a", "A", 60, "c0000201")),
    good("P04-octets", "a 9 TXT " + " ".join(['"' + "x" * 255 + '"'] * 255)
         + "\n", ("a", "TXT", 9, strings(*[b"x" * 255] * 255))),
    good("P06-ttl-0", "$TTL 0\na A 192.0.2.1\n", ("a", "A", 0, "c0000201")),
    good("P08-directives", "$ttl 60\n$origin sub\nw A 192.0.2.1\n",
         ("w.sub", "A", 60, "c0000201")),
    good("P08-bom", "a A 192.0.2.1\n", ("a", "A", 3600, "c0000201"),
         head="\ufeff" + HEAD),
    good("P08c-generate", "$GENERATE 1-3 h$ A 192.0.2.$\n"
         "$GENERATE 0-2 ${0,3,x} 60 CNAME h${1,0,d}\n",
         ("h3", "A", 3600, "c0000203")),
    good("P09-at-foo", "@foo 60 A 192.0.2.1\n", ("\\@foo", "A", 60, "c0000201")),
    good("P16-parens", "t 60 TXT a(b)c\n",
         ("t", "TXT", 60, strings(b"a", b"b", b"c"))),
    good("P17-in-quotes", 't 60 TXT "a\x0bb\x0cc"\n',
         ("t", "TXT", 60, strings(b"a\x0bb\x0cc"))),
    good("P20-owner", "\\120" * 63 + "." + "\\121" * 10 + " 60 A 192.0.2.1\n",
         ("x" * 63 + "." + "y" * 10, "A", 60, "c0000201")),
    good("no-newline-at-the-end", "a 60 A 192.0.2.1",
         ("a", "A", 60, "c0000201")),
]

SVCB_BAD = ["mandatory=port alpn=h2", "mandatory=mandatory",
            "mandatory=alpn,alpn alpn=h2", "alpn=h2 alpn=h3", "port=65536",
            "alpn", "no-default-alpn=x"]

BAD = [
    bad("B-ZS03", 'a 60 TXT "' + "x" * 256 + '"\n'),
    bad("B-ZS10", "$INCLUDE a.inc\n", "", 0,
        files={"a.inc": "$INCLUDE b.inc\n", "b.inc": "$INCLUDE a.inc\n"}),
    bad("B-ZS14-open", "a 60 TXT ( x\nb 60 A 192.0.2.1\n", "", 1),
    bad("B-ZS14-close", "a 60 TXT x )\n", "", 1),
    bad("B-ZS14-nested", "a 60 TXT ( x ( y ) )\n", "", 1),
    bad("B-ZS16-41", "a 60 TYPE41 \\# 0\n", "TYPE41"),
    bad("B-ZS16-opt", "a 60 OPT \\# 0\n", "OPT"),
    bad("B-ZS16-250", "a 60 TYPE250 \\# 0\n", "TYPE250"),
    bad("B-ZS16-255", "a 60 TYPE255 \\# 0\n", "TYPE255"),
    bad("B-ZS16-0", "a 60 TYPE0 \\# 0\n", "TYPE0"),
    bad("B-ZS16-ch", "a 60 CH A 192.0.2.1\n", "CH"),
    bad("B-ZS16-class32", "a 60 CLASS32 A 192.0.2.1\n", "CLASS32"),
    bad("B-ZS21-over", "", "4294967296", -2,
        head="$TTL 60\n@ SOA ns hm 4294967296 2 3 4 5\n@ NS ns\n"
        "ns A 192.0.2.1\n"),
    bad("B-ZS21-minus", "", "-1", -2,
        head="$TTL 60\n@ SOA ns hm -1 2 3 4 5\n@ NS ns\nns A 192.0.2.1\n"),
    bad("B-ZS21-letter", "", "2026010100x", -2,
        head="$TTL 60\n@ SOA ns hm 2026010100x 2 3 4 5\n@ NS ns\n"
        "ns A 192.0.2.1\n"),
    bad("B-ZD02-other", "a 60 CNAME b\na 60 A 192.0.2.1\n", "", 0),
    bad("B-ZD02-two", "c 60 CNAME a\nc 60 CNAME b\n", "", 0),
    bad("B-ZD03-no-soa", "", "SOA", 0, head="@ 60 NS ns\nns 60 A 192.0.2.1\n"),
    bad("B-ZD03-two-soas", "@ 60 SOA ns hm 2 2 3 4 5\n", "SOA", 0),
    bad("B-ZD03-no-ns", "", "NS", 0,
        head="@ 60 SOA ns hm 1 2 3 4 5\nns 60 A 192.0.2.1\n"),
    bad("B-RD01-owner", f"{LONG[:-1]}.{'d' * 62} 60 A 192.0.2.1\n", "", 1),
    bad("B-RD01-target", f"a 60 CNAME {LONG[:-1]}.{'d' * 62}\n", "", 1),
    bad("B-RD01-label", f"a 60 CNAME {'d' * 64}\n", "", 1),
    *[bad(f"B-RD04-{i}", f"a 60 SVCB 1 . {text}\n", "")
      for i, text in enumerate(SVCB_BAD)],
    bad("B-RD05", "a 60 TYPE64 \\# 8 000100 0001 ffff 61\n"),
    bad("B-RD06-33", "b 60 APL 1:10.0.0.0/33\n", "1:10.0.0.0/33"),
    bad("B-RD06-afdlength", "a 60 TYPE42 \\# 131 0001207f " + "01" * 127
        + "\n"),
    bad("B-RD08-word", "a 60 NSEC b A FOO\n", "FOO"),
    bad("B-RD09-a6", "a 60 A6 0 2001:db8::1\n", "A6"),
    bad("B-RD10-a", "a 60 A \\# 5 c000020100\n"),
    bad("B-RD10-mx", "a 60 MX \\# 4 000a c00c\n"),
    bad("B-RD10-txt", "a 60 TXT \\# 3 05 6161\n"),
    bad("B-RD10-empty", "a 60 A \\# 0\n"),
    bad("P05-quote", 'a 60 TXT "abc\nb 60 A 192.0.2.1\n', "", 0),
    bad("P06b-ttl", "$TTL abc\n", "abc"),
    bad("P06e-ttl", "a 300x A 192.0.2.1\n", "300x"),
    bad("P06f-ttl", "$TTL 1H 30M\n", "30M"),
    bad("P10-mx", "a 60 MX 70000 b\n", "70000"),
    bad("P11-type", "a 60 FOO\n", "FOO"),
    bad("P11-hash", "# comment\n", ""),
    bad("P12b-hex", "a 60 TYPE65280 \\# 2 zzzz\n", "zzzz"),
    bad("P14-target", 'a 60 CNAME "b.example."\n'),
    bad("P18-ds", "a 60 DS 1 8 2 " + "a" * 63 + "\n"),
    bad("address", "a 60 A 192.0.2.999\n", "192.0.2.999"),
    bad("extra", "a 60 A 192.0.2.1 192.0.2.2\n", "192.0.2.2"),
    bad("include-missing", "$INCLUDE none.inc\n", "none.inc"),
]


def write(folder, case):
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in case.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text.encode())
    apex = f"{case.id.lower()}.test."
    path = folder / "zone"
    path.write_bytes(case.text.replace("{z}", apex).encode())
    return apex, path


def checkzone(*arguments, cwd=None):
    done = subprocess.run(
        [daemon.program("zcdns-checkzone"), *map(str, arguments)],
        capture_output=True, text=True, timeout=120, check=False, cwd=cwd)
    said = done.stdout + done.stderr
    assert not daemon.SANITIZER.search(said.encode()), said
    assert done.returncode in (0, 1, 2), said
    return done.returncode, said


def records(reply):
    """(type, TTL, RDATA octets) of the answer; names are decompressed only in
    so far as RDATA that has them is looked at by the caller."""
    at = 12
    while reply[at]:
        at += 1 + reply[at]
    at += 5
    found = []
    for _ in range(struct.unpack("!H", reply[6:8])[0]):
        while reply[at] and reply[at] < 192:
            at += 1 + reply[at]
        at += 1 if not reply[at] else 2
        kind, _, ttl, length = struct.unpack("!HHIH", reply[at:at + 10])
        data = reply[at + 10:at + 10 + length]
        if kind in (2, 5, 12, 39):
            data = expand(reply, at + 10)
        found.append((kind, ttl, data.hex()))
        at += 10 + length
    return found


def expand(reply, at):
    out = b""
    while reply[at]:
        if reply[at] >= 192:
            at = struct.unpack("!H", reply[at:at + 2])[0] & 0x3fff
            continue
        out += reply[at:at + 1 + reply[at]]
        at += 1 + reply[at]
    return out + b"\0"


@pytest.fixture(scope="module")
def served(serve_module, tmp_path_factory):
    folder = tmp_path_factory.mktemp("zones")
    zones = {}
    for case in GOOD:
        apex, path = write(folder / case.id, case)
        zones[apex] = path
    return serve_module(zones)


@pytest.mark.parametrize("case", GOOD, ids=lambda case: case.id)
def test_good_zone_is_served(served, case):
    assert isinstance(served.zones[f"{case.id.lower()}.test."], pathlib.Path)
    for owner, rdtype, ttl, *rdata in case.asked:
        qname = f"{owner}.{case.id.lower()}.test."
        query = wire.make_query(qname, rdtype)
        got = records(wire.exchange(served, query, tcp=True))
        kind = dns.rdatatype.from_text(rdtype)
        assert sorted(got) == sorted((kind, ttl, one) for one in rdata)


@pytest.mark.parametrize("case", GOOD, ids=lambda case: case.id)
def test_good_zone_written_back_is_the_same(tmp_path, case):
    apex, path = write(tmp_path, case)
    first, second = tmp_path / "first", tmp_path / "second"
    status, said = checkzone("-o", first, apex, path)
    assert status == 0, said
    assert checkzone("-o", second, apex, first)[0] == 0
    assert first.read_bytes() == second.read_bytes()
    assert len(first.read_bytes()) > 50


def test_written_to_a_fifo(tmp_path):
    """What is no file is written to; a rename over it would destroy it."""
    (tmp_path / "zone").write_text(HEAD)
    fifo, got = tmp_path / "fifo", []
    os.mkfifo(fifo)
    reader = threading.Thread(target=lambda: got.append(fifo.read_text()),
                              daemon=True)
    reader.start()
    status, said = checkzone("-o", fifo, "z.test", tmp_path / "zone")
    assert status == 0, said
    assert fifo.is_fifo()
    reader.join(10)
    assert got and got[0].count("\n") == HEAD_LINES - 1


@pytest.mark.parametrize("case", BAD, ids=lambda case: case.id)
def test_bad_zone_is_refused(tmp_path, case):
    apex, path = write(tmp_path, case)
    status, said = checkzone(apex, path)
    assert status == 1, said
    assert said.count("\n") >= 1
    assert case.token in said, said
    if case.line:
        assert f"{path}:{case.line}: " in said, said


@pytest.mark.parametrize("case", [one for one in GOOD if one.id in (
    "B-ZS07", "B-ZD01")], ids=lambda case: case.id)
def test_warning_names_file_and_line(tmp_path, case):
    apex, path = write(tmp_path, case)
    status, said = checkzone(apex, path)
    assert status == 0 and f"{path}:" in said and "warning" in said.lower()


def test_B_ZS09_same_result_from_any_folder(tmp_path):
    case = next(one for one in GOOD if one.id == "B-ZS09")
    apex, path = write(tmp_path, case)
    for cwd in ("/", tmp_path, tmp_path / "folder"):
        assert checkzone(apex, path, cwd=cwd)[0] == 0
    (tmp_path / "folder" / "next.inc").unlink()
    status, said = checkzone(apex, path)
    assert status == 1 and "next.inc" in said and "part.inc:1: " in said


def test_B_ZS19_line_of_an_included_file(tmp_path):
    (tmp_path / "part.inc").write_text("\n" * 6 + "a 60 A 192.0.2.999\n")
    (tmp_path / "zone").write_text(HEAD + "$INCLUDE part.inc\n")
    status, said = checkzone("z.test", tmp_path / "zone")
    assert status == 1
    assert f"{tmp_path}/part.inc:7: z.test.: " in said
    assert "bad IPv4 address '192.0.2.999'" in said


def test_B_ZS20_last_line_of_a_file_over_4_gib(tmp_path):
    """Comments, so that only reading counts."""
    line = b";" * 65534 + b"\n"
    lines = (41 << 30) // 10 // len(line)
    path = tmp_path / "zone"
    if shutil.disk_usage(tmp_path).free < 6 << 30:
        pytest.skip("no room for a file of 4.1 GiB")
    with open(path, "wb") as out:
        out.write(HEAD.encode())
        step = line * 256
        for _ in range(lines // 256 + 1):
            out.write(step)
        out.write(b"a 60 A 192.0.2.999\n")
    try:
        status, said = checkzone("z.test", path)
    finally:
        path.unlink()
    number = HEAD_LINES + (lines // 256 + 1) * 256 + 1
    assert status == 1 and f"{path}:{number}: " in said, said


def test_B_RD08_nsec_of_an_unsigned_looking_zone(tmp_path):
    """Bitmaps in lower case and as TYPEnnn; none at all in NSEC3."""
    (tmp_path / "zone").write_text(
        HEAD + "@ NSEC3PARAM 1 0 0 -\na 60 NSEC b a mx type65280\n"
        "2t7b4g4vsa5smi47k61mv5bv1a22bojr 60 NSEC3 1 0 0 - "
        "2T7B4G4VSA5SMI47K61MV5BV1A22BOJR\n")
    status, said = checkzone("-o", tmp_path / "out", "z.test",
                             tmp_path / "zone")
    assert status == 0, said
    text = (tmp_path / "out").read_text()
    assert re.search(r"\sNSEC\s+b\.z\.test\.\s+A MX TYPE65280$", text, re.M)
    assert re.search(r"\sNSEC3\s+1 0 0 - 2t7b4g4v\w{24}\s*$", text,
                     re.M | re.I)


@pytest.mark.parametrize("text", [
    "a 60 A 192.0.2.1\n" + "!!not-base32!! 60 NSEC3 1 0 0 - "
    "2T7B4G4VSA5SMI47K61MV5BV1A22BOJR A\n"])
def test_B_RD11_nsec3_owner_that_is_no_hash(serve, text):
    server = serve({"z.test": HEAD + "@ NSEC3PARAM 1 0 0 -\n" + text})
    for do in (False, True):
        reply = wire.ask(server, "a.z.test.", "A", do=do)
        assert reply.types("answer") == ["A"]
        assert wire.ask(server, "nope.z.test.", "A",
                        do=do).rcode == "NXDOMAIN"


def test_B_RD11_apex_of_223_octets(serve):
    """No hashed owner fits in 255 octets: no proofs, no crash."""
    apex = ".".join(["a" * 63, "b" * 63, "c" * 63, "d" * 29]) + "."
    assert len(dns.name.from_text(apex).to_wire()) == 223
    server = serve({apex: HEAD + "@ NSEC3PARAM 1 0 0 -\na 60 A 192.0.2.1\n"})
    for do in (False, True):
        reply = wire.ask(server, f"a.{apex}", "A", do=do, tcp=True)
        assert reply.types("answer") == ["A"]
        for qname in ("nope", "x" * 20):
            assert wire.ask(server, f"{qname}.{apex}", "A", do=do,
                            tcp=True).rcode == "NXDOMAIN"


def test_B_RD01_owner_of_255_octets(serve):
    """53 letters in the last label load, 54 do not."""
    owner = f"{LONG[:-1]}.{'d' * 53}"
    server = serve({"example": HEAD + f"{owner} 60 A 192.0.2.1\n"})
    assert len(dns.name.from_text(f"{owner}.example.").to_wire()) == 255
    reply = wire.ask(server, f"{owner}.example.", "A")
    assert reply.types("answer") == ["A"]


def test_checkzone_command_line(tmp_path):
    (tmp_path / "zone").write_text(HEAD)
    assert checkzone("z.test", tmp_path / "zone")[0] == 0
    assert checkzone("-h")[0] == 0
    status, said = checkzone("-V")
    assert status == 0 and "zcdns" in said
    assert checkzone()[0] == 2
    assert checkzone("z.test")[0] == 2
    assert checkzone("-x")[0] == 2
    status, said = checkzone("z.test", tmp_path / "none")
    assert status == 1 and "none" in said


@pytest.mark.parametrize("path", sorted(
    list((daemon.TOP / "zones").glob("*.zone"))
    + list((daemon.TOP / "zones/root").glob("*.zone"))), ids=lambda p: p.name)
def test_sample_zones_have_no_fault(tmp_path, path):
    apex = "." if path.name == "root.zone" else path.name[:-len(".zone")]
    assert checkzone("-qo", tmp_path / "out", apex, path) == (0, "")
    assert checkzone("-qo", tmp_path / "again", apex,
                     tmp_path / "out") == (0, "")
    assert (tmp_path / "out").read_bytes() == (tmp_path / "again").read_bytes()
