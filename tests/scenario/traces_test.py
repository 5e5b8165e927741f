#!/usr/bin/env python3
"""Trees that leave as OpenTelemetry traces: which, how often, under what id, and what they say."""

import contextlib
import json
import re
import signal
import subprocess
import sys

import progress
import support
from collector import Collector, Strict
from database_proxy import MOMENTS, Proxy
from handed_in import final_hash, key_of, nonce_of, send
from signer import Signed, b58decode, call

KILLS = support.count_of("kills", 6)
TOKEN = "the-token-of-the-scenario"
CALLER = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
# What commits a tree to the queue, and that it was sent.
QUEUED, NOTED = ("INSERT INTO trace_outbox",), ("UPDATE trace_outbox SET done_at = now() FROM",)
TRACEPARENT = f"00-{CALLER[0]}-{CALLER[1]}-01"


def trace_id(tx_hash):
    return b58decode(tx_hash)[:16].hex()


def span_id(receipt_id):
    return b58decode(receipt_id)[:8].hex()


class Traces(support.Scenario):
    ARGUMENTS = ()

    def setUp(self):
        super().setUp()
        self.collector = Collector()
        self.addCleanup(self.collector.stop)
        self.chain = self.sandbox("--block-time-ms", 0, "--genesis-time", "now", "--shards", 3, *self.ARGUMENTS, command="run")
        self.key = key_of(self.chain, "alice.sandbox")
        self.first = self.chain.ask("/status")["final_height"]
        self.token_file = self.folder / "token"
        self.token_file.write_text(TOKEN)
        self.token_file.chmod(0o600)

    def configured(self, keys="", database=None, source="neardata", url=None, start=None):
        return self.config(self.chain, source=source, network="sandbox", start=start or self.first + 1, database=database, extra=(
            f'token_file = "{self.token_file}"\n[traces]\notlp_url = "{url or self.collector.url}"\n{keys}'))

    def follow(self, keys="", **more):
        daemon = self.start("run", "--config", self.configured(keys, **more))
        support.wait_until("it follows", lambda: daemon.poll() is not None or "serving" in daemon.log())
        self.assertIsNone(daemon.poll(), daemon.log()[-3000:])
        return daemon

    def scripted(self, *steps, receiver="script.sandbox"):
        nonce = nonce_of(self.chain, "alice.sandbox", self.key) + 1
        return Signed(self.key, "alice.sandbox", receiver, nonce, final_hash(self.chain), 0,
                      action=call("run", json.dumps(list(steps)).encode()))

    def run_script(self, *steps):
        transaction = self.scripted(*steps)
        send(self.chain, transaction)
        self.chain.ask("/advance", {"blocks": 8})
        return transaction.hash

    def ask(self, daemon, method, path, body=None, **headers):
        address = re.search(r"listen=(\S+)", daemon.log())[1]
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"} | headers
        with contextlib.closing(progress.Connection(address)) as connection:
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read() or b"null")

    def trace_of(self, tx_hash):
        support.wait_until("its trace has come", lambda: self.collector.sent[tx_hash] > 0)
        self.assertEqual(self.collector.faults, [])
        return self.collector.trace(tx_hash)

    def counted(self, daemon, fate):
        return int(float(re.search(rf'receiptd_traces_total\{{fate="{fate}"\}} (\S+)', self.page(daemon, "/metrics")[1])[1]))

    def end(self, daemon):
        daemon.send_signal(signal.SIGTERM)
        self.assertEqual(daemon.wait(support.DEADLINE), 0)


