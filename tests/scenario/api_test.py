"""The HTTP API on a living chain: what it answers is what is stored, the stream loses nothing, and only who may writes."""

import contextlib
import http.client
import json
import re
import signal
import threading
import time
import urllib.parse
import xml.etree.ElementTree

import support
from database_proxy import Proxy
from progress import Connection
from truth import finding_ids

TOKEN, OTHER = "the-token-of-the-scenario", "another-token-of-the-scenario"
BLOCK_MS, TPS = 50, 80
EVERYTHING = '[[watch]]\nname = "everything"\nsigner = "*"\n'
NOBODY = "4XXtr7JrXpYrTj9RnVsbyyw1NDeaMzcQuyWKFRBPNaEh"
UNKNOWN = "7zDLsxTKTuTxqdHAYzWZ5keYrnog3SsYvEXWXum3TzCZ"


class Reader(threading.Thread):
    """Reads /v1/stream as an EventSource does: after each end again, with the id it saw last."""

    def __init__(self, address, after):
        super().__init__(daemon=True)
        self.address, self.last, self.events, self.over, self.connections = address, after, [], False, 0
        self.start()

    def run(self):
        while not self.over:
            try:
                connection = Connection(self.address())
                with contextlib.closing(connection):
                    connection.request("GET", "/v1/stream", headers={"Last-Event-ID": self.last})
                    with connection.getresponse() as answer:
                        self.read(answer)
            except (OSError, http.client.HTTPException, AssertionError):  # no daemon there now
                time.sleep(0.05)

    def read(self, answer):
        self.connections += 1
        event = {}
        for line in answer:
            name, _, value = line.decode().rstrip("\n").partition(": ")
            if name:
                event[name] = value
                continue
            self.last = event.get("id", self.last)
            if "data" in event:
                self.events.append((event["id"], event["event"], json.loads(event["data"])))
            event = {}


def flat(receipts):
    """The receipts of a nested list, parents before their children."""
    for receipt in receipts:
        yield receipt
        yield from flat(receipt["children"])


