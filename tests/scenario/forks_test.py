"""Blocks that lose against a later one: what ran in them ran nowhere, and is stored from where it ran at last."""

import random
import re
import time
import urllib.request

import support
from handed_in import final_hash, key_of, nonce_of, send
from signer import Signed
from watched import EVERYTHING, Watched

BLOCKS = 100
DEBUG = '[log]\nlevel = "debug"\n'


class Forks(Watched, support.Scenario):
    def begin(self, *arguments):
        self.chain = self.sandbox("--seed", 13, *arguments, command="run")
        self.genesis = self.chain.rpc("block", {"sync_checkpoint": "genesis"})["header"]["height"]

    def follow(self, source, database, *arguments, extra=EVERYTHING):
        config = self.config(self.chain, source=source, start=self.genesis + 1, database=database, network="sandbox",
                             patience="60s", extra=extra)
        return self.start("run", "--config", config, *arguments)

    def asked_for_trees(self):
        with urllib.request.urlopen(self.chain.regular + "/metrics") as page:
            counts = re.findall(r'requests_total\{.*method="EXPERIMENTAL_tx_status".*\} (\d+)', page.read().decode())
        return sum(map(int, counts))

    def test_a_tree_whose_last_receipt_ran_in_a_lost_block_is_asked_for_again(self):
        self.begin("--block-time-ms", 0)
        self.chain.ask("/advance", {"blocks": 5})
        daemon = self.follow("rpc", self.database, extra=EVERYTHING + DEBUG)
        support.wait_until("the daemon is at the head", lambda: self.value("SELECT to_regclass('blocks')")
                           and self.value("SELECT max(block_height) FROM blocks") == str(self.genesis + 3))
        key = key_of(self.chain, "alice.sandbox")
        sent = Signed(key, "alice.sandbox", "bob.sandbox", nonce_of(self.chain, "alice.sandbox", key) + 1,
                      final_hash(self.chain), 10**24)
        send(self.chain, sent)
        self.chain.ask("/advance", {"blocks": 2})  # it is included, then its transfer runs
        self.chain.ask("/fork", {})
        self.chain.ask("/advance", {})  # makes the inclusion final, and runs the refund
        lost = self.chain.ask("/status")
        told = self.chain.rpc("EXPERIMENTAL_tx_status", {"tx_hash": sent.hash, "sender_account_id": "alice.sandbox",
                                                         "wait_until": "NONE"})
        self.assertEqual(told["receipts_outcome"][-1]["block_hash"], lost["hash"])
        support.wait_until("the daemon has been told so, too", self.asked_for_trees)
        self.chain.ask("/advance", {"blocks": 6})
        support.wait_until("it met the fork", lambda: daemon.poll() is not None or re.search(
            f"tree postponed.*{sent.hash}.*block of a fork", daemon.log()))
        support.wait_until("the tree is stored", lambda: daemon.poll() is not None
                           or self.value("SELECT count(*) FROM transaction_results") == "1")
        self.assertIsNone(daemon.poll(), daemon.log()[-4000:])
        truth = [self.chain.ask(f"/transactions/{sent.hash}")]
        self.assertEqual(truth[0]["heights"]["refunded"], lost["height"] + 1)
        self.assert_same(self.stored_receipts(self.database),
                         self.true_receipts(truth, lambda *_: True))
        self.assert_judged(self.database, truth, truth)
        self.assertEqual(self.value(f"SELECT count(*) FROM blocks WHERE block_height = {lost['height']}"), "0")
        support.wait_until("its watch ends", lambda: self.query("SELECT stage, verdict FROM watches") == [["final", "succeeded"]])
        self.assert_orderly(self.database)

    def test_a_chain_with_many_forks_is_stored_as_it_became(self):
        self.begin("--block-time-ms", 50, "--traffic", "mixed", "--tps", 80)
        last = self.genesis + BLOCKS
        databases = {"neardata": self.database, "rpc": self.make_database()}
        daemons = [self.follow(source, database, "--until", last) for source, database in databases.items()]
        chance, forks = random.Random(3), 0
        while self.final_height() < last:
            self.chain.ask("/fork", {"blocks": chance.choice((1, 2))})
            forks += 1
            time.sleep(chance.uniform(0.1, 0.4))  # some blocks between two forks
        self.assertGreater(forks, 5)
        for daemon in daemons:
            daemon.wait(timeout=support.DEADLINE)
            self.assertEqual(daemon.returncode, 0, daemon.log()[-4000:])
        self.assertTrue(self.chain.ask("/check?proofs=false")["ok"])
        included = self.included(last)
        for source, database in databases.items():
            with self.subTest(source):
                self.assertEqual(self.value("SELECT wanted - heights FROM coverage", database), "{}")
                for height, block_hash in self.query("SELECT block_height, block_hash FROM blocks", database):
                    self.assertEqual(self.chain.rpc("block", {"block_id": int(height)})["header"]["hash"], block_hash)
        self.assert_same(self.stored_receipts(databases["neardata"]),
                         self.true_receipts(included, lambda _, node: node["executed_height"] <= last))
        self.assert_same(self.stored_receipts(databases["rpc"]),
                         self.true_receipts(included, lambda *_: True))
        self.assert_judged(databases["neardata"], self.settled_by(included, last), included)
        self.assert_judged(databases["rpc"], self.known_by_rpc(included, last), included)
        for source, database in databases.items():
            with self.subTest(source):
                self.assert_true(source, database, included, last)

    def test_whoever_remembers_a_removed_block_forgets_it(self):
        """One of three hosts goes on along a fork of its own: what is stored of it is removed, and comes back as it is true."""
        hosts = ("regular", "regular-2", "regular-3")
        self.chain = self.sandbox("--seed", 13, "--block-time-ms", 100, "--traffic", "mixed", "--tps", 30, command="run",
                                  regular_hosts=3)
        self.genesis = self.chain.rpc("block", {"sync_checkpoint": "genesis"})["header"]["height"]
        last = self.genesis + 3 * BLOCKS  # as it may take several forks until one is stored
        config = self.config(self.chain, start=self.genesis + 1, network="sandbox", patience="60s", extra=EVERYTHING,
                             hosts=hosts)
        daemon = self.start("run", "--config", config, "--until", last)
        removed, refusal = "a stored block was not of this chain", "a host told a block that does not fit the chain"
        support.wait_until("blocks are stored", lambda: daemon.poll() is not None or (
            self.value("SELECT to_regclass('blocks')") and self.value("SELECT count(*) > 20 FROM blocks") == "t"))

        def tells():
            """A fork may begin where another host is asked: then its next block is refused."""
            self.chain.truth()
            refused = daemon.log().count(refusal)
            self.chain.lie("regular", "fork", blocks=10_000)
            begun = self.final_height()
            support.wait_until("its blocks are removed, or not stored at all", lambda: daemon.poll() is not None
                               or removed in daemon.log() or daemon.log().count(refusal) > refused
                               or self.final_height() > begun + 30)
            return daemon.poll() is not None or removed in daemon.log()

        support.wait_until("the fork is stored and removed", tells)
        self.chain.truth()
        daemon.wait(timeout=support.DEADLINE)
        self.assertEqual(daemon.returncode, 0, daemon.log()[-4000:])
        self.assertIn(removed, daemon.log())
        for height, block_hash in self.query("SELECT block_height, block_hash FROM blocks"):
            self.assertEqual(self.chain.rpc("block", {"block_id": int(height)})["header"]["hash"], block_hash)
        included = self.included(last)
        self.assert_same(self.stored_receipts(self.database), self.true_receipts(included, lambda *_: True))
        self.assert_judged(self.database, self.known_by_rpc(included, last), included)
        self.assert_true("rpc", self.database, included, last)


if __name__ == "__main__":
    support.main()
