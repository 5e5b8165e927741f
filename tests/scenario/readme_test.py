"""README.md: its commands, its configuration and its SQL work as they are printed there."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest

import support
from handed_in import TOKEN, final_hash, key_of, nonce_of
from signer import Signed

README = (support.ROOT / "README.md").read_text()
KEY = "readme-key-0123456789"


def blocks(language=""):
    """The fenced blocks of a language."""
    return [text for said, text in re.findall(r"^```(\w*)\n(.*?)^```$", README, re.M | re.S) if said == language]


def commands(program):
    """Lines of blocks that begin with the program's name, without their comments."""
    lines = [line.split(" #")[0].rstrip() for block in blocks() for line in block.splitlines()]
    return [line for line in lines if line.split(" ")[0] == program]


class Readme(support.Scenario):
    empty_database = True

    def setUp(self):
        super().setUp()
        self.chain = self.sandbox("--block-time-ms", 100, "--traffic", "mixed", "--tps", 20, "--seed", 5, "--genesis-time", "now",
                                  "--api-key", KEY, command="run")
        self.first = self.chain.ask("/status")["genesis_height"] + 1
        configuration, = blocks("toml")
        for old, new in {"https://rpc.mainnet.fastnear.com": self.chain.regular,
                         "https://archival-rpc.mainnet.fastnear.com": self.chain.archival,
                         "postgresql:///receiptd?host=/run/postgresql": self.database,
                         '"mainnet"': '"sandbox"', "usdc.near": "ft.sandbox", "amm.near": "alice.sandbox"}.items():
            self.assertIn(old, configuration)
            configuration = configuration.replace(old, new)
        listen = f'[http]\nlisten = "127.0.0.1:{support.free_port()}"\n'
        (self.folder / "receiptd.toml").write_text(configuration + listen)
        (self.folder / "receiptd.toml").chmod(0o600)

    def run_command(self, line):
        program, *arguments = line.split(" ")
        return support.completed([support.BUILD / program, *arguments], cwd=self.folder, env=os.environ | {"RECEIPTD_API_KEY": KEY})

    def blocks(self):
        status = self.chain.ask("/status")
        return status["final_height"] - status["genesis_height"]

    def start_daemon(self):
        log = open(self.folder / "run.log", "w+")
        self.addCleanup(log.close)
        daemon = subprocess.Popen([support.BUILD / "receiptd", "run"], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log,
                                  stderr=subprocess.STDOUT, env=os.environ | {"RECEIPTD_API_KEY": KEY})
        self.addCleanup(self.kill, daemon)
        return daemon

    def wait_for_succeeded(self, daemon):
        """A hash and a sender of a transaction that nothing happened to."""
        query = "SELECT tx_hash, signer_id FROM transaction_results WHERE verdict = 'succeeded' AND effect IS NULL LIMIT 1"
        log = self.folder / "run.log"
        return support.wait_until("a transaction has succeeded", lambda: self.assertIsNone(daemon.poll(), log.read_text()) or
                                  self.value("SELECT to_regclass('transaction_results')") and self.query(query))[0]

    def signed(self):
        key = key_of(self.chain, "alice.sandbox")
        nonce = nonce_of(self.chain, "alice.sandbox", key) + 1
        (self.folder / "signed").write_text(Signed(key, "alice.sandbox", "bob.sandbox", nonce, final_hash(self.chain), TOKEN).base64)
        return "signed"

    def test_every_command_does_what_it_should(self):
        lines = commands("receiptd")
        begins = [line.split()[1] for line in lines].index("run")
        self.assertEqual([line.split()[1] for line in lines[:begins]], ["check-config", "check-config", "plan", "migrate"])
        support.wait_until("there are blocks to plan by", lambda: self.blocks() > 60)
        for line in lines[:begins]:
            done = self.run_command(line)
            self.assertEqual(done.returncode, 0, f"{line}\n{done.stdout}{done.stderr}")
        tx_hash, sender = self.wait_for_succeeded(self.start_daemon())
        support.wait_until("it is ready", lambda: self.run_command("receiptd status").returncode == 0)
        for line in lines[begins + 1:]:
            line = (line.replace("HASH", tx_hash).replace("SENDER", sender).replace("FILE", self.signed())
                    .replace("150000000", str(self.first)).replace("150010000", str(self.first + 10)).replace("amm.near", "alice.sandbox"))
            with self.subTest(line):
                done = self.run_command(line)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for statement in blocks("sql"):
            subprocess.run(["psql", self.database, "-XqAt", "-v", "ON_ERROR_STOP=1", "-c", statement.replace("HASH", tx_hash)],
                           check=True, capture_output=True)

    def test_the_sandbox_starts(self):
        line, = commands("receiptd-sandbox")
        serving = subprocess.Popen([support.BUILD / "receiptd-sandbox", *line.split(" ")[1:], "--listen", "127.0.0.1:0",
                                    "--archival-listen", "127.0.0.1:0"], cwd=self.folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(serving.stdout.close)
        self.addCleanup(self.kill, serving)
        self.assertEqual(serving.stdout.readline(), "ready\n")
        self.assertTrue((self.folder / "keys.json").exists())


class Demo(unittest.TestCase):
    def test_reports_once_and_ends(self):
        local = tempfile.mkdtemp(prefix="demo-", dir=support.BUILD)
        self.addCleanup(shutil.rmtree, local, ignore_errors=True)
        self.addCleanup(subprocess.run, [support.ROOT / "scripts/postgres.sh", "remove", f"{local}/postgres"])
        self.assertIn("./dev demo", README)
        done = support.completed([support.ROOT / "dev", "demo", "--once"], env=os.environ | {"RECEIPTD_LOCAL": local})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"Newest failures\n  \d\d:\d\d:\d\d  \w")
        self.assertIn("NEAR     says success", done.stdout)
        self.assertIn('"ok": true', done.stdout)


if __name__ == "__main__":
    support.main()
