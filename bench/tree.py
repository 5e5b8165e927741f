#!/usr/bin/env python3
"""One transaction's whole tree, read from a database of many: as the daemon does it, and asked of its API.

    ./dev bench tree [--receipts N] [--days N] [--reads N] [--keep]

Needs RECEIPTD_BENCH_DATABASE, a database that may be emptied (--keep: filled by an earlier run). The rows
are made by SQL: trees of 2 to 8 receipts with their data, one in 500 of 60, on daily partitions."""
import argparse
import http.client
import json
import os
import pathlib
import subprocess
import time

import common

FIRST_DAY = "2026-01-01"
RECEIPTS_A_TREE = 5.1  # on average, by SIZE

# As random as real ids are; 43 digits of base58, the first one such that they are 32 bytes.
PREPARE = """
CREATE OR REPLACE FUNCTION bench_id(what text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT 'A' || translate(left(encode(sha256(what::bytea), 'base64'), 42), '0OIl+/', 'abcdef')
$$;
INSERT INTO chain_identity (network, scope, width_is_automatic, created_by) VALUES ('sandbox', 'all', false, 'bench');
"""
SIZE = "CASE WHEN i % 500 = 0 THEN 60 ELSE 2 + 2 * (i % 4) END"

# Receipt n was made by receipt (n - 1) / 2; of two siblings the second awaits the first; the last is a refund.
FILL = """
SET synchronous_commit = off;
INSERT INTO transactions (tx_hash, tree_id, block_height, block_time, shard_id, index_in_chunk, signer_id, receiver_id,
    nonce, public_key, actions, status, initial_receipt_id, gas_burnt, tokens_burnt)
SELECT bench_id('t' || i), bench_id('t' || i), 100000000 + i / 50, {at}, i % 9, i % 100, 'user' || i % 50000 || '.near',
    'app' || i % 200 || '.near', i, 'ed25519:' || bench_id('k' || i % 50000),
    json_build_array(json_build_object('FunctionCall', json_build_object('method_name', 'deposit', 'args_json',
        json_build_object('amount', i::text, 'memo', repeat('m', (i % 300)::int)), 'gas', 1, 'deposit', '1'))),
    'success_receipt_id', bench_id('r' || i || '.0'), 2428000000000, 242800000000000000000
FROM generate_series({low}::bigint, {high}::bigint) i;
INSERT INTO receipts (receipt_id, tree_id, block_height, block_time, shard_id, index_in_chunk, tx_hash,
    parent_receipt_id, predecessor_id, receiver_id, signer_id, role, method_name, actions, deposit, input_data_ids,
    output_data_ids, receipt_ids, status, result, gas_burnt, tokens_burnt, executed_block_hash, logs)
SELECT bench_id('r' || i || '.' || n), bench_id('t' || i), 100000001 + i / 50 + n, {at} + n * interval '1 second',
    i % 9, n, bench_id('t' || i), CASE WHEN n > 0 THEN bench_id('r' || i || '.' || (n - 1) / 2) END,
    CASE WHEN n = size - 1 THEN 'system' ELSE 'app' || i % 200 || '.near' END,
    CASE n % 3 WHEN 0 THEN 'app' || i % 200 WHEN 1 THEN 'token' || i % 1000 ELSE 'user' || i % 50000 END || '.near',
    'user' || i % 50000 || '.near',
    CASE WHEN n = 0 THEN 'initial' WHEN n = size - 1 THEN 'refund' WHEN n % 2 = 1 THEN 'promise' ELSE 'callback' END,
    CASE WHEN n < size - 1 THEN 'ft_transfer' END,
    CASE WHEN n < size - 1 THEN json_build_array(json_build_object('FunctionCall', json_build_object('method_name',
        'ft_transfer', 'args_json', json_build_object('receiver_id', 'user' || i % 50000 || '.near', 'amount', i::text),
        'gas', 30000000000000, 'deposit', '1')))
    ELSE '[{{"Transfer":{{"deposit":"12345678901234567890"}}}}]' END, 1,
    CASE WHEN n > 0 AND n % 2 = 0 AND n < size - 1 THEN ARRAY[bench_id('d' || i || '.' || n - 1)] END,
    CASE WHEN n % 2 = 1 AND n < size - 2 THEN ARRAY[bench_id('d' || i || '.' || n)] END,
    ARRAY(SELECT bench_id('r' || i || '.' || child) FROM generate_series(2 * n + 1, 2 * n + 2) child WHERE child < size),
    'success_value', '', 3000000000000, 300000000000000000000, bench_id('b' || i / 50),
    CASE WHEN n % 3 = 1 THEN ARRAY['EVENT_JSON:{{"standard":"nep141","version":"1.0.0","event":"ft_transfer"}}'] END
FROM (SELECT i, {size} AS size FROM generate_series({low}::bigint, {high}::bigint) i) t
CROSS JOIN LATERAL generate_series(0, size - 1) n;
INSERT INTO data_receipts (data_id, receipt_id, tree_id, tx_hash, block_height, block_time, shard_id, predecessor_id,
    receiver_id, is_promise_resume, data)
SELECT bench_id('d' || i || '.' || n), bench_id('x' || i || '.' || n), bench_id('t' || i), bench_id('t' || i),
    100000002 + i / 50 + n, {at} + (n + 1) * interval '1 second', i % 9, 'token' || i % 1000 || '.near',
    'app' || i % 200 || '.near', false, 'IjEi'
FROM (SELECT i, {size} AS size FROM generate_series({low}::bigint, {high}::bigint) i) t
CROSS JOIN LATERAL generate_series(1, size - 3, 2) n;
"""


