#!/usr/bin/env python3
"""Transactions that are handed in: checked, stored, sent, sent again; never lost and never doubled."""

import base64
import hashlib
import http.server
import json
import random
import signal
import subprocess
import threading
import types
import unittest
import urllib.request

from database_proxy import MOMENTS, Proxy
from signer import Key, Signed, b58encode
from support import BUILD, Scenario, count_of, wait_until

KILLS = count_of("kills", 5)
TOKEN = 10**24


class HostInFront:
    """A node in front of another one, which it asks whenever it has no answer of its own."""

    def __init__(self, behind):
        answer_of = self.answer

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                question = json.loads(body)
                answer = answer_of(question["method"], question["params"])
                if answer is not None:
                    answer = json.dumps({"jsonrpc": "2.0", "id": question["id"], **answer}).encode()
                else:
                    request = urllib.request.Request(behind, body, {"Content-Type": "application/json"})
                    with urllib.request.urlopen(request) as told:
                        answer = told.read()
                self.send_response(200)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class SwallowingHost(HostInFront):
    """It says that it took a transaction, and forgets it."""

    def __init__(self, behind):
        self.swallowed = []
        super().__init__(behind)

    def answer(self, method, params):
        if method != "broadcast_tx_async":
            return None
        self.swallowed.append(transaction_hash(params[0]))
        return {"result": self.swallowed[-1]}


class LaggingHost(HostInFront):
    """It does not know a block by its hash until it was asked for some times."""

    def __init__(self, behind, questions):
        self.questions = questions
        super().__init__(behind)

    def answer(self, method, params):
        if method != "block" or "block_id" not in params or self.questions == 0:
            return None
        self.questions -= 1
        return {"error": {"name": "HANDLER_ERROR", "cause": {"name": "UNKNOWN_BLOCK", "info": {}},
                          "code": -32000, "message": "Server error", "data": "unknown block"}}


def transaction_hash(signed_tx_base64):
    """The signature behind it is 65 bytes: the kind of the key and ed25519's 64."""
    return b58encode(hashlib.sha256(base64.b64decode(signed_tx_base64)[:-65]).digest())


