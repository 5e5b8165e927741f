"""Numbers that contracts write keep their digits in everything that is told of them, and no number takes the rest away."""

import json

import support
from handed_in import final_hash, key_of, nonce_of, send
from receiver import Receiver, endpoint, secret_file
from schemas import faults
from signer import Signed, call

NUMBERS = ("340282366920938463463374607431768211455", "18446744073709551616", "1e400", "-0", "5.10", "1.0E+2")
RULE = '[[rule]]\nname = "e"\nkind = "event"\nreceiver = "script.sandbox"\n'


class Numbers(support.Scenario):
    def setUp(self):
        super().setUp()
        self.receiver = Receiver()
        self.addCleanup(self.receiver.stop)
        self.chain = self.sandbox("--block-time-ms", 0, "--genesis-time", "now", command="run")

    def emit(self, logs):
        key = key_of(self.chain, "alice.sandbox")
        nonce = nonce_of(self.chain, "alice.sandbox", key) + 1
        send(self.chain, Signed(key, "alice.sandbox", "script.sandbox", nonce, final_hash(self.chain), 0,
                                action=call("run", json.dumps([{"log": log} for log in logs]).encode())))
        self.chain.ask("/advance", {"blocks": 6})

    def bodies(self):
        with self.receiver.lock:
            return [body for _, _, body in self.receiver.requests]

    def test_stay_as_they_were_written(self):
        start = self.chain.ask("/status")["final_height"]
        config = self.config(self.chain, source="neardata", network="sandbox", start=start, extra=(
            endpoint("team", self.receiver.url, secret_file(self.folder), rules=["e"]) + RULE))
        daemon = self.start("run", "--config", config)
        support.wait_until("its endpoint is known", lambda: self.value("SELECT count(*) FROM endpoint_rules") != "0")
        events = [f'{{"standard":"n","version":"1","event":"e{place}","data":[{{"amount":{number}}}]}}'
                  for place, number in enumerate(NUMBERS)]
        events.append(r'{"standard":"n","version":"1","event":"half","data":["\ud800"]}')
        self.emit(["EVENT_JSON:" + event for event in events])
        support.wait_until("all are told", lambda: len(self.bodies()) == len(events))
        schema = json.loads(self.page(daemon, "/v1/schemas/event.emitted")[1])
        whole = "".join(self.bodies())
        for body in self.bodies():
            self.assertEqual(faults(json.loads(body), schema), [], body)
        for place, number in enumerate(NUMBERS):
            written = f'[{{"amount":{number}}}]'
            self.assertIn(f'"data":{written}', whole)
            alert_id = self.value(f"SELECT alert_id FROM alerts WHERE cause ->> 'event' = 'e{place}'")
            of_api = self.page(daemon, f"/v1/alerts/{alert_id}")[1]
            self.assertEqual(of_api.replace(" ", "").count(written), 2, "cause and payload")
        self.assertIn('"data":["\ufffd"]', whole)
        self.assertIn("receiptd_alerts_plain_total 0\n", self.page(daemon, "/metrics")[1])


if __name__ == "__main__":
    support.main()
