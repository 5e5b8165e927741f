#!/usr/bin/env python3
"""Questions by an id after ten days and after five years of daily partitions: locks, pages and time.

    ./dev bench years [--receipts N] [--days N] [--few N] [--reads N] [--keep]

Needs RECEIPTD_BENCH_DATABASE, a database that may be emptied (--keep: measured as an earlier run left it). The rows are
those of the bench tree; days are closed as the daemon closes them (docs/decisions/0059). Connections of psql: each is new.
Then the locks of each question of docs/sql.md, asked about the first of the days."""
import argparse
import json
import os
import pathlib
import re
import subprocess
import time

import common
import tree

QUESTION = re.compile(r"^## (\d+\. [^\n]+)\n\n```sql\n(.*?);\n```", re.M | re.S)
ASKED_ABOUT = re.compile(r"\('\w{43,44}'\)")
OPEN_DAYS = 2  # today, and the day that ended a moment ago; two more are made ahead

CLOSE = """
DO $$
DECLARE
    day timestamptz;
BEGIN
    FOR day IN SELECT from_time FROM days_to_close((SELECT max(until_time) FROM partitions) - interval '{open} days') LIMIT 200 LOOP
        PERFORM guard_day(day);
        COMMIT;
        PERFORM close_day(day);
        COMMIT;
    END LOOP;
    WHILE merge_ids() LOOP
        COMMIT;
    END LOOP;
END
$$"""
CLOSED_UNTIL = "(SELECT max(upper(period)) FROM closed_days, unnest(periods) AS period)"
# A tree of the week before open days may go on there.
FAR_FROM_OPEN_DAYS = f"block_time < {CLOSED_UNTIL} - interval '7 days'"
BESIDE_OPEN_DAYS = f"block_time >= {CLOSED_UNTIL} - interval '1 day' AND block_time < {CLOSED_UNTIL}"
LEFT = "SELECT count(*) FROM days_to_close((SELECT max(until_time) FROM partitions) - interval '{open} days')"


def close_days(database):
    started = time.monotonic()
    while database.ask(LEFT.format(open=OPEN_DAYS + 2)) != "0":
        database.ask(CLOSE.format(open=OPEN_DAYS + 2))
    return time.monotonic() - started


def fill(database, folder, days, receipts):
    asked = argparse.Namespace(receipts=receipts, days=days)
    tree.fill(database, asked, folder)
    last = f"timestamptz '{tree.FIRST_DAY}' + interval '{days - 1} days'"
    database.ask(f"SELECT make_partitions({last}, {last} + interval '2 days')")
    common.line_of("closing all days, s", f"{close_days(database):.1f}")
    database.ask(f"INSERT INTO receipts (receipt_id, tree_id, block_time, receiver_id, status) SELECT 'over a boundary', "
                 f"bench_id('t1'), timestamptz '{tree.FIRST_DAY}' + interval '1 day 1 second', 'late.near', 'success_value'")


def sizes(database):
    partitions, tables = database.rows("SELECT count(*) FILTER (WHERE table_name = 'receipts'), count(*) FROM partitions")[0]
    common.line_of("partitions of receipts / of all tables", f"{partitions} / {tables}")
    rows, size = database.rows("SELECT (SELECT sum(keys) FROM id_runs WHERE state = 'whole'), pg_total_relation_size('id_buckets')")[0]
    common.line_of("ids / bytes an id / runs", f"{int(rows):,} / {float(size) / int(rows):.1f} / "
                   f"{database.ask('SELECT count(*) FROM id_runs')}")


def locks(database, question):
    """In the tenth transaction of a connection."""
    count = "SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'relation' AND relation >= 16384"
    once = f"BEGIN; {question}; {count}; COMMIT;"
    return int(database.ask(once * 10).splitlines()[-1])


