#!/usr/bin/env python3
"""All that strangers can do, at once: one of three hosts lies in a new way every few seconds, transactions are full of odd
texts, a role of the database holds locks, clients flood the API. A calm daemon follows the same chain.

./dev sweep strangers MINUTES goes on for so long, and measures; RECEIPTD_SEED repeats the lies of a run.
"""

import contextlib
import os
import pathlib
import random
import re
import subprocess
import sys
import time

import libpq
import odd
import progress
import support
from handed_in import final_hash, key_of, nonce_of
from liars import Liar
from receiver import Receiver, endpoint, secret_file
from signer import call

MINUTES = support.count_of("strangers")
ROUNDS = MINUTES * 60 // 3 or 4  # one takes three seconds or more
SEED = int(os.environ.get("RECEIPTD_SEED") or (random.SystemRandom().randrange(10**6) if MINUTES else 1))
BLOCK_MS, TPS = (500, 20) if MINUTES else (200, 10)
CLIENTS = 1_000 if MINUTES else 100
TOKEN = "the-token-of-the-siege"
# Asked of a sweep alone: a test may run beside others.
LEAST_OF_CALM, MOST_MEMORY_MB, LONGEST_PAUSE = 0.98, 256, 20  # blocks
RULES = '[[rule]]\nname = "bobs"\nkind = "finding"\nreceiver = "bob.sandbox"\n'
OF_CUSTOMERS = {
    "transactions": "tx_hash, block_height, signer_id, receiver_id, status, error_text, actions::text",
    "receipts": "receipt_id, tree_id, block_height, parent_receipt_id, role, status, error_text, logs, gas_burnt",
    "transaction_results": "tx_hash, verdict, error_class, error_text, receipts, failed_receipts, completed_height",
    "findings": "finding_id, kind, handled, contract_id, method_name, error_class, error_text",
}
OF_THE_CHAIN = {"findings": "AND kind <> 'corrected'"}  # the stream may have had a finding of a false block


