"""Transactions that the chain executes again under the same hash: each execution is a tree of its own."""

import support

BLOCKS = 30
LATER = 1_300  # heights: farther than parents of receipts are looked for around the start of a run
TABLES = ("transactions", "receipts", "data_receipts", "events", "transaction_results", "findings", "executions")


class ExecutedAgain(support.Scenario):
    def played(self):
        """A chain with transactions that were executed again soon, long after, and in vain; and its last height."""
        self.chain = self.sandbox("--seed", 7, "--block-time-ms", 0, "--shards", 2, "--traffic", "failures", "--tps", 4, command="run")
        self.genesis = self.chain.ask("/status")["genesis_height"]
        self.chain.ask("/advance", {"blocks": BLOCKS})
        self.chain.ask("/traffic", {"tps": 0})
        included = [t["tx_hash"] for t in self.truth() if t["heights"]["included"] and not t["error"]]
        self.soon, self.refused, self.late = included[-8:-5], included[-5:-3], included[:3]
        for tx_hash in self.soon:
            self.chain.ask(f"/transactions/{tx_hash}/again", {})
        self.chain.ask("/advance", {"blocks": 2})
        for tx_hash in (self.soon[0], *self.refused):
            self.chain.ask(f"/transactions/{tx_hash}/again", {"refused": 1} if tx_hash in self.refused else {})
        self.chain.ask("/advance", {"blocks": LATER})
        for tx_hash in self.late:
            self.chain.ask(f"/transactions/{tx_hash}/again", {})
        self.chain.ask("/advance", {"blocks": 250})  # a yield waits for 200
        self.assertTrue(self.chain.ask("/check?proofs=false")["ok"])
        return self.chain.ask("/status")["final_height"]

    def truth(self):
        return self.chain.ask(f"/truth?from={self.genesis}&to={self.genesis + BLOCKS + LATER}")

    def follow(self, *until):
        """A database that a daemon filled, restarted after each of these heights."""
        database = self.make_database()
        config = self.config(self.chain, source="neardata", start=self.genesis + 1, network="sandbox", patience="60s", database=database)
        for last in until:
            self.receiptd("run", "--config", config, "--until", last)
        return config, database

    def executions(self):
        """(tree_id, truth) of each execution."""
        for transaction in self.truth():
            if transaction["heights"]["included"]:
                yield transaction["tx_hash"], transaction
            for again in transaction.get("again", ()):
                yield f"{again['tx_hash']}@{again['heights']['included']}", again

    def test_each_execution_has_its_tree_its_result_and_its_findings(self):
        last = self.played()
        config, database = self.follow(last)
        true = list(self.executions())
        self.assertEqual(sum(1 for tree, _ in true if "@" in tree), 9)
        self.assertEqual(
            {tuple(row) for row in self.query("SELECT tree_id, tx_hash, included_height, verdict, near_status, receipts, failed_receipts "
                                              "FROM transaction_results", database)},
            {(tree, t["tx_hash"], str(t["heights"]["included"]), t["verdict"], t["near_status"], str(len(t["tree"])),
              str(len(t["failed_receipts"]))) for tree, t in true})
        self.assertEqual(
            {tuple(row) for row in self.query("SELECT tree_id, tx_hash, receipt_id, role, block_height FROM receipts", database)},
            {(tree, t["tx_hash"], node["receipt_id"], node["role"], str(node["executed_height"])) for tree, t in true for node in t["tree"]})
        self.assertEqual(
            {tuple(row) for row in self.query("SELECT tree_id, receipt_id FROM findings WHERE kind = 'failed_receipt'", database)},
            {(tree, failed["receipt_id"]) for tree, t in true for failed in t["failed_receipts"]})
        self.assertEqual(self.value("SELECT count(*) FROM data_receipts d WHERE NOT EXISTS (SELECT FROM receipts r WHERE "
                                    "r.tree_id = d.tree_id AND d.data_id = ANY (r.input_data_ids))", database), "0")
        self.assertEqual(self.value("SELECT count(*) FROM executed_again WHERE kind = 'receipt'", database), "0")
        tree = next(tree for tree, _ in true if tree.startswith(self.late[0] + "@"))
        node = next(t for name, t in true if name == tree)["tree"][0]["receipt_id"]
        self.assertEqual(self.query(f"SELECT id FROM receipt_tree('{tree}') LIMIT 2", database), [[self.late[0]], [node]])
        said, _ = self.receiptd("tx", "--config", config, self.late[0], expect=None)
        self.assertIn(tree.partition("@")[2], said)

        before = self.fingerprint(database)
        said, _ = self.receiptd("rejudge", "--config", config, "--from", self.genesis + 1, "--to", last)
        self.assertIn("0 roles changed; 0 findings added, 0 removed", said)
        self.assertEqual(self.fingerprint(database), before)

        stops = [self.genesis + BLOCKS + blocks for blocks in (-4, 0, 1, 2, 3, 4, 6)]
        _, restarted = self.follow(*stops, last - 248, last - 246, last)
        for table in TABLES:
            with self.subTest(table=table):
                self.assertEqual(self.rows(table, restarted), self.rows(table, database))

    def test_source_rpc_has_the_execution_that_hosts_give_and_calls_the_other_unfinished(self):
        last = self.played()
        database = self.make_database()
        config = self.config(self.chain, source="rpc", start=self.genesis + 1, network="sandbox", patience="5s", database=database)
        self.receiptd("run", "--config", config, "--until", last, expect=3)
        true = {tree: (t["verdict"], len(t["tree"])) for tree, t in self.executions() if "@" not in tree}
        stored = {row[0]: (row[1], int(row[2])) for row in self.query("SELECT tree_id, verdict, receipts FROM transaction_results", database)}
        self.assertEqual({tree: of for tree, of in stored.items() if "@" not in tree}, true)
        self.assertIn(["hosts give another execution of this hash, in another block"],
                      self.query("SELECT DISTINCT reason FROM unfinished_trees('-infinity')", database))


if __name__ == "__main__":
    support.main()
