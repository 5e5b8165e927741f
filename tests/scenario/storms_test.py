"""Thousands of alerts stay bearable, and none of them is lost: silences, groups, caps."""

import json
import random
import signal

import alertmanager
import support
from database_proxy import MOMENTS, Proxy, first_there
from handed_in import final_hash, key_of, nonce_of
from receiver import Receiver, endpoint, secret_file
from signer import Signed, call

ALERTS = support.count_of("storms", 300)
TPS = 40 if ALERTS < 1_000 else 100
RELOADS = support.count_of("reloads", 20)
# As a minute is to 5,000 alerts.
DIGEST_AFTER = max(1, ALERTS // 500)


# What a daemon commits when it puts deliveries into groups, and when the receiver has answered.
KINDS = (("claimed AS (UPDATE deliveries",), ("WITH recorded AS (UPDATE deliveries",))


class Storms(support.Scenario):
    def setUp(self):
        super().setUp()
        self.receiver = self.new_receiver()
        self.chain = self.sandbox("--block-time-ms", 50, "--traffic", "failures", "--tps", TPS, "--seed", 3,
                                  "--genesis-time", "now", command="run")
        self.configure("")

    def new_receiver(self):
        receiver = Receiver()
        self.addCleanup(receiver.stop)
        return receiver

    def configure(self, keys, more="", database=None):
        """Its endpoint "ops" has these keys, too."""
        genesis = self.chain.rpc("block", {"sync_checkpoint": "genesis"})["header"]["height"]
        extra = endpoint("ops", self.receiver.url, secret_file(self.folder)) + keys + more
        self.settings = self.config(self.chain, source="neardata", start=genesis + 1, network="sandbox", extra=extra,
                                    database=database)
        return self.settings

    def bodies(self, kind):
        """The messages of a type that came, by id."""
        with self.receiver.lock:
            came = {alert: json.loads(body) for alert, _, body in self.receiver.requests}
        return {alert: body for alert, body in came.items() if body["type"].startswith(kind)}

    def count(self, condition):
        return int(self.value(f"SELECT count(*) FROM deliveries WHERE {condition}"))

    def grouping(self):
        return f'group = ["rule"]\ndigest_after = "{DIGEST_AFTER}s"\nresolve_after = "{3 * DIGEST_AFTER}s"\n'

    def storm(self, name):
        """Until there are alerts enough for the endpoint of that name."""
        support.wait_until("there are alerts enough", lambda: self.value("SELECT to_regclass('deliveries')") and
                           self.count(f"endpoint = '{name}'") >= ALERTS, deadline=600)
        self.chain.ask("/pause", {})

    def assert_is_over(self):
        # Dead daemons keep the leases of their deliveries for half a minute; nobody needs to wait for that.
        self.query("UPDATE deliveries SET next_attempt_at = now() WHERE lease_owner IS NOT NULL")
        support.wait_until("the storm is over", lambda: self.count("state = 'pending'") == 0 and
                           self.value("SELECT count(*) FROM alert_groups WHERE ended_at IS NULL") == "0")


class Silenced(Storms):
    def silences(self, *arguments, expect=0):
        return self.receiptd("silences", *arguments, "--config", self.settings, expect=expect)

    def test_what_a_silence_matches_is_kept_until_it_ends_and_can_be_sent_by_hand(self):
        self.receiptd("migrate", "--config", self.settings)
        made, _ = self.silences("add", "--rule", "every-*", "--for", "1h", "--reason", "a planned storm", "--by", "eve")
        self.assertRegex(made, r"1 active, .* by eve: a planned storm")
        self.start("run", "--config", self.settings)
        support.wait_until("some are silenced", lambda: self.count("state = 'silenced' AND silence_id = 1") > 5)
        self.assertEqual(self.receiver.count(), 0)
        one = self.value("SELECT alert_id FROM deliveries WHERE state = 'silenced' LIMIT 1")
        self.receiptd("alerts", "resend", one, "--config", self.settings)
        support.wait_until("it comes", lambda: self.receiver.count() > 0)
        self.assertEqual(list(self.receiver.accepted), [one])
        self.assertIn("ended by adam", self.silences("end", 1, "--by", "adam")[0])
        support.wait_until("what fails now is told", lambda: self.receiver.count() > 5)
        self.assertEqual(self.count("state = 'silenced' AND alert_id IN (SELECT alert_id FROM alerts WHERE created_at > "
                                    "(SELECT ends_at FROM silences))"), 0)
        self.assertEqual(self.silences("list")[0], "no silence\n")
        self.assertEqual(json.loads(self.silences("list", "--all", "--json")[0])[0]["matcher"], {"rule": ["every-*"]})

    def test_what_is_wrong_with_one_is_said(self):
        self.receiptd("migrate", "--config", self.settings)
        reason = ["--reason", "r", "--by", "eve"]
        for wrong, why in ((["--for", "1h"], "needs at least one of account"),
                           (["--rule", "a"], "--for or --until"),
                           (["--rule", "a", "--for", "soon"], "--for must be a duration"),
                           (["--rule", "a", "--until", "monday"], "must be times"),
                           (["--rule", "a", "--until", "2020-01-01T00:00:00Z"], "must end after its start"),
                           (["--kind", "failed_reciept", "--for", "1h"], 'did you mean "failed_receipt"?')):
            self.assertIn(why, self.silences("add", *wrong, *reason, expect=2)[1])
        self.assertIn("there is no silence 7", self.silences("end", 7, "--by", "eve", expect=1)[1])


class Grouped(Storms):
    def setUp(self):
        super().setUp()
        self.plain = self.new_receiver()
        self.grouped()

    def grouped(self, database=None):
        return self.configure(self.grouping(), endpoint("plain", self.plain.url, secret_file(self.folder)), database)

    def assert_all_counted(self):
        self.assert_is_over()
        alerts = self.count("endpoint = 'ops' AND alert_id NOT LIKE 'group-%'")
        self.assertGreaterEqual(alerts, ALERTS)
        notices = self.bodies("group.")
        single = {alert: body for alert, body in self.bodies("").items() if alert not in notices}
        self.assertTrue(all("group_id" in body for body in single.values()))
        self.assertEqual(len(single) + sum(body["data"]["untold"] for body in notices.values()), alerts)
        # A group that is quiet for a moment ends, and the next alert opens another one: how many they are depends on the machine.
        groups = int(self.value("SELECT count(*) FROM alert_groups"))
        self.assertLessEqual(len(single) + len(notices), 4 + 6 * groups)
        self.assertLess(len(single) + len(notices), alerts / 5)
        self.assertEqual(set(self.plain.accepted), {row[0] for row in self.query(
            "SELECT alert_id FROM deliveries WHERE endpoint = 'plain'")})
        self.assertEqual(self.count("endpoint = 'plain' AND state <> 'delivered'"), 0)
        return notices

    def test_a_storm_is_a_few_messages_that_count_it_and_plain_endpoints_get_each(self):
        daemon = self.start("run", "--config", self.settings)
        self.storm("plain")
        notices = self.assert_all_counted()
        last = max(notices.values(), key=lambda body: body["data"]["count"])
        group = last["data"]["group_id"]
        listed = json.loads(self.page(daemon, f"/v1/alerts?group={group}&state=grouped&limit=1000")[1])["alerts"]
        self.assertGreater(len(listed), 0)
        one = listed[0]["alert_id"]
        self.receiptd("alerts", "resend", one, "--endpoint", "ops", "--config", self.settings)
        support.wait_until("one of it is sent by itself", lambda: one in self.receiver.accepted)

    def test_counts_stay_exact_when_two_daemons_share_a_storm_and_die_in_it(self):
        chance = random.Random(5)
        proxies = [Proxy(self.database) for _ in range(2)]
        for proxy in proxies:
            self.addCleanup(proxy.stop)
        configs = [self.grouped(proxy.url) for proxy in proxies]
        daemons = [self.start("run", "--config", config) for config in configs]
        for number in range(4):
            known = self.receiver.count() + self.plain.count()
            support.wait_until("something is sent", lambda: self.receiver.count() + self.plain.count() > known)
            victim = first_there(proxies, chance.randint(1, 3), MOMENTS[number % 3], KINDS[number // 2])
            proxies[victim].kill(daemons[victim])
            daemons[victim] = self.start("run", "--config", configs[victim])
        self.storm("plain")
        self.assert_all_counted()
        for daemon in daemons:
            daemon.send_signal(signal.SIGTERM)
            self.assertEqual(support.ended(daemon), 0, daemon.log()[-4000:])


@alertmanager.needed
class IntoAlertmanager(Storms):
    def test_a_storm_is_few_alerts_that_go_when_it_is_over(self):
        real = alertmanager.Alertmanager(self.folder)
        self.addCleanup(real.stop)
        self.configure("", real.endpoint("am", self.grouping()))
        self.start("run", "--config", self.settings)
        self.storm("am")
        support.wait_until("a group is shown", real.alerts)
        self.assert_is_over()
        support.wait_until("nothing is shown any more", lambda: not real.alerts())
        self.assertLess(real.counted("alertmanager_alerts_received_total"), ALERTS / 10)
        self.assertEqual(real.counted("alertmanager_alerts_invalid_total"), 0)
        self.assertEqual(self.count("endpoint = 'am' AND state NOT IN ('delivered', 'grouped')"), 0)


class Reloaded(Storms):
    def reloads(self, daemon):
        return daemon.log().count('reloaded key="endpoint.expire_after')

    def test_reloads_in_a_storm_lose_no_alert_and_send_none_again(self):
        """Rules, their lists and the schedule of the endpoint change with each."""
        daemon = self.start("run", "--config", self.settings)
        few = self.folder / "few.list"
        few.write_text("a.sandbox\n")
        plain = self.settings.read_text()
        changed = plain.replace("allow_private = true\n", 'allow_private = true\nexpire_after = "3h"\n') + \
            f'[[list]]\nname = "few"\nfile = "{few}"\n[[rule]]\nname = "few"\nkind = "finding"\nreceiver = "@few"\n'
        for number in range(RELOADS):
            known, done = self.receiver.count(), self.reloads(daemon)
            support.wait_until("something is sent", lambda: self.receiver.count() > known)
            self.settings.write_text(plain if number % 2 else changed)
            daemon.send_signal(signal.SIGHUP)
            support.wait_until("it has reloaded", lambda: self.reloads(daemon) > done)
        self.chain.ask("/pause", {})
        tip = self.chain.rpc("block", {"finality": "final"})["header"]["height"]
        support.wait_until("all is stored", lambda: self.value("SELECT max(block_height) FROM blocks") == str(tip))
        support.wait_until("all is delivered", lambda: self.count("state <> 'delivered'") == 0)
        alerts = {row[0] for row in self.query("SELECT alert_id FROM alerts")}
        self.assertGreater(len(alerts), RELOADS)
        self.assertEqual(self.receiver.attempts, dict.fromkeys(alerts, 1))


class Invented(support.Scenario):
    """A stranger chooses the names of what fails."""

    EACH = 25  # more than the groups that a rule may open in an hour

    def test_names_of_what_does_not_exist_open_one_group_each_kind(self):
        receiver = Receiver()
        self.addCleanup(receiver.stop)
        chain = self.sandbox("--block-time-ms", 0, "--genesis-time", "now", command="run")
        key = key_of(chain, "alice.sandbox")
        nonce, block_hash = nonce_of(chain, "alice.sandbox", key), final_hash(chain)
        extra = endpoint("ops", receiver.url, secret_file(self.folder)) + \
            'group = ["rule", "receiver", "method", "error_class"]\n'
        self.start("run", "--config", self.config(chain, source="neardata", start=chain.ask("/status")["genesis_height"] + 1,
                                                  network="sandbox", patience="60s", extra=extra))
        for n in range(1, self.EACH + 1):
            for transaction in (Signed(key, "alice.sandbox", "bob.sandbox", nonce + 2 * n - 1, block_hash, 0,
                                       action=call(f"invented-{n}", b"{}", 10**13)),
                                Signed(key, "alice.sandbox", f"invented-{n}.sandbox", nonce + 2 * n, block_hash, 1)):
                chain.rpc("broadcast_tx_async", [transaction.base64])
        chain.ask("/advance", {"blocks": 20})
        counted = lambda: self.value("SELECT coalesce(sum(members), 0) FROM alert_groups") == str(2 * self.EACH)
        support.wait_until("all alerts are counted", lambda: counted() or chain.ask("/advance", {"blocks": 1}) is None)
        self.assertEqual(self.value("SELECT count(*) FROM alert_groups"), "2", self.query("SELECT key FROM alert_groups"))
        sent = lambda: len([body for _, _, body in receiver.requests if '"type":"finding.' in body])
        support.wait_until("the first of each group is sent", lambda: sent() >= 2)
        self.assertEqual(self.value("SELECT count(*) FROM deliveries WHERE state IN ('pending', 'delivered')"), "2")
        self.assertEqual(sent(), 2)


class Capped(Storms):
    def test_what_is_above_the_limit_is_withheld_and_said(self):
        self.configure("most_per_hour = 5\n")
        self.start("run", "--config", self.settings)
        support.wait_until("some are withheld", lambda: self.value("SELECT to_regclass('endpoint_load')") and
                           self.count("state = 'withheld'") > 5)
        support.wait_until("it is said", lambda: self.bodies("endpoint.withheld"))
        self.assertEqual(next(iter(self.bodies("endpoint.withheld").values()))["data"]["withheld"], None)
        self.assertLessEqual(len(self.bodies("finding.")), 10, "two hours of the clock at most")
        self.chain.ask("/pause", {})
        self.query("UPDATE endpoint_load SET hour = hour - interval '1 hour'")
        support.wait_until("it is said how many", lambda: len(self.bodies("endpoint.withheld")) > 1)
        told = [body["data"]["withheld"] for body in self.bodies("endpoint.withheld").values()]
        self.assertGreater(max(filter(None, told)), 5)


if __name__ == "__main__":
    support.main()
