#!/usr/bin/env python3
"""Hosts that leave the receipts out of their answers about transactions: nothing is concluded from what they do not tell."""

import json

import support
from handed_in import final_hash, key_of, nonce_of, send
from receiver import EVERY_FINDING, Receiver, endpoint, secret_file
from signer import Signed, call
from truth import Judging

BLOCKS = 40
WITHOUT = {"fault": "without_receipts"}
ENDS = '[[rule]]\nname = "ends"\nkind = "stage"\nstages = ["completed", "final"]\n'


class Missing(Judging, support.Scenario):
    """Chunks stay whole."""

    def setUp(self):
        super().setUp()
        self.chain = self.sandbox("--block-time-ms", 100, "--shards", 3, "--traffic", "mixed", "--tps", 60, "--seed", 11,
                                  command="run")
        self.genesis = self.chain.rpc("block", {"sync_checkpoint": "genesis"})["header"]["height"]
        self.last = self.genesis + BLOCKS

    def follow(self, share, *more):
        self.chain.ask("/faults", {"faults": [{**WITHOUT, "share": share}, *more]})
        config = self.config(self.chain, start=self.genesis + 1, network="sandbox", patience="60s")
        daemon = self.start("run", "--config", config, "--until", self.last)
        daemon.wait(timeout=support.DEADLINE)
        self.assertEqual(daemon.returncode, 0, daemon.log()[-4000:])

    def included(self):
        truth = self.chain.ask(f"/truth?from={self.genesis}&to={self.last}")
        return [t for t in truth if t["heights"]["included"] and t["heights"]["included"] <= self.last]


class FromAThirdOfTheAnswers(Missing):
    def test_every_role_verdict_and_finding_is_the_true_one(self):
        self.follow(0.2, {**WITHOUT, "share": 0.2, "keep_every": 2})
        included = self.included()
        self.assertGreater(len(included), 100)
        self.assert_same(self.stored_receipts(self.database), self.true_receipts(included, lambda *_: True))
        self.assert_judged(self.database, self.known_by_rpc(included, self.last), included)


class FromAllAnswers(Missing):
    def test_only_what_no_chunk_lists_is_not_known(self):
        self.follow(1)
        included = self.included()
        unknown = {row[0] for row in self.query("SELECT receipt_id FROM receipts WHERE role IS NULL")}
        self.assert_same({row for row in self.stored_receipts(self.database) if row[0] not in unknown},
                         {row for row in self.true_receipts(included, lambda *_: True) if row[0] not in unknown})
        instant = {node["receipt_id"] for t in included for node in t["tree"] if node["receipt_id"] in unknown
                   and node["role"] not in ("callback", "detached", "returned", "promise")}
        self.assertEqual(instant, set(), "refunds are listed")
        trees = {row[0] for row in self.query("SELECT DISTINCT tree_id FROM receipts WHERE role IS NULL")}
        whole = [t for t in included if t["tx_hash"] not in trees]
        self.assertGreater(len(whole), len(included) * 2 / 3)
        found = self.stored_results(self.database)
        self.assert_same({row for row in found if row[0] not in trees}, self.true_results(whole))
        verdicts = {t["tx_hash"]: t["verdict"] for t in included}
        self.assertEqual({row[0]: row[2] for row in found if row[0] in trees},
                         {row[0]: verdicts[row[0]] for row in found if row[0] in trees})
        findings = self.stored_findings(self.database)
        self.assert_same(findings, findings & self.true_findings(included))


