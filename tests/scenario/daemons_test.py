"""Several daemons on one database: one leads and follows the head, the others wait to take over, and nothing is lost or
stored twice however they change. ./dev sweep daemons restarts them more often."""

import json
import os
import random
import signal
import subprocess

import support
from database_proxy import MOMENTS, Proxy
from receiver import EVERY_FINDING, Receiver, endpoint, secret_file
from truth import OF_ONE_SOURCE
from watched import Watched

MANY = support.count_of("daemons")
RESTARTS = MANY or 6
SEED = int(os.environ.get("RECEIPTD_SEED") or (random.SystemRandom().randrange(10**6) if MANY else 1))


class Daemons(support.Scenario):
    BLOCK_TIME_MS = 100

    def setUp(self):
        super().setUp()
        self.chain = self.sandbox("--seed", 5, "--block-time-ms", self.BLOCK_TIME_MS, "--epoch-blocks", 40,
                                  "--traffic", "mixed", "--tps", 10, command="run")
        self.genesis = self.chain.rpc("block", {"sync_checkpoint": "genesis"})["header"]["height"]

    def settings(self, source="neardata", follow_from=None, **more):
        return self.config(self.chain, source=source, start=follow_from or self.genesis + 1, network="sandbox",
                           patience="60s", follow="batch_blocks = 2\n", **more)

    def proxy(self):
        made = Proxy(self.database)
        self.addCleanup(made.stop)
        return made

    def status(self, process):
        return json.loads(self.page(process, "/v1/status")[1])

    def leads(self, process):
        leader = self.status(process)["leader"]
        return leader is not None and leader["is_this_one"]

    def waits(self, process):
        leader = self.status(process)["leader"]
        return leader is not None and not leader["is_this_one"]

    def tip(self):
        return int(self.value("SELECT coalesce(max(block_height), 0) FROM blocks"))

    def epoch(self):
        return int(self.value("SELECT epoch FROM leader"))

    def goes_on(self, blocks=10):
        before = self.tip()
        support.wait_until("more blocks are stored", lambda: self.tip() >= before + blocks)

    def assert_rows_are_those_of_one_daemon(self, processes):
        for process in processes:
            process.send_signal(signal.SIGTERM)
        for process in processes:
            self.assertEqual(support.ended(process), 0, process.log())
        last = self.tip()
        # Whatever the daemons had not come to is done now, in both databases.
        self.receiptd("run", "--config", self.settings(), "--until", last + 5)
        alone = self.make_database()
        self.receiptd("run", "--config", self.settings(database=alone), "--until", last + 5)
        self.assertEqual(self.fingerprint(), self.fingerprint(alone))
        self.assertEqual(self.value("SELECT wanted - heights FROM coverage"), "{}")


