"""The scope of a database grows and shrinks: what heights lack is said, filled, and is then what a daemon with that scope from
the first day has."""

import json
import signal

import support

ACCOUNT = "ft.sandbox"


class Scope(support.Scenario):
    source = "neardata"
    maxDiff = None

    def setUp(self):
        super().setUp()
        # Blocks come when they are asked for.
        self.chain = self.sandbox("--seed", 7, "--block-time-ms", 0, "--traffic", "mixed", "--tps", 20, command="run")
        self.genesis = self.chain.rpc("block", {"sync_checkpoint": "genesis"})["header"]["height"]

    def configured(self, scope, **more):
        accounts = f'accounts = ["{ACCOUNT}"]\n' if scope == "accounts" else ""
        return self.config(self.chain, source=self.source, scope=scope, start=self.genesis + 1, network="sandbox",
                           patience="60s", follow=f"{accounts}batch_blocks = 4\n", **more)

    def follow(self, scope, blocks):
        """A daemon with that scope stores so many blocks more, and what it has of the trees that go on above them; returns
        the last height."""
        self.chain.ask("/advance", {"blocks": blocks})
        last = self.chain.ask("/status")["final_height"]
        self.stop_at(last, self.configured(scope))
        return last

    def stop_at(self, height, config):
        daemon = self.start("run", "--config", config)
        support.wait_until(f"heights up to {height} are stored", lambda: daemon.poll() is not None or (
            self.value("SELECT to_regclass('coverage')")
            and self.value(f"SELECT bool_or(heights @> int8range({self.genesis + 1}, {height + 1})) FROM coverage") == "t"))
        daemon.send_signal(signal.SIGTERM)
        self.assertEqual(support.ended(daemon), 0, daemon.log()[-4000:])

    def set_scope(self, scope):
        out, _ = self.receiptd("scope", "--config", self.configured(scope), "--set", scope, "--json")
        return {each["account_id"]: [(r["from"], r["to"]) for r in each["not_whole"]]
                for each in json.loads(out)["accounts"]}

    def fill(self):
        self.receiptd("backfill", "--config", self.configured("all"), "--accounts", "*")
        self.assertEqual(self.query("SELECT account_id FROM account_coverage WHERE NOT whole"), [])

    def has_the_rows_of_the_first_day(self, last):
        """Whether an outcome could be confirmed depends on how long the chain stood still above it."""
        alone = self.make_database()
        self.receiptd("run", "--config", self.configured("all", database=alone), "--until", last)
        for table in ("transactions", "receipts", "data_receipts", "events", "transaction_results", "findings"):
            with self.subTest(table):
                found, expected = (self.rows(table, each, without=("confirmed",)) for each in (self.database, alone))
                first = lambda rows: json.loads(min(rows)) if rows else None
                self.assertEqual(first(found - expected), first(expected - found))
        found, expected = self.fingerprint(), self.fingerprint(alone)
        self.assertEqual(*(fingerprint.pop("transactions")[0] for fingerprint in (found, expected)))
        self.assertEqual(found, expected)

    def test_it_grows_shrinks_and_grows_again_by_whole_blocks(self):
        self.grows_shrinks_and_grows_again()

    def test_it_grows_shrinks_and_grows_again_by_json_rpc(self):
        self.source = "rpc"
        self.grows_shrinks_and_grows_again()

    def grows_shrinks_and_grows_again(self):
        first = self.genesis + 1
        of_accounts = self.follow("accounts", 40)
        _, err = self.receiptd("run", "--config", self.configured("all"), "--until", of_accounts, expect=1)
        self.assertIn("run `receiptd scope --set all`", err)
        self.assertEqual(self.set_scope("all"), {"*": [(first, of_accounts)]})
        of_all = self.follow("all", 40)
        self.assertEqual(self.set_scope("accounts"), {ACCOUNT: []}, "it is whole where everything is")
        of_accounts_again = self.follow("accounts", 40)
        self.assertEqual(self.set_scope("all"), {"*": [(first, of_accounts), (of_all + 1, of_accounts_again)]})
        self.chain.ask("/traffic", {"tps": 0})
        last = self.follow("all", 250)  # a yield waits for 200
        self.fill()
        self.has_the_rows_of_the_first_day(last)

    def test_it_grows_from_headers(self):
        self.follow("headers", 30)
        self.assertEqual(self.set_scope("accounts"), {})
        self.follow("accounts", 10)
        shown, _ = self.receiptd("scope", "--config", self.configured("accounts"))
        self.assertIn(f"account     {ACCOUNT}, followed since height ", shown)
        self.assertIn("not whole over ", shown)
        self.assertEqual(self.set_scope("headers"), {})

    def test_it_is_not_changed_under_a_daemon(self):
        self.follow("all", 10)
        daemon = self.start("run", "--config", self.configured("all"))
        self.page(daemon, "/livez")
        support.wait_until("it has joined", lambda: self.value(
            "SELECT count(*) FROM daemons WHERE seen_at > now() - interval '10 seconds'") != "0")
        _, err = self.receiptd("scope", "--config", self.configured("accounts"), "--set", "accounts", expect=1)
        self.assertIn("stop all daemons on this database first", err)


if __name__ == "__main__":
    support.main()
