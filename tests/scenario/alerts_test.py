"""Every finding reaches whoever is to be told, whatever fails and dies meanwhile; history wakes nobody."""

import base64
import collections
import json
import random
import re
import signal

import support
from database_proxy import MOMENTS, Proxy
from receiver import SECRET, Receiver, endpoint, secret_file, signed
from truth import told_ids

KILLS = support.count_of("kills", 6)
# What a daemon commits when it has found something, when it takes deliveries, and when the receiver has answered.
KINDS = (("WITH recorded AS (UPDATE deliveries",), ("claimed AS (UPDATE deliveries",), ("COPY findings",))
OTHER = base64.b64encode(bytes([8]) * 32).decode()


class Alerts(support.Scenario):
    def receiver(self, **how):
        made = Receiver(**how)
        self.addCleanup(made.stop)
        return made

    def chain_of_failures(self, *arguments):
        return self.sandbox("--block-time-ms", 50, "--traffic", "failures", "--tps", 40, "--seed", 3, *arguments,
                            command="run")

    def with_endpoint(self, chain, url, *, allow_private=True, database=None):
        self.secret_file = secret_file(self.folder)
        self.genesis = chain.rpc("block", {"sync_checkpoint": "genesis"})["header"]["height"]
        extra = 'public_url = "https://receiptd.example.org"\n' + endpoint("ops", url, self.secret_file, allow_private)
        return self.config(chain, source="neardata", start=self.genesis + 1, network="sandbox", patience="60s",
                           follow="batch_blocks = 2\n", extra=extra, database=database)

    def column(self, query):
        return {row[0] for row in self.query(query)}

    def deliveries(self, config, *arguments):
        text, _ = self.receiptd("alerts", "list", "--config", config, "--json", "--limit", 100000, *arguments)
        return json.loads(text)

    def final_height(self, chain):
        return chain.rpc("block", {"finality": "final"})["header"]["height"]


