"""Scope accounts: what others' transactions do with a followed account is stored, too; compared with the ground truth.

receiver.sandbox is touched by cross-contract calls alone; ft.sandbox by its own transactions and by those of others.
"""

import random
import re

import support
from database_proxy import MOMENTS, Proxy
from truth import finding_ids

CONTRACT, MIXED = "receiver.sandbox", "ft.sandbox"
BLOCKS = 80
KILLS = 6
# What a daemon commits when it dies: blocks, a tree, or anything.
KINDS = (("COPY blocks",), ("COPY receipts",), ())
RECEIPT = ("receipt_id", "tx_hash", "parent_receipt_id", "role", "predecessor_id", "receiver_id", "block_height",
           "status", "gas_burnt", "tokens_burnt")


def touches(node, account):
    return account in (node["predecessor_id"], node["receiver_id"])


def is_named(transaction, account):
    return account in (transaction["signer_id"], transaction["receiver_id"], *transaction["delegates"])


def row(transaction, node):
    return (node["receipt_id"], transaction["tx_hash"], node["parent"], node["role"], node["predecessor_id"],
            node["receiver_id"], str(node["executed_height"]), node["status"], str(node["gas_burnt"]),
            node["tokens_burnt"])


def from_there_on(transaction, account):
    """The receipts that touch the account and all below them; the whole tree of a transaction that names it."""
    held, whole = set(), is_named(transaction, account)
    for node in transaction["tree"]:  # parents first
        if whole or touches(node, account) or node["parent"] in held:
            held.add(node["receipt_id"])
    return held


