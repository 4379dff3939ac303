# SPDX-License-Identifier: BSD-2-Clause
"""
What zcdns shall reach, each as a ratio of CPU cost per reply to that of a peer
in the same rounds: how many times cheaper it is.
"""

import dataclasses

# What other programs of tests/bench hold against their targets.
ELSEWHERE = ("Other targets: p99 latency at half load (make bench-latency), "
             "no loss at 90 % of\ndnsperf's maximum (bench-dnsperf), TCP "
             "(bench-tcp), AXFR (bench-axfr), the DNS\nwork proper "
             "(bench-names).")


@dataclasses.dataclass(frozen=True)
class Target:
    """load_name: of a line, on any network. wanted: at least so much."""

    load_name: str
    against: str
    wanted: float
    # Shown as a share of the peer's CPU, "at most", where that is the wording.
    as_share: bool = False


TARGETS = [
    Target("singles-gro", "echo", 2.0),
    Target("singles-gro", "knotd", 2.5),
    Target("singles", "knotd", 1.5),
    Target("dnsperf", "knotd", 1.5),
    Target("coalesced", "echo", 8.0),
    Target("coalesced", "knotd", 10.0),
    Target("sources", "echo", 0.95),
    Target("sources", "knotd", 1.5),
    Target("rate-dnsperf", "knotd", 1 / 0.6, as_share=True),
]


def figure(target, value):
    """The ratio in the words of the target."""
    return f"{1 / value:.2f}" if target.as_share else f"{value:.2f}"


def bound(target):
    return ("<= " if target.as_share else ">= ") + figure(target,
                                                          target.wanted)
