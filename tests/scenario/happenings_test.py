"""Alerts tell what receipts do: by both sources the same, as the tables have it, once, and with words."""

import json

import support
from told import Told

# Without the transfers that logs and Delegate actions tell.
TRUE_OF_ROWS = """
WITH done AS (SELECT * FROM receipts WHERE status IN ('success_value', 'success_receipt_id'))
SELECT 'event:' || receipt_id || ':' || e.index FROM events e JOIN done USING (tree_id, receipt_id, block_time)
UNION ALL SELECT 'transfer:' || receipt_id || ':near:in:' || receiver_id FROM done
  WHERE deposit > 0 AND predecessor_id <> receiver_id
UNION ALL SELECT 'transfer:' || receipt_id || ':near:out:' || predecessor_id FROM done
  WHERE deposit > 0 AND predecessor_id NOT IN (receiver_id, 'system')
UNION ALL SELECT 'transfer:' || paid.receipt_id || ':near:out:' || gone.receiver_id FROM done paid
  JOIN receipts gone ON gone.receipt_id = paid.parent_receipt_id WHERE paid.role = 'payout'
UNION ALL SELECT 'key_added:' || receipt_id || ':' || place - 1 FROM done,
  json_array_elements(actions) WITH ORDINALITY AS each (action, place) WHERE action::text LIKE '{"AddKey":%'
UNION ALL SELECT 'verdict:' || tx_hash FROM transaction_results"""
TOLD_BY_ROWS = """
SELECT alert_id FROM alerts WHERE alert_id LIKE 'event:%' OR alert_id LIKE 'key_added:%' OR alert_id LIKE 'verdict:%'
  OR (alert_id LIKE 'transfer:%:near:%' AND NOT EXISTS (SELECT FROM receipts r
    WHERE r.receipt_id = split_part(alert_id, ':', 2) AND r.actions::text LIKE '[{"Delegate%'))"""
IN_FINISHED_TREES = "SELECT alert_id FROM alerts WHERE tx_hash IN (SELECT tx_hash FROM transaction_results)"


class WhatReceiptsDo(Told):
    def setUp(self):
        super().setUp()
        self.chain = self.lively_chain()

    def followed(self, source, last):
        database = self.make_database()
        self.follow(self.configured(self.chain, source, database, network="sandbox"), last)
        return database

    def test_both_sources_tell_what_the_tables_have(self):
        last = self.genesis + 60
        self.come_to(self.chain, last + 40)
        told, finished = {}, {}
        for source in ("neardata", "rpc"):
            database = self.followed(source, last)
            true = self.column(TRUE_OF_ROWS, database)
            self.assertGreater(len(true), 500)
            self.assertEqual(sorted(self.column(TOLD_BY_ROWS, database)), sorted(true), source)
            told[source] = set(self.column(IN_FINISHED_TREES, database))
            finished[source] = set(self.column("SELECT tx_hash FROM transaction_results", database))
            self.assertTrue(any(":in:" in each and ":near:" not in each for each in told[source]), "tokens move")
        # By rpc a tree that ends above the last block is stored, too.
        self.assertLessEqual(finished["neardata"], finished["rpc"])
        both = {alert for alert, tx_hash in self.query("SELECT alert_id, tx_hash FROM alerts", database)
                if tx_hash in finished["neardata"]}
        self.assertEqual(both, told["neardata"])

    def test_each_is_told_in_words(self):
        last = self.genesis + 30
        self.come_to(self.chain, last)
        config = self.configured(self.chain, "neardata", self.database, network="sandbox")
        self.receiptd("migrate", "--config", config)
        self.start("run", "--config", config)
        support.wait_until("it is told", lambda: self.value(
            f"SELECT int8range({self.genesis + 1}, {last}, '[]') <@ heights FROM coverage UNION ALL SELECT false") == "t" and self.value(
            "SELECT count(*) FROM deliveries WHERE state <> 'delivered'") == "0")
        self.assertEqual(set(self.receiver.accepted.values()), {1})
        bodies = [json.loads(body) for _, _, body in self.receiver.requests]
        self.assertLessEqual({"event.emitted", "account.transfer", "transaction.judged"},
                             {body["type"] for body in bodies})
        for body in bodies:
            self.assertTrue(body["data"]["summary"], body)
            self.assertTrue(body["rules"][0].startswith("all-"), body)


if __name__ == "__main__":
    support.main()
