#!/usr/bin/env python3
"""Roles of the database that hold everything they can stop neither ingest nor alerts nor submissions of others, and are
named."""

import contextlib
import http.client
import json
import re

import libpq
import roles_test
import support
from handed_in import final_hash, key_of, nonce_of
from receiver import Receiver, endpoint, secret_file
from signer import Signed, call

GAS = 10**13
TOKEN = "a-token-of-this-scenario"
ROUNDS = support.count_of("locks", 4)
MODES = ("ACCESS SHARE", "ROW SHARE", "ROW EXCLUSIVE", "SHARE UPDATE EXCLUSIVE", "SHARE", "SHARE ROW EXCLUSIVE", "EXCLUSIVE",
         "ACCESS EXCLUSIVE")
# Names and keys that earlier versions locked.
NAMES = ("adoption", "daemons", "partitions", "migrate")
MARKS = 29285 << 48
RULES = '[[rule]]\nname = "bobs"\nkind = "finding"\nreceiver = "bob.sandbox"\n[[watch]]\nname = "alices"\nsigner = "alice.sandbox"\n'


class Holder:
    """A session in one transaction, which holds what its role may hold."""

    def __init__(self, url):
        self.session = libpq.Session(url)
        self.session.ask("BEGIN")

    def is_allowed(self, statement):
        self.session.ask("SAVEPOINT before")
        try:
            self.session.ask(statement)
            return True
        except libpq.Refused:
            self.session.ask("ROLLBACK TO before")
            return False

    def hold_all(self, tables):
        for name in NAMES:
            self.session.ask(f"SELECT pg_try_advisory_xact_lock(hashtextextended('receiptd {name}', 0))")
        self.session.ask(f"SELECT pg_try_advisory_xact_lock({MARKS} + n) FROM generate_series(0, 999) n")
        held = set()
        for table in tables:
            held |= {(table, mode) for mode in MODES if self.is_allowed(f"LOCK TABLE {table} IN {mode} MODE NOWAIT")}
            held |= {(table, row) for row in ("UPDATE", "SHARE") if self.is_allowed(f"SELECT * FROM {table} FOR {row} NOWAIT")}
        self.is_allowed("CREATE TEMP TABLE kept AS SELECT 1")
        return held

    def end(self):
        self.session.ask("ROLLBACK")


