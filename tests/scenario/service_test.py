"""The daemon as a service manager sees it, its unit file, and the walls around its memory."""

import os
import pathlib
import pty
import re
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
import unittest

import progress
import support

UNIT = support.ROOT / "deploy" / "receiptd.service"
MOST_EXPOSED = 2.0


class Manager:
    """Hears what the daemon tells by the protocol of sd_notify(3)."""

    def __init__(self, address):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(address)
        self.address = "@" + address[1:] if address.startswith("\0") else address
        self.heard = []

    def hear(self):
        self.heard += self.socket.recv(4096).decode().split("\n")

    def wait_for(self, what, enough):
        while not (found := [line for line in self.heard if enough(line)]):
            progress.readable(self.socket, what)
            self.hear()
        return found[0]


class Notified(support.Scenario):
    def setUp(self):
        super().setUp()
        self.manager = self.listen(str(self.folder / "notify"))

    def listen(self, address):
        manager = Manager(address)
        self.addCleanup(manager.socket.close)
        return manager

    def start_with(self, config, manager, **more):
        return self.start("run", "--config", config, env={"NOTIFY_SOCKET": manager.address, **more})

    def test_is_ready_tells_how_it_is_keeps_alive_and_says_that_it_stops(self):
        chain = self.sandbox("--rpc", support.SAMPLE / "rpc")
        daemon = self.start_with(self.config(chain), self.manager, WATCHDOG_USEC="300000")
        for _ in range(3):
            self.manager.wait_for("a sign of life", lambda line: line == "WATCHDOG=1")
            self.manager.heard.remove("WATCHDOG=1")
        self.assertLess(self.manager.heard.index("STATUS=waiting for the database"),
                        self.manager.heard.index("READY=1"))
        self.assertEqual(self.page(daemon, "/livez")[0], 200)
        self.manager.wait_for("the height", lambda line: re.match(r"STATUS=stored up to \d+, head \d+", line))
        self.assertNotIn("STOPPING=1", self.manager.heard)
        daemon.send_signal(signal.SIGTERM)
        self.manager.wait_for("the end", lambda line: line == "STOPPING=1")
        self.assertEqual(daemon.wait(), 0)
        self.assertEqual(self.manager.heard.count("READY=1"), 1)

    def test_hears_by_an_abstract_address_and_without_a_watchdog(self):
        manager = self.listen("\0receiptd-" + os.path.basename(self.folder))
        chain = self.sandbox("--rpc", support.SAMPLE / "rpc")
        daemon = self.start_with(self.config(chain), manager, WATCHDOG_USEC="300000", WATCHDOG_PID="1")
        manager.wait_for("readiness", lambda line: line == "READY=1")
        daemon.send_signal(signal.SIGTERM)
        manager.wait_for("the end", lambda line: line == "STOPPING=1")
        self.assertNotIn("WATCHDOG=1", manager.heard, "the watchdog is another process's")

    def test_is_not_ready_before_the_database_answers(self):
        chain = self.sandbox("--rpc", support.SAMPLE / "rpc")
        gone = f"postgresql://127.0.0.1:{support.free_port()}/none"
        daemon = self.start_with(self.config(chain, database=gone), self.manager)
        support.wait_until("the outage is told", lambda: "trying again" in daemon.log())
        daemon.send_signal(signal.SIGTERM)
        daemon.wait()
        self.manager.socket.setblocking(False)
        with self.assertRaises(BlockingIOError):
            while True:
                self.manager.hear()
        self.assertNotIn("READY=1", self.manager.heard)

    def test_a_manager_that_is_gone_disturbs_nobody(self):
        chain = self.sandbox("--rpc", support.SAMPLE / "rpc")
        self.manager.socket.close()
        daemon = self.start_with(self.config(chain), self.manager, WATCHDOG_USEC="30000")
        self.assertEqual(self.page(daemon, "/livez")[0], 200)
        daemon.send_signal(signal.SIGTERM)
        self.assertEqual(daemon.wait(), 0)


