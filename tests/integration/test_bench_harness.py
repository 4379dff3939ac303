# SPDX-License-Identifier: BSD-2-Clause
"""
The bench's own arithmetic: medians, ratios that are refused, CPU time out of
/proc, what the load generators say, verdicts; and one short run of one line.
"""

import dataclasses
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

import pytest

import daemon

BENCH = pathlib.Path(__file__).resolve().parents[1] / "bench"
sys.path.insert(0, str(BENCH))

import dnsperf  # noqa: E402
import latency  # noqa: E402
from harness import (chart, cpu, lines, loads, machine,  # noqa: E402
                     measure, netns, report, rounds, targets, zones)

ZCFLOOD = {"sent": 1000, "answered": 990, "lost": 10, "wrong_question": 0,
           "wrong_code": 0, "wrong_octets": 0, "malformed": 0,
           "unsolicited": 0, "duplicates": 0, "late": 0, "send_errors": 0,
           "seconds": 0.5, "rate": 1980.0, "rcodes": {"NOERROR": 990},
           "octets_received": 50490, "sources": 4, "mode": "open",
           "transport": "udp", "cpu_seconds": 0.1,
           "latency_us": {"min": 9.5, "mean": 20.0, "p50": 18.0, "p90": 30.0,
                          "p99": 55.5, "p99_9": 90.25, "max": 120.0}}

DNSPERF = """Statistics:

  Queries sent:         5010
  Queries completed:    5000 (99.80%)
  Queries lost:         10 (0.20%)

  Response codes:       NOERROR 5000 (100.00%)
  Average packet size:  request 35, response 51
  Run time (s):         2.500000
  Queries per second:   2000.000000
"""


def make_samples(*costs):
    return [measure.Sample(ns_per_reply=cost, rate=1000.0, busy=0.5,
                           waited=0.0, sent=1000, answered=990, lost=10,
                           seconds=1.0) for cost in costs]


def make_result(load_name, spread=0.2, **costs):
    line = lines.select([f"lo/{load_name}"])[0]
    return report.LineResult(line, {peer: make_samples(*values)
                                    for peer, values in costs.items()}, spread)


def test_rounds_alternate_and_drop_the_warm_up():
    order, counter = [], itertools.count()

    def run(name):
        order.append(name)
        return next(counter)

    results = rounds.alternate(["a", "b"], run, 2, warmup=1)
    assert order == ["a", "b"] * 3
    assert results == {"a": [2, 4], "b": [3, 5]}


def test_summary_is_median_and_extremes():
    assert rounds.Summary.of(iter([5, 1, 9])) == rounds.Summary(5, 1, 9)
    assert rounds.Summary.of([4, 1, 2, 9]).median == 3


def test_spread_is_the_middle_half():
    # One stray round of five does not count, two do.
    assert rounds.spread([100, 100, 100, 100, 900]) == 0
    assert rounds.spread([100, 100, 100, 150, 150]) == 0.5
    # Of few rounds all count.
    assert rounds.spread([100, 120]) == pytest.approx(20 / 110)


def test_ratio_is_of_each_round():
    # A machine that got three times slower half way does not change it.
    ratio = rounds.Ratio.of([20, 22, 60, 66, 60], [10, 11, 30, 33, 30])
    assert ratio.value == 2 and ratio.spread == 0 and str(ratio) == "2.00"


def test_ratio_is_refused_when_the_rounds_disagree():
    over, under = [10, 20, 30, 40, 50], [10, 10, 10, 10, 10]
    ratio = rounds.Ratio.of(over, under, 0.2)
    assert ratio.value is None and str(ratio) == "disagree"
    assert ratio.median == 3 and (ratio.low, ratio.high) == (1, 5)
    assert rounds.Ratio.of(over, under, 0.7).value == 3


def test_ratio_wants_the_same_rounds():
    with pytest.raises(ValueError):
        rounds.Ratio.of([1, 2], [1])


def test_schedstat_is_nanoseconds():
    assert cpu.schedstat("3141592653 2718281 42\n") == (3141592653, 2718281)


