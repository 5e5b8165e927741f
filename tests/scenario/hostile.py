"""A gateway that misbehaves: passes requests on to a sandbox but for those its rule answers."""

import http.server
import json
import threading
import urllib.error
import urllib.request


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.handle_one(b"")

    def do_POST(self):
        self.handle_one(self.rfile.read(int(self.headers.get("Content-Length", 0))))

    def handle_one(self, body):
        request = json.loads(body) if body else {"method": "GET", "params": self.path}
        answer = self.server.rule(request)
        try:
            if answer is None:
                self.send(*self.pass_on(body))
            elif callable(answer):
                answer(self)
                self.close_connection = True
            else:
                self.send(*answer)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def pass_on(self, body):
        headers = {"Content-Type": "application/json"} if body else {}
        request = urllib.request.Request(self.server.behind + self.path, data=body or None, headers=headers)
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.status, answer.read(), {}
        except urllib.error.HTTPError as refused:
            return refused.code, refused.read(), {}

    def send(self, status, body, headers=None):
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass  # clients hang up on purpose


class Gateway:
    """`rule(request)`: None passes it on, (status, body, headers) answers, a callable writes what it likes."""

    def __init__(self, behind, rule):
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.behind, self.server.rule = behind, rule
        self.regular = self.archival = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


def endless(handler):
    """A body without end, never longer than its chunks."""
    handler.send_response(200)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    piece = b'{"result":"' + b"x" * 65536
    while True:
        handler.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))


def huge(handler):
    """100 MB with an honest length."""
    handler.send_response(200)
    handler.send_header("Content-Length", str(100 << 20))
    handler.end_headers()
    for _ in range(100):
        handler.wfile.write(b" " * (1 << 20))


def truncated(handler):
    handler.send_response(200)
    handler.send_header("Content-Length", "5000")
    handler.end_headers()
    handler.wfile.write(b'{"jsonrpc":"2.0","result":{"header":')


def silent(handler):
    handler.connection.close()
