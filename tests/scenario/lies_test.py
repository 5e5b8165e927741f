#!/usr/bin/env python3
"""Hosts that lie: nothing of it is stored, or stays stored, and nothing stops because of it.

The lies are those of docs/sandbox.md; the hosts that do not lie serve the same chain.
"""

import re
import subprocess

import hostile
import support
from handed_in import TOKEN, final_hash, key_of, nonce_of
from signer import Signed

BLOCKS = 30  # followed after a lie has begun


class LyingHosts(support.Scenario):
    """A daemon before hosts of which one lies."""

    def begin(self, regular_hosts, hosts, chain=(), tps=5, **settings):
        self.chain = self.sandbox("--block-time-ms", 100, "--shards", 2, "--traffic", "mixed", "--tps", 0.001, "--seed", 5, *chain,
                                  command="run", regular_hosts=regular_hosts)
        self.settings = self.config(self.chain, network="sandbox", hosts=hosts, **settings)
        self.daemon = self.start("run", "--config", self.settings)
        support.wait_until("blocks are stored", lambda: self.alive() and self.newest())
        self.chain.ask("/traffic", {"tps": tps})  # no tree began before the first stored block

    def alive(self):
        self.assertIsNone(self.daemon.poll(), self.daemon.log()[-4000:])
        return True

    def newest(self):
        stored = self.value("SELECT to_regclass('blocks')") and self.value("SELECT max(block_height) FROM blocks")
        return stored and int(stored)

    def follow(self, blocks=BLOCKS):
        wanted = self.newest() + blocks
        support.wait_until(f"block {wanted} is stored", lambda: self.alive() and self.newest() >= wanted)

    def meet(self, host, lie, times, **more):
        """Goes on until the lie was told so often. A host that failed once is asked again only where others are busy."""
        self.chain.lie(host, lie, times=times, **more)
        support.wait_until(f"{lie} was told", lambda: self.alive() and not self.chain.ask("/lies")[host])

    def meet_and_say(self, host, lie, words):
        """Goes on until the daemon says in its log what is wrong with the lie: it can drop one that another host overtook."""
        self.chain.lie(host, lie)
        support.wait_until(f"the log says '{words}'", lambda: self.alive() and words in self.daemon.log())
        self.chain.truth()

    def tells(self, lie, **more):
        """A fork is a lie about few heights: another host may be asked for just these, so it begins again."""
        self.chain.truth()
        self.chain.lie("regular", lie, **more)
        begun = self.newest()
        support.wait_until("a few blocks are stored, or the lie is told", lambda: self.alive() and (
            self.chain.told("regular") or (self.newest() or begun) >= begun + 8))
        return self.chain.told("regular")

    def assert_complete(self):
        """Once nobody lies, each height that the chain has is stored as it truly is: a fork is found out within 16
        blocks and goes as a whole."""
        self.chain.truth()
        stored = support.wait_until("no height is missing, and all are true", lambda: self.alive() and self.true_blocks())
        self.assertEqual(len(stored), int(stored[-1][0]) - int(stored[0][0]) + 1)

    def true_blocks(self):
        """Empty: a height is missing, or the chain has another block there."""
        stored = self.query("SELECT block_height, block_hash FROM blocks WHERE NOT EXISTS (SELECT FROM gaps) ORDER BY 1")
        newest = self.chain.rpc("block", {"finality": "final"})["header"]["height"]
        is_true = lambda height, hash_: int(height) <= newest and \
            self.chain.rpc("block", {"block_id": int(height)})["header"]["hash"] == hash_
        return stored if all(is_true(*each) for each in reversed(stored)) else []

    def peak_memory(self):
        """In MB, of the daemon so far."""
        status = open(f"/proc/{self.daemon.pid}/status", encoding="ascii").read()
        return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) // 1024


class OneRefusal(LyingHosts):
    def test_a_single_refusal_stops_the_only_host_for_a_moment(self):
        self.begin(1, ("regular",))
        for status, line in ((403, "upstream refuses our requests"), (401, "upstream refuses our requests"), (402, "upstream wants to be paid")):
            with self.subTest(status):
                before = self.daemon.log().count(line)
                self.meet("regular", "forbidden", 1, status=status)
                self.follow()
                self.assertEqual(self.daemon.log().count(line), before + 1)
        self.assert_complete()


class OneOfThree(LyingHosts):
    """The host that is asked first lies."""

    def begin(self, **settings):
        super().begin(3, ("regular", "regular-2", "regular-3"), **settings)

    def test_arrays_in_arrays(self):
        self.begin()
        self.meet("regular", "deep_json", 1)
        self.follow()
        self.assert_complete()

    def test_gzip_bombs(self):
        self.begin()
        for host, lie in {"regular": {"bytes": 1 << 28}, "regular-2": {"members": 300_000, "bytes": 0}}.items():
            with self.subTest(lie):
                self.meet(host, "gzip_bomb", 1, **lie)
                self.follow()
        self.assertLess(self.peak_memory(), 300)
        self.assert_complete()

    def test_a_shard_listed_twice(self):
        self.begin()
        self.meet_and_say("regular", "doubled_shard", "listed before")
        self.follow()
        self.assert_complete()

    def test_account_names_of_six_thousand_bytes(self):
        self.begin()
        self.meet_and_say("regular", "long_names", "not an account id")
        self.follow()
        self.assert_complete()


