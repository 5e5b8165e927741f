#!/usr/bin/env python3
"""Whole blocks -> PostgreSQL, and the same rows by psql's \\copy, in the same run.

    ./dev bench ingest [--blocks N] [--rounds N] [--writers N]

Needs RECEIPTD_BENCH_DATABASE, a database that may be emptied. Server, daemon and database share the
machine. docs/performance.md says what each number means."""
import argparse
import os
import pathlib
import subprocess
import time

import common

TABLES = ("blocks", "chunks", "transactions", "receipts", "data_receipts", "events", "orphan_receipts")
FIRST_HEIGHT = 200_000_000

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


def prepare_wal(database, blocks):
    """Makes the WAL files of one run, to be recycled: else the first run creates them for the second."""
    database.ask("SELECT count(pg_logical_emit_message(false, 'receiptd bench', repeat('x', 1000000))) "
                 f"FROM generate_series(1, {blocks})")
    database.ask("CHECKPOINT")


def measure_daemon(args, folder, blocks_path, database):
    """Runs the daemon over the replay; returns the numbers of the run."""
    with common.Sandbox(blocks_path, "--repeat", args.blocks + 1, "--first-height", FIRST_HEIGHT) as sandbox:
        config = folder / "receiptd.toml"
        common.write_config(config, sandbox, database, "neardata", "all", FIRST_HEIGHT)
        with config.open("a") as more:
            more.write(args.config.replace("\\n", "\n") + "\n")
        # The first block comes before the clock runs: schema and partitions are there, as they are for psql.
        common.Daemon("run", "--config", config, "--until", FIRST_HEIGHT).wait()
        database.ask("CHECKPOINT")
        postmaster = database.postmaster()
        before = common.cluster_cpu_seconds(postmaster), sandbox.cpu(), database.ask("SELECT pg_current_wal_lsn()")
        daemon = common.Daemon("run", "--config", config, "--until", FIRST_HEIGHT + args.blocks)
        seconds, daemon_cpu = daemon.wait()
        return {
            "seconds": seconds,
            "daemon": daemon_cpu,
            "postgres": common.cluster_cpu_seconds(postmaster) - before[0],
            "sandbox": sandbox.cpu() - before[1],
            "wal": float(database.ask(f"SELECT pg_current_wal_lsn() - '{before[2]}'")),
            "peak_mb": daemon.peak_mb,
            "rss_mb": sorted(daemon.rss_mb)[len(daemon.rss_mb) // 2],
        }


def dump(database, args, folder):
    """The rows as files of COPY text, one per table and connection: disjoint ranges of heights."""
    size, rows = 0, 0
    for table in TABLES:
        for part in range(args.connections):
            low = FIRST_HEIGHT + 1 + args.blocks * part // args.connections
            high = FIRST_HEIGHT + 1 + args.blocks * (part + 1) // args.connections
            path = folder / f"{table}.{part}"
            where = f"WHERE block_height >= {low} AND block_height < {high}"
            database.ask(f"\\copy (SELECT * FROM {table} {where}) TO '{path}'")
            size += path.stat().st_size
        rows += int(database.ask(f"SELECT count(*) FROM {table} WHERE block_height > {FIRST_HEIGHT}"))
    return size, rows


def measure_psql(database, args, folder, source, config):
    """Loads the dumped files into a new database of the same schema."""
    database.recreate()
    config.with_name("database.url").write_text(database.url)
    common.Daemon("migrate", "--config", config).wait()
    identity = source.rows("SELECT network, scope, partition_width FROM chain_identity")[0]
    database.ask("INSERT INTO chain_identity (network, scope, partition_width, created_by) "
                 f"VALUES ('{identity[0]}', '{identity[1]}', '{identity[2]}', 'bench')")
    span = source.rows("SELECT min(block_time), max(block_time) FROM blocks")[0]
    database.ask(f"SELECT make_partitions('{span[0]}', '{span[1]}')")
    database.ask("CHECKPOINT")
    postmaster = database.postmaster()
    before = common.cluster_cpu_seconds(postmaster), os.times()
    started = time.monotonic()
    loads = []
    for part in range(args.connections):
        commands = "".join(f"\\copy {table} FROM '{folder / f'{table}.{part}'}'\n" for table in TABLES)
        load = subprocess.Popen(["psql", database.url, "-Xq1", "-v", "ON_ERROR_STOP=1"], stdin=subprocess.PIPE,
                                stdout=subprocess.DEVNULL, text=True)
        load.stdin.write(commands)
        load.stdin.close()
        loads.append(load)
    if any(load.wait() != 0 for load in loads):
        raise SystemExit("psql \\copy failed")
    seconds = time.monotonic() - started
    after = os.times()
    psql = after.children_user + after.children_system - before[1].children_user - before[1].children_system
    return {"seconds": seconds, "postgres": common.cluster_cpu_seconds(postmaster) - before[0], "psql": psql}


def print_sizes(database, blocks):
    tables = ", ".join(f"'{table}'" for table in TABLES)
    sizes = [(table, index, float(size)) for table, index, size in database.rows(SIZES.format(tables=tables))]
    table_bytes = sum(size for _, index, size in sizes if not index)
    index_bytes = sum(size for _, index, size in sizes if index)
    print("\nkB per block")
    for table in TABLES:
        for name, index, size in sizes:
            if name == table:
                print(f"  {size / blocks / 1e3:9.1f}  {table if not index else '    ' + index}")
    total = table_bytes + index_bytes
    common.line_of("table and index, kB a block", f"{total / blocks / 1e3:.0f}", "at most 600")
    common.line_of("index share", f"{index_bytes / total:.1%}", "at most 50 %")


def print_round(args, run, psql, json_bytes, copy_bytes, rows):
    blocks = args.blocks

    def each(seconds):
        return f"{seconds * 1e3 / blocks:.2f}"

    common.line_of("blocks/s", f"{blocks / run['seconds']:.1f}", "at least 60")
    common.line_of("seconds", f"{run['seconds']:.2f}")
    common.line_of("rows/s", f"{rows / run['seconds']:.0f}")
    common.line_of("JSON MB/s, COPY MB/s",
                   f"{json_bytes * blocks / run['seconds'] / 1e6:.0f}, {copy_bytes / run['seconds'] / 1e6:.1f}")
    common.line_of("CPU ms a block: daemon", each(run["daemon"]), "at most 5")
    common.line_of("CPU ms a block: PostgreSQL", each(run["postgres"]))
    common.line_of("CPU ms a block: block server", each(run["sandbox"]))
    common.line_of("daemon resident MB: peak, median", f"{run['peak_mb']:.0f}, {run['rss_mb']:.0f}", "under 300")
    common.line_of("WAL kB a block", f"{run['wal'] / blocks / 1e3:.0f}")
    common.line_of("psql \\copy of the same rows: blocks/s", f"{blocks / psql['seconds']:.1f}")
    common.line_of("CPU ms a block: PostgreSQL, psql", f"{each(psql['postgres'])}, {each(psql['psql'])}")
    common.line_of("speed against psql \\copy", f"{psql['seconds'] / run['seconds']:.2f}", "at least 0.8")


def main():
    parser = argparse.ArgumentParser(description="Whole blocks -> PostgreSQL, against psql's \\copy")
    parser.add_argument("--blocks", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--connections", type=int, default=2, help="of psql; the daemon's follow.writers is 2")
    parser.add_argument("--config", default="", help="lines added to the daemon's configuration")
    args = parser.parse_args()
    database = common.Database(os.environ["RECEIPTD_BENCH_DATABASE"])
    other = database.sibling("bench_copy")
    common.print_ground(database)
    with common.workspace() as name:
        folder = pathlib.Path(name)
        blocks_path = folder / "blocks"
        blocks_path.mkdir()
        what, json_bytes = common.blocks_folder(blocks_path)
        print(f"blocks: {args.blocks}, {what}; {json_bytes / 1e6:.2f} MB of JSON on average")
        for number in range(args.rounds):
            database.recreate()
            prepare_wal(database, args.blocks)
            run = measure_daemon(args, folder, blocks_path, database)
            copy_bytes, rows = dump(database, args, folder)
            psql = measure_psql(other, args, folder, database, folder / "receiptd.toml")
            print(f"\nround {number + 1} of {args.rounds}; {rows / args.blocks:.0f} rows and "
                  f"{copy_bytes / args.blocks / 1e3:.0f} kB of COPY text a block; "
                  f"load average {os.getloadavg()[0]:.1f}")
            print_round(args, run, psql, json_bytes, copy_bytes, rows)
        print_sizes(database, args.blocks)


if __name__ == "__main__":
    main()