class Undecided(support.Scenario):
    """Neither answers nor chunks tell the receipts of one transaction, whose failure a callback handled."""

    def begin(self):
        self.chain = self.sandbox("--block-time-ms", 100, "--shards", 1, "--genesis-time", "now", command="run")
        self.receiver = Receiver()
        self.addCleanup(self.receiver.stop)
        self.settings = self.config(self.chain, network="sandbox", scope="headers",
                                    extra=ENDS + endpoint("ops", self.receiver.url, secret_file(self.folder),
                                                          rules=(EVERY_FINDING, "ends")))
        self.chain.ask("/faults", {"faults": [
            {**WITHOUT, "share": 1}, {"fault": "wrong", "method": "chunk", "answer": {"error": "UNKNOWN_CHUNK"}}]})
        self.daemon = self.start("run", "--config", self.settings)
        support.wait_until("blocks are stored", lambda: self.value("SELECT max(block_height) FROM blocks"))

    def handled_failure(self):
        steps = [{"call": {"account": "receiver.sandbox", "method": "nope", "as": "a"}},
                 {"then": {"after": "a", "run": ["log_promise_results"], "as": "b"}}, {"return": "ok"}]
        key = key_of(self.chain, "alice.sandbox")
        sent = Signed(key, "alice.sandbox", "script.sandbox", nonce_of(self.chain, "alice.sandbox", key) + 1,
                      final_hash(self.chain), 0, action=call("run", json.dumps({"steps": steps}).encode()))
        send(self.chain, sent)
        return sent.hash

    def alerts(self, kind):
        support.wait_until("alerts have left", lambda: self.value(
            "SELECT count(*) FROM deliveries WHERE state = 'pending'") == "0")
        bodies = [json.loads(body) for _, _, body in self.receiver.requests]
        return [body for body in bodies if body["type"] == kind]

    def told(self):
        return json.loads(self.page(self.daemon, f"/v1/transactions/{self.tx_hash}")[1])

    def assert_messages_without_a_verdict(self):
        [finding] = self.alerts("finding.undecided")
        data = finding["data"]
        self.assertEqual((data["verdict"], data["reason"], data["error_class"]), (None, "receipts_missing", "receipts_missing"))
        self.assertEqual(data["summary"], f"transaction {self.tx_hash} of alice.sandbox is undecided: receipts_missing: {data['error_text']}")
        for stage, came_from in (("completed", "executing"), ("final", "completed")):
            [message] = self.alerts(f"transaction.{stage}")
            data = message["data"]
            height, tokens_burnt = data.pop("block_height"), data["amounts"].pop("tokens_burnt")
            self.assertGreater((height, int(tokens_burnt)), (0, 0))
            self.assertEqual(data, {
                "summary": f"transaction of alice.sandbox to script.sandbox (run) is {stage} without a verdict: receipts_missing",
                "stage": stage, "from_stage": came_from, "final": None, "inclusion_id": None, "sender_id": "alice.sandbox", "user_id": "alice.sandbox",
                "contract_id": "script.sandbox", "method_name": "run", "verdict": None, "reason": "receipts_missing",
                "near_status": None, "effect": None, "root_cause": None, "idempotency_key": None, "metadata": None,
                "evidence": {"receipts": 6, "failed_receipts": 1, "error_class": "receipts_missing"}, "conclusive": True,
                "amounts": {"deposit": "0", "deposit_refunded": None, "tokens_lost": None}, "tx_hash": self.tx_hash,
                "links": {"api": f"/v1/transactions/{self.tx_hash}", "page": f"/tx/{self.tx_hash}"}})

    def wait_as_long(self, minutes):
        """As if the receipts had been missing for so long."""
        self.query(f"UPDATE pending_trees SET receipts_missing_since = now() - interval '{minutes} minutes', due_at = now()")

    def test_it_has_no_verdict_says_so_after_ten_minutes_and_is_corrected(self):
        self.begin()
        self.tx_hash = self.handled_failure()
        self.receiptd("watch", self.tx_hash, "alice.sandbox", "--config", self.settings)
        support.wait_until("its receipts are missed", lambda: self.value(
            "SELECT reason FROM watches") == "receipts_missing")
        self.assertEqual(self.value("SELECT stage FROM watches"), "executing")
        support.wait_until("a part of it is stored", lambda: self.value("SELECT stored_part FROM pending_trees") == "rows")
        told = self.told()
        self.assertEqual((told["verdict"], told["reason"]), (None, "receipts_missing"))
        self.assertEqual(self.value("SELECT count(*) FROM findings"), "0")
        self.wait_as_long(11)
        self.receiptd("watch", self.tx_hash, "alice.sandbox", "--wait", "--config", self.settings, expect=6)
        self.assertEqual(self.query("SELECT kind, error_class, handled FROM findings"), [["undecided", "receipts_missing", None]])
        self.assertEqual(len(self.alerts("finding.undecided")), 1)
        self.assertEqual(self.alerts("finding.failed_receipt"), [])
        self.assert_messages_without_a_verdict()
        self.assertIn("receipts_missing", self.receiptd("tx", self.tx_hash, "--config", self.settings)[0])
        self.wait_as_long(12)
        self.chain.ask("/faults", {"faults": []})
        support.wait_until("it is judged", lambda: self.query(
            "SELECT verdict FROM transaction_results") == [["succeeded_with_handled_failure"]])
        self.assertEqual(self.value("SELECT verdict FROM watches"), "succeeded_with_handled_failure")
        self.assertEqual(self.value("SELECT count(*) FROM pending_trees"), "0")
        self.assertEqual(self.value("SELECT count(*) FROM receipts WHERE role IS NULL"), "0")
        support.wait_until("it is taken back", lambda: self.alerts("transaction.corrected"))


if __name__ == "__main__":
    support.main()
