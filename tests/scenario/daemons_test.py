"""Several daemons on one database: one leads and follows the head, the others wait to take over, and nothing is lost or
stored twice however they change."""

import json
import signal

import support



class Daemons(support.Scenario):
    def setUp(self):
        super().setUp()
        self.chain = self.sandbox("--seed", 5, "--block-time-ms", 100, "--epoch-blocks", 40, "--traffic", "mixed",
                                  "--tps", 10, command="run")
        self.genesis = self.chain.rpc("block", {"sync_checkpoint": "genesis"})["header"]["height"]

    def settings(self, source="neardata", **more):
        return self.config(self.chain, source=source, start=self.genesis + 1, network="sandbox", patience="60s",
                           follow="batch_blocks = 2\n", **more)

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
            self.assertEqual(process.wait(timeout=support.DEADLINE), 0, process.log())
        last = self.tip()
        # What they had not come to, in both databases.
        self.receiptd("run", "--config", self.settings(), "--until", last + 5)
        alone = self.make_database()
        self.receiptd("run", "--config", self.settings(database=alone), "--until", last + 5)
        self.assertEqual(self.fingerprint(), self.fingerprint(alone))
        self.assertEqual(self.value("SELECT wanted - heights FROM coverage"), "{}")


class Leading(Daemons):
    def test_one_leads_and_the_next_takes_over_when_it_ends_or_dies(self):
        config = self.settings()
        first = self.start("run", "--config", config)
        support.wait_until("it leads", lambda: self.leads(first))
        second = self.start("run", "--config", config)
        support.wait_until("the other waits", lambda: self.waits(second))
        support.wait_until("both are ready", lambda: all(self.page(each, "/readyz")[0] == 200
                                                         for each in (first, second)))
        self.assertIn("receiptd_leader 1\n", self.page(first, "/metrics")[1])
        self.assertIn("receiptd_leader 0\n", self.page(second, "/metrics")[1])
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
        support.wait_until("the first has learned it", lambda: self.waits(first))
        self.goes_on()
        self.assertEqual(self.epoch(), epoch + 1)
        self.assertTrue(self.leads(second))
        self.assert_rows_are_those_of_one_daemon([first, second])


class Joining(Daemons):
    def test_another_source_and_another_retention_join(self):
        first = self.start("run", "--config", self.settings(extra='[retention]\nkeep = "30d"\n'))
        support.wait_until("it leads", lambda: self.leads(first))
        second = self.start("run", "--config", self.settings(source="rpc"))
        support.wait_until("they know of each other",
                           lambda: self.status(first)["other_daemons"] and self.status(second)["other_daemons"])
        other = self.status(first)["other_daemons"][0]
        self.assertEqual((other["source"], other["retention_keep"]), ("rpc", "forever"))
        self.assertIn("retention.keep differs", first.log())
        self.assertIn("retention.keep differs", second.log())
        self.goes_on()

    def test_other_accounts_are_refused_while_another_daemon_lives(self):
        def of(*accounts):
            path = self.config(self.chain, source="neardata", scope="accounts", start=self.genesis + 1,
                               network="sandbox", follow=f"accounts = {json.dumps(accounts)}\n")
            return path
        first = self.start("run", "--config", of("ft.sandbox"))
        support.wait_until("it stores", lambda: self.value("SELECT to_regclass('blocks')") and self.tip() > 0)
        _, err = self.receiptd("run", "--config", of("ft.sandbox", "yield.sandbox"), expect=1)
        self.assertIn("follows the accounts ft.sandbox, but follow.accounts is ft.sandbox, yield.sandbox", err)
        joined = self.start("run", "--config", of("ft.sandbox", "yield.sandbox"), "--join")
        support.wait_until("it waits", lambda: self.waits(joined))
        self.assertIn("the accounts of the database are followed", joined.log())
        for process in (joined, first):
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(), 0)
        stored = int(self.value("SELECT max(upper(r)) FROM coverage, unnest(heights) r"))
        alone = self.start("run", "--config", of("ft.sandbox", "yield.sandbox"))
        support.wait_until("it leads", lambda: self.leads(alone))
        self.assertEqual(self.status(alone)["accounts"],
                         [{"account_id": "ft.sandbox", "since_height": 0},
                          {"account_id": "yield.sandbox", "since_height": stored}])
        out, _ = self.receiptd("status", "--config", of("ft.sandbox"))
        self.assertIn(f"account     yield.sandbox, followed since height {stored}\n", out)


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
    """A gap is filled by a daemon that is killed over and over: trees that cross its ends get their verdict all the same."""

    def test_a_backfill_killed_at_its_end_loses_no_verdict(self):
        config = self.settings()
        middle, last = self.genesis + 30, self.genesis + 60
        support.wait_until("there are blocks", lambda: self.chain.ask("/status")["height"] > last + 10)
        self.receiptd("backfill", "--config", config, "--from", middle + 1, "--to", last)
        for _ in range(50):
            process = self.start("backfill", "--config", config, "--from", self.genesis + 1, "--to", middle)
            support.wait_until("it has come to an end, or to its last commit", lambda: process.poll() is not None or
                               self.value("SELECT heights @> int8range(%d, %d, '[]') FROM coverage"
                                          % (self.genesis + 1, middle)) == "t")
            self.kill(process)
            if self.value("SELECT count(*) FROM pending_seams") != "0":
                break
            self.forget(self.genesis + 1, middle)
        else:
            self.skipTest("no kill met the moment between the last commit and the end")
        self.receiptd("run", "--config", config, "--until", last)
        self.assertEqual(self.value("SELECT count(*) FROM pending_seams"), "0")
        alone = self.make_database()
        self.receiptd("run", "--config", self.settings(database=alone), "--until", last)
        self.assertEqual(self.fingerprint(), self.fingerprint(alone))

    def forget(self, first, last):
        """As if the heights had never been stored."""
        for table in ("blocks", "chunks", "transactions", "receipts", "data_receipts", "events", "transaction_results",
                      "findings"):
            self.query(f"DELETE FROM {table} WHERE block_height BETWEEN {first} AND {last}")
        self.query(f"UPDATE coverage SET heights = heights - int8multirange(int8range({first}, {last}, '[]'))")
        self.query("DELETE FROM orphan_receipts; DELETE FROM backfills")


if __name__ == "__main__":
    support.main()
