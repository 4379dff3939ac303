# SPDX-License-Identifier: BSD-2-Clause
"""
Fixtures of the integration tests. Every test that takes `serve` or `io` runs
once for each back end in $ZCDNS_IO (default "uring,mmsg"); a back end that
this kernel does not give us is skipped with the kernel's reason. The third one,
"forbidden", is io = auto under a seccomp filter that forbids io_uring; by
default it is added for some of the files only.

$ZCDNS names the binary, $ZCDNS_PEER (knotd or nsd) runs the tests of answers
against another server, to see whether an expectation is only ours.
"""

import itertools
import os

import pytest

import daemon
import forbidden

IO = [one for one in os.environ.get("ZCDNS_IO", "").split(",") if one]
FORBIDDEN_TOO = {"test_alias", "test_data_path", "test_edns", "test_malformed",
                 "test_network", "test_tcp", "test_truncation"}
PEERS = {"knotd": daemon.Knot, "nsd": daemon.Nsd}


def pytest_generate_tests(metafunc):
    if "io" not in metafunc.fixturenames:
        return
    some = metafunc.module.__name__ in FORBIDDEN_TOO
    default = ["uring", "mmsg"] + ["forbidden"] * some
    metafunc.parametrize("io", IO or default, indirect=True, scope="session")


@pytest.fixture(scope="session")
def io(request):
    """Back end under test, as written in the configuration."""
    if request.param == "forbidden":
        if forbidden.missing():
            pytest.skip(f"io forbidden: {forbidden.missing()}")
        return forbidden.Forbidden()
    if request.param == "uring" and daemon.io_uring_missing():
        pytest.skip(f"io = uring: {daemon.io_uring_missing()}")
    return request.param


def _start(folder, io, zones, options):
    peer = PEERS.get(os.environ.get("ZCDNS_PEER", ""))
    if peer:
        return peer(folder, zones)
    return daemon.Server(folder, zones, io=io, **options)


@pytest.fixture
def serve(tmp_path, io):
    """Starts servers: serve({"z.test": text}, options=...). Stops them all."""
    running, number = [], itertools.count()

    def start(zones, **options):
        server = _start(tmp_path / str(next(number)), io, zones, options)
        server.start()
        running.append(server)
        return server

    yield start
    for server in running:
        if server.process.poll() is None:
            server.stop()


@pytest.fixture(scope="module")
def serve_module(tmp_path_factory, io):
    """As serve, for all tests of a file."""
    running = []

    def start(zones, **options):
        server = _start(tmp_path_factory.mktemp("server"), io, zones, options)
        server.start()
        running.append(server)
        return server

    yield start
    for server in running:
        server.stop()