class Leaving(Traces):
    def test_what_failed_leaves_and_what_succeeded_does_not(self):
        daemon = self.follow()
        good, bad = self.run_script({"log": "well"}), self.run_script({"panic": "it is broken"})
        spans = self.trace_of(bad)
        root, initial = spans[span_id(bad)], next(span for span in spans.values() if span["is"].get("near.role") == "initial")
        self.assertEqual({span["traceId"] for span in spans.values()}, {trace_id(bad)})
        self.assertNotIn("parentSpanId", root)
        self.assertEqual(initial["parentSpanId"], span_id(bad))
        self.assertEqual(initial["spanId"], span_id(initial["is"]["near.receipt_id"]))
        self.assertEqual((initial["service"], initial["network"]), ("script.sandbox", "sandbox"))
        self.assertEqual(root["status"]["code"], 2)
        self.assertIn("it is broken", initial["status"]["message"])
        self.assertEqual(self.ask(daemon, "GET", f"/v1/transactions/{bad}")[1]["trace_id"], trace_id(bad))
        self.assertEqual(self.collector.sent[good], 0)
        self.assertEqual(self.counted(daemon, "sent"), 1)

    def test_times_are_those_of_the_blocks_that_made_and_executed_a_receipt(self):
        self.follow()
        spans = self.trace_of(self.run_script({"panic": "no"}))
        times = {height: int(nanosec) // 1000 * 1000 for height, nanosec in self.query(
            "SELECT block_height, timestamp_nanosec FROM blocks")}
        for span in spans.values():
            if "near.receipt_id" not in span["is"]:
                continue
            made_by = spans[span["parentSpanId"]]["is"]["near.block_height"]
            self.assertEqual(int(span["startTimeUnixNano"]), times[made_by])
            self.assertEqual(int(span["endTimeUnixNano"]), times[span["is"]["near.block_height"]])

    def test_a_callback_is_linked_to_what_it_awaited(self):
        self.follow()
        tx_hash = self.run_script({"call": {"account": "script.sandbox", "method": "run", "args": [{"panic": "first"}], "as": "p"}},
                                  {"then": {"after": "p", "method": "run", "args": [{"log": "seen"}]}})
        spans = self.trace_of(tx_hash)
        callback = next(span for span in spans.values() if span["is"].get("near.role") == "callback")
        awaited, = callback["links"]
        self.assertEqual(spans[awaited["spanId"]]["is"]["near.role"], "promise")
        self.assertEqual(spans[awaited["spanId"]]["status"]["code"], 2)
        self.assertEqual(spans[awaited["spanId"]]["is"]["near.handled"], True)

    def test_the_same_comes_from_the_api(self):
        daemon = self.follow()
        tx_hash = self.run_script({"panic": "no"})
        sent = self.trace_of(tx_hash)
        status, text = self.page(daemon, f"/v1/transactions/{tx_hash}/trace.json")
        self.assertEqual(status, 200)
        self.assertEqual(text.rstrip("\n"), self.collector.bodies[-1])
        self.assertEqual({span["spanId"] for span in Strict(text).spans}, set(sent))

    def test_samples_are_by_hash_and_a_share_of_one_is_everything(self):
        self.follow("sample = 1.0\nfailed = false\n")
        self.trace_of(self.run_script({"log": "well"}))

    def test_arguments_leave_only_if_they_are_switched_on(self):
        first = self.follow()
        spans = self.trace_of(self.run_script({"panic": "no"}))
        self.assertFalse([span for span in spans.values() if "near.arguments" in span["is"]])
        self.end(first)
        self.follow("arguments = true\n")
        spans = self.trace_of(self.run_script({"panic": "no"}))
        self.assertIn('[{"panic":"no"}]', [span["is"].get("near.arguments", "").replace(" ", "") for span in spans.values()])

    def test_headers_are_sent_and_are_secret(self):
        path = self.folder / "headers"
        path.write_text("X-Scope-OrgID: team-7\nAuthorization: Bearer key-of-the-collector")
        path.chmod(0o600)
        self.collector.answer = 401
        daemon = self.follow(f'headers_file = "{path}"\n')
        tx_hash = self.run_script({"panic": "no"})
        support.wait_until("it was refused", lambda: self.collector.refused > 0)
        self.collector.answer = 200
        self.trace_of(tx_hash)
        self.assertEqual(self.collector.headers[-1]["X-Scope-OrgID"], "team-7")
        self.assertEqual(self.collector.headers[-1]["Authorization"], "Bearer key-of-the-collector")
        self.assertNotIn("key-of-the-collector", daemon.log())

    def test_hostile_texts_are_plain_and_cut(self):
        self.follow("arguments = true\n")
        evil = "see https://evil.example \u202e\u0007\"}]}\n<b>&" + "x" * 5000
        spans = self.trace_of(self.run_script({"panic": evil}))
        message = next(span["status"]["message"] for span in spans.values() if span["is"].get("near.role") == "initial")
        self.assertIn('"}]}', message)
        self.assertLessEqual(len(message.encode()), 512)


