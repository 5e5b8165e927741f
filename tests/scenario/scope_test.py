"""The scope of a database grows and shrinks: what heights lack is said, filled, and is then what a daemon with that scope from
the first day has."""

import json

import support

ACCOUNT = "ft.sandbox"


class Scope(support.Scenario):
    def setUp(self):
        super().setUp()
        # Blocks come when they are asked for.
        self.chain = self.sandbox("--seed", 7, "--block-time-ms", 0, "--traffic", "mixed", "--tps", 20, command="run")
        self.genesis = self.chain.rpc("block", {"sync_checkpoint": "genesis"})["header"]["height"]

    def configured(self, scope, source="neardata", **more):
        accounts = f'accounts = ["{ACCOUNT}"]\n' if scope == "accounts" else ""
        return self.config(self.chain, source=source, scope=scope, start=self.genesis + 1, network="sandbox",
                           patience="60s", follow=f"{accounts}batch_blocks = 4\n", **more)

    def follow(self, scope, blocks):
        """A daemon with that scope stores so many blocks more; returns the last height."""
        self.chain.ask("/advance", {"blocks": blocks})
        last = self.chain.ask("/status")["final_height"]
        self.receiptd("run", "--config", self.configured(scope), "--until", last)
        return last

    def set_scope(self, scope):
        out, _ = self.receiptd("scope", "--config", self.configured(scope), "--set", scope, "--json")
        return {each["account_id"]: [(r["from"], r["to"]) for r in each["not_whole"]]
                for each in json.loads(out)["accounts"]}

    def fill(self):
        self.receiptd("backfill", "--config", self.configured("all"), "--accounts", "*")
        self.assertEqual(self.query("SELECT account_id FROM account_coverage WHERE NOT whole"), [])

    def has_the_rows_of_the_first_day(self, last):
        alone = self.make_database()
        self.receiptd("run", "--config", self.configured("all", database=alone), "--until", last)
        for table in ("transactions", "receipts", "data_receipts", "events", "transaction_results", "findings"):
            with self.subTest(table):
                found, expected = self.rows(table, self.database), self.rows(table, alone)
                self.assertEqual((sorted(expected - found)[:2], sorted(found - expected)[:2]), ([], []))
        self.assertEqual(self.fingerprint(), self.fingerprint(alone))

    def test_it_grows_shrinks_and_grows_again(self):
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
