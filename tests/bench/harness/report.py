# SPDX-License-Identifier: BSD-2-Clause
"""
The outcome of a bench: table, Markdown, JSON.

An outcome is a list of LineResult; the tables are rows of text, once aligned
for a terminal and once as Markdown.
"""

import dataclasses

from harness import peers, targets
from harness.rounds import Ratio, Summary

HEAD = ("server", "ns/reply", "(min-max)", "replies/s", "CPU", "lost",
        "x echo", "x knotd")
SUMMARY_HEAD = ("ns/reply", *peers.LABELS.values())
TARGET_HEAD = ("line", "against", "wanted", "uring", "", "mmsg", "")


@dataclasses.dataclass
class LineResult:
    """samples: {peer: [Sample of each round]}; error: why there are none."""

    line: object
    samples: dict
    spread_max: float
    error: str = None

    def ratio(self, peer, against):
        """How many times cheaper peer is; None when one was not measured."""
        if not self.samples.get(peer) or not self.samples.get(against):
            return None
        return Ratio.of([one.ns_per_reply for one in self.samples[against]],
                        [one.ns_per_reply for one in self.samples[peer]],
                        self.spread_max)


def _row(result, peer):
    samples = result.samples[peer]
    cost = Summary.of(one.ns_per_reply for one in samples)
    sent = sum(one.sent for one in samples)
    ratios = [result.ratio(peer, base) for base in ("echo", "knotd")]
    return (peers.LABELS[peer], f"{cost.median:,.0f}",
            f"({cost.low:,.0f}-{cost.high:,.0f})",
            f"{Summary.of(one.rate for one in samples).median:,.0f}",
            f"{100 * Summary.of(one.busy for one in samples).median:.0f} %",
            f"{100 * sum(one.lost for one in samples) / sent:.2f} %",
            *("-" if one is None else str(one) for one in ratios))


def line_rows(result):
    return [_row(result, peer) for peer in result.samples]


def _verdict(result, target, back_end):
    ratio = result.ratio(back_end, target.against)
    if ratio is None:
        return ("-", "not measured")
    shown = "" if ratio.value is None else targets.figure(target, ratio.value)
    return (shown, ratio.verdict(target.wanted))


def summary_rows(results):
    """A line for each load: the median cost at each peer."""
    return [(result.line.name, *(
        f"{Summary.of(one.ns_per_reply for one in found).median:,.0f}"
        if found else "-"
        for found in (result.samples.get(peer) for peer in peers.NAMES)))
        for result in results]


def target_rows(results):
    rows = []
    for result in results:
        for target in targets.TARGETS:
            if target.load_name != result.line.load_name or result.error:
                continue
            rows.append((result.line.name, target.against,
                         targets.bound(target),
                         *_verdict(result, target, "uring"),
                         *_verdict(result, target, "mmsg")))
    return rows


def aligned(head, rows):
    """Columns of a terminal: figures to the right, words to the left."""
    rows = [head, *rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    return "\n".join("  ".join(
        cell.rjust(width) if i and name else cell.ljust(width)
        for i, (cell, width, name) in enumerate(zip(row, widths, head))
    ).rstrip() for row in rows)


def markdown(head, rows):
    rules = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join("| " + " | ".join(row) + " |"
                     for row in [head, rules, *rows])


def heading(machine, settings):
    """What it ran on and how, in a few lines."""
    versions = ", ".join(machine["versions"].values())
    return (f"Linux {machine['kernel']}, {machine['cpu']}, "
            f"{machine['cpus']} CPUs, {100 * machine['steal']:.1f} % stolen\n"
            f"{versions}\n"
            f"Server on CPU {machine['server_cpu']}, load on CPU "
            f"{machine['load_cpu']}{', SCHED_FIFO' * settings['fifo']}; "
            f"medians of {settings['rounds']} alternating rounds of "
            f"{settings['seconds']:g} s after one that warms up.")


def legend(settings):
    """What the columns are."""
    return ("ns/reply: CPU time of the server and its softirq threads over "
            "replies that the client received.\n"
            "x echo, x knotd: how many times cheaper a reply is, median of "
            "the rounds; \"disagree\" where the\nmiddle half of the rounds is "
            f"wider than {100 * settings['spread']:.0f} % of the median.")


def paragraphs(as_markdown, *parts):
    """Text of several paragraphs; Markdown keeps the ends of lines."""
    if as_markdown:
        parts = [part if part.startswith("|")
                 else part.replace("\n", "  \n") for part in parts]
    return "\n\n".join(parts)


def table(as_markdown, head, rows):
    return (markdown if as_markdown else aligned)(head, rows)


def title(as_markdown, name, words):
    return f"**{name}**: {words}" if as_markdown else f"{name}: {words}"


def _details(results, as_markdown):
    parts = []
    for result in results:
        parts.append(title(as_markdown, result.line.name, result.line.title))
        parts.append(f"failed: {result.error}" if result.error
                     else table(as_markdown, HEAD, line_rows(result)))
    return parts


def _targets(results, as_markdown):
    rows = target_rows(results)
    if not rows:
        return []
    return [title(as_markdown, "targets", "times cheaper than the peer, or "
                  "share of its CPU"),
            table(as_markdown, TARGET_HEAD, rows), targets.ELSEWHERE]


def text(machine, settings, results, as_markdown=False):
    """The whole of `make bench`."""
    return paragraphs(as_markdown, heading(machine, settings),
                      legend(settings),
                      table(as_markdown, SUMMARY_HEAD, summary_rows(results)),
                      *_targets(results, as_markdown),
                      *_details(results, as_markdown))


def ratio_json(ratio):
    return None if ratio is None else {
        "value": ratio.value, "median": ratio.median, "min": ratio.low,
        "max": ratio.high, "spread": ratio.spread}


def _peer_json(result, peer):
    samples = result.samples[peer]
    return {
        "ns_per_reply": dataclasses.asdict(
            Summary.of(one.ns_per_reply for one in samples)),
        "rate": dataclasses.asdict(Summary.of(one.rate for one in samples)),
        "against_echo": ratio_json(result.ratio(peer, "echo")),
        "against_knotd": ratio_json(result.ratio(peer, "knotd")),
        "samples": [dataclasses.asdict(one) for one in samples]}


def to_json(machine, settings, results):
    lines = [{"name": one.line.name, "title": one.line.title,
              "error": one.error,
              "peers": {peer: _peer_json(one, peer) for peer in one.samples}}
             for one in results]
    judged = [dict(zip(("line", "against", "wanted", "uring", "uring_verdict",
                        "mmsg", "mmsg_verdict"), row))
              for row in target_rows(results)]
    return {"machine": machine, "settings": settings, "lines": lines,
            "targets": judged}
