"""A streaming replica: people ask it, and the daemon goes on with it when it becomes the primary. A subscriber by logical
replication has the same rows (docs/operations.md)."""

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import urllib.parse

import support

BINARIES = "/usr/lib/postgresql/15/bin"


class Replica(support.OwnCluster):
    def setUp(self):
        super().setUp()
        self.primary = self.postgres("database", self.cluster, "receiptd")
        self.replica_folder = pathlib.Path(tempfile.mkdtemp(prefix="receiptd-replica-"))
        self.addCleanup(self.postgres, "remove", self.replica_folder)
        self.chain = self.sandbox("--block-time-ms", 0, "--traffic", "mixed", "--tps", 20, "--seed", 6, command="run")
        self.first = self.chain.ask("/status")["final_height"]

    def make_replica(self):
        at, port = urllib.parse.urlsplit(self.primary), support.free_port()
        owner = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}
        shutil.copy(self.cluster / "password", self.replica_folder)
        if owner:
            for path in (self.replica_folder, self.replica_folder / "password"):
                shutil.chown(path, "postgres", "postgres")
        subprocess.run([shutil.which("pg_basebackup", path=f"{BINARIES}:{os.environ['PATH']}"), "-R", "-X", "stream", "-c", "fast",
                        "-D", self.replica_folder / "data", "-d", f"postgresql://{at.netloc}"], check=True, capture_output=True,
                       cwd="/", **owner)
        self.postgres("start", self.replica_folder, port)
        both = f"{at.hostname}:{at.port},127.0.0.1:{port}"
        replica = self.postgres("url", self.replica_folder, "receiptd")
        return replica, f"postgresql://{at.username}:{at.password}@{both}/receiptd?target_session_attrs=read-write"

    def advance(self, blocks):
        self.chain.ask("/advance", {"blocks": blocks})
        return self.chain.ask("/status")["final_height"]

    def stored(self, database):
        if not self.value("SELECT to_regclass('blocks')", database):  # a replica is behind with the schema, too
            return 0
        return int(self.value("SELECT coalesce(max(block_height), 0) FROM blocks", database))

    def test_people_ask_it_and_the_daemon_goes_on_where_it_becomes_the_primary(self):
        replica, either = self.make_replica()
        config = self.config(self.chain, source="neardata", start=self.first, network="sandbox", patience="60s", database=either)
        daemon = self.start("run", "--config", config)
        goal = self.advance(30)
        support.wait_until("the replica has all blocks", lambda: self.stored(replica) >= goal)
        tx_hash, = self.query("SELECT tx_hash FROM transaction_results ORDER BY tx_hash LIMIT 1", replica)[0]
        self.assertNotEqual(self.value(f"SELECT count(*) FROM receipt_tree('{tx_hash}')", replica), "0")
        self.query("SELECT * FROM gaps; SELECT * FROM contract_health('-infinity'); SELECT * FROM failed_callbacks; "
                   "SELECT * FROM unfinished_trees('-infinity')", replica)
        database_id = self.value("SELECT database_id FROM database_identity", replica)

        self.postgres("stop", self.cluster, "immediate")
        self.query("SELECT pg_promote()", replica)
        goal = self.advance(30)
        support.wait_until("the daemon follows with it", lambda: self.stored(replica) >= goal)
        support.wait_until("nothing is missing", lambda: self.value("SELECT wanted - heights FROM coverage", replica) == "{}")
        daemon.send_signal(signal.SIGTERM)
        self.assertEqual(support.ended(daemon), 0, daemon.log()[-4000:])
        self.receiptd("run", "--config", config, "--until", goal)
        self.assertEqual(self.value("SELECT database_id FROM database_identity", replica), database_id)
        direct = self.make_database()
        self.receiptd("run", "--config", self.config(self.chain, source="neardata", start=self.first, network="sandbox",
                                                     patience="60s", database=direct), "--until", goal)
        self.assertEqual(self.fingerprint(replica), self.fingerprint(direct))


TABLES = ("blocks", "chunks", "transactions", "receipts", "data_receipts", "events", "transaction_results", "findings",
          "orphan_receipts", "unplaced_receipts", "pending_trees", "watches", "watch_transitions", "coverage", "deliveries")
