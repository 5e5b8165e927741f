"""Who takes the webhooks of a scenario's daemons, and the configuration that sends them."""

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
    """Takes webhooks; of the alerts, a share is refused the first time: by 500, or by a reset before any answer."""

    def __init__(self, failing=0.0, seed=1):
        self.lock = threading.Lock()
        self.chance = random.Random(seed)
        self.failing = failing
        self.says = ""  # the body of its answers
        self.requests = []  # (id, headers, body)
        self.attempts = collections.Counter()
        self.accepted = collections.Counter()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                verdict = receiver.take(self.headers, body)
                if verdict == "reset":
                    self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    self.close_connection = True
                    return
                said = receiver.says.encode()
                self.send_response(500 if verdict == "500" else 200 if said else 204)
                self.send_header("Content-Length", str(len(said)))
                self.end_headers()
                self.wfile.write(said)

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass  # a killed daemon's connection

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/hook"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def take(self, headers, body):
        with self.lock:
            alert = headers["webhook-id"]
            self.requests.append((alert, dict(headers.items()), body))
            self.attempts[alert] += 1
            if self.attempts[alert] == 1 and self.chance.random() < self.failing:
                return self.chance.choice(["500", "reset"])
            self.accepted[alert] += 1
            return "ok"

    def count(self):
        with self.lock:
            return len(self.requests)

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


def signed(headers, body, secret):
    message = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.{body}".encode()
    made = base64.b64encode(hmac.new(base64.b64decode(secret), message, hashlib.sha256).digest()).decode()
    return "v1," + made in headers["webhook-signature"].split(" ")
