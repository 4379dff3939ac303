# SPDX-License-Identifier: BSD-2-Clause
"""zcdns -t, -V, -h: every fault with its file and line, nothing half-started."""

import subprocess

import pytest

import daemon
from tables import Z_ZONE

GOOD_ZONE = "@ 60 SOA ns hm 1 2 3 4 5\n@ 60 NS ns\nns 60 A 192.0.2.1\n"


def run(*arguments, cwd=None):
    return subprocess.run([daemon.program(), *map(str, arguments)], cwd=cwd,
                          stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=60, check=False)


@pytest.fixture
def check(tmp_path):
    """Writes a configuration and checks it: (status, all that was said)."""
    (tmp_path / "good.zone").write_text(GOOD_ZONE)

    def check_config(text, **files):
        for name, content in files.items():
            (tmp_path / name.replace("__", ".")).write_text(content)
        (tmp_path / "zcdns.conf").write_text(text)
        done = run("-t", "-c", "zcdns.conf", cwd=tmp_path)
        assert not daemon.SANITIZER.search(
            (done.stdout + done.stderr).encode())
        return done.returncode, done.stdout + done.stderr

    return check_config


LISTEN = 'server { listen = { "127.0.0.1@5300" } }\n'


def test_good_configuration(check):
    status, said = check(
        'server {\n listen = { "127.0.0.1@5300", "[::1]@5300", "::1@5301" }\n'
        ' workers = 2 io = auto max-udp-payload = 1232\n nsid = "0x0aff"\n'
        ' minimal-any = no\n tcp-clients = 10\n tcp-idle-timeout = 1500ms\n'
        ' tcp-io-timeout = 2s\n}\nlog { level = warning }\n'
        '# comment\n// comment\n/* comment */\n'
        'zone "example.com" { file = "good.zone" }\n')
    assert (status, said) == (0, "zones: 1 good, 3 records, 0 with faults\n")


def test_white_space_has_no_meaning(check):
    status, said = check(
        'server{listen={"127.0.0.1@5300"}workers=1}zone "a.test"'
        '{file="good.zone"}zone"b.test"\n{\n\nfile\n=\n"good.zone"\n}')
    assert (status, said) == (0, "zones: 2 good, 6 records, 0 with faults\n")


@pytest.mark.parametrize("text, where, what", [
    (LISTEN + "frobnicate = 1\n", 2, "frobnicate"),
    ('server {\n listen = { "127.0.0.1@5300" }\n frobnicate = 1\n}\n', 3,
     "frobnicate"),
    ('server {\n listen = { "127.0.0.1@5300",\n  "127.0.0.300" }\n}\n', 3,
     "127.0.0.300"),
    ('server { listen = { "127.0.0.1@70000" } }\n', 1, "127.0.0.1@70000"),
    ('server { listen = { "localhost" } }\n', 1, "localhost"),
    (LISTEN + 'zone "a.test" { file = "good.zone" }\n\n'
     'zone "A.test." { file = "good.zone" }\n', 4, "a.test"),
    (LISTEN + 'zone "a.test" { }\n', 2, "a.test"),
    (LISTEN + 'zone "a..test" { file = "good.zone" }\n', 2, "a..test"),
    (LISTEN + f'zone "{"x" * 64}.test" {{ file = "good.zone" }}\n', 2, "x" * 64),
    (LISTEN + '\n\nzone "a.test" {\n file = "missing.zone"\n}\n', None,
     "missing.zone"),
    (LISTEN + 'include "missing.conf"\n', 2, "missing.conf"),
    ('server {\n listen = { "127.0.0.1@5300" }\n io = epoll\n}\n', 3, "epoll"),
    ('server {\n listen = { "127.0.0.1@5300" }\n max-udp-payload = 511\n}\n', 3,
     "511"),
    ('server {\n listen = { "127.0.0.1@5300" }\n max-udp-payload = 65536\n}\n',
     3, "65536"),
    ('server {\n listen = { "127.0.0.1@5300" }\n workers = -1\n}\n', 3, "-1"),
    ('server {\n listen = { "127.0.0.1@5300" }\n workers = two\n}\n', 3, "two"),
    ('server {\n listen = { "127.0.0.1@5300" }\n tcp-idle-timeout = 5x\n}\n', 3,
     "5x"),
    ('server {\n listen = { "127.0.0.1@5300" }\n user = "no-such-user"\n}\n', 3,
     "no-such-user"),
    ('server {\n listen = { "127.0.0.1@5300" }\n nsid = "0xabc"\n}\n', 3, ""),
    ('server {\n listen = { "127.0.0.1@5300" }\n identity = "'
     + "x" * 256 + '"\n}\n', 3, "255"),
    ('server {\n listen = { "127.0.0.1@5300" }\n workers = 1\n workers = 2\n}\n',
     4, "workers"),
    ('server {\n listen = { "127.0.0.1@5300" }\n', 1, "{"),
    (LISTEN + "}\n", 2, "}"),
    (LISTEN + 'zone "a.test { file = "good.zone" }\n', 2, ""),
    (LISTEN + 'log {\n level = loud\n}\n', 3, "loud"),
    (LISTEN + 'zone "a.test" { template = "none" }\n', 2, "none"),
    (LISTEN + 'zone-dir = "missing-folder"\n', 2, "missing-folder"),
])
def test_fault_is_named_with_file_and_line(check, text, where, what):
    status, said = check(text)
    assert status == 1
    lines = [line for line in said.splitlines() if what in line]
    assert lines, said
    if where:
        assert any(f"zcdns.conf:{where}: " in line for line in lines), said