class Leading(Daemons):
    OF_LEADER = ("receiptd_committed_height ", "receiptd_gap_blocks ", "receiptd_watches_stuck ", "receiptd_table_bytes{")

    def shows_what_it_does(self, daemon, leads):
        """Whether its metrics are those of a leader, or of a daemon that waits; some come with the first upkeep."""
        shown = self.page(daemon, "/metrics")[1]
        series = [name for name in self.OF_LEADER if f"\n{name}" in shown]
        return (f"receiptd_leader {int(leads)}\n" in shown and "receiptd_head_height " in shown
                and series == (list(self.OF_LEADER) if leads else []))

    def show_what_they_do(self, leader, waiting):
        return self.shows_what_it_does(leader, leads=True) and self.shows_what_it_does(waiting, leads=False)

    def test_one_leads_and_the_next_takes_over_when_it_ends_or_dies(self):
        config = self.settings()
        first = self.start("run", "--config", config)
        support.wait_until("it leads", lambda: self.leads(first))
        second = self.start("run", "--config", config)
        support.wait_until("the other waits", lambda: self.waits(second))
        support.wait_until("both are ready", lambda: all(self.page(each, "/readyz")[0] == 200
                                                         for each in (first, second)))
        support.wait_until("they show who leads", lambda: self.show_what_they_do(leader=first, waiting=second))
        self.goes_on()
        first.send_signal(signal.SIGTERM)
        support.wait_until("the second leads", lambda: self.leads(second))
        self.assertEqual(first.wait(), 0)
        self.goes_on()
        third = self.start("run", "--config", config)
        support.wait_until("the third waits", lambda: self.waits(third))
        self.kill(second)
        support.wait_until("the third leads", lambda: self.leads(third))
        self.goes_on()
        self.assert_rows_are_those_of_one_daemon([third])

    def test_a_leader_that_wakes_up_commits_nothing_any_more(self):
        config = self.settings()
        first = self.start("run", "--config", config)
        support.wait_until("it leads", lambda: self.leads(first))
        second = self.start("run", "--config", config)
        support.wait_until("the other waits", lambda: self.waits(second))
        self.goes_on()
        epoch = self.epoch()
        first.send_signal(signal.SIGSTOP)
        support.wait_until("the second leads", lambda: self.leads(second))
        self.assertGreater(self.epoch(), epoch)
        self.goes_on()
        first.send_signal(signal.SIGCONT)
        support.wait_until("the first has learned it", lambda: self.status(first)["leader"]["epoch"] > epoch)
        # Whichever it is: the lease of a daemon that gets no CPU for three seconds is anybody's.
        support.wait_until("they show who leads", lambda: (self.show_what_they_do(leader=second, waiting=first)
                                                           or self.show_what_they_do(leader=first, waiting=second)))
        self.goes_on()
        self.assert_rows_are_those_of_one_daemon([first, second])


class Joining(Daemons):
    def test_another_source_and_another_retention_join(self):
        first = self.start("run", "--config", self.settings(extra='[retention]\nreceipts = "30d"\n'))
        support.wait_until("it leads", lambda: self.leads(first))
        second = self.start("run", "--config", self.settings(source="rpc"))
        support.wait_until("they know of each other",
                           lambda: self.status(first)["other_daemons"] and self.status(second)["other_daemons"])
        other = self.status(first)["other_daemons"][0]
        self.assertEqual((other["source"], other["retention"]), ("rpc", {"receipts": "forever", "results": "forever"}))
        self.assertIn("retention differs", first.log())
        self.assertIn("retention differs", second.log())
        self.goes_on()

    def test_the_accounts_of_all_daemons_are_followed(self):
        def of(*accounts):
            path = self.config(self.chain, source="neardata", scope="accounts", start=self.genesis + 1,
                               network="sandbox", follow=f"accounts = {json.dumps(accounts)}\n")
            return path
        first = self.start("run", "--config", of("ft.sandbox"))
        support.wait_until("it stores", lambda: self.value("SELECT to_regclass('blocks')") and self.tip() > 0)
        second = self.start("run", "--config", of("yield.sandbox"))
        support.wait_until("it waits", lambda: self.waits(second))
        self.assertIn("the database follows accounts that follow.accounts does not name", second.log())
        since = lambda: int(self.value("SELECT since_height FROM followed_accounts WHERE account_id = 'yield.sandbox'"))
        support.wait_until("the leader takes it over", lambda: "an account lacks heights" in first.log())
        self.goes_on()
        self.assertLess(since(), self.tip(), "what the leader stores has it")
        accounts = lambda: {each["account_id"]: each for each in self.status(first)["accounts"]}
        # Blocks that were read before the account was known are stored without it, and it begins above them.
        support.wait_until("the status tells it", lambda: accounts()["yield.sandbox"]["since_height"] == since())
        accounts = accounts()
        self.assertEqual(accounts["ft.sandbox"]["not_whole"], [])
        self.assertEqual(accounts["yield.sandbox"]["not_whole"][0]["from"], self.genesis + 1)
        for process in (second, first):
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(), 0)
        out, _ = self.receiptd("status", "--config", of("ft.sandbox"), expect=4)
        self.assertIn(f"account     yield.sandbox, followed since height {since()}; not whole over ", out)


