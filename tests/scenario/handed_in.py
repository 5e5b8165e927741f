"""Transactions handed in through receiptd, each of an account of its own: included, or lost in one of the ways there are."""

import http.client
import subprocess
import urllib.error

from signer import Key, Signed, b58encode
from support import BUILD, wait_until

TOKEN = 10**24
BALANCE, AMOUNT = 5 * TOKEN, 3 * TOKEN
# fate: (stage, verdict, reason) as receiptd stores it; (stage, reason) as the chain has it. Nobody but the host that
# lost it knows that a transaction was not forwarded: to everybody else it grows too old; and so does one that its
# signer cannot pay for, as money may come.
FATES = {
    "included": (("final", "succeeded", None), ("final", None)),
    "late": (("final", "succeeded", None), ("final", None)),
    "superseded": (("dropped", None, "superseded"), ("dropped", "superseded")),
    "balance": (("expired", None, "expired"), ("dropped", "balance")),
    "expired": (("expired", None, "expired"), ("expired", None)),
    "forwarding": (("expired", None, "expired"), ("forwarding_failed", None)),
}
LATE_BLOCKS = 60
HELD_BACK = 1000  # blocks: until its rival, which overtakes it, is in a block


def known(chain, tx_hash):
    """The chain's word on it, once the chain has it."""
    try:
        return chain.ask(f"/transactions/{tx_hash}")
    except urllib.error.HTTPError:
        return None


def send(chain, transaction):
    chain.rpc("broadcast_tx_async", [transaction.base64])
    wait_until("the chain has it", lambda: known(chain, transaction.hash))


def final_hash(chain):
    return chain.rpc("block", {"finality": "final"})["header"]["hash"]


def key_of(chain, account):
    """The key of a ready-made account."""
    return next(Key(each["secret_key"]) for each in chain.ask("/keys") if each["account"] == account)


def nonce_of(chain, account, key):
    return chain.rpc("query", {"request_type": "view_access_key", "finality": "final", "account_id": account,
                               "public_key": "ed25519:" + b58encode(key.public)}).get("nonce")


def fail_in_a_block(chain, account="alice.sandbox"):
    """A transaction whose nonce is used when it is included; returns its hash once it is."""
    key = key_of(chain, account)
    nonce, block_hash = nonce_of(chain, account, key) + 1, final_hash(chain)
    late, rival = (Signed(key, account, "bob.sandbox", nonce, block_hash, amount) for amount in (TOKEN, 2 * TOKEN))
    hold_back(chain, late)
    chain.ask(f"/transactions/{late.hash}/include", {})
    send(chain, late)
    overtake(chain, late, rival)
    wait_until("it is in a block", lambda: is_included(chain, late))
    return late.hash


def is_included(chain, transaction):
    return known(chain, transaction.hash)["heights"]["included"]


def hold_back(chain, transaction):
    chain.ask(f"/transactions/{transaction.hash}/delay", {"blocks": HELD_BACK})


def overtake(chain, held_back, rival):
    send(chain, rival)
    wait_until("the rival is in a block", lambda: is_included(chain, rival))
    chain.ask(f"/transactions/{held_back.hash}/delay", {"blocks": 1})


class Patient:
    """A chain that is asked again, through whatever faults its hosts have."""

    def __init__(self, chain):
        self.ask, self._chain = chain.ask, chain

    def rpc(self, method, params):
        def answer():
            try:
                return self._chain.rpc(method, params)
            except (OSError, http.client.HTTPException, KeyError, ValueError):
                return None
        return wait_until(f"{method} is answered", answer)


class HandedIn:
    def __init__(self, scenario, alice, accounts):
        self.scenario, self.chain, self.fates = scenario, Patient(scenario.chain), {}
        self.keys = {}
        for number in range(accounts):
            key = Key.of_seed(number.to_bytes(32, "little"))
            self.keys[key.public.hex()] = key
        nonce, block_hash = nonce_of(self.chain, "alice.sandbox", alice), final_hash(self.chain)
        for number, account in enumerate(self.keys, 1):
            send(self.chain, Signed(alice, "alice.sandbox", account, nonce + number, block_hash, BALANCE))
        self.nonces = {account: wait_until("the account is there", lambda a=account, k=key: nonce_of(self.chain, a, k))
                       for account, key in self.keys.items()}
        self.free = list(self.keys)

    def hand_in(self, config, fate):
        """To be called while a daemon runs on `config`: it sends what did not get through."""
        account = self.free.pop()
        wanted = self._signed(account, self.nonces[account] + (2 if fate == "balance" else 1), AMOUNT)
        if fate in ("superseded", "balance"):
            hold_back(self.chain, wanted)
        elif fate == "late":
            self.chain.ask(f"/transactions/{wanted.hash}/delay", {"blocks": LATE_BLOCKS})
        elif fate != "included":
            self.chain.ask(f"/transactions/{wanted.hash}/drop", {"how": fate})
        path = self.scenario.folder / f"{wanted.hash}.transaction"
        path.write_text(wanted.base64)
        command = [BUILD / "receiptd", "--config", config, "submit", path]
        wait_until("it is taken", lambda: subprocess.run(command, capture_output=True).returncode == 0)
        wait_until("the chain has it", lambda: known(self.chain, wanted.hash))
        if fate in ("superseded", "balance"):
            rival = self._signed(account, self.nonces[account] + 1, BALANCE - TOKEN // 10)
            overtake(self.chain, wanted, rival)
        self.fates[wanted.hash] = (config, fate)

    def of(self, config):
        return {tx_hash: fate for tx_hash, (each, fate) in self.fates.items() if each == config}

    def _signed(self, account, nonce, amount):
        return Signed(self.keys[account], account, "bob.sandbox", nonce, final_hash(self.chain), amount)
