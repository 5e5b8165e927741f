"""Messages of every type but those of timed rules are as their JSON Schemas, served by the same daemon, promise."""

import json

import support
from receiver import Receiver, secret_file
from schemas import faults

RULES = {
    "findings": 'kind = "finding"\nany = [{ handled = [true, false] }, { not = { handled = [true, false] } }]',
    "stages": 'kind = "stage"\nstages = ["accepted", "pending", "included", "executing", "completed", "final"]',
    "verdicts": 'kind = "verdict"\naccount = "*"',
    "events": 'kind = "event"\naccount = "*"',
    "transfers": 'kind = "transfer"\ncause = ["transfer", "refund", "returned"]\naccount = "*"',
    "keys": 'kind = "key_added"\naccount = "*"',
}
# Types of messages that such traffic gives soon; the others are made from one of the same shape.
FROM_TRAFFIC = {"finding.failed_receipt", "finding.tokens_returned", "transaction.completed", "transaction.final",
                "transaction.judged", "event.emitted", "account.transfer", "account.key_added", "endpoint.withheld"}
# Types of messages that an endpoint with groups gets when the traffic is over.
OF_GROUPS = {"group.digest", "group.resolved"}
MADE = """
WITH pattern AS (SELECT a.alert_id, a.tx_hash, a.cause FROM alerts a JOIN deliveries d USING (alert_id)
    WHERE a.kind = '{like}' AND d.state = 'delivered' LIMIT 1),
found AS (INSERT INTO findings SELECT (jsonb_populate_record(f, '{{"kind": "{kind}", "finding_id": "{kind}:made"}}')).*
    FROM findings f JOIN pattern ON finding_id = alert_id),
told AS (INSERT INTO alerts (alert_id, kind, tx_hash, cause) SELECT '{kind}:made', '{kind}', tx_hash, cause FROM pattern)
INSERT INTO deliveries (alert_id, endpoint, rules) SELECT '{kind}:made', 'team', '{{made@1}}' FROM pattern"""
# What no message of its type can be made of.
ODD = """
WITH told AS (INSERT INTO alerts (alert_id, kind, tx_hash, cause) VALUES ('event:odd:0', 'event', NULL, '{"contract_id":7,"data":1e400}'))
INSERT INTO deliveries (alert_id, endpoint, rules) VALUES ('event:odd:0', 'team', '{odd@1}')"""


class Messages(support.Scenario):
    def setUp(self):
        super().setUp()
        self.receiver = Receiver()
        self.addCleanup(self.receiver.stop)

    def configured(self, chain):
        rules = "".join(f'[[rule]]\nname = "{name}"\n{text}\n' for name, text in RULES.items())
        return self.config(chain, source="neardata", network="sandbox", extra=(
            '[[watch]]\nname = "everything"\nsigner = "*"\n'
            f'[[endpoint]]\nname = "team"\nurl = "{self.receiver.url}"\nallow_private = true\n'
            f'secret_file = "{secret_file(self.folder)}"\nrules = {json.dumps(list(RULES))}\n'
            f'[[endpoint]]\nname = "calm"\nurl = "{self.receiver.url}"\nallow_private = true\n'
            f'secret_file = "{secret_file(self.folder)}"\nrules = ["findings"]\ngroup = ["receiver"]\n'
            'digest_after = "1s"\nresolve_after = "2s"\nmost_per_hour = 3\n' + rules))

    def bodies(self):
        """The messages that came, by type."""
        came = {}
        with self.receiver.lock:
            for _, _, body in self.receiver.requests:
                body = json.loads(body)
                came.setdefault(body["type"], []).append(body)
        return came

    def test_each_is_as_its_schema_says(self):
        chain = self.sandbox("--block-time-ms", 50, "--traffic", "mixed", "--tps", 40, "--seed", 7, "--genesis-time", "now",
                             command="run")
        config = self.configured(chain)
        daemon = self.start("run", "--config", config)
        support.wait_until("traffic tells what it can", lambda: FROM_TRAFFIC <= set(self.bodies()))
        chain.ask("/pause", {})
        listed = json.loads(self.page(daemon, "/v1/schemas")[1])["schemas"]
        # timed_test.py and watchdog_test.py have the others.
        types = {each["type"] for each in listed if not each["type"].startswith(("rule.", "daemon."))}
        self.receiptd("endpoints", "test", "team", "--config", config)
        self.query(ODD)
        for name in types - OF_GROUPS - set(self.bodies()) - {"message.plain"}:
            kind = "corrected" if name == "transaction.corrected" else name.split(".")[1]
            like = "completed" if name.startswith("transaction.") and kind != "corrected" else "failed_receipt"
            self.query(MADE.format(kind=kind, like=like))
        support.wait_until("every type came", lambda: set(self.bodies()) >= types)
        came = self.bodies()
        self.assertEqual(set(came), types)
        schemas = {name: json.loads(self.page(daemon, "/v1/schemas/" + name)[1]) for name in types}
        for name, bodies in came.items():
            self.assertEqual([fault for body in bodies[:200] for fault in faults(body, schemas[name])], [], name)
        plain, = came["message.plain"]
        self.assertEqual((plain["data"]["kind"], plain["data"]["told"]), ("event", '{"contract_id":7,"data":1e400}'))
        self.assertIn("receiptd_alerts_plain_total 1\n", self.page(daemon, "/metrics")[1])
        self.assertNotEqual(faults(came["account.transfer"][0], schemas["event.emitted"]), [], "a schema can refuse")


if __name__ == "__main__":
    support.main()