class LargeTrees(LyingHosts):
    """What a tree may cost is bounded by what the protocol allows, whatever a host says of it."""

    def test_of_one_host_alone_are_asked_of_another_one(self):
        self.begin(3, ("regular", "regular-2", "regular-3"))
        self.meet_and_say("regular", "large_tree", "inputs of a receipt")
        self.follow()
        self.assert_complete()

    def test_that_never_become_whole_fill_no_memory(self):
        self.begin(1, ("regular",), tps=30)
        self.meet("regular", "unfinished_tree", 400, bytes=1 << 20)
        self.assertLess(self.peak_memory(), 100)
        self.assert_complete()
        first = self.chain.rpc("block", {"finality": "final"})["header"]["height"]
        support.wait_until("the trees that it told in part are whole", lambda: self.alive() and not int(self.value(
            f"SELECT count(*) FROM pending_trees WHERE block_height < {first}")))


    def test_of_very_many_receipts_hold_up_no_block_and_fill_no_memory(self):
        self.begin(1, ("regular",))
        self.chain.lie("regular", "unfinished_tree", bytes=0, receipts=20_000)
        support.wait_until("it was told a few times", lambda: self.alive() and self.chain.told("regular") >= 12)
        self.follow()
        self.assertLess(self.peak_memory(), 150)
        self.assert_complete()


class ManyLargeAnswers(LyingHosts):
    def test_stay_with_their_host_until_it_is_their_turn(self):
        padded = b'{"jsonrpc":"2.0","id":"receiptd","result":{"final_execution_status":"NONE","padding":"' + b"a" * (48 << 20) + b'"}}'
        told = []

        def rule(request):
            if request["method"] != "tx_status":
                return None
            told.append(request)
            return 200, padded, {}

        self.chain = self.sandbox("--block-time-ms", 100, "--traffic", "mixed", "--tps", 20, command="run")
        gateway = hostile.Gateway(self.chain.regular, rule)
        self.addCleanup(gateway.stop)
        self.daemon = self.start("run", "--config", self.config(gateway, network="sandbox", hosts=("regular",)))
        support.wait_until("it was told often", lambda: self.alive() and len(told) >= 30)
        self.follow(10)
        self.assertLess(self.peak_memory(), 200)


class LargeTreesOnDemand(support.Scenario):
    def test_of_which_nothing_is_stored_are_shown_by_the_command(self):
        chain = self.sandbox("--block-time-ms", 100, command="run", regular_hosts=1)
        settings = self.config(chain, network="sandbox", hosts=("regular",))
        key = key_of(chain, "alice.sandbox")
        signed = Signed(key, "alice.sandbox", "bob.sandbox", nonce_of(chain, "alice.sandbox", key) + 1, final_hash(chain), TOKEN)
        chain.rpc("broadcast_tx_commit", [signed.base64])
        chain.lie("regular", "unfinished_tree")
        said, complained = self.receiptd("tx", signed.hash, "alice.sandbox", "--config", settings, expect=None)
        self.assertIn("from the upstream; not stored", said, complained)
        self.assertEqual(chain.told("regular"), 1)


class AnotherChain(LyingHosts):
    """The host that is asked first tells of blocks that the chain has not; two others are true."""

    def survive(self, lie, **more):
        self.begin(3, ("regular", "regular-2", "regular-3"))
        support.wait_until("the lie is told", lambda: self.alive() and self.tells(lie, **more))
        self.follow()
        self.assert_complete()

    def test_a_head_a_little_too_high(self):
        self.survive("false_head", ahead=30)

    def test_a_head_far_too_high(self):
        self.survive("false_head", ahead=200_000)

    def test_a_head_beyond_all_heights(self):
        self.survive("false_head", height=2**63 - 2)

    def test_an_invented_block_that_fits_nowhere(self):
        self.survive("fork", wrong_parent=True)

    def test_an_invented_block_at_the_tip(self):
        self.survive("fork")

    def test_a_fork_of_five_blocks(self):
        self.survive("fork", blocks=5)

    def test_a_fork_that_goes_on(self):
        self.survive("fork", blocks=10_000)

    def test_another_network(self):
        self.survive("network", chain_id="othernet", blocks=True)


class WholeBlocks(LyingHosts):
    """Their only host lies for a while: the heights are gaps until it tells the truth."""

    def refuse(self, lie, *words):
        self.begin(1, ("regular",), source="neardata")
        self.meet("archival", lie, 3)
        for word in words:
            self.meet_and_say("archival", lie, word)
        self.follow()
        self.assert_complete()

    def test_a_shard_listed_twice(self):
        self.refuse("doubled_shard", "listed before")

    def test_account_names_of_six_thousand_bytes(self):
        self.refuse("long_names", "not an account id")

    def test_arrays_in_arrays(self):
        self.refuse("deep_json")

    def test_a_gzip_bomb(self):
        self.refuse("gzip_bomb")


class Submitting(LyingHosts):
    def test_arrays_in_arrays_keep_no_transaction_from_its_chain(self):
        self.begin(1, ("regular",))
        key = key_of(self.chain, "alice.sandbox")
        nonce, block_hash = nonce_of(self.chain, "alice.sandbox", key), final_hash(self.chain)
        path = self.folder / "transaction"
        for number, method in enumerate(("gas_price", "EXPERIMENTAL_protocol_config", "query"), 1):
            with self.subTest(method):
                path.write_text(Signed(key, "alice.sandbox", "bob.sandbox", nonce + number, block_hash, TOKEN).base64)
                self.chain.lie("regular", "deep_json", method=method)
                command = [support.BUILD / "receiptd", "--config", self.settings, "submit", path]
                self.assertIn(subprocess.run(command, capture_output=True).returncode, (0, 1), "handed in or not, but no crash")
                self.chain.truth()
                self.receiptd("--config", self.settings, "submit", path)
                support.wait_until("it is final", lambda: self.alive() and
                                   self.value("SELECT count(*) FROM watches WHERE stage = 'final'") == str(number))


if __name__ == "__main__":
    support.main()
