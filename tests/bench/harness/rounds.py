# SPDX-License-Identifier: BSD-2-Clause
"""
Configurations measured in turn, A B C A B C, so that a drift of the machine
hits all of them; and what may be said about the result.

A ratio is the median of the ratios within each round. It is refused when the
rounds disagree: when the middle half of them is wider than a bound, as a share
of the median.
"""

import dataclasses
import statistics

SPREAD_MAX = 0.2


def alternate(names, measure, rounds, warmup=1):
    """{name: [measure(name), ...]}; the rounds that warm up are dropped."""
    results = {name: [] for name in names}
    for number in range(-warmup, rounds):
        for name in names:
            result = measure(name)
            if number >= 0:
                results[name].append(result)
    return results


@dataclasses.dataclass(frozen=True)
class Summary:
    """Median and extremes of the rounds."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values):
        values = list(values)
        return cls(statistics.median(values), min(values), max(values))


def spread(values):
    """Width of the middle half (all, below four values) over the median."""
    values = sorted(values)
    if len(values) < 4:
        width = values[-1] - values[0]
    else:
        first, _, third = statistics.quantiles(values, n=4,
                                               method="inclusive")
        width = third - first
    return width / statistics.median(values)


@dataclasses.dataclass(frozen=True)
class Ratio:
    """Of two series of the same rounds. value is None when it is refused."""

    median: float
    low: float
    high: float
    spread: float
    bound: float

    @classmethod
    def of(cls, over, under, bound=SPREAD_MAX):
        if len(over) != len(under):
            raise ValueError("not the same rounds")
        values = [a / b for a, b in zip(over, under)]
        return cls(statistics.median(values), min(values), max(values),
                   spread(values), bound)

    @property
    def value(self):
        return self.median if self.spread <= self.bound else None

    def verdict(self, wanted):
        """Whether it is at least so much, in words. Rounds that disagree on
        the ratio may still agree on that."""
        if self.value is not None:
            return "met" if self.value >= wanted else "not met"
        if self.low >= wanted:
            return "met in each round"
        return ("not met in any round" if self.high < wanted
                else "rounds disagree")

    def __str__(self):
        if self.value is None:
            return "disagree"
        return f"{self.value:.2f}"
