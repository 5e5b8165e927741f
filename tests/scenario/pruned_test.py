#!/usr/bin/env python3
"""A transaction whose receipts retention has dropped: what became of it is still told."""

import json
import time

import support

DAY = 86_400
TREE_METHODS = ("tx_status", "EXPERIMENTAL_tx_status", "tx")
SOMEBODY_ELSE = "9" * 43


class Pruned(support.Scenario):
    def setUp(self):
        super().setUp()
        of_long_ago = (int(time.time()) // DAY - 3) * DAY * 10**9 + 3600 * 10**9
        self.chain = self.sandbox("--block-time-ms", 0, "--genesis-time", of_long_ago, "--traffic", "mixed", "--tps", 20, command="run")
        self.settings = self.config(self.chain, network="sandbox")
        self.daemon = self.start("run", "--config", self.settings)
        self.wait_for_all()
        self.chain.ask("/advance", {"blocks": 40})
        self.transaction = support.wait_until("a transaction failed in a callback", lambda: self.query(
            "SELECT tx_hash, signer_id, receipts FROM transaction_results WHERE verdict = 'callback_failed' LIMIT 1"))[0]
        self.wait_for_all()
        while self.query("SELECT retire_partitions(now() - interval '1 day', NULL)"):
            pass
        self.assertEqual(self.value("SELECT count(*) FROM receipts"), "0")

    def wait_for_all(self):
        newest = self.chain.ask("/status")["final_height"]
        support.wait_until("all is stored", lambda: self.value("SELECT to_regclass('blocks')") and self.value(
            "SELECT max(block_height) FROM blocks") == str(newest))

    def hosts_fail(self):
        for host in ("regular", "archival"):
            self.chain.ask("/faults", {"host": host, "faults": [{"fault": "500", "method": m} for m in TREE_METHODS]})

    def test_its_result_is_shown_and_its_receipts_are_had_from_hosts(self):
        tx_hash, signer, receipts = self.transaction
        self.assertIn("from the upstream", self.receiptd("tx", tx_hash, "--config", self.settings)[0])
        told = json.loads(self.page(self.daemon, f"/v1/transactions/{tx_hash}?sender={signer}")[1])
        self.assertEqual((told["source"], told["pruned"]), ("hosts", None))
        self.hosts_fail()
        text = self.receiptd("tx", tx_hash, "--config", self.settings)[0]
        self.assertRegex(text, rf"pruned +{receipts} receipts, [0-9]+ of them failed, are not kept: blocks before .* were pruned")
        self.assertRegex(text, "verdict +callback_failed")
        told = json.loads(self.page(self.daemon, f"/v1/transactions/{tx_hash}")[1])
        self.assertEqual((told["verdict"], told["stage"], told["pruned"]["receipts"]), ("callback_failed", "final", int(receipts)))
        self.assertIn("are not kept", self.page(self.daemon, f"/tx/{tx_hash}")[1])

    def test_of_what_is_not_stored_people_hear_what_was_pruned(self):
        status, answer = self.page(self.daemon, f"/v1/transactions/{SOMEBODY_ELSE}")[:2]
        self.assertEqual(status, 404)
        self.assertRegex(json.loads(answer)["detail"], "blocks before .* were pruned")
        self.assertRegex(self.page(self.daemon, f"/tx/{SOMEBODY_ELSE}")[1], "Everything before .* was pruned")
        self.assertRegex(self.receiptd("tx", SOMEBODY_ELSE, "--config", self.settings, expect=1)[1],
                         "not stored; blocks before .* were pruned")


if __name__ == "__main__":
    support.main()