def test_every_fault_is_reported(check):
    status, said = check('server {\n listen = { "1.2.3" }\n workers = x\n'
                         ' io = y\n}\nzone "a.test" { file = "none" }\n')
    assert status == 1
    for line in (2, 3, 4):
        assert f"zcdns.conf:{line}: " in said


def test_duplicate_zone_names_both_places(check):
    status, said = check(LISTEN + 'zone "a.test" { file = "good.zone" }\n'
                         'zone "a.test" { file = "good.zone" }\n')
    assert status == 1
    assert "zcdns.conf:3: " in said and "zcdns.conf:2" in said


def test_fault_in_an_included_file(check):
    status, said = check(LISTEN + 'include "part-*.conf"\n',
                         **{"part-1__conf": "\n\nfrobnicate = 1\n",
                            "part-2__conf":
                            'zone "a.test" { file = "good.zone" }\n'})
    assert status == 1
    assert "part-1.conf:3: " in said and "frobnicate" in said


def test_include_loop(check):
    status, said = check(LISTEN + 'include "a.conf"\n',
                         a__conf='include "b.conf"\n',
                         b__conf='include "a.conf"\n')
    assert status == 1 and ".conf:1: " in said


def test_fault_in_a_zone(check):
    status, said = check(LISTEN + 'zone "a.test" { file = "bad.zone" }\n'
                         'zone "b.test" { file = "good.zone" }\n',
                         bad__zone=GOOD_ZONE + "\nx 60 A 192.0.2.999\n")
    assert status == 1
    assert "bad.zone:5: " in said and "'192.0.2.999'" in said
    assert "good.zone" not in said


def test_warnings(check, tmp_path):
    """What is allowed, but seldom meant."""
    status, said = check(
        f'server {{ control = "{tmp_path}/none/zcdns.sock" }}\n'
        f'log {{ target = "{tmp_path}/no/zcdns.log" }}\n')
    assert status == 0
    assert said.splitlines()[1:] == [
        f"{tmp_path}/none/zcdns.sock: no folder for it: No such file or "
        "directory (warning)",
        f"{tmp_path}/no/zcdns.log: no folder for it: No such file or "
        "directory (warning)",
        "no zone is configured (warning)"]


def test_missing_configuration_file(tmp_path):
    done = run("-t", "-c", tmp_path / "none.conf")
    assert done.returncode == 1
    assert "none.conf" in done.stderr and "No such file" in done.stderr


def test_zone_dir_and_template(tmp_path, io):
    """NAME.zone in the folder is zone NAME; a section of that name wins."""
    import wire
    zones = tmp_path / "zones"
    zones.mkdir()
    (zones / "one.test.zone").write_text(GOOD_ZONE)
    (zones / "two.test.zone").write_text(GOOD_ZONE)
    (zones / "not-a-zone.txt").write_text("x")
    (zones / "three.test.db").write_text(GOOD_ZONE)
    (zones / "own.zone").write_text(GOOD_ZONE.replace("192.0.2.1", "192.0.2.9"))
    extra = (f'zone-dir = "{zones}"\n'
             f'template "t" {{ file = "{zones}/%s.db" }}\n'
             'zone "three.test" { template = "t" }\n'
             f'zone "two.test" {{ file = "{zones}/own.zone" }}\n')
    with daemon.Server(tmp_path / "run", {}, io=io, extra=extra) as server:
        for name, last in (("one", 1), ("two", 9), ("three", 1)):
            assert wire.ask(server, f"ns.{name}.test.", "A").answer == [
                f"ns.{name}.test. 60 A 192.0.2.{last}"]
        assert wire.ask(server, "ns.own.", "A").aa


def test_fault_starts_nothing(tmp_path, io):
    server = daemon.Server(tmp_path, {"z.test": Z_ZONE}, io=io,
                           options={"frobnicate": 1})
    server.spawn()
    assert server.wait() == 1
    assert "frobnicate" in server.log()
    assert not server.notified("READY=1")


def test_check_opens_no_socket(tmp_path, io):
    """-t beside a running server with the same configuration."""
    with daemon.Server(tmp_path, {"z.test": Z_ZONE}, io=io) as server:
        done = run("-t", "-c", server.config)
        assert done.returncode == 0, done.stderr


def test_version():
    done = run("-V")
    assert done.returncode == 0
    for word in ("zcdns 0.", "liburing", "libev", "liburcu", "confuse",
                 "io_uring", "Linux"):
        assert word in done.stdout, word


def test_help():
    done = run("-h")
    assert (done.returncode, done.stderr) == (0, "")
    for word in ("-c", "-t", "-V", "-h"):
        assert word in done.stdout


@pytest.mark.parametrize("arguments", [["-x"], ["-c"], ["-c", "a", "b"]])
def test_wrong_command_line(arguments):
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stderr and not done.stdout