# As docs/operations.md has it: for the two tables without an index of their own that tells their rows apart.
AT_THE_SUBSCRIBER = """
CREATE UNIQUE INDEX ON events (tree_id, receipt_id, "index", block_time);
CREATE UNIQUE INDEX ON watch_transitions (tx_hash, at, to_stage);
SELECT identify_rows('watch_transitions'), identify_rows('events');
SELECT identify_rows(inhrelid) FROM pg_inherits WHERE inhparent = 'events'::regclass;
"""


class Subscriber(support.OwnCluster):
    def setUp(self):
        super().setUp()
        publisher = self.postgres("database", self.cluster, "receiptd")
        self.query("ALTER SYSTEM SET wal_level = logical", publisher)
        self.postgres("stop", self.cluster, "fast")
        self.postgres("start", "--memory", self.cluster)
        self.publisher = self.postgres("url", self.cluster, "receiptd")
        self.subscriber = self.postgres("database", self.cluster, "copy")
        self.chain = self.sandbox("--block-time-ms", 0, "--traffic", "mixed", "--tps", 20, "--seed", 6, command="run")

    def subscribe(self):
        schema = subprocess.run(["pg_dump", "--schema-only", "--no-publications", self.publisher], check=True, capture_output=True, text=True).stdout
        made = subprocess.run(["psql", "-qX", "-v", "ON_ERROR_STOP=1", self.subscriber], input=schema, capture_output=True,
                              text=True)
        self.assertEqual((made.returncode, made.stderr), (0, ""))
        self.query(AT_THE_SUBSCRIBER, self.subscriber)
        self.query("SELECT pg_create_logical_replication_slot('copy', 'pgoutput')", self.publisher)
        self.query(f"CREATE SUBSCRIPTION copy CONNECTION '{self.publisher}' PUBLICATION everything WITH (create_slot = false)", self.subscriber)
        self.addCleanup(self.query, "ALTER SUBSCRIPTION copy DISABLE; ALTER SUBSCRIPTION copy SET (slot_name = NONE); "
                        "DROP SUBSCRIPTION copy", self.subscriber)

    def rows_of(self, database):
        return {table: self.query(f"SELECT md5(coalesce(string_agg(t::text, '|' ORDER BY t::text COLLATE \"C\"), '')) FROM {table} t", database)
                for table in TABLES}

    def test_has_the_rows_of_a_daemon_that_goes_on_under_a_publication_of_all_tables(self):
        first = self.chain.ask("/status")["final_height"]
        config = self.config(self.chain, start=first, network="sandbox", database=self.publisher, scope="accounts",
                             follow='accounts = ["receiver.sandbox", "ft.sandbox"]', extra='[[watch]]\nname = "all"\nsigner = "*"\n')
        daemon = self.start("run", "--config", config)
        support.wait_until("it has begun", lambda: self.value("SELECT to_regclass('blocks')", self.publisher) and self.stored() > 0)
        self.query("CREATE PUBLICATION everything FOR ALL TABLES WITH (publish_via_partition_root = true)", self.publisher)
        self.subscribe()
        self.chain.ask("/advance", {"blocks": 40})
        goal = self.chain.ask("/status")["final_height"]
        support.wait_until("all is stored, and trees are judged", lambda: daemon.poll() is None and self.stored() >= goal and int(self.value(
            "SELECT count(*) FROM transaction_results", self.publisher)) > 20)
        daemon.send_signal(signal.SIGTERM)
        self.assertEqual(support.ended(daemon), 0, daemon.log()[-4000:])
        for change in ("UPDATE events SET standard = 'x'", "UPDATE receipts SET tx_hash = tx_hash", "DELETE FROM watch_transitions",
                       "DELETE FROM findings WHERE finding_id IN (SELECT min(finding_id) FROM findings)"):
            self.query(change, self.publisher)
        want = self.rows_of(self.publisher)
        self.assertGreater(int(self.value("SELECT count(*) FROM events", self.publisher)), 0)
        support.wait_until("the subscriber has the same", lambda: self.rows_of(self.subscriber) == want)

    def stored(self):
        return int(self.value("SELECT coalesce(max(block_height), 0) FROM blocks", self.publisher))


if __name__ == "__main__":
    support.main()
