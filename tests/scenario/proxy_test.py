"""Hosts and endpoints that only a proxy can reach: their names exist nowhere else."""

import base64
import re
import socket
import ssl
import subprocess
import threading

import support
from receiver import Receiver, endpoint, secret_file

LOGIN = "me:proxy-s3cret"


class Proxy:
    """Forwards http and makes tunnels, whose other end of TLS it is, too. `ways`: a name to (host, port)."""

    def __init__(self, ways, certificate):
        self.ways = ways
        self.asked = []  # "CONNECT name", "POST name"
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.tls.load_cert_chain(*certificate)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://{LOGIN}@127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        try:
            self.forward(client)
        except OSError:
            client.close()

    def forward(self, client):
        head = b""
        while b"\r\n\r\n" not in head:
            piece = client.recv(65536)
            if not piece:
                return client.close()
            head += piece
        method, name = re.match(rb"(\w+) (?:http://)?([^:/ ]+)", head).group(1, 2)
        expected = b"Proxy-Authorization: Basic " + base64.b64encode(LOGIN.encode())
        if expected not in head or name.decode() not in self.ways:
            client.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
            return client.close()
        self.asked.append(f"{method.decode()} {name.decode()}")
        server = socket.create_connection(self.ways[name.decode()])
        if method == b"CONNECT":
            client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            client = self.tls.wrap_socket(client, server_side=True)
        else:
            server.sendall(self.origin_form(head))
        back = threading.Thread(target=self.copy, args=(server, client), daemon=True)
        back.start()
        self.copy(client, server)
        back.join()
        server.close()
        client.close()

    @staticmethod
    def origin_form(request):
        return re.sub(rb"^(\w+) http://[^/ ]+", rb"\1 ", request)

    def copy(self, source, target):
        try:
            while piece := source.recv(65536):
                target.sendall(self.origin_form(piece))
        except OSError:
            pass
        for each in (source, target):
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def stop(self):
        self.listener.close()


def place(url):
    host, port = url.removeprefix("http://").split("/")[0].split(":")
    return host, int(port)


class Proxies(support.Scenario):
    def certificate(self):
        files = self.folder / "ca.pem", self.folder / "ca.key"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-out", files[0], "-keyout", files[1], "-subj", "/CN=test",
                        "-addext", "subjectAltName=DNS:hooks.example.org,DNS:archive.example.org"],
                       check=True, capture_output=True)
        return files

    def setUp(self):
        super().setUp()
        self.chain = self.sandbox("--block-time-ms", 100, "--traffic", "mixed", "--tps", 10, "--seed", 5,
                                  "--genesis-time", "now", command="run")
        self.receiver = Receiver()
        self.addCleanup(self.receiver.stop)
        authority, key = self.certificate()
        self.proxy = Proxy({"node.example.org": place(self.chain.regular), "archive.example.org": place(self.chain.archival),
                            "hooks.example.org": place(self.receiver.url)}, (authority, key))
        self.addCleanup(self.proxy.stop)
        path = self.config(self.chain, network="sandbox", extra=endpoint(
            "ops", "https://hooks.example.org/hook", secret_file(self.folder), allow_private=False) +
            f'ca_file = "{authority}"\n')
        text = path.read_text().replace(f'url = "{self.chain.regular}"', 'url = "http://node.example.org"')
        text = text.replace(f'url = "{self.chain.archival}"', f'url = "https://archive.example.org"\nca_file = "{authority.name}"')
        path.write_text(text)
        self.path = path

    def test_hosts_and_endpoints_are_reached_through_the_proxy_of_the_environment(self):
        daemon = self.start("run", "--config", self.path, env={
            "HTTPS_PROXY": self.proxy.url, "HTTP_PROXY": self.proxy.url, "NO_PROXY": "example.com"})
        support.wait_until("an alert arrives", lambda: daemon.poll() is not None or self.receiver.count() > 0)
        self.assertIsNone(daemon.poll(), daemon.log())
        support.wait_until("each way is used", lambda: set(self.proxy.asked) >= {
            "POST node.example.org", "CONNECT archive.example.org", "CONNECT hooks.example.org"})
        _, status = self.page(daemon, "/v1/status")
        _, metrics = self.page(daemon, "/metrics")
        for text in (daemon.log(), status, metrics):
            self.assertNotIn("s3cret", text)

    def test_a_proxy_that_refuses_is_named_without_its_login(self):
        self.proxy.ways = {}
        out, err = self.receiptd("check-config", "--online", "--config", self.with_own_proxy(), expect=None)
        self.assertIn("through the proxy 127.0.0.1:", out + err)
        self.assertNotIn("s3cret", out + err)

    def with_own_proxy(self):
        """The configuration names it, by host and endpoint."""
        file = self.folder / "proxy"
        file.write_text(self.proxy.url)
        file.chmod(0o600)
        self.path.write_text(re.sub(r'(?m)^(name = "(?:regular|archival|ops)")$', rf'\1\nproxy_file = "{file}"', self.path.read_text()))
        return self.path

    def test_a_proxy_of_the_configuration_counts_without_an_environment(self):
        daemon = self.start("run", "--config", self.with_own_proxy())
        support.wait_until("an alert arrives", lambda: daemon.poll() is not None or self.receiver.count() > 0)
        self.assertIsNone(daemon.poll(), daemon.log())
        self.assertNotIn("s3cret", daemon.log())


if __name__ == "__main__":
    support.main()