class Held(roles_test.TwoUsers):
    def setUp(self):
        super().setUp()
        self.receiver = Receiver()
        self.addCleanup(self.receiver.stop)
        self.chain = self.sandbox("--block-time-ms", 0, "--genesis-time", "now", command="run")
        token = self.folder / "token"
        token.write_text(TOKEN)
        token.chmod(0o600)
        ops = endpoint("ops", self.receiver.url, secret_file(self.folder), rules=("bobs",)) + "ordered = true\n"
        self.settings = self.config(self.chain, source="neardata", start=self.chain.ask("/status")["genesis_height"] + 1,
                                    network="sandbox", patience="60s", extra=f'token_file = "{token}"\n' + RULES + ops)
        self.keys = {name: key_of(self.chain, f"{name}.sandbox") for name in ("alice", "bob", "carol")}
        self.nonces = {name: nonce_of(self.chain, f"{name}.sandbox", key) for name, key in self.keys.items()}

    def transaction(self, signer, method=None):
        self.nonces[signer] += 1
        action = [call(method, b"{}", GAS)] if method else None
        return Signed(self.keys[signer], f"{signer}.sandbox", "bob.sandbox", self.nonces[signer], final_hash(self.chain),
                      0 if method else 1, action=action)

    def send(self, *transactions):
        for each in transactions:
            self.chain.rpc("broadcast_tx_async", [each.base64])

    def role(self, name, group=None):
        self.make_role(f"{name} LOGIN PASSWORD 'h'" + (f" IN ROLE {group}" if group else ""))
        return roles_test.as_user(self.database, name, "h")

    def post(self, path, body):
        port = re.search(r"listen=(\S+)", self.daemon.log())[1]
        with contextlib.closing(http.client.HTTPConnection(port)) as connection:
            connection.request("POST", path, json.dumps(body),
                               {"Content-Type": "application/json", "Authorization": "Bearer " + TOKEN})
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

    def follow(self, blocks):
        self.chain.ask("/advance", {"blocks": blocks})
        final = self.chain.ask("/status")["final_height"]
        self.wait("its blocks are stored", lambda: int(self.value("SELECT coalesce(max(block_height), 0) FROM blocks")) >= final)

    def wait(self, what, condition):
        support.wait_until(what, lambda: self.daemon.poll() is not None or condition())
        self.assertIsNone(self.daemon.poll(), self.daemon.log()[-3000:])

    def stage(self, transaction):
        rows = self.query(f"SELECT stage FROM watches WHERE tx_hash = '{transaction.hash}'")
        return rows[0][0] if rows else None

    def follow_until(self, what, condition):
        self.wait(what, lambda: condition() or self.chain.ask("/advance", {"blocks": 1}) is None)

    def is_alerted(self, transaction):
        return any(transaction.hash in body for _, _, body in list(self.receiver.requests))

    def test_ingest_alerts_and_submissions_of_others_go_on(self):
        self.daemon = self.start("run", "--config", self.settings)
        self.follow(5)
        tables = [row[0] for row in self.query(
            "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p', 'v') AND NOT relispartition "
            "AND relnamespace = 'public'::regnamespace ORDER BY 1")]
        holders = {role: Holder(self.role(role, group)) for role, group in (
            ("hostile_reader", "receiptd_readonly"), ("hostile_watcher", "receiptd_watcher"), ("hostile_nobody", None))}
        held = {role: holder.hold_all(tables) for role, holder in holders.items()}
        self.assertEqual({mode for _, mode in held["hostile_reader"]}, {"ACCESS SHARE"})
        self.assertEqual((held["hostile_watcher"], held["hostile_nobody"]), (set(), set()))
        taken, free, given = self.transaction("alice"), self.transaction("alice"), self.transaction("bob")
        for transaction in (taken, given):
            holders["hostile_watcher"].session.ask(
                f"INSERT INTO watches (tx_hash, sender_id) VALUES ('{transaction.hash}', 'x.near')")

        self.send(taken, free)
        for round in range(ROUNDS):
            failing = self.transaction("carol", f"missing-{round}")
            self.send(failing)
            self.follow(3)
            self.follow_until("its alert arrives", lambda: self.is_alerted(failing))
        self.follow_until("the watch that nobody holds has ended", lambda: self.stage(free) == "final")
        self.assertIsNone(self.stage(taken))
        status, answer = self.post("/v1/transactions", {"signed_tx_base64": given.base64})
        self.assertEqual(status, 503, answer)
        self.assertIn("hostile_watcher", answer)
        self.assertEqual(self.post("/v1/transactions", {"signed_tx_base64": self.transaction("carol").base64})[0], 202)
        self.assertIn("nothing to do", self.receiptd("migrate", "--config", self.config(
            self.chain, network="sandbox", database=roles_test.as_user(self.database, roles_test.OWNER, "o")))[0])
        self.wait("it is named", lambda: "hostile_watcher" in self.page(self.daemon, "/readyz")[1])
        self.assertIn("hostile_watcher", self.daemon.log())
        self.assertRegex(self.page(self.daemon, "/metrics")[1], r"receiptd_held_up_seconds (?!0\n)")

        self.kill(self.daemon)
        self.daemon = self.start("run", "--config", self.settings)
        self.follow(3)
        self.assertIsNone(self.stage(taken))
        for holder in holders.values():
            holder.end()
        self.follow_until("the watch that was held is made and ends", lambda: self.stage(taken) == "final")
        self.wait("nobody holds up anything", lambda: "hostile" not in self.page(self.daemon, "/readyz")[1])

    def test_a_statement_that_waits_for_a_role_of_the_owner_is_named(self):
        """Nothing but the owner, or a daemon, can hold these; ingest goes on when it lets go."""
        self.daemon = self.start("run", "--config", self.settings)
        self.follow(5)
        owner = Holder(roles_test.as_user(self.database, roles_test.OWNER, "o"))
        owner.session.ask("LOCK TABLE coverage IN EXCLUSIVE MODE")
        self.chain.ask("/advance", {"blocks": 3})
        self.wait("it is named", lambda: roles_test.OWNER in self.page(self.daemon, "/readyz")[1])
        self.assertIn("a session of the database holds up this daemon", self.daemon.log())
        owner.end()
        self.follow(3)


if __name__ == "__main__":
    support.main()
