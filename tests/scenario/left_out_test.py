#!/usr/bin/env python3
"""A whole-block service that leaves blocks or outcomes out, beside hosts that have them."""

import contextlib
import json
import re

import support
from truth import Judging

BLOCKS = 60
PLACE = ("shard_id", "index_in_chunk")
AGAIN = "the whole-block service keeps up again"
NO_CHUNK = {"fault": "wrong", "method": "chunk", "answer": {"error": "UNKNOWN_CHUNK"}}


class Service(Judging, support.Scenario):
    BLOCK_TIME_MS = 100
    SOURCE = "neardata"

    def setUp(self):
        super().setUp()
        self.chain = self.sandbox("--block-time-ms", self.BLOCK_TIME_MS, "--shards", 3, "--traffic", "mixed", "--tps", 40, "--seed", 11,
                                  command="run")
        self.genesis = self.chain.rpc("block", {"sync_checkpoint": "genesis"})["header"]["height"]
        self.last = self.genesis + BLOCKS

    def follow(self, **settings):
        """Until all that was included up to a height is stored, compared with the chunks above, and judged or waiting for later blocks."""
        config = self.config(self.chain, source=self.SOURCE, start=self.genesis + 1, network="sandbox", patience="60s", **settings)
        self.daemon = self.start("run", "--config", config)
        support.wait_until("all up to the last height is stored and compared", self.is_stored)

    def is_stored(self):
        self.assertIsNone(self.daemon.poll(), self.daemon.log()[-3000:])
        return self.query(f"SELECT heights @> int8range({self.genesis + 1}, {self.last + 20}) "
                          f"AND compared + without_outcomes @> int8range({self.genesis + 1}, {self.last + 1}) AND NOT EXISTS "
                          f"(SELECT FROM pending_trees WHERE block_height <= {self.last}) FROM coverage") == [["t"]]

    def pause_when_trees_are_over(self, last):
        """All that began up to this height."""
        support.wait_until("the blocks are there", lambda: self.chain.ask("/status")["final_height"] > last)
        self.chain.ask("/traffic", {"tps": 0})
        self.chain.ask("/advance", {"blocks": 250})  # a yield waits for 200
        self.chain.ask("/pause", {})

    def rows_of(self, source, **dialect):
        self.chain.truth()
        if dialect:
            self.chain.lie("archival", "dialect", **dialect)
        return self.filled(source)

    def filled(self, source, until=None):
        """A database of the heights up to this one, or the last one, by hosts as they are."""
        database = self.make_database()
        config = self.config(self.chain, source=source, start=self.genesis + 1, network="sandbox", patience="5s", database=database)
        self.daemon = self.start("run", "--config", config, "--until", until or self.last)
        self.daemon.wait(timeout=support.DEADLINE)
        self.assertEqual(self.daemon.returncode, 0, self.daemon.log()[-3000:])
        return database

    def assert_truth_is_stored(self):
        """All that had ended by the last height, and of the rest nothing but the truth."""
        truth = [t for t in self.chain.ask(f"/truth?from={self.genesis}&to={self.last + 20}") if t["heights"]["included"]]
        settled = self.settled_by(truth, self.last)
        self.assertGreater(len(settled), 100)
        for stored, true in ((self.stored_results(self.database), self.true_results),
                             (self.stored_findings(self.database), self.true_findings),
                             (self.stored_receipts(self.database), lambda some: self.true_receipts(some, lambda *_: True))):
            self.assert_same(stored & true(settled), true(settled))

    def note(self):
        return {note["reason"]: note["detail"] for note in json.loads(self.page(self.daemon, "/readyz")[1])["notes"]}


class Blocks(Service):
    def test_other_hosts_have_them_and_the_service_is_named(self):
        self.chain.lie("archival", "null_block", every=20)
        self.follow()
        self.assert_truth_is_stored()
        left_out = {int(h) for h in re.findall(r"the source left a block out.* height=(\d+)", self.daemon.log())}
        self.assertLessEqual({h for h in range(self.genesis + 1, self.last) if h % 20 == 0}, left_out)
        self.assertIn("left out", self.note()["left_out"])
        self.assertIn('receiptd_left_out_total{what="block"}', self.page(self.daemon, "/metrics")[1])

    def test_two_in_a_row(self):
        self.chain.lie("archival", "null_block", every=7)
        self.chain.lie("archival", "null_block", every=8)
        self.follow()
        self.assert_truth_is_stored()

    def test_what_no_host_has_is_a_gap(self):
        lost = self.genesis + 20
        self.chain.lie("archival", "null_block", height=lost)
        for host in ("regular", "archival"):
            self.chain.ask("/faults", {"host": host, "faults": [NO_CHUNK]})
        config = self.config(self.chain, source="neardata", start=self.genesis + 1, network="sandbox")
        daemon = self.start("run", "--config", config)
        support.wait_until("it is a gap", lambda: daemon.poll() is None
                           and self.query("SELECT height, reason FROM unavailable_heights") == [[str(lost), "UNKNOWN_BLOCK"]])
        self.assertIn(str(lost), self.page(daemon, "/readyz")[1])


