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
from ethereum import function_call
from handed_in import TOKEN, Patient, final_hash, known, send
from signer import Signed, call, delete_account, delete_key, withdraw_from_gas_key
from signers import GAS_BALANCE, PLACES, Accounts

SEEDS = support.count_of("ends")
SUBMISSIONS, VALIDITY = (1000, 1200) if SEEDS else (48, 300)
GROUP = SUBMISSIONS // 40  # of those that need the chain or the hosts in some state
AT_ONCE = 24  # an unknown block hash is waited for by the daemon
BLOCK_MS = 50
LAG = 5  # blocks
AMOUNT = 3 * TOKEN
API_TOKEN = "the-token-of-the-scenario"
DELAY = 60  # blocks: by then what is to overtake it is in a block
CONGESTED = 40  # blocks
AHEAD, STEP = 60, 20  # blocks: so far the chain runs ahead of the daemon when nothing is handed in any more
HIDDEN = (40, 45, 50)  # above the head: heights of which the source of whole blocks shows nothing for a while
KEPT = 20  # blocks that the hosts keep when they have lost older ones
LOST_BLOCKS = 40  # above the head; the first of them may be seen while the others are made
IN_A_LOST_BLOCK = 35  # blocks of delay
SOON = 100  # blocks: what is handed in when hosts lose blocks is good for so long

PANICS = b'[{"panic":"no"}]'
CALLBACK_PANICS = (b'[{"call":{"account":"ft.sandbox","method":"ft_total_supply","gas":5,"as":"a"}},'
                   b'{"then":{"after":"a","run":[{"panic":"no"}],"gas":20}},{"return":"sent"}]')
# How it is lost, and the end that it must come to; what is not named ends with its tree.
LOST = {
    "superseded": ("dropped", "superseded"),
    "key_removed": ("dropped", "key_removed"),
    "account_removed": ("dropped", "key_removed"),  # of its keys a node says that they are not there, as nearcore does
    "balance": ("expired", "expired"),
    "expired": ("expired", "expired"),
    "forwarding": ("expired", "expired"),
    "gas_superseded": ("dropped", "superseded"),
    "gas_key_removed": ("dropped", "key_removed"),
    "gas_account_removed": ("dropped", "key_removed"),
    "gas_balance": ("expired", "expired"),
    "gas_expired": ("expired", "expired"),
    "too_much_gas": ("rejected", "total_prepaid_gas_exceeded"),
    "size": ("rejected", "transaction_size_exceeded"),
    "forked": ("rejected", "invalid_chain"),
    "unsent": ("forwarding_failed", "no_route"),
    "never_seen": ("unknown", "never_seen"),
    "hidden_expired": ("unknown", "heights_missing"),
    "hidden_superseded": ("unknown", "heights_missing"),
}
# Handed in while no host judges transactions, as one that is asked refuses them; one of a size is as good as many.
UNJUDGED = {"too_much_gas": dict(action=call("run", b"", 1001 * 10**12)), "size": dict(action=call("run", bytes(1_600_000)))}
UNSENT = ["unsent", "sent_again", "leaked"]  # while no host takes transactions
LOST_FROM_SIGHT = ["hidden_expired", "hidden_superseded", "hidden_included"]  # their blocks are kept by no host
CORRECTED = {"leaked": "forwarding_failed", "hidden_included": "unknown"}  # the end that is told first
# Faults that are no reason to put a host aside: it takes nothing, or does not track the shard.
WITHOUT_A_ROUTE = {"fault": "wrong", "method": "broadcast_tx_async", "answer": {"error": "INVALID_TRANSACTION"}}
WITHOUT_A_WORD = {"fault": "wrong", "method": "tx", "answer": {"result": {"final_execution_status": "NONE"}}}
OBJECTIONS = {"balance": "not_enough_balance", "gas_balance": "not_enough_gas_key_balance"}
REFUSED = {"signature": "invalid_signature", "nonce": "invalid_nonce", "nonce_ahead": "nonce_too_large",
           "poor": "not_enough_balance", "block_hash": "invalid_chain"}
OF_GAS_KEYS = ["gas_included", "gas_late", "gas_deposit", "gas_superseded", "gas_key_removed", "gas_account_removed",
               "gas_balance", "gas_expired"]
OF_WALLETS = ["wallet", "wallet_fails"]
WAYS = (["included", "late", "invalid", "fails", "callback_fails", "seen", "never_seen"] + OF_GAS_KEYS + OF_WALLETS
        + ["superseded", "key_removed", "account_removed", "balance", "expired", "forwarding"] + list(REFUSED))
