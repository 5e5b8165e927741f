#!/usr/bin/env python3
"""A host of whole blocks that tells false outcomes under true hashes."""

import json
import re

import support
from lies_test import LyingHosts
from receiver import EVERY_FINDING, Receiver, endpoint, secret_file
from told import RULES

FORGED = "SELECT count(*) FROM receipts WHERE error_text LIKE '%it did not%'"
TREE_METHODS = ("EXPERIMENTAL_tx_status", "tx_status", "tx")
UNCONFIRMED = "SELECT heights * unconfirmed FROM coverage"


class Alerted(LyingHosts):
    def begin(self, regular_hosts, hosts, rules=(), **settings):
        self.receiver = Receiver()
        self.addCleanup(self.receiver.stop)
        ops = endpoint("ops", self.receiver.url, secret_file(self.folder), rules=(EVERY_FINDING, *rules))
        super().begin(regular_hosts, hosts, extra=ops + RULES, **settings)

    def sandbox(self, *arguments, **settings):
        return super().sandbox(*arguments, "--genesis-time", "now", **settings)  # nobody is told of old failures

    def bodies(self):
        return [body for _, _, body in self.receiver.requests]

    def false_alerts(self):
        support.wait_until("alerts have left, and none waits", lambda: self.bodies() and self.value(
            "SELECT count(*) FROM deliveries WHERE state = 'pending'") == "0")
        return [body for body in self.bodies() if "it did not" in body]

    def assert_no_false_alert(self):
        self.assertEqual(self.false_alerts(), [])

    def assert_confirmed_alerts(self):
        self.assert_no_false_alert()
        self.assertEqual([body for body in self.bodies() if '"confirmed":false' in body], [])


class WholeBlocks(Alerted):
    def follow_lies(self, blocks, lie="false_outcome", persists=False, **members):
        """`persists`: until all blocks so far were compared."""
        self.follow(3)
        self.chain.lie("archival", lie, **members)
        self.follow(blocks)
        if persists:
            self.lied_up_to = self.newest()
            self.chain.ask("/traffic", {"tps": 0})
            support.wait_until("outcomes are compared while the host lies on", self.compared)
        self.chain.truth()
        self.lied_up_to = self.chain.rpc("block", {"finality": "optimistic"})["header"]["height"]  # the daemon may hold blocks back

    def compared(self):
        """Whether the outcomes of all blocks were compared up to a block above the last lie."""
        return self.alive() and self.value(
            f"SELECT compared @> int8range((SELECT min(block_height) FROM blocks), {self.lied_up_to + 1}, '[]') FROM coverage") == "t"

    def assert_truth_is_stored(self):
        support.wait_until("all outcomes are compared", self.compared)
        self.assertEqual(self.value(FORGED), "0")
        self.assertEqual(self.value(UNCONFIRMED), "{}")
        self.assertIn("a host told other outcomes than those of the chain", self.daemon.log())
        self.assert_as_honest_hosts_tell()

    def assert_as_honest_hosts_tell(self):
        """The rows are those that a second daemon stores, which has all from honest hosts."""
        other = self.make_database()
        first, last = int(self.value("SELECT min(block_height) FROM blocks")), self.lied_up_to
        config = self.config(self.chain, network="sandbox", hosts=("regular", "archival"), source="neardata", database=other)
        self.receiptd("backfill", "--config", config, "--from", first, "--to", last)
        for what in ("receipt_id, tree_id, parent_receipt_id, status, error_text, gas_burnt FROM receipts",
                     "tx_hash, status, error_text FROM transactions"):
            rows = lambda database: self.query(
                f"SELECT {what} WHERE block_height BETWEEN {first} AND {last} ORDER BY 1", database)
            support.wait_until(f"the same {what}", lambda: rows(self.database) == rows(other))


