"""Blocks that lose against a later one: what ran in them ran nowhere, and is stored from where it ran at last."""

import random
import re

import support
from handed_in import final_hash, key_of, nonce_of, send
from signer import Signed
from watched import EVERYTHING, Watched

BLOCKS = 100
DEBUG = '[log]\nlevel = "debug"\n'


class Forks(Watched, support.Scenario):
    def begin(self, *arguments, regular_hosts=1):
        self.chain = self.sandbox("--seed", 13, *arguments, command="run", regular_hosts=regular_hosts)
        self.genesis = self.chain.rpc("block", {"sync_checkpoint": "genesis"})["header"]["height"]

    def follow(self, source, database, *arguments, extra=EVERYTHING):
        config = self.config(self.chain, source=source, start=self.genesis + 1, database=database, network="sandbox",
                             patience="60s", extra=extra)
        return self.start("run", "--config", config, *arguments)

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
        support.wait_until("the daemon has been told so, too", lambda: self.chain.answered("tx_status"))
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

    def stored(self, database):
        return int(self.value("SELECT coalesce(max(block_height), 0) FROM blocks", database))

    def advance(self, blocks, daemons, until):
        """The chain goes on, then stands still until these daemons, by their databases, have stored what is final."""
        self.chain.ask("/advance", {"blocks": blocks})
        goal = min(self.final_height(), until)
        for database, daemon in daemons.items() if goal > self.genesis else ():  # the first block is not followed
            support.wait_until(f"block {goal} is stored", lambda: daemon.poll() is not None or self.stored(database) >= goal)

    def come_to_the_end(self, last, daemons):
        """The chain goes on until all trees up to `last` are over; ends with the daemons."""
        self.chain.ask("/advance", {"blocks": max(1, last - self.final_height())})
        self.chain.ask("/traffic", {"tps": 0})
        self.chain.ask("/advance", {"blocks": 250})  # a yield waits for 200
        for daemon in daemons:
            self.assertEqual(support.ended(daemon), 0, daemon.log()[-4000:])

    def test_a_chain_with_many_forks_is_stored_as_it_became(self):
        self.begin("--block-time-ms", 0, "--traffic", "mixed", "--tps", 7)
        last = self.genesis + BLOCKS
        databases = {"neardata": self.database, "rpc": self.make_database()}
        daemons = {database: self.follow(source, database, "--until", last) for source, database in databases.items()}
        chance, forks = random.Random(3), 0
        while self.final_height() < last:
            lost = chance.choice((1, 2))
            self.chain.ask("/fork", {"blocks": lost})
            self.advance(lost, daemons, last)  # they follow while a block is the head that loses
            self.advance(chance.randint(1, 6), daemons, last)
            forks += 1
        self.assertGreater(forks, 5)
        self.come_to_the_end(last, daemons.values())
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
        self.begin("--block-time-ms", 0, "--traffic", "mixed", "--tps", 5, regular_hosts=3)
        last = self.genesis + BLOCKS
        config = self.config(self.chain, start=self.genesis + 1, network="sandbox", patience="60s", extra=EVERYTHING,
                             hosts=hosts)
        daemon = self.start("run", "--config", config, "--until", last)
        removed = "a stored block was not of this chain"
        self.advance(24, {self.database: daemon}, last)

        # For a while nobody but the host on the fork tells blocks, so that one of the fork is stored.
        begun = self.chain.lie("regular", "fork", blocks=10_000)["from"]
        for host in hosts[1:]:
            self.chain.ask("/faults", {"host": host, "faults": [{"fault": "500", "method": "block"}]})
        self.go_on_until("a block of the fork is stored", daemon, last, lambda: self.false_blocks(begun))
        self.chain.ask("/faults", {"faults": []})
        self.go_on_until("it is removed", daemon, last, lambda: removed in daemon.log())
        self.chain.truth()
        self.come_to_the_end(last, [daemon])
        self.assertIn(removed, daemon.log())
        for height, block_hash in self.query("SELECT block_height, block_hash FROM blocks"):
            self.assertEqual(self.chain.rpc("block", {"block_id": int(height)})["header"]["hash"], block_hash)
        included = self.included(last)
        self.assert_same(self.stored_receipts(self.database), self.true_receipts(included, lambda *_: True))
        self.assert_judged(self.database, self.known_by_rpc(included, last), included)
        self.assert_true("rpc", self.database, included, last)

    def go_on_until(self, what, daemon, last, condition):
        """The chain goes on block by block as the daemon follows, and not to its last one."""
        def is_so():
            self.assertIsNone(daemon.poll(), daemon.log()[-4000:])
            if condition():
                return True
            final = self.final_height()
            if self.stored(self.database) >= final and final < last - 10:
                self.chain.ask("/advance", {})
            return False

        support.wait_until(what, is_so)

    def false_blocks(self, begun):
        """Heights from there on of which a block is stored that is not the chain's."""
        stored = self.query(f"SELECT block_height, block_hash FROM blocks WHERE block_height >= {begun}")
        return [height for height, block_hash in stored
                if self.chain.rpc("block", {"block_id": int(height)})["header"]["hash"] != block_hash]


if __name__ == "__main__":
    support.main()
