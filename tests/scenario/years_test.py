"""A database with days of years ago: no transaction of a daemon, of its commands or of its page locks a partition that is far
from what it asks for."""

import json
import re
import threading

import support
from database_proxy import Proxy
from days_of_long_ago import days_of_long_ago_locked, make_days_of_long_ago
from libpq import Session
from watched import EVERYTHING, Watched

FEW = 1  # the day of the mark below all heights
# What may look at all days: what is about partitions themselves, one after the other; a search for blocks, findings, transactions
# or a number of blocks where the days before have none.
OF_ALL_DAYS = ("SELECT close_day", "tidy_partition", "bytes_a_day", "SELECT guard_day", "SELECT retire_partitions",
               "SELECT make_partitions", "oldest_block_time()", "block_above($1)", "block_below($1)",
               "FROM blocks WHERE block_time >= to_timestamp(($1::bigint) / 1000000::float8) ORDER BY block_height DESC LIMIT $2",
               "FROM findings f WHERE ($1 = '' OR (f.tree_id", "WITH seen AS MATERIALIZED (SELECT * FROM (")
RULES = """
[[rule]]
name = "no-tokens"
kind = "absence"
receiver = "ft.sandbox"
for = "1m"

[[rule]]
name = "slow"
kind = "latency"
stage = "completed"
over = "1s"
window = "2m"
"""
PAGES = ("/v1/status", "/v1/findings", "/v1/alerts", "/v1/watches", "/v1/transactions?account_id=ft.sandbox&role=receiver",
         "/v1/transactions?verdict=failed", "/v1/gaps", "/v1/backfills", "/account/ft.sandbox", "/", "/findings", "/watches", "/contracts", "/alerts")


class Locks:
    """What transactions lock that end on the way of this proxy, by their statements."""

    def __init__(self, proxy, url):
        self.asking, self.lock = Session(url), threading.Lock()  # each connection of the proxy has a thread
        self.seen, self.long_ago = set(), {}
        proxy.at_end = self.note

    def note(self, said, port):
        statements = tuple(re.sub(rb"\s+", b" ", each).strip(b"\0 ").decode(errors="replace")
                           for each in said.split(b"\0") if each.strip(b"\0 "))
        about = " | ".join(each for each in statements if not each.startswith(("BEGIN", "SET ")))
        with self.lock:
            long_ago = len(days_of_long_ago_locked(self.asking, f"a.client_port = {port}"))
            self.seen.add(about)
            if long_ago > FEW and not any(each in about for each in OF_ALL_DAYS):
                self.long_ago[about] = max(self.long_ago.get(about, 0), long_ago)


class Years(Watched, support.Scenario):
    maxDiff = None

    def setUp(self):
        super().setUp()
        self.chain = self.sandbox("--block-time-ms", 0, "--traffic", "mixed", "--tps", 10, "--seed", 3, "--epoch-blocks", 40,
                                  command="run")
        self.genesis = self.chain.rpc("block", {"sync_checkpoint": "genesis"})["header"]["height"]
        self.chain.ask("/advance", {"blocks": 120})
        self.chain.ask("/traffic", {"tps": 0})
        self.chain.ask("/advance", {"blocks": 250})  # a yield waits for 200

    def follow(self, source, last, database):
        config = self.config(self.chain, source=source, start=self.genesis + 1, network="sandbox", patience="60s",
                             database=database, extra=EVERYTHING + RULES)
        self.receiptd("run", "--config", config, "--until", last)
        return config

    def test_nothing_locks_days_of_long_ago(self):
        for source in ("neardata", "rpc"):
            with self.subTest(source=source):
                self.database = self.make_database()
                proxy = Proxy(self.database)
                self.addCleanup(proxy.stop)
                self.follow(source, self.genesis + 20, proxy.url)  # makes the first mark of its day
                make_days_of_long_ago(self)
                locks = Locks(proxy, self.database)
                config = self.follow(source, self.genesis + 60, proxy.url)
                self.receiptd("backfill", "--config", config, "--from", self.genesis + 80, "--to", self.genesis + 90)
                self.receiptd("repair", "--config", config, "--height", self.genesis + 30)
                self.receiptd("rejudge", "--config", config)
                self.receiptd("status", "--config", config, expect=None)
                daemon = self.start("run", "--config", config)
                for path in PAGES:
                    self.assertEqual(self.page(daemon, path)[0], 200, path)
                tx_hash = self.value("SELECT tx_hash FROM transaction_results LIMIT 1")
                for path in (f"/v1/transactions/{tx_hash}", f"/tx/{tx_hash}"):
                    self.assertEqual(self.page(daemon, path)[0], 200, path)
                support.wait_until("it follows the head", lambda: int(self.value("SELECT max(block_height) FROM blocks")) > self.genesis + 110)
                self.assertEqual([(about[:2000], days) for about, days in locks.long_ago.items()], [])
                self.assertGreater(len(locks.seen), 100, "statements were seen")


if __name__ == "__main__":
    support.main()
