"""An account is forgotten with its rows: what is left is what a daemon has that never followed it."""

import json

import support
from database_proxy import Proxy

KEPT, FORGOTTEN = "ft.sandbox", "receiver.sandbox"
TABLES = ("blocks", "chunks", "transactions", "receipts", "data_receipts", "events", "transaction_results", "findings")


class Forget(support.Scenario):
    def setUp(self):
        super().setUp()
        # Blocks come when they are asked for.
        self.chain = self.sandbox("--seed", 11, "--block-time-ms", 0, "--traffic", "mixed", "--tps", 20, command="run")
        self.genesis = self.chain.rpc("block", {"sync_checkpoint": "genesis"})["header"]["height"]

    def configured(self, source, *accounts, scope="accounts", **more):
        follow = f"accounts = {json.dumps(accounts)}\n" if accounts else ""
        return self.config(self.chain, source=source, scope=scope, start=self.genesis + 1, network="sandbox",
                           patience="60s", follow=follow, **more)

    def advance(self, blocks):
        self.chain.ask("/advance", {"blocks": blocks})
        return self.chain.ask("/status")["final_height"]

    def follow(self, config, blocks=80, rest=250):  # a yield waits for 200
        last = self.advance(blocks)
        if rest:
            self.chain.ask("/traffic", {"tps": 0})
            last = self.advance(rest)
        self.receiptd("run", "--config", config, "--until", last)
        return last

    def forget(self, config, *more, expect=0):
        return self.receiptd("forget", "--config", config, "--account", FORGOTTEN, "--rows", *more, expect=expect)

    def of_nobody(self):
        """Orphans of which there is no row."""
        return self.value("SELECT count(*) FROM orphan_receipts o WHERE kind = 'receipt' AND NOT EXISTS "
                          "(SELECT FROM receipts r WHERE r.receipt_id = o.id)")

    def is_forgotten(self, source):
        last = self.follow(self.configured(source, KEPT, FORGOTTEN))
        before, orphans = self.fingerprint(), self.of_nobody()
        config = self.configured(source, KEPT)
        plan = json.loads(self.forget(config, "--plan", "--json")[0])
        self.assertGreater(plan["trees"], 5)
        self.assertGreater(plan["kept_trees"], 0)
        self.assertEqual(plan["running_trees"], 0)
        self.assertEqual(self.fingerprint(), before)
        proxy = Proxy(self.database)
        self.addCleanup(proxy.stop)
        through_proxy = self.configured(source, KEPT, database=proxy.url)
        proxy.step(1, "before", ("DELETE FROM transactions",))
        proxy.kill(self.start("forget", "--config", through_proxy, "--account", FORGOTTEN, "--rows"))
        self.assertEqual(self.fingerprint(), before)
        said, _ = self.forget(config)
        self.assertIn(f"{plan['trees']} trees with {plan['receipts']} receipts are deleted; {plan['kept_trees']} stay", said)
        said, _ = self.forget(config)
        self.assertIn("0 trees with 0 receipts are deleted", said)
        self.assertEqual(self.of_nobody(), orphans)
        alone = self.make_database()
        self.receiptd("run", "--config", self.configured(source, KEPT, database=alone), "--until", last)
        for table in TABLES:
            with self.subTest(table):
                found, expected = self.rows(table, self.database), self.rows(table, alone)
                self.assertEqual((sorted(expected - found)[:3], sorted(found - expected)[:3]), ([], []))

    def test_of_whole_blocks(self):
        self.is_forgotten("neardata")

    def test_of_json_rpc(self):
        self.is_forgotten("rpc")

    def test_what_is_watched_or_not_over_stays(self):
        self.follow(self.configured("neardata", KEPT, FORGOTTEN), rest=0)
        config = self.configured("neardata", KEPT)
        watched, signer = self.query(
            "SELECT tx_hash, min(signer_id) FROM receipts GROUP BY 1 HAVING NOT bool_or(coalesce("
            f"'{KEPT}' IN (receiver_id, predecessor_id), false)) ORDER BY 1 LIMIT 1")[0]
        tree = f"SELECT count(*) FROM receipts WHERE tree_id = '{watched}'"
        receipts = self.value(tree)
        self.receiptd("watch", "--config", config, watched, signer)
        said, _ = self.forget(config, expect=3)
        self.assertRegex(said, r"[1-9]\d* are not over yet and stay: run it again later")
        self.assertEqual(self.value(tree), receipts)

    def test_of_a_database_that_keeps_everything_nothing_goes(self):
        config = self.configured("neardata", scope="all")
        self.follow(config, blocks=20, rest=0)
        before = self.fingerprint()
        _, err = self.forget(config, expect=1)
        self.assertIn("no rows are deleted", err)
        self.assertEqual(self.fingerprint(), before)


if __name__ == "__main__":
    support.main()