class Callers(Traces):
    def setUp(self):
        super().setUp()
        self.daemon = self.follow()

    def continued(self, tx_hash):
        spans = self.trace_of(tx_hash)
        self.assertEqual({span["traceId"] for span in spans.values()}, {CALLER[0]})
        self.assertEqual(spans[span_id(tx_hash)]["parentSpanId"], CALLER[1])
        self.assertEqual(self.ask(self.daemon, "GET", f"/v1/transactions/{tx_hash}")[1]["trace_id"], CALLER[0])
        return spans

    def test_a_submission_goes_on_in_the_trace_of_its_caller(self):
        transaction = self.scripted({"log": "well"})
        status, _ = self.ask(self.daemon, "POST", "/v1/transactions", {"signed_tx_base64": transaction.base64}, traceparent=TRACEPARENT)
        self.assertEqual(status, 202)
        support.wait_until("the hosts have it", lambda: self.value("SELECT stage FROM watches") == "pending")
        self.chain.ask("/advance", {"blocks": 8})
        spans = self.continued(transaction.hash)
        stages = {span["name"]: span for span in spans.values() if "near.receipt_id" not in span["is"]}
        self.assertLessEqual({"accepted", "pending", "included"}, set(stages))
        for name in ("accepted", "pending", "included"):
            self.assertEqual(stages[name]["parentSpanId"], span_id(transaction.hash))
        self.assertNotIn("status", spans[span_id(transaction.hash)])

    def test_so_does_a_watch(self):
        transaction = self.scripted({"log": "well"})
        status, _ = self.ask(self.daemon, "POST", "/v1/watches", {"tx_hash": transaction.hash, "sender_id": "alice.sandbox"},
                             traceparent=TRACEPARENT)
        self.assertEqual(status, 201)
        send(self.chain, transaction)
        self.chain.ask("/advance", {"blocks": 8})
        self.continued(transaction.hash)

    def test_a_header_that_cannot_be_read_is_as_if_it_were_not_there(self):
        transaction = self.scripted({"log": "well"})
        status, _ = self.ask(self.daemon, "POST", "/v1/watches", {"tx_hash": transaction.hash, "sender_id": "alice.sandbox"},
                             traceparent=TRACEPARENT.upper())
        self.assertEqual(status, 201)
        send(self.chain, transaction)
        self.chain.ask("/advance", {"blocks": 8})
        self.assertEqual({span["traceId"] for span in self.trace_of(transaction.hash).values()}, {trace_id(transaction.hash)})

    def test_a_bad_end_is_an_error_with_its_reason_and_evidence(self):
        nonce, block_hash = nonce_of(self.chain, "alice.sandbox", self.key) + 1, final_hash(self.chain)
        lost, rival = (Signed(self.key, "alice.sandbox", "bob.sandbox", nonce, block_hash, amount) for amount in (1, 2))
        self.ask(self.daemon, "POST", "/v1/watches", {"tx_hash": lost.hash, "sender_id": "alice.sandbox"}, traceparent=TRACEPARENT)
        support.wait_until("it is watched", lambda: self.value("SELECT watched_since FROM watches") is not None)
        send(self.chain, rival)
        self.ask(self.daemon, "POST", "/v1/transactions", {"signed_tx_base64": lost.base64})
        support.wait_until("it has ended", lambda: self.chain.ask("/advance", {"blocks": 20}) and self.value(
            "SELECT stage FROM watches") in ("dropped", "rejected", "expired"))
        root = self.trace_of(lost.hash)[span_id(lost.hash)]
        self.assertEqual(root["status"]["code"], 2)
        self.assertEqual(root["traceId"], CALLER[0])
        stage, reason = self.query("SELECT stage, reason FROM watches")[0]
        self.assertEqual(root["is"]["near.stage"], stage)
        self.assertEqual(root["is"].get("near.reason"), reason)
        self.assertIn("near.evidence", root["is"])


