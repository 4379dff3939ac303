#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
Instructions a query by class of answer, counted by callgrind in query_bench:
from the octets of a query to those of its reply, no socket. Exact and the same
in each run, so two builds can be compared on a machine that has other work.

    instructions.py [--queries N] [--ns] [--keep FOLDER] BENCH

BENCH is the query_bench to run. --ns adds the nanoseconds of a run without
callgrind. --keep leaves the zones, and takes those that are there already.

The zone has 10,000 hosts with random names, aliases, wildcards and
delegations: unsigned without EDNS, unsigned with it, signed with NSEC and with
NSEC3 (no salt, no extra iterations) with DO set.
"""

import argparse
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import harness  # puts signing on the path
import signing

APEX = "bench.test"
CLASSES = ("hit", "nodata", "nxdomain", "wildcard", "referral", "cname")
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
HOSTS = 10000
OTHERS = 500  # aliases, wildcards, delegations: so many of each
ASKED = 1000  # different queries of a class
HEAD = f"""$ORIGIN {APEX}.
$TTL 300
@ SOA ns hm 1 3600 600 86400 60
@ NS ns
ns A 192.0.2.1
"""

# Column: zone, options of query_bench.
COLUMNS = {
    "unsigned": ("unsigned", ()),
    "EDNS": ("unsigned", ("-e",)),
    "NSEC": ("nsec", ("-d",)),
    "NSEC3": ("nsec3", ("-d",)),
}
SIGN = {"nsec": (), "nsec3": ("-n", "-t", "0")}


def make_names(pick, number):
    names = set()
    while len(names) < number:
        names.add("x" + "".join(pick.choices(LETTERS, k=9)))
    return sorted(names)


def zone_text(names):
    """The hosts, and what the first of them lend their names to."""
    lines = [HEAD]
    lines += [f"{name} A 10.{i >> 16}.{i >> 8 & 255}.{i & 255}\n"
              for i, name in enumerate(names)]
    for i, name in enumerate(names[:OTHERS]):
        lines += [f"{name}.c CNAME {names[-1 - i]}\n",
                  f"*.{name}.w A 192.0.2.2\n",
                  f"{name}.d NS ns.{name}.d\n",
                  f"ns.{name}.d A 192.0.2.3\n"]
    return "".join(lines)


def queries_text(names, pick):
    """ASKED lines of each class, in an order that is none of the zone."""
    hosts = pick.sample(names, ASKED)
    absent = [name for name in make_names(pick, ASKED) if name not in names]
    others = [pick.choice(names[:OTHERS]) for _ in range(ASKED)]
    made = {
        "hit": [f"{name} A" for name in hosts],
        "nodata": [f"{name} AAAA" for name in hosts],
        "nxdomain": [f"{name} A" for name in pick.sample(absent, len(absent))],
        "wildcard": [f"h{i}.{name}.w A" for i, name in enumerate(others)],
        "referral": [f"h{i}.{name}.d A" for i, name in enumerate(others)],
        "cname": [f"{name}.c A" for name in others],
    }
    return "".join(
        "{} {}.{}. {}\n".format(kind, name, APEX, rrtype)
        for kind, lines in made.items()
        for name, rrtype in (line.split() for line in lines))


def make_files(folder):
    """Zones and queries; those that are there stay."""
    pick = random.Random(1)
    names = make_names(pick, HOSTS)
    text = zone_text(names)
    if not (folder / "unsigned").exists():
        (folder / "unsigned").write_text(text)
    (folder / "queries").write_text(queries_text(names, pick))
    for kind, options in SIGN.items():
        if not (folder / kind).exists():
            signed = signing.sign(folder / f"{kind}.keys", APEX, text,
                                  *options)
            signed.rename(folder / kind)


def command(bench, folder, column, queries, rounds):
    zone, options = COLUMNS[column]
    return [bench, *options, "-n", str(queries), "-r", str(rounds), APEX,
            folder / zone, folder / "queries"]


def total(path):
    """Instructions of one dump."""
    for line in path.read_text().splitlines():
        if line.startswith(("summary:", "totals:")):
            return int(line.split()[1])
    raise SystemExit(f"{path}: no summary in it")


def count(bench, folder, column, queries):
    """Class to instructions a query: callgrind dumps behind each class."""
    out = folder / "callgrind.out"
    for old in folder.glob("callgrind.out*"):
        old.unlink()
    run = subprocess.run(
        ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}",
         "--toggle-collect=answer_round", "--dump-after=answer_round",
         *command(bench, folder, column, queries, 1)],
        capture_output=True, text=True)
    if run.returncode:
        raise SystemExit(run.stderr)
    kinds = [line.split()[0] for line in run.stdout.splitlines()]
    return {kind: total(folder / f"callgrind.out.{i}") / queries
            for i, kind in enumerate(kinds, 1)}


def time(bench, folder, column):
    run = subprocess.run(command(bench, folder, column, 100000, 7),
                         capture_output=True, text=True, check=True)
    return {line.split()[0]: float(line.split()[1])
            for line in run.stdout.splitlines()}


def show(title, table):
    print(f"{title:<22}" + "".join(f"{column:>10}" for column in COLUMNS))
    for kind in CLASSES:
        print(f"{kind:<22}" + "".join(f"{table[column][kind]:>10.0f}"
                                      for column in COLUMNS))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--queries", type=int, default=ASKED * 5)
    parser.add_argument("--ns", action="store_true")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("bench")
    args = parser.parse_args()
    if not shutil.which("valgrind"):
        raise SystemExit("instructions.py needs valgrind")
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.keep or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        make_files(folder)
        show("instructions a query",
             {column: count(args.bench, folder, column, args.queries)
              for column in COLUMNS})
        if args.ns:
            show("ns a query", {column: time(args.bench, folder, column)
                                for column in COLUMNS})


if __name__ == "__main__":
    sys.exit(main())
