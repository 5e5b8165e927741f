"""Nothing is lost and nothing is stored twice, whatever dies meanwhile.

Each test ingests the same chain twice: once in peace, once with the daemon killed, PostgreSQL stopped or
the upstream failing, and compares every row of every history table. ./dev sweep kills and ./dev sweep crashes do it
more often.
"""

import random
import signal
import time

import support

FIRST = 200000000
KILLS, CRASHES = support.count_of("kills", 8), support.count_of("crashes", 3)
BLOCKS = 60 + 8 * max(KILLS, CRASHES)  # more than come between the kills
LAST = FIRST + BLOCKS - 1
SAMPLE_FIRST, SAMPLE_LAST = 100000000, 100000037
SLOWLY = "max_requests_per_second = 25"  # so that there is something to kill
FAULTS = ("--fault", "429:0.01,500:0.01,reset:0.005,truncate:0.005,slow:0.02,html:0.01,malformed:0.01,stale:0.01",
          "--slow-ms", "200")


def until(last):
    return ("--until", last) if last else ()


class Disturbed(support.Scenario):
    empty_database = True

    def ingest(self, config, last, expect=0):
        self.receiptd("run", "--config", config, "--until", last, expect=expect)

    def whole_blocks(self, *arguments):
        return self.sandbox("--whole-blocks", support.SAMPLE / "whole-block", "--repeat", BLOCKS, *arguments)

    def in_peace(self, sandbox, last, **settings):
        """The fingerprint of an undisturbed run, in a database of its own."""
        database = self.make_database()
        self.ingest(self.config(sandbox, database=database, **settings), last)
        return self.fingerprint(database)

    def assert_complete(self, expected, database=None):
        self.assertEqual(self.value("SELECT wanted - heights FROM coverage", database), "{}")
        self.assertEqual(self.value("SELECT count(*) FROM pending_trees", database), "0")
        self.assertEqual(self.value("SELECT count(*) FROM unavailable_heights", database), "0")
        found = self.fingerprint(database)
        self.assertEqual({table: int(count) for table, (count, _) in found.items()},
                         {table: int(count) for table, (count, _) in expected.items()})
        self.assertEqual(found, expected)

    def covered(self, database=None):
        text = self.value("SELECT coalesce((SELECT sum(upper(r) - lower(r)) FROM coverage, unnest(heights) r), 0) "
                          "WHERE to_regclass('coverage') IS NOT NULL", database) \
            if self.value("SELECT to_regclass('coverage')", database) else 0
        return int(text)

    def kill_at_random(self, configs, last, *, times, longest, seed):
        """Starts and kills the daemon `times` times; returns how many kills met an unfinished ingest."""
        chance = random.Random(seed)
        met = 0
        for _ in range(times):
            process = self.start("run", "--config", chance.choice(configs), *until(last))
            time.sleep(chance.uniform(0.02, longest))  # the moment of the crash
            met += process.poll() is None
            self.kill(process)
        return met