def test_meter_counts_work_and_not_sleep():
    meter = cpu.Meter(lambda: [os.getpid()])
    meter.start()
    time.sleep(0.05)
    slept, _ = meter.stop()
    meter.start()
    end = time.process_time() + 0.05
    while time.process_time() < end:
        pass
    time.sleep(0.001)  # the kernel adds up when a thread leaves the CPU
    worked, _ = meter.stop()
    assert slept < 0.03e9
    assert 0.045e9 < worked < 0.2e9


def test_meter_sums_processes_that_come():
    pids, child = [], None
    meter = cpu.Meter(lambda: pids)
    meter.start()
    with subprocess.Popen([sys.executable, "-c", "input()"],
                          stdin=subprocess.PIPE) as child:
        pids.append(child.pid)
        end = time.monotonic() + 5
        while not meter.stop()[0] and time.monotonic() < end:
            time.sleep(0.01)
        assert meter.stop()[0] > 0


def test_kernel_threads_are_found_by_their_whole_name():
    found = cpu.kernel_threads("ksoftirqd/0")
    if not found:
        pytest.skip("no kernel threads in this PID namespace")
    assert pathlib.Path(f"/proc/{found[0]}/comm").read_text() \
        == "ksoftirqd/0\n"
    assert not cpu.kernel_threads("ksoftirqd")


def test_steal_is_a_share_of_all_time():
    before = "cpu  100 0 100 700 0 0 0 100 0 0"
    after = "cpu  150 0 150 750 0 0 0 150 50 0"  # guest time is user time
    assert machine.stat_shares(before, after) == 0.25
    assert machine.stat_shares(before, before) == 0


def test_zcflood_json():
    result = loads.parse_zcflood(json.dumps(ZCFLOOD))
    assert (result.sent, result.answered, result.lost) == (1000, 990, 10)
    assert result.rate == 1980
    assert result.latency["p99_9"] == 90.25


@pytest.mark.parametrize("change, reason", [
    ({"wrong_octets": 1}, "wrong_octets"),
    ({"unsolicited": 2}, "unsolicited"),
    ({"rcodes": {"NOERROR": 900, "REFUSED": 90}}, "REFUSED"),
    ({"answered": 0, "rcodes": {}}, "none")])
def test_zcflood_wrong_replies_void_a_run(change, reason):
    with pytest.raises(loads.Failed, match=reason):
        loads.parse_zcflood(json.dumps({**ZCFLOOD, **change}))


def test_zcflood_that_says_nothing():
    with pytest.raises(loads.Failed, match="no JSON"):
        loads.parse_zcflood("")


def test_dnsperf_statistics():
    result = loads.parse_dnsperf(DNSPERF)
    assert (result.sent, result.answered, result.lost) == (5010, 5000, 10)
    assert result.rate == 2000


@pytest.mark.parametrize("old, new, reason", [
    ("NOERROR 5000 (100.00%)", "NOERROR 4990 (99.80%), SERVFAIL 10 (0.20%)",
     "SERVFAIL"),
    ("NOERROR 5000 (100.00%)", "", "none"),
    ("Queries lost", "Nothing", "lost")])
def test_dnsperf_wrong_replies_void_a_run(old, new, reason):
    with pytest.raises(loads.Failed, match=reason):
        loads.parse_dnsperf(DNSPERF.replace(old, new))


def test_sample_is_cost_per_reply_received():
    result = loads.Result(1000, 500, 500, 2.0, {})
    sample = measure.sample(result, 1_000_000_000, 200_000_000)
    assert sample.ns_per_reply == 2_000_000
    assert sample.replies_per_cpu_second == 500
    assert (sample.rate, sample.busy, sample.waited) == (250, 0.5, 0.1)
    with pytest.raises(loads.Failed):
        measure.sample(result, 0, 0)


def test_closed_loop_fits_the_network():
    one = loads.Zcflood(outstanding=1000).within(240)
    assert one.outstanding == 240
    bursts = loads.Zcflood(outstanding=4096, burst=32).within(240)
    assert bursts.outstanding == 4096


