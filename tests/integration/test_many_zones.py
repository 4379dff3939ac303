# SPDX-License-Identifier: BSD-2-Clause
"""100,000 zones of six records: they load, they are found, they reload."""

import os
import random
import signal
import time

import pytest

import daemon
import wire

COUNT = 100000


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Hard links to 100 files: what counts is the number of zones."""
    where = tmp_path_factory.mktemp("many")
    for i in range(COUNT):
        path = where / f"z{i}.test.zone"
        if i < 100:
            path.write_text(
                f"$TTL 60\n@ SOA ns hm {i + 1} 2 3 4 5\n@ NS ns\n@ NS ns2\n"
                f"ns A 192.0.2.1\nns2 A 192.0.2.2\nwww A 10.0.0.{i}\n")
        else:
            os.link(where / f"z{i % 100}.test.zone", path)
    return where


def test_many_zones(tmp_path, io, folder):
    """Load, find each of a sample, change one, reload; a minute at most."""
    start = time.monotonic()
    with daemon.Server(tmp_path, {}, io=io,
                       extra=f'zone-dir = "{folder}"\n'
                       'log { level = warning }\n') as server:
        rng = random.Random(1)
        sample = [0, COUNT - 1] + rng.sample(range(COUNT), 2000)
        for i in sample:
            reply = wire.ask(server, f"www.z{i}.test.", "A")
            assert reply.answer == [f"www.z{i}.test. 60 A 10.0.0.{i % 100}"]
        assert wire.ask(server, f"www.z{COUNT}.test.", "A").rcode == "REFUSED"
        fresh = folder / "fresh"
        fresh.write_text((folder / "z7.test.zone").read_text().replace(
            "10.0.0.7", "10.9.9.9").replace("hm 8 ", "hm 1000 "))
        kept = folder / "kept"
        os.link(folder / "z7.test.zone", kept)
        os.replace(fresh, folder / "z7.test.zone")
        server.signal(signal.SIGHUP)
        try:
            server.wait_until(
                lambda: wire.ask(server, "www.z7.test.", "A").answer
                == ["www.z7.test. 60 A 10.9.9.9"], 30, "not reloaded")
        finally:
            os.replace(kept, folder / "z7.test.zone")
        assert wire.ask(server, "www.z107.test.", "A").answer == [
            "www.z107.test. 60 A 10.0.0.7"]
    assert time.monotonic() - start < 60
