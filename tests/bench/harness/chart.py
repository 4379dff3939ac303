# SPDX-License-Identifier: BSD-2-Clause
"""
The chart of the README: replies per second of CPU time, a panel for each load,
a bar for each server, drawn by gnuplot as SVG.
"""

import math
import subprocess

import daemon
from harness import peers
from harness.rounds import Summary

# Rates that are given are no contest of how much; the large zone would break
# the rows, one for each network. All of them are in the table.
LEFT_OUT = ("rate", "rate-dnsperf", "large")
COLOURS = {"echo": "#9a9a9a", "uring": "#1b6ca8", "mmsg": "#7fb2d9",
           "knotd": "#e09f3e", "nsd": "#9e2a2b"}
COLUMNS = 5
PANEL = (280, 250)


def _panel(number, result):
    """Data block and plot command of one load."""
    rows = []
    for at, (peer, samples) in enumerate(result.samples.items()):
        summary = Summary.of(one.replies_per_cpu_second / 1000
                             for one in samples)
        rows.append(f'{at} {summary.median:.1f} {summary.low:.1f} '
                    f'{summary.high:.1f} {int(COLOURS[peer][1:], 16)} '
                    f'"{peers.LABELS[peer]}"')
    block = f"$panel{number} << END\n" + "\n".join(rows) + "\nEND\n"
    label = "" if number % COLUMNS else "thousand replies per CPU-second"
    return block, (
        f'set title "{result.line.name}"\nset ylabel "{label}" font ",8"\n'
        f"plot $panel{number} using 1:2:5:xtic(6) with boxes "
        "linecolor rgb variable notitle, "
        f"$panel{number} using 1:3:(0):($4-$3) with vectors nohead "
        'linecolor rgb "#333333" notitle\n')


def script(path, results):
    """What gnuplot is told."""
    shown = [one for one in results
             if one.samples and one.line.load_name not in LEFT_OUT]
    rows = math.ceil(len(shown) / COLUMNS)
    panels = [_panel(number, one) for number, one in enumerate(shown)]
    size = f"{PANEL[0] * min(COLUMNS, len(shown))},{PANEL[1] * rows}"
    name = str(path).replace("'", "''")
    return ("".join(block for block, _ in panels)
            + f"set terminal svg size {size} font 'sans,10' "
            "background '#ffffff'\n"
            f"set output '{name}'\n"
            "set style fill solid 0.9 noborder\nset boxwidth 0.7\n"
            "set yrange [0:*]\nset xtics rotate by -30 nomirror font ',8'\n"
            "set ytics nomirror font ',8'\nset grid ytics\nset border 3\n"
            f"set multiplot layout {rows},{min(COLUMNS, len(shown))}\n"
            + "".join(plot for _, plot in panels) + "unset multiplot\n")


def draw(path, results):
    """Writes the SVG; why not, when it cannot."""
    if not any(one.samples and one.line.load_name not in LEFT_OUT
               for one in results):
        return "no line of the chart was measured"
    if not daemon.find_tool("gnuplot"):
        return "gnuplot is not installed"
    done = subprocess.run([daemon.find_tool("gnuplot")],
                          input=script(path, results), text=True,
                          capture_output=True, check=False)
    return done.stderr.strip() or "gnuplot failed" if done.returncode else None