class BesideHonestHosts(WholeBlocks):
    def test_false_outcomes_are_replaced_by_those_that_the_chain_has(self):
        self.begin(2, ("regular", "regular-2"), source="neardata")
        self.follow_lies(12)
        self.assert_truth_is_stored()
        self.assert_confirmed_alerts()

    def test_an_outcome_that_the_host_leaves_out_is_had_from_others(self):
        self.begin(2, ("regular", "regular-2"), source="neardata")
        self.follow_lies(12, "outcome_left_out", persists=True)
        self.assert_truth_is_stored()

    def test_a_transaction_that_the_host_leaves_out_is_had_from_others(self):
        self.begin(2, ("regular", "regular-2"), source="neardata")
        self.follow_lies(12, "outcome_left_out", persists=True, of="transaction")
        self.assert_truth_is_stored()

    def test_an_outcome_that_the_host_invents_is_removed(self):
        self.begin(2, ("regular", "regular-2"), source="neardata")
        self.follow_lies(12, "outcome_invented", persists=True)
        self.assert_truth_is_stored()
        self.chain.ask("/traffic", {"tps": 0})
        self.assert_confirmed_alerts()

    def test_hosts_that_do_not_answer_are_asked_again(self):
        self.begin(2, ("regular", "regular-2"), source="neardata")
        self.silence([{"fault": "500", "method": method} for method in TREE_METHODS])
        self.chain.lie("archival", "false_outcome")
        support.wait_until("they are asked in vain", lambda: self.alive() and self.chain.answered(*TREE_METHODS) > 20)
        self.silence([])
        self.follow_lies(12)
        self.assert_truth_is_stored()
        # An alert waits for 30 seconds, and this machine may take longer until the hosts answer again.
        self.assertEqual([body for body in self.false_alerts() if '"confirmed":false' not in body], [])

    def test_they_are_replaced_however_many_blocks_others_gave_again(self):
        """What others tell of false outcomes is held until the block is stored again, by whomever, and only so much is held."""
        self.begin(2, ("regular", "regular-2"), source="neardata", tps=100)
        for _ in range(7):
            self.chain.lie("archival", "false_outcome")
            self.follow(5)
            self.chain.truth()
            self.chain.lie("archival", "null_block", every=2)
            support.wait_until("no false outcome is stored", lambda: self.alive() and self.value(FORGED) == "0")
            self.chain.truth()
        given_again = set(re.findall(r"were not the chain's: its rows are removed height=(\d+)", self.daemon.log())) & \
            set(re.findall(r"the source left a block out: it comes from another host height=(\d+)", self.daemon.log()))
        self.assertGreater(len(given_again), 10)
        self.follow_lies(5)
        support.wait_until("all outcomes that blocks tell are compared", lambda: self.alive() and self.value(
            f"SELECT int8multirange(int8range(0, {self.lied_up_to + 1})) * (heights - without_outcomes - compared) FROM coverage") == "{}")
        self.assertEqual((self.value(FORGED), self.value(UNCONFIRMED)), ("0", "{}"))
        self.assert_as_honest_hosts_tell()

    def silence(self, faults):
        for host in ("regular", "regular-2"):
            self.chain.ask("/faults", {"host": host, "faults": faults})


class FalseEvents(WholeBlocks):
    def test_what_did_not_happen_is_not_alerted_and_what_did_is_confirmed(self):
        self.begin(2, ("regular", "regular-2"), source="neardata", rules=("all-events", "all-verdicts"))
        self.follow_lies(12, log="EVENT_JSON:" + json.dumps({
            "standard": "nep141", "version": "1.0.0", "event": "ft_mint", "data": [{"owner_id": "mallory", "amount": "1"}]}))
        self.assert_truth_is_stored()
        self.chain.ask("/traffic", {"tps": 0})
        self.assert_confirmed_alerts()
        kinds = {json.loads(body)["type"] for body in self.bodies()}
        self.assertLessEqual({"event.emitted", "transaction.judged"}, kinds)
        self.assertEqual([body for body in self.bodies() if "mallory" in body], [])


