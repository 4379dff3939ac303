# SPDX-License-Identifier: BSD-2-Clause
"""
Replies under flood, octet by octet: none wrong, none twice, none to another
client. `make check-integrity` does the same with many more.
"""

import re

import pytest

import replies
from test_data_path import counter, status

COUNT = 6000  # queries of each flood
SHAPES = [(1, 1), (1, 32), (16, 1), (16, 32), (256, 1), (256, 32), (4096, 1),
          (4096, 32)]


@pytest.fixture(scope="module", params=["always", "never"])
def zerocopy(request):
    return request.param


@pytest.fixture(scope="module")
def flooded(tmp_path_factory, serve_module, zerocopy):
    """(server, lots) with expected replies that have been checked."""
    lots = replies.make_lots(tmp_path_factory.mktemp("lots"), many=100)
    server = serve_module(
        {lot.apex: lot.zone_path for lot in lots},
        options={"control": '"control"', "zerocopy": zerocopy,
                 "zerocopy-min": 300})
    for lot in lots:
        lot.ask(server)
    return server, lots


@pytest.mark.parametrize("sources, burst", SHAPES)
def test_every_octet(flooded, sources, burst):
    server, lots = flooded
    for lot in lots:
        code, result = replies.flood(server, lot, COUNT, sources, burst)
        assert not replies.faults(result), result
        assert code == 0 and result["sent"] == COUNT
        assert result["answered"] + result["lost"] == COUNT
        assert result["answered"] > COUNT * 0.98, result


def test_the_paths_were_taken(flooded, io, zerocopy):
    """Bundles went out, and went by zerocopy where that was asked for."""
    server, lots = flooded
    replies.flood(server, lots[0], COUNT, 1, 32)
    sent = re.search(r"UDP: (\d+) replies in (\d+) sends", status(server))
    assert int(sent[1]) > int(sent[2])
    sends = counter(server, r"zerocopy: (\d+) sends")
    possible = io == "uring" and re.search(
        r"^kernel zerocopy send: present, used", status(server), re.M)
    assert (sends > 100) == bool(possible), status(server)


def test_one_altered_octet_is_found(flooded):
    """In the last place of one of the replies."""
    server, lots = flooded
    for lot in lots:
        altered = list(lot.replies)
        altered[7] = altered[7][:-1] + bytes([altered[7][-1] ^ 1])
        path = lot.write(altered, lot.folder / "altered")
        code, result = replies.flood(server, lot, len(altered), 16, 1, path)
        assert code == 1
        # -r asks in random order, a query maybe more than once
        assert set(replies.faults(result)) == {"wrong_octets"}, result


def test_two_swapped_replies_are_found(flooded):
    server, lots = flooded
    for lot in lots:
        swapped = list(lot.replies)
        swapped[0], swapped[6] = swapped[6], swapped[0]
        path = lot.write(swapped, lot.folder / "swapped")
        code, result = replies.flood(server, lot, len(swapped), 1, 32, path)
        assert code == 1 and replies.faults(result), result
