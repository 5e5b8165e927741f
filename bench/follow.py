#!/usr/bin/env python3
"""The daemon follows a chain that grows by a large block every 600 ms.

    ./dev bench follow [--blocks N] [--block-time-ms N] [--only NAME]

Needs RECEIPTD_BENCH_DATABASE, a database that may be emptied. Latency is from the moment the replay
server could serve a block (its /sandbox/served_at) to the daemon's line "committed", written after the
database has confirmed the transaction. docs/performance.md says what each number means."""
import argparse
import json
import os
import pathlib
import re
import time

import common

FIRST_HEIGHT = 200_000_000
CASES = {"neardata": ("neardata", "all"), "rpc headers": ("rpc", "headers"), "rpc all": ("rpc", "all")}
RANGE = re.compile(r"[\[{(](\d+),(\d+)\)")


def committed_at(lines):
    """height -> ns since 1970 when its commit had been confirmed, from the daemon's own lines."""
    times = {}
    for arrived, line in lines:
        entry = json.loads(line) if line.startswith("{") else {}
        if entry.get("message", entry.get("msg")) != "committed":
            continue
        for low, high in RANGE.findall(line):
            for height in range(int(low), int(high)):
                times[height] = arrived
    return times


def follow(args, folder, blocks_path, database, source, scope):
    last = FIRST_HEIGHT + args.blocks - 1
    database.recreate()
    with common.Sandbox(blocks_path, "--repeat", args.blocks, "--first-height", FIRST_HEIGHT, "--block-time-ms",
                        args.block_time_ms, "--start-on-first-request") as sandbox:
        config = folder / "receiptd.toml"
        port = common.write_config(config, sandbox, database, source, scope, FIRST_HEIGHT)
        with config.open("a") as more:
            more.write('[log]\nlevel = "debug"\nformat = "json"\n')
        common.Daemon("migrate", "--config", config).wait()
        daemon = common.Daemon("run", "--config", config)
        deadline = time.monotonic() + args.blocks * args.block_time_ms / 1e3 + 60
        while last not in committed_at(daemon.lines[-200:]) and time.monotonic() < deadline:
            time.sleep(0.2)
        names = ("receiptd_head_polls_total", "receiptd_new_heads_total", "receiptd_rpc_requests_total",
                 "receiptd_trees_completed_total")
        counts = dict(zip(names, common.metric(port, *names)))
        _, cpu = daemon.stop()
        times = committed_at(daemon.lines)
        served = {height: json.loads(sandbox.get(f"/sandbox/served_at?height={height}"))["served_at_unix_ns"]
                  for height in times}
    skipped = FIRST_HEIGHT + args.settle
    latencies = [(times[height] - served[height]) / 1e6 for height in times if height >= skipped]
    return latencies, counts, daemon, cpu, len(times)


def print_case(name, args, latencies, counts, daemon, cpu, stored):
    print(f"\n{name}: {stored} of {args.blocks} blocks stored, the first {args.settle} not counted below; "
          f"load average {os.getloadavg()[0]:.1f}")
    common.line_of("ms from servable to committed: p50", f"{common.percentile(latencies, 0.5):.1f}", "at most 50")
    common.line_of("p99", f"{common.percentile(latencies, 0.99):.1f}", "at most 200")
    common.line_of("max", f"{max(latencies):.1f}")
    # With a source that holds the request for the next block the fetch is the question.
    polls = counts["receiptd_head_polls_total"]
    asked = polls if name.startswith("rpc") else counts["receiptd_rpc_requests_total"]
    common.line_of("requests per new block to learn of it", f"{asked / counts['receiptd_new_heads_total']:.2f}",
                   "at most 3")
    common.line_of("requests per block in all", f"{counts['receiptd_rpc_requests_total'] / stored:.1f}")
    if counts["receiptd_trees_completed_total"] > 0:
        common.line_of("trees completed", f"{counts['receiptd_trees_completed_total']:.0f}")
    common.line_of("daemon CPU ms a block", f"{cpu * 1e3 / stored:.1f}")
    middle = sorted(daemon.rss_mb)[len(daemon.rss_mb) // 2]
    common.line_of("daemon resident MB: peak, median", f"{daemon.peak_mb:.0f}, {middle:.0f}", "under 150")


def main():
    parser = argparse.ArgumentParser(description="Latency of following the head")
    parser.add_argument("--blocks", type=int, default=200)
    parser.add_argument("--block-time-ms", type=int, default=600)
    parser.add_argument("--settle", type=int, default=10, help="first blocks that do not count")
    parser.add_argument("--only", choices=CASES, help="one case only")
    args = parser.parse_args()
    database = common.Database(os.environ["RECEIPTD_BENCH_DATABASE"])
    common.print_ground(database)
    with common.workspace() as name:
        folder = pathlib.Path(name)
        blocks_path = folder / "blocks"
        blocks_path.mkdir()
        what, _ = common.blocks_folder(blocks_path)
        print(f"a block every {args.block_time_ms} ms: {what}")
        for case, (source, scope) in CASES.items():
            if args.only in (None, case):
                print_case(case, args, *follow(args, folder, blocks_path, database, source, scope))


if __name__ == "__main__":
    main()
