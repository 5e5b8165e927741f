"""Accounts that sign transactions of the scenarios: implicit ones with a key, a gas key too if it is wanted, and wallets of
Ethereum addresses, for which they relay."""

import support
from ethereum import Owner
from handed_in import BALANCE, TOKEN, final_hash, key_of, nonce_of
from signer import Key, Signed, add_gas_key, b58encode, fund_gas_key

PLACES = 2  # nonces of a gas key
GAS_BALANCE = TOKEN // 2


def gas_nonces_of(chain, account, key):
    """Nothing as long as the key is not there."""
    answer = chain.rpc("query", {"request_type": "view_gas_key_nonces", "finality": "final", "account_id": account,
                                 "public_key": "ed25519:" + b58encode(key.public)})
    return answer.get("nonces")


class Accounts:
    """By number. `gas`, `wallets`: the numbers of those that have a gas key, or a wallet to relay for."""

    def __init__(self, chain, count, seed, gas=(), wallets=()):
        self.keys = [Key.of_seed(bytes([seed % 256]) + number.to_bytes(31, "little")) for number in range(count)]
        self.wallets = {number: Owner(bytes([seed % 256]) + number.to_bytes(31, "big")) for number in wallets}
        self._fund(chain, [key.public.hex() for key in self.keys] + [each.account_id for each in self.wallets.values()])
        self.nonces = [support.wait_until("the account is there", lambda k=key: nonce_of(chain, k.public.hex(), k))
                       for key in self.keys]
        self.gas_keys = {number: Key.of_seed(b"gas" + bytes([seed % 256]) + number.to_bytes(28, "little")) for number in gas}
        block_hash = final_hash(chain)
        for number, gas_key in self.gas_keys.items():
            self.nonces[number] += 1
            added = Signed(self.keys[number], self.name(number), self.name(number), self.nonces[number], block_hash, 0,
                           action=[add_gas_key(gas_key, PLACES), fund_gas_key(gas_key, GAS_BALANCE)])
            chain.rpc("broadcast_tx_async", [added.base64])
        self.gas_nonces = {number: support.wait_until(
            "the gas key is there", lambda n=number, k=key: gas_nonces_of(chain, self.name(n), k))[number % PLACES]
            for number, key in self.gas_keys.items()}

    def name(self, number):
        return self.keys[number].public.hex()

    @staticmethod
    def _fund(chain, accounts):
        alice = key_of(chain, "alice.sandbox")
        nonce, block_hash = nonce_of(chain, "alice.sandbox", alice), final_hash(chain)
        for number, account in enumerate(accounts, 1):
            transfer = Signed(alice, "alice.sandbox", account, nonce + number, block_hash, BALANCE)
            chain.rpc("broadcast_tx_async", [transfer.base64])
