#!/usr/bin/env python3
"""The schema belongs to one user of the database, and the daemon and its commands run as another: what they may is
enough, and what is missing is said with the command that mends it."""

import json
import os
import re
import shlex
import subprocess
import unittest
import urllib.parse

import commands_test
import daemons_test
import databases
import storms_test
import submit_test
import support
from receiver import EVERY_FINDING, Receiver, endpoint, secret_file

ROLES = ("receiptd_daemon", "receiptd_readonly", "receiptd_watcher")
OWNER, FOLLOWER = "owner_of_the_schema", "follower"


def as_user(url, user, password):
    return re.sub(r"://[^@]*@", f"://{user}:{password}@", url)


def name_of(url):
    return urllib.parse.urlsplit(url).path[1:]


class TwoUsers(support.Scenario):
    """`self.database` is the superuser's, whom the tests ask; files name the follower."""

    empty_database = True  # which its owner migrates
    migrated = True

    def make_database(self):
        self.make_roles()
        url = support.database_url(self.migrated_by_owner()) if self.migrated else super().make_database()
        self.give_to_owner(url)
        return url

    def make_roles(self):
        for role in ROLES:  # as the owner may not make them
            self.make_role(f"{role} NOLOGIN")
        self.make_role(f"{OWNER} LOGIN PASSWORD 'o'")
        self.make_role(f"{FOLLOWER} LOGIN PASSWORD 'f' IN ROLE receiptd_daemon")

    def make_role(self, what):
        support.sql(self.maintenance, f"DO $$ BEGIN CREATE ROLE {what}; EXCEPTION WHEN duplicate_object THEN NULL; END $$")

    def give_to_owner(self, url):
        support.sql(self.maintenance, f"ALTER DATABASE {name_of(url)} OWNER TO {OWNER}")

    def migrated_by_owner(self):
        template = databases.template_name() + "_by_owner"
        databases.make_template(self.maintenance, template, "template1", lambda: self.migrate(support.database_url(template)))
        name = databases.copy_of(template, self.maintenance, template)
        self.addCleanup(support.sql, self.maintenance, f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        return name

    def migrate(self, url):
        self.give_to_owner(url)
        config = self.folder / "owner.toml"
        config.write_text('[[upstream]]\nname = "a"\nkind = "regular"\nurl = "http://127.0.0.1:1"\n'
                          f'[chain]\nnetwork = "sandbox"\n[database]\nurl = "{as_user(url, OWNER, "o")}"\n')
        config.chmod(0o600)
        self.receiptd("migrate", "--config", config)

    def config(self, *arguments, database=None, **more):
        return super().config(*arguments, database=database or as_user(self.database, FOLLOWER, "f"), **more)


class Outdated(TwoUsers):
    migrated = False

    def test_the_command_that_is_told_makes_the_schema_and_the_daemon_runs(self):
        sandbox = self.sandbox("--rpc", support.SAMPLE / "rpc")
        config = self.config(sandbox)
        for command in (["run"], ["backfill", "--from", 1, "--to", 2], ["migrate"]):
            _, error = self.receiptd("--config", config, *command, expect=1)
            self.assertIn(f'user "{FOLLOWER}" may not change it', error.replace('\\"', '"'))
        mend = shlex.split(re.search(r"receiptd (migrate .*?) \(a password", error)[1])
        done = subprocess.run([support.BUILD / "receiptd", *mend], env=os.environ | {"PGPASSWORD": "o"},
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("nothing to do", self.receiptd("--config", config, "migrate")[0])
        daemon = self.start("run", "--config", config)
        self.assertEqual(self.page(daemon, "/livez")[0], 200)

    def test_a_newer_database_is_refused_by_everything_that_asks_it(self):
        self.migrated = True
        self.database = self.make_database()
        self.query("INSERT INTO schema_migrations (version, name, checksum) SELECT max(version) + 1, '9000_later.sql', 'x' "
                   "FROM schema_migrations")
        config = self.config(self.sandbox("--rpc", support.SAMPLE / "rpc"))
        hash_of = "2Dhv4NohEpoxo4srCnp1miGBLgUKWPc8qUfRtyh1isNN"
        for command in (["run"], ["migrate"], ["status"], ["alerts", "list"], ["tx", hash_of], ["watch", hash_of, "a.near"],
                        ["rules", "list"], ["endpoints", "list"], ["silences", "list"], ["repair", "--height", 1]):
            _, error = self.receiptd("--config", config, *command, expect=1)
            self.assertIn("the database is newer than this program: it has 9000_later.sql", error, command)


class Follows(TwoUsers):
    def test_everything_that_the_daemon_and_people_do(self):
        receiver = Receiver()
        self.addCleanup(receiver.stop)
        chain = self.sandbox("--block-time-ms", 50, "--traffic", "failures", "--tps", 20, "--seed", 3,
                             "--genesis-time", "now", command="run")
        genesis = chain.rpc("block", {"sync_checkpoint": "genesis"})["header"]["height"]
        settings = dict(source="neardata", network="sandbox",
                        extra='[[list]]\nname = "vip"\n[retention]\nreceipts = "2d"\nresults = "2d"\n[[expected]]\nname = "none"\ncontract = "x.near"\n'
                              + endpoint("ops", receiver.url, secret_file(self.folder)))
        config = self.config(chain, start=genesis + 20, **settings)
        # Older than it is kept.
        self.query("INSERT INTO chain_identity (network, scope, partition_width, created_by) VALUES ('sandbox', 'all', 'day', '-'); "
                   "SELECT make_partitions(now() - interval '9 days', now() - interval '9 days')")
        daemon = self.start("run", "--config", config)
        support.wait_until("alerts arrive", lambda: daemon.poll() is not None or receiver.count() > 3)
        self.assertIsNone(daemon.poll(), daemon.log())
        support.wait_until("all heights that are named below are there",
                           lambda: chain.ask("/status")["final_height"] >= genesis + 60)
        chain.ask("/pause", {})
        # The age of history is told by what is stored; maintenance is at the start, and each hour.
        self.kill(daemon)
        daemon = self.start("run", "--config", config)
        support.wait_until("old partitions are gone", lambda: self.value(
            "SELECT count(*) FROM partitions WHERE until_time < now() - interval '3 days'") == "0")

        def run(*command, **how):
            return self.receiptd("--config", config, *command, **how)[0]
        run("backfill", "--from", genesis + 1, "--to", genesis + 10)
        run("silences", "add", "--rule", EVERY_FINDING, "--for", "1h", "--reason", "storm", "--by", "eve")
        run("silences", "end", 1, "--by", "eve")
        run("endpoints", "enable", "ops")
        run("endpoints", "test", "ops")
        run("lists", "add", "vip", "alice.sandbox")
        run("lists", "remove", "vip", "alice.sandbox")
        run("alerts", "resend", self.value("SELECT alert_id FROM alerts LIMIT 1"))
        run("rules", "test", "--from", genesis + 20, "--to", genesis + 60)
        run("rejudge", "--from", genesis + 20, "--to", genesis + 40)
        run("repair", "--height", genesis + 30)
        json.loads(run("status", "--json", expect=None))  # a removed height makes it not ready
        row = self.query("SELECT tx_hash, signer_id FROM transactions LIMIT 1")[0]
        run("tx", row[0], expect=None)
        run("watch", *row)
        self.query(f"SET ROLE receiptd_watcher; INSERT INTO watches (tx_hash, sender_id) VALUES "
                   f"('{'2' * 43}', 'alice.sandbox')")
        support.wait_until("the watches are taken up", lambda: self.value(
            "SELECT count(*) FROM watches WHERE watched_since IS NULL") == "0")
        support.wait_until("the height is there again", lambda: self.value(
            f"SELECT heights @> {genesis + 30}::bigint FROM coverage") == "t")
        self.assertNotIn("permission denied", daemon.log())
        self.assertNotIn("not usable", daemon.log())
        self.assertNotIn("refuses work", daemon.log())


class Submits(TwoUsers, submit_test.SubmitTest):
    pass


class Silences(TwoUsers, storms_test.Silenced):
    pass


class Backfills(TwoUsers, commands_test.Together):
    pass


class Alternates(TwoUsers, daemons_test.Restarted):
    pass


# One test of each kind that other scenarios prove.
TESTS = [Outdated("test_the_command_that_is_told_makes_the_schema_and_the_daemon_runs"),
         Outdated("test_a_newer_database_is_refused_by_everything_that_asks_it"),
         Follows("test_everything_that_the_daemon_and_people_do"),
         Submits("test_one_is_taken_and_seen_to_its_end"),
         Silences("test_what_a_silence_matches_is_kept_until_it_ends_and_can_be_sent_by_hand"),
         Backfills("test_a_killed_backfill_is_taken_over_and_finished"),
         Alternates("test_every_alert_reaches_the_endpoints_of_either_that_want_it_and_no_other")]


def load_tests(_loader, _tests, _pattern):
    return unittest.TestSuite(TESTS)


if __name__ == "__main__":
    support.main()
