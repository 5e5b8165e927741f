#!/usr/bin/env python3
"""A later version migrates the database under a daemon that follows, and dies while it does so.

The later program has one more migration than this one (tests/data/migrations/later.sql). The earlier one is this one, or in
./dev sweep upgrade that of the commit before (RECEIPTD_EARLIER). In the end every row of every history table is compared
with those of the later program that did it alone."""

import json
import os
import pathlib
import random
import re
import signal

import support
from crash_test import FIRST, Disturbed
from database_proxy import MOMENTS

KILLS = support.count_of("upgrade", 4)
ROUND = 6  # kills in one database
BLOCKS = 150
LAST = FIRST + BLOCKS - 1
EARLIER, LATER = pathlib.Path(os.environ.get("RECEIPTD_EARLIER", support.BUILD / "receiptd")), support.BUILD / "receiptd-later"
COMMANDS = ("migrate",), ("migrate", "--finish"), ("run",)
# Commits of a migration, and statements that commit themselves.
STEPS = (1, ()), (2, ()), (3, ()), (1, ("CONCURRENTLY",)), (2, ("CONCURRENTLY",)), (1, ("VALIDATE",)), (1, ("ATTACH",))


class Upgraded(Disturbed):
    empty_database = True

    def chain(self):
        return self.sandbox("--whole-blocks", support.SAMPLE / "whole-block", "--repeat", BLOCKS,
                            "--block-time-ms", 64, "--start-on-first-request")

    def as_of(self, program, command, *arguments, **more):
        self.program = program
        return getattr(self, command)(*arguments, **more)

    def config_for(self, sandbox, database):
        return self.config(sandbox, source="neardata", start=FIRST, database=database, follow="batch_blocks = 2\n")

    def alone(self):
        database = self.make_database()
        config = self.config_for(self.chain(), database)
        self.as_of(LATER, "receiptd", "run", "--config", config, "--until", LAST)
        self.as_of(LATER, "receiptd", "migrate", "--config", config, "--finish")
        return self.fingerprint(database)

    def notes(self, daemon):
        return {note["reason"]: note["detail"] for note in json.loads(self.page(daemon, "/readyz")[1]).get("notes", [])}

    def die_at(self, proxy, config, chance):
        """A command that comes to its end before the step has to end well."""
        command, (number, about), moment = chance.choice(COMMANDS), chance.choice(STEPS), chance.choice(MOMENTS)
        step = proxy.step(number, moment, about)
        process = self.as_of(LATER, "start", *command, "--config", config)
        support.wait_until("a step, or the end", lambda: step.is_reached.wait(0.05) or process.poll() is not None
                           or "listen=" in process.log())
        self.kill(process)
        self.assertIn(process.returncode, (0, -signal.SIGKILL), process.log())
        proxy.cut_off()

    def assert_later(self, database):
        self.assertEqual(self.value("SELECT count(*) FROM schema_migrations WHERE name ~ 'later'", database), "1")
        self.assertEqual(self.value("SELECT count(*) FROM pg_index WHERE NOT indisvalid", database), "0")
        self.assertEqual(self.value("SELECT count(*) FROM pg_constraint WHERE NOT convalidated", database), "0")

    def test_rows_are_those_of_a_later_daemon_that_did_it_alone(self):
        expected, chance = self.alone(), random.Random(7)
        for begun in range(0, KILLS, ROUND):
            with self.subTest(begun=begun):
                self.upgrade(min(ROUND, KILLS - begun), chance, expected)

    def upgrade(self, kills, chance, expected):
        database, sandbox = self.make_database(), self.chain()
        proxy = self.proxy(database)
        direct, by_proxy = self.config_for(sandbox, database), self.config_for(sandbox, proxy.url)
        earlier = self.as_of(EARLIER, "start", "run", "--config", direct)
        support.wait_until("it follows", lambda: earlier.poll() is not None or (
            self.value("SELECT to_regclass('coverage')", database) and self.covered(database) > 4))
        for _ in range(kills):
            self.die_at(proxy, by_proxy, chance)
        self.as_of(LATER, "receiptd", "migrate", "--config", direct, "--finish")
        self.assert_later(database)
        covered = self.covered(database)
        support.wait_until("the earlier daemon goes on", lambda: earlier.poll() is not None
                           or self.covered(database) > min(covered, BLOCKS - 1))
        self.assertIsNone(earlier.poll(), earlier.log())
        told = support.wait_until("it says that the schema is newer", lambda: self.notes(earlier).get("schema"))
        self.assertIn("_later.sql", told)
        self.assertNotIn("refuses work", earlier.log())
        self.kill(earlier)
        _, error = self.as_of(EARLIER, "receiptd", "run", "--config", direct, expect=1)
        self.assertIn("the database is newer than this program", error)
        self.assertEqual(len(error.splitlines()), 1, error)
        self.as_of(LATER, "receiptd", "run", "--config", direct, "--until", LAST)
        self.assert_complete(expected, database)

    def test_the_plan_says_what_will_be_done_and_changes_nothing(self):
        config = self.config_for(self.chain(), self.database)
        self.as_of(EARLIER, "receiptd", "migrate", "--config", config)
        self.query("INSERT INTO chain_identity (network, scope, partition_width, created_by) VALUES ('mainnet', 'all', 'day', '-'); "
                   "SELECT make_partitions('2025-01-01', '2025-01-03')")
        plan = json.loads(self.as_of(LATER, "receiptd", "migrate", "--plan", "--json", "--config", config)[0])
        self.assertEqual([step["name"][4:] for step in plan["migrations"]], ["_later.sql"])
        self.assertEqual([(lock["table"], lock["mode"], lock["partitions"]) for lock in plan["migrations"][0]["locks"]],
                         [("receipts", "ACCESS EXCLUSIVE", 3)])
        out, _ = self.as_of(LATER, "receiptd", "migrate", "--plan", "--config", config)
        self.assertRegex(out, r"receipts \(3 partitions, about 0 rows, 0 MB\) in ACCESS EXCLUSIVE for moments")
        self.assertIn("is read by one partition at a time", out)
        self.as_of(LATER, "receiptd", "migrate", "--status", "--config", config, expect=1)
        out, _ = self.as_of(LATER, "receiptd", "migrate", "--config", config)
        self.assertIn("receipts_by_predecessor of receipts: 3 tables", out)
        daemon = self.as_of(LATER, "start", "run", "--config", config)
        support.wait_until("the daemon has built them", lambda: daemon.poll() is not None or self.value(
            "SELECT count(*) FROM pg_index WHERE NOT indisvalid") == "0")
        self.kill(daemon)
        self.assertEqual(self.as_of(LATER, "receiptd", "migrate", "--finish", "--config", config)[0], "nothing is left\n")
        self.assertIn("nothing to do", self.as_of(LATER, "receiptd", "migrate", "--plan", "--config", config)[0])
        self.assertIn("newer than this program", self.as_of(EARLIER, "receiptd", "migrate", "--status", "--config", config, expect=1)[0])

    def test_finishing_says_what_it_did_and_who_may_do_it(self):
        config = self.config_for(self.chain(), self.database)
        self.as_of(EARLIER, "receiptd", "migrate", "--config", config)
        self.query("INSERT INTO chain_identity (network, scope, partition_width, created_by) VALUES ('mainnet', 'all', 'day', '-'); "
                   "SELECT make_partitions('2025-01-01', '2025-01-03')")
        self.as_of(LATER, "receiptd", "migrate", "--config", config)
        role = "scenario_" + os.urandom(4).hex()
        self.query(f"CREATE ROLE {role} LOGIN PASSWORD 'p' IN ROLE receiptd_daemon")
        self.addCleanup(support.sql, self.maintenance, f"DROP ROLE {role}")
        follower = re.sub(r"//[^@]+@", f"//{role}:p@", self.database)
        _, error = self.as_of(LATER, "receiptd", "migrate", "--finish", "--config", config, "--database-url", follower, expect=1)
        self.assertIn("work that a migration left for later", error)
        self.assertRegex(error, r"Run this first: receiptd migrate .* --finish \(")
        out, _ = self.as_of(LATER, "receiptd", "migrate", "--finish", "--config", config)
        self.assertRegex(out, r"\Afinished later_note_is_short of receipts: 3 tables of \d+ MB\n"
                              r"finished receipts_by_predecessor of receipts: 3 tables of \d+ MB\nnothing is left\n\Z")
        self.assertEqual(self.as_of(LATER, "receiptd", "migrate", "--finish", "--config", config)[0], "nothing is left\n")


