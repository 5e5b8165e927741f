#!/usr/bin/env python3
"""Hosts that lie about the head, or tell blocks of another chain: nothing false stays stored, nothing stops for good."""

import support
from lies_test import LyingHosts

THREE = ("regular", "regular-2", "regular-3")


class WholeBlocksBesideRpc(LyingHosts):
    """The service lies; JSON-RPC hosts of the same chain tell against it."""

    def begin(self):
        super().begin(3, THREE, source="neardata")

    def lie_and_go_on(self, lie, times, **more):
        self.meet("archival", lie, times, **more)
        self.chain.truth()
        self.follow()

    def test_a_head_that_is_not_there(self):
        self.begin()
        for ahead in (30, 200_000):
            with self.subTest(ahead):
                self.lie_and_go_on("false_head", 1, ahead=ahead)
        self.assert_complete()

    def test_a_block_that_it_invents_at_the_tip(self):
        self.begin()
        for _ in range(2):
            self.lie_and_go_on("fork", 1)
        self.assert_complete()

    def test_a_fork_of_many_blocks_while_it_goes_on(self):
        self.begin()
        self.lie_and_go_on("fork", 5, blocks=5)
        self.assert_complete()


class OneHostAlone(LyingHosts):
    def begin(self, **settings):
        super().begin(1, ("regular",), **settings)

    def test_a_head_that_is_not_there(self):
        self.begin()
        for ahead in (30, 200_000):
            with self.subTest(ahead):
                self.meet("regular", "false_head", 1, ahead=ahead)
                self.chain.truth()
                self.follow()
        self.assert_complete()

    def test_a_block_that_it_invents_is_removed_by_hand(self):
        self.begin()
        self.meet("regular", "fork", 1)
        self.chain.truth()
        support.wait_until("it says that the chain does not fit", lambda: self.alive() and self.value(
            "SELECT count(*) FROM gaps WHERE reason = 'broken_chain'") != "0")
        height = int(self.value("SELECT min(from_height) FROM gaps WHERE reason = 'broken_chain'")) - 1
        said, _ = self.receiptd("--config", self.settings, "repair", "--height", height)
        self.assertIn(f"removed the block at height {height}", said)
        self.receiptd("--config", self.settings, "repair", "--height", 1, expect=1)
        self.follow()
        self.assert_complete()


if __name__ == "__main__":
    support.main()
