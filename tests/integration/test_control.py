# SPDX-License-Identifier: BSD-2-Clause
"""The control socket: what each command does, and answers that tell the truth."""

import contextlib
import signal
import socket
import stat

import pytest

import daemon
import wire
from test_reload import rewrite, serial, zone


@pytest.fixture(name="server")
def _server(serve):
    return serve({"r.test": zone(1), "s.test": zone(1)},
                 options={"control": '"control"'})


def change(server, name, text):
    rewrite(server.folder / f"{name}.zone", text)


def test_reload_answers_when_it_is_done(server):
    change(server, "r.test", zone(2))
    said = server.control("reload")
    assert serial(server, "r.test.") == 2
    assert said.endswith("zones: 1 loaded, 1 unchanged, 0 failed\nok\n")


def test_reload_names_what_failed(server):
    change(server, "r.test", zone(2, more="broken A 192.0.2.256\n"))
    change(server, "s.test", zone(2))
    said = server.control("reload").splitlines()
    assert said[0].endswith(
        "r.test.zone:6: r.test.: A: bad IPv4 address '192.0.2.256'")
    assert said[1] == "[r.test.] not loaded, still serving serial 1"
    assert said[-1] == "failed: 1 zone"
    assert [serial(server, apex) for apex in ("r.test.", "s.test.")] == [1, 2]
    # it stays in the status until it is mended
    assert "r.test.zone:6: " in server.status()
    change(server, "r.test", zone(3))
    assert server.control("reload").endswith("ok\n")
    assert "r.test" not in server.status()


def test_reload_of_one_zone(server):
    change(server, "r.test", zone(2))
    change(server, "s.test", zone(2))
    assert server.control("reload S.TEST").endswith("ok\n")
    assert [serial(server, apex) for apex in ("r.test.", "s.test.")] == [1, 2]


def test_status_of_one_zone(server):
    said = server.control("status r.test.").splitlines()
    assert said[0].startswith("[r.test.] serial 1, 4 records, ")
    assert said[1] == f"[r.test.] file {server.folder}/r.test.zone"
    assert said[2:] == ["ok"]


@pytest.mark.parametrize("line,said", [
    ("reload nope.test", "no such zone"),
    ("reload " + "x" * 1000, "no such zone"),
    ("status nope.test", "no such zone"),
    ("status r.test s.test", "a command takes one zone at most"),
    ("", "an empty line; there are reload, status and stop"),
    ("restart", "no such command; there are reload, status and stop"),
    ("stop r.test", "no such command; there are reload, status and stop"),
], ids=["reload", "reload-long", "status", "two", "empty", "unknown", "stop"])
def test_what_cannot_be_done(server, line, said):
    assert server.control(line) == f"failed: {said}\n"
    assert "error: " not in server.log()
    assert serial(server, "r.test.") == 1


def test_stop(server):
    assert server.control("stop") == "ok\n"
    assert server.wait() == 0
    assert not (server.folder / "control").exists()


def test_clients_that_say_nothing_do_not_block(server):
    """More than there is room for, backlog included."""
    with contextlib.ExitStack() as stack:
        for _ in range(40):
            sock = stack.enter_context(socket.socket(socket.AF_UNIX))
            sock.settimeout(0.2)
            with contextlib.suppress(BlockingIOError, TimeoutError):
                sock.connect(str(server.folder / "control"))
        assert wire.ask(server, "www.r.test").rcode == "NOERROR"
        server.signal(signal.SIGHUP)
        server.wait_log("0 failed")
    assert server.control("reload").endswith("ok\n")


def test_client_that_goes_before_its_answer(server):
    for _ in range(20):
        with socket.socket(socket.AF_UNIX) as sock:
            sock.connect(str(server.folder / "control"))
            sock.sendall(b"reload\n")
    assert server.control("reload").endswith("ok\n")


def test_only_user_and_group_may(server):
    mode = (server.folder / "control").stat().st_mode
    assert stat.S_IMODE(mode) == 0o660


def test_socket_of_one_that_was_killed_is_replaced(server):
    server.kill()
    assert (server.folder / "control").is_socket()
    server.start()
    assert server.status()


def test_path_of_another_file_is_left_alone(tmp_path, io):
    server = daemon.Server(tmp_path, {"r.test": zone(1)}, io=io,
                           options={"control": '"control"'})
    (tmp_path / "control").write_text("mine")
    server.spawn()
    assert server.wait() == 1
    assert (tmp_path / "control").read_text() == "mine"
    assert f"{tmp_path}/control: File exists" in server.log()
