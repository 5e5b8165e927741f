#!/usr/bin/env python3
"""Hosts that lie about the time of blocks, or show headers from which no hash follows."""

import datetime
import json

import support
from lies_test import LyingHosts

THREE = ("regular", "regular-2", "regular-3")
LIES = {
    "a time of last month": {"days": -30},
    "another day for each block": {"days": 100, "step": 13},
    "a parent that is not there": {"member": "prev_height", "value": 7},
    "a time of last month, and a missing field": {"days": -30, "member": "random_value"},
    "a time of last month, and a protocol of tomorrow": {"days": -30, "member": "latest_protocol_version", "value": 9_999},
}


class StrangeTimes(LyingHosts):
    def setUp(self):
        super().setUp()
        self.made_before = self.query("SELECT from_time FROM partitions WHERE table_name = 'blocks'")

    def assert_times_are_true(self):
        """And no day has partitions but those around the chain's."""
        self.assert_complete()
        for height, time in self.query("SELECT block_height, timestamp_nanosec FROM blocks"):
            header = self.chain.rpc("block", {"block_id": int(height)})["header"]
            self.assertEqual(time, header["timestamp_nanosec"])
        self.assertEqual(self.value("SELECT count(*) FROM blocks WHERE on_trust IS NOT NULL"), "0")
        strange = self.query(
            "SELECT from_time FROM partitions WHERE table_name = 'blocks' AND (until_time <= (SELECT min(block_time) FROM blocks) "
            "OR from_time > (SELECT max(block_time) + interval '3 days' FROM blocks))")
        self.assertEqual([day for day in strange if day not in self.made_before], [])


class OneOfThree(StrangeTimes):
    """The host that is asked first lies about every header."""

    def test_true_hashes_with_false_headers(self):
        self.begin(3, THREE)
        for name, lie in LIES.items():
            with self.subTest(name):
                self.chain.truth()
                self.chain.lie("regular", "false_header", **lie)
                self.follow(20)
                self.assertGreater(self.chain.told("regular"), 0)
        self.assert_times_are_true()

    def test_invented_blocks_far_ahead_or_long_ago(self):
        self.begin(3, THREE)
        for days in (400, -400):
            with self.subTest(days):
                support.wait_until("it is told", lambda: self.alive() and self.tells("fork", blocks=5, days=days))
                self.chain.truth()
                self.follow(20)
        self.assert_times_are_true()


class WholeBlocks(StrangeTimes):
    """The service lies for a while; JSON-RPC hosts show the true headers."""

    def test_true_hashes_with_false_headers(self):
        self.begin(3, THREE, source="neardata")
        for name, lie in LIES.items():
            with self.subTest(name):
                self.meet("archival", "false_header", 3, **lie)
                self.follow(10)
        self.assert_times_are_true()


class OneHostAlone(StrangeTimes):
    def test_its_headers_are_taken_and_marked(self):
        self.begin(1, ("regular",), chain=("--genesis-time", "now"))
        self.chain.lie("regular", "false_header", days=-30)
        self.follow(5)
        self.chain.truth()
        self.follow(5)
        marked = int(self.value("SELECT count(*) FROM blocks WHERE on_trust IS NOT NULL"))
        self.assertGreater(marked, 3)
        self.assertEqual(str(marked), self.value("SELECT count(*) FROM blocks WHERE block_time < now() - interval '20 days' "
                                                 "AND on_trust IN ('hash_different', 'time_not_after_parent')"))


class WrongClock(StrangeTimes):
    def test_a_chain_that_all_tell_to_be_ahead_is_followed_and_the_clock_is_named(self):
        ahead = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=30)
        self.begin(3, THREE, chain=("--genesis-time", ahead.strftime("%Y-%m-%dT%H:%M:%SZ")))
        self.follow(20)
        status, text = self.page(self.daemon, "/readyz")
        notes = [note["detail"] for note in json.loads(text)["notes"] if note["reason"] == "clock"]
        self.assertEqual((status, len(notes)), (200, 1), text)
        self.assertIn("the clock of this machine is wrong", notes[0])
        self.assertIn("the clock of this machine is more than a day behind the chain", self.daemon.log())
        self.assertEqual("t", self.value("SELECT min(block_time) > now() + interval '29 days' FROM blocks"))


if __name__ == "__main__":
    support.main()
