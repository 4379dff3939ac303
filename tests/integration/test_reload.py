# SPDX-License-Identifier: BSD-2-Clause
"""SIGHUP: new data, no lost query, and a broken file changes nothing."""

import os
import signal
import threading
import time

import pytest

import daemon
import wire

MARK = "192.0.2.{}"


def zone(serial, mark=None, more=""):
    mark = mark if mark is not None else serial % 250
    return (f"$TTL 60\n@ SOA ns hm {serial} 2 3 4 5\n@ NS ns\nns A 192.0.2.1\n"
            f"www A {MARK.format(mark)}\n{more}")


def rewrite(path, text):
    """As an editor does: a new file takes the place of the old one."""
    fresh = path.with_suffix(".new")
    fresh.write_text(text)
    os.replace(fresh, path)


def serial(server, apex="r.test."):
    reply = wire.ask(server, apex, "SOA")
    return int(reply.answer[0].split()[5]) if reply.answer else reply.rcode


def wait_serial(server, wanted, apex="r.test.", seconds=10):
    server.wait_until(lambda: serial(server, apex) == wanted, seconds,
                      f"serial {wanted} is not served")


class Load(threading.Thread):
    """Asks all the time, over UDP and TCP; every answer must be whole."""

    def __init__(self, server, names=("www.r.test.",)):
        super().__init__(daemon=True)
        self.server, self.names = server, names
        self.done = threading.Event()
        self.faults, self.answers, self.seen = [], 0, set()

    def run(self):
        query_id = 0
        with wire.udp_socket(self.server) as sock, \
                wire.Tcp(self.server) as connection:
            sock.settimeout(2)
            while not self.done.is_set():
                query_id = query_id % 65000 + 1
                name = self.names[query_id % len(self.names)]
                query = wire.make_query(name, ident=query_id)
                try:
                    sock.send(query)
                    self.check(sock.recv(65535), query)
                    connection.send(query)
                    self.check(connection.recv(), query)
                except Exception as error:  # reported by the test
                    self.faults.append(repr(error))
                    return

    def check(self, octets, query):
        reply = wire.Reply(octets, query)
        if reply.rcode != "NOERROR" or len(reply.answer) != 1:
            self.faults.append(f"{reply.rcode} {reply.answer}")
        self.answers += 1
        self.seen.add(reply.answer[0].split()[-1] if reply.answer else None)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.done.set()
        self.join(10)


def test_B_OP02_reload_under_load_loses_no_query(serve):
    server = serve({"r.test": zone(1)})
    with Load(server) as load:
        for number in range(2, 22):
            rewrite(server.zones["r.test"], zone(number))
            server.signal(signal.SIGHUP)
            wait_serial(server, number)
    assert load.faults == []
    assert load.answers > 100
    assert load.seen <= {MARK.format(n) for n in range(1, 22)}
    assert len(load.seen) > 2


def test_loaded_line_names_both_serials(serve):
    server = serve({"r.test": zone(7)})
    start = len(server.log())
    rewrite(server.zones["r.test"], zone(8, more="x A 192.0.2.77\n"))
    server.signal(signal.SIGHUP)
    match = server.wait_log(r"\[r\.test\.?\] loaded, serial 7 -> 8, (\d+) records",
                            after=start)
    assert match[1] == "5"


def test_unchanged_zone_is_not_read_again(serve):
    server = serve({"r.test": zone(1), "other.test": zone(1)})
    start = len(server.log())
    rewrite(server.zones["r.test"], zone(2))
    server.signal(signal.SIGHUP)
    wait_serial(server, 2)
    time.sleep(0.2)
    assert "[other.test" not in server.log()[start:]


def test_broken_file_keeps_the_old_version(serve):
    server = serve({"r.test": zone(1), "other.test": zone(1)})
    start = len(server.log())
    rewrite(server.zones["r.test"], zone(2) + "x A 192.0.2.999\n")
    rewrite(server.zones["other.test"], zone(3))
    with Load(server) as load:
        server.signal(signal.SIGHUP)
        wait_serial(server, 3, "other.test.")
        server.wait_log(rf"{server.zones['r.test']}:6: .*'192\.0\.2\.999'",
                        after=start)
        assert serial(server) == 1
        rewrite(server.zones["r.test"], zone(4))
        server.signal(signal.SIGHUP)
        wait_serial(server, 4)
    assert load.faults == []


@pytest.mark.parametrize("how", ["empty", "gone", "no-soa", "folder"])
def test_other_ways_to_break_a_zone(serve, how):
    server = serve({"r.test": zone(1)})
    path = server.zones["r.test"]
    start = len(server.log())
    if how == "empty":
        rewrite(path, "")
    elif how == "no-soa":
        rewrite(path, "@ 60 NS ns\nns 60 A 192.0.2.1\n")
    else:
        path.unlink()
        if how == "folder":
            path.mkdir()
    server.signal(signal.SIGHUP)
    server.wait_log(r"r\.test.*not loaded", after=start)
    assert serial(server) == 1
    if how == "folder":
        path.rmdir()
    rewrite(path, zone(2))
    server.signal(signal.SIGHUP)
    wait_serial(server, 2)