def pages_and_times(database, questions, times_each=1):
    """One connection: milliseconds of the first question, then pages and milliseconds of the others, each asked for the last time."""
    sql = ";".join(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT {question}" for question in questions for _ in range(times_each))
    answers, decoder, text, at = [], json.JSONDecoder(), database.ask(sql), 0
    while at < len(text):
        answer, at = decoder.raw_decode(text, at)
        answers.append(answer[0])
        while at < len(text) and text[at].isspace():
            at += 1
    answers = answers[times_each - 1::times_each]
    times = [answer["Execution Time"] + answer["Planning Time"] for answer in answers]
    pages = [answer["Plan"]["Shared Hit Blocks"] + answer["Plan"]["Shared Read Blocks"] for answer in answers]
    return times[0], sorted(pages[1:]), sorted(times[1:])


def at_once(database, question):
    """Ten new connections; returns how many failed."""
    command = ["psql", database.url, "-XAtq", "-v", "ON_ERROR_STOP=1", "-c", f"SELECT {question}"]
    running = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for _ in range(10)]
    return sum(one.wait() != 0 for one in running)


def measure(database, reads):
    sizes(database)
    ids = {what: database.ask(f"SELECT tx_hash FROM transactions WHERE {where} ORDER BY hashtext(tx_hash) LIMIT {reads}").splitlines()
           for what, where in (("known", FAR_FROM_OPEN_DAYS), ("beside open days", BESIDE_OPEN_DAYS))}
    ids["over a boundary"] = [database.ask("SELECT bench_id('t1')")] * reads
    ids["unknown"] = [f"unknown{n}" for n in range(reads)]
    for what, most in (("known", 64), ("over a boundary", 110), ("beside open days", 110), ("unknown", 64)):
        questions = [f"receipt_tree('{one}')" for one in ids[what]]
        first, pages, times = pages_and_times(database, questions)
        common.line_of(f"{what}: locks", locks(database, f"SELECT {questions[0]}"), f"at most {most}")
        common.line_of(f"{what}: pages, p50 and p99", f"{common.percentile(pages, 0.5)} / {common.percentile(pages, 0.99)}")
        common.line_of(f"{what}: ms, first, p50 and p99",
                       f"{first:.1f} / {common.percentile(times, 0.5):.1f} / {common.percentile(times, 0.99):.1f}", "p50 at most 10")
        # A connection reads the catalog once for each partition that it meets.
        _, pages, times = pages_and_times(database, questions, 2)
        common.line_of(f"{what}: asked again: pages, p50 and p99", f"{common.percentile(pages, 0.5)} / {common.percentile(pages, 0.99)}")
        common.line_of(f"{what}: asked again: ms, p50 and p99", f"{common.percentile(times, 0.5):.1f} / {common.percentile(times, 0.99):.1f}")
        common.line_of(f"{what}: of ten new connections fail", at_once(database, questions[0]), "0")


def measure_document(database):
    known = database.ask("SELECT bench_id('t2')")
    for title, question in QUESTION.findall((common.ROOT / "docs" / "sql.md").read_text()):
        common.line_of(f"locks: {title[:37]}", locks(database, ASKED_ABOUT.sub(f"('{known}')", question)), "at most 128")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--receipts", type=int, default=10_000_000, help="of all days")
    parser.add_argument("--days", type=int, default=1_826)
    parser.add_argument("--few", type=int, default=10, help="days to compare with")
    parser.add_argument("--reads", type=int, default=200)
    parser.add_argument("--keep", action="store_true", help="measure the database as it is")
    args = parser.parse_args()
    database = common.Database(os.environ["RECEIPTD_BENCH_DATABASE"])
    common.print_ground(database)
    print(f"max_locks_per_transaction={database.ask('SHOW max_locks_per_transaction')}")
    with common.workspace() as name:
        for days in [args.days] if args.keep else [args.few, args.days]:
            print(f"\n{days} days")
            receipts = args.receipts * days // args.days
            if not args.keep:
                fill(database, pathlib.Path(name), days, receipts)
            measure(database, args.reads)
            measure_document(database)


if __name__ == "__main__":
    main()
