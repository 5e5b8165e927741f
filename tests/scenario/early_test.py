#!/usr/bin/env python3
"""Watched transactions are heard of before their block is final, and each such inclusion is confirmed or taken back.

./dev sweep early FORKS plays so many forks, and measures how early a transaction is heard of.
"""

import collections
import random

import support
from handed_in import TOKEN, final_hash, key_of, nonce_of
from receiver import Receiver, endpoint, secret_file
from signer import Signed

FORKS = support.count_of("early", 12)
RULE = '[[rule]]\nname = "stages"\nkind = "stage"\nstages = ["included", "final"]\n'
SOURCES = ("rpc", "neardata", "indexer")
ACCOUNTS = ("alice.sandbox", "carol.sandbox")


class Early(support.Scenario):
    def begin(self, *sources, arguments=("--block-time-ms", 0), extra=""):
        self.chain = self.sandbox("--seed", 46, "--traffic", "mixed", "--tps", 3, *arguments, command="run", regular_hosts=2)
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

    def watched(self, account="alice.sandbox"):
        """A transaction that is watched everywhere, and then sent."""
        self.nonces[account] += 1
        sent = Signed(self.keys[account], account, "bob.sandbox", self.nonces[account], final_hash(self.chain), TOKEN // 1000)
        for database in self.databases.values():
            self.query(f"INSERT INTO watches (tx_hash, sender_id) VALUES ('{sent.hash}', '{account}')", database)
            support.wait_until("it is watched", lambda: self.goes_on() and self.value(
                f"SELECT watched_since IS NOT NULL FROM watches WHERE tx_hash = '{sent.hash}'", database) == "t")
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
        chance = random.Random(46)
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
        support.wait_until("the end is told", lambda: any(
            each.body["type"] == "transaction.final" for each in receiver.messages()))
        told = [each for each in receiver.messages() if each.body["type"] != "transaction.final"]
        by_inclusion = collections.defaultdict(list)
        for each in told:
            by_inclusion[each.body["data"]["inclusion_id"]].append(each)
        self.assertGreaterEqual(len(by_inclusion), 2)
        for inclusion, messages in by_inclusion.items():
            ends = {each.body["type"]: each.body["data"] for each in messages}
            self.assertEqual(len({each.id for each in messages}), len(messages))
            if inclusion:
                self.assertFalse(ends["transaction.included"]["final"])
                self.assertEqual(len(ends), 2, ends)

    def test_costs_one_request_more_a_height_however_many_wait(self):
        """Two daemons on one chain: somebody waits for transactions that never come at the second one."""
        self.begin("rpc", "indexer")
        requests = lambda: {source: self.requests(daemon) for source, daemon in self.daemons.items()}
        heights = 40
        idle = self.cost_of(heights, requests)
        for database in self.databases.values():
            self.query("INSERT INTO watches (tx_hash, sender_id) SELECT translate(rpad('N' || n, 43, 'x'), '0', 'z'), "
                       "'nobody.sandbox' FROM generate_series(100, 1099) n", database)
            support.wait_until("all are taken in", lambda: self.goes_on() and self.value(
                "SELECT count(*) FROM watches WHERE checks < 2", database) == "0")
        waiting = self.cost_of(heights, requests)
        for source in self.daemons:
            more = (waiting[source] - idle[source]) / heights
            print(f"{source}: {idle[source] / heights:.2f} requests a height, {more:.2f} more while 1,000 wait")

    def cost_of(self, heights, requests):
        before = requests()
        for _ in range(heights):
            self.chain.ask("/advance", {})
            for database in self.databases.values():
                support.wait_until("the height is stored", lambda: self.goes_on() and self.stored(database)
                                   >= self.chain.ask("/status")["final_height"])
        return {source: count - before[source] for source, count in requests().items()}


if __name__ == "__main__":
    support.main()
