"""Each service gets messages of its own form, in which text of the chain is text; secrets of services stand nowhere."""

import email
import email.policy
import json
import pathlib
import re
import signal
import subprocess
import unittest

import alertmanager
import services
import support
from receiver import EVERY_FINDING

HOSTILE = ("@everyone <!channel> [x](http://evil.example) https://evil.example <a href='x'>y</a> *bold* `code` ``` ||s|| "
           "\r\nBcc: a@evil.example ")
SYSTEM_PYTHON = "/usr/bin/python3"  # of Debian, for which python3-aiosmtpd is
SERVICES = ("slack", "pagerduty", "discord", "telegram", "alertmanager")


def body(kind, data, **more):
    return json.dumps({"type": kind, "timestamp": "2026-03-01T12:00:00Z", "schema_version": 1, "network": "sandbox",
                       "data": {"links": {"page": "https://receiptd.example.org/tx/F8X"}, **data}, **more})


def about(error_text):
    return {"summary": "failed: " + error_text, "contract_id": "app.near", "method_name": "swap",
            "error_class": "contract_panic", "error_text": error_text, "tx_hash": "F8X"}


class Channels(support.Scenario):
    def setUp(self):
        super().setUp()
        self.services = services.Services()
        self.addCleanup(self.services.stop)

    def secret(self, name, value):
        path = self.folder / name
        path.write_text(value)
        path.chmod(0o600)
        return f'"{path}"'

    def sections(self, origin=None):
        """The section of an endpoint for each service, named as it."""
        origin = origin or self.services.origin
        keys = {
            "slack": f'url_file = {self.secret("slack", f"{origin}/services/{services.HOOK}")}',
            "pagerduty": f'url = "{origin}/v2/enqueue"\nrouting_key_file = {self.secret("key", services.ROUTING_KEY)}',
            "discord": f'url_file = {self.secret("discord", f"{origin}/api/webhooks/{services.DISCORD}")}',
            "telegram": f'url = "{origin}"\ntoken_file = {self.secret("token", services.TOKEN)}\nchat_id = "-1001"',
            "alertmanager": f'url = "{origin}"',
        }
        return "".join(f'[[endpoint]]\nname = "{name}"\nchannel = "{name}"\nrules = ["{EVERY_FINDING}"]\n'
                       f'allow_private = true\n{more}\n' for name, more in keys.items())

    def write(self, chain, extra):
        return self.config(chain, source="neardata", network="sandbox", extra=extra)

    def queue(self, alert, text, endpoints=SERVICES):
        """An alert whose body is made already, of a kind that is never grouped; 64 kB stand where it says LONG."""
        quoted = text.replace("'", "''")
        names = "', '".join(endpoints)
        support.sql(self.database, f"INSERT INTO alerts (alert_id, kind, payload) VALUES "
                                   f"('{alert}', 'corrected', replace('{quoted}', 'LONG', repeat('🔥', 16384)));"
                                   "INSERT INTO deliveries (alert_id, endpoint) "
                                   f"SELECT '{alert}', unnest(ARRAY['{names}'])")

    def delivered(self, alert):
        return self.value(f"SELECT count(*) FROM deliveries WHERE alert_id = '{alert}' AND state <> 'delivered'") == "0"

    def assert_in_no_table(self, secrets):
        for [table] in self.query("SELECT quote_ident(table_name) FROM information_schema.tables "
                                  "WHERE table_schema = 'public' AND table_type = 'BASE TABLE'"):
            self.assert_not_in(secrets, table, str(self.query(f"SELECT t::text FROM {table} t")))

    def assert_not_in(self, secrets, place, text):
        for secret in secrets:
            self.assertNotIn(secret, text, place)

    def quiet_chain(self):
        return self.sandbox("--block-time-ms", 0, command="run")


