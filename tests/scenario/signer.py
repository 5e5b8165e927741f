"""Signed NEAR transactions in plain Python: Ed25519 (RFC 8032) and as much Borsh as a transfer, a call or a global contract needs,
or a gas key, or the end of a key or an account."""

import base64
import hashlib

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def b58decode(text):
    number = 0
    for character in text:
        number = number * 58 + ALPHABET.index(character)
    zeros = len(text) - len(text.lstrip("1"))
    return bytes(zeros) + number.to_bytes((number.bit_length() + 7) // 8, "big")


def b58encode(data):
    number, text = int.from_bytes(data, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        text = ALPHABET[digit] + text
    return "1" * (len(data) - len(data.lstrip(b"\0"))) + text


def _add(p, q):
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def _base():
    y = 4 * pow(5, P - 2, P) % P
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if x & 1:
        x = P - x
    return x, y, 1, x * y % P


def _doublings(point, count):
    doublings = [point]
    while len(doublings) < count:
        doublings.append(_add(doublings[-1], doublings[-1]))
    return doublings


DOUBLINGS = _doublings(_base(), 256)


def _times_base(scalar):
    result = (0, 1, 1, 0)
    for bit, doubling in enumerate(DOUBLINGS):
        if scalar >> bit & 1:
            result = _add(result, doubling)
    return result


def _pack(point):
    inverse = pow(point[2], P - 2, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


class Key:
    def __init__(self, secret_key):
        """"ed25519:" and base58 of seed and public key."""
        raw = b58decode(secret_key.removeprefix("ed25519:"))
        self.seed, self.public = raw[:32], raw[32:]
        digest = hashlib.sha512(self.seed).digest()
        self.scalar = int.from_bytes(digest[:32], "little") & (2**254 - 8) | 2**254
        self.prefix = digest[32:]

    @classmethod
    def of_seed(cls, seed):
        digest = hashlib.sha512(seed).digest()
        scalar = int.from_bytes(digest[:32], "little") & (2**254 - 8) | 2**254
        return cls("ed25519:" + b58encode(seed + _pack(_times_base(scalar))))

    def sign(self, message):
        r = int.from_bytes(hashlib.sha512(self.prefix + message).digest(), "little") % ORDER
        commitment = _pack(_times_base(r))
        k = int.from_bytes(hashlib.sha512(commitment + self.public + message).digest(), "little") % ORDER
        return commitment + ((r + k * self.scalar) % ORDER).to_bytes(32, "little")


def text(value):
    encoded = value.encode()
    return len(encoded).to_bytes(4, "little") + encoded


def amount_bytes(amount):
    return amount.to_bytes(16, "little")


def transfer(amount):
    return b"\x03" + amount_bytes(amount)


def delete_key(key):
    return b"\x06\0" + key.public


def delete_account(beneficiary):
    return b"\x07" + text(beneficiary)


def call(method, arguments, gas=300 * 10**12):
    return (b"\x02" + text(method) + len(arguments).to_bytes(4, "little") + arguments + gas.to_bytes(8, "little")
            + amount_bytes(0))


def add_gas_key(key, nonces):
    """The action that adds a gas key of full access, with so many nonces and no tokens yet."""
    return b"\x05\0" + key.public + bytes(8) + b"\x03" + amount_bytes(0) + nonces.to_bytes(2, "little")


def fund_gas_key(key, amount):
    return b"\x0c\0" + key.public + amount_bytes(amount)


def withdraw_from_gas_key(key, amount):
    return b"\x0d\0" + key.public + amount_bytes(amount)


def deploy_global_contract(code, by_account):
    """For everybody to use by its hash, or by the name of its account, whatever that deploys later."""
    return b"\x09" + len(code).to_bytes(4, "little") + code + bytes([by_account])


class Signed:
    """A transfer of `amount`, or another `action`, or a list of them; by a gas key with the `place` of its nonce."""

    def __init__(self, key, signer, receiver, nonce, block_hash, amount, damage=False, action=None, place=None):
        actions = action if isinstance(action, list) else [action or transfer(amount)]
        number = nonce.to_bytes(8, "little")
        if place is not None:
            number = b"\x01" + number + place.to_bytes(2, "little")
        body = (text(signer) + b"\0" + key.public + number + text(receiver) + b58decode(block_hash)
                + len(actions).to_bytes(4, "little") + b"".join(actions))
        if place is not None:  # the second version of transactions
            body = b"\x01" + body + b"\0"
        digest = hashlib.sha256(body).digest()
        self.hash = b58encode(digest)
        self.bytes = body + b"\0" + key.sign(hashlib.sha256(b"other").digest() if damage else digest)
        self.base64 = base64.b64encode(self.bytes).decode()
