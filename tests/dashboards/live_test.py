"""Every query of the dashboards and every rule, on a Prometheus that scrapes a daemon at work and on its database.

A query may find nothing, but it names only metrics, labels and values that the daemon has, and columns that the
database gives to receiptd_readonly.
"""

import base64
import http.server
import json
import pathlib
import re
import secrets
import subprocess
import sys
import threading
import urllib.error
import urllib.parse
import urllib.request

import boards
import grafana
import promql

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "scenario"))
import support  # noqa: E402

RANGE = 120  # seconds that a panel shows


class Receiver(http.server.BaseHTTPRequestHandler):
    """Takes what is posted to /take and wants no more of anything at /gone."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(410 if self.path == "/gone" else 204)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Prometheus:
    """On a free loopback port, with the project's own rules, faster than in life."""

    def __init__(self, folder, target):
        text = (boards.PROMETHEUS / "prometheus.yml").read_text()
        for wanted, put in (("127.0.0.1:9464", target), ("15s", "1s"), ("- rules.yml", f"- {boards.PROMETHEUS}/rules.yml")):
            assert wanted in text, wanted
            text = text.replace(wanted, put)
        config = folder / "prometheus.yml"
        config.write_text(text)
        self.log = open(folder / "prometheus.log", "w+")
        self.process = subprocess.Popen(
            ["prometheus", f"--config.file={config}", f"--storage.tsdb.path={folder / 'prometheus'}",
             "--web.listen-address=127.0.0.1:0"],
            cwd=folder, stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT)
        self.address = support.wait_until("Prometheus listens", self._address)
        support.wait_until("Prometheus is ready", self._ready)

    def _text(self):
        self.log.flush()
        return pathlib.Path(self.log.name).read_text()

    def _address(self):
        assert self.process.poll() is None, "Prometheus ended: " + self._text()
        found = re.search(r'msg="Listening on" address=(\S+)', self._text())
        return found and found[1]

    def _ready(self):
        try:
            with urllib.request.urlopen(f"http://{self.address}/-/ready") as answer:
                return answer.status == 200
        except (urllib.error.URLError, ConnectionError):
            return False

    def ask(self, path, **parameters):
        """The data of an answer, or its error as text."""
        query = urllib.parse.urlencode(parameters, doseq=True)
        try:
            with urllib.request.urlopen(f"http://{self.address}/api/v1/{path}?{query}") as answer:
                told = json.load(answer)
                return told["data"] if not told.get("warnings") else "; ".join(told["warnings"])
        except urllib.error.HTTPError as refused:
            return json.load(refused)["error"]

    def exposed(self):
        """{metric: {label: {values}}} of all that was scraped."""
        found = {}
        for series in self.ask("series", **{"match[]": '{job="receiptd"}'}):
            labels = found.setdefault(series.pop("__name__"), {})
            for label, value in series.items():
                labels.setdefault(label, set()).add(value)
        return found

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.log.close()