class Text(Channels):
    def test_what_a_contract_says_arrives_as_text(self):
        config = self.write(self.quiet_chain(), self.sections())
        self.receiptd("migrate", "--config", config)
        self.queue("long", body("finding.failed_receipt", about(HOSTILE + "LONG"), rules=["on-call@1"]))
        self.queue("short", body("finding.failed_receipt", about(HOSTILE), rules=["on-call@1"]))
        self.start("run", "--config", config)
        support.wait_until("all have both", lambda: self.services.faults or
                           all(self.services.count(name) == 2 for name in SERVICES))
        self.assertEqual(self.services.faults, [])
        texts = {name: json.dumps(self.services.taken[name], ensure_ascii=False) for name in SERVICES}
        for name, text in texts.items():
            links = set(re.findall(r"https?://[\w./]+", text))
            self.assertEqual(links, {"https://receiptd.example.org/tx/F8X"}, name)
            self.assertIn("everyone", text, name)
        for called in ("@everyone", "<!channel>"):  # receivers of Alertmanager put it into other services
            self.assertNotIn(called, texts["alertmanager"])
        self.assertNotIn("<!channel>", texts["slack"])
        for message in self.services.taken["discord"]:
            self.assertEqual(message["content"].count("```"), 2, message)

    def test_groups_trigger_and_resolve(self):
        config = self.write(self.quiet_chain(), self.sections())
        self.receiptd("migrate", "--config", config)
        group = {"group_id": 1, "contract_id": "app.near", "count": 5, "untold": 4, "first_at": "2026-03-01T12:00:00Z",
                 "alert_ids": ["a", "b"]}
        self.queue("digest", body("group.digest", group, group_name="group-1"))
        daemon = self.start("run", "--config", config)
        support.wait_until("the digest is told", lambda: self.services.faults or self.delivered("digest"))
        self.queue("over", body("group.resolved", group | {"ended_at": "2026-03-01T12:30:00Z"}, group_name="group-1"))
        support.wait_until("the end is told", lambda: self.services.faults or self.delivered("over"))
        self.assertEqual(self.services.faults, [], daemon.log())
        first, last = self.services.taken["pagerduty"]
        self.assertEqual([first["event_action"], last["event_action"]], ["trigger", "resolve"])
        self.assertEqual({first["dedup_key"], last["dedup_key"]}, {"group-1"})
        [[first], [last]] = self.services.taken["alertmanager"]
        self.assertEqual(first["labels"], last["labels"])
        self.assertEqual((first.get("endsAt"), last["endsAt"]), (None, "2026-03-01T12:30:00Z"))


class Order(Channels):
    def test_an_incident_is_opened_before_it_is_closed(self):
        section = (f'[[endpoint]]\nname = "pagerduty"\nchannel = "pagerduty"\nurl = "{self.services.origin}/v2/enqueue"\n'
                   f'routing_key_file = {self.secret("key", services.ROUTING_KEY)}\nallow_private = true\n'
                   f'rules = ["{EVERY_FINDING}"]\nretry = ["1s", "1s", "1h"]\nresolve_after = "1s"\n')
        config = self.write(self.quiet_chain(), section)
        self.receiptd("migrate", "--config", config)
        self.services.refusing = {"pagerduty"}
        daemon = self.start("run", "--config", config)
        text = body("finding.failed_receipt", about("no such pool")).replace("'", "''")
        support.sql(self.database, "INSERT INTO alerts (alert_id, kind, contract_id, error_class, payload) VALUES "
                                   f"('failed_receipt:R', 'failed_receipt', 'app.near', 'contract_panic', '{text}');"
                                   "INSERT INTO deliveries (alert_id, endpoint) VALUES ('failed_receipt:R', 'pagerduty')")
        support.wait_until("the group is over, and looked at", lambda: self.value(
            "SELECT EXISTS (SELECT FROM alert_groups WHERE last_member_at < now() - interval '1 second' "
            "AND due_at > last_member_at + interval '5 seconds')") == "t")
        support.wait_until("the next attempt is far away", lambda: self.value(
            "SELECT next_attempt_at > now() + interval '10 minutes' FROM deliveries") == "t")
        self.assertEqual(self.value("SELECT count(*) FROM alerts"), "1", "the end waits")
        self.services.refusing = set()
        self.receiptd("alerts", "resend", "failed_receipt:R", "--config", config)
        support.wait_until("both arrive", lambda: self.services.faults or self.services.count("pagerduty") == 2)
        self.assertEqual(self.services.faults, [], daemon.log())
        first, last = self.services.taken["pagerduty"]
        self.assertEqual([first["event_action"], last["event_action"]], ["trigger", "resolve"])
        self.assertRegex(first["dedup_key"], "^group-[0-9a-f]{32}$")
        self.assertEqual(first["dedup_key"], last["dedup_key"])


