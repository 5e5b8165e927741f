"""A receiver of the webhooks of a scenario's daemons, and the configuration that sends them."""

import base64
import collections
import hashlib
import hmac
import http.server
import json
import random
import socket
import struct
import threading

SECRET = base64.b64encode(bytes([7]) * 32).decode()


def secret_file(folder):
    path = folder / "webhook.secret"
    path.write_text("whsec_" + SECRET)
    path.chmod(0o600)
    return path


# Names the rule that each configuration of a scenario has where an endpoint takes it (support.Scenario.config).
EVERY_FINDING = "every-finding"


def endpoint(name, url, secret, allow_private=True, rules=(EVERY_FINDING,)):
    """Its section, with the secret of a file."""
    return (f'[[endpoint]]\nname = "{name}"\nurl = "{url}"\nsecret_file = "{secret}"\nrules = {json.dumps(rules)}\n'
            f'allow_private = {str(allow_private).lower()}\n')


class Receiver:
    """Takes webhooks, and refuses a share of them: of each alert at most the first attempt, or with `always` any.

    A fault is "500"; "reset", before any answer; "hang", no answer; "429", with Retry-After; "slow", an answer whose
    body does not end in time.
    """

    def __init__(self, failing=0.0, seed=1, faults=("500", "reset"), always=False):
        self.lock = threading.Lock()
        self.chance = random.Random(seed)
        self.failing = failing
        self.faults = faults
        self.always = always
        self.says = ""  # the body of its answers
        self.requests = []  # (id, headers, body)
        self.story = []  # (id, "ok" or the fault), beside `requests`
        self.attempts = collections.Counter()
        self.accepted = collections.Counter()
        self.released = threading.Event()  # nobody hangs any more
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                receiver.asked(self.path)
                self.answer(200)

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                verdict = receiver.take(self.headers, body)
                if verdict == "ok":
                    self.answer(200 if receiver.says else 204, receiver.says.encode())
                elif verdict in ("500", "429"):
                    self.answer(int(verdict))
                else:
                    self.fail(verdict)

            def answer(self, status, said=b""):
                self.send_response(status)
                self.send_header("Content-Length", str(len(said)))
                if status == 429:
                    self.send_header("Retry-After", "1")
                self.end_headers()
                self.wfile.write(said)

            def fail(self, how):
                self.close_connection = True
                if how == "reset":
                    self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                elif how == "hang":
                    receiver.released.wait()
                else:
                    self.send_response(200)
                    self.send_header("Content-Length", "10000")
                    self.end_headers()
                    while not receiver.released.wait(0.1):
                        self.wfile.write(b"x")

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 64

            def handle_error(self, *_):
                pass  # a killed daemon's connection, or one that has waited long enough

        self.server = Server(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.url = f"{self.origin}/hook"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def asked(self, path):
        """A GET came."""

    def take(self, headers, body):
        with self.lock:
            alert = headers["webhook-id"]
            self.requests.append((alert, dict(headers.items()), body))
            self.attempts[alert] += 1
            may_fail = self.always or self.attempts[alert] == 1
            verdict = self.chance.choice(self.faults) if may_fail and self.chance.random() < self.failing else "ok"
            self.story.append((alert, verdict))
            self.accepted[alert] += verdict == "ok"
            return verdict

    def count(self):
        with self.lock:
            return len(self.requests)

    def stop(self):
        self.released.set()
        self.server.shutdown()
        self.server.server_close()


def signed(headers, body, secret):
    message = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.{body}".encode()
    made = base64.b64encode(hmac.new(base64.b64decode(secret), message, hashlib.sha256).digest()).decode()
    return "v1," + made in headers["webhook-signature"].split(" ")
