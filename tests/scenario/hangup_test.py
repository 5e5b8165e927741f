"""SIGHUP asks a daemon to read its configuration again, at whatever step of its start it comes; a reader or a terminal
that goes away ends a command quietly."""

import os
import signal
import subprocess

import libpq
import support

HISTORY = ("--rpc", support.SAMPLE / "rpc")
FIRST = 100000000


class Hangup(support.Scenario):
    empty_database = True

    def assert_reloads(self, process):
        support.wait_until("it has read its configuration again",
                           lambda: process.poll() is not None or "reloaded: nothing changed" in process.log())
        self.assertIsNone(process.poll(), process.log())
        process.send_signal(signal.SIGTERM)
        self.assertEqual(support.ended(process), 0, process.log())

    def test_before_the_configuration_is_read(self):
        """It waits in the kernel while the program begins."""
        config = self.config(self.sandbox(*HISTORY), start=FIRST)
        with_hangup = ("python3", "-c", "import os, signal, sys\n"
                       "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGHUP])\n"
                       "os.kill(os.getpid(), signal.SIGHUP)\n"
                       "os.execv(sys.argv[1], sys.argv[1:])")
        self.assert_reloads(self.start("run", "--config", config, within=with_hangup))

    def test_while_the_database_is_away(self):
        config = self.config(self.sandbox(*HISTORY), start=FIRST, database="postgresql://receiptd:x@127.0.0.1:9/none")
        process = self.start("run", "--config", config)
        support.wait_until("it waits", lambda: "trying again" in process.log())
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(support.ended(process), 0, process.log())

    def test_during_a_migration(self):
        config = self.config(self.sandbox(*HISTORY), start=FIRST)
        self.receiptd("migrate", "--config", config)
        other = libpq.Session(self.database)
        other.ask("UPDATE schema_objects SET checksum = 'of an earlier version'")
        other.ask("BEGIN; LOCK TABLE schema_migrations IN EXCLUSIVE MODE")
        process = self.start("run", "--config", config)
        support.wait_until("it waits for the other migration", lambda: process.poll() is not None or self.value(
            "SELECT count(*) FROM pg_locks WHERE relation = 'schema_migrations'::regclass AND NOT granted") == "1")
        process.send_signal(signal.SIGHUP)
        other.ask("COMMIT")
        self.assert_reloads(process)

    def test_a_backfill_ends_with_its_terminal_unless_it_was_to_survive_it(self):
        chain = self.sandbox("--whole-blocks", support.SAMPLE / "whole-block", "--repeat", 1_000_000)
        config = self.config(chain, source="neardata", start=200000000)
        backfill = lambda first: ("backfill", "--from", first, "--to", first + 400000, "--config", config)
        stored = lambda: self.value("SELECT to_regclass('coverage')") and int(self.value(
            "SELECT coalesce(sum(upper(r) - lower(r)), 0) FROM coverage, unnest(heights) r"))
        process = self.start(*backfill(200000000))
        support.wait_until("blocks are stored", lambda: process.poll() is not None or stored())
        process.send_signal(signal.SIGHUP)
        self.assertEqual(support.ended(process), -signal.SIGHUP, process.log())
        lasting = self.start(*backfill(200500000), within=("nohup",))
        before = stored()
        support.wait_until("it goes on", lambda: lasting.poll() is not None or stored() > before)
        lasting.send_signal(signal.SIGHUP)
        before = stored()
        support.wait_until("it goes on after its terminal", lambda: lasting.poll() is not None or stored() > before + 50)
        self.assertIsNone(lasting.poll(), lasting.log())


class Output(support.Scenario):
    def run_with(self, output, *arguments):
        """(exit code, standard error)"""
        done = subprocess.run([support.BUILD / "receiptd", *map(str, arguments)], stdout=output, stderr=subprocess.PIPE,
                              text=True, check=False)
        return done.returncode, done.stderr

    def test_a_reader_that_has_gone_ends_a_command_quietly(self):
        reader, writer = os.pipe()
        os.close(reader)
        with open(writer, "w") as output:
            code, errors = self.run_with(output, "manual", "--markdown")
        self.assertIn(code, (0, -signal.SIGPIPE))
        self.assertEqual(errors, "")

    def test_a_full_disk_is_an_error(self):
        with open("/dev/full", "w") as output:
            code, errors = self.run_with(output, "manual", "--markdown")
        self.assertEqual(code, 1)
        self.assertIn("standard output", errors)

    def test_no_socket_takes_the_place_of_a_closed_output(self):
        config = self.config(self.sandbox(*HISTORY), start=FIRST)
        done = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", support.BUILD / "receiptd", "status", "--config", config],
                              stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (4, ""))  # no daemon answers, and nothing else is wrong

    def test_a_daemon_outlives_the_reader_of_its_log(self):
        reader, writer = os.pipe()
        config = self.config(self.sandbox(*HISTORY), start=FIRST)
        process = subprocess.Popen([support.BUILD / "receiptd", "run", "--config", config], stderr=writer,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        self.addCleanup(self.kill, process)
        os.close(writer)
        self.assertTrue(os.read(reader, 1))  # its first line
        os.close(reader)
        last = FIRST + 37
        support.wait_until("it has stored all", lambda: process.poll() is not None or self.value(
            "SELECT coalesce(max(block_height), 0) FROM blocks") == str(last))
        self.assertIsNone(process.poll())


if __name__ == "__main__":
    support.main()
