# SPDX-License-Identifier: BSD-2-Clause
"""
The parts of the bench; standard library only.

    rounds    configurations in turn, medians, ratios that may be refused
    cpu       CPU time of a server's threads and of its softirq threads
    machine   what it ran on, and what the hypervisor took meanwhile
    netns     loopback, and a veth pair between two namespaces
    zones     zones and query files
    loads     zcflood and dnsperf: command lines, results
    peers     the servers under comparison, pinned
    measure   one run: a load against a server, CPU time around it
    lines     the lines of the table
    targets   what is wanted of them
    report    table, Markdown, JSON, chart
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]
                       / "integration"))