class KilledDaemon(Disturbed):
    def survive(self, sandbox, first, last, *, times=KILLS, longest=0.5, seed=1, **settings):
        height = self.config(sandbox, start=first, **settings)
        resume = self.config(sandbox, start='"resume"', **settings)
        # Only a database that holds a block can be resumed.
        first_process = self.start("run", "--config", height, *until(last))
        support.wait_until("the first block is stored", lambda: self.covered() > 0)
        self.kill(first_process)
        configs = [height, resume] if last else [resume]
        met = self.kill_at_random(configs, last, times=times - 1, longest=longest, seed=seed)
        self.assertGreater(met, times // 2, "most kills came after the end: slow the upstream down")
        if last:
            self.ingest(height, last)

    def test_whole_blocks_in_large_batches(self):
        sandbox = self.whole_blocks()
        expected = self.in_peace(sandbox, LAST, source="neardata", start=FIRST)
        self.survive(sandbox, FIRST, LAST, source="neardata", neardata=SLOWLY)
        self.assert_complete(expected)

    def test_whole_blocks_one_by_one(self):
        sandbox = self.whole_blocks()
        expected = self.in_peace(sandbox, LAST, source="neardata", start=FIRST)
        self.survive(sandbox, FIRST, LAST, source="neardata", neardata=SLOWLY, seed=2,
                     follow="batch_blocks = 1\nwriters = 3\n")
        self.assert_complete(expected)

    def test_following_without_an_end(self):
        """Nobody ordered these heights: what a dead batch leaves out must not be forgotten."""
        sandbox = self.whole_blocks()
        expected = self.in_peace(sandbox, LAST, source="neardata", start=FIRST)
        self.survive(sandbox, FIRST, None, source="neardata", neardata=SLOWLY, seed=5,
                     follow="batch_blocks = 1\nwriters = 4\nfetch_ahead = 16\n")
        self.ingest(self.config(sandbox, source="neardata"), LAST)
        self.assert_complete(expected)

    def test_blocks_and_trees_while_the_tip_advances(self):
        at_once = self.sandbox("--rpc", support.SAMPLE / "rpc")
        expected = self.in_peace(at_once, SAMPLE_LAST, start=SAMPLE_FIRST, patience="30s")
        advancing = self.sandbox("--rpc", support.SAMPLE / "rpc", "--block-time-ms", 8 * KILLS, "--start-on-first-request")
        self.survive(advancing, SAMPLE_FIRST, SAMPLE_LAST, seed=3, patience="30s")
        self.assert_complete(expected)


class StoppedPostgres(support.OwnCluster, Disturbed):
    def test_crashes_of_the_server(self):
        sandbox = self.whole_blocks()
        expected = self.in_peace(sandbox, LAST, source="neardata", start=FIRST)
        database = self.postgres("database", self.cluster, "crashed")
        config = self.config(sandbox, source="neardata", start=FIRST, database=database, neardata=SLOWLY,
                             follow="batch_blocks = 4\n")
        process = self.start("run", "--config", config, "--until", LAST)
        support.wait_until("the first block is stored", lambda: self.covered(database) > 0)
        chance = random.Random(4)
        met = 0
        for _ in range(CRASHES):
            time.sleep(chance.uniform(0.0, 0.3))  # the moment of the crash
            met += process.poll() is None
            before = self.covered(database)
            self.postgres("restart", self.cluster, "immediate")
            support.wait_until("it goes on", lambda: process.poll() is not None or self.covered(database) > before)
        self.assertEqual(process.wait(), 0, process.log())
        self.assertGreater(met, CRASHES // 2, "most crashes came after the end")
        self.assert_complete(expected, database)

    def test_a_question_to_a_stopped_server_does_not_keep_the_daemon_from_ending(self):
        database = self.postgres("database", self.cluster, "stopped")
        config = self.config(self.whole_blocks(), source="neardata", start=FIRST, database=database)
        process = self.start("run", "--config", config)
        support.wait_until("all blocks are stored", lambda: self.covered(database) == BLOCKS)
        self.assertEqual(self.page(process, "/v1/watches")[0], 200)
        self.postgres("stop", self.cluster, "immediate")
        self.assertEqual(self.page(process, "/v1/watches")[0], 503)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=30), 0, process.log())


class FailingUpstream(Disturbed):
    def test_whole_blocks_through_every_fault(self):
        expected = self.in_peace(self.whole_blocks(), LAST, source="neardata", start=FIRST)
        config = self.config(self.whole_blocks(*FAULTS), source="neardata", start=FIRST, patience="60s")
        self.ingest(config, LAST)
        self.assert_complete(expected)

    def test_blocks_and_trees_through_every_fault(self):
        settings = {"start": SAMPLE_FIRST, "patience": "60s"}
        expected = self.in_peace(self.sandbox("--rpc", support.SAMPLE / "rpc"), SAMPLE_LAST, **settings)
        config = self.config(self.sandbox("--rpc", support.SAMPLE / "rpc", *FAULTS), **settings)
        self.ingest(config, SAMPLE_LAST)
        self.assert_complete(expected)


if __name__ == "__main__":
    support.main()
