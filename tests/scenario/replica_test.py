"""A streaming replica: people ask it, and the daemon goes on with it when it becomes the primary (docs/operations.md)."""

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
        self.query("SELECT * FROM gaps; SELECT * FROM contract_health; SELECT * FROM failed_callbacks; "
                   "SELECT * FROM unfinished_trees", replica)
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


if __name__ == "__main__":
    support.main()