class Backfilled(LyingHosts):
    """By the command, beside no daemon."""

    def test_false_outcomes_are_replaced_before_the_command_ends(self):
        self.backfilled(2)
        self.assertEqual(self.value(FORGED + f" AND block_height < {self.last}"), "0")  # no chunk above tells of the last
        self.assertEqual(self.value(UNCONFIRMED), "{}")
        self.assertEqual(self.value("SELECT wanted - heights FROM coverage"), "{}")

    def test_false_outcomes_are_marked_where_nobody_else_can_be_asked(self):
        self.backfilled(1)
        self.assertNotEqual(self.value(FORGED), "0")
        self.assertEqual(self.value(FORGED + f" AND block_height < {self.last} AND NOT block_height <@ (SELECT unconfirmed FROM coverage)"), "0")

    def backfilled(self, hosts):
        self.chain = self.sandbox("--block-time-ms", 50, "--shards", 2, "--traffic", "mixed", "--tps", 20, "--seed", 5,
                                  command="run", regular_hosts=2)
        genesis = self.chain.ask("/status")["genesis_height"]
        self.last = genesis + 30
        support.wait_until("the chain is there", lambda: self.chain.ask("/status")["final_height"] > self.last)
        self.chain.ask("/pause", {})
        self.chain.lie("archival", "false_outcome")
        config = self.config(self.chain, network="sandbox", hosts=("regular", "regular-2") if hosts > 1 else (), source="neardata")
        self.receiptd("backfill", "--config", config, "--from", genesis + 1, "--to", self.last)


class Alone(WholeBlocks):
    def test_false_outcomes_stay_and_are_marked_where_nobody_else_can_be_asked(self):
        self.begin(1, (), source="neardata")
        self.follow_lies(8)
        support.wait_until("all outcomes are compared", self.compared)
        self.assertNotEqual(self.value(FORGED), "0")
        self.assertEqual(self.value("SELECT count(*) FROM receipts r, coverage c "
                                    "WHERE error_text LIKE '%it did not%' AND NOT c.unconfirmed @> r.block_height"), "0")
        self.assertIn("no other host is configured", self.daemon.log())
        forged = support.wait_until("an alert of it has left", lambda: [body for body in self.bodies() if "it did not" in body])
        self.assertEqual([body for body in forged if '"confirmed":false' not in body], [])


class OneOfThree(Alerted):
    def test_a_tree_of_a_liar_is_replaced_by_one_that_leads_to_the_chains_roots(self):
        self.begin(3, ("regular", "regular-2", "regular-3"))
        self.follow(3)
        self.chain.lie("regular", "false_outcome")
        self.follow(25)
        support.wait_until("it has lied", lambda: self.alive() and "a host told other outcomes" in self.daemon.log())
        self.chain.truth()
        support.wait_until("all trees are there", lambda: self.alive() and self.value(
            "SELECT count(*) FROM transactions WHERE status IS NULL AND block_height < (SELECT max(block_height) - 30 FROM blocks)") == "0")
        self.assertEqual(self.value(FORGED), "0")
        self.assertEqual(self.value("SELECT count(*) FROM transactions WHERE NOT confirmed"), "0")
        self.chain.ask("/traffic", {"tps": 0})
        self.assert_confirmed_alerts()


class TreesOfTheHost(LyingHosts):
    def test_a_false_tx_hash_moves_no_receipt_into_another_tree(self):
        self.begin(2, ("regular", "regular-2"), source="neardata")
        self.follow(5)
        self.chain.lie("archival", "false_tx_hash")
        first = self.newest() + 10  # what began below is not known to have a parent
        self.follow(25)
        self.chain.truth()
        self.assertEqual(self.value(
            "SELECT count(*) FROM receipts r WHERE parent_receipt_id IS NOT NULL AND NOT EXISTS ("
            f"SELECT FROM transactions t WHERE t.tx_hash = r.tx_hash) AND block_height > {first}"), "0")


if __name__ == "__main__":
    support.main()
