"""Fakes of the services that endpoints can be: they take what the published schemas allow, and refuse the rest."""

import http.server
import json
import pathlib
import threading

import jsonschema

SCHEMAS = pathlib.Path(__file__).resolve().parents[1] / "data" / "channels"
# Paths as a service gives them out, each with a secret in it, and its answer to a message that it takes.
HOOK, TOKEN, ROUTING_KEY = "T0SlackHookSecret", "12345:TelegramBotSecret", "PagerDutyRoutingKeySecret0123456"
DISCORD = "DiscordHookSecret"
ANSWERS = {
    "slack": (200, "ok"),
    "pagerduty": (202, '{"status": "success"}'),
    "discord": (204, ""),
    "telegram": (200, '{"ok": true}'),
    "alertmanager": (200, ""),
}
PATHS = {
    f"/services/{HOOK}": "slack",
    "/v2/enqueue": "pagerduty",
    f"/api/webhooks/{DISCORD}": "discord",
    f"/bot{TOKEN}/sendMessage": "telegram",
    "/api/v2/alerts": "alertmanager",
}


def schema(service):
    return jsonschema.Draft202012Validator(json.loads((SCHEMAS / f"{service}.json").read_text()))


class Services:
    """All of them on one loopback port; `taken` has their messages, `faults` why one was refused."""

    def __init__(self):
        self.lock = threading.Lock()
        self.taken = {service: [] for service in ANSWERS}
        self.faults = []
        self.refusing = set()  # services that answer 500, and tell all that they know
        self.schemas = {service: schema(service) for service in ANSWERS}
        services = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                status, text = services.take(self.path, self.headers, self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(status)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.origin = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def take(self, path, headers, body):
        service = PATHS.get(path)
        with self.lock:
            if service is None or headers["Content-Type"] != "application/json":
                self.faults.append(f"{path} is nobody's, or {headers['Content-Type']}")
                return 404, ""
            if service in self.refusing:
                return 500, f"no {path} {body}"  # proxies are known to repeat what they were told
            message = json.loads(body)
            faults = [f"{service}: {fault.json_path}: {fault.message}"
                      for fault in self.schemas[service].iter_errors(message)]
            if faults:
                self.faults += faults
                return 400, "invalid"
            self.taken[service].append(message)
            return ANSWERS[service]

    def count(self, service):
        with self.lock:
            return len(self.taken[service])

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