class Submitting(Scenario):
    """A living chain, its accounts' keys, and what `receiptd submit` makes of a transfer."""

    def begin(self, *arguments, follow="", extra=""):
        keys = self.folder / "keys.json"
        self.chain = self.sandbox("--seed", "7", "--keys-out", keys, *arguments, command="run")
        self.keys = {each["account"]: Key(each["secret_key"]) for each in json.loads(keys.read_text())}
        self.settings = self.config(self.chain, network="sandbox", source="neardata", follow=follow, extra=extra)

    def head(self):
        return self.chain.rpc("block", {"finality": "final"})["header"]

    def nonce(self, account="alice.sandbox"):
        public = "ed25519:" + b58encode(self.keys[account].public)
        return self.chain.rpc("query", {"request_type": "view_access_key", "finality": "optimistic",
                                        "account_id": account, "public_key": public})["nonce"]

    def transfer(self, *, nonce=None, block_hash=None, amount=TOKEN, key=None, signer="alice.sandbox", damage=False):
        return Signed(key or self.keys[signer], signer, "bob.sandbox", self.nonce(signer) + 1 if nonce is None else nonce,
                      block_hash or self.head()["hash"], amount, damage)

    def submit(self, transaction, *arguments, expect=0, raw=False):
        path = self.folder / "transaction"
        path.write_bytes(transaction.bytes) if raw else path.write_text(transaction.base64 + "\n")
        return self.receiptd("--config", self.settings, "submit", path, *arguments, expect=expect)

    def submit_before_a_block(self, transaction):
        """The chain stands still until the hosts have it; returns what the command said when its end was known."""
        path = self.folder / "transaction"
        path.write_text(transaction.base64)
        self.chain.ask("/pause", {})
        waiting = subprocess.Popen([BUILD / "receiptd", "--config", self.settings, "submit", path, "--wait"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        wait_until("the hosts have it", lambda: waiting.poll() is not None or self.query(
            f"SELECT stage FROM watches WHERE tx_hash = '{transaction.hash}'") == [["pending"]])
        self.chain.ask("/resume", {})
        out, error = waiting.communicate()
        self.assertEqual(waiting.returncode, 0, out + error)
        return out, error

    def stored(self):
        return int(self.value("SELECT count(*) FROM watches"))


class SubmitTest(Submitting):
    def test_one_is_taken_and_seen_to_its_end(self):
        self.begin("--block-time-ms", "100")
        self.start("--config", self.settings, "run")
        transaction = self.transfer()
        out, _ = self.submit_before_a_block(transaction)
        self.assertIn(f"handed in {transaction.hash}", out)
        self.assertIn("verdict   succeeded", out)
        shown = lambda: json.loads(self.receiptd("--config", self.settings, "tx", transaction.hash, "--json")[0])
        wait_until("its end is conclusive", lambda: shown()["conclusive"])  # when the next chunk has confirmed its outcomes
        told = shown()
        self.assertEqual((told["stage"], told["verdict"], told["reason"]), ("final", "succeeded", None))
        self.assertEqual([each["to"] for each in told["stages"]][:2], ["pending", "included"])
        self.assertEqual(told["tree"]["receipts"][0]["role"], "initial")
        out, _ = self.submit(transaction, raw=True)
        self.assertIn(f"handed in before {transaction.hash}", out)
        self.assertIn("stage     final", out)
        again = json.loads(self.submit(transaction, "--json")[0])
        self.assertEqual((again["tx_hash"], again["stage"], again["existing"]), (transaction.hash, "final", True))
        self.assertEqual(json.loads(self.submit(transaction, "--wait", "--json")[0]), told)
        self.assertEqual(self.stored(), 1)

    def test_what_no_node_would_take_is_refused_with_the_remedy(self):
        self.begin("--block-time-ms", "0", "--validity-blocks", "20", extra="[watching]\nvalidity_blocks = 20\n")
        self.chain.ask("/advance", {"blocks": 5})
        old = self.head()["hash"]
        self.chain.ask("/advance", {"blocks": 30})
        stranger = Key.of_seed(b"s" * 32)
        for transaction, word, remedy in [
                (self.transfer(damage=True), "invalid_signature", "signing key"),
                (self.transfer(nonce=0), "invalid_nonce", "nonce + 1"),
                (self.transfer(block_hash=old), "expired", "fresh block hash"),
                (self.transfer(block_hash="1" * 32), "invalid_chain", "this network"),
                (self.transfer(key=stranger, nonce=10**8), "access_key_not_found", "key that exists"),
                (self.transfer(amount=10**30), "not_enough_balance", "fund the account")]:
            with self.subTest(word):
                _, error = self.submit(transaction, expect=20)
                self.assertIn(word, error)
                self.assertIn(remedy, error)
                refused = json.loads(self.submit(transaction, "--json", expect=20)[0])
                self.assertEqual(refused["error_class"], word)
                self.assertIn(remedy, refused["remedy"])
        broken = self.transfer()
        broken.base64 = broken.base64[:40] + "!" + broken.base64[41:]
        _, error = self.submit(broken, expect=2)
        self.assertIn("character 40", error)
        self.assertEqual(self.stored(), 0)

    def test_a_key_is_for_one_transaction(self):
        self.begin("--block-time-ms", "0")
        self.chain.ask("/advance", {"blocks": 5})
        first, second = self.transfer(amount=1), self.transfer(amount=2)
        self.submit(first, "--idempotency-key", "order-1")
        out, _ = self.submit(first, "--idempotency-key", "order-1")
        self.assertIn("handed in before", out)
        _, error = self.submit(second, "--idempotency-key", "order-1", expect=25)
        self.assertIn(first.hash, error)
        self.assertEqual(self.stored(), 1)

    def test_a_host_that_takes_it_and_passes_nothing_on_does_not_keep_it_from_the_chain(self):
        self.begin("--block-time-ms", "100")
        swallower = SwallowingHost(self.chain.regular)
        self.addCleanup(swallower.stop)
        hosts = types.SimpleNamespace(regular=swallower.url, archival=self.chain.archival)
        self.settings = self.config(
            hosts, network="sandbox", source="neardata",
            extra=f'[[upstream]]\nname = "second"\nkind = "regular"\nurl = "{self.chain.regular}"\n'
                  '[log]\nlevel = "trace"\n')
        self.start("--config", self.settings, "run")
        transaction = self.transfer()
        said = "".join(self.submit_before_a_block(transaction))
        self.assertIn("read_by", said)
        self.assertNotIn(transaction.base64, said)
        self.assertIn(transaction.hash, swallower.swallowed)
        evidence = json.loads(self.value("SELECT evidence FROM watch_transitions WHERE to_stage = 'pending'"))
        self.assertEqual(sorted(evidence["host"].split(", ")), ["archival", "regular", "second"])

    def test_a_block_that_the_hosts_do_not_have_yet_is_waited_for(self):
        self.begin("--block-time-ms", "0")
        self.chain.ask("/advance", {"blocks": 5})
        lagging = LaggingHost(self.chain.regular, questions=2)
        self.addCleanup(lagging.stop)
        hosts = types.SimpleNamespace(regular=lagging.url)
        self.settings = self.config(hosts, network="sandbox", hosts=("regular",))
        self.submit(self.transfer())
        self.assertEqual(lagging.questions, 0)

    def through_a_proxy(self):
        """A proxy before the database, and the configuration of a program behind it."""
        proxy = Proxy(self.database)
        self.addCleanup(proxy.stop)
        return proxy, self.config(self.chain, network="sandbox", source="neardata", database=proxy.url)

    def kill_at(self, proxy, process):
        proxy.wait(process)
        process.kill()
        self.assertEqual(process.wait(), -signal.SIGKILL)
        proxy.cut_off()

    def test_killed_between_any_two_steps_nothing_is_lost_or_doubled(self):
        self.begin("--block-time-ms", "100")
        # Sendings get lost, too: the request is not read, or its answer does not come back.
        self.chain.ask("/faults", {"faults": [{"fault": "reset", "method": "broadcast_tx_async", "share": 0.15},
                                              {"fault": "truncate", "method": "broadcast_tx_async", "share": 0.15}]})
        nonce, block_hash = self.nonce(), self.head()["hash"]
        count = 3 * KILLS
        transactions = [self.transfer(nonce=nonce + 1 + i, block_hash=block_hash, amount=1) for i in range(count)]
        kills = sorted(random.Random(11).sample(range(count), KILLS))
        (at_command, settings), (at_daemon, settings_of_daemon) = self.through_a_proxy(), self.through_a_proxy()
        daemon = self.start("--config", settings_of_daemon, "run")
        for i, transaction in enumerate(transactions):
            path = self.folder / f"transaction-{i}"
            path.write_text(transaction.base64)
            command = [BUILD / "receiptd", "--config", settings, "submit", path]
            number = kills.index(i) if i in kills else None
            kills_daemon = number is not None and number % 2 == 0
            if kills_daemon:
                at_daemon.step(1, MOMENTS[number // 2 % 3], ("UPDATE watches w SET stage",))
            if number is not None:
                at_command.step(1, MOMENTS[number % 3], ("INSERT INTO watches",))
                self.kill_at(at_command, subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
                # A client that does not know whether it was taken hands it in again: that is harmless.
            done = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            if kills_daemon:
                self.kill_at(at_daemon, daemon)
                daemon = self.start("--config", settings_of_daemon, "run")
            # The next one must not overtake it: a higher nonce supersedes the lower ones.
            wait_until("a host has it", lambda: self.value(
                f"SELECT stage FROM watches WHERE tx_hash = '{transaction.hash}'") != "accepted")
        self.chain.ask("/faults", {"faults": []})
        self.assertEqual(self.stored(), count)
        wait_until("all have ended", lambda: int(self.value("SELECT count(*) FROM open_watches")) == 0)
        self.assertEqual(self.query("SELECT tx_hash, stage, reason, evidence FROM watches WHERE stage <> 'final' "
                                    "OR verdict <> 'succeeded'"), [])
        for transaction in transactions:
            truth = self.chain.ask(f"/transactions/{transaction.hash}")
            self.assertEqual(truth["stage"], "final")
        self.assertEqual(self.nonce(), nonce + count)


if __name__ == "__main__":
    unittest.main()
