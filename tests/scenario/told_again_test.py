#!/usr/bin/env python3
"""A whole-block service that tells outcomes again, some blocks later, where nobody else can be asked."""

import support
from receiver import EVERY_FINDING, Receiver, endpoint, secret_file
from truth import Judging, told_ids

BLOCKS = 80
AFTER = 5  # heights


class ToldAgain(Judging, support.Scenario):
    def setUp(self):
        super().setUp()
        self.receiver = Receiver()
        self.addCleanup(self.receiver.stop)

    def play(self, **members):
        """A chain whose only host tells all receipts again, and the truth of it."""
        self.chain = self.sandbox("--block-time-ms", 0, "--shards", 3, "--traffic", "mixed", "--tps", 30, "--seed", 17,
                                  "--genesis-time", "now", command="run")
        self.genesis = self.chain.ask("/status")["genesis_height"]
        self.chain.ask("/advance", {"blocks": BLOCKS})
        self.chain.ask("/traffic", {"tps": 0})
        self.chain.ask("/advance", {"blocks": 250})  # a yield waits for 200
        self.last = self.chain.ask("/status")["final_height"]
        self.truth = [t for t in self.chain.ask(f"/truth?from={self.genesis}&to={self.last}") if t["heights"]["included"]]
        self.assertEqual(self.settled_by(self.truth, self.last), self.truth)
        self.chain.lie("archival", "outcome_again", after=AFTER, **members)

    def config_from(self, height):
        extra = endpoint("ops", self.receiver.url, secret_file(self.folder), rules=(EVERY_FINDING,))
        return self.config(self.chain, source="neardata", start=height, network="sandbox", patience="60s", hosts=(), extra=extra)

    def assert_the_truth_is_stored(self, alerted_from=0):
        """`alerted_from`: a backfill stored the blocks below, and nobody is told of these."""
        self.assert_same(self.stored_results(self.database), self.true_results(self.truth))
        self.assert_same(self.stored_findings(self.database), self.true_findings(self.truth))
        self.assert_same(self.stored_receipts(self.database), self.true_receipts(self.truth, lambda *_: True))
        for rows in ("executed_again", "unfinished_trees('-infinity')", "findings WHERE kind = 'corrected'",
                     "orphan_receipts WHERE adopted_at IS NULL"):
            self.assertEqual(self.value(f"SELECT count(*) FROM {rows}"), "0", rows)
        alerts = {row[0] for row in self.query("SELECT alert_id FROM alerts")}
        self.assertEqual(alerts - told_ids(self.truth), set())
        self.assertEqual(told_ids([t for t in self.truth if t["heights"]["included"] >= alerted_from]) - alerts, set())

    def test_one_run_counts_them_once(self):
        self.play(transactions=True)
        self.receiptd("run", "--config", self.config_from(self.genesis + 1), "--until", self.last)
        self.assert_the_truth_is_stored()

    def test_runs_that_follow_each_other_count_them_once(self):
        self.play()
        config = self.config_from(self.genesis + 1)
        for last in (*range(self.genesis + 7, self.genesis + BLOCKS, 9), self.last):
            self.receiptd("run", "--config", config, "--until", last)
        self.assert_the_truth_is_stored()

    def test_the_lower_ones_count_though_they_come_second(self):
        self.play(transactions=True)
        middle = self.genesis + BLOCKS // 2
        config = self.config_from(middle)
        self.receiptd("run", "--config", config, "--until", self.last)
        self.receiptd("backfill", "--config", config, "--from", self.genesis + 1, "--to", middle - 1)
        self.receiptd("run", "--config", config, "--until", self.last)
        self.assert_the_truth_is_stored(alerted_from=middle)


if __name__ == "__main__":
    support.main()
