"""Submissions that end in every way there is, on two hosts of which one lags: no end is false, none is missing, and none may
be signed anew too early.

./dev sweep ends hands in 1,000 on a chain of each of as many seeds as it is told.
"""

import collections
import concurrent.futures
import json
import random
import re
import urllib.error
import urllib.request

import support
from handed_in import TOKEN, Patient, final_hash, key_of, known, nonce_of, send
from signer import Key, Signed, call, delete_account, delete_key

SEEDS = support.count_of("ends")
SUBMISSIONS, VALIDITY = (1000, 1200) if SEEDS else (48, 300)
AT_ONCE = 24  # an unknown block hash is waited for by the daemon
BLOCK_MS = 50
LAG = 5  # blocks
BALANCE, AMOUNT = 5 * TOKEN, 3 * TOKEN
API_TOKEN = "the-token-of-the-scenario"
DELAY = 60  # blocks: by then what is to overtake it is in a block
CONGESTED = 40  # blocks
AHEAD, STEP = 60, 20  # blocks: so far the chain runs ahead of the daemon when nothing is handed in any more

# How it is lost, and the end that it must come to; None: it is not stored.
LOST = {
    "superseded": ("dropped", "superseded"),
    "key_removed": ("dropped", "key_removed"),
    "account_removed": ("dropped", "key_removed"),  # of its keys a node says that they are not there, as nearcore does
    "balance": ("expired", "expired"),
    "expired": ("expired", "expired"),
    "forwarding": ("expired", "expired"),
    "gas": ("rejected", "total_prepaid_gas_exceeded"),
    "size": ("rejected", "transaction_size_exceeded"),
}
# Handed in while no host judges transactions, as one that is asked refuses them; one of a size is as good as many.
UNJUDGED = {"gas": dict(action=call("run", b"", 1001 * 10**12)), "size": dict(action=call("run", bytes(1_600_000)))}
REFUSED = {"signature": "invalid_signature", "nonce": "invalid_nonce", "nonce_ahead": "nonce_too_large",
           "poor": "not_enough_balance", "block_hash": "invalid_chain"}
WAYS = ["included", "late", "invalid"] + [way for way in LOST if way not in UNJUDGED] + list(REFUSED)
ENDS_WITHOUT_A_TREE = {"rejected", "forwarding_failed", "dropped", "expired", "unknown"}


class Accounts:
    """Implicit accounts with a key and some tokens each."""

    def __init__(self, chain, count, seed):
        self.keys = [Key.of_seed(bytes([seed % 256]) + number.to_bytes(31, "little")) for number in range(count)]
        alice = key_of(chain, "alice.sandbox")
        nonce, block_hash = nonce_of(chain, "alice.sandbox", alice), final_hash(chain)
        for number, key in enumerate(self.keys, 1):
            transfer = Signed(alice, "alice.sandbox", key.public.hex(), nonce + number, block_hash, BALANCE)
            chain.rpc("broadcast_tx_async", [transfer.base64])
        self.nonces = [support.wait_until("the account is there", lambda k=key: nonce_of(chain, k.public.hex(), k))
                       for key in self.keys]