class GoneBack(Daemons):
    def test_a_database_that_went_back_is_noticed_and_repaired(self):
        first = self.start("run", "--config", self.settings())
        support.wait_until("it follows", lambda: self.value("SELECT to_regclass('blocks')") and
                           self.tip() > self.genesis + 20)
        tables = ("blocks", "chunks", "transactions", "receipts", "data_receipts", "events", "transaction_results",
                  "findings")
        lost = "(SELECT max(upper(r)) - 4 FROM coverage, unnest(heights) r)"
        # As after a failover: the last commits are gone, and so are all connections.
        self.query("BEGIN; LOCK TABLE coverage IN ACCESS EXCLUSIVE MODE; "
                   "CREATE TEMP TABLE lost ON COMMIT DROP AS SELECT " + lost + " AS height; " +
                   "".join(f"DELETE FROM {table} WHERE block_height >= (SELECT height FROM lost); " for table in tables) +
                   "UPDATE coverage SET heights = heights - (SELECT int8multirange(int8range(height, NULL)) FROM lost), "
                   "wanted = wanted - (SELECT int8multirange(int8range(height, NULL)) FROM lost); "
                   "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'receiptd' "
                   "AND datname = current_database(); COMMIT")
        support.wait_until("it is said", lambda: "the database has lost heights" in first.log())
        support.wait_until("they are there again", lambda: self.value("SELECT wanted - heights FROM coverage") == "{}")
        self.goes_on()
        self.assert_rows_are_those_of_one_daemon([first])


class Seams(Daemons):
    BLOCK_TIME_MS = 0  # they come when they are asked for

    def hold_up_adoption_once_complete(self, first, last):
        """The daemon that adopts an orphan waits as soon as the heights are stored; returns what lets it go on."""
        holder = subprocess.Popen(["psql", self.database, "-X", "-q", "-c", "SELECT pg_advisory_lock(77), pg_sleep(600)"],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.query("CREATE FUNCTION hold_up() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN "
                   f"IF (SELECT heights @> int8range({first}, {last}, '[]') FROM coverage) THEN "
                   "PERFORM pg_advisory_xact_lock(77); END IF; RETURN NEW; END$$; CREATE TRIGGER hold_up "
                   "BEFORE UPDATE ON orphan_receipts FOR EACH ROW EXECUTE FUNCTION hold_up()")

        def let_go():
            self.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
                       "AND datname = current_database()")
            holder.wait()
            self.query("DROP TRIGGER hold_up ON orphan_receipts")
        return let_go

    def test_a_backfill_killed_between_its_last_commit_and_its_end_loses_no_verdict(self):
        first, middle, last = self.genesis + 1, self.genesis + 30, self.genesis + 60
        # A daemon that starts looks at the highest seam: this one is farther below it than parents are looked for.
        far = self.genesis + 1400
        self.chain.ask("/advance", {"blocks": 1420})
        config = self.settings()
        for low, high in ((far, far + 1), (middle + 1, last)):
            self.receiptd("backfill", "--config", config, "--from", low, "--to", high)
        let_go = self.hold_up_adoption_once_complete(first, middle)
        process = self.start("backfill", "--config", config, "--from", first, "--to", middle)
        # Its writers wait for other advisory locks, too: for the one of partitions before anything is stored.
        support.wait_until("all is stored and the seam is being closed", lambda: process.poll() is not None or self.value(
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = 0 AND objid = 77 AND NOT granted "
            "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())") != "0")
        self.assertIsNone(process.poll(), process.log())
        self.kill(process)
        let_go()
        self.assertNotEqual(self.value("SELECT count(*) FROM pending_seams"), "0")
        self.receiptd("run", "--config", config, "--until", last)
        self.assertEqual(self.value("SELECT count(*) FROM pending_seams"), "0")
        alone = self.make_database()
        config = self.settings(database=alone)
        self.receiptd("run", "--config", config, "--until", last)
        self.receiptd("backfill", "--config", config, "--from", far, "--to", far + 1)
        self.assertEqual(self.fingerprint(), self.fingerprint(alone))


