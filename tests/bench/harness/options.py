# SPDX-License-Identifier: BSD-2-Clause
"""What the programs of the bench have in common: options, how they run."""

import argparse
import json
import pathlib
import sys
import tempfile

import daemon
from harness import machine
from harness.loads import Failed
from harness.rounds import SPREAD_MAX

FIFO_PRIORITY = 10


def say(text):
    """Progress; the result alone goes to standard output."""
    print(text, file=sys.stderr, flush=True)


def parser(description, rounds, seconds):
    made = argparse.ArgumentParser(description=description)
    made.add_argument("--rounds", type=int, default=rounds,
                      help="(%(default)s)")
    made.add_argument("--seconds", type=float, default=seconds,
                      help="of a run (%(default)s)")
    made.add_argument("--spread", type=float, default=SPREAD_MAX,
                      help="of the rounds that refuses a ratio (%(default)s)")
    made.add_argument("--json", metavar="FILE", help="result as JSON")
    made.add_argument("--markdown", action="store_true",
                      help="print the tables as Markdown")
    made.add_argument("--fifo", action="store_true",
                      help="server and load under SCHED_FIFO, for a machine "
                      "that has other work")
    return made


def parse(made, argv):
    args = made.parse_args(argv)
    if args.rounds < 1 or args.seconds <= 0 or args.spread <= 0:
        made.error("rounds, seconds and spread are above 0")
    try:
        daemon.program()
    except FileNotFoundError as error:
        sys.exit(f"{error}; $ZCDNS names it")
    return args


def priority(args):
    return FIFO_PRIORITY if args.fifo else 0


def settings(args):
    return {"rounds": args.rounds, "seconds": args.seconds,
            "spread": args.spread, "fifo": args.fifo}


def write_json(args, data):
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(data, indent=1) + "\n",
                                           encoding="utf-8")


def run(args, measure_all, text, to_json):
    """
    Prints and writes what measure_all(args, folder) finds, which is about the
    machine, and results; returns the results. Ends the program when it fails.
    """
    steal = machine.Steal()
    with tempfile.TemporaryDirectory(prefix="zcdns-bench-") as name:
        try:
            about, results = measure_all(args, pathlib.Path(name))
        except Failed as error:
            sys.exit(str(error))
    about["steal"] = steal.share()
    print(text(args, about, results), flush=True)
    write_json(args, to_json(args, about, results))
    return results
