#!/usr/bin/env python3
"""The guard of a running daemon: requests over a Unix socket, by its names, with the tokens of readers and writers."""

import contextlib
import http.client
import os
import signal
import socket

import support

READER, WRITER, HASH = "the-token-of-readers", "the-token-of-writers", "4XXtr7JrXpYrTj9RnVsbyyw1NDeaMzcQuyWKFRBPNaEh"


class Connection(http.client.HTTPConnection):
    """To a Unix socket."""

    def __init__(self, path):
        super().__init__("localhost")
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(str(self.path))


class Guarded(support.Scenario):
    def setUp(self):
        super().setUp()
        chain = self.sandbox("--block-time-ms", 200, command="run")
        self.socket = self.folder / "http.sock"
        files = [self.folder / name for name in ("readers", "writers")]
        for file, token in zip(files, (READER, WRITER)):
            file.write_text(token)
            file.chmod(0o600)
        self.settings = self.config(chain, network="sandbox", extra=f'read_token_file = "{files[0]}"\ntoken_file = "{files[1]}"\n'
                                    'socket_mode = "0600"\nallowed_hosts = ["receiptd"]\npublic_url = "https://status.example.org/x"\n')
        self.change('listen = "127.0.0.1:0"', f'listen = "unix:{self.socket}"')

    def change(self, old, new):
        text = self.settings.read_text()
        self.assertIn(old, text)
        self.settings.write_text(text.replace(old, new))

    def run_daemon(self):
        daemon = self.start("run", "--config", self.settings)
        support.wait_until("the daemon serves", lambda: daemon.poll() is not None or "listen=" in daemon.log())
        self.assertIsNone(daemon.poll(), daemon.log())
        return daemon

    def status(self, path, host="localhost", token="", method="GET"):
        with contextlib.closing(Connection(self.socket)) as connection:
            connection.request(method, path, headers={"Host": host} | ({"Authorization": "Bearer " + token} if token else {}))
            with connection.getresponse() as answer:
                answer.read()
                return answer.status

    def test_names_tokens_and_the_socket(self):
        daemon = self.run_daemon()
        self.assertEqual(os.stat(self.socket).st_mode & 0o777, 0o600)
        self.assertEqual(self.status("/livez", host="evil.example"), 200)
        for host in ("localhost", "127.0.0.1:9464", "receiptd", "status.example.org"):
            self.assertEqual(self.status("/v1/status", host, READER), 200, host)
        self.assertEqual(self.status("/v1/status", "evil.example", READER), 421)
        for path in ("/v1/status", "/metrics", "/", "/v1/watches"):
            self.assertEqual(self.status(path), 401, path)
            self.assertEqual(self.status(path, token=WRITER), 200, path)
        self.assertEqual(self.status("/v1/watches/" + HASH, token=READER, method="DELETE"), 401)
        self.assertEqual(self.status("/v1/watches/" + HASH, token=WRITER, method="DELETE"), 404)
        # It may be at the head by now, or not yet.
        said = self.receiptd("status", "--config", self.settings, expect=None)[0]
        self.assertNotIn("none answers", said)
        self.reload(daemon)
        self.leave_the_file_and_come_back(daemon)

    def reload(self, daemon):
        self.change('["receiptd"]', '["other"]')
        (self.folder / "readers").write_text("another-token-of-readers")
        daemon.send_signal(signal.SIGHUP)
        support.wait_until("the new names count", lambda: self.status("/v1/status", "other", "another-token-of-readers") == 200)
        self.assertEqual(self.status("/v1/status", "receiptd", "another-token-of-readers"), 421)
        self.assertEqual(self.status("/v1/status", "other", READER), 401)

    def leave_the_file_and_come_back(self, daemon):
        self.kill(daemon)
        self.assertTrue(self.socket.exists())
        again = self.run_daemon()
        self.assertEqual(self.status("/livez"), 200)
        again.terminate()
        again.wait()
        self.assertFalse(self.socket.exists())


if __name__ == "__main__":
    support.main()