class Besieged(support.Scenario):
    def begin(self, source):
        print(f"\nRECEIPTD_SEED={SEED}", flush=True)
        self.chain = self.sandbox("--block-time-ms", BLOCK_MS, "--shards", 2, "--traffic", "mixed", "--tps", TPS, "--seed", SEED,
                                  "--genesis-time", "now", "--retention-blocks", 0, command="run", regular_hosts=2)
        self.receiver = Receiver()
        self.addCleanup(self.receiver.stop)
        token = self.folder / "token"
        token.write_text(TOKEN)
        token.chmod(0o600)
        alerts = RULES + endpoint("ops", self.receiver.url, secret_file(self.folder), rules=("bobs",))
        self.calm = self.make_database()
        self.liar = Liar(self.chain, "regular", SEED, source == "rpc")
        hosts = ("regular", "regular-2", "archival") if source == "rpc" else ("regular-2", "archival")
        start = self.chain.ask("/status")["genesis_height"] + 1
        configured = lambda **of: self.config(self.chain, source=of.pop("source"), start=start, network="sandbox", patience="60s", **of)
        self.daemon = self.start("run", "--config", configured(
            source=source, hosts=hosts, whole_blocks="regular", extra=f'token_file = "{token}"\n' + alerts))
        self.other = self.start("run", "--config", configured(
            source="rpc", hosts=("regular-2",), database=self.calm))
        for database in (self.database, self.calm):
            support.wait_until("blocks are stored", lambda: self.goes_on() and self.newest(database))
        self.address = re.search(r"listen=(\S+)", self.daemon.log())[1]
        self.alice, self.carol = (self.sender(name) for name in ("alice.sandbox", "carol.sandbox"))
        self.customers, self.pause = [], 0

    def goes_on(self):
        for daemon in (self.daemon, self.other):
            self.assertIsNone(daemon.poll(), daemon.log()[-4000:])
        return True

    def newest(self, database):
        there = self.value("SELECT to_regclass('blocks')", database)
        return int((there and self.value("SELECT max(block_height) FROM blocks", database)) or 0)

    def sender(self, account):
        key = key_of(self.chain, account)
        return odd.Sender(key, account, nonce_of(self.chain, account, key), final_hash(self.chain))

    def send(self, transactions):
        for each in transactions:
            self.chain.rpc("broadcast_tx_async", [each.base64])

    @contextlib.contextmanager
    def flooded(self):
        clients = subprocess.Popen([sys.executable, pathlib.Path(__file__).with_name("flood.py"), self.address, str(CLIENTS), TOKEN],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.kill, clients)
        progress.readable(clients.stdout, "the clients have opened their connections")
        self.assertEqual(clients.stdout.readline(), "opened\n")
        yield
        clients.communicate("")

    @contextlib.contextmanager
    def held_up(self):
        """Roles without rights on anything but watches and views hold what they can."""
        sessions = []
        for role, statements in {
            "receiptd_readonly": ["LOCK TABLE blocks, receipts, alerts IN ACCESS SHARE MODE",
                                  "SELECT pg_advisory_xact_lock(n) FROM generate_series(1, 100) n"],
            "receiptd_watcher": [f"INSERT INTO watches (tx_hash, sender_id) VALUES ('{self.customers[-1].hash}', 'x.sandbox') "
                                 "ON CONFLICT DO NOTHING"],
        }.items():
            session = libpq.Session(self.database)
            sessions.append(session)
            for statement in ["BEGIN", f"SET LOCAL ROLE {role}", *statements]:
                with contextlib.suppress(libpq.Refused):
                    session.ask(statement)
        yield
        for session in sessions:
            session.ask("ROLLBACK")

    def round(self, number):
        for sender in (self.alice, self.carol):
            sender.block_hash = final_hash(self.chain)
        self.customers.append(self.carol.sign("bob.sandbox", call(f"by-a-customer-{number}", b"{}", odd.GAS)))
        strange = list(odd.by_a_contract(self.alice))
        at = number * 5 % len(strange)
        with self.held_up():
            self.send([self.customers[-1], *strange[:5 + at]])
            self.follow(3_000 // BLOCK_MS)

    def follow(self, blocks):
        """Until the calm daemon has stored so many more; notes the longest time in which the other stored nothing."""
        wanted = self.newest(self.calm) + blocks
        newest, since = self.newest(self.database), time.monotonic()
        patience = progress.Patience()
        while self.newest(self.calm) < wanted:
            self.goes_on()
            patience.check(f"{blocks} blocks are stored by the calm daemon")
            if (now := self.newest(self.database)) != newest:
                newest, since = now, time.monotonic()
            self.pause = max(self.pause, time.monotonic() - since)
            time.sleep(0.1)  # between two samples

    def besieged(self, source):
        self.begin(source)
        begun = {database: self.newest(database) for database in (self.database, self.calm)}
        self.liar.begin()
        with self.flooded():
            for number in range(ROUNDS):
                self.round(number)
        heights = {database: self.newest(database) - first for database, first in begun.items()}
        self.liar.end()
        share = heights[self.database] / heights[self.calm]
        memory = int(re.search(r"VmHWM:\s+(\d+) kB", pathlib.Path(f"/proc/{self.daemon.pid}/status").read_text())[1]) // 1024
        print(f"{source}: {heights[self.calm]} heights, {share:.3f} of them besieged; longest pause "
              f"{self.pause * 1000 / BLOCK_MS:.1f} blocks; {memory} MB; answers that lied: {sum(self.liar.told.values())}", flush=True)
        self.nothing_is_lost_or_false()
        if MINUTES:
            self.assertLessEqual(memory, MOST_MEMORY_MB)
        if MINUTES and source == "rpc":  # nobody else has whole blocks: what the liar does not tell waits for its truth
            self.assertGreaterEqual(share, LEAST_OF_CALM)
            self.assertLessEqual(self.pause * 1000 / BLOCK_MS, LONGEST_PAUSE)

    def nothing_is_lost_or_false(self):
        last = self.newest(self.calm)
        complete = lambda database: self.goes_on() and self.value(
            f"SELECT int8range((SELECT min(block_height) FROM blocks), {last}, '[]') <@ heights FROM coverage", database) == "t"
        for database in (self.database, self.calm):
            support.wait_until("every height is stored", lambda: complete(database))
        hashes = ", ".join(f"'{each.hash}'" for each in self.customers)
        rows = lambda table, columns, database: self.query(
            f"SELECT row({columns})::text FROM {table} WHERE tx_hash IN ({hashes}) {OF_THE_CHAIN.get(table, '')} ORDER BY 1", database)
        support.wait_until("the failure of each customer is found", lambda: self.goes_on() and len(
            rows("findings", "finding_id", self.calm)) >= len(self.customers))
        for table, columns in OF_CUSTOMERS.items():
            with self.subTest(table=table):
                support.wait_until(f"customers have the same {table}", lambda: self.goes_on() and rows(
                    table, columns, self.database) == rows(table, columns, self.calm))
        support.wait_until("all alerts have left", lambda: self.goes_on() and self.value(
            "SELECT count(*) FROM deliveries WHERE state = 'pending'") == "0")
        told = [body for _, _, body in self.receiver.requests]
        self.assertEqual([each.hash for each in self.customers if not any(each.hash in body for body in told)], [])
        self.assertEqual(self.query("SELECT * FROM set_aside"), [])

    def test_by_rpc(self):
        self.besieged("rpc")

    def test_by_whole_blocks(self):
        self.besieged("neardata")


if __name__ == "__main__":
    support.main()