@unittest.skipUnless(shutil.which("systemd-analyze"), "systemd-analyze is not here")
class UnitFile(unittest.TestCase):
    def analyze(self, *arguments):
        return subprocess.run(["systemd-analyze", *map(str, arguments)], capture_output=True, text=True)

    def test_is_one_that_systemd_understands(self):
        with tempfile.TemporaryDirectory() as folder:
            # The program need not be installed here.
            unit = pathlib.Path(folder) / UNIT.name
            unit.write_text(UNIT.read_text().replace("/usr/local/bin/receiptd", "/bin/true"))
            done = self.analyze("verify", "--man=no", unit)
            self.assertEqual((done.returncode, [line for line in done.stderr.split("\n") if UNIT.name in line]), (0, []))
            unit.write_text(unit.read_text().replace("ProtectSystem=", "ProtectSistem="))
            self.assertIn("ProtectSistem", self.analyze("verify", "--man=no", unit).stderr)

    def test_is_hardly_exposed(self):
        done = self.analyze("security", "--offline=true", "--no-pager", UNIT)
        exposure = re.search(r"exposure level for receiptd.service: ([\d.]+)", done.stdout)
        self.assertIsNotNone(exposure, done.stdout + done.stderr)
        self.assertLessEqual(float(exposure[1]), MOST_EXPOSED, done.stdout)

    def test_restarts_for_ever_but_not_with_a_wrong_configuration(self):
        unit = dict(re.findall(r"^(\w+)=(.*)$", UNIT.read_text(), re.M))
        self.assertEqual((unit["Restart"], unit["StartLimitIntervalSec"]), ("always", "0"))
        self.assertEqual((unit["Type"], unit["TimeoutStartSec"]), ("notify", "infinity"))
        self.assertNotIn("ExecStartPre", unit)
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as wrong:
            wrong.write("[database]\n")
            wrong.flush()
            done = subprocess.run([support.BUILD / "receiptd", "run", "--config", wrong.name], capture_output=True)
        self.assertEqual(str(done.returncode), unit["RestartPreventExitStatus"])


class Program(unittest.TestCase):
    """The ELF file of the daemon."""

    def setUp(self):
        self.program = support.BUILD / "receiptd"
        if "__asan_init" in self.read("--dyn-syms") or "__tsan_init" in self.read("--dyn-syms"):
            self.skipTest("a sanitizer has checks of its own")

    def read(self, *what):
        return subprocess.run(["readelf", "--wide", *what, self.program], check=True, capture_output=True, text=True).stdout

    def test_stands_anywhere_and_its_tables_are_read_only_from_the_start(self):
        self.assertRegex(self.read("--file-header"), r"Type:\s+DYN")
        self.assertIn("PIE", self.read("--dynamic"))
        self.assertIn("BIND_NOW", self.read("--dynamic"))
        segments = self.read("--program-headers")
        self.assertIn("GNU_RELRO", segments)
        self.assertRegex(segments, r"GNU_STACK\s.*\sRW\s")

    def test_checks_its_stack_its_buffers_and_its_containers(self):
        symbols = self.read("--dyn-syms")
        for symbol in ("__stack_chk_fail", "_chk@", "__glibcxx_assert_fail"):
            self.assertIn(symbol, symbols)


class Memory(support.Scenario):
    def test_nobody_else_of_the_same_user_reads_it(self):
        if os.geteuid() != 0:
            user = None
        else:
            user = "nobody"
            if subprocess.run([support.BUILD / "receiptd", "version"], user=user, capture_output=True).returncode != 0:
                self.skipTest("nobody cannot run the program here")
        config = self.folder / "wait.toml"
        config.write_text(f'[database]\nurl = "postgresql://127.0.0.1:{support.free_port()}/none"\n'
                          '[[upstream]]\nname = "a"\nurl = "http://127.0.0.1:1"\n')
        self.folder.chmod(0o755)
        process = subprocess.Popen([support.BUILD / "receiptd", "run", "--config", config], user=user,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.addCleanup(process.stderr.close)
        self.addCleanup(self.kill, process)
        process.stderr.readline()
        # Whatever belongs to root there is closed to the process's own user.
        self.assertEqual(os.stat(f"/proc/{process.pid}/environ").st_uid, 0)
        self.assertRegex(pathlib.Path(f"/proc/{process.pid}/limits").read_text(), r"Max core file size\s+0\s+0\s")


class Terminal(support.Scenario):
    """A host's text gives the terminal no commands."""

    def shown(self, *arguments):
        """The text that a command writes to a terminal."""
        ours, theirs = pty.openpty()
        process = subprocess.Popen([support.BUILD / "receiptd", *map(str, arguments)], stdin=subprocess.DEVNULL,
                                   stdout=theirs, stderr=theirs)
        os.close(theirs)
        self.addCleanup(self.kill, process)
        text = b""
        while True:
            try:
                more = os.read(ours, 65536)
            except OSError:  # the other end is closed
                more = b""
            if not more:
                break
            text += more
        os.close(ours)
        process.wait()
        return text.decode()

    def test_text_of_a_host_is_shown_without_control_characters(self):
        chain = self.sandbox("--rpc", support.SAMPLE / "rpc")
        config = self.config(chain)
        self.receiptd("migrate", "--config", config)
        self.query("INSERT INTO unavailable_heights (height, reason, detail) "
                   "VALUES (7, 'malformed', E'said \\x1b[2J\\u009b31m\\u202etxt')")
        self.query("INSERT INTO coverage (scope, wanted) VALUES ('all', '{[7,8)}') "
                   "ON CONFLICT (scope) DO UPDATE SET wanted = '{[7,8)}'")
        shown = self.shown("status", "--config", config)
        self.assertIn("said �[2J�31m�txt", shown)
        self.assertNotRegex(shown, "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e]")
        self.assertIn("\x1b[2J", self.receiptd("status", "--config", config, expect=4)[0], "a file gets it as it is")


if __name__ == "__main__":
    support.main()
