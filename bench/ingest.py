#!/usr/bin/env python3
"""Whole blocks -> PostgreSQL, and the same rows by psql's \\copy, in turn.

    ./dev bench ingest [--blocks N] [--rounds N] [--connections N] [--plain] [--rules] [--queued N]

Each round is a run of the daemon, a load by psql of the rows that the daemon stored, and a run of the
daemon that asks for gzip; the medians count. With --rules there is a run with 10,000 rules and 100,000 listed
accounts, with --queued N one with N alerts that wait for an endpoint where nobody listens. Needs
RECEIPTD_BENCH_DATABASE, a database that may be emptied. Server, daemon and database share the machine. docs/performance.md says what each number means."""
import argparse
import base64
import itertools
import os
import pathlib
import statistics
import subprocess
import time

import common

FIRST_HEIGHT = 200_000_000
RULES, LISTS, LISTED = 10_000, 100, 100_000

# History is what is partitioned; orphan_receipts is filled along with it.
TABLES = """
SELECT c.oid::regclass FROM pg_class c WHERE c.relkind = 'p' AND NOT c.relispartition
UNION ALL SELECT 'orphan_receipts' ORDER BY 1
"""

SIZES = """
SELECT t.name, CASE WHEN i.indexrelid IS NULL THEN '' ELSE
         regexp_replace(pg_get_indexdef(i.indexrelid), '^CREATE (UNIQUE )?INDEX .* USING ', '\\1') END,
       sum(CASE WHEN i.indexrelid IS NULL THEN pg_table_size(p.oid) ELSE pg_relation_size(i.indexrelid) END)
FROM (SELECT unnest(ARRAY[{tables}]) AS name) t
JOIN pg_class p ON p.relkind = 'r' AND (p.oid = t.name::regclass OR
                   p.oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = t.name::regclass))
CROSS JOIN LATERAL (SELECT indexrelid FROM pg_index WHERE indrelid = p.oid UNION ALL SELECT NULL) i
GROUP BY 1, 2 ORDER BY 3 DESC
"""

# Trees of the first half that are not judged: their last receipts were due long before the end.
OPEN_TREES = """
SELECT count(*) FROM transactions t WHERE block_height > {low} AND block_height <= {high}
  AND NOT EXISTS (SELECT FROM transaction_results r WHERE r.tx_hash = t.tx_hash AND r.block_time = t.block_time)
"""


def prepare_wal(database, blocks):
    """Makes the WAL files of one run, to be recycled: else the first run creates them for the second."""
    database.ask("SELECT count(pg_logical_emit_message(false, 'receiptd bench', repeat('x', 1000000))) "
                 f"FROM generate_series(1, {blocks})")
    database.ask("CHECKPOINT")


