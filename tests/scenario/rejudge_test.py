"""History that earlier rules judged is made anew by `receiptd rejudge`; by today's rules there is nothing to change."""

import json

import support

BLOCKS = 80
# Results and findings as earlier rules would have left them, and roles that were guessed.
EARLIER = """
UPDATE transaction_results SET verdict = 'succeeded', near_status = NULL, root_cause = NULL, judged_by = NULL;
DELETE FROM findings WHERE kind = 'failed_receipt' AND role = 'promise' AND tree_id IN (SELECT tree_id FROM transaction_results);
UPDATE findings SET handled = NOT handled WHERE tree_id IN (SELECT tree_id FROM transaction_results);
INSERT INTO findings (finding_id, kind, tx_hash, tree_id, receipt_id, block_height, block_time)
    SELECT 'failed_receipt:invented', 'failed_receipt', tx_hash, tree_id, 'invented', block_height, block_time
    FROM transaction_results ORDER BY tx_hash LIMIT 1;
INSERT INTO findings (finding_id, kind, tx_hash, tree_id, block_time)
    SELECT 'stuck:' || tx_hash, 'stuck', tx_hash, tree_id, block_time FROM transaction_results ORDER BY tx_hash LIMIT 1;
UPDATE transactions SET user_id = NULL;
UPDATE receipts SET role = 'detached' WHERE role IN ('returned', 'payout');
UPDATE coverage SET judged_by = 1, judged_before = '{}';
"""
TOLD = ("alerts", "deliveries", "stream_events")


class Rejudging(support.Scenario):
    def followed(self, source):
        """The configuration of a database that has followed a chain with traffic, and its heights."""
        chain = self.sandbox("--block-time-ms", 0, "--traffic", "failures", "--tps", 4, "--seed", 11, command="run")
        chain.ask("/advance", {"blocks": BLOCKS})
        chain.ask("/traffic", {"tps": 0})
        chain.ask("/advance", {"blocks": 250})  # a yield waits for 200
        genesis = chain.rpc("block", {"sync_checkpoint": "genesis"})["header"]["height"]
        secret = self.folder / "secret"
        secret.write_text("whsec_" + "A" * 44)
        secret.chmod(0o600)
        config = self.config(chain, source=source, start=genesis + 1, network="sandbox", patience="60s",
                             extra=f'[[endpoint]]\nname = "ops"\nurl = "https://127.0.0.1:9/"\nsecret_file = "{secret}"\n')
        self.receiptd("run", "--config", config, "--until", genesis + BLOCKS)
        return config, genesis + 1, genesis + BLOCKS

    def told(self):
        return {table: self.value(f"SELECT count(*) FROM {table}") for table in TOLD}

    def results(self):
        return int(self.value("SELECT count(*) FROM transaction_results"))

    def assert_unchanged(self, said, trees):
        self.assertRegex(said, rf"^judged {trees} trees ")
        self.assertIn("0 roles changed; 0 findings added, 0 removed", said)
        self.assertNotIn("verdicts", said)

    def test_todays_rules_change_nothing_whichever_source_it_came_from(self):
        for source in ("neardata", "rpc"):
            with self.subTest(source):
                self.database = self.make_database()
                config, first, last = self.followed(source)
                before, told = self.fingerprint(), self.told()
                said, _ = self.receiptd("rejudge", "--config", config)
                self.assertRegex(said, "^judged 0 trees of 0 heights ")
                said, _ = self.receiptd("rejudge", "--config", config, "--from", first, "--to", last)
                self.assert_unchanged(said, self.results())
                self.assertEqual(self.fingerprint(), before)
                self.assertEqual(self.told(), told)

    def test_what_earlier_rules_left_is_made_anew_and_nobody_is_told(self):
        config, first, last = self.followed("neardata")
        before, told, trees = self.fingerprint(), self.told(), self.results()
        self.assertGreater(int(before["findings"][0]), 10)
        self.assertGreater(int(self.value("SELECT count(user_id) FROM transactions")), 0)
        self.query(EARLIER)
        self.receiptd("rejudge", "--config", config, "--from", last + 1)  # nothing is there; the heights are noted
        status, _ = self.receiptd("status", "--config", config, expect=4)
        self.assertIn(f"{BLOCKS} heights judged by earlier rules ({first} to {last}): run `receiptd rejudge`", status)

        half = first + BLOCKS // 2
        self.receiptd("rejudge", "--config", config, "--from", first, "--to", half)
        status = json.loads(self.receiptd("status", "--json", "--config", config, expect=4)[0])
        self.assertEqual(status["database"]["judged_by_earlier_rules"], [{"from": half + 1, "to": last}])
        said, _ = self.receiptd("rejudge", "--config", config)
        self.assertRegex(said, r"\d+ verdicts: succeeded -> callback_failed")
        self.assertEqual(self.query("DELETE FROM findings WHERE kind = 'stuck' RETURNING receipt_id"), [[None]],
                         "of a watch, not of a tree")
        self.assertEqual(self.fingerprint(), before)
        self.assertEqual(self.results(), trees)
        self.assertEqual(self.told(), told)
        status, _ = self.receiptd("status", "--config", config, expect=4)
        self.assertNotIn("earlier rules", status)

    def test_a_tree_that_is_not_over_keeps_its_findings(self):
        config, first, last = self.followed("neardata")
        self.query("CREATE TABLE cut AS SELECT tree_id, max(block_height) AS height FROM receipts GROUP BY 1;"
                   "DELETE FROM receipts r USING cut WHERE r.tree_id = cut.tree_id AND r.block_height = cut.height;"
                   "DROP TABLE cut")
        before = self.rows("findings", self.database)
        self.receiptd("rejudge", "--config", config, "--from", first, "--to", last)
        self.assertEqual(self.rows("findings", self.database), before)

    def test_bounds_the_wrong_way_round_are_refused(self):
        _, said = self.receiptd("rejudge", "--from", 5, "--to", 4, expect=2)
        self.assertIn("--from", said)


if __name__ == "__main__":
    support.main()
