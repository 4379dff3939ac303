#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
What a zone of 1,000,000 A records costs zcdns, knotd and nsd: CPU seconds from
exec to the first answer, resident memory per record (PSS, all processes), and
the peak while it is read again with 1 % of its lines changed.
"""

import argparse
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]
                       / "integration"))

import daemon  # noqa: E402
import wire  # noqa: E402

APEX = "load.test"


def write_zone(path, records, serial):
    """Every hundredth address goes with the serial."""
    fresh = path.with_suffix(".new")
    with open(fresh, "w", encoding="ascii") as out:
        out.write(f"$TTL 300\n@ SOA ns hm {serial} 2 3 4 5\n@ NS ns\n"
                  "ns A 192.0.2.1\n")
        for i in range(records):
            first = 10 + (serial if i % 100 == 0 else 0)
            out.write(f"h{i:07} A {first}.{i >> 16 & 255}.{i >> 8 & 255}."
                      f"{i & 255}\n")
    os.replace(fresh, path)


def serial(server):
    try:
        octets = wire.udp_raw(server, wire.make_query(f"{APEX}.", "SOA"), 0.2)
    except OSError:
        return None
    if not octets:
        return None
    answer = wire.Reply(octets).answer
    return int(answer[0].split()[5]) if answer else None


def wait_serial(server, wanted, watch=None):
    """Polls until that version is served; the highest figure of watch."""
    peak, end = 0, time.monotonic() + 120
    while serial(server) != wanted:
        assert server.process.poll() is None, server.log()
        assert time.monotonic() < end, f"serial {wanted} is not served"
        peak = max(peak, watch() if watch else 0)
        time.sleep(0.01)
    return max(peak, watch() if watch else 0)


def reload(server, zone, folder):
    if isinstance(server, daemon.Server):
        server.signal(signal.SIGHUP)
    elif isinstance(server, daemon.Knot):
        subprocess.run([daemon.find_tool("knotc"), "-c",
                        folder / "knot.conf", "zone-reload", APEX],
                       check=True, capture_output=True)
    else:
        server.signal(signal.SIGHUP)


def measure(name, server, folder, zone, records):
    write_zone(zone, records, 1)
    server.spawn()
    wait_serial(server, 1)
    cpu = server.cpu_seconds()
    time.sleep(1)
    resident = server.pss_kib()
    write_zone(zone, records, 2)
    # File times may be as coarse as a second for some.
    os.utime(zone, (time.time() + 2, time.time() + 2))
    reload(server, zone, folder)
    peak = wait_serial(server, 2, server.pss_kib)
    server.kill()
    print(f"{name:8} {cpu:12.2f} {resident / 1024:12.0f}"
          f" {resident * 1024 / records:14.0f} {peak / 1024:14.0f}"
          f" {peak / resident:8.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description="Cost of loading a zone.")
    parser.add_argument("records", type=int, nargs="?", default=1000000,
                        help="(%(default)s)")
    records = parser.parse_args().records
    if not 0 < records <= 10**7:
        parser.error("records are from 1 to 10000000")
    print(f"{records:,} records, one worker each\n\n"
          f"{'server':8} {'load CPU s':>12} {'PSS MiB':>12}"
          f" {'octets/record':>14} {'reload MiB':>14} {'ratio':>8}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        zone = folder / f"{APEX}.zone"
        kinds = {"zcdns": daemon.Server, "knotd": daemon.Knot,
                 "nsd": daemon.Nsd}
        for kind, make in kinds.items():
            if kind != "zcdns" and not daemon.find_tool(kind):
                print(f"{kind:8} is not installed")
                continue
            where = folder / kind
            zone.touch()
            measure(kind, make(where, {APEX: zone}), where, zone, records)


if __name__ == "__main__":
    main()