class LiveDashboards(support.Scenario):
    block_time_ms, transactions_a_second = 200, 30

    def setUp(self):
        super().setUp()
        self.boards = [boards.load(path) for path in boards.files()]
        self.chain = self.sandbox("--block-time-ms", self.block_time_ms, "--traffic", "failures", "--tps", self.transactions_a_second,
                                  "--genesis-time", "now", command="run")
        self.chain.ask("/faults", {"faults": [{"fault": "429", "share": 0.05}, {"fault": "500", "share": 0.05}]})
        self.daemon = self.start("run", "--config", self.config(self.chain, network="sandbox", patience="60s",
                                                                start='"head"', extra=self.endpoints() + self.watches()))
        self.page(self.daemon, "/livez")
        target = re.search(r"listen=(\S+)", self.daemon.log())[1]
        self.prometheus = Prometheus(self.folder, target)
        self.addCleanup(self.prometheus.stop)

    def endpoints(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        secret = self.folder / "webhook.secret"
        secret.write_text("whsec_" + base64.b64encode(secrets.token_bytes(24)).decode())
        secret.chmod(0o600)
        return "".join(f'[[endpoint]]\nname = "{name}"\nurl = "http://127.0.0.1:{server.server_port}/{name}"\n'
                       f'secret_file = "{secret}"\nallow_private = true\n' for name in ("take", "gone"))

    def watches(self):
        return '[[watch]]\nname = "everything"\nsigner = "*"\n'

    def reader(self):
        """As the README tells: a login of its own in receiptd_readonly."""
        support.wait_until("the roles are made", lambda: support.sql(
            self.database, "SELECT 1 FROM pg_roles WHERE rolname = 'receiptd_readonly' AND to_regclass('blocks') IS NOT NULL"))
        name, password = "grafana_" + secrets.token_hex(6), secrets.token_hex(12)
        support.sql(self.maintenance, f"CREATE ROLE {name} LOGIN PASSWORD '{password}' IN ROLE receiptd_readonly")
        self.addCleanup(support.sql, self.maintenance, f"DROP ROLE {name}")
        return re.sub(r"^(\w+)://[^@/]*@", rf"\1://{name}:{password}@", self.database)

    def shown(self):
        now = float(support.value(self.database, "SELECT extract(epoch FROM now())"))
        return grafana.Shown(now - RANGE, now + RANGE, least=1, rate=10)

    def expressions(self):
        """(where, PromQL, whether it must find something)"""
        shown = self.shown()
        for board in self.boards:
            for panel, target in boards.targets(board, "prometheus"):
                expression = shown.promql(target["expr"], panel)
                filtered = any(label not in ("instance", "job") for selector in promql.asked(expression).selectors
                               for label, *_ in selector.matchers)
                yield f"{board['uid']}: {panel['title']} {target['refId']}", expression, not filtered
            for each in board["annotations"]["list"]:
                if "expr" in each:
                    yield f"{board['uid']}: annotation {each['name']}", shown.promql(each["expr"]), True
        for group in self.prometheus.ask("rules")["groups"]:
            for rule in group["rules"]:
                yield rule["name"], rule["query"], False

    def test_every_expression_names_what_the_daemon_exposes_and_finds_it(self):
        asked = list(self.expressions())
        self.assertGreater(len(asked), 40)

        def problems():
            exposed = self.prometheus.exposed()
            return [(where, missing) for where, expression, _ in asked for missing in promql.missing(expression, exposed)]

        def unanswered():
            return [(where, expression) for where, expression, must in asked
                    if not self.answer(expression) and must]

        self.comes_to_nothing(problems)
        self.comes_to_nothing(unanswered)
        self.check_variables()
        self.check_rules()
        linted = subprocess.run(["promtool", "check", "metrics"], input=self.page(self.daemon, "/metrics")[1], capture_output=True, text=True)
        self.assertEqual((linted.returncode, linted.stdout + linted.stderr), (0, ""))

    def answer(self, expression):
        now = self.prometheus.ask("query", query="time()")["result"][0]
        shown = self.prometheus.ask("query_range", query=expression, start=float(now) - RANGE, end=now, step=1)
        self.assertNotIsInstance(shown, str, f"{expression}: {shown}")
        return shown["result"]

    def comes_to_nothing(self, what):
        left = []

        def nothing_left():
            left[:] = what()
            return not left

        try:
            support.wait_until("nothing is left", nothing_left)
        except AssertionError:
            self.fail("\n".join(map(str, left)) + "\n" + self.daemon.log()[-2000:])

    def check_variables(self):
        for board in self.boards:
            for variable in boards.variables(board).values():
                if variable["type"] == "query" and variable["datasource"]["type"] == "prometheus":
                    metric, label = re.fullmatch(r"label_values\((\w+), (\w+)\)", variable["query"]["query"]).groups()
                    self.assertTrue(self.prometheus.ask(f"label/{label}/values", **{"match[]": metric}), variable["name"])

    def check_rules(self):
        """Prometheus evaluates them all, and tells of what is true here: alerts that an endpoint wants no more of."""
        def told():
            rules = [rule for group in self.prometheus.ask("rules")["groups"] for rule in group["rules"]]
            self.assertEqual([(rule["name"], rule["lastError"]) for rule in rules if rule.get("lastError")], [])
            states = {rule["name"]: rule.get("state") for rule in rules if rule["health"] == "ok"}
            return states if len(states) == len(rules) and states["ReceiptdDeadLetters"] == "firing" else None

        states = support.wait_until("every rule was evaluated and the dead letters are told", told)
        for healthy in ("ReceiptdDown", "ReceiptdDatabaseDown", "ReceiptdBrokenChain", "ReceiptdUpstreamRefuses"):
            self.assertEqual(states[healthy], "inactive")

    def test_every_question_about_time_is_answered_to_a_reader(self):
        """What a daemon stores is found; questions_test.py asks all questions of rows that tests make."""
        reader = self.reader()
        for title in ("Causes", "Hidden failures", "Newest failures", "Failures over time", "How they end", "Newest transactions", "Endpoints"):
            question, panel = next((target["rawSql"], panel) for board in self.boards
                                   for panel, target in boards.targets(board, "postgres") if panel["title"] == title)
            with self.subTest(title):
                support.wait_until(f"{title} shows something", lambda: support.sql(reader, self.shown().sql(question, panel)))
        with self.assertRaisesRegex(AssertionError, "permission denied"):
            support.sql(reader, "DELETE FROM findings")


if __name__ == "__main__":
    support.main()
