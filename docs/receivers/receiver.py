"""Takes webhooks of receiptd with nothing but Python's standard library: RECEIPTD_SECRET=whsec_… python3 receiver.py"""

import base64
import hashlib
import hmac
import http.server
import os
import re
import sys
import time

LONGEST_BODY = 256 * 1024
TOLERANCE = 300  # seconds
KEY = base64.b64decode(os.environ["RECEIPTD_SECRET"].removeprefix("whsec_"), validate=True)
if len(KEY) < 24:
    sys.exit("RECEIPTD_SECRET is not whsec_ and base64 of 24 bytes or more")


class Inbox:
    """A line for each message: its body, a tab, its id. A line that was cut by a crash has no known id."""

    def __init__(self, path):
        self.file = open(path, "a+b")
        self.file.seek(0)
        before = self.file.read()
        if before and not before.endswith(b"\n"):
            self.file.write(b"\n")
        self.known = {line.rpartition(b"\t")[2] for line in before.split(b"\n")}

    def put(self, message_id, body):
        if message_id in self.known:  # receiptd repeats what it does not know to have arrived
            return
        self.file.write(body + b"\t" + message_id + b"\n")
        self.file.flush()
        os.fsync(self.file.fileno())
        self.known.add(message_id)


def fault(headers, body, now):
    """Why a request is not from receiptd; None: it is."""
    message_id, timestamp, signatures = (headers.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    if not message_id or not re.fullmatch("[0-9]{1,12}", timestamp):
        return "a header is missing"
    if abs(now - int(timestamp)) > TOLERANCE:
        return "it is too old, or a clock is wrong"
    signed = f"{message_id}.{timestamp}.".encode("latin-1") + body
    expected = b"v1," + base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest())
    # While the secret is changed there are two signatures, one by each. The comparison takes the same time for all.
    matches = [hmac.compare_digest(expected, one.encode("latin-1")) for one in signatures.split(" ")]
    return None if any(matches) else "no signature matches"


class Handler(http.server.BaseHTTPRequestHandler):
    timeout = 10

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not re.fullmatch("[0-9]{1,9}", length) or int(length) > LONGEST_BODY:
            return self.answer(413)
        body = self.rfile.read(int(length))  # the bytes as they came: JSON that is written again has another signature
        why = fault(self.headers, body, time.time())
        if why:
            print(f"refused: {why}", file=sys.stderr, flush=True)
            return self.answer(401)
        # On the disk before it is answered: then receiptd may forget it.
        inbox.put(self.headers["webhook-id"].encode("latin-1"), body)
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    inbox = Inbox(os.environ.get("INBOX", "inbox.tsv"))
    # One request at a time: the inbox needs no lock.
    server = http.server.HTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8080"))), Handler)
    print(f"listening on {server.server_port}", flush=True)
    server.serve_forever()
