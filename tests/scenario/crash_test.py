"""Nothing is lost and nothing is stored twice, whatever dies meanwhile.

The same chain is ingested twice: once in peace, once with the daemon killed, PostgreSQL crashed or the upstream
failing; then every row of every history table is compared. What dies does so before, at or after a COMMIT that a proxy
before the database counts. ./dev sweep kills and ./dev sweep crashes do it more often.
"""

import pathlib
import random
import shutil
import signal
import tempfile

import support
from database_proxy import AT, MOMENTS, Proxy

FIRST = 200000000
KILLS, CRASHES = support.count_of("kills", 8), support.count_of("crashes", 3)
ROUND = 8  # kills until the ingest is finished, and begun again in another database
BLOCKS = 124  # more than are stored until the last kill of a round
LAST = FIRST + BLOCKS - 1
SAMPLE_FIRST, SAMPLE_LAST = 100000000, 100000037
FAULTS = ("--fault", "429:0.01,500:0.01,reset:0.005,truncate:0.005,slow:0.02,html:0.01,malformed:0.01,stale:0.01",
          "--slow-ms", "200")
# Kinds of transactions by what they do, and the last one of that kind since the daemon's start that a step is at.
OF_BLOCKS, OF_A_TREE, OF_ANY = ("COPY blocks",), ("DELETE FROM pending_trees WHERE tx_hash",), ()
FEW_BLOCKS, SOME_BLOCKS, SOME_TREES, SOME_OF_ANY = (OF_BLOCKS, 1), (OF_BLOCKS, 5), (OF_A_TREE, 3), (OF_ANY, 20)


def steps(count, kinds, chance):
    """The first one leaves a block: a database without any cannot be resumed. The others are of each kind in turn."""
    yield 1, AT, OF_BLOCKS
    for number in range(1, count):
        about, last = kinds[(number - 1) % len(kinds)]
        yield chance.randint(1, last), MOMENTS[number % len(MOMENTS)], about


class Disturbed(support.Scenario):
    undisturbed = {}  # fingerprints, by what was ingested

    def ingest(self, config, last, expect=0):
        self.receiptd("run", "--config", config, "--until", last, expect=expect)

    def whole_blocks(self, *arguments):
        return self.sandbox("--whole-blocks", support.SAMPLE / "whole-block", "--repeat", BLOCKS, *arguments)

    def rpc(self, *arguments):
        return self.sandbox("--rpc", support.SAMPLE / "rpc", *arguments)

    def in_peace(self, sandbox, last, **settings):
        """The fingerprint of an undisturbed run, in a database of its own; one run is enough for all tests."""
        if last not in self.undisturbed:
            database = self.make_database()
            self.ingest(self.config(sandbox, database=database, **settings), last)
            self.undisturbed[last] = self.fingerprint(database)
        return self.undisturbed[last]

    def whole_blocks_in_peace(self):
        return self.in_peace(self.whole_blocks(), LAST, source="neardata", start=FIRST)

    def rpc_in_peace(self):
        return self.in_peace(self.rpc(), SAMPLE_LAST, start=SAMPLE_FIRST, patience="30s")

    def proxy(self, database):
        made = Proxy(database)
        self.addCleanup(made.stop)
        return made

    def assert_complete(self, expected, database=None):
        self.assertEqual(self.value("SELECT wanted - heights FROM coverage", database), "{}")
        self.assertEqual(self.value("SELECT count(*) FROM pending_trees", database), "0")
        self.assertEqual(self.value("SELECT count(*) FROM unavailable_heights", database), "0")
        found = self.fingerprint(database)
        self.assertEqual({table: int(count) for table, (count, _) in found.items()},
                         {table: int(count) for table, (count, _) in expected.items()})
        self.assertEqual(found, expected)

    def covered(self, database):
        return int(self.value("SELECT coalesce((SELECT sum(upper(r) - lower(r)) FROM coverage, unnest(heights) r), 0)", database))

    def assert_unfinished(self, database, heights):
        self.assertTrue(self.covered(database) < heights or self.value("SELECT count(*) FROM pending_trees", database) != "0",
                        "there is something left to ingest")


