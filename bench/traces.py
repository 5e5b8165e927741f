#!/usr/bin/env python3
"""A chain that is followed with every tree as a trace, and without, in turn.

    ./dev bench traces [--blocks N] [--tps N] [--rounds N]

Says the time until all blocks are stored, with and without, and what the spans cost the daemon beside: the CPU of a run with traces, until
the last one has left, less that of a run without. The collector is a process of its own that answers and looks at nothing. Needs
RECEIPTD_BENCH_DATABASE, a database that may be emptied. docs/performance.md says what each number means."""
import argparse
import http.server
import multiprocessing
import pathlib
import statistics
import time

import common

WITH = '[traces]\notlp_url = "http://127.0.0.1:{}"\nsample = 1.0\nmost_per_second = 0\n'


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
    stored = f"SELECT heights @> int8range({first}, {last + 1}) FROM coverage"
    while database.ask(stored) != "t":
        time.sleep(0.02)
    seconds = time.monotonic() - daemon.started
    cluster = common.cluster_cpu_seconds(postmaster) - cluster
    trees = int(database.ask("SELECT count(*) FROM transaction_results"))
    while traces and common.series(port, "receiptd_traces_total").get('{fate="sent"}', 0) < trees:
        time.sleep(0.1)
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
        runs = {"": [], "with traces": []}
        for number in range(given.rounds * 2):
            what = ("", "with traces")[(number + number // 2) % 2]
            runs[what].append(one_run(pathlib.Path(name), chain, database, first, last,
                                      WITH.format(collector_port) if what else ""))
    collector.terminate()
    median = {what: [statistics.median(values) for values in zip(*some)] for what, some in runs.items()}
    (plain, plain_cpu, plain_cluster, _), (traced, traced_cpu, traced_cluster, spans) = median[""], median["with traces"]
    print(f"{last - first + 1} blocks, {spans:.0f} spans; medians of {given.rounds} runs each, in turn")
    common.line_of("ingest without traces", f"{plain:.2f} s")
    common.line_of("ingest with traces", f"{traced:.2f} s")
    common.line_of("ingest with traces / without, as speed", f"{plain / traced:.3f}", "at least 0.98")
    common.line_of("CPU of PostgreSQL until all is stored", f"{plain_cluster:.2f} s, {traced_cluster:.2f} s")
    common.line_of("CPU of the daemon", f"{plain_cpu:.2f} s, {traced_cpu:.2f} s")
    common.line_of("10,000 spans a second", f"{(traced_cpu - plain_cpu) / spans * 10_000:.3f} cores", "at most 0.2")


if __name__ == "__main__":
    main()
