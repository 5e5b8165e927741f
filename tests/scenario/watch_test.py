"""Watched transactions on a living chain: each is followed to its end, through kills, and what is said of it is true.

./dev sweep watches follows a chain of as many blocks as it is told, with 20 transactions in each and a kill every 50 blocks.
"""

import collections
import json
import random
import re

import support
from handed_in import FATES, HandedIn
from signer import Key
from watched import EVERYTHING, ORDER, Watched

LONG = support.count_of("watches")
BLOCKS, TPS = (LONG, 200) if LONG else (80, 40)
KILLS = max(len(FATES), LONG // 50)
A_YIELD = 250  # blocks: it waits for 200
VALIDITY = BLOCKS + A_YIELD + 20 * KILLS  # blocks: the chain goes on while transactions are handed in
BLOCK_MS = 100 if LONG else 50
PATIENCE = support.DEADLINE + BLOCKS
SLOW_FATES = ("superseded", "balance")  # a rival has to be in a block first
FAULTS = [{"fault": "429", "share": 0.04}, {"fault": "500", "share": 0.04}, {"fault": "reset", "share": 0.02},
          {"fault": "truncate", "share": 0.02}, {"fault": "malformed", "share": 0.02}, {"fault": "html", "share": 0.02}]


class Watching(Watched, support.Scenario):
    def setUp(self):
        super().setUp()
        self.databases = {"neardata": self.database, "rpc": self.make_database()}

    def migrated(self, config):
        self.receiptd("migrate", "--config", config)
        return config

    def living_chain(self, *more):
        self.chain = self.sandbox("--block-time-ms", BLOCK_MS, "--traffic", "mixed", "--tps", TPS, "--seed", 11, *more,
                                  command="run")
        self.genesis = self.chain.rpc("block", {"sync_checkpoint": "genesis"})["header"]["height"]

    def configured(self, source, extra=EVERYTHING, start=None):
        return self.config(self.chain, source=source, start=start or self.genesis + 1, network="sandbox",
                           database=self.databases[source], patience="60s", follow="writers = 2", extra=extra)

    def ended_well(self, daemon):
        self.assertEqual(support.ended(daemon, PATIENCE), 0, daemon.log()[-4000:])

    def hand_in(self, handed_in, config, fate):
        """The chain stands still but where the transaction's fate needs blocks."""
        if fate in SLOW_FATES:
            self.chain.ask("/resume", {})
        handed_in.hand_in(config, fate)
        self.chain.ask("/pause", {})

    def follow_and_die(self, daemons, moment):
        """These daemons get more blocks, and die when `moment` of them are stored in the first database."""
        before, first = self.final_height(), next(iter(self.databases.values()))
        self.chain.ask("/advance", {"blocks": BLOCKS // KILLS + 1})
        support.wait_until("the moment of the crash", lambda: int(self.value(
            "SELECT coalesce(max(block_height), 0) FROM blocks", first)) >= before + moment)
        for daemon in daemons:
            self.kill(daemon)

    def test_whatever_is_watched_comes_to_its_true_end_through_kills_and_faults(self):
        self.living_chain("--validity-blocks", VALIDITY)
        settings = f"[watching]\nvalidity_blocks = {VALIDITY}\n"
        configs = {source: self.migrated(self.configured(source, EVERYTHING + settings)) for source in self.databases}
        handed_in = HandedIn(self, Key(self.chain.ask("/keys")[0]["secret_key"]), len(configs) * KILLS)
        self.chain.ask("/pause", {})
        self.chain.ask("/faults", {"faults": FAULTS})
        last = self.genesis + BLOCKS
        chance = random.Random(9)
        for kill in range(KILLS):
            daemons = [self.start("run", "--config", config) for config in configs.values()]
            for config in configs.values():
                self.hand_in(handed_in, config, list(FATES)[kill % len(FATES)])
            self.follow_and_die(daemons, chance.randrange(BLOCKS // KILLS))
        self.assertGreater(self.final_height(), last)
        self.chain.ask("/faults", {"faults": []})
        self.chain.ask("/traffic", {"tps": 0})
        lost = self.watch_lost([t for t in self.truth(self.final_height()) if t["tx_hash"] not in handed_in.fates],
                               VALIDITY, self.databases.values())
        daemons = [self.start("run", "--config", config) for config in configs.values()]
        self.chain.ask("/advance", {"blocks": A_YIELD})
        soon = ", ".join(f"'{tx_hash}'" for tx_hash, (_, fate) in handed_in.fates.items() if FATES[fate][0][0] != "expired")
        for database in self.databases.values():
            support.wait_until("what need not expire has ended", lambda: self.value(
                f"SELECT count(*) FROM open_watches WHERE tx_hash IN ({soon})", database) == "0", PATIENCE)
        # All hosts have to have the blocks above its last height, too.
        self.chain.ask("/advance", {"blocks": VALIDITY - A_YIELD + 32})
        for database, daemon in zip(self.databases.values(), daemons):
            support.wait_until("what was handed in has ended", lambda: daemon.poll() is not None or self.value(
                "SELECT count(*) FROM open_watches WHERE origin <> 'rule'", database) == "0", PATIENCE)
            self.assertIsNone(daemon.poll(), daemon.log()[-4000:])
            self.kill(daemon)
        last = self.final_height()
        for daemon in [self.start("run", "--config", config, "--until", last) for config in configs.values()]:
            self.ended_well(daemon)
        for tx_hash, (_, fate) in handed_in.fates.items():
            truth = self.chain.ask(f"/transactions/{tx_hash}")
            self.assertEqual((truth["stage"], truth["reason"]), FATES[fate][1], (fate, truth))
        for source, database in self.databases.items():
            with self.subTest(source):
                last = int(self.value("SELECT max(block_height) FROM blocks", database))  # the one killed may be ahead
                included = self.included(last)
                self.assertGreater(len(included), BLOCKS)
                mine = handed_in.of(configs[source])
                ends = lost | {tx_hash: FATES[fate][0] for tx_hash, fate in mine.items()}
                self.assert_true(source, database, included, last, set(ends) - {t["tx_hash"] for t in included}, mine)
                self.assert_ended(database, ends)
                settled = self.known_by_rpc(included, last) if source == "rpc" else self.settled_by(included, last)
                self.assert_judged(database, settled, included)

    def test_a_watched_transaction_is_in_scope_whoever_signs_it(self):
        self.living_chain()
        last = self.genesis + 40
        for source in self.databases:
            config = self.config(self.chain, source=source, scope="accounts", start=self.genesis + 1, network="sandbox",
                                 database=self.databases[source], patience="60s",
                                 follow='writers = 2\naccounts = ["nobody.sandbox"]', extra=EVERYTHING)
            support.wait_until("the chain is long enough", lambda: self.final_height() > last)
            self.ended_well(self.start("run", "--config", config, "--until", last))
        included = self.included(last)
        for source in self.databases:
            with self.subTest(source):
                self.assert_true(source, self.databases[source], included, last)

    def requests(self, daemon):
        _, text = self.page(daemon, "/metrics")
        counted = collections.Counter()
        for method, count in re.findall(r'receiptd_rpc_requests_total\{[^}]*method="([^"]+)"[^}]*\} (\S+)', text):
            counted[method] += float(count)
        return counted["tx_status"] + counted["tx"]

    def test_few_questions_are_asked_about_what_the_follower_sees(self):
        self.living_chain()
        start = self.final_height()
        daemons = {source: self.start("run", "--config", self.migrated(self.configured(source, start=start)))
                   for source in self.databases}
        for source, most in (("neardata", 0), ("rpc", 2)):
            with self.subTest(source):
                ended = support.wait_until(
                    "transactions ended", lambda: (lambda n: n >= 150 and n)(int(self.value(
                        "SELECT count(*) FROM watches WHERE stage = 'final'", self.databases[source]))))
                asked = self.requests(daemons[source])
                seen = int(self.value("SELECT count(*) FROM watches", self.databases[source]))  # asked about, ended or not
                print(f"\n{source}: {asked / seen:.2f} questions for each of {seen} transactions, of which {ended} have ended")
                self.assertLessEqual(asked, most * seen)

    def test_what_is_never_included_ends_for_its_reason(self):
        self.living_chain("--validity-blocks", 60)
        extra = '[watching]\nvalidity_blocks = 60\nstuck_after_pending = "1s"\n'
        daemon = self.start("run", "--config", self.migrated(self.configured("neardata", extra)))
        lost = support.wait_until("some are lost in each way", lambda: self.lost())
        for t in lost:
            known = f", {t['nonce']}, '{self.key_of(t['signer_id'])}'" if t["reason"] == "superseded" else ", NULL, NULL"
            until = t["heights"]["accepted"] + 61 if t["stage"] == "expired" else "NULL"
            self.query("INSERT INTO watches (tx_hash, sender_id, nonce, public_key, valid_until, origin) VALUES "
                       f"('{t['tx_hash']}', '{t['signer_id']}'{known}, {until}, "
                       f"'{'submission' if t['reason'] == 'superseded' else 'hash'}')")
        support.wait_until("all have ended", lambda: self.value(
            "SELECT count(*) FROM watches WHERE stage IN ('accepted', 'pending')") == "0" or daemon.poll() is not None)
        self.assertIsNone(daemon.poll(), daemon.log()[-3000:])
        stored = {row[0]: row[1:] for row in self.query("SELECT tx_hash, stage, reason, evidence FROM watches")}
        for t in lost:
            stage, reason, evidence = stored[t["tx_hash"]]
            if t["reason"] == "superseded":
                self.assertEqual((stage, reason), ("dropped", "superseded"), t)
                self.assertIn("access_key_nonce", evidence)
            elif t["stage"] == "expired":
                self.assertEqual((stage, reason), ("expired", "expired"), t)
            else:
                self.assertEqual((stage, reason), ("unknown", "never_seen"), t)
                self.assertIn("UNKNOWN_TRANSACTION", evidence)

    def lost(self):
        truth = self.truth(self.final_height())
        ways = [[t for t in truth if t["reason"] == "superseded" and self.key_of(t["signer_id"])],
                [t for t in truth if t["stage"] == "expired"],
                [t for t in truth if t["stage"] == "forwarding_failed"]]
        return all(ways[:2]) and [t for way in ways for t in way[:3]]

    def test_the_command_shows_the_stages_and_ends_with_the_verdict(self):
        self.living_chain()
        config = self.configured("rpc", extra="")
        codes = {"succeeded": 0, "succeeded_with_handled_failure": 3, "failed": 10, "callback_failed": 11,
                 "receipt_failed": 12}
        _, error = self.receiptd("watch", "nonsense", "alice.sandbox", "--config", config, expect=2)
        self.assertIn("not a transaction hash", error)
        self.receiptd("migrate", "--config", config)
        ended = support.wait_until("transactions of three verdicts are over", lambda: self.some_of_each(3))
        daemon = self.start("run", "--config", config)
        for verdict, t in ended.items():
            command = ["watch", t["tx_hash"], t["signer_id"], "--config", config]
            code = codes[verdict]
            if code in (0, 3) and t["effect"] == "tokens_lost":
                code = 5
            elif code == 0 and (t["effect"] or t["yields_timed_out"]):
                code = 3
            out, _ = self.receiptd(*command, "--wait", expect=code)
            told = self.receiptd(*command, "--wait", "--json", expect=code)[0]
            self.assertEqual(told, self.receiptd("tx", t["tx_hash"], "--json", "--config", config)[0])
            self.assertEqual(json.loads(told)["verdict"], verdict)
            added = json.loads(self.receiptd(*command, "--json")[0])
            self.assertEqual((added["stage"], added["verdict"], added["existing"]), ("final", verdict, True))
            self.assertIn(f"verdict   {verdict}" + (f"; {t['effect']}" if t["effect"] else ""), out)
            for stage in ORDER[2:] if t["tree"] else ["included"]:
                if verdict != "failed":
                    self.assertIn(stage, out)
        self.assertIsNone(daemon.poll(), daemon.log()[-3000:])

    def test_whoever_asks_for_it_the_chain_knows_its_signer(self):
        self.living_chain()
        config = self.configured("neardata", extra="")
        self.receiptd("migrate", "--config", config)
        ended = support.wait_until("a transaction is over", lambda: self.some_of_each(1))
        tx_hash, signer = next((t["tx_hash"], t["signer_id"]) for t in ended.values())
        _, error = self.receiptd("watch", tx_hash, "nobody.sandbox", "--metadata", "[]", "--config", config, expect=2)
        self.assertIn("--metadata must be a JSON object", error)
        metadata = '{"order": 7}'
        self.receiptd("watch", tx_hash, "nobody.sandbox", "--metadata", metadata, "--config", config)
        _, error = self.receiptd("watch", tx_hash, "nobody.sandbox", "--metadata", "{}", "--config", config, expect=25)
        self.assertIn("with other metadata", error)
        self.assertEqual(self.value("SELECT metadata ->> 'order' FROM watches WHERE tx_hash = '" + tx_hash + "'"), "7")
        _, error = self.receiptd("watch", tx_hash, signer, "--wait", "--config", config, expect=25)
        self.assertIn("nobody.sandbox", error)
        self.start("run", "--config", config)
        support.wait_until("it is seen in its block", lambda: self.value("SELECT stage FROM watches") == "final")
        self.assertEqual(self.value("SELECT sender_id FROM watches"), signer)
        _, error = self.receiptd("watch", tx_hash, "nobody.sandbox", "--config", config, expect=25)
        self.assertIn(signer, error)
        self.receiptd("watch", tx_hash, signer, "--config", config)

    def some_of_each(self, kinds):
        found = {}
        for t in self.truth(self.final_height()):
            if t["stage"] == "final" and t["verdict"]:
                found.setdefault(t["verdict"], t)
        return len(found) >= kinds and found


if __name__ == "__main__":
    support.main()