class Sources(Daemons):
    """Heights of one source beside heights of the other: a tree that crosses from one into the other is whole, and judged."""
    BLOCK_TIME_MS = 0

    def setUp(self):
        super().setUp()
        self.chance = random.Random(SEED)
        self.chain.ask("/advance", {"blocks": 120})
        self.chain.ask("/traffic", {"tps": 0})
        self.chain.ask("/advance", {"blocks": 250})  # a yield waits for 200
        self.first, self.last = self.genesis + 1, self.chain.ask("/status")["final_height"]
        self.configs = {source: self.settings(source) for source in ("rpc", "neardata")}

    def other(self, source):
        return "rpc" if source == "neardata" else "neardata"

    def backfill(self, source, first, last, config=None):
        return ("backfill", "--config", config or self.configs[source], "--from", first, "--to", last)

    def assert_rows_are_those_of_one_source(self):
        self.assertEqual(self.query("SELECT tx_hash FROM pending_trees"), [])
        self.assertEqual(self.query("SELECT id FROM orphan_receipts WHERE adopted_at IS NULL"), [])
        alone = self.make_database()
        self.receiptd("run", "--config", self.settings(database=alone), "--until", self.last)
        self.query(f"DELETE FROM blocks WHERE block_height > {self.last}; DELETE FROM chunks WHERE block_height > {self.last}")
        self.assertGreater(int(self.value("SELECT count(*) FROM findings", alone)), 0)
        for table in self.fingerprint(alone):
            with self.subTest(table=table):
                without = OF_ONE_SOURCE.get(table, ())
                found, expected = (self.rows(table, database, without) for database in (self.database, alone))
                self.assertEqual(sorted(found ^ expected), [])

    def test_history_below_a_head_of_the_other_source(self):
        for head in ("rpc", "neardata"):
            with self.subTest(head=head):
                self.database = self.make_database()
                self.configs = {source: self.settings(source) for source in ("rpc", "neardata")}
                middle = self.first + self.chance.randrange(20, 100)
                follower = self.start("run", "--config", self.settings(head, follow_from=middle))
                support.wait_until("it leads", lambda: self.leads(follower))
                self.receiptd(*self.backfill(self.other(head), self.first, middle - 1))
                support.wait_until("all trees are whole", lambda: self.value(
                    f"SELECT heights @> int8range({self.first}, {self.last}, '[]') FROM coverage") == "t"
                    and self.trees_are_whole())
                follower.send_signal(signal.SIGTERM)
                self.assertEqual(follower.wait(), 0, follower.log())
                self.assert_rows_are_those_of_one_source()

    def test_stretches_by_turns_in_any_order_with_kills(self):
        cuts = sorted(self.chance.sample(range(self.first + 5, self.first + 130), 4))
        starts, ends = [self.first, *cuts], [*(cut - 1 for cut in cuts), self.last]
        source = self.chance.choice(("rpc", "neardata"))
        stretches = []
        for first, last in zip(starts, ends):
            stretches.append((source, first, last))
            source = self.other(source)
        self.chance.shuffle(stretches)
        with self.subTest(seed=SEED, stretches=stretches):
            # A daemon that starts looks at the highest seam: this one is far above the others.
            self.chain.ask("/advance", {"blocks": 1500})
            far = self.last + 1400
            self.receiptd(*self.backfill("neardata", far, far + 1))
            proxy = self.proxy()
            through = {source: self.settings(source, database=proxy.url) for source in ("rpc", "neardata")}
            for stretch in stretches:
                about, last = self.chance.choice(((("COPY blocks",), 1), ((), 12)))
                proxy.step(self.chance.randint(1, last), self.chance.choice(MOMENTS), about)
                proxy.kill(self.start(*self.backfill(*stretch, through[stretch[0]])))
                if self.chance.random() < 0.7:  # else it is taken up at the end
                    self.receiptd(*self.backfill(*stretch), expect=None)
            for _, first, last in stretches:
                self.query(f"UPDATE coverage SET wanted = wanted + int8multirange(int8range({first}, {last}, '[]'))")
            for source in ("neardata", "rpc"):
                self.receiptd("run", "--config", self.configs[source], "--until", self.last)
            self.assertEqual(self.query("SELECT * FROM pending_seams"), [])
            self.assert_rows_are_those_of_one_source()


