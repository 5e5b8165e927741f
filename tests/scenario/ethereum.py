"""Owners of wallets, which are accounts named like Ethereum addresses: Keccak-256, secp256k1, RLP and as much of Solidity's ABI
as a call through the wallet needs."""

import base64
import hashlib
import json

CHAIN_ID = 399  # of local networks
FIELD = 2**256 - 2**32 - 977
ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
BASE = (0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
        0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8)
WORD = 32
RATE = 136


def _rotate(lane, by):
    by %= 64
    return (lane << by | lane >> 64 - by) & (2**64 - 1) if by else lane


def _permute(lanes):
    """Keccak-f of 25 lanes, lane (x, y) at x + 5y."""
    lfsr = 1
    for _ in range(24):
        parity = [lanes[x] ^ lanes[x + 5] ^ lanes[x + 10] ^ lanes[x + 15] ^ lanes[x + 20] for x in range(5)]
        lanes = [lanes[i] ^ parity[(i + 4) % 5] ^ _rotate(parity[(i + 1) % 5], 1) for i in range(25)]
        x, y, current = 1, 0, lanes[1]
        for step in range(24):
            x, y = y, (2 * x + 3 * y) % 5
            current, lanes[x + 5 * y] = lanes[x + 5 * y], _rotate(current, (step + 1) * (step + 2) // 2)
        rows = [lanes[5 * y:5 * y + 5] for y in range(5)]
        lanes = [row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5]) for row in rows for x in range(5)]
        for bit in range(7):
            lfsr = (lfsr << 1 ^ (lfsr >> 7) * 0x171) % 256
            if lfsr & 2:
                lanes[0] ^= 1 << (1 << bit) - 1
    return lanes


def keccak256(data):
    padded = bytearray(data + b"\x01" + bytes(-(len(data) + 1) % RATE))
    padded[-1] |= 0x80
    lanes = [0] * 25
    for at in range(0, len(padded), RATE):
        for i in range(RATE // 8):
            lanes[i] ^= int.from_bytes(padded[at + 8 * i:at + 8 * i + 8], "little")
        lanes = _permute(lanes)
    return b"".join(lane.to_bytes(8, "little") for lane in lanes[:4])


def _add(p, q):
    """The sum of two points as (x, y); None is the neutral one."""
    if p is None or q is None:
        return p or q
    if p[0] == q[0] and p[1] != q[1]:
        return None
    slope = 3 * p[0] * p[0] * pow(2 * p[1], -1, FIELD) if p == q else (q[1] - p[1]) * pow(q[0] - p[0], -1, FIELD)
    x = (slope * slope - p[0] - q[0]) % FIELD
    return x, (slope * (p[0] - x) - p[1]) % FIELD


def _multiply(scalar, point):
    result = None
    while scalar:
        if scalar & 1:
            result = _add(result, point)
        point = _add(point, point)
        scalar >>= 1
    return result


def number_bytes(value):
    return value.to_bytes((value.bit_length() + 7) // 8, "big")


def _rlp(item):
    """The RLP of bytes, or of a list of items."""
    payload = b"".join(map(_rlp, item)) if isinstance(item, list) else item
    kind = 0xC0 if isinstance(item, list) else 0x80
    if kind == 0x80 and len(payload) == 1 and payload[0] < 0x80:
        return payload
    if len(payload) <= 55:
        return bytes([kind + len(payload)]) + payload
    size = number_bytes(len(payload))
    return bytes([kind + 55 + len(size)]) + size + payload


def _word(value):
    return value.to_bytes(WORD, "big")


def _tail(content):
    return _word(len(content)) + content + bytes(-len(content) % WORD)


def function_call(receiver, method, arguments, gas):
    """Data of an Ethereum transaction by which a wallet calls a contract."""
    tails = [_tail(receiver.encode()), _tail(method.encode()), _tail(arguments)]
    offsets = [5 * WORD + sum(map(len, tails[:i])) for i in range(3)]
    return (keccak256(b"functionCall(string,string,bytes,uint64,uint32)")[:4] + b"".join(map(_word, offsets)) + _word(gas)
            + _word(0) + b"".join(tails))


class Owner:
    def __init__(self, secret):
        self.secret = int.from_bytes(hashlib.sha256(secret).digest(), "big") % (ORDER - 1) + 1
        x, y = _multiply(self.secret, BASE)
        self.account_id = "0x" + keccak256(_word(x) + _word(y))[-20:].hex()

    def _signature(self, digest):
        """(v, r, s), with the smaller of two s."""
        nonce = int.from_bytes(hashlib.sha256(_word(self.secret) + digest).digest(), "big") % (ORDER - 1) + 1
        point = _multiply(nonce, BASE)
        r = point[0] % ORDER
        s = pow(nonce, -1, ORDER) * (int.from_bytes(digest, "big") + r * self.secret) % ORDER
        return (point[1] & 1, r, s) if s <= ORDER // 2 else (point[1] & 1 ^ 1, r, ORDER - s)

    def arguments(self, target, data, nonce=0):
        """The arguments of `rlp_execute`, which a relayer calls; `target`: an account named by letters."""
        to = keccak256(target.encode())[-20:]
        fields = [number_bytes(CHAIN_ID), number_bytes(nonce), b"\x01", b"\x01", number_bytes(500_000), to, b"", data, []]
        signature = self._signature(keccak256(b"\x02" + _rlp(fields)))
        signed = b"\x02" + _rlp(fields + [number_bytes(part) for part in signature])
        return json.dumps({"target": target, "tx_bytes_b64": base64.b64encode(signed).decode()}).encode()
