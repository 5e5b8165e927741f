#!/usr/bin/env python3
"""What a stranger has in his texts and numbers stops no daemon, and hides no failure of others."""

import http.client
import json
import re
import urllib.parse

import odd
import support
from handed_in import final_hash, key_of, nonce_of
from receiver import Receiver, endpoint, secret_file
from signer import Key, call, deploy_global_contract

TOKEN = "the-token-of-the-scenario"
RULES = """
[[rule]]
name = "bobs"
kind = "finding"
receiver = "bob.sandbox"
[[rule]]
name = "carols"
kind = "transfer"
account = "carol.sandbox"
[[watch]]
name = "all"
receiver = "*"
"""
# Without ids, heights and times, which differ from run to run.
OF_A_CUSTOMER = {
    "transactions": "signer_id, receiver_id, status, error_class, error_text, actions::text",
    "receipts": "predecessor_id, receiver_id, role, method_name, status, error_class, error_text, logs, as_given",
    "transaction_results": "verdict, error_class, error_text, receipts, failed_receipts",
    "findings": "kind, role, handled, contract_id, method_name, error_class, error_text",
    "events": "account_id, standard, event, data::text",
    "watches": "sender_id, origin, stage, verdict, reason",
}


class Strangers(support.Scenario):
    """A chain that stands still between its steps, a daemon with alerts about all failures of calls of bob, and customers
    of his."""

    def begin(self, source, strange):
        self.database = self.make_database()
        self.receiver = Receiver()
        self.addCleanup(self.receiver.stop)
        self.chain = self.sandbox("--block-time-ms", 0, "--genesis-time", "now", command="run", regular_hosts=2)
        if strange:
            self.chain.ask("/lies", {"host": "regular", "lies": [{"lie": "odd_members", "times": 2, **lie} for lie in odd.by_a_host()]})
        token = self.folder / "token"
        token.write_text(TOKEN)
        token.chmod(0o600)
        self.toml = self.config(
            self.chain, source=source, start=self.chain.ask("/status")["genesis_height"] + 1, network="sandbox", patience="60s",
            hosts=("regular", "regular-2", "archival"), extra=f'token_file = "{token}"\n' + RULES
            + endpoint("ops", self.receiver.url, secret_file(self.folder), rules=("bobs", "carols")))
        self.daemon = self.start("run", "--config", self.toml)

    def sender(self, account):
        key = key_of(self.chain, account)
        return odd.Sender(key, account, nonce_of(self.chain, account, key), final_hash(self.chain))

    def include(self, transactions):
        for transaction in transactions:
            self.chain.rpc("broadcast_tx_async", [transaction.base64])
        self.chain.ask("/advance", {"blocks": 20})

    def goes_on(self):
        self.assertIsNone(self.daemon.poll(), self.daemon.log()[-3000:])
        return True

    def wait_for(self, what, found):
        return support.wait_until(what, lambda: self.goes_on() and found())

    def alerts_of(self, transaction):
        return [body for _, _, body in list(self.receiver.requests) if transaction.hash in body]

    def watches_have_ended(self, transactions):
        hashes = ", ".join(f"'{each.hash}'" for each in transactions)
        watched = self.value(f"SELECT count(DISTINCT tx_hash) FROM watches WHERE origin = 'rule' AND tx_hash IN ({hashes})")
        if watched == str(len(transactions)) and self.value("SELECT count(*) FROM open_watches WHERE origin = 'rule'") == "0":
            return True
        self.chain.ask("/advance", {})
        return False


class NamesWithNul(Strangers):
    """A key for a method named `a\\0b`, which a real node takes (nearcore-86, shapes `nul_*`), beside a call of bob's that
    fails; two customers' calls of his fail in the same block."""

    def of_the_stranger(self):
        alice = self.sender("alice.sandbox")
        return alice.sign("alice.sandbox", odd.key_for_methods(Key.of_seed(bytes(32)), [b"a\0b"]),
                          deploy_global_contract(odd.A_WASM, False),
                          odd.delegated(alice.key, "alice.sandbox", "bob.sandbox", alice.nonce + 2, call("nothing", b"{}", odd.GAS)))

    def test_by_whole_blocks(self):
        self.nobody_is_stopped_or_hidden("neardata")

    def test_by_rpc(self):
        self.nobody_is_stopped_or_hidden("rpc")

    def nobody_is_stopped_or_hidden(self, source):
        self.begin(source, strange=False)
        stranger, carol = self.of_the_stranger(), self.sender("carol.sandbox")
        customers = [carol.sign("bob.sandbox", call(f"by-a-customer-{n}", b"{}", odd.GAS)) for n in (1, 2)]
        self.include([stranger, *customers])
        for transaction in (*customers, stranger):
            self.wait_for("its alert arrives", lambda: self.alerts_of(transaction))
        self.wait_for("all watches have ended", lambda: self.watches_have_ended([*customers, stranger]))
        self.assertNotIn("unsupported Unicode escape", self.daemon.log())

        hashes = ", ".join(f"'{each.hash}'" for each in (stranger, *customers))
        self.assertEqual(self.value(f"SELECT count(DISTINCT block_height) FROM transactions WHERE tx_hash IN ({hashes})"), "1",
                         "all were in one block")
        names = "actions #>> '{0,AddKey,access_key,permission,FunctionCall,method_names,0}'"
        self.assertEqual(self.value(f"SELECT {names} FROM transactions WHERE tx_hash = '{stranger.hash}'"), "a\u2400b")
        given = json.loads(self.value(f"SELECT convert_from(as_given, 'UTF8') FROM transactions WHERE tx_hash = '{stranger.hash}'"))
        self.assertEqual(given["actions"][0]["AddKey"]["access_key"]["permission"]["FunctionCall"]["method_names"], ["a\0b"])
        self.assertGreaterEqual(int(self.value("SELECT sum(calls) FROM contract_health('-infinity', contract => 'bob.sandbox')")), 3)
        self.assertEqual(self.page(self.daemon, f"/tx/{stranger.hash}")[0], 200)
        shown, _ = self.receiptd("tx", stranger.hash, "--json", "--config", self.toml, expect=None)
        self.assertEqual(json.loads(shown)["tx_hash"], stranger.hash)