@pytest.mark.parametrize("median,low,high,spread,words", [
    (1.5, 1.4, 1.6, 0, "met"),
    (1.49, 1.4, 1.6, 0.1, "not met"),
    (9, 1.49, 10, 0.3, "rounds disagree"),
    (1.4, 1, 1.5, 0.3, "rounds disagree"),
    (9, 1.5, 10, 0.3, "met in each round"),
    (1, 0.5, 1.49, 0.3, "not met in any round"),
])
def test_verdicts(median, low, high, spread, words):
    ratio = rounds.Ratio(median, low, high, spread, 0.2)
    assert ratio.verdict(1.5) == words


def test_verdict_on_a_share():
    target = targets.Target("rate-dnsperf", "knotd", 1 / 0.6, as_share=True)
    assert targets.bound(target) == "<= 0.60"
    assert targets.figure(target, 2.0) == "0.50"
    half = rounds.Ratio.of([2.0], [1.0])
    assert half.verdict(target.wanted) == "met"
    more = rounds.Ratio.of([1.5], [1.0])
    assert more.verdict(target.wanted) == "not met"


def make_latencies(*p99):
    return [dataclasses.replace(one, latency={"p50": 1.0, "p99": value,
                                              "p99_9": value})
            for one, value in zip(make_samples(*[1000] * len(p99)), p99)]


def test_latency_verdict_is_on_p99_against_knotd():
    samples = {"uring-auto": make_latencies(90, 90, 90, 90),
               "mmsg-auto": make_latencies(110, 110, 110, 110),
               "uring-none": make_latencies(50, 100, 150, 200),
               "knotd": make_latencies(100, 100, 100, 100)}
    assert latency.verdict(samples, "uring-auto", 0.2) == ("0.90", "met")
    assert latency.verdict(samples, "mmsg-auto", 0.2) == ("1.10", "not met")
    assert latency.verdict(samples, "uring-none", 0.2) == (
        "", "rounds disagree")
    assert latency.verdict(samples, "nsd", 0.2) == ("-", "not measured")


def test_half_loads():
    maxima = {"uring": 400000, "knotd": 300000}
    assert latency.halves(maxima) == {
        "half": {"uring": 200000, "knotd": 150000},
        "half-knotd": {"uring": 150000, "knotd": 150000}}
    assert latency.halves({"uring": 2}) == {"half": {"uring": 1}}


def test_dnsperf_counts_what_zcdns_lost():
    def lost(*numbers):
        return [dataclasses.replace(one, lost=number) for one, number
                in zip(make_samples(*[1000] * len(numbers)), numbers)]
    results = {"-c 1": ({}, {"uring": lost(0, 0), "knotd": lost(9, 9)}),
               "-m tcp": ({}, {"uring": lost(1, 2), "mmsg": lost(0, 0)})}
    assert dnsperf.losses(results) == [("-m tcp", "uring", 3)]


def test_dnsperf_maximum_is_of_the_best_round():
    samples = [dataclasses.replace(one, rate=rate) for one, rate
               in zip(make_samples(1, 1, 1), (5.0, 9.0, 7.0))]
    assert dnsperf.found_maxima({"uring": samples}) == {"uring": 9.0}


def test_every_target_names_a_line():
    names = {line.load_name for line in lines.LINES}
    assert {one.load_name for one in targets.TARGETS} <= names


def test_lines_are_selected_by_name_network_and_pattern():
    assert [one.name for one in lines.select(["lo/singles"])] == ["lo/singles"]
    assert [one.name for one in lines.select(["singles"])] == [
        "lo/singles", "veth/singles"]
    assert {one.network for one in lines.select(["veth"])} == {"veth"}
    assert lines.select(["no-such"]) == []
    assert lines.select([]) == lines.LINES


