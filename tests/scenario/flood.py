"""A client of the HTTP API that means harm: COUNT connections at once, each of a kind, opened again when it is closed.

`flood.py HOST:PORT COUNT TOKEN` says when it has opened as many, goes on until its input ends, then tells as JSON what
became of its connections.
"""

import collections
import json
import os
import random
import resource
import select
import socket
import sys
import time

OPENED_AT_ONCE = 1_000  # per round
SOURCES = 8           # addresses it comes from
PIECE = b"x" * 16_384
SLOW = 0.5            # seconds between the bytes of one that is slow


def head(line, *fields):
    return "\r\n".join((line + " HTTP/1.1", "Host: localhost", *fields, "", "")).encode()


CHUNKED = "Transfer-Encoding: chunked"


class Kind:
    """A connection's first words, the words that it goes on with, and whether it reads."""

    def __init__(self, first, more=b"", slow=False, reads=True):
        self.first, self.more, self.slow, self.reads = first, more, slow, reads


def kinds(token):
    authorized = ("Authorization: Bearer " + token, "Content-Type: application/json")
    deep = b"[" * 2_000_000
    post = head("POST /v1/watches", *authorized, f"Content-Length: {len(deep)}")
    return {
        "idle": Kind(b""),
        "slow_writer": Kind(b"GET /v1/status HTTP/1.1\r\nHost: loc", b"a", slow=True),
        "slow_body": Kind(head("POST /v1/watches", *authorized, "Content-Length: 4000000"), b" ", slow=True),
        "large_body": Kind(head("POST /v1/watches", *authorized, "Content-Length: 4000000") + b" " * 3_900_000),
        "slow_reader": Kind(head("GET /openapi.json") * 40, reads=False),
        "slow_metrics": Kind(head("GET /metrics") * 40, reads=False),
        "chunk_line": Kind(head("POST /v1/watches", CHUNKED, *authorized) + b"1;", PIECE),
        "trailer": Kind(head("POST /v1/watches", CHUNKED, *authorized) + b"0\r\nX: ", PIECE),
        "no_host": Kind(b"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: ", PIECE),
        "bad_escape": Kind(head("POST /%zz", CHUNKED) + b"1;", PIECE),
        "endless_head": Kind(b"GET /" + PIECE, PIECE),
        "many_fields": Kind(b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"a:\r\n" * 3_900 + b"\r\n"),
        "deep_json": Kind(post + deep),
        "lists": Kind(head("GET /v1/findings?limit=1000&kind=failed_receipt") * 4),
    }


class Flood:
    def __init__(self, address, count, token):
        host, port = address.rsplit(":", 1)
        self.address, self.count = (host, int(port)), count
        self.kinds = list(kinds(token).items())
        self.poll = select.epoll()
        self.open = {}  # descriptor → [socket, kind, bytes to send, when it may say more]
        self.slow = collections.deque()
        self.seen = collections.Counter()
        self.next = 0

    def connect(self):
        name, kind = self.kinds[self.next % len(self.kinds)]
        self.next += 1
        client = socket.socket()
        client.setblocking(False)
        client.setsockopt(socket.IPPROTO_IP, 24, 1)  # IP_BIND_ADDRESS_NO_PORT
        if not kind.reads:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        client.bind((f"127.0.1.{random.randint(1, SOURCES)}", 0))
        client.connect_ex(self.address)
        self.open[client.fileno()] = [client, kind, kind.first]
        self.poll.register(client.fileno(), select.EPOLLOUT | (select.EPOLLIN if kind.reads else 0))
        self.seen["opened"] += 1
        self.seen["opened " + name] += 1
        self.seen["most open"] = max(self.seen["most open"], len(self.open))

    def close(self, number):
        client = self.open.pop(number)[0]
        self.poll.unregister(number)
        client.close()
        self.seen["closed"] += 1

    def say(self, number):
        client, kind, rest = self.open[number]
        if not rest and kind.more and not kind.slow:
            rest = kind.more
        if rest:
            self.open[number][2] = rest[client.send(rest[:262_144]):]
        if self.open[number][2] or (kind.more and not kind.slow):
            return
        self.poll.modify(number, select.EPOLLIN if kind.reads else 0)
        if kind.slow:
            self.slow.append((time.monotonic() + SLOW, number, client))

    def say_slowly(self):
        while self.slow and self.slow[0][0] < time.monotonic():
            _, number, client = self.slow.popleft()
            if self.open.get(number, [None])[0] is not client:
                continue
            try:
                client.send(self.open[number][1].more)
                self.slow.append((time.monotonic() + SLOW, number, client))
            except OSError:
                self.close(number)

    def turn(self):
        for _ in range(min(OPENED_AT_ONCE, self.count - len(self.open))):
            self.connect()
        for number, what in self.poll.poll(0.05, 512):
            if number not in self.open:
                continue
            try:
                if what & (select.EPOLLERR | select.EPOLLHUP):
                    self.close(number)
                elif what & select.EPOLLIN and not self.open[number][0].recv(65_536):
                    self.close(number)
                elif what & select.EPOLLOUT:
                    self.say(number)
            except BlockingIOError:
                pass
            except OSError:
                self.close(number)
        self.say_slowly()

    def run(self):
        os.set_blocking(0, False)
        told = False
        while True:
            if not told and self.seen["opened"] >= self.count:
                told = True
                print("opened", flush=True)
            try:
                if os.read(0, 1) == b"":
                    break
            except BlockingIOError:
                pass
            self.turn()
        print(json.dumps(self.seen))


def main():
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    os.nice(19)
    Flood(sys.argv[1], int(sys.argv[2]), sys.argv[3]).run()


if __name__ == "__main__":
    main()
