"""What receipts do is told: by both sources the same, as the tables have it, once, and with words."""

import json

import support
from receiver import Receiver, secret_file

RULES = '''
[[rule]]
name = "all-events"
kind = "event"
account = "*"

[[rule]]
name = "all-transfers"
kind = "transfer"
cause = ["transfer", "refund", "returned"]
account = "*"

[[rule]]
name = "all-keys"
kind = "key_added"
account = "*"

[[rule]]
name = "all-verdicts"
kind = "verdict"
account = "*"
'''
NAMES = ["all-events", "all-transfers", "all-keys", "all-verdicts"]
# Beside them, and beside the default rule.
MORE_RULES = '''
[[rule]]
name = "callbacks"
kind = "failed_receipt"
role = "callback"

[[rule]]
name = "handled"
kind = "finding"
handled = true

[[rule]]
name = "large"
kind = ["transfer", "verdict"]
any = [{amount_at_least = "1000000000000000000000000", token = "near"}, {verdict = ["failed", "callback_failed"]}]
'''
# Without the transfers that logs and Delegate actions tell.
TRUE_OF_ROWS = """
WITH done AS (SELECT * FROM receipts WHERE status IN ('success_value', 'success_receipt_id'))
SELECT 'event:' || receipt_id || ':' || e.index FROM events e JOIN done USING (tree_id, receipt_id, block_time)
UNION ALL SELECT 'transfer:' || receipt_id || ':near:in:' || receiver_id FROM done
  WHERE deposit > 0 AND predecessor_id <> receiver_id
UNION ALL SELECT 'transfer:' || receipt_id || ':near:out:' || predecessor_id FROM done
  WHERE deposit > 0 AND predecessor_id NOT IN (receiver_id, 'system')
UNION ALL SELECT 'key_added:' || receipt_id || ':' || place - 1 FROM done,
  json_array_elements(actions) WITH ORDINALITY AS each (action, place) WHERE action::text LIKE '{"AddKey":%'
UNION ALL SELECT 'verdict:' || tx_hash FROM transaction_results"""
TOLD_BY_ROWS = """
SELECT alert_id FROM alerts WHERE alert_id LIKE 'event:%' OR alert_id LIKE 'key_added:%' OR alert_id LIKE 'verdict:%'
  OR (alert_id LIKE 'transfer:%:near:%' AND NOT EXISTS (SELECT FROM receipts r
    WHERE r.receipt_id = split_part(alert_id, ':', 2) AND r.actions::text LIKE '[{"Delegate%'))"""
IN_FINISHED_TREES = "SELECT alert_id FROM alerts WHERE tx_hash IN (SELECT tx_hash FROM transaction_results)"


class WhatReceiptsDo(support.Scenario):
    def setUp(self):
        super().setUp()
        self.receiver = Receiver()
        self.addCleanup(self.receiver.stop)
        self.chain = self.sandbox("--block-time-ms", 50, "--traffic", "mixed", "--tps", 40, "--seed", 7,
                                  "--genesis-time", "now", command="run")
        self.genesis = self.chain.rpc("block", {"sync_checkpoint": "genesis"})["header"]["height"]

    def final_height(self):
        return self.chain.rpc("block", {"finality": "final"})["header"]["height"]

    def configured(self, source, database, names=NAMES, more=""):
        hook = (f'[[endpoint]]\nname = "team"\nurl = "{self.receiver.url}"\nallow_private = true\n'
                f'secret_file = "{secret_file(self.folder)}"\nrules = {json.dumps(names)}\n')
        return self.config(self.chain, source=source, start=self.genesis + 1, network="sandbox", database=database,
                           patience="60s", follow="batch_blocks = 2\n", extra=hook + RULES + more)

    def followed(self, source, last):
        database = self.make_database()
        self.follow(self.configured(source, database), last)
        return database

    def follow(self, config, last):
        daemon = self.start("run", "--config", config, "--until", last)
        daemon.wait(timeout=support.DEADLINE)
        self.assertEqual(daemon.returncode, 0, daemon.log()[-4000:])

    def column(self, query, database):
        return [row[0] for row in self.query(query, database)]

    def test_both_sources_tell_what_the_tables_have(self):
        last = self.genesis + 60
        support.wait_until("there is enough to tell", lambda: self.final_height() > last + 40)
        self.chain.ask("/pause", {})
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

    def test_a_rehearsal_on_history_gives_what_was_queued(self):
        last = self.genesis + 60
        support.wait_until("there is enough to tell", lambda: self.final_height() > last + 40)
        self.chain.ask("/pause", {})
        names = [*NAMES, "callbacks", "handled", "large", "default"]
        for source in ("neardata", "rpc"):
            database = self.make_database()
            config = self.configured(source, database, names, MORE_RULES)
            self.follow(config, last)
            queued = {alert_id: rules for alert_id, rules in self.query(
                "SELECT alert_id, (SELECT string_agg(split_part(rule, '@', 1), ' ' ORDER BY split_part(rule, '@', 1)) "
                "FROM unnest(rules) AS rule) FROM deliveries", database)}
            # By rpc a tree that ends above the last block is stored, too; history is what blocks proved.
            above = set(self.column(f"SELECT receipt_id FROM receipts WHERE block_height > {last} UNION "
                                    f"SELECT tx_hash FROM transaction_results WHERE completed_height > {last}", database))
            queued = {alert_id: rules for alert_id, rules in queued.items() if alert_id.split(":")[1] not in above}
            self.assertGreater(len(queued), 500)
            self.assertEqual({rule for rules in queued.values() for rule in rules.split()}, set(names), "each has matched")
            text, _ = self.receiptd("rules", "test", "--config", config, "--from", 0, "--to", last + 10_000, "--json")
            told = {alert["alert_id"]: " ".join(sorted(alert["rules"])) for alert in json.loads(text)["alerts"]}
            self.assertEqual(set(told) ^ set(queued), set(), source)
            self.assertEqual(told, queued, source)
            said, _ = self.receiptd("rules", "test", "--config", config, "--from", 0, "--to", last + 10_000, "--rule", "large")
            large = sum("large" in rules.split() for rules in queued.values())
            self.assertIn(f"rule large: {large}\n", said)

    def test_each_is_told_in_words(self):
        last = self.genesis + 30
        support.wait_until("there is something to tell", lambda: self.final_height() > last)
        self.chain.ask("/pause", {})
        config = self.configured("neardata", self.database)
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