RULES = {
    "callbacks": 'kind = "failed_receipt"\nrole = "callback"',
    "tokens": 'kind = ["tokens_returned", "burnt_tokens"]',
    "panics": 'kind = "finding"\nerror_class = "contract_panic"\nnot = {role = "callback"}',
}
# The rules of each endpoint, and what they take, in SQL.
TAKES = {
    "of_both": ((EVERY_FINDING,), "true"),
    "of_first": (("callbacks", "tokens"),
                 "kind IN ('tokens_returned', 'burnt_tokens') OR (kind = 'failed_receipt' AND role = 'callback')"),
    "of_second": (("default", "panics"),
                  "handled IS NOT TRUE OR (error_class = 'contract_panic' AND role <> 'callback')"),
}
# What a daemon commits when it takes deliveries, and when a receiver has answered.
DELIVERS = (("claimed AS (UPDATE deliveries",), ("WITH recorded AS (UPDATE deliveries",))


class Restarted(Watched, Daemons):
    """Two daemons that differ in source, endpoints and retention are stopped or killed by turns."""

    def setUp(self):
        support.Scenario.setUp(self)
        self.chance = random.Random(SEED)
        self.chain = self.sandbox("--seed", SEED, "--block-time-ms", 100, "--traffic", "failures", "--tps", 10,
                                  "--genesis-time", "now", command="run")
        self.chain.ask("/traffic", {"tps": 0})
        self.genesis = self.chain.rpc("block", {"sync_checkpoint": "genesis"})["header"]["height"]
        self.receivers = {name: Receiver() for name in ("of_both", "of_first", "of_second")}
        for receiver in self.receivers.values():
            self.addCleanup(receiver.stop)

    def configured(self, source, keep, *endpoints, database):
        secret = secret_file(self.folder)
        extra = "".join(endpoint(name, self.receivers[name].url, secret, rules=TAKES[name][0]) for name in endpoints)
        wanted = {rule for name in endpoints for rule in TAKES[name][0]}
        rules = "".join(f'[[rule]]\nname = "{name}"\n{text}\n' for name, text in RULES.items() if name in wanted)
        return self.settings(source, extra=f'[retention]\nreceipts = "{keep}"\n{extra}{rules}', database=database)

    def store_history(self):
        """Stores rows of ten days ago, and of sixty: no blocks, or hosts would be asked whether they have them, too."""
        for days in (10, 60):
            self.query(f"SELECT make_partitions(now() - interval '{days} days', now() - interval '{days} days'); "
                       "INSERT INTO chunks (block_height, shard_id, missing, block_time) "
                       f"VALUES ({days}, 0, true, now() - interval '{days} days')")

    def stored_history(self):
        return {int(row[0]) for row in self.query("SELECT block_height FROM chunks WHERE block_height < 100")}

    def restart(self, daemons, name, configs):
        """It ends when it takes deliveries, or has heard what became of one: both daemons do so."""
        process, proxy = daemons[name], self.proxies[name]
        proxy.step(self.chance.randint(1, 5), self.chance.choice(MOMENTS), self.chance.choice(DELIVERS))
        if self.chance.random() < 0.5:
            proxy.kill(process)
        else:
            proxy.wait(process)
            process.send_signal(signal.SIGTERM)
            proxy.go_on()
            self.assertEqual(support.ended(process), 0, process.log()[-4000:])
        self.go_on_without(daemons["second" if name == "first" else "first"])
        daemons[name] = self.start("run", "--config", configs[name])

    def go_on_without(self, other):
        """One daemon is away: for no time, until the other one sends more, or until it leads."""
        how, sent = self.chance.choice(("not", "sends", "leads")), self.receivers["of_both"].count()
        if how != "not":
            support.wait_until("it does without", lambda: self.leads(other) if how == "leads"
                               else self.receivers["of_both"].count() > sent)

    def come_to_rest(self, configs):
        """All transactions are over, all blocks stored and all alerts delivered."""
        self.chain.ask("/traffic", {"tps": 0})
        self.chain.ask("/advance", {"blocks": 250})  # a yield waits for 200
        self.chain.ask("/pause", {})
        last = self.final_height()
        support.wait_until("all is stored", lambda: self.value(
            f"SELECT int8range({self.genesis + 1}, {last}, '[]') <@ heights FROM coverage") == "t"
            and self.trees_are_whole())
        # With source rpc the finding about a yield comes a moment after its tree.
        timed_out = sum(len(t["yields_timed_out"]) for t in self.included(last))
        support.wait_until("all yields are judged", lambda: self.value(
            "SELECT count(*) FROM findings WHERE kind = 'yield_timed_out'") == str(timed_out))
        # Dead daemons keep the leases of their deliveries for half a minute; nobody needs to wait for that.
        for config in configs.values():
            listed, _ = self.receiptd("alerts", "list", "--config", config, "--json", "--limit", 100000, "--state", "pending")
            if held := [row["alert_id"] for row in json.loads(listed)]:
                self.receiptd("alerts", "resend", "--config", config, *held, expect=None)
        support.wait_until("all is delivered", lambda: self.value(
            "SELECT count(*) FROM deliveries WHERE state <> 'delivered'") == "0")
        return last

    def survive(self):
        self.proxies = {name: self.proxy() for name in ("first", "second")}
        configs = {"first": self.configured("neardata", "30d", "of_both", "of_first", database=self.proxies["first"].url),
                   "second": self.configured("rpc", "2d", "of_both", "of_second", database=self.proxies["second"].url)}
        daemons = {name: self.start("run", "--config", config) for name, config in configs.items()}
        support.wait_until("all endpoints are known", lambda: self.value("SELECT to_regclass('endpoints')")
                           and self.value("SELECT count(*) FROM endpoints") == "3")
        support.wait_until("they know of each other", lambda: all(
            self.status(process)["other_daemons"] for process in daemons.values()))
        self.store_history()
        self.chain.ask("/traffic", {"tps": 10})
        for number in range(RESTARTS):
            sent = self.receivers["of_both"].count()
            support.wait_until("something is sent", lambda: self.receivers["of_both"].count() > sent)
            self.restart(daemons, ("first", "second")[number % 2], configs)
            self.assertIn(10, self.stored_history(), "the longest retention holds")
        last = self.come_to_rest(configs)
        for process in daemons.values():
            process.send_signal(signal.SIGTERM)
            self.assertEqual(support.ended(process), 0, process.log()[-4000:])
        included = self.included(last)
        self.assert_same(self.stored_receipts(self.database),
                         self.true_receipts(included, lambda *_: True))
        self.assertEqual(self.value("SELECT count(*) FROM orphan_receipts WHERE kind = 'receipt' AND adopted_at IS NULL"), "0")
        self.assert_judged(self.database, included, included)
        self.assertGreater(int(self.value("SELECT count(*) FROM findings")), RESTARTS)
        for name, receiver in self.receivers.items():
            with self.subTest(name):
                wanted = {row[0] for row in self.query(f"SELECT finding_id FROM findings WHERE expected IS NOT TRUE AND ({TAKES[name][1]})")}
                self.assertGreater(len(wanted), 5)
                self.assert_same(set(receiver.accepted), wanted)
        self.assertEqual(self.stored_history(), {10}, "what no daemon wants to keep is gone")

    def test_every_alert_reaches_the_endpoints_of_either_that_want_it_and_no_other(self):
        with self.subTest(seed=SEED):
            self.survive()


if __name__ == "__main__":
    support.main()
