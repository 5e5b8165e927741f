#!/usr/bin/env python3
"""What many open watches take: memory, and the time until all are taken in, at first and after a restart.

    ./dev bench watches [--watches N] [--seconds N]

Needs RECEIPTD_BENCH_DATABASE, a database that may be emptied. Nobody knows the transactions that are watched; beside them
the sandbox's chain goes on, with a block every 600 ms and all of its transactions watched, too."""
import argparse
import hashlib
import os
import pathlib
import sys
import time

import common

sys.path.append(str(common.ROOT / "scripts"))
from sample_chain import base58

RULE = '[[watch]]\nname = "everything"\nsigner = "*"\n'


def fill(database, folder, watches):
    rows = folder / "watches"
    with open(rows, "w") as file:
        for number in range(watches):
            tx_hash = base58(hashlib.sha256(str(number).encode()).digest())
            file.write(f"{tx_hash}\tuser{number % 1000}.sandbox\n")
    database.ask(f"\\copy watches (tx_hash, sender_id) FROM '{rows}'")


def live(args, database, port, config, what):
    started = time.monotonic()
    daemon = common.Daemon("run", "--config", config)
    daemon.wait_until_ready(port)
    while common.metric(port, "receiptd_watches_open")[0] < args.watches:
        time.sleep(0.05)
    taken_in = time.monotonic() - started
    while database.ask("SELECT count(*) FROM watches WHERE watched_since IS NULL AND stage = 'accepted'") != "0":
        time.sleep(0.05)
    looked_at = time.monotonic() - started
    time.sleep(args.seconds)  # of living chain
    open_now, = common.metric(port, "receiptd_watches_open")
    rss = daemon.rss_mb[-1]
    daemon.stop()
    print(f"\n{what}")
    common.line_of("open watches", f"{open_now:,.0f}")
    common.line_of("s until all are known / written as taken in", f"{taken_in:.1f} / {looked_at:.1f}")
    common.line_of("resident MB at the end, peak", f"{rss:.0f} / {daemon.peak_mb:.0f}", "at most 256")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--watches", type=int, default=100_000)
    parser.add_argument("--seconds", type=int, default=30)
    args = parser.parse_args()
    database = common.Database(os.environ["RECEIPTD_BENCH_DATABASE"])
    common.print_ground(database)
    with common.workspace() as name, common.Chain("--block-time-ms", 600, "--traffic", "mixed", "--tps", 20) as chain:
        folder = pathlib.Path(name)
        database.recreate()
        config = folder / "receiptd.toml"
        port = common.write_config(config, chain, database, "neardata", "all", '"head"', network="sandbox")
        config.write_text(config.read_text() + RULE)
        common.Daemon("migrate", "--config", config).wait()
        fill(database, folder, args.watches)
        live(args, database, port, config, "watched before the daemon starts")
        live(args, database, port, config, "after a restart")


if __name__ == "__main__":
    main()
