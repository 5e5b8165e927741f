"""A host that lies in a new way every few seconds."""

import collections
import random
import threading

# The lies that a host can tell, as POST /lies takes them; docs/sandbox.md tells what each means. `behind`: so far
# below the final head its fork begins.
ABOUT_HEADS = [
    {"lie": "false_head", "ahead": 30},
    {"lie": "false_head", "ahead": 200_000},
    {"lie": "false_head", "height": 2**63 - 2},
    {"lie": "fork"},
    {"lie": "fork", "blocks": 5},
    {"lie": "fork", "blocks": 500, "behind": 3},
    {"lie": "fork", "wrong_parent": True},
]
# A false head, and invented blocks on the way to it.
AT_ONCE = [
    [{"lie": "false_head", "ahead": 30}, {"lie": "fork", "blocks": 500}],
    [{"lie": "false_head", "ahead": 200_000}, {"lie": "fork", "blocks": 500, "behind": 3}],
]
ABOUT_ANSWERS = [
    {"lie": "forbidden", "status": 403},
    {"lie": "forbidden", "status": 401},
    {"lie": "deep_json"},
    {"lie": "gzip_bomb", "bytes": 72 << 20},  # above any answer's limit
    {"lie": "doubled_shard"},
    {"lie": "long_names"},
    {"lie": "odd_members", "values": {"prev_hash": '"a\\u0000b"', "gas_burnt": "1e999"}},
    {"lie": "false_header", "days": 30},
    {"lie": "false_header", "member": "prev_state_root"},
]
ABOUT_OUTCOMES = [
    {"lie": "false_outcome"},
    {"lie": "false_outcome", "status": "success"},
    {"lie": "false_outcome", "log": "it did not"},
]
OF_WHOLE_BLOCKS = [
    {"lie": "outcome_left_out"},
    {"lie": "outcome_left_out", "of": "transaction"},
    {"lie": "outcome_invented"},
    {"lie": "missing_outcome", "every": 3},
    {"lie": "null_outcome", "every": 2},
    {"lie": "outcome_again", "every": 2},
    {"lie": "null_block", "every": 3},
    {"lie": "false_tx_hash"},
    {"lie": "dialect", "version": "2.9"},
    {"lie": "dialect", "version": "2.10"},
]
# No service of whole blocks is asked for these.
BY_RPC = [
    {"lie": "untracked_shards"},
    {"lie": "large_tree"},
    {"lie": "unfinished_tree"},
    {"lie": "earliest_height", "height": 2**62},
]
ABOUT_TRANSACTIONS = [
    {"lie": "nonce"},
    {"lie": "missing_key"},
    {"lie": "missing_account"},
    {"lie": "validity_period", "blocks": 10},
    {"lie": "validity_period", "blocks": 1500},
    {"lie": "balance"},
    {"lie": "gas_price"},
    {"lie": "invalid_transaction"},
    {"lie": "unknown_transaction"},
]
ABOUT_THE_NETWORK = [
    {"lie": "network", "blocks": True},
    {"lie": "network", "chain_id": "othernet", "blocks": True},
]
EVERY = [lie["lie"] for lies in (ABOUT_HEADS, ABOUT_ANSWERS, ABOUT_OUTCOMES, OF_WHOLE_BLOCKS, BY_RPC, ABOUT_TRANSACTIONS, ABOUT_THE_NETWORK)
         for lie in lies]
SHORTEST, LONGEST = 1.5, 4.0  # seconds of one lie


class Liar:
    """One of a chain's hosts, asked by JSON-RPC or for whole blocks. Which lie follows which, and when, is told by `seed`."""

    def __init__(self, chain, host, seed, by_rpc, about_outcomes=True):
        self.chain, self.host, self.chance, self.by_rpc = chain, host, random.Random(seed), by_rpc
        self.about_outcomes = about_outcomes
        self.told = collections.Counter()  # answers, by the lie as it is written
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._go_on, daemon=True)
        self._problem = None

    def begin(self):
        self._thread.start()

    def end(self):
        """It tells the truth from now on."""
        self._ended.set()
        self._thread.join()
        self.say([])
        if self._problem:
            raise self._problem

    def say(self, lies):
        before = self.chain.ask("/lies")[self.host]
        self.chain.ask("/lies", {"host": self.host, "lies": [self._placed(dict(lie)) for lie in lies]})
        for lie in before:
            self.told[lie["lie"]] += lie["told"]

    def _placed(self, lie):
        if "behind" in lie:
            lie["from"] = self.chain.ask("/status")["final_height"] - lie.pop("behind")
        return lie

    def _go_on(self):
        try:
            while not self._ended.is_set():
                for lies in self._round():
                    self.say(lies)
                    if self._ended.wait(self.chance.uniform(SHORTEST, LONGEST)):
                        return
        except Exception as problem:  # told by whoever ends it
            self._problem = problem

    def _round(self):
        """Each lie once, in any order. Two about transactions at once: they do not stand in each other's way."""
        about_transactions = list(ABOUT_TRANSACTIONS)
        self.chance.shuffle(about_transactions)
        pairs = [about_transactions[at:at + 2] for at in range(0, len(about_transactions), 2)]
        rounds = [[lie] for lie in ABOUT_HEADS + ABOUT_ANSWERS] + AT_ONCE
        if self.by_rpc:
            rounds += [[lie] for lie in BY_RPC] + pairs
        if self.about_outcomes:
            rounds += [[lie] for lie in ABOUT_OUTCOMES + ([] if self.by_rpc else OF_WHOLE_BLOCKS)]
        self.chance.shuffle(rounds)
        return rounds
