#!/usr/bin/env python3
"""Findings -> webhooks: how soon the first attempt comes, and how many a second one endpoint takes.

    ./dev bench alerts [--seconds N] [--deliveries N]

Needs RECEIPTD_BENCH_DATABASE, a database that may be emptied. Sandbox, daemon, database and receiver share the
machine. docs/performance.md says what each number means."""
import argparse
import asyncio
import base64
import multiprocessing
import os
import pathlib
import re
import time

import common

ANSWER = b"HTTP/1.1 204 No Content\r\n\r\n"


class Taking(asyncio.Protocol):
    """Answers each request at once; keeps when it came."""

    def __init__(self, arrivals):
        self.arrivals, self.data = arrivals, b""

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.data += data
        while (end := self.data.find(b"\r\n\r\n")) >= 0:
            head = self.data[:end].decode().lower()
            whole = end + 4 + int(re.search(r"content-length: (\d+)", head)[1])
            if len(self.data) < whole:
                return
            alert = re.search(r"webhook-id: (\S+)", self.data[:end].decode(), re.I)[1]
            self.arrivals.append((alert, time.time()))
            self.data = self.data[whole:]
            self.transport.write(ANSWER)


def receive(pipe):
    """A process of its own: tells its port, then, asked, all arrivals."""
    async def serve():
        arrivals = []
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: Taking(arrivals), "127.0.0.1", 0)
        pipe.send(server.sockets[0].getsockname()[1])
        while True:
            wanted = await loop.run_in_executor(None, pipe.recv)
            pipe.send(list(arrivals))
            if wanted == "end":
                return
    asyncio.run(serve())


class Receiver:
    def __enter__(self):
        self.pipe, theirs = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=receive, args=(theirs,), daemon=True)
        self.process.start()
        self.url = f"http://127.0.0.1:{self.pipe.recv()}/hook"
        return self

    def arrivals(self, word="tell"):
        self.pipe.send(word)
        return self.pipe.recv()

    def __exit__(self, *_):
        self.arrivals("end")
        self.process.join()


def configure(folder, chain, database, url):
    config = folder / "receiptd.toml"
    common.write_config(config, chain, database, "neardata", "all", '"head"', network="sandbox")
    secret = folder / "secret"
    secret.write_text("whsec_" + base64.b64encode(bytes(32)).decode())
    secret.chmod(0o600)
    endpoint = f'[[endpoint]]\nname = "ops"\nurl = "{url}"\nsecret_file = "secret"\nallow_private = true\n'
    config.write_text(config.read_text() + (endpoint if url else ""))
    return config


def latency(args, folder, database):
    database.recreate()
    with Receiver() as receiver, common.Chain("--traffic", "failures", "--block-time-ms", 600, "--tps", 20) as chain:
        daemon = common.Daemon("run", "--config", configure(folder, chain, database, receiver.url))
        time.sleep(args.seconds)  # of living chain
        daemon.stop()
        first = {}
        for alert, at in receiver.arrivals():
            first.setdefault(alert, at)
    made = {alert: float(at) for alert, at in
            database.rows("SELECT alert_id, extract(epoch FROM created_at) FROM alerts")}
    waits = [(at - made[alert]) * 1e3 for alert, at in first.items()]
    print(f"\na block every 600 ms, {len(made)} findings in {args.seconds} s; {len(first)} were told")
    common.line_of("ms from a finding's transaction to its arrival: p50", f"{common.percentile(waits, 0.5):.1f}", "at most 100")
    common.line_of("p99", f"{common.percentile(waits, 0.99):.1f}")
    common.line_of("max", f"{max(waits):.1f}")


def count(database, what):
    return int(database.ask(f"SELECT count(*) FROM {what}"))


def throughput(args, folder, database):
    """Findings gather while nobody is told; then all of them are due at once, their bodies still to be made."""
    database.recreate()
    with common.Chain("--traffic", "failures", "--block-time-ms", 100, "--tps", 400) as chain, Receiver() as receiver:
        gathering = common.Daemon("run", "--config", configure(folder, chain, database, ""))
        until = time.monotonic() + 300
        while time.monotonic() < until:
            time.sleep(1)
            if database.ask("SELECT to_regclass('alerts')") and count(database, "alerts") >= args.deliveries:
                break
        chain.pause()
        gathering.stop()
        due = int(database.ask(f"WITH due AS (INSERT INTO deliveries (alert_id, endpoint) SELECT alert_id, 'ops' "
                               f"FROM alerts LIMIT {args.deliveries} RETURNING 1) SELECT count(*) FROM due"))
        database.ask("VACUUM ANALYZE")
        postmaster = database.postmaster()
        config = configure(folder, chain, database, receiver.url)
        cpu = common.cluster_cpu_seconds(postmaster)
        daemon = common.Daemon("run", "--config", config)
        while len(receiver.arrivals()) < due and daemon.process.poll() is None:
            time.sleep(0.5)
        cpu = common.cluster_cpu_seconds(postmaster) - cpu
        arrivals = receiver.arrivals()
        delivered = count(database, "deliveries WHERE state = 'delivered'")
        _, daemon_cpu = daemon.stop()
    seconds = arrivals[-1][1] - arrivals[0][1]
    print(f"\n{due} deliveries due at once, bodies to be made; load average {os.getloadavg()[0]:.1f}")
    common.line_of("deliveries/s", f"{len(arrivals) / seconds:.0f}", "at least 500")
    common.line_of("daemon CPU ms each", f"{daemon_cpu * 1e3 / due:.2f}")
    common.line_of("PostgreSQL CPU ms each", f"{cpu * 1e3 / due:.2f}")
    common.line_of("arrived, recorded by the last arrival", f"{len(arrivals)}, {delivered}")


def main():
    parser = argparse.ArgumentParser(description="Findings to webhooks")
    parser.add_argument("--seconds", type=int, default=60, help="of living chain, for the latency")
    parser.add_argument("--deliveries", type=int, default=5000, help="for the throughput")
    args = parser.parse_args()
    database = common.Database(os.environ["RECEIPTD_BENCH_DATABASE"])
    common.print_ground(database)
    with common.workspace() as name:
        folder = pathlib.Path(name)
        latency(args, folder, database)
        throughput(args, folder, database)


if __name__ == "__main__":
    main()
