"""A tree that takes longer than anybody expects is judged as any other."""

import json

import support
from handed_in import final_hash, key_of, nonce_of, send
from signer import Signed, call
from truth import Judging

SKIPPED = 0.6  # share of heights without a block: what takes long counts heights, and what costs are blocks
STALL = 1_400  # heights: longer than parents of receipts are looked for around the start of a run
YIELDS = 20  # each waits for 200 heights
TABLES_OF_TREES = ("transactions", "receipts", "data_receipts", "events", "transaction_results", "findings")
# A Merkle path alone tells the place in the left half of the tree. Only whole blocks have all outcomes of a chunk, and only
# trees that are fetched are confirmed one by one.
OF_ONE_SOURCE = {"receipts": ("index_in_chunk",), "chunks": ("executed_root",), "transactions": ("confirmed",)}


class Late(Judging, support.Scenario):
    def follow(self, source, *until):
        """A database that a daemon filled, restarted after each of these heights."""
        database = self.make_database()
        config = self.config(self.chain, source=source, start=self.genesis + 1, network="sandbox", patience="60s",
                             database=database)
        for last in until:
            self.receiptd("run", "--config", config, "--until", last)
        return database

    def assert_same_trees(self, database, expected):
        for table in TABLES_OF_TREES:
            with self.subTest(table=table):
                without = OF_ONE_SOURCE.get(table, ())
                self.assert_same(self.rows(table, database, without), self.rows(table, expected, without))

    def test_a_shard_that_stands_still_for_as_long_as_it_likes(self):
        self.chain = self.sandbox("--seed", 7, "--block-time-ms", 0, "--shards", 2, "--skipped-heights", SKIPPED, "--traffic", "failures", "--tps", 4,
                                  command="run")
        self.genesis = self.chain.ask("/status")["genesis_height"]
        self.chain.ask("/advance", {"blocks": 30})
        shard = self.shard_of_the_token()
        for _ in range(2):
            self.chain.ask("/withhold-chunk", {"shard_id": shard, "chunks": int(STALL * (1 - SKIPPED)) // 2})
        self.chain.ask("/advance", {"blocks": 40})
        self.chain.ask("/traffic", {"tps": 0})
        stalled = self.chain.ask("/status")["final_height"]
        self.come_to(stalled + STALL + 400)  # a yield waits for 200
        last = self.chain.ask("/status")["final_height"]

        whole = self.follow("neardata", last)
        truth = self.chain.ask(f"/truth?from={self.genesis}&to={last}")
        over = self.settled_by(truth, last)
        self.assert_judged(whole, over, over)
        late = "SELECT count(*) FROM receipts r JOIN receipts p ON p.receipt_id = r.parent_receipt_id " \
               f"WHERE r.block_height > p.block_height + {STALL - 100}"
        self.assertGreater(int(self.value(late, whole)), 5, "parent and child are far apart")
        restarted = self.follow("neardata", stalled, stalled + 20, last)
        self.assertEqual(self.value("SELECT count(*) FROM late_trees", restarted), "0")
        self.assertEqual(self.value("SELECT count(*) FROM orphan_receipts WHERE adopted_at IS NULL", restarted), "0")
        self.assert_same_trees(restarted, whole)
        self.assert_same_trees(self.follow("rpc", stalled, last), whole)
        self.assertEqual(self.value("SELECT count(*) FROM unfinished_trees('2026-01-01')", whole), "0")

    def test_a_chain_of_twenty_yields(self):
        self.chain = self.sandbox("--seed", 7, "--block-time-ms", 0, "--shards", 2, "--skipped-heights", SKIPPED, command="run")
        self.genesis = self.chain.ask("/status")["genesis_height"]
        self.chain.ask("/advance", {"blocks": 3})
        program = ["fail_if_promise_failed"]
        for number in range(YIELDS):
            program = [{"yield": {"id": str(number), "run": program}}]
        key = key_of(self.chain, "alice.sandbox")
        nonce = nonce_of(self.chain, "alice.sandbox", key) + 1
        send(self.chain, Signed(key, "alice.sandbox", "script.sandbox", nonce, final_hash(self.chain), 0,
                                action=call("run", json.dumps(program).encode())))
        self.come_to(self.genesis + 210 * YIELDS)
        last = self.chain.ask("/status")["final_height"]
        truth = self.chain.ask(f"/truth?from={self.genesis}&to={last}")
        self.assertGreater(len(truth[0]["tree"]), YIELDS)
        middle = self.genesis + 105 * YIELDS
        for source in ("neardata", "rpc"):
            with self.subTest(source=source):
                database = self.follow(source, middle, last)
                self.assert_judged(database, truth, truth)

    def come_to(self, height):
        while (final := self.chain.ask("/status")["final_height"]) < height:
            self.chain.ask("/advance", {"blocks": max(1, int((height - final) * (1 - SKIPPED)))})

    def shard_of_the_token(self):
        truth = self.chain.ask(f"/truth?from={self.genesis}")
        return next(each["shard_id"] for t in truth for each in t["tree"] or () if each["receiver_id"] == "ft.sandbox")


if __name__ == "__main__":
    support.main()