class Api(support.Scenario):
    def setUp(self):
        super().setUp()
        self.chain = self.sandbox("--block-time-ms", BLOCK_MS, "--traffic", "mixed", "--tps", TPS, "--seed", 5,
                                  command="run")
        self.genesis = self.chain.rpc("block", {"sync_checkpoint": "genesis"})["header"]["height"]
        self.token_file = self.folder / "token"
        self.write_token(TOKEN)

    def write_token(self, token):
        self.token_file.write_text(token + "\n")
        self.token_file.chmod(0o600)

    def configured(self, database=None, rules=EVERYTHING, token=True, start=None):
        http_keys = f'token_file = "{self.token_file}"\n' if token else ""
        return self.config(self.chain, source="neardata", start=start or self.genesis + 1, database=database,
                           network="sandbox", patience="60s", extra=http_keys + rules)

    def address(self, process):
        found = support.wait_until("the daemon listens", lambda: process.poll() is not None
                                   or re.search(r"listen=(\S+)", process.log()))
        self.assertIsNone(process.poll(), process.log())
        return found[1]

    def ask(self, process, method, path, body=None, token=TOKEN):
        """(status, JSON, headers)"""
        headers = {"Authorization": "Bearer " + token} if token else {}
        if body is not None:
            headers["Content-Type"] = "application/json"
            body = body if isinstance(body, (str, bytes)) else json.dumps(body)
        connection = Connection(self.address(process))
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        if answer.status >= 400:
            self.assertEqual(answer.getheader("Content-Type"), "application/problem+json", text)
            self.assertEqual(json.loads(text)["status"], answer.status)
        return answer.status, json.loads(text) if text else None, answer.headers

    def get(self, process, path):
        status, body, _ = self.ask(process, "GET", path, token=None)
        self.assertEqual(status, 200, body)
        return body

    def all_of(self, process, path, name, limit):
        """Every item of a list, page by page."""
        items, cursor = [], ""
        while cursor is not None:
            page = self.get(process, f"{path}limit={limit}" + (f"&cursor={cursor}" if cursor else ""))
            self.assertLessEqual(len(page[name]), limit)
            items += page[name]
            cursor = page["next_cursor"] and urllib.parse.quote(page["next_cursor"])
        return items

    def final_height(self):
        return self.chain.rpc("block", {"finality": "final"})["header"]["height"]

    def test_answers_are_what_is_stored_and_true(self):
        last = self.genesis + 60
        config = self.configured()
        daemon = self.start("run", "--config", config)
        self.address(daemon)
        support.wait_until("blocks are stored", lambda: int(self.value(
            "SELECT coalesce(max(block_height), 0) FROM blocks")) > last)
        self.chain.ask("/pause", {})
        truth = {t["tx_hash"]: t for t in self.chain.ask(f"/truth?from={self.genesis}&to={last}")
                 if t["heights"]["refunded"] and t["heights"]["refunded"] <= last}
        self.assertGreater(len(truth), 50)
        hashes = ", ".join(f"'{tx_hash}'" for tx_hash in truth)
        support.wait_until("all are judged", lambda: int(self.value(
            f"SELECT count(*) FROM watches WHERE stage = 'final' AND tx_hash IN ({hashes})")) == len(truth))
        for tx_hash, t in truth.items():
            told = self.get(daemon, "/v1/transactions/" + tx_hash)
            self.assertEqual((told["sender_id"], told["stage"], told["verdict"]),
                             (t["signer_id"], "final", t["verdict"]))
            self.assertEqual(told["near_status"], t["near_status"])
            self.assertEqual({f["finding_id"] for f in told["findings"]}, finding_ids([t]))
            self.assertEqual({f["near_status"] for f in told["findings"]} - {t["near_status"]}, set())
            self.assertEqual({f["receipt_id"]: f["handled"] for f in told["findings"] if f["kind"] == "failed_receipt"},
                             {f["receipt_id"]: f["handled"] for f in t["failed_receipts"]})
        failed = next(tx_hash for tx_hash, t in truth.items() if t["failed_receipts"])
        by_command, _ = self.receiptd("tx", failed, "--json", "--config", config)
        self.assertEqual(json.loads(by_command), self.get(daemon, "/v1/transactions/" + failed))
        # The last blocks may still be on their way in.
        for query, condition in (("", "true"), ("handled=true&", "handled"),
                                 ("kind=failed_receipt&", "kind = 'failed_receipt'"),
                                 ("contract_id=ft.sandbox&", "contract_id = 'ft.sandbox'")):
            support.wait_until(f"findings with {condition} agree", lambda: [
                f["finding_id"] for f in self.all_of(daemon, "/v1/findings?" + query, "findings", 7)] == [
                row[0] for row in self.query(f"SELECT finding_id FROM findings WHERE {condition} "
                                             "ORDER BY block_time DESC, finding_id DESC")])
        for query, condition in (("", "true"), ("stage=final&", "stage = 'final'"),
                                 ("verdict=callback_failed&", "verdict = 'callback_failed'")):
            support.wait_until(f"watches with {condition} agree", lambda: [
                w["tx_hash"] for w in self.all_of(daemon, "/v1/watches?" + query, "watches", 11)] == [
                row[0] for row in self.query(f"SELECT tx_hash FROM watches WHERE {condition} "
                                             "ORDER BY created_at DESC, tx_hash DESC")])

    def test_what_is_pending_is_told_with_what_it_waits_for(self):
        daemon = self.start("run", "--config", self.configured())
        self.address(daemon)
        support.wait_until("blocks are stored", lambda: int(self.value(
            "SELECT coalesce(max(block_height), 0) FROM blocks")) > self.genesis + 40)
        self.chain.ask("/pause", {})
        self.all_is_stored()

        def is_told():
            """The chain goes on by a block where nothing waits for data; else the hosts are asked again."""
            waiting = self.receivers_by_wait(daemon)
            if not {"execution", "data"} <= set(waiting):
                self.chain.ask("/advance", {})
                self.all_is_stored()
            return {"execution", "data"} <= set(waiting) and None not in waiting["execution"] + waiting["data"]
        support.wait_until("the hosts know what will be executed next, and what waits for data", is_told)

    def all_is_stored(self):
        support.wait_until("all is stored", lambda: self.value(
            f"SELECT heights @> {self.final_height()}::bigint FROM coverage") == "t")

    def receivers_by_wait(self, daemon):
        """{what a receipt of an unfinished tree waits for: [its receiver]}"""
        waiting = {}
        for tx_hash, in self.query("SELECT tx_hash FROM open_watches WHERE stage IN ('included', 'executing')"):
            for receipt in flat(self.get(daemon, "/v1/transactions/" + tx_hash)["tree"]["receipts"]):
                waiting.setdefault(receipt["waiting"], []).append(receipt["receiver_id"])
        return waiting

    def fetch(self, process, path):
        """(status, text, headers) of what is no JSON"""
        connection = Connection(self.address(process))
        connection.request("GET", path)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text, answer.headers

    def drawn_receipts(self, process, path):
        """The ids that the picture has boxes for."""
        status, text, headers = self.fetch(process, path)
        self.assertEqual((status, headers["Content-Type"]), (200, "image/svg+xml"), text[:200])
        self.assertTrue(headers["Content-Security-Policy"].startswith("default-src 'none'; style-src 'sha256-"))
        return {node.get("data-receipt") for node in xml.etree.ElementTree.fromstring(text.encode()).iter()} - {None}

    def test_trees_are_drawn_and_what_is_not_stored_comes_from_the_hosts(self):
        before = self.genesis + 40
        support.wait_until("trees have ended", lambda: self.final_height() > before + 20)
        start = self.final_height() + 1
        daemon = self.start("run", "--config", self.configured(token=False, start=start))
        self.address(daemon)
        support.wait_until("blocks are stored", lambda: int(self.value(
            "SELECT count(*) FROM transaction_results WHERE verdict = 'callback_failed'")) > 0)
        self.chain.ask("/pause", {})

        tx_hash = self.value("SELECT tx_hash FROM transaction_results WHERE verdict = 'callback_failed' LIMIT 1")
        ids = {row[0] for row in self.query(f"SELECT receipt_id FROM receipts WHERE tree_id = '{tx_hash}'")}
        self.assertEqual(self.drawn_receipts(daemon, f"/v1/transactions/{tx_hash}/tree.svg"), ids | {tx_hash})
        found = self.get(daemon, "/v1/search?q=" + min(ids))
        self.assertEqual((found["kind"], found["tx_hash"], found["stored"]), ("receipt", tx_hash, True))
        self.assertEqual(self.get(daemon, "/v1/transactions/" + min(ids))["tx_hash"], tx_hash)

        old = next(t for t in self.chain.ask(f"/truth?from={self.genesis}&to={before}")
                   if t["heights"]["refunded"] and t["verdict"] == "callback_failed")
        path = "/v1/transactions/" + old["tx_hash"]
        self.assertEqual(self.ask(daemon, "GET", path)[0], 404, "the signer is not known")
        told = self.get(daemon, f"{path}?sender={old['signer_id']}")
        self.assertEqual((told["source"], told["stage"], told["verdict"]), ("hosts", "final", old["verdict"]))
        self.assertEqual({f["receipt_id"] for f in told["findings"] if f["kind"] == "failed_receipt"},
                         {f["receipt_id"] for f in old["failed_receipts"]})
        self.assertNotIn(None, [each["shard_id"] for each in flat(told["tree"]["receipts"])])
        drawn = self.drawn_receipts(daemon, f"{path}/tree.svg?sender={old['signer_id']}")
        self.assertLessEqual({f["receipt_id"] for f in old["failed_receipts"]} | {old["tx_hash"]}, drawn)
        self.assertEqual(self.value(f"SELECT count(*) FROM transactions WHERE tx_hash = '{old['tx_hash']}'"), "0")
        self.assertEqual(self.value(f"SELECT count(*) FROM watches WHERE tx_hash = '{old['tx_hash']}'"), "0")

    def test_the_stream_loses_nothing_and_repeats_nothing_through_kills(self):
        config = self.configured()
        current = {"daemon": self.start("run", "--config", config)}
        reader = Reader(lambda: self.address(current["daemon"]), "0")
        for _ in range(4):
            seen = len(reader.events)
            support.wait_until("more events come", lambda: len(reader.events) > seen + 60)
            self.kill(current["daemon"])
            current["daemon"] = self.start("run", "--config", config)
        self.chain.ask("/pause", {})
        self.all_is_told(reader)
        # Whatever came twice or is not true has come before what happens now.
        before = len(self.stored_events())
        self.chain.ask("/advance", {"blocks": 5})
        stored = self.all_is_told(reader)
        self.assertGreater(len(stored), before)
        reader.over = True
        self.assertGreaterEqual(reader.connections, 4)
        self.assertEqual([(id, kind, data["tx_hash"]) for id, kind, data in reader.events[:len(stored)]], stored)

    def stored_events(self):
        return [tuple(row) for row in self.query("SELECT id, kind, tx_hash FROM stream_events ORDER BY written_by, id")]

    def all_is_told(self, reader):
        """The events of all blocks that are there, once each was read."""
        self.all_is_stored()
        support.wait_until("no watch is new", lambda: self.value(
            "SELECT count(*) FROM watches WHERE stage IN ('accepted', 'pending')") == "0")
        stored = self.stored_events()
        support.wait_until("all is told", lambda: {id for id, *_ in stored} <= {id for id, *_ in reader.events})
        return stored

    def test_only_who_has_the_token_writes_and_it_can_be_changed(self):
        daemon = self.start("run", "--config", self.configured(rules=""))
        watch = {"tx_hash": NOBODY, "sender_id": "alice.sandbox"}
        status, problem, headers = self.ask(daemon, "POST", "/v1/watches", watch, token=None)
        self.assertEqual((status, headers["WWW-Authenticate"]), (401, 'Bearer realm="receiptd"'))
        self.assertEqual(self.ask(daemon, "POST", "/v1/watches", watch, token=OTHER)[0], 401)
        self.assertEqual(self.ask(daemon, "POST", "/v1/watches", watch)[0], 201)
        self.assertEqual(self.ask(daemon, "POST", "/v1/watches", [watch, {"tx_hash": "x"}])[1]["refused"], 1)
        self.assertEqual(self.get(daemon, "/v1/watches/" + NOBODY)["origin"], "hash")
        self.assertEqual(self.get(daemon, "/v1/transactions/" + NOBODY)["stage"], "accepted")
        self.assertEqual(self.ask(daemon, "GET", "/v1/transactions/" + UNKNOWN)[0], 404)
        self.assertEqual(self.ask(daemon, "POST", "/v1/transactions", {"signed_tx_base64": "AAAA"})[0], 400)
        self.assertEqual(self.ask(daemon, "POST", "/v1/watches", b" " * (5 << 20))[0], 413)
        self.write_token(OTHER)
        daemon.send_signal(signal.SIGHUP)
        support.wait_until("it is reloaded", lambda: "reloaded" in daemon.log())
        self.assertEqual(self.ask(daemon, "DELETE", "/v1/watches/" + NOBODY)[0], 401)
        self.assertEqual(self.ask(daemon, "DELETE", "/v1/watches/" + NOBODY, token=OTHER)[0], 204)
        self.assertEqual(self.value("SELECT count(*) FROM watches"), "0")
        for secret in (TOKEN, OTHER):
            self.assertNotIn(secret, daemon.log())
        closed = self.start("run", "--config", self.configured(rules="", token=False))
        status, problem, _ = self.ask(closed, "POST", "/v1/watches", watch)
        self.assertEqual(status, 403)
        self.assertIn("http.token_file", problem["detail"])

    def test_a_database_that_is_away_is_told_and_the_stream_goes_on_after_it(self):
        proxy = Proxy(self.database)
        self.addCleanup(proxy.listener.close)
        daemon = self.start("run", "--config", self.configured(database=proxy.url))
        reader = Reader(lambda: self.address(daemon), "0")
        support.wait_until("events come", lambda: len(reader.events) > 20)
        proxy.set_cut(True)
        status, _, headers = support.wait_until("it says so", lambda: (
            lambda answer: answer if answer[0] == 503 else None)(self.ask(daemon, "GET", "/v1/watches")))
        self.assertEqual(headers["Retry-After"], "5")
        for path in ("/v1/findings", "/v1/transactions/" + NOBODY, "/v1/watches/" + NOBODY):
            self.assertEqual(self.ask(daemon, "GET", path)[0], 503)
        self.assertEqual(self.get(daemon, "/v1/status")["network"], "sandbox")
        proxy.set_cut(False)
        seen = len(reader.events)
        support.wait_until("events come again", lambda: len(reader.events) > seen + 20)
        support.wait_until("questions are answered", lambda: self.ask(daemon, "GET", "/v1/watches")[0] == 200)
        reader.over = True
        ids = [id for id, *_ in reader.events]
        self.assertEqual(len(set(ids)), len(ids))

    def test_a_stopping_daemon_ends_its_streams_in_good_order(self):
        daemon = self.start("run", "--config", self.configured())
        connection = Connection(self.address(daemon))
        self.addCleanup(connection.close)
        support.wait_until("the stream is open", lambda: self.stream_begins(connection))
        daemon.send_signal(signal.SIGTERM)
        self.answer.read()  # http.client complains of a body that is broken off
        self.assertEqual(support.ended(daemon), 0, daemon.log())

    def stream_begins(self, connection):
        connection.request("GET", "/v1/stream?after=0")
        self.answer = connection.getresponse()
        if self.answer.status == 200:
            return True
        self.answer.read()
        return False


if __name__ == "__main__":
    support.main()
