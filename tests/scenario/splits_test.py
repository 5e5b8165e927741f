#!/usr/bin/env python3
"""Shards are split at the edges of epochs while receipts are under way, once where the split shard has no chunks: both sources
store what truly happened, with all outcomes proven, and follow what is watched across the edge."""

import json

import support
from watched import EVERYTHING, Watched

EPOCH = 20  # blocks
PARENTS = {8: (10, 11), 9: (12, 13)}
SHARDS = [[8, 9], [9, 10, 11], [10, 11, 12, 13]]  # of each epoch
WITHHELD = 4  # chunks of shard 9, the last of its own and the first of its children


class Splits(Watched, support.Scenario):
    def setUp(self):
        super().setUp()
        self.databases = {"neardata": self.database, "rpc": self.make_database()}
        self.chain = self.sandbox("--block-time-ms", 0, "--shards", 2, "--traffic", "mixed", "--tps", 20, "--seed", 3, "--epoch-blocks", EPOCH,
                                  "--split-at", "1:ft.sandbox", "--split-at", "2:script.sandbox", command="run")
        self.genesis = self.chain.ask("/status")["genesis_height"]

    def test_nothing_is_lost_or_doubted_at_the_edge(self):
        configs = {source: self.config(self.chain, source=source, start=self.genesis + 1, network="sandbox", database=database,
                                       patience="60s", extra=EVERYTHING) for source, database in self.databases.items()}
        self.daemons = {source: self.start("run", "--config", config) for source, config in configs.items()}
        self.advance_to(EPOCH - 4)
        self.advance_to(EPOCH + 4)
        self.advance_to(2 * EPOCH - 2)
        self.chain.ask("/withhold-chunk", {"shard_id": 9, "chunks": WITHHELD})
        self.advance_to(2 * EPOCH + 1)
        self.advance_to(3 * EPOCH - 1)
        self.chain.ask("/traffic", {"tps": 0})
        self.advance_to(3 * EPOCH + 12)
        self.assertEqual(self.chain.ask("/check")["problems"], [])
        self.last = self.genesis + 3 * EPOCH
        for source, database in self.databases.items():
            with self.subTest(source):
                support.wait_until("all outcomes are compared", lambda: self.alive(source) and self.value(
                    f"SELECT compared @> int8range({self.genesis + 1}, {self.last}, '[]') FROM coverage", database) == "t"
                    if source == "neardata" else self.alive(source))
                self.assert_layouts(database)
                self.assert_proven(source, database)
                self.assert_truth_is_stored(source, database)

    def alive(self, source):
        self.assertIsNone(self.daemons[source].poll(), self.daemons[source].log()[-4000:])
        return True

    def advance_to(self, blocks):
        """Until so many blocks are above genesis and the daemons have stored what is final of them."""
        self.chain.ask("/advance", {"blocks": self.genesis + blocks - self.chain.ask("/status")["height"]})
        for source, database in self.databases.items():
            support.wait_until("what is final is stored", lambda: self.alive(source) and self.value(
                "SELECT to_regclass('blocks')", database) and int(self.value(
                    "SELECT coalesce(max(block_height), 0) FROM blocks", database)) >= self.final_height())

    def assert_layouts(self, database):
        """Where a child has no chunk yet, its parent's last one stands for it."""
        for block, shards, count in self.query(
                f"SELECT c.block_height - {self.genesis}, json_agg(shard_id ORDER BY shard_id) FILTER (WHERE c.chunk_hash IS NOT NULL), "
                f"max(shard_count) FROM chunks c JOIN blocks b USING (block_height, block_time) WHERE block_height < {self.last} GROUP BY 1",
                database):
            block, epoch = int(block), int(block) // EPOCH
            expected = SHARDS[epoch]
            self.assertEqual(int(count), len(expected), block)
            if 2 * EPOCH <= block < 2 * EPOCH - 1 + WITHHELD:
                expected = SHARDS[1]
            self.assertEqual(json.loads(shards), expected, block)

    def assert_proven(self, source, database):
        self.assertEqual(self.value("SELECT unconfirmed FROM coverage", database), "{}")
        self.assertEqual(self.value("SELECT count(*) FROM transactions WHERE NOT confirmed", database), "0")
        self.assertEqual(self.query("SELECT DISTINCT on_trust FROM blocks", database), [[None]])
        self.assertEqual(self.value("SELECT count(*) FROM chunks WHERE NOT covered", database), "0")
        for word in ("other outcomes", "lie", "false", "refused"):
            self.assertNotIn(word, self.daemons[source].log(), source)

    def assert_truth_is_stored(self, source, database):
        now = self.final_height()
        included = self.included(now)
        settled = self.settled_by(included, now)
        self.assertGreater(len(settled), 200)
        here = lambda transaction, node: True
        across = [node for t in settled for node in t["tree"]
                  if (node["created_height"] - self.genesis) // EPOCH < (node["executed_height"] - self.genesis) // EPOCH]
        self.assertLessEqual({child for children in PARENTS.values() for child in children}, {node["shard_id"] for node in across},
                             "receipts go to each child across the edge")
        hashes = {t["tx_hash"] for t in settled}
        told = lambda rows: hashes <= {tx_hash for tx_hash, in self.query(f"SELECT tx_hash FROM {rows}", database)}
        support.wait_until("what is settled has ended", lambda: self.alive(source) and told("watches WHERE stage = 'final'")
                           and told("transaction_results") and (source == "neardata" or told("transactions WHERE confirmed")))
        self.assert_same(self.stored_receipts(database) & self.true_receipts(settled, here), self.true_receipts(settled, here))
        self.assert_same(self.stored_results(database) & self.true_results(settled), self.true_results(settled))
        self.assert_same(self.stored_findings(database) & self.true_findings(settled), self.true_findings(settled))
        self.assert_true(source, database, included, now)


if __name__ == "__main__":
    support.main()