class Troubles(Traces):
    def fail_often(self, count):
        return [self.run_script({"panic": f"number {number}"}) for number in range(count)]

    def all_have_come(self, hashes):
        support.wait_until("all traces have come", lambda: all(self.collector.sent[tx_hash] for tx_hash in hashes))
        self.assertEqual(self.collector.faults, [])

    def test_a_collector_that_is_down_holds_nothing_up_and_gets_all_later(self):
        self.collector.answer = 503
        daemon = self.follow()
        hashes = self.fail_often(5)
        head = self.chain.ask("/status")["final_height"]
        support.wait_until("all is stored", lambda: self.query(f"SELECT heights @> {head}::bigint FROM coverage") == [["t"]])
        support.wait_until("it was asked", lambda: self.collector.refused > 1)
        self.assertEqual(self.value("SELECT count(*) FROM trace_outbox WHERE done_at IS NULL"), "5")
        self.collector.answer = 200
        self.all_have_come(hashes)
        self.assertEqual(set(self.collector.sent.values()), {1})
        self.assertEqual(self.counted(daemon, "sent"), 5)

    def test_what_ended_more_than_half_an_hour_ago_is_counted_and_not_sent(self):
        self.collector.answer = 503
        daemon = self.follow()
        late, = self.fail_often(1)
        support.wait_until("it waits", lambda: self.query(
            "UPDATE trace_outbox SET ended_at = ended_at - interval '31 minutes' RETURNING tx_hash") == [[late]])
        self.collector.answer = 200
        self.all_have_come(self.fail_often(1))
        support.wait_until("it is counted", lambda: self.counted(daemon, "too_old") == 1)
        self.assertEqual(self.collector.sent[late], 0)

    def test_killed_at_any_step_each_tree_comes_once_or_twice(self):
        proxy = Proxy(self.database)
        self.addCleanup(proxy.stop)
        hashes = []
        for number in range(KILLS):
            moment, about = MOMENTS[number % len(MOMENTS)], (QUEUED, NOTED)[number // len(MOMENTS) % 2]
            with self.subTest(number=number, moment=moment, about=about):
                proxy.step(1, moment, about)
                daemon = self.follow(database=proxy.url)
                hashes += self.fail_often(2)
                proxy.kill(daemon)
        daemon = self.follow()
        hashes += self.fail_often(1)
        self.all_have_come(hashes)
        support.wait_until("all is noted", lambda: self.value("SELECT count(*) FROM trace_outbox WHERE done_at IS NULL") == "0")
        self.assertLessEqual(max(self.collector.sent.values()), 2)
        self.assertEqual(set(self.collector.sent), set(hashes))

    def test_a_tree_that_is_found_again_does_not_leave_again(self):
        self.follow()
        tx_hash, = self.fail_often(1)
        self.trace_of(tx_hash)
        self.query(f"INSERT INTO watches (tx_hash, sender_id) VALUES ('{tx_hash}', 'alice.sandbox') RETURNING 1")
        support.wait_until("its watch has ended", lambda: self.value("SELECT stage FROM watches") == "final")
        self.all_have_come(self.fail_often(1))
        self.assertEqual(self.collector.sent[tx_hash], 1)

    def test_a_backfill_sends_nothing(self):
        hashes = self.fail_often(3)
        last = self.chain.ask("/status")["final_height"]
        self.receiptd("backfill", "--config", self.configured(), "--from", self.first + 1, "--to", last - 2)
        self.assertNotEqual(self.value("SELECT count(*) FROM transaction_results"), "0")
        self.assertEqual(self.value("SELECT count(*) FROM trace_outbox"), "0")
        self.follow(start=last)
        self.all_have_come(self.fail_often(1))
        self.assertEqual([self.collector.sent[tx_hash] for tx_hash in hashes], [0, 0, 0])


class Document(support.Scenario):
    """The programs of docs/traces.md do what it says."""

    def setUp(self):
        super().setUp()
        text = (support.ROOT / "docs/traces.md").read_text()
        self.collector, self.ids = re.findall(r"python3 -c '\n(.*?)'", text, re.S)

    def test_the_id_of_a_trace_is_found_from_the_hash(self):
        tx_hash, said = re.search(r"\[:32\]\)' (\S+)\n([0-9a-f]{32})\n", (support.ROOT / "docs/traces.md").read_text()).groups()
        done = subprocess.run([sys.executable, "-c", self.ids, tx_hash], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout.strip(), said)
        self.assertEqual(said, trace_id(tx_hash))

    def test_the_collector_prints_spans(self):
        port = support.free_port()
        process = subprocess.Popen([sys.executable, "-uc", self.collector.replace("4318", str(port))], stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        span = {"traceId": "a" * 32, "name": "swap", "status": {"code": 2, "message": "no"}}
        resource = {"attributes": [{"key": "service.name", "value": {"stringValue": "app.near"}}]}
        body = json.dumps({"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": [span]}]}]})

        def post():
            with contextlib.closing(progress.Connection(f"127.0.0.1:{port}")) as connection, contextlib.suppress(OSError):
                connection.request("POST", "/v1/traces", body)
                return connection.getresponse().status == 200
        support.wait_until("it answers", post)
        self.assertEqual(process.stdout.readline(), f"{'a' * 32} app.near swap {span['status']}\n")


class Sources(Traces):
    ARGUMENTS = ("--traffic", "mixed", "--tps", 20, "--seed", 11)

    def test_give_the_same_bytes(self):
        self.chain.ask("/advance", {"blocks": 40})
        self.chain.ask("/traffic", {"tps": 0})
        self.chain.ask("/advance", {"blocks": 250})  # a yield waits for 200
        last = self.chain.ask("/status")["final_height"]
        traces = {}
        for source in ("rpc", "neardata", "indexer"):
            database = self.make_database()
            daemon = self.follow(source=source, database=database, url="http://127.0.0.1:9")
            support.wait_until("all is stored", lambda: self.query(f"SELECT heights @> {last}::bigint FROM coverage", database) == [["t"]]
                               and self.trees_are_whole(database))
            hashes = [row[0] for row in self.query("SELECT tx_hash FROM transaction_results ORDER BY tx_hash", database)]
            traces[source] = {tx_hash: self.page(daemon, f"/v1/transactions/{tx_hash}/trace.json")[1] for tx_hash in hashes}
            self.end(daemon)
        self.assertGreater(len(traces["rpc"]), 100)
        self.assertEqual([fault for text in traces["rpc"].values() for fault in Strict(text).faults], [])
        for source in ("neardata", "indexer"):
            self.assertEqual(traces[source].keys(), traces["rpc"].keys())
            for tx_hash, text in traces[source].items():
                self.assertEqual(text, traces["rpc"][tx_hash], f"{source} {tx_hash}")


if __name__ == "__main__":
    support.main()
