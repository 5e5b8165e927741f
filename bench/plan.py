#!/usr/bin/env python3
"""What `receiptd plan` forecasts beside what following then took: requests and disk, from both sources.

    ./dev bench plan [SECONDS] [--tps N] [--scope headers|accounts|all]

Needs RECEIPTD_BENCH_DATABASE, a database that may be emptied; a second one is made beside it. The sandbox makes a block of
mixed traffic every 600 ms. First plan samples the chain, then two daemons follow it for so long, an hour by default."""
import argparse
import json
import os
import pathlib
import re
import subprocess
import time

import common

BLOCK_MS = 600
SAMPLED = 4_000  # blocks that are there before plan asks
SETTLED = 60  # seconds until anything is counted: by then both daemons know the chain's rhythm
DAY = 86_400
SOURCES = ("rpc", "neardata")
ACCOUNTS = ["ft.sandbox", "receiver.sandbox"]  # of the scope accounts
BYTES = """SELECT coalesce(parent.relname, own.relname), sum(pg_table_size(own.oid)), sum(pg_indexes_size(own.oid))
FROM pg_class own LEFT JOIN pg_inherits ON inhrelid = own.oid LEFT JOIN pg_class parent ON parent.oid = inhparent
WHERE own.relkind = 'r' AND coalesce(parent.relnamespace, own.relnamespace) = 'public'::regnamespace GROUP BY 1"""


def write_config(folder, chain, database, source, scope):
    """Both sources are configured, so that plan tells of both; `source` is followed."""
    path = folder / source / "receiptd.toml"
    path.parent.mkdir()
    port = common.write_config(path, chain, database, "neardata", scope, '"head"', network="sandbox")
    text = path.read_text().replace('source = "neardata"', f'source = "{source}"')
    if scope == "accounts":
        text = text.replace('scope = "accounts"\n', f'scope = "accounts"\naccounts = {json.dumps(ACCOUNTS)}\n')
    path.write_text(text)
    return path, port


def forecast(config):
    """What plan says, by source."""
    done = subprocess.run([common.BUILD / "receiptd", "plan", "--json", "--config", config], check=True, capture_output=True)
    return {one["source"]: one for one in json.loads(done.stdout)}


class Reading:
    """What a daemon has asked and stored so far."""

    def __init__(self, port, database):
        self.at = time.monotonic()
        self.height = int(database.ask("SELECT max(block_height) FROM blocks"))
        self.requests = common.series(port, "receiptd_rpc_requests_total")
        self.bytes = {name: (int(table), int(index)) for name, table, index in database.rows(BYTES)}

    def sum_of_requests(self):
        return sum(self.requests.values())

    def sum_of_bytes(self):
        return sum(map(sum, self.bytes.values()))


def print_compared(name, planned, measured, unit=""):
    off = f"{(planned / measured - 1) * 100:+.1f} %" if measured else "-"
    print(f"  {name:<34} {planned:>12.3f} {measured:>12.3f} {unit:<10} {off:>9}".rstrip(), flush=True)


def print_requests(planned, before, after, heights):
    print("  requests a height: " + ", ".join(f"{count:.2f} for {part}" for part, count in planned["requests_per_height"].items())
          + " are planned; measured:")
    by_method = {}
    for labels, count in after.requests.items():
        method = re.search('method="([^"]*)"', labels)[1]
        by_method[method] = by_method.get(method, 0) + count - before.requests.get(labels, 0)
    for method, count in sorted(by_method.items(), key=lambda one: -one[1]):
        if count:
            print(f"    {method:<40} {count / heights:>10.3f}")


def print_tables(planned, before, after, seconds):
    """MB a day. What a finding costs is told with it."""
    grown = {name: [(a - b) / seconds * DAY / 1e6 for a, b in zip(now, before.bytes.get(name, (0, 0)))]
             for name, now in after.bytes.items()}
    told = [grown.pop(name, [0, 0]) for name in ("alerts", "stream_events")]
    if "findings" in grown:
        grown["findings"] = [sum(column) for column in zip(grown["findings"], *told)]
    for name, (table, indexes) in sorted(grown.items(), key=lambda one: -sum(one[1])):
        if table + indexes > 1:
            print_compared("  " + name, planned.get(name, 0) / 1e6, table + indexes, f"MB a day, {indexes:.0f} of indexes")


def print_source(source, planned, before, after, daemon):
    seconds, heights = after.at - before.at, after.height - before.height
    print(f"\n{source}: {heights} heights in {seconds:.0f} s; load average {os.getloadavg()[0]:.1f}; "
          f"resident {daemon.rss_mb[-1]:.0f} MB, at most {daemon.peak_mb:.0f} MB")
    print(f"  {'':<34} {'planned':>12} {'measured':>12} {'':<10} {'plan is':>9}")
    print_compared("seconds a height", planned["seconds_per_height"], seconds / heights, "s")
    asked = after.sum_of_requests() - before.sum_of_requests()
    print_compared("requests", planned["requests_a_second"], asked / seconds, "a second")
    grown = (after.sum_of_bytes() - before.sum_of_bytes()) / seconds * DAY
    print_compared("disk", planned["disk_bytes_a_day"] / 1e9, grown / 1e9, "GB a day")
    print_tables(planned["disk_bytes_a_day_by_table"], before, after, seconds)
    print_requests(planned, before, after, heights)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seconds", type=int, nargs="?", default=3_600)
    parser.add_argument("--tps", type=float, default=20)
    parser.add_argument("--scope", choices=("headers", "accounts", "all"), default="all")
    args = parser.parse_args()
    database = common.Database(os.environ["RECEIPTD_BENCH_DATABASE"])
    common.print_ground(database)
    print(f"scope {args.scope}, {args.tps:g} transactions a second")
    begun = time.time() - SAMPLED * BLOCK_MS / 1e3
    with common.workspace() as name, common.Chain("--block-time-ms", BLOCK_MS, "--traffic", "mixed", "--tps", args.tps,
                                                  genesis_time=str(int(begun * 1e9))) as chain:
        chain.ask("/advance", {"blocks": SAMPLED})
        daemons = {}
        for source in SOURCES:
            own = database.sibling(f"bench_plan_{source}")
            own.recreate()
            config, port = write_config(pathlib.Path(name), chain, own, source, args.scope)
            planned = daemons[SOURCES[0]]["planned"] if daemons else forecast(config)
            daemons[source] = {"database": own, "port": port, "planned": planned, "config": config}
        for one in daemons.values():
            one["daemon"] = common.Daemon("run", "--config", one["config"])
            one["daemon"].wait_until_ready(one["port"])
        time.sleep(SETTLED)
        before = {source: Reading(one["port"], one["database"]) for source, one in daemons.items()}
        time.sleep(args.seconds)  # of living chain
        for source, one in daemons.items():
            print_source(source, one["planned"][source], before[source], Reading(one["port"], one["database"]), one["daemon"])
            one["daemon"].stop()


if __name__ == "__main__":
    main()
