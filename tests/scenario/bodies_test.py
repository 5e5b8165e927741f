#!/usr/bin/env python3
"""Mixed transactions beside hosts that strip receipts from a third of their answers, or are busy each fifth time: what is stored and
told is the truth, and all of it a minute after the answers are whole again.

./dev sweep bodies COUNT: of so many transactions.
"""

import json
import time

import support
from receiver import Receiver, endpoint, secret_file
from truth import Judging, told_ids

COUNT = support.count_of("bodies", 60)
AFTERWARDS = 60  # seconds
STRIPPED = [{"fault": "without_receipts", "share": 1 / 6}, {"fault": "without_receipts", "share": 1 / 6, "keep_every": 2}]
OF_TODAY = ("BUSY", "DATA_UNAVAILABLE", "INCOMPLETE_DATA", "LIMIT_EXCEEDED", "TIMEOUT_ERROR")


def share_of_each(errors, share):
    return [{"fault": "wrong", "share": share / len(errors), "answer": {"error": error}} for error in errors]


class Bodies(Judging, support.Scenario):
    def begin(self, faults):
        self.chain = self.sandbox("--block-time-ms", 200, "--shards", 3, "--traffic", "mixed", "--tps", 25, "--seed", 11,
                                  "--genesis-time", "now", command="run")
        self.receiver = Receiver()
        self.addCleanup(self.receiver.stop)
        self.chain.ask("/faults", {"faults": faults})
        genesis = self.chain.ask("/status")["genesis_height"]
        config = self.config(self.chain, start=genesis + 1, network="sandbox", patience="60s",
                             extra=endpoint("ops", self.receiver.url, secret_file(self.folder)))
        self.daemon = self.start("run", "--config", config)
        self.truth = lambda: [t for t in self.chain.ask(f"/truth?from={genesis}") if t["heights"]["included"]]
        support.wait_until("the transactions are there", lambda: self.goes_on() and len(self.truth()) >= COUNT, deadline=COUNT)
        self.chain.ask("/traffic", {"tps": 0})

    def goes_on(self):
        self.assertIsNone(self.daemon.poll(), self.daemon.log()[-3000:])
        return True

    def assert_truth_is_stored_and_told(self):
        """What has ended counts: yields wait."""
        support.wait_until("trees have ended", lambda: self.goes_on() and len(self.over()) >= len(self.truth()) * 0.9)
        over = self.over()
        self.chain.ask("/faults", {"faults": []})
        whole_at = time.monotonic()
        hashes = {t["tx_hash"] for t in over}
        support.wait_until("all is judged", lambda: self.goes_on() and hashes <= {
            row[0] for row in self.query("SELECT tx_hash FROM transaction_results")}, deadline=AFTERWARDS)
        support.wait_until("all is told", lambda: told_ids(over) <= self.told(), deadline=AFTERWARDS)
        took = time.monotonic() - whole_at
        judged, truth = [t for t in self.truth() if t["heights"]["refunded"]], self.truth()
        of = lambda rows, column: {row for row in rows if row[column] in hashes}
        self.assert_same(of(self.stored_results(self.database), 0), self.true_results(over))
        self.assert_same(of(self.stored_findings(self.database), 1), self.true_findings(over))
        self.assert_same(of(self.stored_receipts(self.database), 1), self.true_receipts(over, lambda *_: True))
        self.assertEqual(self.told() - told_ids(truth), set(), "what did not happen is told")
        self.assertEqual([body["type"] for body in self.bodies() if body["type"] in ("finding.undecided", "transaction.corrected")], [])
        print(f"\n{len(truth)} transactions, {len(judged)} over, {len(self.bodies())} alerts; all {took:.1f} s after the answers were whole", flush=True)

    def over(self):
        return [t for t in self.truth() if t["heights"]["refunded"]]

    def bodies(self):
        return [json.loads(body) for _, _, body in self.receiver.requests]

    def told(self):
        return {body["data"]["finding"]["finding_id"] for body in self.bodies() if "finding" in body["data"]}

    def test_stripped_from_a_third_of_the_answers(self):
        self.begin(STRIPPED)
        self.assert_truth_is_stored_and_told()

    def test_beside_hosts_that_are_busy_each_fifth_time(self):
        self.begin(share_of_each(OF_TODAY, 0.2))
        self.assert_truth_is_stored_and_told()
        self.assertEqual(self.value("SELECT wanted - heights FROM coverage"), "{}")


if __name__ == "__main__":
    support.main()
