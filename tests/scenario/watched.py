"""Watches as the table has them, against what the sandbox says truly became of the transactions."""

import collections
import json

from truth import Judging

EVERYTHING = '[[watch]]\nname = "everything"\nsigner = "*"\n'
ORDER = ["accepted", "pending", "included", "executing", "completed", "final"]
LOST = ["dropped", "expired"]
UNKNOWN = "unknown"
Transition = collections.namedtuple("Transition", ("before", "after", "height", "evidence"))


def heights_in(words):
    """[(first, last)] of "96-150, 160, and more up to 300"."""
    ranges = []
    for each in words.split(", "):
        more = each.removeprefix("and more up to ")
        ends = [ranges[-1][1] + 1, more] if more != each else each.split("-")
        ranges.append((int(ends[0]), int(ends[-1])))
    return ranges


class Watched(Judging):
    """For a support.Scenario with a `chain` and the height of its `genesis`."""

    def final_height(self):
        return self.chain.ask("/status")["final_height"]

    def truth(self, last):
        return self.chain.ask(f"/truth?from={self.genesis}&to={last}")

    def included(self, last):
        return [t for t in self.truth(last) if t["heights"]["included"] and t["heights"]["included"] <= last]

    def key_of(self, account):
        """The one it uses: traffic signs with one of them."""
        keys = self.chain.rpc("query", {"request_type": "view_access_key_list", "finality": "final",
                                        "account_id": account}).get("keys", [])
        return max(keys, key=lambda key: key["access_key"]["nonce"])["public_key"] if keys else ""

    def watch_lost(self, truth, validity, databases):
        """Watches the transactions that the traffic lost, as a wallet would; returns the end that each must come to."""
        ends, rows = {}, []
        for t in truth:
            if t["reason"] == "superseded" and (key := self.key_of(t["signer_id"])):
                rows.append(f"('{t['tx_hash']}', '{t['signer_id']}', {t['nonce']}, '{key}', NULL, 'submission')")
                ends[t["tx_hash"]] = ("dropped", None, "superseded")
            elif t["stage"] == "expired":
                until = t["heights"]["accepted"] + validity + 1
                rows.append(f"('{t['tx_hash']}', '{t['signer_id']}', NULL, NULL, {until}, 'hash')")
                ends[t["tx_hash"]] = ("expired", None, "expired")
        for database in databases if rows else ():
            self.query("INSERT INTO watches (tx_hash, sender_id, nonce, public_key, valid_until, origin) VALUES "
                       + ", ".join(rows), database)
        return ends

    def transitions(self, database):
        """Without what was told of blocks before they were final, where that was taken back: early_test.py looks at these."""
        made = collections.defaultdict(list)
        for tx_hash, before, after, height, evidence, inclusion in self.query(
                "SELECT tx_hash, from_stage, to_stage, block_height, evidence, inclusion_id FROM watch_transitions "
                "ORDER BY at, block_height", database):
            if inclusion and before == after:
                continue  # it is confirmed
            if inclusion and after == "pending":
                before = made[tx_hash].pop().before
                if before == after:
                    continue
            made[tx_hash].append(Transition(before, after, height and int(height), json.loads(evidence or "{}")))
        return made

    def assert_orderly(self, database):
        """Each step from where another one ended, none backwards, no stage twice; but a watch whose tree loses a block begins
        again, the chain corrects an end for which heights were missing, and findings of false outcomes are corrected."""
        for tx_hash, steps in self.transitions(database).items():
            steps = [step for step in steps if step.before != step.after or "told" not in step.evidence.get("corrects", {})]
            left, entered = (collections.Counter(getattr(step, end) for step in steps) for end in ("before", "after"))
            begun_anew = entered["accepted"]
            entered["accepted"] += 1
            self.assertEqual(sum((entered - left).values()), 1, (tx_hash, steps))
            self.assertEqual(left - entered, collections.Counter(), (tx_hash, steps))
            self.assertLessEqual(max(entered.values()), 1 + begun_anew, (tx_hash, steps))
            for step in steps:
                if step.before == UNKNOWN:
                    self.assert_corrected(step, [each for each in steps if each.after == UNKNOWN])
                elif step.after == UNKNOWN:
                    self.assertIn(step.before, ORDER[:2], (tx_hash, steps))
                elif step.after not in LOST and step.after != "accepted":
                    self.assertGreater(ORDER.index(step.after), ORDER.index(step.before), (tx_hash, steps))

    def assert_corrected(self, correction, ends):
        """docs/watching.md: the block that includes it is at one of the heights that the end said were missing."""
        self.assertEqual((correction.after, correction.evidence.get("corrects")),
                         ("included", {"stage": UNKNOWN, "reason": "heights_missing"}))
        missing = [heights_in(end.evidence["missing_heights"]) for end in ends]
        self.assertTrue(any(first <= correction.height <= last for ranges in missing for first, last in ranges), (correction, ends))

    def corrected(self, database):
        """Watches that ended as unknown until the chain corrected that."""
        return {tx_hash for tx_hash, steps in self.transitions(database).items() if any(step.before == UNKNOWN for step in steps)}

    def assert_true(self, source, database, included, last, lost=(), handed_in=()):
        """All that is included is watched as the rule says, and nothing else but what was lost."""
        stored = {row[0]: row for row in self.query(
            "SELECT tx_hash, sender_id, stage, verdict, origin, rule FROM watches", database)}
        self.assertEqual((set(stored) - set(lost)) ^ {t["tx_hash"] for t in included}, set(),
                         "watched and included are the same")
        wrong = []
        for t in included:
            _, sender, stage, verdict, origin, rule = stored[t["tx_hash"]]
            self.assertEqual(sender, t["signer_id"])
            if t["tx_hash"] not in handed_in:
                self.assertEqual((origin, rule), ("rule", "everything"))
            refunded = t["heights"]["refunded"]
            over = refunded is not None and (refunded <= last or source == "rpc")
            if over and (stage, verdict) != ("final", t["verdict"]):
                wrong.append((t["tx_hash"], stage, verdict, t["verdict"], t["heights"]))
            if not over:
                self.assertIn(stage, ORDER[2:5], t)
        self.assertEqual(wrong[:3], [], f"{len(wrong)} of {len(included)}")
        self.assert_orderly(database)

    def assert_ended(self, database, ends):
        stored = {row[0]: tuple(row[1:]) for row in self.query(
            "SELECT tx_hash, stage, verdict, reason FROM watches", database)}
        self.assert_same({(tx_hash, *stored[tx_hash]) for tx_hash in ends}, {(tx_hash, *end) for tx_hash, end in ends.items()})
        lost = {(tx_hash, stage) for tx_hash, (stage, *_) in ends.items() if stage != "final"}
        # An end in a block that was removed is taken back, and told again with the block that the chain has. So are findings.
        of_trees = ("failed_receipt", "failed_transaction", "tokens_returned", "burnt_tokens", "wallet_refused", "yield_timed_out")
        found = self.query(f"SELECT tx_hash, kind FROM findings WHERE kind NOT IN {(*of_trees, 'stuck')} "
                           f"AND NOT (kind = 'corrected' AND split_part(finding_id, ':', 2) IN {(*of_trees, 'final')})", database)
        corrected = {(tx_hash, kind) for tx_hash in self.corrected(database) for kind in (UNKNOWN, "corrected")}
        self.assertEqual(sorted(map(tuple, found)), sorted(lost | corrected), "each loss is a finding, and nothing else is")