class Accounts(support.Scenario):
    def setUp(self):
        super().setUp()
        self.chain = self.sandbox("--block-time-ms", 50, "--traffic", "mixed", "--tps", 40, "--seed", 11,
                                  command="run")
        self.genesis = self.chain.rpc("block", {"sync_checkpoint": "genesis"})["header"]["height"]

    def final_height(self):
        return self.chain.rpc("block", {"finality": "final"})["header"]["height"]

    def configured(self, source, account, start, **more):
        follow = f'accounts = ["{account}"]\nbatch_blocks = 2\n'
        return self.config(self.chain, source=source, scope="accounts", start=start, network="sandbox",
                           patience="60s", follow=follow, **more)

    def ended_well(self, daemon):
        self.assertEqual(support.ended(daemon), 0, daemon.log()[-4000:])

    def follow_with_kills(self, proxy, config, last):
        """The chain lives on, so that each kill meets an unfinished ingest."""
        chance = random.Random(5)
        for number in range(KILLS):
            proxy.step(chance.randint(1, 4), MOMENTS[(number + number // 3) % 3], KINDS[number % 3])
            proxy.kill(self.start("run", "--config", config))
        # The one killed last may have come further.
        last = max(last, int(self.value("SELECT coalesce(max(block_height), 0) FROM blocks")))
        self.ended_well(self.start("run", "--config", config, "--until", last))
        return last

    def truth(self, last):
        """Told a while later, so that every tree of these heights has ended in it."""
        support.wait_until("all trees have ended", lambda: self.final_height() > last + 40)
        truth = [t for t in self.chain.ask(f"/truth?from={self.genesis}&to={last}") if t["tree"]]
        for transaction in truth:
            transaction["delegates"] = self.delegates(transaction)
        return truth

    def delegates(self, transaction):
        """The accounts that act in it behind a relayer, and those acted on."""
        if transaction["signer_id"] != "relayer.sandbox":
            return []
        told = self.chain.rpc("tx", {"tx_hash": transaction["tx_hash"], "wait_until": "NONE",
                                     "sender_account_id": transaction["signer_id"]})
        actions = [action["Delegate"]["delegate_action"] for action in told["transaction"]["actions"]
                   if "Delegate" in action]
        return [action[end] for action in actions for end in ("sender_id", "receiver_id")]

    def stored(self):
        rows = self.query(f"SELECT {', '.join(RECEIPT)} FROM receipts")
        self.assertEqual(len({r[0] for r in rows}), len(rows), "a receipt is stored twice")
        return {tuple(r) for r in rows}

    def assert_between(self, least, found, most):
        """Nothing is missing of `least`, nothing is there beyond `most`."""
        missing, invented = least - found, found - most
        if missing or invented:
            self.fail(f"{len(missing)} of {len(least)} missing, {len(invented)} too many; "
                      f"for example {sorted(missing, key=str)[:2]} against {sorted(invented, key=str)[:2]}")

    def whole_trees(self, truth, account, last):
        def in_scope(t):
            named = is_named(t, account) and t["heights"]["included"] <= last
            return named or any(touches(n, account) and n["executed_height"] <= last for n in t["tree"])

        return {row(t, node) for t in truth if in_scope(t) for node in t["tree"]}

    def assert_whole_trees(self, account, last):
        """Trees that touch the account in these heights are stored whole, each with its transaction and result."""
        truth = [t for t in self.truth(last) if t["stage"] == "final"]
        least = self.whole_trees(truth, account, last)
        self.assertGreater(len(least), 50)
        stored = self.stored()
        self.assert_between(least, stored, self.whole_trees(truth, account, float("inf")))
        hashes = {r[1] for r in stored}
        self.assertEqual({r[0] for r in self.query("SELECT tx_hash FROM transactions")}, hashes)
        results = {t["tx_hash"]: t["verdict"] for t in truth if t["tx_hash"] in hashes}
        self.assertEqual(dict(self.query("SELECT tx_hash, verdict FROM transaction_results")), results)
        self.assertEqual({r[0] for r in self.query("SELECT finding_id FROM findings WHERE receipt_id IS NOT NULL")},
                         finding_ids([{**t, "error": None} for t in truth if t["tx_hash"] in hashes]))
        self.assertEqual(self.value("SELECT count(*) FROM unplaced_receipts"), "0")
        self.assertEqual(self.value("SELECT count(*) FROM orphan_receipts WHERE kind = 'receipt'"), "0")
        return truth

    def test_trees_of_others_are_found_by_their_receipts(self):
        proxy = Proxy(self.database)
        self.addCleanup(proxy.stop)
        config = self.configured("rpc", CONTRACT, self.genesis + 1, database=proxy.url)
        last = self.follow_with_kills(proxy, config, self.genesis + BLOCKS)
        truth = self.assert_whole_trees(CONTRACT, last)
        self.assertFalse([t for t in truth if is_named(t, CONTRACT)], "no rule of the scope names a transaction")

    def test_a_backfill_brings_transactions_that_their_receipts_told_before(self):
        first, last = self.genesis + 30, self.genesis + BLOCKS
        config = self.configured("rpc", MIXED, first)
        self.ended_well(self.start("run", "--config", config, "--until", last))
        below = self.value(f"SELECT count(*) FROM transactions WHERE block_height < {first}")
        self.assertNotEqual(below, "0", "receipts told of transactions below the start")
        self.receiptd("backfill", "--config", config, "--from", self.genesis + 1, "--to", first - 1)
        self.assert_whole_trees(MIXED, last)

    def test_what_nobody_can_tell_stays_an_orphan_with_its_proven_outcome(self):
        self.chain.ask("/faults", {"faults": [{"fault": "wrong", "method": "EXPERIMENTAL_receipt_to_tx",
                                               "answer": {"error": "METHOD_NOT_FOUND"}}]})
        last = self.genesis + BLOCKS // 2
        config = self.configured("rpc", CONTRACT, self.genesis + 1)
        self.ended_well(self.start("run", "--config", config, "--until", last))
        truth = self.truth(last)
        told = {r[0]: r for t in truth for r in (row(t, n) for n in t["tree"])}
        columns = [RECEIPT.index(name) for name in ("receipt_id", "predecessor_id", "receiver_id", "block_height",
                                                    "status", "gas_burnt", "tokens_burnt")]
        known = lambda r: tuple(r[i] for i in columns)
        # The block above tells where a receipt was executed; nothing is stored above the last one.
        least = {known(row(t, n)) for t in truth for n in t["tree"]
                 if touches(n, CONTRACT) and n["executed_height"] and n["executed_height"] < last}
        height = RECEIPT.index("block_height")
        found = {known(r) for r in self.stored() if r[height]}
        self.assertGreater(len(least), 10)
        self.assertLessEqual({r[0] for r in self.stored() if not r[height]},
                             {n["receipt_id"] for t in truth for n in t["tree"] if (n["executed_height"] or last) >= last})
        self.assert_between(least, found, {known(r) for r in told.values()})
        self.assertEqual(self.value("SELECT count(*) FROM receipts WHERE tx_hash IS NOT NULL OR tree_id <> receipt_id"),
                         "0")
        self.assertEqual(self.value("SELECT count(*) FROM orphan_receipts WHERE kind = 'receipt'"), str(len(self.stored())))

    def test_whole_blocks_hold_trees_from_the_receipt_on_that_touches_the_account(self):
        last = self.genesis + BLOCKS
        config = self.configured("neardata", MIXED, self.genesis + 1)
        self.ended_well(self.start("run", "--config", config, "--until", last))
        self.assert_held(last, lambda _: True)

    def test_whole_blocks_hold_the_same_trees_however_often_the_daemon_starts_anew(self):
        last = self.genesis + BLOCKS
        config = self.configured("neardata", MIXED, self.genesis + 1)
        support.wait_until("the chain is there", lambda: self.final_height() > last)
        for until in [*range(self.genesis + 5, last, 10), last]:
            self.ended_well(self.start("run", "--config", config, "--until", until))
        # Nobody who saw the beginning of others' trees is there any more: their receipts may not know their
        # parents, nor their failures their roles.
        self.assert_held(last, lambda t: is_named(t, MIXED))

    def assert_held(self, last, seen_whole):
        truth = self.truth(last)
        held = {r for t in truth for r in from_there_on(t, MIXED)}
        by_id = {n["receipt_id"]: (t, n) for t in truth for n in t["tree"]
                 if n["receipt_id"] in held and n["executed_height"] and n["executed_height"] <= last}
        known = lambda r: r if seen_whole(by_id[r[0]][0]) else r[:2] + r[4:]
        stored = self.stored()
        self.assertEqual({r[0] for r in stored} ^ set(by_id), set())
        expected = {known(row(t, n)) for t, n in by_id.values()}
        self.assert_between(expected, {known(r) for r in stored}, expected)
        settled = [t for t in truth if t["heights"]["refunded"] and t["heights"]["refunded"] <= last]
        of = lambda trees: {(f["receipt_id"], t["tx_hash"], f["role"], "t" if f["handled"] else "f")
                            for t in trees for f in t["failed_receipts"] if f["receipt_id"] in held} | {
                                (f["receipt_id"], t["tx_hash"], "callback", None)
                                for t in trees for f in t["tokens_returned"] if f["receipt_id"] in held} | {
                                (b["receipt_id"], t["tx_hash"], b["role"], None)
                                for t in trees for b in t["burnt_tokens"] if b["receipt_id"] in held} | {
                                (y["receipt_id"], t["tx_hash"], "callback", "t" if y["handled"] else "f")
                                for t in trees for y in t["yields_timed_out"] if y["receipt_id"] in held}
        findings = {tuple(r) for r in self.query("SELECT receipt_id, tx_hash, role, handled FROM findings "
                                                 "WHERE receipt_id IS NOT NULL")}
        self.assertGreater(len(of([t for t in settled if not is_named(t, MIXED)])), 0, "others fail there")
        told = of(truth)
        self.assert_between(of([t for t in settled if seen_whole(t)]), findings,
                            told | {(receipt, tx_hash, None, handled) for receipt, tx_hash, _, handled in told})
        alone = {f["receipt_id"] for t in settled for f in t["failed_receipts"] if not f["handled"] and f["role"] == "detached"}
        self.assert_between(alone & held, {f[0] for f in findings}, {f[0] for f in told})
        results = {r[0] for r in self.query("SELECT tx_hash FROM transaction_results")}
        self.assertEqual(results, {t["tx_hash"] for t in settled if is_named(t, MIXED)})

    def test_the_metrics_say_what_brought_the_trees(self):
        config = self.configured("rpc", CONTRACT, self.genesis + 1)
        daemon = self.start("run", "--config", config)

        def told():
            text = self.page(daemon, "/metrics")[1]
            found = re.search(r'^receiptd_orphan_receipts_total\{resolved_by="receipt_to_tx"\} (\d+)', text, re.M)
            return found and int(found[1]) > 5

        support.wait_until("receipts have found their trees", told)


if __name__ == "__main__":
    support.main()
