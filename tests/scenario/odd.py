"""Texts and numbers that some program on their way may not take: in transactions, by clients, by a host."""

import base64
import hashlib
import json

from signer import Key, Signed, call, deploy_global_contract, text

GAS = 10**13
A_WASM = b"\0asm\1\0\0\0"
FAR = 1 << 40  # a height
DELEGATE = (2**30 + 366).to_bytes(4, "little")  # NEP-461: what is signed is a delegate action

U64, U128 = 2**64 - 1, 2**128 - 1
LONG = 16 << 10
# As a contract gives them. The last fills the log of a receipt.
TEXTS = ["a\0b", "\u0001\u001f\u007f\u0080\u2028\uffff", "\U0001f422" * 9, "'\"\\{}[]$1;--", " ", "x" * LONG]
# As JSON has them: half surrogate pairs, and numbers at the limits of types and beyond.
JSON_TEXTS = [r'"\u0000"', r'"\ud800"', r'"\udc00\ud800"', r'"\ud83d\udc22"', str(2**63), str(U64 + 1), str(U128 + 1),
              "1e999", "1e-999", "-0", "-0.0e-0", "9" * 400, "0." + "3" * 400, "[" * 500 + "]" * 500]
ODD_JSON = "{" + ",".join(f'"k{n}":{value}' for n, value in enumerate(JSON_TEXTS)) + r',"\u0000":0,"\udfff":0}'
NUMBERS = ["0", "-1", "1.5", str(2**31), str(2**63 - 1), str(2**63), str(U64), str(U64 + 1), str(U128 + 1), "1e999", "9" * 400]


def event(name, data):
    return f'EVENT_JSON:{{"standard":{name},"version":{name},"event":{name},"data":{data}}}'


EVENTS = [event('"odd"', ODD_JSON), event(r'"\u0000\ud800"', "{}"), event(json.dumps("\U0001f422" * 400), "[1e999]")]
# Moves of tokens with odd members beside: tokens moved all the same.
MOVE = ('EVENT_JSON:{"standard":"nep141","version":"1.0.0","event":"ft_transfer","data":[{"old_owner_id":"alice.sandbox",'
        r'"new_owner_id":"carol.sandbox","amount":"7","memo":"\u0000\ud800"}]}')


def key_for_methods(key, methods):
    """The action that adds a key, which may call these of bob's."""
    names = b"".join(len(name).to_bytes(4, "little") + name for name in methods)
    return (b"\x05\0" + key.public + bytes(8) + b"\0" + b"\0" + text("bob.sandbox")
            + len(methods).to_bytes(4, "little") + names)


def delegated(key, signer, receiver, nonce, action, until=FAR):
    body = (text(signer) + text(receiver) + (1).to_bytes(4, "little") + action + nonce.to_bytes(8, "little")
            + until.to_bytes(8, "little") + b"\0" + key.public)
    return b"\x08" + body + b"\0" + key.sign(hashlib.sha256(DELEGATE + body).digest())


class Sender:
    """Signs one after the other with the key of an account."""

    def __init__(self, key, account, nonce, block_hash):
        self.key, self.account, self.nonce, self.block_hash = key, account, nonce, block_hash

    def sign(self, receiver, *actions):
        self.nonce += 1
        return Signed(self.key, self.account, receiver, self.nonce, self.block_hash, 0, action=list(actions))

    def run(self, *steps):
        program = json.dumps(list(steps)).encode()
        return self.sign("script.sandbox", call("run", program, 20 * GAS))


def calls_of_bob(value):
    """Names of methods have at most 256 bytes."""
    method = value if len(value.encode()) <= 256 else value[:256]
    return {"call": {"account": "bob.sandbox", "method": method, "gas": 5,
                     "args_base64": base64.b64encode(ODD_JSON.encode()).decode()}}


def by_a_contract(sender):
    """Every text that a contract can give, in logs, events, names of methods, arguments, values and panics."""
    yield from (sender.run({"log": log}, {"return_text": log[:1000]}, calls_of_bob(log)) for log in TEXTS)
    yield from (sender.run({"log": log}) for log in [*EVENTS, MOVE])
    yield from (sender.run({"log": panic[:100]}, {"panic": panic}) for panic in TEXTS)


def by_a_signer(sender):
    """Names and numbers that a signer can put into actions."""
    yield sender.sign(sender.account, *(key_for_methods(Key.of_seed(bytes([n]) * 32), [name.encode()[:256]])
                                        for n, name in enumerate(TEXTS[:-2])),
                      deploy_global_contract(A_WASM, False))
    yield sender.sign("bob.sandbox", call(TEXTS[0], ODD_JSON.encode(), GAS))
    for nonce, until in ((U64, U64), (0, 0), (2**63, FAR)):
        yield sender.sign(sender.account, delegated(sender.key, sender.account, "bob.sandbox", nonce,
                                                    call(TEXTS[0], b"{}", GAS), until))


def by_a_host():
    """Members of blocks that are in no hash, as JSON texts."""
    texts = ("author", "signature", "validator_signature", "rent_paid", "version", "build", "latest_protocol_version")
    numbers = ("gas_used", "gas_limit", "encoded_length", "balance_burnt", "gas_price", "total_supply", "height_created")
    return [{"values": {name: value for name in (*texts, *numbers)}}
            for value in (r'"\u0000"', r'"\ud800"', json.dumps("\U0001f422"), json.dumps("x" * LONG), *NUMBERS)]