class Secrets(Channels):
    SECRETS = (services.HOOK, services.DISCORD, services.TOKEN.split(":")[1], services.ROUTING_KEY)

    def assert_none_in(self, place, text):
        self.assert_not_in(self.SECRETS, place, text)

    def test_stand_in_no_table_log_metric_list_or_error(self):
        self.services.refusing = {"slack", "telegram", "pagerduty"}
        chain = self.sandbox("--block-time-ms", 50, "--traffic", "failures", "--tps", 20, "--seed", 3,
                             "--genesis-time", "now", command="run")
        config = self.write(chain, self.sections() + '[log]\nlevel = "debug"\n')
        daemon = self.start("run", "--config", config)
        support.wait_until("some are told, and some are refused", lambda: self.services.faults or
                           self.services.count("discord") and
                           self.value("SELECT to_regclass('deliveries')") and
                           self.value("SELECT count(DISTINCT endpoint) FROM deliveries WHERE last_status = 500") == "3")
        self.assertEqual(self.services.faults, [])
        # Nobody listens there, and a reload says what has changed.
        (self.folder / "slack").write_text(f"http://127.0.0.1:9/services/{services.HOOK}")
        (self.folder / "token").write_text(services.TOKEN + "x")
        daemon.send_signal(signal.SIGHUP)
        support.wait_until("it was reloaded", lambda: "endpoint.url (slack)" in daemon.log())
        listed, _ = self.receiptd("alerts", "list", "--config", config, "--json", "--limit", 10_000)
        self.receiptd("alerts", "resend", "--config", config,
                      *{row["alert_id"] for row in json.loads(listed) if row["endpoint"] == "slack"})
        support.wait_until("nobody answers", lambda: self.value(
            "SELECT count(*) FROM deliveries WHERE endpoint = 'slack' AND last_error LIKE '%127.0.0.1:9%'") != "0")
        for page in ("/metrics", "/v1/status", "/readyz", "/v1/alerts", "/v1/rules", "/alerts", "/health", "/"):
            self.assert_none_in(page, self.page(daemon, page)[1])
        for command in (("alerts", "list"), ("rules", "list"), ("check-config",)):
            self.assert_none_in(command, "".join(self.receiptd(*command, "--config", config, expect=None)))
        self.assert_in_no_table(self.SECRETS)
        self.assert_none_in("log", daemon.log())

    def test_stand_in_no_problem_of_the_configuration(self):
        config = self.write(self.quiet_chain(), self.sections())
        for name, wrong in (("slack", services.HOOK), ("discord", f"ftp://x/{services.DISCORD}"),
                            ("token", services.TOKEN.split(":")[1]), ("key", services.ROUTING_KEY + "x")):
            (self.folder / name).write_text(wrong)
        out, error = self.receiptd("check-config", "--config", config, expect=None)
        self.assertEqual(len(re.findall(r"endpoint\.\w+_file", error)), 4, error)
        self.assert_none_in("check-config", out + error)


def has_aiosmtpd():
    return subprocess.run([SYSTEM_PYTHON, "-c", "import aiosmtpd"], capture_output=True).returncode == 0