class ChangedUnderADaemon(support.Scenario):
    def test_what_is_missing_is_told_and_the_daemon_goes_on_when_it_is_there_again(self):
        chain = self.sandbox("--whole-blocks", support.SAMPLE / "whole-block", "--repeat", BLOCKS)
        daemon = self.start("run", "--config", self.config(chain, source="neardata", start=FIRST))
        database = lambda: [reason["detail"] for reason in json.loads(self.page(daemon, "/readyz")[1])["reasons"]
                            if reason["reason"] == "database"]
        support.wait_until("it is well", lambda: "following" in daemon.log() and not database())
        self.query("ALTER TABLE daemons RENAME seen_at TO seen_when")
        (told,) = support.wait_until("it says so", database)
        self.assertIn('column "seen_at"', told)
        self.assertIn("somebody has changed or dropped what receiptd made", told)
        self.query("ALTER TABLE daemons RENAME seen_when TO seen_at")
        support.wait_until("it goes on", lambda: daemon.poll() is not None or not database())
        self.assertIn("usable again", daemon.log())
        self.assertNotIn("not usable", daemon.log())


class MadeByAnother(support.Scenario):
    def test_a_database_of_before_is_refused_in_one_sentence_that_says_what_to_do(self):
        """Before there was a release, migrations were changed in place; the first databases lacked columns, too."""
        self.query("UPDATE schema_migrations SET checksum = 'x', name = '0001_of_before.sql' WHERE version = 1; "
                   "ALTER TABLE schema_objects DROP COLUMN applied_by")
        config = self.config(self.sandbox("--rpc", support.SAMPLE / "rpc"))
        for command in ("run",), ("migrate",), ("migrate", "--finish"), ("status",), ("backfill", "--from", 1, "--to", 2):
            _, error = self.receiptd(*command, "--config", config, expect=1)
            self.assertEqual(len(error.splitlines()), 1, error)
            self.assertIn("its migration 0001_of_before.sql is not this program's; use the receiptd that made it, or set "
                          "database.url to a new database, which `receiptd backfill` fills", error)
        plan, _ = self.receiptd("migrate", "--plan", "--config", config, expect=1)
        self.assertRegex(plan, r"\Aproblem  this database was made by another receiptd.*\n\Z")


if __name__ == "__main__":
    support.main()
