#!/usr/bin/env python3
"""How long after it can be seen upstream a stage is recorded.

    ./dev bench stages [--seconds N] [--tps N]

Needs RECEIPTD_BENCH_DATABASE, a database that may be emptied. The sandbox's chain, of mixed traffic with a block every
600 ms, is asked all the time how far it is final; each stage is recorded so long after its block was."""
import argparse
import collections
import json
import os
import pathlib
import threading
import time
import urllib.request

import common

BLOCK_MS = 600
SETTLED = 8  # blocks: the first was there before the daemon was
STAGES = ("included", "executing", "completed", "final")
RULE = '[[watch]]\nname = "everything"\nsigner = "*"\n'


class Finality:
    """When each height became final, by this machine's clock."""

    def __init__(self, chain):
        self.chain, self.seen, self.over = chain, {}, False
        self.thread = threading.Thread(target=self._look, daemon=True)
        self.thread.start()

    def _look(self):
        height = None
        while not self.over:
            with urllib.request.urlopen(self.chain.control + "/status") as answer:
                now = json.load(answer)["final_height"]
            for each in range(height + 1 if height else now, now + 1):
                self.seen[each] = time.time()
            height = now
            time.sleep(0.005)

    def stop(self):
        self.over = True
        self.thread.join()


def measure(args, folder, database, source):
    database.recreate()
    with common.Chain("--block-time-ms", BLOCK_MS, "--traffic", "mixed", "--tps", args.tps) as chain:
        config = folder / "receiptd.toml"
        common.write_config(config, chain, database, source, "all", '"head"', network="sandbox")
        config.write_text(config.read_text() + RULE)
        finality = Finality(chain)
        daemon = common.Daemon("run", "--config", config)
        time.sleep(args.seconds)  # of living chain
        finality.stop()
        daemon.stop()
    waits = collections.defaultdict(list)
    settled = int(database.ask("SELECT min(block_height) FROM blocks")) + SETTLED
    for stage, height, at in database.rows("SELECT to_stage, block_height, extract(epoch FROM at) FROM watch_transitions "
                                           f"WHERE block_height >= {settled}"):
        if int(height) in finality.seen:
            waits[stage].append((float(at) - finality.seen[int(height)]) * 1e3)
    print(f"\n{source}: a block every {BLOCK_MS} ms, {args.tps} transactions a second, all watched, {args.seconds} s")
    for stage in STAGES:
        told = " / ".join(f"{common.percentile(waits[stage], share):.0f}" for share in (0.5, 0.95, 0.99, 1))
        common.line_of(f"{stage} ({len(waits[stage])}), ms: p50 / p95 / p99 / max", told, f"at most {BLOCK_MS + 100}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--tps", type=int, default=20)
    args = parser.parse_args()
    database = common.Database(os.environ["RECEIPTD_BENCH_DATABASE"])
    common.print_ground(database)
    with common.workspace() as folder:
        for source in ("neardata", "rpc"):
            measure(args, pathlib.Path(folder), database, source)


if __name__ == "__main__":
    main()
