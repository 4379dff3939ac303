# SPDX-License-Identifier: BSD-2-Clause
"""
Replies under flood, octet by octet: none wrong, none twice, none to another
client. `make check-integrity` does the same with many more.
"""

import re

import pytest

import daemon
import delayed
import replies
from replies import Shape
from test_data_path import counter

COUNT = 1000 if daemon.is_sanitized() else 3000  # queries of each flood
LOSS = 0.001
SHAPES = [Shape(sources, burst, gro) for sources in (1, 16, 256, 4096)
          for burst, gro in ((1, False), (32, False), (32, True))]
SHAPES += [Shape(16, burst, transport="tcp") for burst in (1, 32)]


@pytest.fixture(scope="module")
def lots(tmp_path_factory):
    return replies.make_lots(tmp_path_factory.mktemp("lots"), few=25, many=50)


@pytest.fixture(scope="module", params=["always", "never"])
def zerocopy(request):
    return request.param


def start(serve, lots, zerocopy):
    """The first server of all says what is expected of the others too."""
    server = serve(replies.zones(lots), options={
        "control": '"control"', "zerocopy": zerocopy, "zerocopy-min": 300})
    for lot in lots:
        if not lot.expected_path:
            lot.ask(server)
    return server


@pytest.fixture(scope="module")
def flooded(lots, serve_module, zerocopy):
    return start(serve_module, lots, zerocopy)


def place(server):
    return server.address, server.port


def uses_zerocopy(server):
    return re.search(r"^kernel zerocopy send: present, used", server.status(),
                     re.M)


def check_all(server, lots, count, shape):
    for lot in lots:
        code, result = replies.flood(place(server), lot, count, shape)
        assert not replies.faults(code, result), result
        assert result["sent"] == count
        assert result["answered"] + result["lost"] == count
        assert result["lost"] <= count * LOSS, result


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_octet(flooded, lots, shape):
    check_all(flooded, lots, COUNT, shape)


def test_the_paths_were_taken(flooded, lots, io, zerocopy):
    """Bundles went out, and went by zerocopy where that was asked for."""
    replies.flood(place(flooded), lots[0], COUNT, Shape(1, 32, True))
    sent = re.search(r"UDP: (\d+) replies in (\d+) sends", flooded.status())
    assert int(sent[1]) > int(sent[2])
    sends = counter(flooded, r"zerocopy: (\d+) sends")
    possible = io == "uring" and zerocopy == "always" and uses_zerocopy(flooded)
    assert (sends > 100) == bool(possible), flooded.status()


@pytest.mark.skipif(delayed.missing() is not None, reason=delayed.missing()
                    or "")
@pytest.mark.parametrize("shape", [
    Shape(1, 1), Shape(1, 32), Shape(16, 32, True)], ids=str)
def test_packets_that_wait(lots, io, serve, shape):
    """The device has the pages for longer than the send takes."""
    with delayed.loopback():
        server = start(serve, lots, "always")
        check_all(server, lots, COUNT, shape)
        possible = io == "uring" and uses_zerocopy(server)
        sends = counter(server, r"zerocopy: (\d+) sends")
        assert (sends > 10) == bool(possible), server.status()


def test_one_altered_octet_is_found(flooded, lots):
    """In the last place of one of the replies."""
    for lot in lots:
        altered = list(lot.replies["udp"])
        altered[7] = altered[7][:-1] + bytes([altered[7][-1] ^ 1])
        path = lot.write(altered, lot.folder / "altered")
        code, result = replies.flood(place(flooded), lot, len(altered),
                                     Shape(16, 32), path)
        assert code == 1
        assert replies.faults(code, result) == {"wrong_octets": 1}, result


def test_two_swapped_replies_are_found(flooded, lots):
    for lot in lots:
        swapped = list(lot.replies["udp"])
        swapped[0], swapped[11] = swapped[11], swapped[0]
        path = lot.write(swapped, lot.folder / "swapped")
        code, result = replies.flood(place(flooded), lot, len(swapped),
                                     Shape(1, 32), path)
        assert code == 1
        assert replies.faults(code, result) == {"wrong_octets": 2}, result