class Ends(support.Scenario):
    def begin(self, seed):
        self.chain = self.sandbox("--block-time-ms", BLOCK_MS, "--seed", seed, "--validity-blocks", VALIDITY, command="run")
        token = self.folder / "token"
        token.write_text(API_TOKEN + "\n")
        token.chmod(0o600)
        config = self.config(self.chain, network="sandbox", source="neardata", start='"head"', database=self.database,
                             extra=f'token_file = "{token}"\n[watching]\nvalidity_blocks = {VALIDITY}\n')
        self.receiptd("migrate", "--config", config)
        self.daemon = self.start("run", "--config", config)
        support.wait_until("it follows the chain", lambda: json.loads(self.page(self.daemon, "/readyz")[1])["ready"])
        self.address = "http://" + re.search(r"listen=(\S+)", self.daemon.log())[1]
        self.patient = Patient(self.chain)

    def hand_in(self, transaction):
        """(HTTP status, answer)"""
        request = urllib.request.Request(
            self.address + "/v1/transactions", json.dumps({"signed_tx_base64": transaction.base64}).encode(),
            {"Content-Type": "application/json", "Authorization": "Bearer " + API_TOKEN})
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as refused:
            return refused.code, json.load(refused)

    def signed(self, number, nonce, amount=AMOUNT, receiver="bob.sandbox", **more):
        key = self.accounts.keys[number]
        return Signed(key, key.public.hex(), receiver, nonce, more.pop("block_hash", None) or final_hash(self.patient), amount,
                      **more)

    def refused(self, way, number, nonce):
        wanted = {"signature": dict(damage=True), "nonce": {}, "nonce_ahead": {}, "poor": dict(amount=1000 * TOKEN),
                  "block_hash": dict(block_hash="1" * 32)}[way]
        nonce += {"nonce": 0, "nonce_ahead": 10**18}.get(way, 1)
        status, answer = self.hand_in(self.signed(number, nonce, **wanted))
        self.assertEqual((way, status, answer.get("error_class")), (way, 422, REFUSED[way]), answer)

    def one(self, number, way, chance):
        """Hands one in and lets it go its way; its hash."""
        nonce = self.accounts.nonces[number]
        if way in REFUSED:
            return self.refused(way, number, nonce)
        if way in UNJUDGED:
            wanted = self.signed(number, nonce + 1, **UNJUDGED[way])
            status, answer = self.hand_in(wanted)
            self.assertEqual((status, answer.get("stage")), (202, "accepted"), answer)
            return wanted.hash
        overtaken = way in ("key_removed", "account_removed", "balance")
        wanted = self.signed(number, nonce + (2 if overtaken else 1))
        if way == "late":
            self.chain.ask(f"/transactions/{wanted.hash}/delay", {"blocks": chance.randrange(1, VALIDITY - 40)})
        elif overtaken or way in ("superseded", "invalid"):
            self.chain.ask(f"/transactions/{wanted.hash}/delay", {"blocks": DELAY})
        if way == "invalid":
            self.chain.ask(f"/transactions/{wanted.hash}/include", {})
        if way in ("expired", "forwarding"):
            self.chain.ask(f"/transactions/{wanted.hash}/drop", {"how": way})
        status, answer = self.hand_in(wanted)
        self.assertIn(status, (201, 202), answer)
        key = self.accounts.keys[number]
        rival = {"superseded": {}, "invalid": {}, "balance": dict(amount=BALANCE - TOKEN // 10),
                 "key_removed": dict(action=delete_key(key), receiver=key.public.hex()),
                 "account_removed": dict(action=delete_account("bob.sandbox"), receiver=key.public.hex())}.get(way)
        if rival is not None:
            send(self.patient, self.signed(number, nonce + 1, **{"amount": 1, **rival}))
        return wanted.hash

    def play(self, seed):
        self.begin(seed)
        chance = random.Random(seed)
        self.accounts = Accounts(self.patient, SUBMISSIONS, seed)
        self.faults()
        ways = ["gas"] * (SUBMISSIONS // 25) + ["size"] + ["congested"] * (SUBMISSIONS // 25)
        ways = [WAYS[number % len(WAYS)] for number in range(SUBMISSIONS - len(ways))] + ways
        unjudged = [number for number, way in enumerate(ways) if way in UNJUDGED]
        congested = [number for number, way in enumerate(ways) if way == "congested"]
        others = [number for number in range(SUBMISSIONS) if number not in {*unjudged, *congested}]
        chance.shuffle(others)
        self.ways = {}
        for shard in self.chain.ask("/status")["shards"]:
            self.chain.ask(f"/shards/{shard}/congest", {"blocks": CONGESTED, "level": 0.9})
        self.hand_in_all(congested, ways, chance)
        over = self.chain.ask("/status")["final_height"] + CONGESTED + 2 * LAG
        support.wait_until("congestion is over", lambda: self.chain.ask("/status")["final_height"] > over)
        support.wait_until("what was congested is included", self.nothing_is_open)
        self.hand_in_all(others, ways, chance)
        self.faults({"fault": "500", "method": "tx"})
        self.hand_in_all(unjudged, ways, chance)
        self.faults()
        support.wait_until("the hosts have judged", self.judged)
        self.hurry()
        self.check()

    def faults(self, *more):
        """One host lags, and what else is wrong with both."""
        self.chain.ask("/faults", {"host": "regular", "faults": [{"fault": "stale", "blocks": LAG}, *more]})
        self.chain.ask("/faults", {"host": "archival", "faults": list(more)})

    def hand_in_all(self, numbers, ways, chance):
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as several:
            hashes = list(several.map(self.one, numbers, [ways[number] for number in numbers],
                                      [random.Random(chance.random()) for _ in numbers]))
        self.ways |= {tx_hash: ways[number] for tx_hash, number in zip(hashes, numbers) if tx_hash}

    def judged(self):
        """Whether what no block will take has ended, by the word of both hosts, and the objection of one to a balance is known:
        they are asked every few seconds."""
        waiting = dict(self.query("SELECT tx_hash, objection ->> 'error_class' FROM watches WHERE stage IN ('accepted', 'pending')"))
        return not any(way in UNJUDGED or way == "balance" and waiting[tx_hash] != "not_enough_balance"
                       for tx_hash, way in self.ways.items() if tx_hash in waiting)

    def nothing_is_open(self):
        return self.value("SELECT count(*) FROM open_watches") == "0"

    def hurry(self):
        """The chain goes on as fast as the daemon follows, until all have ended."""
        self.chain.ask("/pause", {})

        def all_ended():
            if self.daemon.poll() is not None:
                return True
            followed = int(self.value("SELECT max(block_height) FROM blocks"))
            while self.chain.ask("/status")["height"] < followed + AHEAD:
                self.chain.ask("/advance", {"blocks": STEP})
            return self.nothing_is_open()
        support.wait_until("all have ended", all_ended, support.DEADLINE + VALIDITY * BLOCK_MS / 1000)
        self.assertIsNone(self.daemon.poll(), self.daemon.log()[-3000:])

    def expected(self, tx_hash, way, truth):
        if truth and truth["heights"]["included"]:
            return "final", "failed" if truth["error"] else truth["verdict"], None
        stage, reason = LOST[way]
        return stage, None, reason

    def check(self):
        stored = {row[0]: row[1:] for row in self.query(
            "SELECT tx_hash, stage, verdict, CASE WHEN verdict IS NULL THEN reason END, evidence FROM watches")}
        self.assertEqual(set(stored), set(self.ways), "what was refused is not stored, all else is")
        truths = {tx_hash: known(self.patient, tx_hash) for tx_hash in self.ways}
        wrong = [(way, tx_hash, stored[tx_hash], expected) for tx_hash, way in self.ways.items()
                 if tuple(stored[tx_hash][:3]) != (expected := self.expected(tx_hash, way, truths[tx_hash]))]
        self.assertEqual(wrong[:3], [], f"{len(wrong)} of {len(stored)} ended otherwise")
        for tx_hash, way in self.ways.items():
            if way == "balance" and stored[tx_hash][0] == "expired":
                self.assertIn("not_enough_balance", stored[tx_hash][3], "the hosts' objection is in the evidence")
        self.check_transitions(truths)
        print("\n" + ", ".join(f"{count} {end}" for end, count in sorted(collections.Counter(
            f"{row[0]}{'/' + (row[2] or row[1] or '')}" for row in stored.values()).items())))

    def check_transitions(self, truths):
        parents = dict(self.query("SELECT block_height, prev_height FROM blocks"))
        for tx_hash, to_stage, conclusive, safe in self.query(
                "SELECT tx_hash, to_stage, conclusive, safe_to_resign_after_height FROM watch_transitions"):
            truth = truths[tx_hash]
            included = truth and not truth["error"] and truth["heights"]["included"]
            if included:
                self.assertNotIn(to_stage, ENDS_WITHOUT_A_TREE, f"a false end of {tx_hash}: {truth}")
                self.assertNotEqual(safe, "0", f"{tx_hash} was executed all the same: {truth}")
            if included and safe is not None:
                self.assertLess(int(parents[str(included)]), int(safe), f"{tx_hash} was included later: {truth}")
            if to_stage in ("dropped", "expired", "rejected"):
                self.assertEqual((conclusive, safe), ("t", "0"))
        ends = {row[0] for row in self.query("SELECT tx_hash FROM watches WHERE stage IN ('dropped', 'expired')")}
        found = {row[0] for row in self.query("SELECT tx_hash FROM findings WHERE kind IN ('dropped', 'expired') AND conclusive")}
        self.assertEqual(found, ends, "each loss is told once, as proven")
        self.assertEqual(self.query("SELECT * FROM findings WHERE kind = 'corrected'"), [])

    def test_no_end_is_false_or_missing_or_lets_sign_anew_too_early(self):
        self.play(1)


def a_seed(seed):
    return lambda self: self.play(seed)


for each in range(2, SEEDS + 1):
    setattr(Ends, f"test_seed_{each}", a_seed(each))

if __name__ == "__main__":
    support.main()
