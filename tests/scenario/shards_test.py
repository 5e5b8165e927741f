"""Hosts that do not track every shard: they answer, and tell nothing."""

import re

import support


class Shards(support.Scenario):
    def setUp(self):
        super().setUp()
        self.chain = self.sandbox("--block-time-ms", 100, "--traffic", "mixed", "--tps", 20, "--seed", 5, command="run")

    def results(self):
        return int(self.value("SELECT count(*) FROM transaction_results"))

    def wait_for_results(self, daemon, more):
        wanted = more + (self.results() if self.value("SELECT to_regclass('transaction_results')") else 0)
        support.wait_until("trees are complete", lambda: daemon.poll() is not None or (
            self.value("SELECT to_regclass('transaction_results')") and self.results() >= wanted))
        self.assertIsNone(daemon.poll(), daemon.log())

    def test_a_host_that_tracks_no_shard_blinds_nobody(self):
        self.chain.lie("regular", "untracked_shards")
        daemon = self.start("run", "--config", self.config(self.chain, network="sandbox"))
        self.wait_for_results(daemon, 50)
        self.assertIn("upstream does not track a shard", daemon.log())
        metrics = self.page(daemon, "/metrics")[1]
        self.assertRegex(metrics, r'receiptd_upstream_untracked_shards\{upstream="regular"\} [1-9]')
        self.assertIn('receiptd_upstream_untracked_shards{upstream="archival"} 0', metrics)

    def test_hosts_that_track_half_of_the_shards_each_are_enough_together(self):
        shards = self.chain.ask("/status")["shards"]
        self.chain.lie("regular", "untracked_shards", shards=shards[::2])
        self.chain.lie("archival", "untracked_shards", shards=shards[1::2])
        daemon = self.start("run", "--config", self.config(self.chain, network="sandbox"))
        self.wait_for_results(daemon, 50)
        self.assertEqual(self.page(daemon, "/readyz")[0], 200)

    def test_a_shard_that_no_host_tracks_is_named_until_one_does(self):
        daemon = self.start("run", "--config", self.config(self.chain, network="sandbox"))
        self.wait_for_results(daemon, 10)
        for host in ("regular", "archival"):
            self.chain.lie(host, "untracked_shards")
        support.wait_until("readiness names the shard", lambda: "no upstream tracks shard" in self.page(daemon, "/readyz")[1])
        self.assertRegex(self.page(daemon, "/metrics")[1], r'receiptd_shard_untracked\{shard_id="\d+"\} 1')
        self.assertTrue(re.search(r"no upstream tracks a shard.*shard_id=\d+", daemon.log()), daemon.log())
        self.chain.truth()
        self.wait_for_results(daemon, 50)
        support.wait_until("readiness takes it back", lambda: "no upstream tracks" not in self.page(daemon, "/readyz")[1])


if __name__ == "__main__":
    support.main()