GROUPS = ["congested", *UNSENT, "forked", "too_much_gas", *LOST_FROM_SIGHT]
OVERTAKEN = {"invalid", "superseded", "key_removed", "account_removed", "balance", "gas_deposit", "gas_superseded",
             "gas_key_removed", "gas_account_removed", "gas_balance", "hidden_superseded"}
DROPPED = {"expired": "expired", "gas_expired": "expired", "forwarding": "forwarding", "hidden_expired": "expired"}
ENDS_WITHOUT_A_TREE = {"rejected", "forwarding_failed", "dropped", "expired", "unknown"}
ENDS = {*LOST.values(), ("final", "succeeded"), ("final", "failed"), ("final", "callback_failed"), ("final", "receipt_failed")}


class Ends(support.Scenario):
    def begin(self, seed):
        self.chain = self.sandbox("--block-time-ms", BLOCK_MS, "--seed", seed, "--validity-blocks", VALIDITY, command="run")
        token = self.folder / "token"
        token.write_text(API_TOKEN + "\n")
        token.chmod(0o600)
        self.settings = self.config(
            self.chain, network="sandbox", source="neardata", database=self.database,
            extra=f'token_file = "{token}"\n[watching]\nvalidity_blocks = {VALIDITY}\nforwarding_failed_after = "2s"\n')
        self.receiptd("migrate", "--config", self.settings)
        self.run_daemon()
        self.patient = Patient(self.chain)

    def run_daemon(self):
        self.daemon = self.start("run", "--config", self.settings)
        support.wait_until("it follows the chain", lambda: json.loads(self.page(self.daemon, "/readyz")[1])["ready"])
        self.address = "http://" + re.search(r"listen=(\S+)", self.daemon.log())[1]

    def post(self, path, body):
        """(HTTP status, answer)"""
        request = urllib.request.Request(
            self.address + path, json.dumps(body).encode(),
            {"Content-Type": "application/json", "Authorization": "Bearer " + API_TOKEN})
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as refused:
            return refused.code, json.load(refused)

    def hand_in(self, transaction):
        """Again, if the machine is so slow that the daemon cannot tell what became of it."""
        def answered():
            status, answer = self.post("/v1/transactions", {"signed_tx_base64": transaction.base64})
            return status != 503 and (status, answer)
        return support.wait_until("a submission is answered", answered)

    def signed(self, number, nonce, gas=False, amount=AMOUNT, receiver="bob.sandbox", block_hash=None, **more):
        """By the account of that number, with its key or its gas key."""
        accounts = self.accounts
        key, place = (accounts.gas_keys[number], number % PLACES) if gas else (accounts.keys[number], None)
        return Signed(key, accounts.name(number), receiver, nonce, block_hash or final_hash(self.patient), amount, place=place,
                      **more)

    def refused(self, way, number, nonce):
        wanted = {"signature": dict(damage=True), "nonce": {}, "nonce_ahead": {}, "poor": dict(amount=1000 * TOKEN),
                  "block_hash": dict(block_hash="1" * 32)}[way]
        nonce += {"nonce": 0, "nonce_ahead": 10**18}.get(way, 1)
        status, answer = self.hand_in(self.signed(number, nonce, **wanted))
        self.assertEqual((way, status, answer.get("error_class")), (way, 422, REFUSED[way]), answer)

    def contents(self, way, number):
        """The receiver and the action of a transaction that is lost or fails by what it does."""
        if way in OF_WALLETS:
            owner = self.accounts.wallets[number]
            program = PANICS if way == "wallet_fails" else b'[{"return":"done"}]'
            asked = owner.arguments("script.sandbox", function_call("script.sandbox", "run", program, 20 * 10**12))
            return dict(receiver=owner.account_id, action=call("rlp_execute", asked, 100 * 10**12))
        programs = {"fails": PANICS, "callback_fails": CALLBACK_PANICS}
        if way in programs:
            return dict(receiver="script.sandbox", action=call("run", programs[way], 100 * 10**12))
        return UNJUDGED.get(way, {})

    def rival(self, way, number):
        """The transaction that overtakes it."""
        nonce, account = self.accounts.nonces[number] + 1, self.accounts.name(number)
        if way in ("superseded", "invalid", "hidden_superseded"):
            return self.signed(number, nonce, amount=1)
        if way == "gas_superseded":
            return self.signed(number, self.accounts.gas_nonces[number] + 1, gas=True, amount=1)
        if way in ("balance", "gas_deposit"):
            return self.signed(number, nonce, amount=4 * TOKEN + TOKEN * 2 // 5)
        if way == "gas_balance":
            left = withdraw_from_gas_key(self.accounts.gas_keys[number], GAS_BALANCE - 10**15)
            return self.signed(number, nonce, receiver=account, action=left)
        key = self.accounts.gas_keys[number] if way == "gas_key_removed" else self.accounts.keys[number]
        return self.signed(number, nonce, receiver=account,
                           action=delete_account("bob.sandbox") if way.endswith("account_removed") else delete_key(key))

    def wanted(self, way, number, **more):
        gas = way in OF_GAS_KEYS
        follows = way in ("key_removed", "account_removed", "balance")  # its rival has the nonce before
        nonce = self.accounts.gas_nonces[number] if gas else self.accounts.nonces[number]
        return self.signed(number, nonce + (2 if follows else 1), gas=gas, **self.contents(way, number), **more)

    def one(self, number, way, chance):
        """Hands one in and lets it go its way; its hash."""
        if way in REFUSED:
            return self.refused(way, number, self.accounts.nonces[number])
        wanted = self.wanted(way, number, block_hash=self.block_hash)
        self.transactions[wanted.hash] = wanted
        if way in OVERTAKEN:
            self.delay(wanted, DELAY)
        if way in ("late", "gas_late"):
            self.delay(wanted, chance.randrange(1, VALIDITY - 40))
        if way == "hidden_included":
            self.delay(wanted, IN_A_LOST_BLOCK)
        if way == "invalid":
            self.chain.ask(f"/transactions/{wanted.hash}/include", {})
        if way in DROPPED:
            self.chain.ask(f"/transactions/{wanted.hash}/drop", {"how": DROPPED[way]})
        if way in ("seen", "never_seen"):
            status, answer = self.post("/v1/watches", {"tx_hash": wanted.hash, "sender_id": self.accounts.name(number)})
        else:
            status, answer = self.hand_in(wanted)
        self.assertIn(status, (200, 201, 202), answer)
        if way in UNJUDGED:
            self.assertEqual(answer["stage"], "accepted", answer)
        if way == "seen":
            send(self.patient, wanted)
        if way in OVERTAKEN:
            rival = self.rival(way, number)
            if way == "hidden_superseded":
                self.delay(rival, IN_A_LOST_BLOCK)
            send(self.patient, rival)
        return wanted.hash

    def delay(self, transaction, blocks):
        self.chain.ask(f"/transactions/{transaction.hash}/delay", {"blocks": blocks})

    def hand_in_all(self, *ways):
        """Hands in the transactions that go these ways; each by its hash."""
        numbers = [number for number, way in enumerate(self.way_of) if way in ways]
        self.chance.shuffle(numbers)
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as several:
            hashes = list(several.map(self.one, numbers, [self.way_of[number] for number in numbers],
                                      [random.Random(self.chance.random()) for _ in numbers]))
        self.ways |= {tx_hash: self.way_of[number] for tx_hash, number in zip(hashes, numbers) if tx_hash}

    def hashes_of(self, *ways):
        return [tx_hash for tx_hash, way in self.ways.items() if way in ways]

    def faults(self, *more, archival=()):
        """One host lags, and what else is wrong with both, or with the one that has whole blocks."""
        self.chain.ask("/faults", {"host": "regular", "faults": [{"fault": "stale", "blocks": LAG}, *more]})
        self.chain.ask("/faults", {"host": "archival", "faults": [*more, *archival]})

    def height(self):
        return self.chain.ask("/status")["height"]

    def go_on(self, blocks):
        end = self.height() + blocks
        support.wait_until("the chain has gone on", lambda: self.height() >= end)

    def play(self, seed):
        self.begin(seed)
        self.chance, self.ways, self.transactions, self.block_hash = random.Random(seed), {}, {}, None
        self.way_of = [way for way in GROUPS for _ in range(GROUP)] + ["size"]
        self.way_of += [WAYS[number % len(WAYS)] for number in range(SUBMISSIONS - len(self.way_of))]
        of = lambda ways: [number for number, way in enumerate(self.way_of) if way in ways]
        self.accounts = Accounts(self.patient, SUBMISSIONS, seed, of(OF_GAS_KEYS), of(OF_WALLETS))
        self.faults()
        self.play_congestion()
        self.play_without_a_route()
        self.play_a_fork()
        hidden = [{"fault": "500", "method": f"/v0/block/{self.height() + above}"} for above in HIDDEN]
        self.faults(archival=hidden)
        self.hand_in_all(*WAYS)
        self.faults(WITHOUT_A_WORD, archival=hidden)
        self.hand_in_all(*UNJUDGED)
        self.faults()
        self.go_on(3 * LAG)
        self.chain.ask("/pause", {})
        support.wait_until("the hosts have judged", self.judged)
        self.kill(self.daemon)
        self.run_daemon()
        self.hurry(AHEAD, STEP)
        self.play_lost_blocks()
        self.check()

    def play_congestion(self):
        for shard in self.chain.ask("/status")["shards"]:
            self.chain.ask(f"/shards/{shard}/congest", {"blocks": CONGESTED, "level": 0.9})
        self.hand_in_all("congested")
        self.go_on(CONGESTED + 3 * LAG)
        support.wait_until("what was congested is included", self.nothing_is_open)

    def play_without_a_route(self):
        """No host takes transactions, so that all end so; of some that is not the last word."""
        self.faults(WITHOUT_A_ROUTE)
        self.hand_in_all(*UNSENT)
        support.wait_until("no way was found for all", self.nothing_is_open)
        self.faults()
        for tx_hash in self.hashes_of("sent_again"):
            status, answer = self.hand_in(self.transactions[tx_hash])
            self.assertEqual(status, 200, answer)
            self.assertIn(answer["stage"], ("accepted", "pending"), answer)
        for tx_hash in self.hashes_of("leaked"):
            send(self.patient, self.transactions[tx_hash])

    def play_a_fork(self):
        """Block hashes of a block that loses."""
        self.chain.ask("/pause", {})
        self.chain.ask("/fork", {})
        self.chain.ask("/advance", {"blocks": 1})
        self.block_hash = self.chain.ask("/status")["hash"]
        self.hand_in_all("forked")
        self.block_hash = None
        # What is looked for only later can have a newer block hash, one above the height where the chain is paused.
        support.wait_until("they are looked for", lambda: self.value(
            "SELECT count(*) FROM open_watches JOIN watches USING (tx_hash) WHERE watched_since IS NULL") == "0")
        # The other branch wins, and all heights that the block hash can have are followed, before what was handed in
        # grows too old.
        self.chain.ask("/advance", {"blocks": VALIDITY // 2})
        support.wait_until("the hosts have refused them", self.nothing_is_open)
        self.chain.ask("/resume", {})

    def play_lost_blocks(self):
        """Both hosts forget blocks that the daemon has not seen, and have them again when all has ended; the chain is paused."""
        head = self.height()
        self.block_hash = self.chain.rpc("block", {"block_id": head - VALIDITY + SOON})["header"]["hash"]
        self.hand_in_all(*LOST_FROM_SIGHT)
        self.faults({"fault": "pruned", "blocks": KEPT})
        self.chain.ask("/advance", {"blocks": LOST_BLOCKS + KEPT})
        self.hurry(KEPT // 2, KEPT // 4)
        told = self.query("SELECT DISTINCT stage, reason, conclusive, safe_to_resign_after_height FROM watches WHERE tx_hash IN ("
                          + ", ".join(f"'{tx_hash}'" for tx_hash in self.hashes_of(*LOST_FROM_SIGHT)) + ")")
        self.assertEqual(told, [["unknown", "heights_missing", "f", None]])
        self.faults()
        self.kill(self.daemon)
        self.run_daemon()
        support.wait_until("the blocks are stored", lambda: self.value("SELECT wanted - heights FROM coverage") == "{}")
        support.wait_until("what was in them is known", lambda: self.nothing_is_open() and self.value(
            "SELECT count(*) FROM findings WHERE kind = 'corrected'") == str(len(self.hashes_of(*CORRECTED))))

    def judged(self):
        """Whether what no block will take has ended, by the word of both hosts, and the objection of one to a balance is known:
        they are asked every few seconds."""
        waiting = dict(self.query("SELECT tx_hash, objection ->> 'error_class' FROM watches WHERE stage IN ('accepted', 'pending')"))
        return not any(way in UNJUDGED or way in OBJECTIONS and waiting[tx_hash] != OBJECTIONS[way]
                       for tx_hash, way in self.ways.items() if tx_hash in waiting)

    def nothing_is_open(self):
        return self.value("SELECT count(*) FROM open_watches") == "0"

    def hurry(self, ahead, step):
        """The chain, which is paused, goes on as fast as the daemon follows, until all have ended."""
        def all_ended():
            if self.daemon.poll() is not None:
                return True
            followed = int(self.value("SELECT max(block_height) FROM blocks"))
            while self.height() < followed + ahead:
                self.chain.ask("/advance", {"blocks": step})
            return self.nothing_is_open()
        support.wait_until("all have ended", all_ended, support.DEADLINE + VALIDITY * BLOCK_MS / 1000)
        self.assertIsNone(self.daemon.poll(), self.daemon.log()[-3000:])

    def expected(self, way, truth):
        """(stage, verdict, reason without one)"""
        if way in LOST:
            return LOST[way][0], None, LOST[way][1]
        return "final", "failed" if truth["error"] else truth["verdict"], None

    def check(self):
        stored = {row[0]: row[1:] for row in self.query(
            "SELECT tx_hash, stage, verdict, CASE WHEN verdict IS NULL THEN reason END, evidence FROM watches")}
        self.assertEqual(set(stored), set(self.ways), "what was refused is not stored, all else is")
        truths = {tx_hash: known(self.patient, tx_hash) for tx_hash in self.ways}
        included = {tx_hash for tx_hash, truth in truths.items() if truth and truth["heights"]["included"]}
        self.assertEqual(included, {tx_hash for tx_hash, way in self.ways.items() if way not in LOST}, "each went its way")
        wrong = [(way, tx_hash, stored[tx_hash], expected) for tx_hash, way in self.ways.items()
                 if tuple(stored[tx_hash][:3]) != (expected := self.expected(way, truths[tx_hash]))]
        self.assertEqual(wrong[:3], [], f"{len(wrong)} of {len(stored)} ended otherwise")
        ends = collections.Counter((row[0], row[1] or row[2]) for row in stored.values())
        self.assertEqual({*ends}, ENDS, "every end occurs, and no other")
        for tx_hash in self.hashes_of(*OBJECTIONS):
            self.assertIn(OBJECTIONS[self.ways[tx_hash]], stored[tx_hash][3], "the hosts' objection is in the evidence")
        self.check_transitions(truths, included)
        self.check_findings({tx_hash: row[0] for tx_hash, row in stored.items()})
        print("\n" + ", ".join(f"{count} {'/'.join(end)}" for end, count in sorted(ends.items())))

    def check_transitions(self, truths, included):
        parents = dict(self.query("SELECT block_height, prev_height FROM blocks"))
        for tx_hash, to_stage, conclusive, safe in self.query(
                "SELECT tx_hash, to_stage, conclusive, safe_to_resign_after_height FROM watch_transitions"):
            truth, way = truths[tx_hash], self.ways[tx_hash]
            executed = tx_hash in included and not truth["error"]
            if executed and to_stage in ENDS_WITHOUT_A_TREE:
                self.assertEqual((to_stage, conclusive), (CORRECTED.get(way), "f"), f"a false end of {tx_hash}: {truth}")
            if executed and (to_stage, way) != ("final", "fails"):  # without an effect
                self.assertNotEqual(safe, "0", f"{tx_hash} was executed all the same: {truth}")
            if executed and safe not in (None, "0"):
                self.assertLess(int(parents[str(truth["heights"]["included"])]), int(safe), f"{tx_hash} was included later: {truth}")
            if to_stage in ("dropped", "expired", "rejected"):
                self.assertEqual((conclusive, safe), ("t", "0"))
            if to_stage == "unknown":
                self.assertEqual((conclusive, safe), ("f", None))

    def check_findings(self, stages):
        told = sorted((tx_hash, kind) for tx_hash, kind, conclusive in self.query(
            "SELECT tx_hash, kind, conclusive FROM findings WHERE kind IN ('dropped', 'expired', 'rejected') AND conclusive "
            "OR kind IN ('forwarding_failed', 'unknown') AND NOT conclusive OR kind = 'corrected'"))
        ends = [(tx_hash, stage) for tx_hash, stage in stages.items() if stage in ENDS_WITHOUT_A_TREE]
        for tx_hash in self.hashes_of(*CORRECTED):
            ends += [(tx_hash, CORRECTED[self.ways[tx_hash]]), (tx_hash, "corrected")]
        ends += [(tx_hash, "forwarding_failed") for tx_hash in self.hashes_of("sent_again")]  # by whoever was told
        self.assertEqual(told, sorted(ends), "each end is told once, and each that was not the last is corrected")

    def test_no_end_is_false_or_missing_or_lets_sign_anew_too_early(self):
        self.play(1)


def a_seed(seed):
    return lambda self: self.play(seed)


for each in range(2, SEEDS + 1):
    setattr(Ends, f"test_seed_{each}", a_seed(each))

if __name__ == "__main__":
    support.main()