def test_target_rows():
    result = make_result("singles-gro", echo=[2000] * 5, uring=[1000] * 5,
                         knotd=[3000] * 5, mmsg=[500, 1000, 1500, 2000, 2500])
    assert report.target_rows([result]) == [
        ("lo/singles-gro", "echo", ">= 2.00", "2.00", "met",
         "", "rounds disagree"),
        ("lo/singles-gro", "knotd", ">= 2.50", "3.00", "met",
         "", "rounds disagree")]


def test_target_rows_without_a_peer():
    result = make_result("singles", uring=[1000] * 5)
    assert report.target_rows([result]) == [
        ("lo/singles", "knotd", ">= 1.50", "-", "not measured",
         "-", "not measured")]


def test_summary_has_a_column_for_each_peer():
    result = make_result("singles", echo=[1900, 2000, 2200], nsd=[3000] * 3)
    assert report.summary_rows([result]) == [
        ("lo/singles", "2,000", "-", "-", "-", "3,000")]
    assert len(report.SUMMARY_HEAD) == 6


def test_tables():
    result = make_result("singles", echo=[2000] * 5, knotd=[3000] * 5)
    row = report.line_rows(result)[1]
    assert row == ("Knot DNS", "3,000", "(3,000-3,000)", "1,000", "50 %",
                   "1.00 %", "0.67", "1.00")
    assert report.markdown(("a", "b"), [("c", "1")]) == \
        "| a | b |\n| --- | ---: |\n| c | 1 |"
    assert report.aligned(("a", "bb"), [("ccc", "1")]) == "a    bb\nccc   1"


def test_zone_and_queries(tmp_path):
    zone = zones.large(tmp_path, records=50, queries=20)
    records = zone.path.read_text().splitlines()[4:]
    asked = zone.queries.read_text().splitlines()
    assert len(records) == 50 and len(set(asked)) == 20
    names = {f"{record.split()[0]}.large.test. A" for record in records}
    assert set(asked) <= names


def test_chart(tmp_path):
    result = make_result("singles", echo=[2000] * 5, uring=[1000] * 5)
    path = tmp_path / "it's a chart.svg"
    if not shutil.which("gnuplot"):
        assert chart.draw(path, [result]) == "gnuplot is not installed"
        pytest.skip("gnuplot is not installed")
    assert chart.draw(path, [result]) is None
    assert "zcdns uring" in path.read_text()
    assert "no line" in chart.draw(path, [make_result("rate", echo=[1])])


def test_veth_is_gone_afterwards():
    network = netns.Veth()
    if network.missing():
        pytest.skip(network.missing())
    home = os.readlink("/proc/thread-self/ns/net")
    try:
        with network.up(0):
            assert os.readlink("/proc/thread-self/ns/net") != home
            assert pathlib.Path("/proc/net/dev").exists()
            devices = pathlib.Path("/proc/thread-self/net/dev").read_text()
            assert network.peer in devices
            assert len(network.soft_threads(0)) >= 1
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no network namespaces here: {error}")
    assert os.readlink("/proc/thread-self/ns/net") == home
    assert not cpu.kernel_threads(rf"napi/{network.device}-\d+")


def test_one_line_end_to_end(tmp_path):
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("one CPU")
    if daemon.is_sanitized():
        pytest.skip("a sanitized build is not what the bench measures")
    out = tmp_path / "bench.json"
    done = subprocess.run(
        [sys.executable, str(BENCH / "bench.py"), "--only", "lo/singles",
         "--peers", "echo,mmsg", "--rounds", "1", "--seconds", "0.3",
         "--json", str(out)], capture_output=True, text=True, check=False,
        env={**os.environ, "ZCDNS": daemon.program()}, timeout=60)
    assert done.returncode == 0, done.stderr
    data = json.loads(out.read_text())
    assert [line["name"] for line in data["lines"]] == ["lo/singles"]
    for peer in data["lines"][0]["peers"].values():
        assert 100 < peer["ns_per_reply"]["median"] < 1e6
        assert peer["rate"]["median"] > 1000
        assert peer["samples"][0]["latency"]["p50"] > 0
    assert "zcdns mmsg" in done.stdout and "targets" in done.stdout