def write_rules(folder, busy_accounts):
    """10,000 rules and 100,000 listed accounts, as configuration. Some of the accounts are those of the blocks."""
    strangers = (f"customer{number}.exchange.near" for number in itertools.count())
    for number in range(LISTS):
        listed = [*busy_accounts[number::LISTS], *itertools.islice(strangers, LISTED // LISTS)][:LISTED // LISTS]
        (folder / f"list{number}.txt").write_text("\n".join(listed) + "\n")
    text = "".join(f'[[list]]\nname = "list{number}"\nfile = "{folder}/list{number}.txt"\n' for number in range(LISTS))
    kinds = ['kind = "finding"\nreceiver = "contract{0}.near"', 'kind = ["end", "finding"]\nsigner = "pay{0}.near"',
             'kind = "transfer"\naccount = "@list{1}"\namount_at_least = "{0}"',
             'kind = ["event", "key_added"]\nreceiver = "*.team{0}.near"',
             'kind = "event"\nreceiver = "token{1}.near"\nwhere = {{ data = "[*].new_owner_id", is = "shop{0}.near" }}']
    names = [f"rule{number}" for number in range(RULES)]
    for number, name in enumerate(names):
        text += f'[[rule]]\nname = "{name}"\n' + kinds[number % len(kinds)].format(number, number % LISTS) + "\n"
    return text + write_endpoint(folder, names)


def write_endpoint(folder, rules):
    """An endpoint where nobody listens, as configuration: all that it is to be told stays in the queue."""
    secret = folder / "secret"
    secret.touch(mode=0o600)
    secret.write_text("whsec_" + base64.b64encode(bytes(32)).decode())
    port = common.free_port()
    return (f'[[endpoint]]\nname = "team"\nurl = "http://127.0.0.1:{port}"\nallow_private = true\n'
                   f'secret_file = "{secret}"\nrules = [{", ".join(chr(34) + name + chr(34) for name in rules)}]\n')


QUEUE = """
WITH told AS (INSERT INTO alerts (alert_id, kind, error_class, contract_id, caused_at)
              SELECT 'failed_receipt:queued' || n, 'failed_receipt', 'contract_panic', 'app.near', now()
              FROM generate_series(1, {}) n RETURNING alert_id)
INSERT INTO deliveries (alert_id, endpoint, rules) SELECT alert_id, 'team', '{{default}}' FROM told
"""


class Bench:
    def __init__(self, args, folder, database, sandbox):
        self.args, self.folder, self.database, self.sandbox = args, folder, database, sandbox
        self.config = folder / "receiptd.toml"
        self.copies = database.sibling("bench_copy")
        self.postmaster = database.postmaster()
        self.tables, self.rows, self.copy_bytes, self.identity, self.span = [], {}, 0, None, None

    def measured(self, run):
        """Seconds and CPU seconds of what `run` does, PostgreSQL's and the block server's among them."""
        self.database.ask("CHECKPOINT")
        before = common.cluster_cpu_seconds(self.postmaster), self.sandbox.cpu()
        wal = self.database.ask("SELECT pg_current_wal_lsn()")
        numbers = run()
        numbers["wal"] = float(self.database.ask(f"SELECT pg_current_wal_lsn() - '{wal}'"))
        numbers["postgres"] = common.cluster_cpu_seconds(self.postmaster) - before[0]
        numbers["sandbox"] = self.sandbox.cpu() - before[1]
        return numbers

    def write_config(self, database, gzip, rules=""):
        common.write_config(self.config, self.sandbox, database, "neardata", "all", FIRST_HEIGHT)
        with self.config.open("a") as more:  # it ends in the section [neardata]
            more.write(f"gzip = {str(gzip).lower()}\n" if gzip else "")
            more.write(self.args.config.replace("\\n", "\n") + "\n" + rules)

    def daemon(self, gzip, rules="", queued=0):
        """Runs the daemon over the replay, beside so many alerts that are queued."""
        self.database.recreate()
        prepare_wal(self.database, self.args.blocks)
        self.write_config(self.database, gzip, rules)
        # The first block comes before the clock runs: schema and partitions are there, as they are for psql.
        common.Daemon("run", "--config", self.config, "--until", FIRST_HEIGHT).wait()
        if queued:
            self.database.ask(QUEUE.format(queued))
            self.database.ask("VACUUM (ANALYZE) alerts, deliveries")  # a queue grows over hours; autovacuum has been there
        return self.measured(self.run_daemon)

    def run_daemon(self):
        daemon = common.Daemon("run", "--config", self.config, "--until", FIRST_HEIGHT + self.args.blocks)
        seconds, cpu = daemon.wait()
        began = next(at for at, line in daemon.lines if "following the chain" in line)
        return {"seconds": seconds, "client": cpu, "following": (time.time_ns() - began) / 1e9, "peak_mb": daemon.peak_mb,
                "rss_mb": statistics.median(daemon.rss_mb)}

    def dump(self):
        """The rows as files of COPY text, one per table and connection: disjoint ranges of heights."""
        self.tables = [row[0] for row in self.database.rows(TABLES)]
        blocks, parts = self.args.blocks, self.args.connections
        for table in self.tables:
            for part in range(parts):
                low = FIRST_HEIGHT + 1 + blocks * part // parts
                high = FIRST_HEIGHT + 1 + blocks * (part + 1) // parts
                path = self.folder / f"{table}.{part}"
                where = f"WHERE block_height >= {low} AND block_height < {high}"
                self.database.ask(f"\\copy (SELECT * FROM {table} {where}) TO '{path}'")
                self.copy_bytes += path.stat().st_size
            self.rows[table] = self.count(table)
        self.identity = self.database.rows("SELECT network, scope, partition_width FROM chain_identity")[0]
        self.span = self.database.rows("SELECT min(block_time), max(block_time) FROM blocks")[0]

    def count(self, table):
        return int(self.database.ask(f"SELECT count(*) FROM {table} WHERE block_height > {FIRST_HEIGHT}"))

    def busy_accounts(self):
        """Accounts that the blocks are about, but not those of every block."""
        return [row[0] for row in self.database.rows(
            "SELECT receiver_id FROM receipts GROUP BY 1 ORDER BY count(*) DESC, 1 OFFSET 50 LIMIT 200")]

    def check_rows(self):
        """Every run of the daemon stores what psql loads."""
        for table in self.tables:
            if self.count(table) != self.rows[table]:
                raise SystemExit(f"{table} has {self.count(table)} rows, {self.rows[table]} in the first run")

    def psql(self):
        """Loads the dumped files into a new database of the same schema."""
        self.copies.recreate()
        prepare_wal(self.copies, self.args.blocks)
        self.write_config(self.copies, False)
        common.Daemon("migrate", "--config", self.config).wait()
        network, scope, width = self.identity
        self.copies.ask("INSERT INTO chain_identity (network, scope, partition_width, created_by) "
                        f"VALUES ('{network}', '{scope}', '{width}', 'bench')")
        self.copies.ask("SELECT make_partitions(day, day) FROM generate_series("
                        f"date_trunc('day', timestamptz '{self.span[0]}'), '{self.span[1]}', '1 day') AS day")
        return self.measured(self.run_psql)

    def run_psql(self):
        before = os.times()
        started = time.monotonic()
        loads = []
        for part in range(self.args.connections):
            files = [(table, self.folder / f"{table}.{part}") for table in self.tables]
            load = subprocess.Popen(["psql", self.copies.url, "-Xq1", "-v", "ON_ERROR_STOP=1"],
                                    stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
            load.stdin.write("".join(f"\\copy {table} FROM '{path}'\n" for table, path in files))
            load.stdin.close()
            loads.append(load)
        if any(load.wait() != 0 for load in loads):
            raise SystemExit("psql \\copy failed")
        seconds = time.monotonic() - started
        after = os.times()
        cpu = after.children_user + after.children_system - before.children_user - before.children_system
        return {"seconds": seconds, "client": cpu}

    def print_rows(self):
        blocks = self.args.blocks
        print(f"\nrows a block, of {blocks} blocks ({self.copy_bytes / blocks / 1e3:.0f} kB of COPY text)")
        for table in sorted(self.tables, key=self.rows.get, reverse=True):
            common.line_of(table, f"{self.rows[table] / blocks:.2f}")
        half = FIRST_HEIGHT + blocks // 2
        heights = {"low": FIRST_HEIGHT, "high": half}
        common.line_of("transactions of the first half without a result", self.database.ask(OPEN_TREES.format(**heights)))
        late = f"SELECT count(*) FROM orphan_receipts WHERE block_height > {half}"
        common.line_of("orphans of the second half a block", f"{int(self.database.ask(late)) * 2 / blocks:.2f}")

    def print_sizes(self):
        blocks = self.args.blocks
        names = ", ".join(f"'{table}'" for table in self.tables)
        sizes = [(table, index, float(size)) for table, index, size in self.database.rows(SIZES.format(tables=names))]
        table_bytes = sum(size for _, index, size in sizes if not index)
        index_bytes = sum(size for _, index, size in sizes if index)
        print("\nkB per block")
        for table in self.tables:
            for name, index, size in sizes:
                if name == table:
                    print(f"  {size / blocks / 1e3:9.1f}  {table if not index else '    ' + index}")
        total = table_bytes + index_bytes
        common.line_of("table and index, kB a block", f"{total / blocks / 1e3:.0f}", "at most 600")
        common.line_of("index share", f"{index_bytes / total:.1%}", "at most 50 %")


def print_round(number, blocks, runs):
    words = [f"{name} {blocks / run['seconds']:.1f}" for name, run in runs.items()]
    print(f"round {number}: blocks/s: {', '.join(words)}; load average {os.getloadavg()[0]:.1f}", flush=True)


def print_table(blocks, rounds, json_bytes):
    """The medians: a column for each way to store the blocks."""
    ways = list(rounds[0])

    def row(name, value, target=""):
        cells = []
        for way in ways:
            try:
                cells.append(value(lambda key: statistics.median(r[way][key] for r in rounds)))
            except KeyError:
                cells.append("")
        print("  " + name.ljust(36) + "".join(cell.rjust(12) for cell in cells) + "   " + target)

    def milliseconds(key):
        return lambda of: f"{of(key) * 1e3 / blocks:.2f}"

    print(f"\nmedians of {len(rounds)} rounds of {blocks} blocks")
    print(" " * 38 + "".join(way.rjust(12) for way in ways) + "   target (daemon)")
    row("blocks/s", lambda of: f"{blocks / of('seconds'):.1f}", "at least 60")
    row("seconds", lambda of: f"{of('seconds'):.2f}")
    row("seconds without the start", lambda of: f"{of('following'):.2f}")
    row("JSON MB/s", lambda of: f"{json_bytes * blocks / of('seconds') / 1e6:.0f}")
    row("CPU ms a block: PostgreSQL", milliseconds("postgres"), "at most 1.1 x \\copy")
    row("CPU ms a block: daemon or psql", milliseconds("client"), "at most 5.5 without gzip")
    row("CPU ms a block: block server", milliseconds("sandbox"))
    row("resident MB, peak", lambda of: f"{of('peak_mb'):.0f}")
    row("resident MB, median", lambda of: f"{of('rss_mb'):.0f}")
    row("alerts a block", lambda of: f"{of('alerts') / blocks:.2f}")
    row("WAL kB a block", lambda of: f"{of('wal') / blocks / 1e3:.0f}")
    print()
    for way in ways:
        if way == "\\copy":
            continue
        speed = statistics.median(r["\\copy"]["seconds"] / r[way]["seconds"] for r in rounds)
        cpu = statistics.median(r[way]["postgres"] / r["\\copy"]["postgres"] for r in rounds)
        common.line_of(f"{way}: speed against \\copy", f"{speed:.2f}", "at least 0.75" if way == "plain" else "")
        common.line_of(f"{way}: PostgreSQL's CPU against \\copy", f"{cpu:.2f}", "at most 1.10")
    for way in [way for way in ("rules", "queued") if way in ways]:
        speed = statistics.median(r["plain"]["following"] / r[way]["following"] for r in rounds)
        common.line_of(f"{way}: speed against plain, without the start", f"{speed:.2f}", "at least 0.90")


def main():
    parser = argparse.ArgumentParser(description="Whole blocks -> PostgreSQL, against psql's \\copy")
    parser.add_argument("--blocks", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--connections", type=int, default=2, help="of psql; the daemon's follow.writers is 2")
    parser.add_argument("--plain", action="store_true", help="without the runs that ask for gzip")
    parser.add_argument("--rules", action="store_true", help="a run with many rules, too")
    parser.add_argument("--queued", type=int, default=0, help="a run with so many queued alerts, too")
    parser.add_argument("--config", default="", help="lines added to the daemon's configuration")
    args = parser.parse_args()
    database = common.Database(os.environ["RECEIPTD_BENCH_DATABASE"])
    common.print_ground(database)
    with common.workspace() as name:
        folder = pathlib.Path(name)
        blocks_path = folder / "blocks"
        blocks_path.mkdir()
        what, json_bytes = common.blocks_folder(blocks_path)
        print(f"blocks: {args.blocks}, {what}; {json_bytes / 1e6:.2f} MB of JSON on average", flush=True)
        words = ["--repeat", args.blocks + 1, "--first-height", FIRST_HEIGHT,
                 "--first-time-ns", time.time_ns() - (args.blocks + 60) * 10**9] + ([] if args.plain else ["--gzip"])
        with common.Sandbox(blocks_path, *words) as sandbox:
            measure(args, Bench(args, folder, database, sandbox), json_bytes)


def measure(args, bench, json_bytes):
    rounds, rules = [], ""
    for number in range(args.rounds):
        runs = {"plain": bench.daemon(gzip=False)}
        if number == 0:
            bench.dump()
            rules = write_rules(bench.folder, bench.busy_accounts()) if args.rules else ""
        bench.check_rows()
        if args.rules:
            runs["rules"] = bench.daemon(gzip=False, rules=rules)
            bench.check_rows()
            runs["rules"]["alerts"] = int(bench.database.ask("SELECT count(*) FROM alerts"))
        if args.queued:
            endpoint = write_endpoint(bench.folder, ["default"])
            runs["queued"] = bench.daemon(gzip=False, rules=endpoint, queued=args.queued)
            bench.check_rows()
        if not args.plain:
            runs["gzip"] = bench.daemon(gzip=True)
            bench.check_rows()
        runs["\\copy"] = bench.psql()
        rounds.append(runs)
        print_round(number + 1, args.blocks, runs)
    print_table(args.blocks, rounds, json_bytes)
    bench.print_rows()
    bench.print_sizes()


if __name__ == "__main__":
    main()
