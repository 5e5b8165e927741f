"""/openapi.json on a living chain: what the daemon answers is what the document promises."""

import contextlib
import json
import re

import progress
import support
from receiver import Receiver, endpoint, secret_file
from schemas import faults
from signer import Key, Signed, b58encode

TOKEN = "the-token-of-the-document"
NOBODY = "4XXtr7JrXpYrTj9RnVsbyyw1NDeaMzcQuyWKFRBPNaEh"


class OpenApi(support.Scenario):
    def setUp(self):
        super().setUp()
        receiver = Receiver(failing=0.5)
        self.addCleanup(receiver.stop)
        keys = self.folder / "keys.json"
        self.chain = self.sandbox("--block-time-ms", 50, "--traffic", "mixed", "--tps", 80, "--seed", 5, "--genesis-time", "now",
                                  "--keys-out", keys, command="run")
        self.keys = {each["account"]: Key(each["secret_key"]) for each in json.loads(keys.read_text())}
        start = self.chain.rpc("block", {"sync_checkpoint": "genesis"})["header"]["height"] + 1
        token = self.folder / "token"
        token.write_text(TOKEN)
        token.chmod(0o600)
        extra = (f'token_file = "{token}"\n[[watch]]\nname = "everything"\nsigner = "*"\n'
                 + endpoint("ops", receiver.url, secret_file(self.folder)) + '[[list]]\nname = "ours"\n')
        self.daemon = self.start("run", "--config", self.config(self.chain, network="sandbox", start=start, extra=extra))
        self.document = json.loads(self.page(self.daemon, "/openapi.json")[1])
        self.address = re.search(r"listen=(\S+)", self.daemon.log())[1]
        self.answered = set()  # (method, path as the document writes it, status)

    def promised(self, method, path, status):
        """The description of an answer; ours where it is told by reference."""
        answers = self.document["paths"][path][method.lower()]["responses"]
        answer = answers.get(str(status)) or answers["default"]
        return self.document["components"]["responses"]["Problem"] if "$ref" in answer else answer

    def ask(self, method, path, status, *, body=None, token=TOKEN, query="", name=None, toml=None):
        """Asks for `path`, whose {…} is `name`, and wants this status and an answer as it is promised."""
        headers = {"Authorization": "Bearer " + token} if token else {}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if toml is not None:
            headers["Content-Type"] = "application/toml"
        connection = progress.Connection(self.address)
        connection.request(method, re.sub(r"{.*}", name or "", path) + query, toml or body and json.dumps(body), headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        self.assertEqual(answer.status, status, text)
        self.answered.add((method, path, status))
        content = self.promised(method, path, status).get("content", {})
        told = answer.getheader("Content-Type")
        if not content:
            return self.assertEqual(text, "")
        self.assertIn(told, content, f"{method} {path}")
        schema = content[told]["schema"]
        if schema == {"type": "string"}:
            return text
        self.validate(json.loads(text), schema, f"{method} {path}{query}")
        return json.loads(text)

    def validate(self, value, schema, what):
        self.assertEqual(faults(value, {**schema, "components": self.document["components"]}), [], what)

    def test_every_answer_is_as_it_is_promised(self):
        support.wait_until("there is something of everything", lambda: int(self.value(
            "SELECT count(DISTINCT verdict) FROM transaction_results")) == 5 and self.value(
            "SELECT count(DISTINCT state) FROM deliveries") != "0")
        for path in ("/livez", "/readyz", "/metrics", "/openapi.json", "/v1/status", "/", "/findings", "/watches", "/alerts",
                     "/silences", "/docs", "/contracts", "/v1/findings", "/v1/watches", "/v1/alerts", "/v1/gaps", "/v1/backfills",
                     "/v1/endpoints", "/v1/rules", "/v1/lists", "/v1/schemas", "/v1/silences"):
            self.ask("GET", path, 200)
        for file in ("style.css", "script.js", "icon.svg"):
            self.ask("GET", "/assets/{file}", 200, name=file)
        self.ask("GET", "/v1/schemas/{type}", 200, name="finding.failed_receipt")
        self.ask("GET", "/v1/schemas/{type}", 404, name="finding")
        self.transactions()
        self.lists()
        self.writes()
        self.stream()
        every = {(method.upper(), path) for path, item in self.document["paths"].items() for method in item}
        self.assertEqual({(method, path) for method, path, status in self.answered if status < 400}, every)

    def transactions(self):
        ids = self.query("SELECT DISTINCT ON (verdict, effect) tx_hash FROM transaction_results UNION "
                         "SELECT tx_hash FROM open_watches LIMIT 60")
        for tx_hash, in ids:
            self.ask("GET", "/v1/transactions/{hash}", 200, name=tx_hash)
        self.ask("GET", "/v1/transactions/{hash}/tree.svg", 200, name=tx_hash, query="?download=true")
        self.ask("GET", "/v1/transactions/{hash}/trace.json", 200, name=tx_hash, query="?download=true")
        self.ask("GET", "/tx/{hash}", 200, name=tx_hash)
        self.ask("GET", "/v1/search", 200, query="?q=" + tx_hash)
        self.ask("GET", "/v1/search", 200, query="?q=" + NOBODY)
        self.ask("GET", "/search", 303, query="?q=" + tx_hash)
        self.ask("GET", "/search", 404, query="?q=nothing")
        self.ask("GET", "/v1/search", 400, query="?q=nothing")
        self.ask("GET", "/v1/transactions/{hash}", 404, name=NOBODY)
        self.ask("GET", "/v1/transactions/{hash}", 400, name=NOBODY, query="?sender=NO")
        self.ask("GET", "/v1/transactions/{hash}", 401, name=NOBODY, query="?sender=alice.sandbox", token=None)
        self.ask("GET", "/tx/{hash}", 404, name=NOBODY)

    def lists(self):
        for kind in self.document["components"]["schemas"]["FindingKind"]["enum"]:
            self.ask("GET", "/v1/findings", 200, query="?kind=" + kind)
        for verdict in self.document["components"]["schemas"]["Verdict"]["enum"]:
            self.ask("GET", "/v1/watches", 200, query="?verdict=" + verdict)
        for state in self.document["components"]["schemas"]["DeliveryState"]["enum"]:
            self.ask("GET", "/v1/alerts", 200, query="?state=" + state)
        kinds = self.query("SELECT DISTINCT ON (kind) alert_id FROM alerts")
        for alert_id, in kinds:
            self.ask("GET", "/v1/alerts/{alert_id}", 200, name=alert_id)
        self.ask("GET", "/v1/alerts/{alert_id}", 404, name="none")
        account = self.value("SELECT signer_id FROM transaction_results WHERE verdict = 'callback_failed' LIMIT 1")
        for role in ("user", "signer", "receiver"):
            self.ask("GET", "/v1/transactions", 200, query=f"?account_id={account}&role={role}")
        self.ask("GET", "/v1/transactions", 422)
        self.ask("GET", "/v1/findings", 422, query="?effect=refunded")
        for verdict in self.document["components"]["schemas"]["Verdict"]["enum"]:
            self.ask("GET", "/v1/transactions", 200, query=f"?account_id={account}&verdict={verdict}")
        self.ask("GET", "/account/{name}", 200, name=account)
        self.ask("GET", "/account/{name}", 404, name="NO")
        for path in ("/v1/findings", "/v1/watches", "/v1/alerts", "/v1/gaps", "/v1/backfills"):
            self.ask("GET", path, 200, query="?format=csv")
        for path in ("/v1/findings", "/v1/watches", "/v1/alerts"):
            self.ask("GET", path, 200, query="?limit=1")
            self.ask("GET", path, 400, query="?limit=0")

    def writes(self):
        watch = {"tx_hash": NOBODY, "sender_id": "alice.sandbox"}
        self.ask("POST", "/v1/watches", 401, body=watch, token=None)
        self.ask("POST", "/v1/watches", 201, body=watch)
        self.ask("POST", "/v1/watches", 200, body=watch)
        self.ask("POST", "/v1/watches", 409, body={**watch, "sender_id": "bob.sandbox"})
        self.ask("POST", "/v1/watches", 200, body=[watch, {**watch, "tx_hash": "no"}])
        self.ask("POST", "/v1/watches", 400, body={})
        self.ask("GET", "/v1/watches/{hash}", 200, name=NOBODY)
        self.ask("DELETE", "/v1/watches/{hash}", 204, name=NOBODY)
        self.ask("DELETE", "/v1/watches/{hash}", 404, name=NOBODY)
        self.ask("GET", "/v1/watches/{hash}", 404, name=NOBODY)
        self.ask("POST", "/v1/alerts/resend", 200, body={"state": "dead"})
        self.ask("POST", "/v1/alerts/resend", 200, body={"since": "2026-01-01T00:00:00Z", "dry_run": True})
        self.ask("POST", "/v1/alerts/resend", 400, body={})
        for action in ("test", "enable"):
            self.ask("POST", "/v1/endpoints/{name}/" + action, 200, name="ops")
            self.ask("POST", "/v1/endpoints/{name}/" + action, 404, name="none")
            self.ask("POST", "/v1/endpoints/{name}/" + action, 401, name="ops", token=None)
        self.ask("PUT", "/v1/lists/{list}/{account}", 204, name="ours/alice.sandbox")
        self.ask("GET", "/v1/lists/{list}", 200, name="ours")
        self.ask("DELETE", "/v1/lists/{list}/{account}", 204, name="ours/alice.sandbox")
        self.ask("DELETE", "/v1/lists/{list}/{account}", 404, name="none/alice.sandbox")
        self.ask("PUT", "/v1/lists/{list}/{account}", 401, name="ours/alice.sandbox", token=None)
        self.rules()
        self.silences()
        self.submissions()

    def rules(self):
        self.ask("POST", "/v1/rules/check", 200, toml='[[rule]]\nname = "a"\nkind = "finding"\n')
        faulty = self.ask("POST", "/v1/rules/check", 200, toml='[[rule]]\nname = "a"\nkind = "fnding"\n')
        self.assertEqual([(fault["line"], fault["severity"]) for fault in faulty["faults"]], [(3, "error")])
        self.ask("POST", "/v1/rules/check", 415, body={})
        self.ask("POST", "/v1/rules/check", 401, toml="#", token=None)
        heights = {"from": int(self.value("SELECT min(block_height) FROM blocks")),
                   "to": int(self.value("SELECT max(block_height) FROM blocks"))}
        told = self.ask("POST", "/v1/rules/test", 200, body=heights)
        self.assertTrue(told["alerts"])
        self.ask("POST", "/v1/rules/test", 200, body={**heights, "rule": "default"})
        self.ask("POST", "/v1/rules/test", 404, body={**heights, "rule": "none"})
        self.ask("POST", "/v1/rules/test", 400, body={**heights, "from": heights["to"] + 1})
        self.ask("POST", "/v1/rules/test", 401, body=heights, token=None)

    def silences(self):
        silence = {"matcher": {"contract": "nobody.*", "kind": ["stuck"]}, "reason": "test", "author": "me", "for": "1h"}
        made = self.ask("POST", "/v1/silences", 201, body=silence)
        self.ask("POST", "/v1/silences", 400, body={**silence, "matcher": {}})
        self.ask("POST", "/v1/silences", 401, body=silence, token=None)
        self.ask("GET", "/v1/silences", 200)
        self.ask("DELETE", "/v1/silences/{silence_id}", 200, name=str(made["silence_id"]), query="?by=me")
        self.ask("DELETE", "/v1/silences/{silence_id}", 404, name="999")
        self.ask("GET", "/v1/silences", 200, query="?all=true")

    def submissions(self):
        public = "ed25519:" + b58encode(self.keys["alice.sandbox"].public)
        key = self.chain.rpc("query", {"request_type": "view_access_key", "finality": "optimistic",
                                       "account_id": "alice.sandbox", "public_key": public})
        # The traffic may use the next nonces itself.
        transfer = lambda further, **how: Signed(self.keys["alice.sandbox"], "alice.sandbox", "bob.sandbox",
                                                 key["nonce"] + 10_000 + further, key["block_hash"], 1, **how).base64
        body = {"signed_tx_base64": transfer(0), "idempotency_key": "once", "metadata": {"order": 7}}
        self.ask("POST", "/v1/transactions", 202, body=body)
        self.ask("POST", "/v1/transactions", 200, body=body)
        self.ask("POST", "/v1/transactions", 409, body={**body, "metadata": {"order": 8}})
        self.ask("POST", "/v1/transactions", 400, body={**body, "metadata": []})
        tx_hash = self.value("SELECT tx_hash FROM watches WHERE metadata IS NOT NULL")
        told = self.ask("GET", "/v1/transactions/{hash}", 200, name=tx_hash)
        self.assertEqual((told["idempotency_key"], told["metadata"]), ("once", {"order": 7}))
        self.ask("POST", "/v1/transactions", 409, body={**body, "signed_tx_base64": transfer(1)})
        self.ask("POST", "/v1/transactions", 422, body={"signed_tx_base64": transfer(2, damage=True)})
        self.ask("POST", "/v1/transactions", 400, body={"signed_tx_base64": "AAAA"})

    @contextlib.contextmanager
    def connected(self, path):
        connection = progress.Connection(self.address)
        with contextlib.closing(connection):
            connection.request("GET", path)
            with connection.getresponse() as answer:
                yield answer

    def stream(self):
        with self.connected("/v1/stream?after=0") as answer:
            self.assertIn(answer.getheader("Content-Type"), self.promised("GET", "/v1/stream", 200)["content"])
            kinds, event = set(), {}
            for line in answer:
                name, _, value = line.decode().rstrip("\n").partition(": ")
                event[name] = value
                if name != "data":
                    continue
                kinds.add(event["event"])
                schema = {"transition": "TransitionEvent", "finding": "FindingEvent"}[event["event"]]
                self.validate(json.loads(value), {"$ref": "#/components/schemas/" + schema}, value)
                if len(kinds) == 2:
                    break
        self.answered.add(("GET", "/v1/stream", 200))
        self.ask("GET", "/v1/stream", 409, query="?after=999999999999")


if __name__ == "__main__":
    support.main()
