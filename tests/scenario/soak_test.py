"""Two daemons follow a living chain for hours, through faults, kills, rotated keys and reloads: memory, descriptors,
connections and disk come to rest. ./dev soak HOURS prints their slopes; ./dev sweep days HOURS does so over that many
hours of chain time, made as fast as they are followed, while retention drops the oldest partitions."""

import contextlib
import itertools
import os
import pathlib
import random
import re
import signal
import statistics
import time
import urllib.error

import support
from receiver import Receiver, endpoint, secret_file

SECONDS = support.count_of("soak")
CHAIN_HOURS = support.count_of("days")
TROUBLES = 24  # of the test: each kind three times
FOLLOWED = 5  # blocks through each of them
KEYS = ["first-key-of-the-soak", "second-key-of-the-soak"]
FAULTS = [{"fault": "429", "share": 0.3}, {"fault": "500", "share": 0.3}, {"fault": "reset", "share": 0.3},
          {"fault": "slow", "share": 0.2, "ms": 500}, {"fault": "truncate", "share": 0.2}, {"fault": "stale", "blocks": 5},
          {"fault": "malformed", "share": 0.1}]
BATCHES = 9  # samples are averaged in as many, after the first tenth: neighbours are too alike to count singly
HOURS_OF_DAY = 24
SECONDS_OF_DAY = 86_400
NO_SLOPE = 2.0  # MB, descriptors or connections an hour: allocators and pools move by as much