class KilledDaemon(Disturbed):
    def survive(self, make_sandbox, expected, first, last, kinds, *, until=True, seed, **settings):
        """All kills in rounds, each in a database of its own. Without `until` the killed daemons follow for ever."""
        chance = random.Random(seed)
        for begun in range(0, KILLS, ROUND):
            database, sandbox = self.make_database(), make_sandbox()
            proxy = self.proxy(database)
            height, resume = (self.config(sandbox, start=start, database=proxy.url, **settings) for start in (first, '"resume"'))
            config = height
            for step in steps(min(ROUND, KILLS - begun), kinds, chance):
                with self.subTest(begun=begun, step=step):
                    self.kill_at(proxy, step, config, *(("--until", last) if until else ()))
                    self.assert_unfinished(database, last - first + 1)
                config = chance.choice((height, resume)) if until else resume
            self.ingest(height if until else resume, last)
            self.assert_complete(expected, database)

    def kill_at(self, proxy, step, config, *arguments):
        proxy.step(*step)
        process = self.start("run", "--config", config, *arguments)
        proxy.wait(process)
        self.kill(process)
        proxy.cut_off()
        self.assertEqual(process.returncode, -signal.SIGKILL, process.log()[-4000:])

    def survive_whole_blocks(self, kinds, **settings):
        self.survive(self.whole_blocks, self.whole_blocks_in_peace(), FIRST, LAST, kinds, source="neardata", **settings)

    def test_whole_blocks_in_large_batches(self):
        self.survive_whole_blocks((SOME_OF_ANY, FEW_BLOCKS), seed=1, follow="batch_blocks = 8\n")

    def test_whole_blocks_one_by_one(self):
        self.survive_whole_blocks((SOME_BLOCKS, SOME_OF_ANY), seed=2, follow="batch_blocks = 1\nwriters = 3\n")

    def test_following_without_an_end(self):
        """Nobody ordered these heights: what a dead batch leaves out must not be forgotten."""
        self.survive_whole_blocks((SOME_BLOCKS, SOME_OF_ANY), until=False, seed=5,
                                  follow="batch_blocks = 1\nwriters = 4\nfetch_ahead = 16\n")

    def test_blocks_and_trees_while_the_tip_advances(self):
        advancing = lambda: self.rpc("--block-time-ms", 64, "--start-on-first-request")
        # Blocks first: while a daemon comes to its trees it may store all of them.
        kinds = (FEW_BLOCKS, FEW_BLOCKS, FEW_BLOCKS, SOME_TREES, SOME_OF_ANY, SOME_TREES, SOME_TREES)
        self.survive(advancing, self.rpc_in_peace(), SAMPLE_FIRST, SAMPLE_LAST, kinds, seed=3, patience="30s",
                     follow="batch_blocks = 2\n")


class StoppedPostgres(support.OwnCluster, Disturbed):
    """The tests share a cluster that they crash and stop."""

    def setUp(self):
        support.Scenario.setUp(self)
        type(self).cluster = getattr(self, "cluster", None) or self.folder_of_class() / "cluster"
        self.start_cluster()

    @classmethod
    def folder_of_class(cls):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="receiptd-scenario-"))
        cls.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
        cls.addClassCleanup(lambda: cls.postgres(cls, "remove", cls.cluster))
        return folder

    def crash(self, proxy, process, step):
        proxy.step(*step)
        proxy.wait(process)
        self.postgres("restart", self.cluster, "immediate")
        proxy.cut_off()

    def test_crashes_of_the_server(self):
        expected, sandbox, chance = self.whole_blocks_in_peace(), self.whole_blocks(), random.Random(4)
        for begun in range(0, CRASHES, ROUND):
            database = self.postgres("database", self.cluster, f"crashed_{begun}")
            proxy = self.proxy(database)
            config = self.config(sandbox, source="neardata", start=FIRST, database=proxy.url, follow="batch_blocks = 4\n")
            process = self.start("run", "--config", config, "--until", LAST)
            for step in steps(min(ROUND, CRASHES - begun), ((OF_BLOCKS, 2), SOME_OF_ANY), chance):
                with self.subTest(begun=begun, step=step):
                    self.crash(proxy, process, step)
                    self.assert_unfinished(database, BLOCKS)
            self.assertEqual(support.ended(process), 0, process.log())
            self.assert_complete(expected, database)

    def test_a_question_to_a_stopped_server_does_not_keep_the_daemon_from_ending(self):
        database = self.postgres("database", self.cluster, "stopped")
        config = self.config(self.whole_blocks(), source="neardata", start=FIRST, database=database)
        process = self.start("run", "--config", config)
        support.wait_until("all blocks are stored", lambda: self.value("SELECT to_regclass('coverage')", database)
                           and self.covered(database) == BLOCKS)
        self.assertEqual(self.page(process, "/v1/watches")[0], 200)
        self.postgres("stop", self.cluster, "immediate")
        self.assertEqual(self.page(process, "/v1/watches")[0], 503)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(support.ended(process), 0, process.log())


class FailingUpstream(Disturbed):
    def test_whole_blocks_through_every_fault(self):
        expected = self.whole_blocks_in_peace()
        config = self.config(self.whole_blocks(*FAULTS), source="neardata", start=FIRST, patience="60s")
        self.ingest(config, LAST)
        self.assert_complete(expected)

    def test_blocks_and_trees_through_every_fault(self):
        expected = self.rpc_in_peace()
        config = self.config(self.rpc(*FAULTS), start=SAMPLE_FIRST, patience="60s")
        self.ingest(config, SAMPLE_LAST)
        # The blocks of the sample prove no outcome, and the host that could confirm a tree may fail just then.
        self.query("UPDATE transactions SET confirmed = true")
        self.assert_complete(expected)


if __name__ == "__main__":
    support.main()