def test_zone_that_was_broken_at_the_start_is_mended(serve):
    server = serve({"r.test": "@ 60 SOA\n"})
    assert serial(server) == "SERVFAIL"
    rewrite(server.zones["r.test"], zone(2))
    server.signal(signal.SIGHUP)
    wait_serial(server, 2)


def test_new_zone_and_removed_zone(serve, tmp_path):
    server = serve({"r.test": zone(1), "old.test": zone(1)})
    path = server.folder / "new.zone"
    path.write_text(zone(5))
    assert serial(server, "new.test.") == "REFUSED"
    server.zones["new.test"] = path
    del server.zones["old.test"]
    server.write_config()
    with Load(server) as load:
        server.signal(signal.SIGHUP)
        wait_serial(server, 5, "new.test.")
        server.wait_until(lambda: serial(server, "old.test.") == "REFUSED")
    assert load.faults == []
    assert serial(server) == 1


def test_zone_at_another_file(serve):
    server = serve({"r.test": zone(1)})
    path = server.folder / "elsewhere.zone"
    path.write_text(zone(9))
    server.zones["r.test"] = path
    server.write_config()
    server.signal(signal.SIGHUP)
    wait_serial(server, 9)


def test_included_file_changes(serve):
    """The zone's own file stays as it is."""
    server = serve_with_include(serve)
    part = server.folder / "part.inc"
    assert wire.ask(server, "inc.r.test.", "A").answer == [
        "inc.r.test. 60 A 192.0.2.50"]
    rewrite(part, "inc A 192.0.2.51\n")
    server.signal(signal.SIGHUP)
    server.wait_until(lambda: wire.ask(server, "inc.r.test.", "A").answer == [
        "inc.r.test. 60 A 192.0.2.51"])


def serve_with_include(serve):
    server = serve({"r.test": zone(1)})
    (server.folder / "part.inc").write_text("inc A 192.0.2.50\n")
    rewrite(server.zones["r.test"], zone(2, more="$INCLUDE part.inc\n"))
    server.signal(signal.SIGHUP)
    wait_serial(server, 2)
    return server


def test_broken_configuration_changes_nothing(serve):
    server = serve({"r.test": zone(1)})
    start = len(server.log())
    rewrite(server.zones["r.test"], zone(2))
    server.config.write_text(server.config_text() + "frobnicate = 1\n")
    server.signal(signal.SIGHUP)
    server.wait_log(r"zcdns\.conf:\d+: .*frobnicate", after=start)
    assert serial(server) == 1 or serial(server) == 2
    server.write_config()
    server.signal(signal.SIGHUP)
    wait_serial(server, 2)


def test_answers_are_wholly_old_or_wholly_new(serve):
    """Two records that change together are never seen apart."""
    def pair(number):
        return zone(number, more="".join(
            f"pair A 10.0.{i}.{number}\n" for i in range(10)))
    server = serve({"r.test": pair(1)})
    stop, faults = threading.Event(), []

    def watch():
        while not stop.is_set():
            reply = wire.ask(server, "pair.r.test.", "A")
            marks = {line.rsplit(".", 1)[1] for line in reply.answer}
            if len(reply.answer) != 10 or len(marks) != 1:
                faults.append(reply.answer)

    watcher = threading.Thread(target=watch)
    watcher.start()
    for number in range(2, 20):
        rewrite(server.zones["r.test"], pair(number))
        server.signal(signal.SIGHUP)
        wait_serial(server, number)
    stop.set()
    watcher.join()
    assert faults == []


def test_signals_in_a_row(serve):
    """Reloads that come while one runs: the last state counts."""
    server = serve({"r.test": zone(1)})
    for number in range(2, 60):
        rewrite(server.zones["r.test"], zone(number))
        server.signal(signal.SIGHUP)
    wait_serial(server, 59)


def test_memory_after_many_reloads(serve):
    """Old versions are freed: flat after the first ones."""
    more = "".join(f"h{i} A 192.0.2.{i % 250}\n" for i in range(20000))
    server = serve({"r.test": zone(1, more=more)})
    size = []
    for number in range(2, 16):
        rewrite(server.zones["r.test"], zone(number, more=more))
        server.signal(signal.SIGHUP)
        wait_serial(server, number)
        size.append(server.pss_kib())
    if not daemon.is_sanitized():  # a sanitizer keeps freed memory
        assert size[-1] < size[3] * 1.3 + 2048, size


def test_sigterm_during_a_reload(serve):
    more = "".join(f"h{i} A 192.0.2.{i % 250}\n" for i in range(100000))
    server = serve({"r.test": zone(1, more=more)})
    rewrite(server.zones["r.test"], zone(2, more=more))
    server.signal(signal.SIGHUP)
    time.sleep(0.02)
    server.stop()
