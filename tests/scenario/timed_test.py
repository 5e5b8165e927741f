"""Alerts tell once what does not happen in time, whichever daemon leads, whatever its source, never while nothing is known."""

import json

import support
from receiver import Receiver, endpoint, secret_file
from schemas import faults
from watched import EVERYTHING

RULES = '''
[[rule]]
name = "no-tokens"
kind = "absence"
receiver = "ft.sandbox"
for = "1m"

[[rule]]
name = "slow"
kind = "latency"
stage = "completed"
over = "1s"
window = "2m"

[[rule]]
name = "very-slow"
kind = "latency"
stage = "completed"
over = "1h"
window = "2m"
'''
NAMES = ["no-tokens", "slow", "very-slow"]
A_MINUTE = 100  # blocks
TPS = 2


class TimedRules(support.Scenario):
    def setUp(self):
        super().setUp()
        self.receiver = Receiver()
        self.addCleanup(self.receiver.stop)
        # No yields: rules wait until these are over.
        self.chain = self.sandbox("--seed", 5, "--block-time-ms", 0, "--traffic", "tokens", "--tps", TPS, command="run")
        self.genesis = self.chain.rpc("block", {"sync_checkpoint": "genesis"})["header"]["height"]

    def configured(self, source, names=("no-tokens",), extra=""):
        return self.config(self.chain, source=source, start=self.genesis + 1, network="sandbox", patience="60s",
                           extra=endpoint("team", self.receiver.url, secret_file(self.folder), rules=list(names)) + RULES + extra)

    def leads(self, process):
        leader = json.loads(self.page(process, "/v1/status")[1])["leader"]
        return leader is not None and leader["is_this_one"]

    def final_height(self):
        return self.chain.ask("/status")["final_height"]

    def follow(self):
        """Until the head is stored, and the trees below it: a chain that runs ahead of its trees is never judged."""
        final = self.final_height()
        support.wait_until("the head is stored, and the trees below it", lambda: self.value(
            f"SELECT coalesce(max(block_height), 0) >= {final} AND NOT EXISTS (SELECT FROM pending_trees WHERE block_height < "
            f"{final - 30}) FROM blocks") == "t")

    def advance(self, minutes):
        """By so many, until all but the last of them is judged. Rules are judged once a minute, at the head, and by rpc as
        far as trees are there."""
        for _ in range(minutes):
            self.chain.ask("/advance", {"blocks": A_MINUTE})
            self.follow()
        last = self.final_height() - A_MINUTE

        def judged():
            if self.value("SELECT coalesce(bool_or(state IN ('quiet', 'alert') AND counted_until >= (SELECT block_time FROM blocks "
                          f"WHERE block_height >= {last} ORDER BY 1 LIMIT 1)), false) FROM timed_rules WHERE rule = 'no-tokens'") == "t":
                return True
            self.go_on()
        support.wait_until("they are judged", judged)

    def go_on(self):
        """By one block: where no host tells a newer head for 30 seconds, the daemon is not at the head."""
        self.chain.ask("/advance", {})
        self.follow()

    def rules_at_the_head(self, process):
        """`timed_rules` of the status, and the metrics beside it, of a daemon that leads and is at the head."""
        def at_the_head():
            rules, metrics = json.loads(self.page(process, "/v1/status")[1])["timed_rules"], self.page(process, "/metrics")[1]
            if "not_at_head" not in rules["rules"] and 'receiptd_timed_rules{state="not_at_head"} 0\n' in metrics:
                return rules, metrics
            self.go_on()
        return support.wait_until("the daemon is at the head", at_the_head)

    def told(self, kind="absence"):
        bodies = {alert: json.loads(body) for alert, _, body in list(self.receiver.requests)}
        return {alert: body for alert, body in bodies.items() if body["type"] == f"rule.{kind}"}

    def assert_is_as_its_schema_says(self, body, process):
        self.assertEqual(faults(body, json.loads(self.page(process, "/v1/schemas/" + body["type"])[1])), [])

    def last_success(self):
        return self.value("SELECT to_char(max(block_time) + interval '1 minute', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"') FROM receipts "
                          "WHERE receiver_id = 'ft.sandbox' AND status LIKE 'success%'")

    def an_episode_is_told_once(self, first_source, second_source):
        first = self.start("run", "--config", self.configured(first_source))
        support.wait_until("it leads", lambda: self.leads(first))
        second = self.start("run", "--config", self.configured(second_source))
        self.advance(2)
        self.assertEqual(self.told(), {})
        self.chain.ask("/traffic", {"tps": 0})
        self.advance(3)
        support.wait_until("it is told", self.told)
        since = self.last_success()
        self.assertEqual(list(self.told()), [f"rule:no-tokens:{since}"])
        body = self.told()[f"rule:no-tokens:{since}"]
        self.assertEqual(body["data"]["since"], since)
        self.assertEqual(body["data"]["window_seconds"], 60)
        self.assertIn("no-tokens: no successful call in 1m; the last was at ", body["data"]["summary"])
        self.assertEqual(body["rules"], ["no-tokens@1"])
        self.assert_is_as_its_schema_says(body, first)
        rules, metrics = self.rules_at_the_head(first)
        self.assertGreaterEqual(rules["judged_until"], since[:len("2026-01-01T00:00:00")], "by then nothing succeeded for a minute")
        self.assertEqual(rules["rules"], {"alert": 1})
        self.assertIn('receiptd_timed_rules{state="alert"} 1\n', metrics)
        self.assertIsNone(json.loads(self.page(second, "/v1/status")[1])["timed_rules"])
        self.kill(first)
        support.wait_until("the second leads", lambda: self.leads(second))
        self.advance(2)
        third = self.start("run", "--config", self.configured(first_source))
        self.advance(2)
        self.assertEqual(list(self.told()), [f"rule:no-tokens:{since}"], third.log())
        self.assertEqual(self.value("SELECT count(*) FROM timed_episodes WHERE ended_at IS NULL"), "1")
        self.chain.ask("/traffic", {"tps": TPS})
        self.advance(2)
        self.assertEqual(self.value("SELECT count(*) FROM timed_episodes WHERE ended_at IS NULL"), "0")
        self.chain.ask("/traffic", {"tps": 0})
        self.advance(3)
        support.wait_until("another one is told", lambda: len(self.told()) == 2)
        self.assertEqual(set(self.told()), {f"rule:no-tokens:{since}", f"rule:no-tokens:{self.last_success()}"})

    def test_an_episode_is_told_once_though_its_leader_dies(self):
        self.an_episode_is_told_once("neardata", "rpc")

    def test_the_same_where_the_next_leader_has_whole_blocks(self):
        self.an_episode_is_told_once("rpc", "neardata")

    def test_slow_transactions_are_told(self):
        self.chain.ask("/advance", {"blocks": 2 * A_MINUTE})
        daemon = self.start("run", "--config", self.configured("neardata", NAMES, EVERYTHING))
        support.wait_until("it leads", lambda: self.leads(daemon))
        for _ in range(3):
            self.advance(2)
        support.wait_until("it is told", lambda: self.told("latency"))
        [body] = self.told("latency").values()
        data = body["data"]
        self.assertEqual((data["rule"], data["percentile"], data["over_seconds"]), ("slow", 95, 1))
        self.assert_is_as_its_schema_says(body, daemon)
        self.assertGreaterEqual(data["transactions"], 20)
        self.assertGreater(data["took_seconds"], 1)
        slowest = data["slowest"][0]
        truth = self.chain.ask(f"/transactions/{slowest['tx_hash']}")["heights"]
        if not slowest["waits"]:
            self.assertAlmostEqual(slowest["took_seconds"], 0.6 * (truth["completed"] - truth["included"]), 2)


if __name__ == "__main__":
    support.main()
