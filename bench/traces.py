#!/usr/bin/env python3
"""A chain that is followed without traces, with those that leave by default (of failed trees), and with every tree as a trace, in turn.

    ./dev bench traces [--blocks N] [--tps N] [--rounds N]

Says the time until all blocks are stored, and what spans cost the daemon: the CPU of a run with every tree, until the last one has left,
less that of a run without. The collector is a process of its own that answers and looks at nothing. Needs
RECEIPTD_BENCH_DATABASE, a database that may be emptied. docs/performance.md says what each number means."""
import argparse
import http.server
import json
import multiprocessing
import pathlib
import statistics
import time
import urllib.request

import common

BY_DEFAULT = '[traces]\notlp_url = "http://127.0.0.1:{}"\n'
KINDS = {"without": "", "by default": BY_DEFAULT, "every tree": BY_DEFAULT + "sample = 1.0\nmost_per_second = 0\n"}
WAITING = "SELECT count(*) FROM trace_outbox WHERE done_at IS NULL"


class Collector(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def serve(port):
    http.server.ThreadingHTTPServer(("127.0.0.1", port), Collector).serve_forever()


def stored_height(port):
    """As the daemon says: to ask the database would cost what is measured."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/status") as answer:
            return (json.load(answer)["committed"] or {"height": 0})["height"]
    except OSError:
        return 0


def one_run(folder, chain, database, first, last, traces):
    """(seconds until all is stored, CPU seconds of the daemon, of the cluster meanwhile, spans that left)"""
    database.recreate()
    port = common.write_config(folder / "receiptd.toml", chain, database, "neardata", "all", first, network="sandbox")
    if traces:
        with open(folder / "receiptd.toml", "a") as config:
            config.write(traces)
    common.Daemon("migrate", "--config", folder / "receiptd.toml").wait()
    postmaster = database.postmaster()
    cluster = common.cluster_cpu_seconds(postmaster)
    daemon = common.Daemon("run", "--config", folder / "receiptd.toml")
    while stored_height(port) < last:
        time.sleep(0.05)
    seconds = time.monotonic() - daemon.started
    cluster = common.cluster_cpu_seconds(postmaster) - cluster
    while traces and database.ask(WAITING) != "0":
        time.sleep(0.5)
    spans = common.series(port, "receiptd_trace_spans_total").get('{fate="taken"}', 0)
    return seconds, daemon.stop()[1], cluster, spans


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--blocks", type=int, default=400)
    parser.add_argument("--tps", type=int, default=150)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    database = common.Database(common.os.environ["RECEIPTD_BENCH_DATABASE"])
    common.print_ground(database.sibling("postgres"))
    collector_port = common.free_port()
    collector = multiprocessing.Process(target=serve, args=(collector_port,), daemon=True)
    collector.start()
    with common.workspace() as name, common.Chain("--block-time-ms", 0, "--shards", 4, "--traffic", "mixed", "--tps", given.tps,
                                                  "--seed", 5) as chain:
        first = chain.ask("/status")["final_height"] + 1
        for _ in range(given.blocks // 10):
            chain.ask("/advance", {"blocks": 10})
        chain.ask("/traffic", {"tps": 0})
        chain.ask("/advance", {"blocks": 250})  # a yield waits for 200
        last = chain.ask("/status")["final_height"]
        runs = {kind: [] for kind in KINDS}
        for number in range(given.rounds):
            for kind in list(KINDS)[::1 if number % 2 else -1]:
                runs[kind].append(one_run(pathlib.Path(name), chain, database, first, last, KINDS[kind].format(collector_port)))
    collector.terminate()
    median = {kind: [statistics.median(values) for values in zip(*some)] for kind, some in runs.items()}
    print(f"{last - first + 1} blocks; medians of {given.rounds} runs each, in turn")
    plain, plain_cpu = median["without"][:2]
    for kind, (seconds, cpu, cluster, spans) in median.items():
        common.line_of(f"traces {kind}: all is stored after", f"{seconds:.2f} s")
        common.line_of("  CPU of PostgreSQL until then; of the daemon", f"{cluster:.2f} s; {cpu:.2f} s")
        if spans:
            common.line_of("  speed of ingest, without: 1", f"{plain / seconds:.3f}", "by default at least 0.98")
            common.line_of("  spans", f"{spans:.0f}")
    spans, cpu = median["every tree"][3], median["every tree"][1]
    common.line_of("10,000 spans a second", f"{(cpu - plain_cpu) / spans * 10_000:.3f} cores", "at most 0.2")


if __name__ == "__main__":
    main()
