#!/usr/bin/env python3
"""Whole blocks that nodes make themselves (source indexer), beside those of a service."""

import left_out_test
import support

METHOD = "EXPERIMENTAL_indexer_block"
BY_CHUNKS = "no node makes this whole block"


class Rows(left_out_test.Service):
    def setUp(self):
        super().setUp()
        shards = self.chain.ask("/status")["shards"]
        self.chain.ask(f"/shards/{shards[0]}/congest", {"blocks": 10})
        self.chain.ask("/withhold-chunk", {"shard_id": shards[-1], "chunks": 2})
        self.pause_when_trees_are_over(self.last)

    def test_are_those_of_a_service_for_two_questions_a_height(self):
        expected = self.fingerprint(self.rows_of("neardata"))
        others = self.chain.answered("chunk", "tx_status", "EXPERIMENTAL_tx_status")
        questions = self.chain.answered("block", METHOD)
        self.assertEqual(self.fingerprint(self.rows_of("indexer")), expected)
        self.assertEqual(self.chain.answered("chunk", "tx_status", "EXPERIMENTAL_tx_status"), others)
        self.assertLess(self.chain.answered("block", METHOD) - questions, 2.5 * left_out_test.BLOCKS)

    def test_are_whole_where_a_node_lacks_a_shard_that_another_has(self):
        expected = self.fingerprint(self.rows_of("neardata"))
        self.chain.lie("regular", "untracked_shards", shards=[self.chain.ask("/status")["shards"][0]])
        self.assertEqual(self.fingerprint(self.filled("indexer")), expected)

    def test_come_by_chunks_and_trees_where_no_node_makes_blocks(self):
        until = self.chain.ask("/status")["final_height"] - 5  # all trees are over
        expected = self.filled("rpc", until)
        self.chain.ask("/faults", {"faults": [{"fault": "wrong", "method": METHOD, "answer": {"error": "UNSUPPORTED"}}]})
        database = self.filled("indexer", until)
        for table in ("transactions", "receipts", "transaction_results", "findings"):
            with self.subTest(table):
                self.assert_same(self.rows(table, database), self.rows(table, expected))
        self.assertEqual(self.daemon.log().count(BY_CHUNKS), 1)


class InTime(left_out_test.InTime):
    SOURCE = "indexer"
    ASKED_FOR_BY = METHOD


if __name__ == "__main__":
    support.main()
