# SPDX-License-Identifier: BSD-2-Clause
"""
What zcdns shall reach, each as a ratio of CPU cost per reply to that of a peer
in the same rounds: how many times cheaper it is.
"""

import dataclasses

# What other programs of tests/bench hold against their targets.
ELSEWHERE = ("p99 latency at half load: make bench-latency; loss at 90 % of "
             "dnsperf's maximum: make bench-dnsperf")
BACK_ENDS = ("uring", "mmsg")


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


def judge(target, ratio):
    """The verdict on a rounds.Ratio."""
    if ratio.value is None:
        return "rounds disagree"
    return "met" if ratio.value >= target.wanted else "not met"


def figure(target, value):
    """The ratio in the words of the target."""
    return f"{1 / value:.2f}" if target.as_share else f"{value:.2f}"


def bound(target):
    return ("<= " if target.as_share else ">= ") + figure(target,
                                                          target.wanted)
