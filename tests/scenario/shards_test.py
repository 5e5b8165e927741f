"""Hosts that do not track every shard: they answer, and tell nothing."""

import re

import support

# As recorded of a validator (near/rpc.md §5.2): HTTP 200, for ever.
NOTHING = {"result": {"final_execution_status": "NONE"}}
BLIND = [{"fault": "wrong", "method": "EXPERIMENTAL_tx_status", "answer": NOTHING},
         {"fault": "wrong", "method": "tx", "answer": NOTHING},
         {"fault": "wrong", "method": "chunk", "answer": {"error": "UNKNOWN_CHUNK"}}]


class Shards(support.Scenario):
    def setUp(self):
        super().setUp()
        self.chain = self.sandbox("--block-time-ms", 100, "--traffic", "mixed", "--tps", 20, "--seed", 5, command="run")

    def blind(self, host):
        self.chain.ask("/faults", {"host": host, "faults": BLIND})

    def results(self):
        return int(self.value("SELECT count(*) FROM transaction_results"))

    def wait_for_results(self, daemon, more):
        wanted = more + (self.results() if self.value("SELECT to_regclass('transaction_results')") else 0)
        support.wait_until("trees are complete", lambda: daemon.poll() is not None or (
            self.value("SELECT to_regclass('transaction_results')") and self.results() >= wanted))
        self.assertIsNone(daemon.poll(), daemon.log())

    def test_a_host_that_tracks_no_shard_blinds_nobody(self):
        self.blind("regular")
        daemon = self.start("run", "--config", self.config(self.chain, network="sandbox"))
        self.wait_for_results(daemon, 50)
        self.assertIn("upstream does not track a shard", daemon.log())
        metrics = self.page(daemon, "/metrics")[1]
        self.assertRegex(metrics, r'receiptd_upstream_untracked_shards\{upstream="regular"\} [1-9]')
        self.assertIn('receiptd_upstream_untracked_shards{upstream="archival"} 0', metrics)

    def test_a_shard_that_no_host_tracks_is_named_until_one_does(self):
        daemon = self.start("run", "--config", self.config(self.chain, network="sandbox"))
        self.wait_for_results(daemon, 10)
        for host in ("regular", "archival"):
            self.blind(host)
        support.wait_until("readiness names the shard", lambda: "no upstream tracks shard" in self.page(daemon, "/readyz")[1])
        self.assertRegex(self.page(daemon, "/metrics")[1], r'receiptd_shard_untracked\{shard_id="\d+"\} 1')
        self.assertTrue(re.search(r"no upstream tracks a shard.*shard_id=\d+", daemon.log()), daemon.log())
        self.chain.ask("/faults", {"faults": []})
        self.wait_for_results(daemon, 50)
        support.wait_until("readiness takes it back", lambda: "no upstream tracks" not in self.page(daemon, "/readyz")[1])


if __name__ == "__main__":
    support.main()
