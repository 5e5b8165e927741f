"""An account that a daemon follows later: what is missing is said, nothing concludes from it, and a backfill of the account
leaves the very rows of a daemon that had it from the first day."""

import json
import signal

import support
from database_proxy import MOMENTS, Proxy

FIRST, LATER = "ft.sandbox", "receiver.sandbox"


class AddedAccounts(support.Scenario):
    def setUp(self):
        super().setUp()
        # Blocks come when they are asked for.
        self.chain = self.sandbox("--seed", 11, "--block-time-ms", 0, "--traffic", "mixed", "--tps", 20, command="run")
        self.genesis = self.chain.rpc("block", {"sync_checkpoint": "genesis"})["header"]["height"]

    def configured(self, source, *accounts, **more):
        return self.config(self.chain, source=source, scope="accounts", start=self.genesis + 1, network="sandbox",
                           patience="60s", follow=f"accounts = {json.dumps(accounts)}\nbatch_blocks = 2\n", **more)

    def advance(self, blocks):
        self.chain.ask("/advance", {"blocks": blocks})
        return self.chain.ask("/status")["final_height"]

    def come_to_rest(self):
        self.chain.ask("/traffic", {"tps": 0})
        return self.advance(250)  # a yield waits for 200

    def stored_up_to(self, height):
        return self.value("SELECT to_regclass('coverage')") and \
            self.value(f"SELECT bool_or(heights @> {height}::bigint) FROM coverage") == "t"

    def ranges(self, account):
        return [(int(first), int(last), whole == "t") for first, last, whole in self.query(
            f"SELECT from_height, to_height, whole FROM account_coverage WHERE account_id = '{account}' ORDER BY 1")]

    def add_by_reload(self, source):
        """A daemon that follows one account; the other one is added while blocks come. Returns its configuration, the
        first height that has both, and the last height."""
        config = self.configured(source, FIRST)
        middle = self.advance(60)
        daemon = self.start("run", "--config", config)
        support.wait_until("it is stored", lambda: self.stored_up_to(middle))
        config.write_text(config.read_text().replace(f'["{FIRST}"]', json.dumps([FIRST, LATER])))
        daemon.send_signal(signal.SIGHUP)
        support.wait_until("it is followed", lambda: self.value("SELECT count(*) FROM followed_accounts") == "2")
        since = int(self.value(f"SELECT since_height FROM followed_accounts WHERE account_id = '{LATER}'"))
        support.wait_until("the daemon knows", lambda: "an account lacks heights" in daemon.log())
        last = self.advance(40)
        last = self.come_to_rest()
        support.wait_until("all is stored", lambda: self.stored_up_to(last))
        self.assertEqual(self.page(daemon, "/readyz")[0], 200)
        self.assertIn(f"{LATER} over", self.page(daemon, "/readyz")[1])
        status = json.loads(self.page(daemon, "/v1/status")[1])
        lacking = {each["account_id"]: each["not_whole_heights"] for each in status["accounts"]}
        self.assertEqual(lacking[FIRST], 0)
        self.assertGreater(lacking[LATER], since - self.genesis - 2)
        support.wait_until("all trees are stored", lambda: self.value(
            "SELECT (SELECT count(*) FROM pending_trees) + (SELECT count(*) FROM unplaced_receipts)") == "0")
        daemon.send_signal(signal.SIGTERM)
        self.assertEqual(support.ended(daemon), 0, daemon.log()[-4000:])
        return config, since, last

    def says_what_is_missing(self, config, since):
        out, _ = self.receiptd("backfill", "--config", config, "--from", self.genesis + 1, "--to", since - 1, expect=3)
        self.assertIn(f"{LATER} is not whole over {since - self.genesis - 1} heights of this range", out)
        self.assertNotIn(f"{FIRST} is not whole", out)
        out, _ = self.receiptd("backfill", "--config", config, "--plan", "--json")
        self.assertGreaterEqual(json.loads(out)["requests"], since - self.genesis - 1)
        out, _ = self.receiptd("status", "--config", config, expect=4)
        self.assertIn(f"account     {LATER}, followed since height {since}; not whole over ", out)

    def is_filled_with_a_kill(self, source, before=None):
        config, since, last = self.add_by_reload(source)
        self.assertEqual(self.ranges(FIRST), [(self.genesis + 1, last, True)])
        first, to, whole = self.ranges(LATER)[0]
        self.assertEqual((first, whole), (self.genesis + 1, False))
        self.assertGreaterEqual(to, since - 1)
        if before:
            before(config, since)
        proxy = Proxy(self.database)
        self.addCleanup(proxy.stop)
        through_proxy = self.configured(source, FIRST, LATER, database=proxy.url)
        for number, moment in enumerate(MOMENTS):
            self.query("UPDATE backfills SET lease_until = now() - interval '1 second'")
            proxy.step(3 + number, moment, ("UPDATE followed_accounts",))
            proxy.kill(self.start("backfill", "--config", through_proxy, "--accounts", LATER))
        ranges = self.ranges(LATER)
        self.assertGreater(len(ranges), 1, "it was killed on the way")
        self.assertEqual(ranges[0], (self.genesis + 1, ranges[1][0] - 1, True), "and had come to somewhere")
        self.query("UPDATE backfills SET lease_until = now() - interval '1 second'")
        out, _ = self.receiptd("backfill", "--config", config, "--accounts", LATER)
        self.assertIn("whole over the range", out)
        self.assertEqual(self.ranges(LATER), [(self.genesis + 1, last, True)])
        self.assertEqual(self.value("SELECT count(*) FROM backfills WHERE state = 'unfinished'"), "0")
        self.assertEqual(self.value("SELECT count(*) FROM alerts"), "0")
        self.has_the_rows_of_the_first_day(source, last)

    def has_the_rows_of_the_first_day(self, source, last):
        alone = self.make_database()
        self.receiptd("run", "--config", self.configured(source, FIRST, LATER, database=alone), "--until", last)
        for table in ("transactions", "receipts", "data_receipts", "events", "transaction_results", "findings"):
            with self.subTest(table):
                found, expected = self.rows(table, self.database), self.rows(table, alone)
                self.assertEqual((sorted(expected - found)[:3], sorted(found - expected)[:3]), ([], []))
        self.assertEqual(self.fingerprint(), self.fingerprint(alone))

    def test_whole_blocks_fill_it(self):
        self.is_filled_with_a_kill("neardata", self.says_what_is_missing)

    def test_json_rpc_fills_it(self):
        self.is_filled_with_a_kill("rpc")

    def test_a_running_daemon_goes_on_with_a_fill_that_was_killed(self):
        config, _, last = self.add_by_reload("neardata")
        proxy = Proxy(self.database)
        self.addCleanup(proxy.stop)
        proxy.step(5, "at", ("UPDATE followed_accounts",))
        proxy.kill(self.start("backfill", "--config", self.configured("neardata", FIRST, LATER, database=proxy.url),
                              "--accounts", LATER))
        self.query("UPDATE backfills SET lease_until = now() - interval '1 second'")
        daemon = self.start("run", "--config", config)
        support.wait_until("it is whole", lambda: self.ranges(LATER) == [(self.genesis + 1, last, True)])
        support.wait_until("it is over", lambda: self.value("SELECT count(*) FROM backfills WHERE state = 'unfinished'") == "0")
        support.wait_until("all is judged", lambda: self.value("SELECT count(*) FROM late_trees WHERE due_at <= now()") == "0")
        daemon.send_signal(signal.SIGTERM)
        self.assertEqual(support.ended(daemon), 0, daemon.log()[-4000:])
        self.has_the_rows_of_the_first_day("neardata", last)

    def test_an_account_that_nobody_follows_is_not_filled(self):
        last = self.advance(20)
        config = self.configured("neardata", FIRST)
        self.receiptd("run", "--config", config, "--until", last)
        _, err = self.receiptd("backfill", "--config", config, "--accounts", "nobody.sandbox", expect=1)
        self.assertEqual(err.count("not followed: nobody.sandbox"), 1, err)


if __name__ == "__main__":
    support.main()