class InTime(Service):
    """What the service does not tell in time, or cannot tell for some time, comes from the other hosts, and nothing waits for it."""
    BLOCK_TIME_MS = 200
    ASKED_FOR_BY = "/v0/"

    def stored_height(self):
        self.assertIsNone(self.daemon.poll(), self.daemon.log()[-3000:])
        return int(self.value("SELECT coalesce(max(block_height), 0) FROM blocks"))

    def without_outcomes(self):
        return int(self.value("SELECT coalesce(sum(upper(r) - lower(r)), 0) FROM coverage, unnest(without_outcomes) AS r"))

    def assert_others_fill_in_while(self, fault):
        before = self.without_outcomes()
        self.chain.ask("/faults", {"faults": [{"method": self.ASKED_FOR_BY, **fault}]})
        support.wait_until("other hosts fill in", lambda: self.without_outcomes() > before + 20)
        with self.paused():
            support.wait_until("all of the chain is stored", lambda: self.stored_height() == self.chain.ask("/status")["final_height"])
            self.assertIn("left out", self.note()["left_out"])
            self.chain.ask("/faults", {"faults": []})
        kept_up = self.daemon.log().count(AGAIN)
        support.wait_until("the service is asked again", lambda: self.daemon.log().count(AGAIN) > kept_up)
        self.last = self.comes_from_the_service(10)

    @contextlib.contextmanager
    def paused(self):
        """How far a slow machine is behind the head is nobody's fault."""
        self.chain.ask("/pause", {})
        yield
        self.chain.ask("/resume", {})

    def comes_from_the_service(self, blocks):
        """So many in a row, once it is quick enough; returns the height of the last one."""
        since, filled_in = 0, None
        def so_many():
            nonlocal since, filled_in
            stored, others = self.stored_height(), self.without_outcomes()
            if others != filled_in:
                since, filled_in = stored, others
            return stored >= since + blocks and stored
        return support.wait_until("the service brings the blocks", so_many)

    def test_of_a_service_that_is_slow_and_then_down(self):
        self.last = self.genesis + 10
        self.follow()
        for fault in ({"fault": "latency", "ms": 12_000}, {"fault": "500"}):
            with self.subTest(fault=fault):
                self.assert_others_fill_in_while(fault)
        self.chain.ask("/traffic", {"tps": 0})
        support.wait_until("all up to the last height is stored and compared", self.is_stored)
        self.assert_truth_is_stored()


class Outcomes(Service):
    def test_of_transactions_come_from_other_hosts(self):
        self.chain.lie("archival", "null_outcome", every=5)
        self.follow()
        self.assert_truth_is_stored()
        self.assertIn("a block lacks the outcomes of transactions", self.daemon.log())
        self.assertIn("outcomes", self.note()["left_out"])

    def test_without_a_host_that_tells_them_the_tree_is_unfinished_with_its_reason(self):
        self.chain.lie("archival", "null_outcome", every=5)
        for host in ("regular", "archival"):
            self.chain.lie(host, "unknown_transaction")
        config = self.config(self.chain, source="neardata", start=self.genesis + 1, network="sandbox")
        self.start("run", "--config", config)
        support.wait_until("a tree waits, and the reason is named", lambda: self.query(
            "SELECT tx_hash FROM unfinished_trees('-infinity') WHERE reason IS NOT NULL AND attempts > 0"))


