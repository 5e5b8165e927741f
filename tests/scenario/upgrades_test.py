#!/usr/bin/env python3
"""The protocol version changes at an epoch's edge, by two at once, while receipts are under way."""

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


if __name__ == "__main__":
    support.main()
