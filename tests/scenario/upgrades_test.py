#!/usr/bin/env python3
"""The protocol version changes at an epoch's edge, by two at once, while receipts are under way."""

import json
import re

import support
from truth import Judging

EPOCH = 25  # blocks


class Upgrades(Judging, support.Scenario):
    def setUp(self):
        super().setUp()
        self.chain = self.sandbox("--block-time-ms", 50, "--shards", 2, "--traffic", "mixed", "--tps", 20, "--seed", 3,
                                  "--protocol-version", 84, "--upgrade-at", "1:86", "--upgrade-at", "2:88", "--epoch-blocks", EPOCH,
                                  command="run")
        self.genesis = self.chain.ask("/status")["genesis_height"]
        self.last = self.genesis + 3 * EPOCH
        support.wait_until("the third epoch is final", lambda: self.chain.ask("/status")["final_height"] > self.last + 2)
        self.chain.ask("/pause", {})

    def test_by_whole_blocks(self):
        self.assert_truth_is_stored("neardata")

    def test_by_rpc(self):
        self.assert_truth_is_stored("rpc")

    def assert_truth_is_stored(self, source):
        config = self.config(self.chain, source=source, start=self.genesis + 1, network="sandbox", patience="5s")
        daemon = self.start("run", "--config", config, "--until", self.last)
        daemon.wait(timeout=support.DEADLINE)
        self.assertIn(daemon.returncode, (0, 3), daemon.log()[-3000:])  # 3: trees that go on above the last height
        self.assertEqual(self.query("SELECT protocol_version, count(*) FROM blocks GROUP BY 1 ORDER BY 1"),
                         [["84", str(EPOCH - 1)], ["86", str(EPOCH)], ["88", str(EPOCH + 1)]])
        self.assertEqual(self.query("SELECT DISTINCT on_trust FROM blocks"), [[None]])
        truth = [t for t in self.chain.ask(f"/truth?from={self.genesis}&to={self.last}") if t["heights"]["included"]]
        settled = self.settled_by(truth, self.last)
        self.assertGreater(len(settled), 30)
        self.assert_same(self.stored_results(self.database) & self.true_results(settled), self.true_results(settled))
        self.assert_same(self.stored_findings(self.database) & self.true_findings(settled), self.true_findings(settled))


class MembersOfAnotherType(Judging, support.Scenario):
    """What a newer protocol tells in a way that this version cannot read leaves all else as it is."""

    def setUp(self):
        super().setUp()
        self.chain = self.sandbox("--block-time-ms", 0, "--shards", 2, "--traffic", "mixed", "--tps", 20, "--seed", 5, command="run")
        self.genesis = self.chain.ask("/status")["genesis_height"]
        self.chain.ask("/advance", {"blocks": 60})
        self.chain.ask("/traffic", {"tps": 0})
        self.chain.ask("/advance", {"blocks": 250})  # a yield waits for 200
        self.last = self.chain.ask("/status")["final_height"]
        self.truth = [t for t in self.chain.ask(f"/truth?from={self.genesis}&to={self.last}") if t["heights"]["included"]]
        self.lost = next(t for t in self.truth if t["verdict"] == "succeeded" and len(t["tree"]) > 2)
        for host in ("regular", "archival"):
            self.chain.lie(host, "odd_members", hash=self.lost["tx_hash"], values={"nonce": '"seven"'})
            self.chain.lie(host, "odd_members", values={"beneficiary_id": "7", "encoded_length": "[]"})

    def test_by_whole_blocks(self):
        self.assert_all_else_is_stored("neardata")

    def test_by_nodes_of_ones_own(self):
        self.assert_all_else_is_stored("indexer")

    def test_by_rpc(self):
        self.assert_all_else_is_stored("rpc")

    def assert_all_else_is_stored(self, source):
        config = self.config(self.chain, source=source, start=self.genesis + 1, network="sandbox", patience="5s")
        daemon = self.start("run", "--config", config)
        support.wait_until("all blocks are stored", lambda: self.value("SELECT max(block_height) FROM blocks") == str(self.last)
                           or daemon.poll() is not None)
        self.assert_is_said(daemon)
        daemon.terminate()
        self.assertEqual(support.ended(daemon), 0, daemon.log()[-3000:])
        self.receiptd("run", "--config", config, "--until", self.last)  # until all trees are over
        unread = {row[0] for row in self.query("SELECT tx_hash FROM receipts WHERE actions::text LIKE '%\"Unreadable\"%' "
                                               "UNION SELECT tx_hash FROM transactions WHERE actions::text LIKE '%\"Unreadable\"%'")}
        self.assertTrue(unread, "accounts are deleted")
        settled = [t for t in self.settled_by(self.truth, self.last) if t["tx_hash"] not in unread | {self.lost["tx_hash"]}]
        self.assertGreater(len(settled), 40)
        self.assert_same(self.stored_results(self.database) & self.true_results(settled), self.true_results(settled))
        self.assert_same(self.stored_findings(self.database) & self.true_findings(settled), self.true_findings(settled))
        self.assertLessEqual(unread, {row[0] for row in self.query("SELECT tx_hash FROM transaction_results")}, "they are judged")
        self.assertEqual(self.query("SELECT count(*) FROM chunks WHERE encoded_length IS NOT NULL"), [["0"]])
        set_aside = self.query("SELECT id, reason FROM set_aside WHERE what = 'row'")
        self.assertEqual([row[0].split()[0] for row in set_aside], [str(self.lost["heights"]["included"])])
        self.assertIn("it cannot be read: ", set_aside[0][1])
        self.assertIn("nonce: not a number", set_aside[0][1])


    def assert_is_said(self, daemon):
        """Each shape once, with its place, in `status` and /readyz."""
        said = json.loads(self.page(daemon, "/v1/status")[1])["new_kinds"]
        shapes = re.findall(r"unreadable (\S+[^,;]*)", said)
        self.assertEqual(len(shapes), len(set(shapes)), said)
        for member in ("DeleteAccount.beneficiary_id: not a string", "nonce: not a number", "encoded_length: not a number"):
            self.assertTrue([shape for shape in shapes if shape.endswith(member)], f"{member} in {said}")
        self.assertIn(said, self.page(daemon, "/readyz")[1])


if __name__ == "__main__":
    support.main()
