#!/usr/bin/env python3
"""What starts each test (support/run_test.py): it ends what stands still or is left behind, and counts what was used."""

import os
import pathlib
import subprocess
import tempfile
import unittest

import support
from progress import completed

LAUNCHER = support.ROOT / "tests" / "support" / "run_test.py"
SPIN = "import time; end = time.process_time() + {seconds}\nwhile time.process_time() < end: pass"

SLEEPER = f"sleep {1_000_000 + os.getpid()}"  # no other test has it
LEAVE_BEHIND = f"import subprocess as s; s.Popen({SLEEPER.split()}, stdout=s.DEVNULL, stderr=s.DEVNULL)"


def sleeps():
    return subprocess.run(["pgrep", "--full", f"^{SLEEPER}"], stdout=subprocess.DEVNULL).returncode == 0


class Launcher(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="receiptd-scenario-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_test(self, *command, options=(), **variables):
        without = {name: value for name, value in os.environ.items() if name != "RECEIPTD_TEST_DATABASE"}
        return completed([LAUNCHER, *options, "--", *command], env={**without, **variables})

    def test_a_test_is_given_its_exit_code_and_its_output(self):
        done = self.run_test("bash", "-c", "echo said; exit 7")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (7, "said\n", ""))

    def test_a_killed_test_fails(self):
        self.assertEqual(self.run_test("bash", "-c", "kill -SEGV $$").returncode, 128 + 11)

    def test_a_test_that_stands_still_is_ended_with_all_that_it_started(self):
        done = self.run_test("bash", "-c", f"{SLEEPER} & wait", RECEIPTD_TEST_STANDS_STILL_AFTER="1")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"stands still: nothing of it has used any CPU or written anything for 1 s: .*sleep \(\d+\)")
        self.assertFalse(sleeps())

    def test_a_test_that_works_is_not_ended(self):
        done = self.run_test("python3", "-c", SPIN.format(seconds=1.5), RECEIPTD_TEST_STANDS_STILL_AFTER="1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_what_a_test_leaves_running_makes_it_fail(self):
        done = self.run_test("python3", "-c", LEAVE_BEHIND)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"left this running: sleep \(\d+\)")
        self.assertFalse(sleeps())

    def test_costs_have_what_children_used_and_postgres_used(self):
        costs, folders = self.folder / "costs.tsv", self.folder / "temporary"
        folders.mkdir()
        query = "SELECT sum(length(md5(n::text))) FROM generate_series(1, 500000) n"
        script = f"python3 -c '{SPIN.format(seconds=0.5)}' & wait; psql -XAtqc '{query}' \"$RECEIPTD_TEST_DATABASE\""
        done = self.run_test("bash", "-c", script, options=("--postgres", "--costs", costs, "a name"), TMPDIR=str(folders))
        self.assertEqual((done.returncode, done.stdout), (0, "16000000\n"), done.stderr)
        name, of_test, of_postgres, _ = costs.read_text().split("\t")
        self.assertEqual(name, "a name")
        self.assertGreater(float(of_test), 0.5)
        self.assertGreater(float(of_postgres), 0.1)
        self.assertEqual(list(folders.iterdir()), [], "the cluster is gone")


if __name__ == "__main__":
    support.main()