class Slope:
    """A straight line through samples (hours, value), without the first tenth; `error` is its standard error."""

    def __init__(self, samples):
        kept = samples[len(samples) // 10:]
        size = max(1, len(kept) // BATCHES)
        batches = [kept[i:i + size] for i in range(0, size * BATCHES, size) if kept[i:i + size]]
        points = [(statistics.fmean(x for x, _ in batch), statistics.fmean(y for _, y in batch)) for batch in batches]
        self.first, self.last = points[0][1], points[-1][1]
        mean_x, mean_y = (statistics.fmean(column) for column in zip(*points))
        square = sum((x - mean_x) ** 2 for x, _ in points) or 1.0
        self.value = sum((x - mean_x) * (y - mean_y) for x, y in points) / square
        rest = [y - mean_y - self.value * (x - mean_x) for x, y in points]
        self.error = (sum(r * r for r in rest) / max(1, len(points) - 2) / square) ** 0.5

    def rises(self, tolerance):
        return self.value > max(tolerance, 3 * self.error)


def memory_mb(pid, field="VmRSS"):
    """Raises ProcessLookupError where the process has ended, waited for or not."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    found = re.search(rf"^{field}:\s*(\d+)", status, re.M)
    if not found:
        raise ProcessLookupError(pid)
    return int(found[1]) * 1024 / 1e6


def holds_back_hangup(pid):
    """Before that the system is still loading the program, and a SIGHUP ends it."""
    blocked = re.search(r"^SigBlk:\s*(\w+)", pathlib.Path(f"/proc/{pid}/status").read_text(), re.M)[1]
    return int(blocked, 16) >> (signal.SIGHUP - 1) & 1 == 1


class Soak(support.Scenario):
    def setUp(self):
        super().setUp()
        self.samples = {}
        self.chance = random.Random(11)
        self.receiver = Receiver(failing=0.1)
        self.addCleanup(self.receiver.stop)
        self.key_file = self.folder / "api.key"
        self.write_key()

    def write_key(self):
        self.key_file.touch(mode=0o600)
        KEYS.reverse()
        self.key_file.write_text(KEYS[0])

    def make_chain(self, *more):
        keys = [word for key in KEYS for word in ("--api-key", key)]
        # The sandbox keeps more blocks than the daemons are ever behind.
        self.chain = self.sandbox("--traffic", "mixed", "--seed", 3, "--validity-blocks", 700, "--history-blocks", 800,
                                  "--retention-blocks", 500, "--require-key", *keys, *more, command="run")

    def settings(self, more=""):
        hook = endpoint("team", self.receiver.url, secret_file(self.folder))
        key = f'api_key_file = "{self.key_file}"'
        return self.config(self.chain, source="neardata", start='"head"', network="sandbox", patience="60s",
                           upstream=key, neardata=key, extra=hook + more)

    # --- Trouble, one after the other ---

    def troubles(self):
        def fault():
            host = self.chance.choice(["regular", "archival"])
            self.chain.ask("/faults", {"host": host, "faults": [self.chance.choice(FAULTS)]})

        def no_faults():
            self.chain.ask("/faults", {"faults": []})

        def kill():
            self.kill(self.shaky)
            self.shaky = self.start("run", "--config", self.config_file)
            support.wait_until("its main() has begun", lambda: self.shaky.poll() is not None or holds_back_hangup(self.shaky.pid))

        def rotate():
            self.write_key()
            reload()

        def reload():
            for daemon in (self.steady, self.shaky):
                daemon.send_signal(signal.SIGHUP)

        def watch():
            self.query("INSERT INTO watches (tx_hash, sender_id) SELECT tx_hash, signer_id FROM transactions "
                       "ORDER BY block_time DESC LIMIT 5 ON CONFLICT DO NOTHING")

        return itertools.cycle([fault, no_faults, watch, rotate, fault, no_faults, kill, reload])

    # --- Samples ---

    def sample(self, hours):
        def note(name, read):
            with contextlib.suppress(OSError, urllib.error.URLError):  # whoever is killed has no memory
                self.samples.setdefault(name, []).append((hours, read()))

        # Only root may look into a daemon's folder in /proc.
        own = lambda metrics: int(re.search(r"^process_open_fds (\d+)", metrics, re.M)[1])
        note("daemon memory, MB", lambda: memory_mb(self.steady.pid))
        note("daemon descriptors", lambda: own(self.page(self.steady, "/metrics")[1]))
        note("restarted daemon memory, MB", lambda: memory_mb(self.shaky.pid))
        note("sandbox memory, MB", lambda: memory_mb(self.chain.process.pid))
        note("sandbox descriptors", lambda: len(os.listdir(f"/proc/{self.chain.process.pid}/fd")))
        counted = self.query("SELECT count(*), pg_database_size(current_database()) FROM pg_stat_activity "
                             "WHERE datname = current_database() AND backend_type = 'client backend'")[0]
        note("database connections", lambda: int(counted[0]))
        note("database disk, MB", lambda: int(counted[1]) / 1e6)

    def print_slopes(self, hours, unit):
        print(f"\n{hours:.2f} hours{unit}; without the first tenth. A slope has its standard error.")
        print(f"{'':<30} {'at first':>10} {'at last':>10} {'an hour':>22}")
        for name, samples in self.samples.items():
            slope = Slope(samples)
            print(f"{name:<30} {slope.first:>10.1f} {slope.last:>10.1f} {slope.value:>12.2f} ± {slope.error:<7.2f}", flush=True)

    def assert_rest(self, names):
        for name in names:
            slope = Slope(self.samples[name])
            self.assertFalse(slope.rises(NO_SLOPE), f"{name} rises by {slope.value:.2f} ± {slope.error:.2f} an hour")

    def peaks_by_day(self, name):
        """The most of each whole day."""
        days = {}
        for hours, value in self.samples[name]:
            days.setdefault(int(hours // HOURS_OF_DAY), []).append(value)
        return [max(days[day]) for day in sorted(days)][:CHAIN_HOURS // HOURS_OF_DAY]

    def final_height(self):
        return self.chain.ask("/status")["final_height"]

    def stored_height(self):
        return int(self.value("SELECT coalesce(max(block_height), 0) FROM blocks"))

    def ends_well(self):
        self.chain.ask("/faults", {"faults": []})
        goal = self.final_height()
        support.wait_until("the daemons have come to the head", lambda: self.stored_height() >= goal)
        support.wait_until("no height is missing", lambda: self.value("SELECT wanted - heights FROM coverage") == "{}")
        self.assertIsNone(self.steady.poll(), self.steady.log()[-4000:])
        for process in (self.steady, self.shaky):
            process.send_signal(signal.SIGTERM)
            self.assertEqual(support.ended(process), 0, process.log()[-4000:])

    def begin(self, more=""):
        self.config_file = self.settings(more)
        self.receiptd("migrate", "--config", self.config_file)
        self.steady = self.start("run", "--config", self.config_file)
        self.shaky = self.start("run", "--config", self.config_file)
        support.wait_until("blocks are stored", self.stored_height)

    def test_all_comes_to_rest_through_troubles(self):
        self.make_chain("--block-time-ms", 600 if SECONDS else 60, "--tps", 20 if SECONDS else 60, "--genesis-time", "now")
        self.begin()
        begun, troubles = time.monotonic(), self.troubles()
        hours = lambda: (time.monotonic() - begun) / 3600
        if SECONDS:
            pause = max(0.4, min(15.0, SECONDS / 40))
            while hours() * 3600 < SECONDS:
                self.sample(hours())
                next(troubles)()
                time.sleep(pause)  # the troubles' own rhythm
        else:
            for _ in range(TROUBLES):
                self.sample(hours())
                self.follow_through(next(troubles))
        support.wait_until("an alert arrives", self.receiver.count)
        self.ends_well()
        if SECONDS:
            self.print_slopes(hours(), " at 600 ms blocks")
            self.assert_rest(["daemon memory, MB", "daemon descriptors", "restarted daemon memory, MB", "sandbox memory, MB",
                              "sandbox descriptors", "database connections"])

    def follow_through(self, trouble):
        """The next trouble comes when the chain was followed through this one; but a daemon that was killed is disturbed
        as soon as it starts again."""
        begun = self.final_height()
        trouble()
        if trouble.__name__ != "kill":
            support.wait_until("blocks are stored through the trouble", lambda: self.stored_height() >= begun + FOLLOWED)

    def test_retention_keeps_the_disk_at_rest(self):
        if not CHAIN_HOURS:
            self.skipTest("./dev sweep days HOURS")
        # Most heights have no block, so that a day has fewer blocks. The first comes an hour before midnight, when the
        # next partitions begin; the last is of yesterday. Nobody is told of days before the database was made.
        today = int(time.time()) // SECONDS_OF_DAY
        genesis = ((today - -(-CHAIN_HOURS // HOURS_OF_DAY)) * SECONDS_OF_DAY - 3600) * 10**9
        self.make_chain("--block-time-ms", 0, "--tps", 2, "--skipped-heights", 0.6, "--genesis-time", genesis)
        self.receiptd("partitions", "--width", "day", "--config", self.settings())
        self.begin('[retention]\nreceipts = "1d"\n')
        first, troubles = self.final_height(), self.troubles()
        hours = lambda: (self.final_height() - first) * 0.6 / 3600
        while hours() < CHAIN_HOURS:
            self.chain.ask("/advance", {"blocks": 200})
            support.wait_until("the chain is followed", lambda: self.stored_height() >= self.final_height() - 100)
            self.sample(hours())
            if len(self.samples["daemon descriptors"]) % 10 == 0:
                next(troubles)()
        self.print_slopes(hours(), " of chain time")
        disk = self.peaks_by_day("database disk, MB")
        print("disk at most, MB, by day:", *(f"{peak:.0f}" for peak in disk))
        print("partitions of the past:", self.value(
            "SELECT count(*) FROM partitions WHERE table_name = 'blocks' AND until_time <= current_date"))
        self.ends_well()
        self.assert_rest(["daemon memory, MB", "daemon descriptors", "sandbox memory, MB", "database connections"])
        if len(disk) > 2:
            self.assertLess(disk[-1], 1.1 * disk[1], "once days are dropped, the disk grows no more")


if __name__ == "__main__":
    support.main()
