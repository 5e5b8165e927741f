"""Stored heights are fetched again: whatever was wrong in their rows, afterwards they are those of a fresh database, and people
are told nothing twice."""

import json
import signal

import support
from database_proxy import MOMENTS, Proxy
from receiver import EVERY_FINDING, endpoint, secret_file

TABLES = ("blocks", "chunks", "transactions", "receipts", "data_receipts", "events", "transaction_results", "findings",
          "global_contract_distributions")
# Rows of the heights {here} are changed, lost and invented.
SPOIL = """
CREATE TABLE third AS SELECT receipt_id, row_number() OVER (ORDER BY receipt_id) % 3 AS n FROM receipts WHERE {here};
UPDATE receipts SET gas_burnt = gas_burnt + 1, receiver_id = 'liar.sandbox', logs = '{{false}}', role = 'detached',
    parent_receipt_id = NULL WHERE {here} AND receipt_id IN (SELECT receipt_id FROM third WHERE n = 0);
DELETE FROM receipts WHERE {here} AND receipt_id IN (SELECT receipt_id FROM third WHERE n = 1);
DELETE FROM events WHERE {here} AND receipt_id IN (SELECT receipt_id FROM third WHERE n = 1);
INSERT INTO receipts (receipt_id, tree_id, tx_hash, block_height, block_time, receiver_id, status)
    SELECT 'invented' || receipt_id, tree_id, tx_hash, block_height, block_time, receiver_id, 'failure' FROM receipts
    WHERE {here} AND receipt_id IN (SELECT receipt_id FROM third WHERE n = 2);
DROP TABLE third;
INSERT INTO events (receipt_id, tree_id, tx_hash, block_height, block_time, "index", account_id)
    SELECT receipt_id, tree_id, tx_hash, block_height, block_time, 99, 'liar.sandbox' FROM receipts WHERE {here} LIMIT 3;
UPDATE transactions SET nonce = nonce + 1, error_class = 'invented' WHERE {here} AND length(tx_hash) % 2 = 0;
DELETE FROM transactions WHERE {here} AND tx_hash = (SELECT min(tx_hash) FROM transactions WHERE {here});
INSERT INTO transactions (tx_hash, tree_id, block_height, block_time, signer_id, receiver_id, nonce, status)
    SELECT 'invented', 'invented', block_height, block_time, signer_id, receiver_id, 7, 'success_receipt_id' FROM transactions
    WHERE {here} LIMIT 1;
INSERT INTO receipts (receipt_id, tree_id, tx_hash, block_height, block_time, receiver_id, status)
    SELECT 'of invented', 'invented', 'invented', block_height, block_time, 'liar.sandbox', 'success_value'
    FROM transactions WHERE tx_hash = 'invented';
INSERT INTO transaction_results
    SELECT 'invented', 'invented', t.block_height, t.block_time, 'liar.sandbox', 'liar.sandbox', 'succeeded', NULL, NULL,
        t.block_height, t.block_height, t.block_time, t.block_height, 1, 0, 0, 0 FROM transactions t WHERE tx_hash = 'invented';
UPDATE data_receipts SET data = 'false' WHERE {here} AND data_id < 'M';
DELETE FROM data_receipts WHERE {here} AND data_id > 'V';
UPDATE transaction_results SET verdict = 'failed', effect = NULL, gas_burnt = 1 WHERE {here} AND tx_hash < 'M';
DELETE FROM transaction_results WHERE {here} AND tx_hash > 'V';
UPDATE findings SET handled = NOT handled, error_class = 'invented' WHERE {here} AND finding_id < 'failed_receipt:M';
DELETE FROM findings WHERE {here} AND finding_id > 'failed_receipt:V';
INSERT INTO findings (finding_id, kind, tx_hash, tree_id, receipt_id, block_height, block_time)
    SELECT 'failed_receipt:invented', 'failed_receipt', tx_hash, tree_id, 'invented', block_height, block_time
    FROM transaction_results WHERE {here} AND tx_hash <> 'invented' ORDER BY tx_hash LIMIT 1;
UPDATE chunks SET gas_used = 1 WHERE {here};
UPDATE blocks SET gas_price = 1 WHERE {here};
DELETE FROM blocks WHERE block_height = {middle};
"""


