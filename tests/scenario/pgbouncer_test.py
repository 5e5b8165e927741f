"""The daemon behind Debian's pgbouncer, in session pooling, as docs/operations.md tells it."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import unittest
import urllib.parse

import support
from receiver import Receiver, endpoint, secret_file

PROGRAM = shutil.which("pgbouncer", path=os.environ["PATH"] + ":/usr/sbin")
DOCUMENT = support.ROOT / "docs" / "operations.md"


def documented(section):
    """A section of the document's pgbouncer.ini."""
    block = re.search(r"## pgbouncer\n.*?```ini\n(.*?)```", DOCUMENT.read_text(), re.S)[1]
    return re.search(rf"\[{section}\]\n([^\[]*)", block)[1]


class Bouncer:
    """In a folder of its own, which its user may enter: it refuses to run as root."""

    def __init__(self, database):
        at = urllib.parse.urlsplit(database)
        self.user, self.name, self.port = at.username, at.path[1:], support.free_port()
        self.url = f"postgresql://{at.username}:{at.password}@127.0.0.1:{self.port}/{self.name}"
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="receiptd-pgbouncer-"))
        (self.folder / "users").write_text(f'"{at.username}" "{at.password}"\n')
        (self.folder / "pgbouncer.ini").write_text(
            f"[databases]\n{self.name} = host={at.hostname} port={at.port} dbname={self.name}\n"
            f"[pgbouncer]\n{documented('pgbouncer')}"
            f"listen_addr = 127.0.0.1\nlisten_port = {self.port}\nunix_socket_dir =\n"
            f"auth_type = scram-sha-256\nauth_file = {self.folder}/users\nadmin_users = {self.user}\n")
        if os.geteuid() == 0:
            for path in (self.folder, *self.folder.iterdir()):
                shutil.chown(path, "postgres")
        self.start()

    def start(self):
        as_user = ["-u", "postgres"] if os.geteuid() == 0 else []
        with open(self.folder / "log", "a") as log:
            self.process = subprocess.Popen([PROGRAM, *as_user, "-q", self.folder / "pgbouncer.ini"],
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        support.wait_until("pgbouncer listens", self.answers)

    def answers(self):
        if self.process.poll() is not None:
            raise AssertionError((self.folder / "log").read_text())
        return subprocess.run(["psql", self.url, "-XAtqc", "SELECT 1"], capture_output=True).returncode == 0

    def crash(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def sessions(self):
        """Connections to PostgreSQL that this pgbouncer holds."""
        shown = subprocess.run(["psql", self.url.replace("/" + self.name, "/pgbouncer"), "-XAtqc", "SHOW SERVERS"], check=True,
                               capture_output=True, text=True).stdout
        return len(shown.splitlines())

    def stop(self):
        if self.process.poll() is None:
            self.crash()
        shutil.rmtree(self.folder)


@unittest.skipUnless(PROGRAM, "pgbouncer is not installed")
class SessionPooling(support.Scenario):
    def setUp(self):
        super().setUp()
        self.bouncer = Bouncer(self.database)
        self.addCleanup(self.bouncer.stop)
        self.receiver = Receiver()
        self.addCleanup(self.receiver.stop)
        self.chain = self.sandbox("--block-time-ms", 0, "--traffic", "mixed", "--tps", 20, "--seed", 4,
                                  "--genesis-time", "now", command="run")
        self.first = self.chain.ask("/status")["final_height"]

    def advance(self, blocks):
        self.chain.ask("/advance", {"blocks": blocks})
        return self.chain.ask("/status")["final_height"]

    def settings(self, database, extra=""):
        return self.config(self.chain, source="neardata", start=self.first, network="sandbox", patience="60s", database=database,
                           extra=extra)

    def stored(self):
        return int(self.value("SELECT coalesce(max(block_height), 0) FROM blocks"))

    def test_rows_and_alerts_are_those_of_a_direct_connection_though_pgbouncer_crashes(self):
        config = self.settings(self.bouncer.url, endpoint("team", self.receiver.url, secret_file(self.folder)))
        self.receiptd("migrate", "--config", config)
        daemon = self.start("run", "--config", config)
        goal = self.advance(30)
        support.wait_until("it follows", lambda: self.stored() >= goal)
        self.assertGreater(self.bouncer.sessions(), 3)
        self.bouncer.crash()
        goal = self.advance(30)
        self.bouncer.start()
        support.wait_until("it follows again", lambda: self.stored() >= goal)
        findings = lambda: {row[0] for row in self.query("SELECT finding_id FROM findings")}
        self.assertTrue(findings())
        support.wait_until("all alerts are delivered",
                           lambda: self.value("SELECT count(*) FROM deliveries WHERE state = 'pending'") == "0")
        self.assertGreater(self.receiver.count(), 0)
        self.assertIsNone(daemon.poll(), daemon.log()[-4000:])
        daemon.send_signal(signal.SIGTERM)
        self.assertEqual(support.ended(daemon), 0, daemon.log()[-4000:])
        direct = self.make_database()
        self.receiptd("run", "--config", self.settings(direct), "--until", goal)
        self.assertEqual(self.fingerprint(), self.fingerprint(direct))

    def test_a_notice_passes_from_session_to_session(self):
        config = self.settings(self.bouncer.url)
        self.receiptd("migrate", "--config", config)
        self.start("run", "--config", config)
        goal = self.advance(20)
        support.wait_until("it follows", lambda: self.stored() >= goal)
        tx_hash, sender = self.query("SELECT tx_hash, signer_id FROM transactions ORDER BY block_height LIMIT 1")[0]
        self.advance(10)
        told = json.loads(self.receiptd("watch", tx_hash, sender, "--wait", "--json", "--config", config, expect=None)[0])
        self.assertEqual((told["tx_hash"], told["sender_id"]), (tx_hash, sender))
        self.assertIsNotNone(told["verdict"])

    def test_no_session_keeps_what_the_daemon_set(self):
        config = self.settings(self.bouncer.url)
        self.receiptd("run", "--config", config, "--until", self.advance(10))
        zone, locks = self.query("SELECT current_setting('timezone'), (SELECT count(*) FROM pg_locks JOIN pg_database d "
                                 "ON d.oid = database WHERE locktype = 'advisory' AND datname = current_database())",
                                 self.bouncer.url)[0]
        self.assertEqual((zone, locks), (self.value("SHOW timezone", self.database), "0"))


if __name__ == "__main__":
    support.main()
