"""Incidents of an on-call service are opened before they are closed, and none stays open, while the service refuses one answer
in three and the daemon is killed. ./dev sweep incidents has more of them."""

import collections
import json

import services
import support
from receiver import EVERY_FINDING

GROUPS = support.count_of("incidents", 30)
KILLS = max(2, GROUPS // 500)
# Thirty attempts: all fail once in 10^14 messages.
DELIVERY = ('allow_private = true\nconnect_timeout = "1s"\nanswer_timeout = "1s"\nmost_groups_per_hour = 0\ndigest_after = "2s"\n'
            'resolve_after = "5s"\nretry = [' + ", ".join(['"300ms"'] * 29) + ']\n'
            f'rules = ["{EVERY_FINDING}"]\n')


class Unreliable(services.Services):
    """One answer in three is 500, and every other one of these messages is taken all the same."""

    def __init__(self):
        self.asked = 0
        super().__init__()
        self.server.handle_error = lambda *_: None  # a daemon that is killed leaves its requests

    def take(self, path, headers, body):
        with self.lock:
            self.asked += 1
            number = self.asked
        if number % 6 == 0:
            return 500, ""
        answer = super().take(path, headers, body)
        return answer if number % 3 else (500, "")


def pagerduty(event):
    return event["dedup_key"], event["event_action"] == "resolve"


def alertmanager(alerts):
    return alerts[0]["labels"]["group"], "endsAt" in alerts[0]


class Incidents(support.Scenario):
    def setUp(self):
        super().setUp()
        self.services = Unreliable()
        self.addCleanup(self.services.stop)
        key = self.folder / "key"
        key.write_text(services.ROUTING_KEY)
        key.chmod(0o600)
        origin = self.services.origin
        extra = (f'[[endpoint]]\nname = "pagerduty"\nchannel = "pagerduty"\nurl = "{origin}/v2/enqueue"\nrouting_key_file = "{key}"\n'
                 + DELIVERY + f'[[endpoint]]\nname = "alertmanager"\nchannel = "alertmanager"\nurl = "{origin}"\n' + DELIVERY)
        chain = self.sandbox("--block-time-ms", 0, command="run")
        self.settings = self.config(chain, source="neardata", network="sandbox", extra=extra)
        self.receiptd("migrate", "--config", self.settings)

    def queue(self):
        """Two alerts of each group, for each endpoint."""
        body = json.dumps({"type": "finding.failed_receipt", "timestamp": "2026-03-01T12:00:00Z", "schema_version": 1,
                           "network": "sandbox", "data": {"summary": "it failed", "links": {}}})
        support.sql(self.database, f"""
            INSERT INTO alerts (alert_id, kind, contract_id, error_class, payload)
            SELECT 'failed_receipt:' || n || ':' || i, 'failed_receipt', 'c' || n || '.near', 'contract_panic', '{body}'
            FROM generate_series(1, {GROUPS}) n, generate_series(1, 2) i;
            INSERT INTO deliveries (alert_id, endpoint)
            SELECT alert_id, endpoint FROM alerts, unnest(ARRAY['pagerduty', 'alertmanager']) AS endpoint""")

    def start_and_kill(self):
        for number in range(KILLS):
            daemon = self.start("run", "--config", self.settings)
            enough = self.services.asked + GROUPS * 4 // (KILLS + 1)
            support.wait_until("some are sent", lambda: self.services.faults or self.services.asked > enough
                               or self.value("SELECT count(*) FROM deliveries WHERE state = 'pending'") == "0")
            self.kill(daemon)
        return self.start("run", "--config", self.settings)

    def test_are_opened_and_then_closed(self):
        self.queue()
        daemon = self.start_and_kill()
        support.wait_until("all are over", lambda: self.services.faults or (
            self.value("SELECT bool_and(ended_at IS NOT NULL) FROM alert_groups") == "t"
            and self.value("SELECT count(*) FROM deliveries WHERE state = 'pending'") == "0"), deadline=900)
        self.assertEqual(self.services.faults, [], daemon.log()[-4000:])
        for name, read in (("pagerduty", pagerduty), ("alertmanager", alertmanager)):
            with self.subTest(name):
                story = collections.defaultdict(list)
                for message in self.services.taken[name]:
                    group, is_over = read(message)
                    story[group].append(is_over)
                # Where the second alert comes after the end, on a slow machine, it opens a group of its own.
                groups = int(self.value(f"SELECT count(*) FROM alert_groups WHERE endpoint = '{name}'"))
                self.assertEqual(len(story), groups)
                self.assertGreaterEqual(groups, GROUPS)
                wrong = {group: told for group, told in story.items() if told != sorted(told) or told[0] or not told[-1]}
                self.assertEqual(wrong, {}, "each is opened, then closed, and not opened again")
                print(json.dumps({"service": name, "groups": groups, "kills": KILLS, "messages": len(self.services.taken[name])}))
        self.assertEqual(self.value("SELECT count(*) FROM deliveries WHERE state = 'dead'"), "0")


if __name__ == "__main__":
    support.main()
