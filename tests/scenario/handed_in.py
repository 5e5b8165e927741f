"""Transactions handed in through receiptd, each of an account of its own: included, or lost in one of the ways there are."""

import http.client
import subprocess
import urllib.error

from signer import Key, Signed, b58encode
from support import BUILD, wait_until

TOKEN = 10**24
BALANCE, AMOUNT = 5 * TOKEN, 3 * TOKEN
# fate: (stage, verdict, reason) as receiptd stores it; (stage, reason) as the chain has it. Nobody but the host that
# lost it knows that a transaction was not forwarded: to everybody else it grows too old.
FATES = {
    "included": (("final", "succeeded", None), ("final", None)),
    "superseded": (("dropped", None, "superseded"), ("dropped", "superseded")),
    "balance": (("dropped", None, "not_enough_balance"), ("dropped", "balance")),
    "expired": (("expired", None, "expired"), ("expired", None)),
    "forwarding": (("expired", None, "expired"), ("forwarding_failed", None)),
}
DELAY_BLOCKS = 15  # of one that another overtakes


class HandedIn:
    def __init__(self, scenario, alice, accounts):
        self.scenario, self.chain, self.fates = scenario, scenario.chain, {}
        self.keys = {}
        for number in range(accounts):
            key = Key.of_seed(number.to_bytes(32, "little"))
            self.keys[key.public.hex()] = key
        nonce, block_hash = self._nonce("alice.sandbox", alice), self._head()
        for number, account in enumerate(self.keys, 1):
            self._send(Signed(alice, "alice.sandbox", account, nonce + number, block_hash, BALANCE))
        self.nonces = {account: wait_until("the account is there", lambda a=account, k=key: self._nonce(a, k))
                       for account, key in self.keys.items()}
        self.free = list(self.keys)

    def hand_in(self, config, fate):
        """To be called while a daemon runs on `config`: it sends what did not get through."""
        account = self.free.pop()
        wanted = self._signed(account, self.nonces[account] + (2 if fate == "balance" else 1), AMOUNT)
        if fate in ("superseded", "balance"):
            self.chain.ask(f"/transactions/{wanted.hash}/delay", {"blocks": DELAY_BLOCKS})
        elif fate != "included":
            self.chain.ask(f"/transactions/{wanted.hash}/drop", {"how": fate})
        path = self.scenario.folder / f"{wanted.hash}.transaction"
        path.write_text(wanted.base64)
        command = [BUILD / "receiptd", "--config", config, "submit", path]
        wait_until("it is taken", lambda: subprocess.run(command, capture_output=True).returncode == 0)
        self._wait_until_known(wanted)
        if fate in ("superseded", "balance"):
            rival = self._signed(account, self.nonces[account] + 1, BALANCE - TOKEN // 10)
            self._send(rival)
        self.fates[wanted.hash] = (config, fate)

    def of(self, config):
        return {tx_hash: fate for tx_hash, (each, fate) in self.fates.items() if each == config}

    def _signed(self, account, nonce, amount):
        return Signed(self.keys[account], account, "bob.sandbox", nonce, self._head(), amount)

    def _send(self, transaction):
        self._asked("broadcast_tx_async", [transaction.base64])
        self._wait_until_known(transaction)

    def _wait_until_known(self, transaction):
        def is_known():
            try:
                return self.chain.ask(f"/transactions/{transaction.hash}")
            except urllib.error.HTTPError:
                return None
        wait_until("the chain has it", is_known)

    def _head(self):
        return self._asked("block", {"finality": "final"})["header"]["hash"]

    def _nonce(self, account, key):
        return self._asked("query", {"request_type": "view_access_key", "finality": "final", "account_id": account,
                                     "public_key": "ed25519:" + b58encode(key.public)}).get("nonce")

    def _asked(self, method, params):
        """Through whatever faults the hosts have."""
        def answer():
            try:
                return self.chain.rpc(method, params)
            except (OSError, http.client.HTTPException, KeyError, ValueError):
                return None
        return wait_until(f"{method} is answered", answer)
