#!/usr/bin/env python3
"""Yesterday's dump replaces a lost database: what was stored since is fetched again, and only alerts of that time are sent again."""

import signal
import subprocess

import databases
import support
from receiver import Receiver, endpoint, secret_file

TABLES = ("blocks", "transactions", "receipts", "transaction_results", "findings")
WITHOUT = {"transactions": ("confirmed",)}  # by rpc with one host: whether the root of its last outcome was stored already


class Restored(support.Scenario):
    def setUp(self):
        super().setUp()
        self.receiver = Receiver()
        self.addCleanup(self.receiver.stop)
        self.chain = self.sandbox("--block-time-ms", 0, "--traffic", "mixed", "--tps", 30, "--seed", 5, "--genesis-time", "now",
                                  command="run")

    def follow(self, source, database, is_over=True):
        """Up to the chain's end, until all alerts are delivered. `is_over`: no tree goes on there; otherwise some were delivered."""
        start, last = (self.chain.ask("/status")[height] for height in ("genesis_height", "final_height"))
        config = self.config(self.chain, source=source, start=start + 1, network="sandbox", patience="60s", database=database,
                             extra=endpoint("ops", self.receiver.url, secret_file(self.folder)))
        self.receiptd("database", "keep-id", "--config", config)
        daemon = self.start("run", "--config", config)
        support.wait_until("all is stored and sent", lambda: daemon.poll() is not None or (
            self.value("SELECT max(block_height) FROM blocks", database) == str(last)
            and (self.trees_are_whole(database) if is_over else len(self.receiver.attempts) > 5)
            and self.value("SELECT count(*) FROM deliveries WHERE state <> 'delivered'", database) == "0"))
        daemon.send_signal(signal.SIGTERM)
        self.assertEqual(support.ended(daemon), 0, daemon.log()[-4000:])

    def stored(self, database):
        return {table: self.rows(table, database, WITHOUT.get(table, ())) for table in TABLES}

    def restored(self, dump):
        name = databases.make_empty(self.maintenance)
        self.addCleanup(support.sql, self.maintenance, f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        database = support.database_url(name)
        subprocess.run(["pg_restore", "--exit-on-error", "-d", database, dump], check=True)
        return database

    def is_restored(self, source):
        self.chain.ask("/advance", {"blocks": 60})
        self.follow(source, self.database, is_over=False)
        known = dict(self.receiver.attempts)
        dump = self.folder / "receiptd.dump"
        subprocess.run(["pg_dump", "-Fc", "-f", dump, self.database], check=True)
        self.chain.ask("/advance", {"blocks": 60})
        self.chain.ask("/traffic", {"tps": 0})
        self.chain.ask("/advance", {"blocks": 250})  # a yield waits for 200
        self.follow(source, self.database)
        since = set(self.receiver.attempts) - set(known)
        self.assertGreater(min(len(known), len(since)), 5)
        database = self.restored(dump)
        self.follow(source, database)
        self.assertEqual(self.receiver.attempts, dict.fromkeys(known, 1) | dict.fromkeys(since, 2))
        expected, found = self.stored(self.database), self.stored(database)
        for table in TABLES:
            with self.subTest(table):
                self.assertEqual((sorted(expected[table] - found[table])[:3], sorted(found[table] - expected[table])[:3]), ([], []))

    def test_by_whole_blocks(self):
        self.is_restored("neardata")

    def test_by_json_rpc(self):
        self.is_restored("rpc")


if __name__ == "__main__":
    support.main()
