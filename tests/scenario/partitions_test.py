"""How wide the partitions are: decided by the database, told and changed by `receiptd partitions`; and that a server with room
for too few locks is told of."""

import json

import support


class Width(support.Scenario):
    def setUp(self):
        super().setUp()
        self.chain = self.sandbox("--block-time-ms", 100, "--genesis-time", "now", command="run")
        self.config_file = self.config(self.chain, network="sandbox")

    def told(self, *arguments):
        return json.loads(self.receiptd("partitions", "--json", "--config", self.config_file, *arguments)[0])

    def following(self):
        daemon = self.start("run", "--config", self.config_file)
        support.wait_until("blocks are stored", lambda: daemon.poll() is not None or self.value(
            "SELECT to_regclass('blocks')") and self.value("SELECT count(*) FROM blocks") != "0")
        self.assertIsNone(daemon.poll(), daemon.log())
        return daemon

    def test_is_told_and_set_before_the_first_start_and_while_daemons_run(self):
        told = self.told()
        self.assertEqual((told["width"], told["automatic"], told["bytes_a_day"]), ("day", True, None))
        self.assertEqual((self.told("--width", "month")["width"], self.told()["automatic"]), ("month", False))
        daemon = self.following()
        self.assertEqual(self.told("--width", "week")["width"], "week")
        self.query("SELECT make_partitions(now() + interval '70 days', now() + interval '70 days')")
        self.assertEqual(self.value("SELECT max(until_time) - max(from_time) FROM partitions"), "7 days")
        self.kill(daemon)
        self.following()
        text, _ = self.receiptd("partitions", "--config", self.config_file)
        self.assertRegex(text, r"(?m)^width +week, set by an operator: no day with blocks is closed yet")
        self.assertRegex(text, r"(?m)^ +receipts +\d+ +\d+\.\d MB  from 20\d\d-")
        self.assertRegex(text, r"(?m)^locks +a statement over all times, or a dump, locks \d+ partitions")
        _, error = self.receiptd("partitions", "--width", "year", "--config", self.config_file, expect=2)
        self.assertIn("month", error)

    def test_of_a_database_that_holds_another_chain_is_not_changed(self):
        self.following()
        other = self.config(self.chain, network="testnet")
        _, error = self.receiptd("partitions", "--width", "month", "--config", other, expect=1)
        self.assertIn("holds the network", error)


class Locks(support.OwnCluster):
    def test_a_server_with_room_for_too_few_is_told_of_and_followed_into(self):
        database = self.postgres("database", self.cluster, "receiptd")
        self.query("ALTER SYSTEM SET max_locks_per_transaction = 10", database)
        self.query("ALTER SYSTEM SET max_connections = 60", database)
        self.postgres("stop", self.cluster, "fast")
        self.postgres("start", "--memory", self.cluster)
        database = self.postgres("url", self.cluster, "receiptd")
        chain = self.sandbox("--block-time-ms", 100, "--genesis-time", "now", command="run")
        config = self.config(chain, network="sandbox", database=database)
        self.receiptd("migrate", "--config", config)
        self.receiptd("partitions", "--width", "day", "--config", config)
        found = self.receiptd("check-config", "--online", "--config", config)[0]
        self.assertNotIn("max_locks_per_transaction", found)
        for weeks in range(1, 7):
            self.query(f"SELECT make_partitions(now() - interval '{weeks} weeks', now() - interval '{weeks} weeks' + interval '1 day')",
                       database)
        found = self.receiptd("check-config", "--online", "--config", config)[0]
        self.assertRegex(found, r"(?m)^warning  database: .* set max_locks_per_transaction = \d+ and restart PostgreSQL")
        daemon = self.start("run", "--config", config)
        support.wait_until("blocks are stored", lambda: daemon.poll() is not None or self.value(
            "SELECT count(*) FROM blocks", database) != "0")
        self.assertIsNone(daemon.poll(), daemon.log())
        self.assertIn("the database may run out of locks", daemon.log())
        notes = {note["reason"]: note["detail"] for note in json.loads(self.page(daemon, "/readyz")[1])["notes"]}
        self.assertIn("set max_locks_per_transaction", notes["locks"])


if __name__ == "__main__":
    support.main()