class Reindex(support.Scenario):
    def setUp(self):
        super().setUp()
        # Blocks come when they are asked for.
        self.chain = self.sandbox("--seed", 11, "--block-time-ms", 0, "--traffic", "mixed", "--tps", 20,
                                  "--genesis-time", "now", command="run")
        self.genesis = self.chain.rpc("block", {"sync_checkpoint": "genesis"})["header"]["height"]
        self.range = self.genesis + 30, self.genesis + 59
        self.without = {}
        self.span = ("--from", self.range[0], "--to", self.range[1])

    def configured(self, source, **more):
        to_nobody = endpoint("ops", "https://127.0.0.1:9/", secret_file(self.folder), rules=(EVERY_FINDING,))
        return self.config(self.chain, source=source, start=self.genesis + 1, network="sandbox", patience="60s",
                           extra=to_nobody, **{"follow": "batch_blocks = 4\n", **more})

    def follow(self, source, **more):
        """All blocks of a while with traffic, up to when all trees are over; returns the configuration and the last height."""
        self.chain.ask("/advance", {"blocks": 90})
        self.chain.ask("/traffic", {"tps": 0})
        self.chain.ask("/advance", {"blocks": 250})  # a yield waits for 200
        last = self.chain.ask("/status")["final_height"]
        config = self.configured(source, **more)
        self.receiptd("run", "--config", config, "--until", last)
        return config, last

    def told(self):
        return (self.query("SELECT alert_id, kind, handled FROM alerts ORDER BY 1"),
                self.query("SELECT alert_id, endpoint, created_at FROM deliveries ORDER BY 1, 2"))

    def spoil(self):
        first, to = self.range
        before = self.fingerprint()
        self.query(SPOIL.format(here=f"block_height BETWEEN {first} AND {to}", middle=(first + to) // 2))
        now = self.fingerprint()
        self.assertEqual([table for table in TABLES[:-1] if before[table] == now[table]], [])

    def is_as(self, expected):
        for table in TABLES:
            with self.subTest(table):
                found = self.rows(table, self.database, self.without.get(table, ()))
                self.assertEqual((sorted(expected[table] - found)[:3], sorted(found - expected[table])[:3]), ([], []))
        self.assertEqual(self.value("SELECT count(*) FROM backfills WHERE state = 'unfinished'"), "0")
        self.assertEqual(self.value("SELECT count(*) FROM pending_trees"), "0")

    def stored(self):
        return {table: self.rows(table, self.database, self.without.get(table, ())) for table in TABLES}

    def is_replaced(self, source):
        config, _ = self.follow(source)
        if source == "rpc":
            # With one host a tree does not wait for the block above its last one, which has the root: only later can it be confirmed.
            self.without = {"transactions": ("confirmed",)}
        expected, told = self.stored(), self.told()
        self.assertGreater(len(told[0]), 10)
        self.spoil()
        plan, _ = self.receiptd("reindex", "--config", config, *self.span, "--plan", "--json")
        plan = json.loads(plan)
        self.assertEqual((plan["heights"], plan["trees_on_top"]), (30, source == "rpc"))
        self.assertGreaterEqual(plan["requests"], 30)
        said, _ = self.receiptd("reindex", "--config", config, *self.span)
        self.assertIn("30 of 30 stored heights replaced", said)
        self.is_as(expected)
        self.assertEqual(self.told(), told)
        if source == "rpc":
            here = "block_height BETWEEN {} AND {}".format(*self.range)
            self.assertEqual(self.query(f"SELECT tx_hash FROM transactions WHERE {here} AND confirmed IS NOT TRUE"), [])

    def test_whole_blocks_replace_what_is_wrong(self):
        self.is_replaced("neardata")

    def test_json_rpc_replaces_what_is_wrong(self):
        self.is_replaced("rpc")

    def is_resumed(self, source):
        config, _ = self.follow(source)
        # Where spoiled rows seem to lack outcomes, the tree may be asked for before its blocks are: a host has confirmed it.
        self.without = {"transactions": ("confirmed",)}
        expected = self.stored()
        self.spoil()
        proxy = Proxy(self.database)
        self.addCleanup(proxy.stop)
        through_proxy = self.configured(source, database=proxy.url)
        left = 30
        for moment in MOMENTS:
            self.query("UPDATE backfills SET lease_until = now() - interval '1 second'")
            proxy.step(2, moment, ("SET to_replace = to_replace",))
            proxy.kill(self.start("reindex", "--config", through_proxy, *self.span))
            left_now = int(self.value("SELECT sum(upper(r) - lower(r)) FROM backfills, unnest(to_replace) r"))
            self.assertLess(left_now, left)
            left = left_now
            self.assertEqual(self.value(f"SELECT heights @> int8range({self.range[0]}, {self.range[1]}) FROM coverage"), "t")
        self.query("UPDATE backfills SET lease_until = now() - interval '1 second'")
        return config, expected

    def test_it_goes_on_where_it_was_killed(self):
        for source in ("neardata", "rpc"):
            with self.subTest(source):
                self.database = self.make_database()
                config, expected = self.is_resumed(source)
                self.receiptd("reindex", "--config", config, *self.span)
                self.is_as(expected)

    def test_a_running_daemon_goes_on_with_it(self):
        config, expected = self.is_resumed("neardata")
        daemon = self.start("run", "--config", config)
        support.wait_until("it is over",
                           lambda: self.value("SELECT count(*) FROM backfills WHERE state = 'unfinished'") == "0")
        daemon.send_signal(signal.SIGTERM)
        self.assertEqual(support.ended(daemon), 0, daemon.log()[-4000:])
        self.is_as(expected)

    def test_heights_that_no_host_gives_as_they_are_stored_keep_their_rows(self):
        config, _ = self.follow("neardata", follow='batch_blocks = 4\n')
        another, gone = self.range[0] + 3, self.range[0] + 10
        self.query(f"UPDATE blocks SET block_hash = 'another' WHERE block_height = {another}")
        for host in ("regular", "archival"):
            self.chain.ask("/faults", {"host": host, "faults": [
                {"fault": "500", "method": f"/v0/block/{gone}"}]})
        config.write_text(config.read_text().replace('patience = "60s"', 'patience = "1s"'))
        before = self.stored()
        said, err = self.receiptd("reindex", "--config", config, *self.span, expect=3)
        self.assertIn(f"no host gives heights {another} to {another} as they are stored", said)
        self.assertIn("28 of 30 stored heights replaced", said)
        self.assertIn("told another block than the stored one", err)
        self.assertIn(f"no host gives heights {gone} to {gone} as they are stored", said)
        self.is_as(before)


if __name__ == "__main__":
    support.main()
