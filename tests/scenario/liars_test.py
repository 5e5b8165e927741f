"""One of three hosts lies, in a new way every few seconds, while the daemon and PostgreSQL are killed by turns: what is
stored, ended and told is what a daemon before honest hosts stores, and what is true.

./dev sweep liars does it more often; RECEIPTD_SEED repeats the lies and the moments of a run.
"""

import collections
import json
import os
import random
import re
import signal
import time
import urllib.error

import support
from database_proxy import MOMENTS, Proxy
from handed_in import FATES, HandedIn
from liars import ABOUT_THE_NETWORK, EVERY, Liar
from receiver import SECRET, Receiver, endpoint, secret_file, signed
from signer import Key, b58encode
from truth import OF_ONE_SOURCE, told_ids
from watched import EVERYTHING, Watched

MANY = support.count_of("liars")
KILLS = MANY or 6
SEED = int(os.environ.get("RECEIPTD_SEED") or (random.SystemRandom().randrange(10**6) if MANY else 1))
KILLS_OF_ANOTHER_NETWORK = max(2, KILLS // 20)  # the last ones
HANDED_IN_EVERY = max(2, KILLS // 40)  # kills
BLOCK_MS, TPS = 200, 15 if MANY else 10
VALIDITY = (400 if MANY else 200) + 30 * KILLS  # blocks: the chain is not that old at the last kill
LATE = support.DEADLINE + 3 * KILLS
# Nothing is stuck: that depends on how long the kills take.
WATCHING = (EVERYTHING + f"[watching]\nvalidity_blocks = {VALIDITY}\n"
            + "".join(f'stuck_after_{stage} = "7d"\n' for stage in ("pending", "included", "executing", "completed")))
# What the daemon commits when it or PostgreSQL dies.
KINDS = {"rpc": (("COPY blocks",), ("DELETE FROM pending_trees WHERE tx_hash",)),
         "neardata": (("COPY blocks",), ("UPDATE watches w SET stage",))}
TABLES = ("blocks", "chunks", "transactions", "receipts", "data_receipts", "events", "transaction_results",
          "(SELECT * FROM findings WHERE kind IN ('failed_receipt', 'failed_transaction', 'tokens_returned', 'burnt_tokens', 'wallet_refused', "
          "'yield_timed_out'))")


class Liars(Watched, support.OwnCluster):
    def begin(self, source):
        self.source, self.chance = source, random.Random(f"{source} {SEED}")
        self.chain = self.sandbox("--block-time-ms", BLOCK_MS, "--traffic", "mixed", "--tps", TPS, "--seed", SEED,
                                  "--genesis-time", "now", "--validity-blocks", VALIDITY, "--retention-blocks", 0,
                                  command="run", regular_hosts=2)
        self.genesis = self.chain.rpc("block", {"sync_checkpoint": "genesis"})["header"]["height"]
        self.receiver = Receiver()
        self.addCleanup(self.receiver.stop)
        # Rows that PostgreSQL has confirmed are to be there after a crash.
        self.query("ALTER SYSTEM SET synchronous_commit = on", self.postgres("url", self.cluster))
        self.honest, self.disturbed = self.database, self.postgres("database", self.cluster, "disturbed")
        alerts = endpoint("ops", self.receiver.url, secret_file(self.folder))
        # Whom it asks first is a liar at times.
        self.liar = Liar(self.chain, self.chance.choice(("regular", "regular-2")), SEED, source == "rpc", about_outcomes=source == "rpc")
        true = "regular" if self.liar.host == "regular-2" else "regular-2"
        all_three = ("regular", "regular-2", "archival") if source == "rpc" else (true, "archival")
        self.proxy = Proxy(self.disturbed)
        self.addCleanup(self.proxy.stop)
        self.settings = self.configured(self.proxy.url, all_three, self.liar.host, WATCHING + alerts)
        self.receiptd("migrate", "--config", self.settings)
        self.witness = self.start("run", "--config", self.configured(self.honest, (true, "archival"), true))
        self.daemon = self.start("run", "--config", self.settings)

    def configured(self, database, hosts, whole_blocks, extra=""):
        return self.config(self.chain, source=self.source, start=self.genesis + 1, network="sandbox", patience="60s",
                           database=database, hosts=hosts, whole_blocks=whole_blocks, extra=extra)

    # --- What dies ---------------------------------------------------------------------------------

    def assert_alive(self, daemon):
        self.assertIsNone(daemon.poll(), daemon.log()[-4000:])

    def kill_the_daemon(self):
        self.proxy.kill(self.daemon)
        self.daemon = self.start("run", "--config", self.settings)

    def kill_postgres(self):
        """A session of the daemon's, by which the server loses all of them, or the whole server."""
        self.proxy.wait(self.daemon)
        sessions = self.query("SELECT pid FROM pg_stat_activity WHERE application_name = 'receiptd'", self.disturbed)
        killed = 0
        if sessions and self.chance.random() < 0.5:
            killed = int(self.chance.choice(sessions)[0])
            os.kill(killed, signal.SIGKILL)
        else:
            self.postgres("restart", self.cluster, "immediate")

        def there():
            try:
                return self.value(f"SELECT count(*) FROM pg_stat_activity WHERE pid = {killed}", self.disturbed) == "0"
            except AssertionError:
                return False
        support.wait_until("PostgreSQL is there again", there)
        self.proxy.cut_off()

    def name_a_step(self, number):
        """Now and then it is so far away that what is asked every few seconds has been asked."""
        nth = self.chance.randint(30, 60) if self.chance.random() < 0.12 else self.chance.randint(1, 15)
        # No whole block is stored while their host is of another network.
        about = KINDS[self.source][number // 6 % 2] if number < KILLS - KILLS_OF_ANOTHER_NETWORK else ()
        self.proxy.step(nth, MOMENTS[number // 2 % 3], about)

    # --- What is watched ---------------------------------------------------------------------------

    def watch_one_that_is_never_sent(self):
        """It expires while the host lies; returns its end."""
        tx_hash = b58encode(self.chance.randbytes(32))
        until = self.final_height() + self.chance.randrange(10, 60)
        self.query("INSERT INTO watches (tx_hash, sender_id, valid_until) VALUES "
                   f"('{tx_hash}', 'alice.sandbox', {until})", self.disturbed)
        return {tx_hash: ("expired", None, "expired")}

    def watch_more(self, handed_in, number, ends):
        fates = list(FATES)
        handed_in.hand_in(self.settings, fates[number % len(fates)])
        ends |= self.watch_one_that_is_never_sent()
        lost = [t for t in self.truth(self.final_height()) if t["tx_hash"] not in ends | handed_in.fates]
        ends |= self.watch_lost(lost[:10], VALIDITY, [self.disturbed])

    # --- What is true ------------------------------------------------------------------------------

    def true_alerts(self, truth, ends):
        return told_ids(truth) | {f"{stage}:{tx_hash}" for tx_hash, (stage, *_) in ends.items() if stage != "final"}

    def assert_same_rows(self):
        """All columns. Ends of watches are no rows of the chain: `assert_ended` looks at these."""
        databases = (self.disturbed, self.honest)
        by_both = self.source == "neardata" and {"{}"} != {
            self.value("SELECT without_outcomes FROM coverage", database) for database in databases}
        roots = [{tuple(row[:2]): row[2] for row in self.query("SELECT block_height, shard_id, executed_root FROM chunks "
                                                               "WHERE executed_root IS NOT NULL", database)} for database in databases]
        self.assertEqual({place for place in roots[0].keys() & roots[1].keys() if roots[0][place] != roots[1][place]}, set())
        for table in TABLES:
            # Whether a second host confirms a tree depends on which of them are up meanwhile.
            without = OF_ONE_SOURCE.get(table, ()) if by_both else ()
            stored, true = (self.rows(table, database, {"confirmed", *without}) for database in databases)
            with self.subTest(table=table):
                self.assert_same(stored, true)

    def assert_told(self, alerts):
        taken_back = {alert.removeprefix("corrected:") for alert in self.receiver.accepted if alert.startswith("corrected:")}
        self.assert_same({alert for alert in self.receiver.accepted if not alert.startswith("corrected:")
                          and (alert in alerts or alert not in taken_back)}, alerts)
        bodies = collections.defaultdict(set)
        for alert, headers, body in self.receiver.requests:
            bodies[alert].add(body)
            self.assertTrue(signed(headers, body, SECRET), headers)
        self.assertEqual([alert for alert, sent in bodies.items() if len(sent) > 1], [], "sent again, it is the same")

    def assert_none_expired_early(self, before):
        """Looks at transactions that were over by `before`, when the chain was still in step with the clock."""
        early = self.query("SELECT tx_hash, at, b.block_time, valid_until FROM watch_transitions JOIN watches w USING (tx_hash) "
                           "JOIN blocks b ON b.block_height = w.valid_until "
                           f"WHERE to_stage = 'expired' AND at < b.block_time AND valid_until <= {before}", self.disturbed)
        self.assertEqual(early, [])

    # --- The story ---------------------------------------------------------------------------------

    def disturb(self, handed_in, ends):
        self.liar.begin()
        began = time.monotonic()
        for number in range(KILLS):
            if number == KILLS - KILLS_OF_ANOTHER_NETWORK:
                self.liar.end()
                self.liar.say([self.chance.choice(ABOUT_THE_NETWORK)])
            if number % HANDED_IN_EVERY == 0:
                self.watch_more(handed_in, number // HANDED_IN_EVERY, ends)
            self.assert_alive(self.daemon)
            self.name_a_step(number)
            (self.kill_the_daemon if number % 2 == 0 else self.kill_postgres)()
        print(f"\n{self.source}: {(time.monotonic() - began) / KILLS:.2f} s a kill", flush=True)
        self.liar.say([])
        if not MANY:
            self.daemon.send_signal(signal.SIGHUP)  # else a host of another network is asked again after a minute

    def stored(self, database):
        self.assert_alive(self.daemon)
        self.assert_alive(self.witness)
        return (self.value(f"SELECT int8range({self.genesis + 1}, {self.last}, '[]') <@ heights FROM coverage", database) == "t"
                and self.trees_are_whole(database))

    def come_to_rest(self, ends):
        """All that happens has happened, and both have it. Returns the height up to which the chain kept in step with the clock."""
        soon = ", ".join(f"'{tx_hash}'" for tx_hash, (stage, *_) in ends.items() if stage != "expired")
        support.wait_until("what need not expire has ended", lambda: self.value(
            f"SELECT count(*) FROM open_watches WHERE tx_hash IN ({soon})", self.disturbed) == "0", LATE)
        before = self.final_height()
        self.chain.ask("/traffic", {"tps": 0})
        self.chain.ask("/advance", {"blocks": VALIDITY})
        for database in (self.disturbed, self.honest):
            self.last = self.final_height()
            support.wait_until("the new blocks are stored", lambda: self.stored(database), LATE)
        support.wait_until("no watch is open", lambda: self.value(
            "SELECT count(*) FROM open_watches", self.disturbed) == "0", LATE)
        self.chain.ask("/pause", {})
        self.last = self.final_height()
        for database in (self.disturbed, self.honest):
            support.wait_until("all is stored", lambda: self.stored(database), LATE)
        support.wait_until("all is delivered", lambda: self.value(
            "SELECT count(*) FROM deliveries WHERE state = 'pending'", self.disturbed) == "0", LATE)
        _, metrics = self.page(self.witness, "/metrics")
        self.assertRegex(metrics, r'receiptd_header_hash_total\{result="equal"\} [1-9]')
        self.assertRegex(metrics, r'receiptd_header_hash_total\{result="different"\} 0\n')
        for process in (self.daemon, self.witness):
            process.send_signal(signal.SIGTERM)
            self.assertEqual(support.ended(process), 0, process.log()[-4000:])
        return before

    def survive(self, source):
        print(f"\nRECEIPTD_SEED={SEED}", flush=True)
        self.begin(source)
        ends, alice = {}, Key(self.chain.ask("/keys")[0]["secret_key"])
        handed_in = HandedIn(self, alice, -(-KILLS // HANDED_IN_EVERY))
        self.disturb(handed_in, ends)
        ends |= {tx_hash: FATES[fate][0] for tx_hash, (_, fate) in handed_in.fates.items()}
        before = self.come_to_rest(ends)
        print("answers that lied:", json.dumps(self.liar.told), flush=True)
        included = self.included(self.last)
        self.assertGreater(len(included), 10 * KILLS)
        # A host that is put aside, or not preferred, is asked little: few kills meet few lies.
        self.assertGreaterEqual(3 * sum(self.liar.told.values()), KILLS, "hardly anybody heard a lie")
        self.assertEqual(self.value("SELECT wanted - heights FROM coverage", self.disturbed), "{}")
        self.assert_same_rows()
        lost = set(ends) - {t["tx_hash"] for t in included}
        self.assert_true(self.source, self.disturbed, included, self.last, lost, handed_in.fates)
        self.assert_ended(self.disturbed, ends)
        self.assert_none_expired_early(before)
        self.assert_judged(self.disturbed, included, included)
        self.assert_told(self.true_alerts(included, ends))

    def test_every_lie_that_a_host_of_the_sandbox_can_tell_is_told(self):
        chain = self.sandbox(command="run")
        with self.assertRaises(urllib.error.HTTPError) as refused:
            chain.ask("/lies", {"lies": [{"lie": "none of them"}]})
        known = re.search(r"must be one of ([a-z_, ]+), not", refused.exception.read().decode())[1].split(", ")
        self.assertEqual(sorted(set(EVERY)), sorted(known))

    def test_blocks_and_trees_by_rpc(self):
        with self.subTest(seed=SEED):
            self.survive("rpc")

    def test_whole_blocks(self):
        with self.subTest(seed=SEED):
            self.survive("neardata")


if __name__ == "__main__":
    support.main()