class OutcomesOfReceipts(Service):
    """No header gives its hash, so that outcomes are not compared with the roots in it."""

    def begin(self, *options):
        for host in ("regular", "archival"):
            self.chain.lie(host, "odd_members", values={"next_bp_hash": json.dumps("1" * 32)})
        self.chain.lie("archival", "missing_outcome", every=7)
        config = self.config(self.chain, source="neardata", start=self.genesis + 1, network="sandbox")
        self.daemon = self.start("run", "--config", config, *options)

    def unfinished(self):
        self.assertIsNone(self.daemon.poll(), self.daemon.log()[-3000:])
        return self.query(f"SELECT tx_hash, reason FROM unfinished_trees('-infinity') WHERE block_height <= {self.last} AND reason IS NOT NULL")

    def settled(self):
        truth = [t for t in self.chain.ask(f"/truth?from={self.genesis}&to={self.last}") if t["heights"]["included"]]
        return self.settled_by(truth, self.last)

    def test_that_no_block_brings_come_from_the_other_host(self):
        self.begin()
        support.wait_until("trees are asked for", lambda: "no block has brought the rest of a tree" in self.daemon.log())
        support.wait_until("all that is over is judged", lambda: {t["tx_hash"] for t in self.settled()}
                           <= {row[0] for row in self.query("SELECT tx_hash FROM transaction_results")})
        support.wait_until("nothing is asked for", lambda: self.unfinished() == [])
        self.assert_truth_is_stored()
        self.assertIn("whole blocks lack outcomes of a tree", self.daemon.log())
        self.assertIn("outcomes", self.note()["left_out"])

    def test_are_filled_in_before_a_run_to_a_height_ends(self):
        until = self.last + 60
        self.pause_when_trees_are_over(until)
        self.begin("--until", until)
        self.daemon.wait(timeout=support.DEADLINE)
        self.assertEqual(self.daemon.returncode, 0, self.daemon.log()[-3000:])
        self.assertIn("whole blocks lack outcomes of a tree", self.daemon.log())
        self.assertLessEqual({t["tx_hash"] for t in self.settled()}, {row[0] for row in self.query("SELECT tx_hash FROM transaction_results")})

    def test_that_nobody_tells_leave_an_unfinished_tree_with_its_reason(self):
        for host in ("regular", "archival"):
            self.chain.lie(host, "unknown_transaction")
        self.begin()
        tx_hash, reason = support.wait_until("a tree waits", self.unfinished)[0]
        self.assertTrue(reason.startswith("outcomes_missing"), reason)
        self.query(f"INSERT INTO watches (tx_hash, sender_id) SELECT tx_hash, signer_id FROM transactions WHERE tx_hash = '{tx_hash}'")
        support.wait_until("its watch says so", lambda: self.query("SELECT reason FROM watches") == [["outcomes_missing"]])
        self.query("UPDATE pending_trees SET placed_at = now() - interval '11 minutes'")
        trees = support.wait_until("it is overdue", lambda: [
            each["detail"] for each in json.loads(self.page(self.daemon, "/readyz")[1])["reasons"] if each["reason"] == "trees"])
        self.assertIn("outcomes_missing", trees[0])


class Dialects(Service):
    def test_give_equal_rows(self):
        self.chain.ask(f"/shards/{self.chain.ask('/status')['shards'][0]}/congest", {"blocks": 10})
        self.pause_when_trees_are_over(self.last)
        expected = self.fingerprint(self.rows_of("neardata"))
        for dialect in ({"version": "2.9"}, {"version": "2.10"}, {"version": "2.9", "sorted": True}, {"version": "2.12", "twice": True, "sorted": True}):
            with self.subTest(dialect):
                self.assertEqual(self.fingerprint(self.rows_of("neardata", **dialect)), expected)

    def test_are_those_of_source_rpc(self):
        """But for what nothing tells there: docs/sql.md."""
        shards = self.chain.ask("/status")["shards"]
        self.chain.ask(f"/shards/{shards[0]}/congest", {"blocks": 10})
        self.chain.ask("/withhold-chunk", {"shard_id": shards[-1], "chunks": 2})
        self.pause_when_trees_are_over(self.last)
        whole, rpc = self.rows_of("neardata"), self.rows_of("rpc")
        of_blocks = {"blocks": (), "chunks": ("executed_root",), "data_receipts": ("shard_id",), "global_contract_distributions": ()}
        for table, untold in of_blocks.items():
            with self.subTest(table):
                self.assert_same(self.rows(table, rpc, untold), self.rows(table, whole, untold))
        over = {row[0] for row in self.query("SELECT tx_hash FROM transaction_results", whole)}
        self.assertGreater(len(over), 100)
        of_trees = {"transactions": ("confirmed",), "receipts": PLACE, "events": (), "transaction_results": (), "findings": ()}
        for table, untold in of_trees.items():
            with self.subTest(table):
                rows = lambda database: {row for row in self.rows(table, database, untold) if json.loads(row)["tx_hash"] in over}
                self.assert_same(rows(rpc), rows(whole))
        places = lambda database: {row[0]: row[1:] for row in self.query(f"SELECT receipt_id, {', '.join(PLACE)} FROM receipts", database)}
        told, true = places(rpc), places(whole)
        wrong = [(id, told[id], place) for id, place in true.items() if id in told
                 for mine, its in zip(told[id], place) if mine is not None and mine != its]
        self.assertEqual(wrong, [])
        self.assertGreater(sum(told[id][0] is not None for id in true if id in told), len(true) / 2)


if __name__ == "__main__":
    support.main()