class Told(Alerts):
    def kill_at_steps(self, config, proxy):
        """Before a commit that notes an answer the receiver has had the alert, and the daemon dies before it could note that."""
        chance = random.Random(1)
        for number in range(KILLS):
            proxy.step(chance.randint(1, 3), MOMENTS[(number + number // 3) % 3], KINDS[number % 3])
            daemon = self.start("run", "--config", config)
            proxy.wait(daemon)
            self.kill(daemon)
            proxy.cut_off()
            self.assertEqual(daemon.returncode, -signal.SIGKILL, daemon.log())

    def test_every_finding_arrives_through_refusals_resets_and_kills(self):
        receiver = self.receiver(failing=0.3)
        chain = self.chain_of_failures("--genesis-time", "now")
        proxy = Proxy(self.database)
        self.addCleanup(proxy.stop)
        config = self.with_endpoint(chain, receiver.url, database=proxy.url)
        self.kill_at_steps(config, proxy)
        self.assertGreater(receiver.count(), 0, "some were sent before the kills")
        support.wait_until("there is enough to tell",
                           lambda: len(self.true_findings(chain, self.final_height(chain))) > 50)
        last = self.final_height(chain)
        # Dead daemons keep the leases of their deliveries for half a minute; nobody needs to wait for that.
        held = [row["alert_id"] for row in self.deliveries(config, "--state", "pending")]
        if held:
            self.receiptd("alerts", "resend", "--config", config, *held)
        daemon = self.start("run", "--config", config)
        # Trees that a kill has cut in two are judged some blocks later: the chain lives on.
        true = self.true_findings(chain, last)
        support.wait_until("all that is true is told", lambda: not true - set(receiver.accepted))
        chain.ask("/pause", {})
        tip = self.final_height(chain)
        support.wait_until("all is stored", lambda: self.value(
            f"SELECT int8range({self.genesis + 1}, {tip}, '[]') <@ heights FROM coverage") == "t")
        support.wait_until("all is delivered", lambda: self.value(
            "SELECT count(*) FROM deliveries WHERE state <> 'delivered'") == "0")
        status, ready = self.page(daemon, "/readyz")
        self.assertIn("alerts", json.loads(ready), status)
        daemon.send_signal(signal.SIGTERM)
        self.assertEqual(support.ended(daemon), 0, daemon.log())
        self.assertGreater(len(true), 50)
        self.assert_all_told(receiver)
        self.assert_repeats_are_the_same(receiver)
        self.assert_verdicts_are_the_last(receiver)

    def assert_verdicts_are_the_last(self, receiver):
        """Told while refunds are under way, and never to be taken back."""
        last = dict(self.query("SELECT tx_hash, verdict FROM transaction_results"))
        stated = collections.Counter()
        for _, _, body in receiver.requests:
            data = json.loads(body)["data"]
            if data["verdict"] and data["tx_hash"] in last:
                self.assertEqual(data["verdict"], last[data["tx_hash"]], body)
                stated[data["verdict"]] += 1
            self.assertEqual(data["links"]["api"], "https://receiptd.example.org/v1/transactions/" + data["tx_hash"])
        for verdict in ("failed", "callback_failed"):
            self.assertGreater(stated[verdict], 0, stated)

    def true_findings(self, chain, last):
        truth = chain.ask(f"/truth?from={self.genesis}&to={last}")
        settled = [t for t in truth if t["heights"]["refunded"] and t["heights"]["refunded"] <= last]
        return told_ids(settled)

    def assert_all_told(self, receiver):
        found = self.column("SELECT finding_id FROM findings WHERE expected IS NOT TRUE")
        self.assertEqual(self.column("SELECT alert_id FROM alerts"), found)
        self.assertEqual(set(receiver.accepted), self.column("SELECT alert_id FROM deliveries "
                                                             "WHERE state = 'delivered'"))

    def assert_repeats_are_the_same(self, receiver):
        bodies = collections.defaultdict(set)
        for alert, headers, body in receiver.requests:
            bodies[alert].add(body)
            self.assertTrue(signed(headers, body, SECRET), headers)
            self.assertEqual(json.loads(body)["data"]["finding"]["finding_id"], alert)
        self.assertEqual([alert for alert, sent in bodies.items() if len(sent) > 1], [])
        repeated = [alert for alert, times in receiver.attempts.items() if times > 1]
        self.assertGreater(len(repeated), len(bodies) // 10)

    def test_a_daemon_without_the_endpoint_silences_nothing(self):
        receiver = self.receiver()
        chain = self.chain_of_failures("--genesis-time", "now")
        config = self.with_endpoint(chain, receiver.url)
        self.start("run", "--config", config)
        support.wait_until("it tells something", lambda: receiver.count() > 0)
        without = config.with_name("without.toml")
        without.write_text(config.read_text().partition("public_url")[0])
        second = self.start("run", "--config", without)
        self.assertEqual(self.page(second, "/livez")[0], 200)
        known = int(self.value("SELECT count(*) FROM alerts"))
        support.wait_until("both have found more", lambda: int(self.value("SELECT count(*) FROM alerts")) > known + 20)
        self.assertEqual(self.column("SELECT alert_id FROM alerts EXCEPT SELECT alert_id FROM deliveries "
                                     "WHERE endpoint = 'ops'"), set())

    def test_a_new_secret_is_taken_over_by_sighup(self):
        receiver = self.receiver()
        config = self.with_endpoint(self.chain_of_failures("--genesis-time", "now"), receiver.url)
        daemon = self.start("run", "--config", config)
        support.wait_until("it tells something", lambda: receiver.count() > 0)
        self.secret_file.write_text("whsec_" + OTHER)
        daemon.send_signal(signal.SIGHUP)
        support.wait_until("it signs with the new one",
                           lambda: signed(*receiver.requests[-1][1:], OTHER) if receiver.requests else False)
        self.assertNotIn(OTHER, daemon.log())
        self.assertNotIn(SECRET, daemon.log())


class Verified(Alerts):
    def verify(self, body, headers, secret, *more, expect=0):
        given = [part for name, value in headers.items() for part in ("--header", f"{name}: {value}")]
        return self.receiptd("verify-webhook", "--secret-file", secret, *given, *more, expect=expect, stdin=body)

    def test_what_was_sent_is_verified_and_nothing_else(self):
        receiver = self.receiver()
        config = self.with_endpoint(self.chain_of_failures("--genesis-time", "now"), receiver.url)
        self.start("run", "--config", config)
        support.wait_until("it tells something", lambda: receiver.count() > 0)
        _, headers, body = receiver.requests[0]
        self.assertEqual(self.verify(body, headers, self.secret_file), (json.loads(body)["type"] + "\n", ""))
        self.assertEqual(json.loads(self.verify(body, headers, self.secret_file, "--json")[0]),
                         {"verified": True, "type": json.loads(body)["type"], "because": None})
        changed, error = self.verify(body + " ", headers, self.secret_file, "--json", expect=1)
        self.assertIn("no signature matches", json.loads(changed)["because"])
        self.assertEqual((json.loads(changed)["verified"], error), (False, ""))
        whole = self.folder / "headers.txt"
        whole.write_text("POST /hook HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers.items()))
        self.assertTrue(self.verify(body, {}, self.secret_file, "--headers", whole)[0].startswith("finding."))
        for changed, why in ((body + "\n", "without the line break"), (body.replace("finding", "Finding", 1), "no signature matches")):
            self.assertIn(why, self.verify(changed, headers, self.secret_file, expect=1)[1])
        self.assertIn("missing header: webhook-id, webhook-timestamp", self.verify(body, {}, self.secret_file, expect=1)[1])
        late = {**headers, "webhook-timestamp": "1700000000"}
        self.assertIn("seconds old", self.verify(body, late, self.secret_file, expect=1)[1])
        self.assertIn("no signature matches", self.verify(body, late, self.secret_file, "--any-age", expect=1)[1])
        other = self.folder / "other.secret"
        other.write_text("whsec_" + OTHER)
        out, error = self.verify(body, headers, other, expect=1)
        self.assertIn("no signature matches", error)
        self.assertNotIn(OTHER, out + error)
        other.write_text("no-secret-at-all")
        out, error = self.verify(body, headers, other, expect=2)
        self.assertNotIn("no-secret-at-all", out + error)
        self.receiptd("verify-webhook", expect=2)


class NotTold(Alerts):
    def test_a_private_address_is_refused_and_the_list_says_why(self):
        receiver = self.receiver()
        config = self.with_endpoint(self.chain_of_failures("--genesis-time", "now"), receiver.url,
                                    allow_private=False)
        daemon = self.start("run", "--config", config)
        support.wait_until("an attempt has failed", lambda: self.value("SELECT to_regclass('deliveries')") and
                           self.value("SELECT count(*) FROM deliveries WHERE attempts > 0") != "0")
        tried = [row for row in self.deliveries(config, "--state", "pending") if row["attempts"] > 0]
        self.assertIn("address refused: 127.0.0.1 is loopback", tried[0]["last_error"])
        self.assertIsNone(tried[0]["last_status"])
        table, _ = self.receiptd("alerts", "list", "--config", config, "--limit", 10000)
        self.assertRegex(table, r"(?m)^pending +ops +1 .*failed_receipt:\w+ .*is loopback")
        self.assertEqual(receiver.count(), 0)
        self.kill(daemon)

    def test_history_makes_no_alerts(self):
        receiver = self.receiver()
        chain = self.chain_of_failures()  # its first block is of January 2026
        config = self.with_endpoint(chain, receiver.url)
        support.wait_until("there is some history", lambda: self.final_height(chain) >= self.genesis + 40)
        self.receiptd("run", "--config", config, "--until", self.genesis + 40)
        self.assertNotEqual(self.value("SELECT count(*) FROM findings"), "0")
        self.assertEqual(self.value("SELECT count(*) FROM alerts"), "0")
        self.assertEqual(receiver.count(), 0)


class Endpoints(Alerts):
    def test_one_is_listed_tried_out_and_switched_on(self):
        receiver = self.receiver()
        config = self.with_endpoint(self.sandbox("--block-time-ms", 0, command="run"), receiver.url)
        out, _ = self.receiptd("endpoints", "test", "ops", "--config", config)
        self.assertRegex(out, r"^ops answered 204 in \d+ ms\n$")
        receiver.says = "thanks\n\x1b[31mgot it"
        out, _ = self.receiptd("endpoints", "test", "ops", "--config", config)
        self.assertRegex(out, r"^ops answered 200 in \d+ ms\n    it said: thanks \ufffd\[31mgot it\n$")
        alert, headers, body = receiver.requests[0]
        self.assertTrue(alert.startswith("test:"), alert)
        self.assertTrue(signed(headers, body, SECRET))
        self.assertEqual(json.loads(body)["type"], "test")
        receiver.stop()
        said = json.loads(self.receiptd("endpoints", "test", "ops", "--json", "--config", config, expect=1)[0])
        self.assertFalse(said["accepted"])
        self.assertNotIn("/hook", json.dumps(said))
        self.receiptd("endpoints", "test", "lab", "--config", config, expect=2)
        support.sql(self.database, "INSERT INTO endpoints (name, active) VALUES ('ops', false); "
                                   "INSERT INTO endpoint_rules VALUES ('payments', 'ops')")
        listed, _ = self.receiptd("endpoints", "list", "--config", config)
        self.assertRegex(listed, r"^ops: switched off since .*410 Gone; 0 pending, 0 dead\n    takes payments\n    served at ")
        self.assertEqual(self.receiptd("endpoints", "enable", "ops", "--config", config)[0], "ops is switched on\n")
        self.assertEqual(self.receiptd("endpoints", "enable", "ops", "--config", config)[0], "ops is switched on, as it was\n")
        self.assertIsNone(json.loads(self.receiptd("endpoints", "list", "--json", "--config", config)[0])[0]["off_because"])
        self.receiptd("endpoints", "enable", "lab", "--config", config, expect=1)
        self.assertEqual(self.receiptd("endpoints", "pause", "ops", "--config", config)[0],
                         "ops is paused: its deliveries wait until `receiptd endpoints resume`\n")
        self.assertRegex(self.receiptd("endpoints", "list", "--config", config)[0], "^ops: paused since .*; 0 pending")
        self.assertEqual(self.receiptd("endpoints", "resume", "ops", "--config", config)[0], "ops is not paused\n")


class Command(Alerts):
    def setUp(self):
        super().setUp()
        self.chain = self.sandbox("--block-time-ms", 0, command="run")
        self.settings = self.with_endpoint(self.chain, "http://127.0.0.1:9/none")

    def alerts(self, *arguments, expect=0):
        return self.receiptd("alerts", *arguments, "--config", self.settings, expect=expect)

    def test_a_database_without_a_schema_is_said(self):
        self.empty_database = True
        self.settings = self.with_endpoint(self.chain, "http://127.0.0.1:9/none", database=self.make_database())
        _, error = self.alerts("list", expect=1)
        self.assertIn("run `receiptd migrate`", error)

    def test_lists_and_sends_anew(self):
        self.assertEqual(self.alerts("list", "--state", "dead")[0], "no dead deliveries\n")
        support.sql(self.database, "INSERT INTO alerts (alert_id, kind) SELECT 'stuck:' || n, 'stuck' "
                                   "FROM generate_series(1, 60) n; INSERT INTO deliveries (alert_id, endpoint, state) "
                                   "SELECT alert_id, 'ops', 'dead' FROM alerts; "
                                   "UPDATE deliveries SET endpoint = 'old' WHERE alert_id = 'stuck:7'")
        first, more = self.alerts("list")
        older = re.fullmatch("there are older ones: --cursor '(.*)'\n", more)[1]
        rest, _ = self.alerts("list", "--cursor", older)
        shown = [line for line in (first + rest).splitlines() if not line.startswith("STATE")]
        self.assertEqual(len(set(shown)), 60)
        self.assertEqual(len(self.deliveries(self.settings, "--endpoint", "ops")), 59)
        self.assertEqual(len(self.deliveries(self.settings, "--since", "2026-01-01T00:00:00Z")), 60)
        self.assertEqual(len(self.deliveries(self.settings, "--until", "2026-01-01T00:00:00Z")), 0)
        self.assertEqual(self.alerts("resend", "stuck:1", "stuck:2")[0], "2 deliveries are due now\n")
        self.assertEqual(self.alerts("resend", "--state", "dead", "--endpoint", "ops")[0], "57 deliveries are due now\n")
        self.assertEqual(self.value("SELECT count(*) FROM deliveries WHERE state = 'pending'"), "59")

    def test_ranges_are_counted_before_they_are_sent_anew(self):
        support.sql(self.database, "INSERT INTO alerts (alert_id, kind) SELECT 'stuck:' || n, 'stuck' "
                                   "FROM generate_series(1, 5) n; INSERT INTO deliveries (alert_id, endpoint, state, rules) "
                                   "SELECT alert_id, 'ops', 'delivered', '{late@2}' FROM alerts")
        since = ["resend", "--since", "2026-01-01T00:00:00Z"]
        self.assertEqual(self.alerts(*since, "--dry-run")[0], "5 deliveries would be due now\n")
        _, error = self.alerts("resend", "--rule", "late", expect=2)
        self.assertEqual(error, "5 deliveries would be sent again, also those that have arrived: add --yes\n")
        self.assertEqual(self.value("SELECT count(*) FROM deliveries WHERE state = 'pending'"), "0")
        self.assertEqual(self.alerts(*since, "--until", "2026-01-02T00:00:00Z", "--yes")[0], "0 deliveries are due now\n")
        self.assertEqual(self.alerts(*since, "--rule", "late", "--yes")[0], "5 deliveries are due now\n")
        self.assertIn("add --yes", self.alerts("resend", "--state", "delivered", expect=2)[1])
        _, error = self.alerts("resend", "--since", "monday", expect=2)
        self.assertEqual(error, "--since must be a time such as 2026-01-31T12:00:00Z\n")

    def test_shows_an_alert(self):
        support.sql(self.database, "INSERT INTO alerts (alert_id, kind, cause, payload) VALUES ('completed:T', 'completed', "
                                   """'{"stage": "completed"}', '{"type": "transaction.completed", "data": {"summary": "T is done"}}'); """
                                   "INSERT INTO deliveries (alert_id, endpoint, state, attempts, last_error, rules) "
                                   "VALUES ('completed:T', 'ops', 'dead', 10, 'HTTP 500', '{payouts@3}')")
        text, _ = self.alerts("show", "completed:T")
        for told in ("T is done", "dead", "HTTP 500", "ops gets it by payouts@3", '"stage": "completed"', "transaction.completed"):
            self.assertIn(told, text)
        shown = json.loads(self.alerts("show", "completed:T", "--json")[0])
        self.assertEqual(shown["deliveries"][0]["rules"], ["payouts@3"])
        self.assertEqual(shown["payload"]["type"], "transaction.completed")
        self.assertIn('there is no alert "none"', self.alerts("show", "none", expect=1)[1])

    def test_says_what_it_cannot_do(self):
        out, error = self.alerts("resend", "stuck:none", expect=1)
        self.assertEqual((out, error), ("0 deliveries are due now\n",
                                        'no delivery of "stuck:none" to a configured endpoint\n'))
        _, error = self.alerts("resend", "--state", "dead", "--endpoint", "lab", expect=2)
        self.assertEqual(error, 'no endpoint "lab" is configured: there are: ops\n')
        for wrong in (["resend"], ["resend", "--state", "dead", "stuck:1"], ["list", "--state", "lost"], ["list", "--limit", 0],
                      []):
            _, error = self.alerts(*wrong, expect=2)
            self.assertTrue(re.search(r"required|excludes|not in|range", error), f"{wrong}: {error}")


if __name__ == "__main__":
    support.main()
