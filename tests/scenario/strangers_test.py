#!/usr/bin/env python3
"""What a stranger's one transaction has in it stops no daemon, and hides no failure of others in its block."""

import hashlib
import json

import support
from handed_in import final_hash, key_of, nonce_of
from receiver import Receiver, endpoint, secret_file
from signer import Key, Signed, call, deploy_global_contract, text

GAS = 10**13
A_WASM = b"\0asm\1\0\0\0"
FAR = 1 << 40  # a height
DELEGATE = (2**30 + 366).to_bytes(4, "little")  # NEP-461: what is signed is a delegate action
RULES = '[[rule]]\nname = "bobs"\nkind = "finding"\nreceiver = "bob.sandbox"\n[[watch]]\nname = "all"\nreceiver = "*"\n'


def key_for_methods(key, methods):
    """The action that adds a key, which may call these of bob's."""
    names = b"".join(len(name).to_bytes(4, "little") + name for name in methods)
    return (b"\x05\0" + key.public + bytes(8) + b"\0" + b"\0" + text("bob.sandbox")
            + len(methods).to_bytes(4, "little") + names)


def delegated(key, signer, receiver, nonce, action):
    body = (text(signer) + text(receiver) + (1).to_bytes(4, "little") + action + nonce.to_bytes(8, "little")
            + FAR.to_bytes(8, "little") + b"\0" + key.public)
    return b"\x08" + body + b"\0" + key.sign(hashlib.sha256(DELEGATE + body).digest())


class NamesWithNul(support.Scenario):
    """A key for a method named `a\\0b`, which a real node takes (nearcore-86, shapes `nul_*`), beside a call of bob's that
    fails; two customers' calls of his fail in the same block."""

    def of_the_stranger(self):
        key = key_of(self.chain, "alice.sandbox")
        nonce = nonce_of(self.chain, "alice.sandbox", key) + 1
        actions = [key_for_methods(Key.of_seed(bytes(32)), [b"a\0b"]), deploy_global_contract(A_WASM, False),
                   delegated(key, "alice.sandbox", "bob.sandbox", nonce + 1, call("nothing", b"{}", GAS))]
        return Signed(key, "alice.sandbox", "alice.sandbox", nonce, final_hash(self.chain), 0, action=actions)

    def of_customers(self):
        key = key_of(self.chain, "carol.sandbox")
        nonce = nonce_of(self.chain, "carol.sandbox", key)
        return [Signed(key, "carol.sandbox", "bob.sandbox", nonce + n, final_hash(self.chain), 0,
                       action=[call(f"by-a-customer-{n}", b"{}", GAS)]) for n in (1, 2)]

    def is_alerted(self, transaction):
        return any(transaction.hash in body for _, _, body in list(self.receiver.requests))

    def test_by_whole_blocks(self):
        self.nobody_is_stopped_or_hidden("neardata")

    def test_by_rpc(self):
        self.nobody_is_stopped_or_hidden("rpc")

    def nobody_is_stopped_or_hidden(self, source):
        self.receiver = Receiver()
        self.addCleanup(self.receiver.stop)
        self.chain = self.sandbox("--block-time-ms", 0, "--genesis-time", "now", command="run")
        genesis = self.chain.ask("/status")["genesis_height"]
        config = self.config(self.chain, source=source, start=genesis + 1, network="sandbox", patience="60s", extra=RULES
                             + endpoint("ops", self.receiver.url, secret_file(self.folder), rules=("bobs",)))
        daemon = self.start("run", "--config", config)
        stranger, customers = self.of_the_stranger(), self.of_customers()
        for transaction in (stranger, *customers):
            self.chain.rpc("broadcast_tx_async", [transaction.base64])
        self.chain.ask("/advance", {"blocks": 20})
        for transaction in (*customers, stranger):
            support.wait_until("its alert arrives", lambda: daemon.poll() is not None or self.is_alerted(transaction))
            self.assertIsNone(daemon.poll(), daemon.log()[-3000:])
        support.wait_until("all watches have ended", lambda: daemon.poll() is not None or self.value(
            "SELECT count(*) FROM open_watches") == "0" or self.chain.ask("/advance", {}) is None)
        self.assertIsNone(daemon.poll(), daemon.log()[-3000:])
        self.assertNotIn("unsupported Unicode escape", daemon.log())

        hashes = ", ".join(f"'{each.hash}'" for each in (stranger, *customers))
        self.assertEqual(self.value(f"SELECT count(DISTINCT block_height) FROM transactions WHERE tx_hash IN ({hashes})"), "1",
                         "all were in one block")
        self.assertEqual(self.value(f"SELECT actions #>> '{{0,AddKey,access_key,permission,FunctionCall,method_names,0}}' "
                                    f"FROM transactions WHERE tx_hash = '{stranger.hash}'"), "a\u2400b")
        self.assertGreaterEqual(int(self.value("SELECT sum(calls) FROM contract_health WHERE contract_id = 'bob.sandbox'")), 3)
        self.assertEqual(self.page(daemon, f"/tx/{stranger.hash}")[0], 200)
        shown, _ = self.receiptd("tx", stranger.hash, "--json", "--config", config, expect=None)
        self.assertEqual(json.loads(shown)["tx_hash"], stranger.hash)


if __name__ == "__main__":
    support.main()