@unittest.skipUnless(has_aiosmtpd(), "python3-aiosmtpd is not installed")
class Mail(Channels):
    PASSWORD = "MailPasswordSecret"

    def mail_server(self, *certificate_and_key):
        """Its port; what it has taken goes to self.mails."""
        self.mails = self.folder / "mails.jsonl"
        script = pathlib.Path(__file__).with_name("mail_server.py")
        process = subprocess.Popen([SYSTEM_PYTHON, script, self.mails, "robot", self.PASSWORD, *certificate_and_key],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(self.kill, process)
        return int(process.stdout.readline())

    def taken(self):
        return [json.loads(line) for line in self.mails.read_text().splitlines()] if self.mails.exists() else []

    def certificate(self, name):
        """Files of one that vouches for itself, and of its key."""
        files = self.folder / f"{name}.pem", self.folder / f"{name}.key"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-out", files[0], "-keyout", files[1], "-subj", "/CN=localhost",
                        "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
        return files

    def section(self, name, port, to):
        return (f'[[endpoint]]\nname = "{name}"\nchannel = "email"\nurl = "smtp://127.0.0.1:{port}"\n'
                f'from = "receiptd@example.org"\nto = {json.dumps(to)}\nuser = "robot"\nallow_private = true\n'
                f'password_file = {self.secret("password", self.PASSWORD)}\nrules = ["{EVERY_FINDING}"]\n')

    def test_a_mail_arrives_as_text_after_the_login(self):
        port = self.mail_server()
        config = self.write(self.quiet_chain(), self.section("team", port, ["a@example.org", "b@example.org"]) +
                            self.section("refused", port, ["c@example.org", "d@example.net"]))
        self.receiptd("migrate", "--config", config)
        self.queue("a:1", body("finding.failed_receipt", about(HOSTILE), rules=["on-call@1"]), ["team", "refused"])
        daemon = self.start("run", "--config", config)
        support.wait_until("one is taken, and one refused", lambda: self.value(
            "SELECT count(*) FROM deliveries WHERE attempts > 0") == "2")
        [envelope] = self.taken()
        self.assertEqual((envelope["from"], envelope["to"]),
                         ("receiptd@example.org", ["a@example.org", "b@example.org"]))
        mail = email.message_from_string(envelope["text"], policy=email.policy.default)
        self.assertEqual(mail.defects, [])
        self.assertEqual(mail["Bcc"], None)
        self.assertEqual(mail.get_content_type(), "text/plain")
        self.assertEqual(mail["Message-ID"], "<a-1@example.org>")
        self.assertIn("@everyone <!channel> [x](http:\u2060//evil.example)", mail["Subject"])
        self.assertIn("https://receiptd.example.org/tx/F8X", mail.get_content())
        self.assertIn("*bold* `code`", mail.get_content())
        [[state, error]] = self.query("SELECT state, last_error FROM deliveries WHERE endpoint = 'refused'")
        self.assertEqual(state, "pending")
        self.assertIn("SMTP 550", error)
        out, _ = self.receiptd("endpoints", "test", "team", "--config", config)
        self.assertIn("team answered 250", out)
        self.assert_in_no_table([self.PASSWORD])
        self.assert_not_in([self.PASSWORD], "log", daemon.log())

    def test_starttls_comes_before_the_login_and_only_trusted_servers_get_it(self):
        own, other = self.certificate("own"), self.certificate("other")
        port = self.mail_server(*own)
        sections = (self.section("team", port, ["a@example.org"]) + f'ca_file = "{own[0]}"\n' +
                    self.section("wary", port, ["b@example.org"]) + f'ca_file = "{other[0]}"\n')
        config = self.write(self.quiet_chain(), sections)
        self.receiptd("migrate", "--config", config)
        self.queue("a:1", body("finding.failed_receipt", about("no"), rules=["on-call@1"]), ["team", "wary"])
        self.start("run", "--config", config)
        support.wait_until("both were tried", lambda: self.value(
            "SELECT count(*) FROM deliveries WHERE attempts > 0") == "2")
        [envelope] = self.taken()
        self.assertEqual((envelope["to"], envelope["tls"]), (["a@example.org"], True))
        [[state, error]] = self.query("SELECT state, last_error FROM deliveries WHERE endpoint = 'wary'")
        self.assertEqual(state, "pending")
        self.assertIn("certificate", error)
        (self.folder / "gone.toml").write_text(config.read_text().replace(str(other[0]), "/none/ca.pem"))
        _, problems = self.receiptd("check-config", "--config", self.folder / "gone.toml", expect=None)
        self.assertIn('endpoint.ca_file: "/none/ca.pem" cannot be read', problems)


@alertmanager.needed
class RealAlertmanager(Channels):
    def test_shows_a_group_and_resolves_it(self):
        real = alertmanager.Alertmanager(self.folder)
        self.addCleanup(real.stop)
        config = self.write(self.quiet_chain(), real.endpoint("am"))
        self.receiptd("migrate", "--config", config)
        now = self.value("""SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')""")
        group = {"group_id": 1, "contract_id": "app.near", "error_class": "contract_panic", "count": 5, "first_at": now}
        self.queue("digest", body("group.digest", group | {"summary": HOSTILE}, rules=["on-call@1"], group_name="group-1"),
                   ["am"])
        self.queue("single", body("finding.failed_receipt", about(HOSTILE), rules=["on-call@1"]), ["am"])
        self.start("run", "--config", config)
        support.wait_until("it shows both", lambda: len(real.alerts()) == 2)
        shown = {alert["labels"]["group"]: alert for alert in real.alerts()}
        self.assertEqual(shown["group-1"]["labels"], {"alertname": "on-call", "network": "sandbox", "contract_id": "app.near",
                                                 "error_class": "contract_panic", "group": "group-1"})
        self.assertIn("everyone", shown["single"]["annotations"]["summary"])
        self.assertEqual(shown["group-1"]["status"]["state"], "active")
        self.queue("over", body("group.resolved", group | {"ended_at": now}, rules=["on-call@1"], group_name="group-1"),
                   ["am"])
        support.wait_until("it is resolved", lambda: [a["labels"]["group"] for a in real.alerts()] == ["single"])


if __name__ == "__main__":
    support.main()
