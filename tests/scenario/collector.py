"""A collector of traces for a scenario's daemons: it takes OTLP over HTTP, and checks each body strictly by the rules of its JSON."""

import collections
import http.server
import json
import re
import threading

HEX = {"traceId": 32, "spanId": 16, "parentSpanId": 16}
NUMBER = re.compile(r"0|[1-9][0-9]*")
MEMBERS = {
    "request": {"resourceSpans": list}, "resourceSpans": {"resource": dict, "scopeSpans": list}, "resource": {"attributes": list},
    "scopeSpans": {"scope": dict, "spans": list}, "scope": {"name": str},
    "span": {"traceId": str, "spanId": str, "parentSpanId": str, "name": str, "kind": int, "startTimeUnixNano": str,
             "endTimeUnixNano": str, "attributes": list, "links": list, "status": dict},
    "link": {"traceId": str, "spanId": str, "attributes": list}, "status": {"code": int, "message": str},
    "attribute": {"key": str, "value": dict},
}
OPTIONAL = {"parentSpanId", "links", "status"}
HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
LONGEST = 2048


class Strict:
    """Reads a body; `faults` says what the rules of OTLP's JSON, or ours, refuse in it."""

    def __init__(self, body):
        self.faults, self.spans = [], []
        request = json.loads(body)
        self.members("request", request)
        for resource in request["resourceSpans"]:
            self.members("resourceSpans", resource)
            self.members("resource", resource["resource"])
            service = self.attributes(resource["resource"])
            for scope in resource["scopeSpans"]:
                self.members("scopeSpans", scope)
                self.members("scope", scope["scope"])
                for span in scope["spans"]:
                    self.span(span, service)

    def members(self, kind, value):
        known = MEMBERS[kind]
        for name, member in value.items():
            if name not in known or type(member) is not known[name]:
                self.faults.append(f"{kind}.{name}: {member!r}")
            if name in HEX and not re.fullmatch(f"[0-9a-f]{{{HEX[name]}}}", member):
                self.faults.append(f"{kind}.{name} is no id: {member!r}")
        for name in known.keys() - value.keys() - OPTIONAL:
            self.faults.append(f"{kind} lacks {name}")

    def span(self, span, service):
        self.members("span", span)
        begin, end = span["startTimeUnixNano"], span["endTimeUnixNano"]
        if not (NUMBER.fullmatch(begin) and NUMBER.fullmatch(end) and int(begin) <= int(end)):
            self.faults.append(f"times {begin} to {end}")
        if span["kind"] not in (1, 2, 3):
            self.faults.append(f"kind {span['kind']}")
        for link in span.get("links", []):
            self.members("link", link)
            self.attributes(link)
        if "status" in span:
            self.members("status", span["status"])
            self.text(span["status"]["message"])
        self.text(span["name"])
        self.spans.append(span | {"is": self.attributes(span), "service": service["service.name"], "network": service["service.namespace"]})

    def attributes(self, of):
        found = {}
        for attribute in of["attributes"]:
            self.members("attribute", attribute)
            (kind, value), = attribute["value"].items()
            good = {"stringValue": lambda: isinstance(value, str), "boolValue": lambda: isinstance(value, bool),
                    "intValue": lambda: isinstance(value, str) and NUMBER.fullmatch(value)}.get(kind, lambda: False)
            if not good() or attribute["key"] in found:
                self.faults.append(f"attribute {attribute}")
            if kind == "stringValue":
                self.text(value)
            found[attribute["key"]] = value
        return found

    def text(self, text):
        if HIDDEN.search(text) or "://" in text or len(text.encode()) > LONGEST:
            self.faults.append(f"a text is not plain: {text[:200]!r}")


class Collector:
    """`answer`: the status of the next answers. Requests that it takes are in `spans`, by trace."""

    def __init__(self):
        self.lock = threading.Lock()
        self.answer, self.faults, self.headers = 200, [], []
        self.spans = collections.defaultdict(list)  # by hash
        self.bodies = []
        self.sent = collections.Counter()  # how often each hash came
        self.refused = 0
        collector = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                status = collector.take(self.path, dict(self.headers), body)
                self.send_response(status)
                said = b"{}" if status == 200 else b"no"
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(said)))
                self.end_headers()
                self.wfile.write(said)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def take(self, path, headers, body):
        with self.lock:
            self.headers.append(headers)
            if self.answer != 200:
                self.refused += 1
                return self.answer
            read = Strict(body)
            if path != "/v1/traces" or headers.get("Content-Type") != "application/json":
                read.faults.append(f"{path} {headers}")
            self.faults += read.faults
            self.bodies.append(body)
            for span in read.spans:
                self.spans[span["is"]["near.tx_hash"]].append(span)
            self.sent.update({span["is"]["near.tx_hash"] for span in read.spans})
            return 200

    def trace(self, tx_hash):
        """Its spans by id, as they came last."""
        with self.lock:
            return {span["spanId"]: span for span in self.spans[tx_hash]}

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