class OddEverything(Strangers):
    """Odd texts and numbers in all that a host, a contract, a client and a database role can give, at once: what others
    have of it is what they have on a calm day."""

    def test_by_whole_blocks(self):
        self.is_as_on_a_calm_day("neardata")

    def test_by_rpc(self):
        self.is_as_on_a_calm_day("rpc")

    def is_as_on_a_calm_day(self, source):
        calm = self.day(source, strange=False)
        self.kill(self.daemon)
        self.maxDiff = 4000
        self.assertEqual(self.day(source, strange=True), calm)
        self.strangers_are_shown()
        self.everything_can_be_read()

    def day(self, source, strange):
        self.begin(source, strange)
        alice, carol = self.sender("alice.sandbox"), self.sender("carol.sandbox")
        customers = [carol.sign("bob.sandbox", call("by-a-customer", b'{"a":1}', odd.GAS)),
                     carol.run({"log": odd.MOVE.replace(r"\u0000\ud800", "thanks")}, {"panic": "no"}),
                     carol.run({"log": odd.MOVE.replace(r"\u0000\ud800", "thanks")})]
        self.strange = [*odd.by_a_contract(alice), *odd.by_a_signer(alice)] if strange else []
        half = len(self.strange) // 2
        if strange:
            self.odd_requests()
            self.odd_rows()
        self.include([*self.strange[:half], *customers, *self.strange[half:]])
        for transaction in (customers[0], customers[2]):
            self.wait_for("its alert arrives", lambda: self.alerts_of(transaction))
        self.wait_for("all watches have ended", lambda: self.watches_have_ended([*customers, *self.strange]))
        return {"rows": self.rows_of(customers), "alerts": self.types_of(customers), "pages": self.pages_of(customers)}

    def rows_of(self, transactions):
        hashes = ", ".join(f"'{each.hash}'" for each in transactions)
        return {table: self.query(f"SELECT row({columns})::text FROM {table} WHERE tx_hash IN ({hashes}) ORDER BY 1")
                for table, columns in OF_A_CUSTOMER.items()}

    def types_of(self, transactions):
        """Types and reasons of their alerts."""
        types = []
        for place, transaction in enumerate(transactions):
            for body in map(json.loads, self.alerts_of(transaction)):
                data = body["data"]
                types.append((place, body["type"], data.get("contract_id"), data.get("method_name"), data.get("error_class")))
        return sorted(types, key=str)

    def pages_of(self, transactions):
        paths = ["/", "/findings", "/watches", "/contracts", "/alerts", "/v1/findings", "/v1/watches", "/readyz",
                 "/account/alice.sandbox", "/v1/transactions?account_id=alice.sandbox", "/v1/transactions?account_id=alice.sandbox&format=csv"]
        for each in transactions:
            paths += [f"/tx/{each.hash}", f"/v1/transactions/{each.hash}", f"/v1/transactions/{each.hash}/tree.svg"]
        return [self.page(self.daemon, path)[0] for path in paths]

    def ask(self, method, path, body=None):
        self.page(self.daemon, "/livez")  # it serves
        connection = http.client.HTTPConnection(re.search(r"listen=(\S+)", self.daemon.log())[1])
        headers = {"Authorization": "Bearer " + TOKEN, "Content-Type": "application/json"}
        connection.request(method, path, body if body is None else body.encode(), headers)
        answer = connection.getresponse()
        answer.read()
        connection.close()
        return answer.status

    def odd_requests(self):
        """Clients: bodies and parameters."""
        known = "11111111111111111111111111111111"
        texts = [json.dumps(each) for each in odd.TEXTS] + odd.JSON_TEXTS
        for value in texts:
            for path, body in (
                    ("/v1/watches", f'{{"tx_hash":"{known}","sender_id":"dave.sandbox","metadata":{{"a":{value},{value}:1}}}}'),
                    ("/v1/watches", f'{{"tx_hash":{value},"sender_id":{value},"metadata":{value},"idempotency_key":{value}}}'),
                    ("/v1/silences", f'{{"matcher":{{"rule":[{value}]}},"reason":{value},"author":{value},"for":"1h"}}'),
                    ("/v1/rules/check", f'{{"rules":{value}}}'),
                    ("/v1/transactions", f'{{"signed_tx_base64":{value},"metadata":{{"a":{value}}}}}')):
                self.assertLess(self.ask("POST", path, body), 500, f"{path} {body[:200]}")
        for value in [*odd.TEXTS[:-1], *odd.NUMBERS, "%", "\x7f"]:
            quoted = urllib.parse.quote(value, safe="")
            for path in (f"/v1/findings?limit={quoted}", f"/v1/findings?contract={quoted}", f"/v1/watches?sender_id={quoted}",
                         f"/v1/transactions/{quoted}", f"/v1/alerts?endpoint={quoted}", f"/findings?contract={quoted}",
                         f"/contracts?hours={quoted}", f"/search?q={quoted}", f"/v1/watches/{quoted}", f"/account/{quoted}",
                         f"/v1/transactions?account_id={quoted}", f"/v1/gaps?cursor={quoted}", f"/v1/backfills?format={quoted}",
                         f"/v1/transactions?account_id=alice.sandbox&method={quoted}&error_class={quoted}&cursor={quoted}",
                         f"/v1/transactions?account_id=alice.sandbox&since={quoted}&until={quoted}"):
                self.assertLess(self.ask("GET", path), 500, path)

    def odd_rows(self):
        """A member of receiptd_watcher: what the table does not take it does not get."""
        for value in [*odd.TEXTS[1:], *odd.NUMBERS]:
            quoted = value.replace("'", "''")
            self.query("DO $odd$ BEGIN SET LOCAL ROLE receiptd_watcher; INSERT INTO watches (tx_hash, sender_id) "
                       f"VALUES ('{quoted}', '{quoted}'); EXCEPTION WHEN data_exception OR integrity_constraint_violation "
                       "OR program_limit_exceeded THEN NULL; END $odd$")
        self.assertEqual(self.value("SELECT count(*) FROM watches WHERE tx_hash !~ '^[1-9A-Za-z]{32,44}$'"), "0")

    def strangers_are_shown(self):
        included = [row[0] for row in self.query("SELECT tx_hash FROM transactions WHERE signer_id = 'alice.sandbox'")]
        self.assertEqual(set(included), {each.hash for each in self.strange}, "all were in blocks")
        for tx_hash in included:
            for path in (f"/tx/{tx_hash}", f"/v1/transactions/{tx_hash}", f"/v1/transactions/{tx_hash}/tree.svg"):
                self.assertEqual(self.page(self.daemon, path)[0], 200, path)
        self.receiptd("tx", included[0], "--json", "--config", self.toml, expect=None)
        self.assertEqual(self.query("SELECT * FROM set_aside"), [])
        self.assertNotIn("set_aside", self.page(self.daemon, "/readyz")[1])
        logs = self.query("SELECT logs, convert_from(as_given, 'UTF8')::text FROM receipts "
                          "WHERE as_given IS NOT NULL AND logs IS NOT NULL AND predecessor_id = 'alice.sandbox'")
        self.assertIn([odd.TEXTS[0]], [json.loads(given)["logs"] for _, given in logs])
        self.assertEqual(self.value(r"SELECT count(*) FROM events WHERE event = 'ft_transfer' AND data::text LIKE '%\\u2400\\ufffd%'"), "1")
        self.assertGreater(len(self.query("SELECT FROM alerts WHERE account_id = 'carol.sandbox'")), 1,
                           "tokens that move with an odd memo make an alert")

    def everything_can_be_read(self):
        """By SQL: each view, and each JSON as JSON."""
        for name, in self.query("SELECT viewname FROM pg_views WHERE schemaname = 'public'"):
            self.query(f"SELECT count(v::text) FROM {name} v")
        columns = self.query("SELECT c.relname, a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid "
                             "WHERE c.relnamespace = 'public'::regnamespace AND a.atttypid = 'json'::regtype "
                             "AND NOT c.relispartition AND NOT a.attisdropped AND a.attnum > 0")
        self.assertIn(("receipts", "actions"), [tuple(each) for each in columns])
        for table, column in columns:
            self.query(f"""SELECT count("{column}" #>> '{{0,none}}'), count("{column}" ->> 'none') FROM {table}""")


if __name__ == "__main__":
    support.main()
