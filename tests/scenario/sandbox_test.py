"""The daemon follows the simulated chain under living traffic: its tables equal the ground truth.

./dev sweep living follows at 600 ms blocks for as many seconds as it is told (default: a minute's worth of blocks, faster).
"""

import random

import support
from database_proxy import MOMENTS, Proxy
from handed_in import fail_in_a_block
from truth import Judging

LIVING = support.count_of("living")
BLOCK_MS, TPS = (600, 20) if LIVING else (50, 80)
BLOCKS = LIVING * 1000 // BLOCK_MS if LIVING else 100

KILLS = max(6, LIVING)
# What a daemon commits when it dies: blocks with what is judged in them, or anything.
KINDS = (("COPY blocks",), ("COPY transaction_results",), ())


class LivingChain(Judging, support.Scenario):
    def setUp(self):
        super().setUp()
        self.chain = self.sandbox("--block-time-ms", BLOCK_MS, "--traffic", "mixed", "--tps", TPS, "--seed", 7,
                                  command="run")
        self.genesis = self.chain.rpc("block", {"sync_checkpoint": "genesis"})["header"]["height"]

    def final_height(self):
        return self.chain.rpc("block", {"finality": "final"})["header"]["height"]

    def follow(self, source, database, last, upstreams=("regular", "archival")):
        config = self.config(self.chain, source=source, start=self.genesis + 1, database=database,
                             network="sandbox", patience="60s", hosts=upstreams)
        return self.start("run", "--config", config, "--until", last)

    def ended_well(self, daemon):
        daemon.wait(timeout=support.DEADLINE + LIVING)
        self.assertEqual(daemon.returncode, 0, daemon.log()[-4000:])

    def test_what_is_judged_survives_kills(self):
        last = self.genesis + BLOCKS
        proxy = Proxy(self.database)
        self.addCleanup(proxy.stop)
        config = self.config(self.chain, source="neardata", start=self.genesis + 1, network="sandbox", patience="60s",
                             follow="batch_blocks = 2\nwriters = 3\n", database=proxy.url)
        chance = random.Random(8)
        for number in range(KILLS):
            proxy.step(chance.randint(1, 5), MOMENTS[(number + number // 3) % 3], KINDS[number % 3])
            proxy.kill(self.start("run", "--config", config))
        # The daemons that were killed may have stored heights above, and wanted more: all below a head that is far away.
        last = max(last, int(self.value("SELECT coalesce(upper(range_merge(wanted + heights)) - 1, 0) FROM coverage")))
        self.ended_well(self.start("run", "--config", config, "--until", last))
        truth = self.chain.ask(f"/truth?from={self.genesis}&to={last}")
        self.assert_judged(self.database, self.settled_by(truth, last), truth)

    def test_both_sources_store_what_truly_happened(self):
        databases = {"neardata": self.database, "rpc": self.make_database()}
        last = self.genesis + BLOCKS
        invalid = fail_in_a_block(self.chain)
        daemons = [self.follow(source, database, last) for source, database in databases.items()]
        for daemon in daemons:
            self.ended_well(daemon)
        truth = self.chain.ask(f"/truth?from={self.genesis}&to={last}")
        included = [t for t in truth if t["heights"]["included"] and t["heights"]["included"] <= last]
        self.assertGreater(len(included), BLOCKS)
        hashes = {t["tx_hash"] for t in included}
        self.assertIn(invalid, {t["tx_hash"] for t in included if t["error"]})
        for source, database in databases.items():
            with self.subTest(source):
                stored = {row[0] for row in self.query("SELECT tx_hash FROM transactions", database)}
                self.assertEqual(stored ^ hashes, set())
                self.assertEqual(self.value("SELECT wanted - heights FROM coverage", database), "{}")
        self.assert_same(self.stored_receipts(databases["neardata"]),
                         self.true_receipts(truth, lambda _, node: node["executed_height"] <= last))
        # By rpc trees come whole, whatever the height they end at.
        self.assert_same(self.stored_receipts(databases["rpc"]),
                         self.true_receipts(included, lambda *_: True))
        self.assert_judged(databases["neardata"], self.settled_by(included, last), included)
        self.assert_judged(databases["rpc"], self.known_by_rpc(included, last), included)
        self.assertEqual({t["verdict"] for t in included} - {None},
                         {"succeeded", "failed", "callback_failed", "receipt_failed", "succeeded_with_handled_failure"},
                         "the traffic tells every kind of story")


if __name__ == "__main__":
    support.main()