def fill(database, args, folder):
    config = folder / "receiptd.toml"
    config.write_text('[chain]\nnetwork = "sandbox"\n[[upstream]]\nname = "none"\nkind = "regular"\n'
                      'url = "http://127.0.0.1:1"\n[database]\nurl_file = "database.url"\n')
    url_file = folder / "database.url"
    url_file.touch(mode=0o600)
    url_file.write_text(database.url)
    database.recreate()
    common.Daemon("migrate", "--config", config).wait()
    database.ask(PREPARE)
    a_day = round(args.receipts / RECEIPTS_A_TREE / args.days)
    started = time.monotonic()
    for day in range(args.days):
        low, high = day * a_day + 1, (day + 1) * a_day
        made = f"timestamptz '{FIRST_DAY}' + interval '{day} days'"
        database.ask(f"SELECT make_partitions({made}, {made} + interval '1 day')")  # at once they would take all locks
        at = f"timestamptz '{FIRST_DAY}' + interval '{day} days' + (i - {low}) * interval '1 second' * 86000 / {a_day}"
        database.ask(FILL.format(low=low, high=high, at=at, size=SIZE))
    database.ask("ANALYZE transactions, receipts, data_receipts")
    database.ask("CHECKPOINT")
    print(f"filled in {time.monotonic() - started:.0f} s")


def sizes(database):
    for table in ("transactions", "receipts", "data_receipts"):
        rows, bytes_ = database.rows(f"SELECT (SELECT count(*) FROM {table}), sum(table_bytes + index_bytes) "
                                     f"FROM partitions WHERE table_name = '{table}'")[0]
        common.line_of(f"{table}, rows and MB", f"{int(rows):,} / {float(bytes_) / 1e6:,.0f}")
    common.line_of("daily partitions", database.ask("SELECT count(*) FROM partitions WHERE table_name = 'receipts'"))


def some_hashes(database, args):
    trees = int(database.ask("SELECT count(*) FROM transactions"))
    return database.ask(
        f"SELECT bench_id('t' || 1 + (hashint8extended(n, 1) & 1152921504606846975) % {trees}) "
        f"FROM generate_series(1, {args.reads}) n").splitlines()


def measure_reading(hashes):
    program = common.BUILD / "stored_tree_bench"
    result = subprocess.run([str(program)], input="\n".join(hashes) + "\n", capture_output=True, text=True)
    numbers = result.stdout.split()
    if result.returncode != 0 or not numbers:
        raise SystemExit(f"stored_tree_bench ended with {result.returncode}\n{result.stdout}{result.stderr}")
    told = dict(zip(numbers[::2], numbers[1::2]))
    print(f"\nread and judged, over one connection; load average {os.getloadavg()[0]:.1f}")
    common.line_of("trees read, receipts each", f"{told['reads']} / {told['receipts_a_tree']}")
    common.line_of("first of a connection, ms", told["first"])
    common.line_of("p50, ms", told["p50"])
    common.line_of("p90, ms", told["p90"])
    common.line_of("p99, ms", told["p99"], "at most 20")
    common.line_of("slowest, ms", told["max"])
    common.line_of(f"{told['batch']} trees in one call, ms", told["together"])


def measure_api(database, hashes, folder):
    """GET /v1/transactions/{hash} over one connection, while the daemon follows a living chain."""
    with common.Chain("--block-time-ms", 600, "--traffic", "mixed", "--tps", 10) as chain:
        config = folder / "receiptd.toml"
        port = common.write_config(config, chain, database, "neardata", "all", '"head"', network="sandbox")
        daemon = common.Daemon("run", "--config", config)
        daemon.wait_until_ready(port)
        connection = http.client.HTTPConnection("127.0.0.1", port)
        waits = []
        for tx_hash in hashes:
            started = time.monotonic()
            connection.request("GET", f"/v1/transactions/{tx_hash}")
            answer = connection.getresponse()
            body = answer.read()
            waits.append((time.monotonic() - started) * 1e3)
            if answer.status != 200 or json.loads(body)["stage"] != "final":
                raise SystemExit(f"GET /v1/transactions/{tx_hash}: {answer.status} {body[:300]}")
        daemon.stop()
    print(f"\nGET /v1/transactions/{{hash}}, {len(waits)} over one connection; load average {os.getloadavg()[0]:.1f}")
    common.line_of("first, ms", f"{waits[0]:.1f}")
    common.line_of("p50, ms", f"{common.percentile(waits[1:], 0.5):.1f}")
    common.line_of("p99, ms", f"{common.percentile(waits[1:], 0.99):.1f}", "at most 20")
    common.line_of("slowest but the first, ms", f"{max(waits[1:]):.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--receipts", type=int, default=10_000_000)
    parser.add_argument("--days", type=int, default=30)
    parser.add_argument("--reads", type=int, default=2_000)
    parser.add_argument("--keep", action="store_true", help="read from the database as it is")
    args = parser.parse_args()
    database = common.Database(os.environ["RECEIPTD_BENCH_DATABASE"])
    common.print_ground(database)
    with common.workspace() as name:
        folder = pathlib.Path(name)
        if not args.keep:
            fill(database, args, folder)
        sizes(database)
        hashes = some_hashes(database, args)
        measure_reading(hashes)
        measure_api(database, hashes, folder)


if __name__ == "__main__":
    main()
