#!/usr/bin/env python3
"""Watched transactions are heard of before their block is final, and each such inclusion is confirmed or taken back.

./dev sweep early FORKS plays so many forks, and measures how early a transaction is heard of; RECEIPTD_SEED chooses the forks.
"""

import collections
import contextlib
import json
import os
import random
import threading
import time
import unittest

import support
from handed_in import TOKEN, final_hash, key_of, nonce_of
from receiver import Receiver, endpoint, secret_file
from signer import Signed

LONG = support.count_of("early")
FORKS = LONG or 12
SEED = int(os.environ.get("RECEIPTD_SEED", 46))
WATCHED, BLOCK_MS = 1_000, 600  # of the measurement
RULE = '[[rule]]\nname = "stages"\nkind = "stage"\nstages = ["included", "final"]\n'
SOURCES = ("rpc", "neardata", "indexer")
ACCOUNTS = ("alice.sandbox", "carol.sandbox")


class Early(support.Scenario):
    def begin(self, *sources, arguments=("--block-time-ms", 0), extra=""):
        self.chain = self.sandbox("--seed", SEED, "--traffic", "mixed", "--tps", 3, *arguments, command="run", regular_hosts=2)
        genesis = self.chain.ask("/status")["genesis_height"]
        self.databases = {source: self.database if i == 0 else self.make_database() for i, source in enumerate(sources)}
        self.daemons = {source: self.start("run", "--config", self.config(
            self.chain, source=source, start=genesis + 1, network="sandbox", patience="60s", database=database,
            hosts=("regular",), extra=extra)) for source, database in self.databases.items()}
        self.chain.ask("/advance", {"blocks": 4})
        for database in self.databases.values():
            support.wait_until("blocks are stored", lambda: self.goes_on() and self.value("SELECT to_regclass('blocks')", database)
                               and self.stored(database) >= self.chain.ask("/status")["final_height"])
        self.keys = {account: key_of(self.chain, account) for account in ACCOUNTS}
        self.nonces = {account: nonce_of(self.chain, account, key) for account, key in self.keys.items()}

    def goes_on(self):
        for source, daemon in self.daemons.items():
            self.assertIsNone(daemon.poll(), (source, daemon.log()[-4000:]))
        return True

    def stored(self, database):
        return int(self.value("SELECT coalesce(max(block_height), 0) FROM blocks", database))

    def sign(self, account):
        self.nonces[account] += 1
        return Signed(self.keys[account], account, "bob.sandbox", self.nonces[account], final_hash(self.chain), TOKEN // 1000)

    def watched(self, account="alice.sandbox", arrives=True):
        """A transaction that is watched everywhere, and then sent, if it is to arrive."""
        sent = self.sign(account)
        for database in self.databases.values():
            self.query(f"INSERT INTO watches (tx_hash, sender_id) VALUES ('{sent.hash}', '{account}')", database)
            support.wait_until("it is watched", lambda: self.goes_on() and self.value(
                f"SELECT watched_since IS NOT NULL FROM watches WHERE tx_hash = '{sent.hash}'", database) == "t")
        if arrives:
            self.chain.rpc("broadcast_tx_async", [sent.base64])
        return sent.hash

    def wait_for(self, what, tx_hash, condition, databases=None):
        for database in databases or self.databases.values():
            support.wait_until(what, lambda: self.goes_on() and self.value(
                f"SELECT {condition} FROM watches WHERE tx_hash = '{tx_hash}'", database) == "t")

    def early(self, tx_hash):
        self.wait_for("it is included early", tx_hash, "early_block_hash IS NOT NULL")

    def inclusions(self, database):
        """[(tx, from, to, final, inclusion_id)] in their order."""
        return self.query("SELECT tx_hash, from_stage, to_stage, final, inclusion_id FROM watch_transitions "
                          "WHERE 'included' IN (from_stage, to_stage) ORDER BY at", database)

    def assert_none_is_open(self, database):
        """Each inclusion that was not final is confirmed or taken back, before anything else happens to its transaction."""
        fates, open_now = collections.Counter(), {}
        for tx_hash, before, after, final, inclusion in self.inclusions(database):
            if final == "f":
                self.assertNotIn(tx_hash, open_now)
                open_now[tx_hash] = inclusion
            elif inclusion:
                self.assertEqual(open_now.pop(tx_hash, None), inclusion)
                fates["confirmed" if after == "included" else "retracted"] += 1
            else:
                self.assertNotIn(tx_hash, open_now)
        self.assertEqual(open_now, {})
        self.assertEqual(self.value("SELECT count(*) FROM watches WHERE early_block_hash IS NOT NULL", database), "0")
        return fates

    def assert_blocks(self, database):
        """What is confirmed is in the block that was named, and what is taken back is not."""
        for tx_hash, _, after, final, inclusion in self.inclusions(database):
            if not inclusion or final == "f":
                continue
            truth = self.chain.ask(f"/transactions/{tx_hash}")["heights"]["included"]
            block = self.chain.rpc("block", {"block_id": truth})["header"]["hash"]
            self.assertEqual(inclusion == f"{tx_hash}:{block}", after == "included", (tx_hash, after, inclusion))

    def test_is_heard_of_before_its_block_is_final_by_each_source(self):
        self.begin(*SOURCES)
        sent = self.watched()
        self.chain.ask("/advance", {})
        self.early(sent)
        final = self.chain.ask("/status")["final_height"]
        for database in self.databases.values():
            stage, at, is_final = self.query(f"SELECT stage, early_block_height, final FROM open_watches JOIN watches USING "
                                             f"(tx_hash, stage) WHERE tx_hash = '{sent}'", database)[0]
            self.assertEqual((stage, is_final), ("included", "f"))
            self.assertGreater(int(at), final)
        self.chain.ask("/advance", {"blocks": 6})
        self.wait_for("it has ended", sent, "stage = 'final'")
        for database in self.databases.values():
            self.assertEqual(self.assert_none_is_open(database), {"confirmed": 1})
            self.assert_blocks(database)
            self.assertEqual(self.query("SELECT from_stage, to_stage, final FROM watch_transitions ORDER BY at", database)[:3],
                             [["accepted", "included", "f"], ["included", "included", "t"], ["included", "executing", None]])

    def fork(self, tx_hash, lost):
        """The transaction is in a block of a fork, which all daemons see before it loses."""
        self.chain.ask("/fork", {"blocks": lost})
        self.chain.ask("/advance", {"blocks": lost})
        if self.chain.ask(f"/transactions/{tx_hash}")["heights"]["included"]:
            self.early(tx_hash)

    def test_through_forks_each_is_confirmed_or_taken_back(self):
        self.begin(*SOURCES)
        chance = random.Random(SEED)
        sent = []
        for number in range(FORKS):
            sent.append(self.watched(ACCOUNTS[number % len(ACCOUNTS)]))
            self.fork(sent[-1], chance.choice((1, 2)))
            self.chain.ask("/advance", {"blocks": chance.randint(1, 3)})
        self.chain.ask("/advance", {"blocks": 8})
        for tx_hash in sent:
            self.wait_for("it has ended", tx_hash, "stage = 'final'")
        for source, database in self.databases.items():
            with self.subTest(source):
                fates = self.assert_none_is_open(database)
                self.assert_blocks(database)
                self.assertGreaterEqual(fates["retracted"], FORKS // 2, fates)

    def test_endpoints_hear_of_both(self):
        receiver = Receiver()
        self.addCleanup(receiver.stop)
        self.begin("rpc", extra=RULE + endpoint("ops", receiver.url, secret_file(self.folder), rules=("stages",)))
        sent = self.watched()
        self.fork(sent, 1)
        self.chain.ask("/advance", {"blocks": 8})
        self.wait_for("it has ended", sent, "stage = 'final'")
        told = lambda: {alert: json.loads(body) for alert, _, body in list(receiver.requests)}
        support.wait_until("the end is told", lambda: f"final:{sent}" in told())
        inclusions = collections.defaultdict(dict)
        for alert, body in told().items():
            data = body["data"]
            self.assertEqual(data["tx_hash"], sent)
            if body["type"] != "transaction.final":
                inclusions[data["inclusion_id"]][body["type"]] = (data["stage"], data["final"])
                self.assertEqual(alert, f"{body['type'].removeprefix('transaction.')}:{data['inclusion_id'] or sent}")
        first, *others = sorted(inclusions.values(), key=lambda each: "transaction.retracted" not in each)
        self.assertEqual(first, {"transaction.included": ("included", False), "transaction.retracted": ("pending", None)})
        self.assertIn(others, ([{"transaction.included": ("included", False), "transaction.confirmed": ("included", True)}],
                               [{"transaction.included": ("included", True)}]))

    def test_asks_for_no_chunk_twice(self):
        self.begin("rpc")
        asked, first = self.asked("chunk"), self.stored(self.database)
        self.watched(arrives=False)
        for _ in range(10):
            self.chain.ask("/advance", {})
            height = self.chain.ask("/status")["height"]
            support.wait_until("the block is seen early", lambda: self.goes_on() and self.asked("chunk") - asked
                               == self.new_chunks(first + 1, height))
        support.wait_until("it is stored", lambda: self.goes_on()
                           and self.stored(self.database) == self.chain.ask("/status")["final_height"])
        self.assertEqual(self.asked("chunk") - asked, self.new_chunks(first + 1, height))

    def new_chunks(self, first, last):
        count = 0
        for height in range(first, last + 1):
            with contextlib.suppress(KeyError):  # a height without a block
                chunks = self.chain.rpc("block", {"block_id": height})["chunks"]
                count += sum(chunk["height_included"] == height for chunk in chunks)
        return count

    def asked(self, method=None, source="rpc"):
        """Requests of the daemon to its hosts, of one method or of all."""
        return sum(int(float(line.rsplit(" ", 1)[1])) for line in self.page(self.daemons[source], "/metrics")[1].splitlines()
                   if line.startswith("receiptd_rpc_requests_total{") and (method is None or f'method="{method}"' in line))

    @unittest.skipUnless(LONG, "./dev sweep early measures")
    def test_is_heard_of_soon_and_costs_one_request_more_a_height(self):
        self.begin("rpc", "indexer", arguments=("--block-time-ms", BLOCK_MS))
        idle = self.cost_of(60)
        for database in self.databases.values():
            self.query("INSERT INTO watches (tx_hash, sender_id) SELECT translate(rpad('N' || n, 43, 'x'), '0', 'z'), "
                       "'nobody.sandbox' FROM generate_series(10000, 19999) n", database)
            support.wait_until("all have been asked for", lambda: self.goes_on() and self.value(
                "SELECT count(*) FROM watches WHERE checks < 2", database) == "0")
        waiting = self.cost_of(60)
        for source in self.daemons:
            print(f"{source}: {idle[source]:.2f} requests a height, {waiting[source]:.2f} while 10,000 wait")
            self.assertLess(waiting[source] - idle[source], 1.2)
        sent = [self.sign(ACCOUNTS[0]) for _ in range(WATCHED)]
        rows = ", ".join(f"('{each.hash}', '{ACCOUNTS[0]}')" for each in sent)
        for database in self.databases.values():
            self.query(f"INSERT INTO watches (tx_hash, sender_id) VALUES {rows}", database)
            support.wait_until("all are watched", lambda: self.goes_on() and self.value(
                "SELECT count(*) FROM watches WHERE watched_since IS NULL", database) == "0")
        threading.Thread(target=self.note_heights, daemon=True).start()
        for each in sent:
            self.chain.rpc("broadcast_tx_async", [each.base64])
            time.sleep(BLOCK_MS / 1000 / 10)  # ten in a block
        for database in self.databases.values():
            support.wait_until("all are in final blocks", lambda: self.goes_on() and self.value(
                "SELECT count(*) FROM watches WHERE sender_id <> 'nobody.sandbox' AND (stage IN ('accepted', 'pending') "
                "OR early_block_hash IS NOT NULL)", database) == "0")
        for source, database in self.databases.items():
            self.tell_how_soon(source, database)

    def cost_of(self, heights):
        """Requests a height of each daemon."""
        first, before = self.chain.ask("/status")["height"], {source: self.asked(source=source) for source in self.daemons}
        support.wait_until("time has passed", lambda: self.goes_on() and self.chain.ask("/status")["height"] >= first + heights)
        passed = self.chain.ask("/status")["height"] - first
        return {source: (self.asked(source=source) - count) / passed for source, count in before.items()}

    def note_heights(self):
        self.served, self.final = {}, {}
        while True:
            status = self.chain.ask("/status")
            self.served.setdefault(status["height"], time.time())
            self.final.setdefault(status["final_height"], time.time())
            time.sleep(0.005)

    def tell_how_soon(self, source, database):
        heard = {row[0]: (int(row[1]), float(row[2])) for row in self.query(
            "SELECT tx_hash, block_height, extract(epoch FROM at) FROM watch_transitions WHERE to_stage = 'included' AND final = 'f'",
            database)}
        waits = sorted(at - self.served[height] for height, at in heard.values() if height in self.served)
        before = sum(height not in self.final or at < self.final[height] for height, at in heard.values())
        block = BLOCK_MS / 1000
        print(f"{source}: {before} of {WATCHED} heard of before their block was final; after the block was served "
              f"p50 {waits[len(waits) // 2] / block:.2f}, p95 {waits[len(waits) * 95 // 100] / block:.2f} block times")
        self.assertGreaterEqual(before, 0.95 * WATCHED)
        self.assertLessEqual(waits[len(waits) // 2], block / 2)


if __name__ == "__main__":
    support.main()
