"""The page on a living chain, read as a browser without a script reads it."""

import html.parser
import json
import re
import urllib.error
import urllib.parse
import urllib.request

import support

VIEWS = ["/", "/findings", "/watches", "/alerts", "/silences", "/contracts", "/docs", "/docs?operation=status", "/search"]
EVERYTHING = '[[watch]]\nname = "everything"\nsigner = "*"\n'
ABSENT = "4XXtr7JrXpYrTj9RnVsbyyw1NDeaMzcQuyWKFRBPNaEh"
VOID = {"meta", "link", "input", "img", "br", "hr", "rect", "path", "circle", "line", "use"}


class Document(html.parser.HTMLParser):
    """Links, ids, headings, and whether every element is closed where it was opened."""

    def __init__(self, text):
        super().__init__()
        self.links, self.ids, self.headings, self.open, self.loads = [], [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.ids += [given["id"]] if "id" in given else []
        self.links += [given["href"]] if tag == "a" and "href" in given else []
        self.loads += [given[name] for name in ("src", "action") if name in given]
        self.loads += [given["href"]] if tag in ("link", "use", "image") and "href" in given else []
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if not self.open or self.open[-1] != tag:
            raise AssertionError(f"</{tag}> closes {self.open[-3:]}")
        self.open.pop()


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


class Served(support.Shared):
    def begin(self):
        chain = self.sandbox("--block-time-ms", 50, "--traffic", "mixed", "--tps", 80, "--seed", 5, command="run")
        genesis = chain.rpc("block", {"sync_checkpoint": "genesis"})["header"]["height"]
        config = self.config(chain, source="neardata", start=genesis + 1, network="sandbox", patience="60s",
                             extra=EVERYTHING)
        self.receiptd("migrate", "--config", config)
        self.configured = config
        self.daemon = self.start("run", "--config", config)
        support.wait_until("there is something to see", lambda: int(self.value(
            "SELECT count(*) FROM transaction_results WHERE verdict = 'callback_failed'")) > 2)
        found = support.wait_until("the daemon listens", lambda: re.search(r"listen=(\S+)", self.daemon.log()))
        self.address = "http://" + found[1]

    def get(self, path, expect=200, **headers):
        opener = urllib.request.build_opener(NoRedirect)
        try:
            with opener.open(urllib.request.Request(self.address + path, headers=headers)) as answer:
                status, given, text = answer.status, answer.headers, answer.read().decode()
        except urllib.error.HTTPError as refused:
            status, given, text = refused.code, refused.headers, refused.read().decode()
        self.assertEqual(status, expect, f"{path}\n{text[:2000]}")
        return text, given

    def document(self, path, expect=200):
        text, headers = self.get(path, expect)
        document = Document(text)
        self.assertEqual(document.open, [], path)
        self.assertEqual(len(document.ids), len(set(document.ids)), f"{path}: an id is there twice")
        self.assertEqual(document.headings[:1], [1], path)
        self.assertEqual(document.headings.count(1), 1, path)
        for address in document.loads:
            self.assertTrue(address.startswith("/") and not address.startswith("//"), f"{path} loads {address}")
        self.assertIn("default-src 'none'", headers["Content-Security-Policy"])
        self.assertNotIn("unsafe", headers["Content-Security-Policy"])
        self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
        self.assertEqual(headers["Referrer-Policy"], "no-referrer")
        return document


class Page(Served):
    def test_every_link_leads_somewhere_and_every_view_is_whole(self):
        seen, waiting = set(), list(VIEWS)
        while waiting and len(seen) < 60:
            path = waiting.pop(0)
            if path in seen:
                continue
            seen.add(path)
            document = self.document(path)
            for link in document.links:
                path, _, fragment = link.partition("#")
                if not path:
                    self.assertIn(urllib.parse.unquote(fragment), document.ids, f"{link} of {path}")
                elif path.startswith("/v1/") or path == "/openapi.json":
                    self.get(path)
                else:
                    waiting.append(path)
        self.assertTrue(any(path.startswith("/tx/") for path in seen), seen)

    def test_a_transaction_is_told_with_what_is_stored_of_it(self):
        tx_hash = self.value("SELECT tx_hash FROM transaction_results JOIN receipts USING (tx_hash) "
                             "WHERE verdict = 'callback_failed' AND role = 'initial' "
                             "AND actions->0->'FunctionCall'->'args_json'->>'receiver_id' IS NOT NULL LIMIT 1")
        text, _ = self.get("/tx/" + tx_hash)
        method, error = self.query("SELECT method_name, error_text FROM receipts "
                                   f"WHERE tree_id = '{tx_hash}' AND role = 'callback' AND status = 'failure'")[0]
        for told in (method, error, "What broke", "The money", '<svg xmlns="http://www.w3.org/2000/svg" class="rt'):
            self.assertIn(told, text)
        for (receipt_id,) in self.query(f"SELECT receipt_id FROM receipts WHERE tree_id = '{tx_hash}'"):
            self.assertIn(f'id="receipt-{receipt_id}"', text)
        args = self.value("SELECT actions->0->'FunctionCall'->'args_json'->>'receiver_id' FROM receipts "
                          f"WHERE tree_id = '{tx_hash}' AND role = 'initial'")
        self.assertIn(args, text)

    def test_search_leads_to_a_transaction(self):
        tx_hash = self.value("SELECT tx_hash FROM transaction_results LIMIT 1")
        _, headers = self.get("/search?q=" + tx_hash, 303)
        self.assertEqual(headers["Location"], "/tx/" + tx_hash)
        receipt_id = self.value(f"SELECT receipt_id FROM receipts WHERE tree_id = '{tx_hash}' LIMIT 1")
        _, headers = self.get("/search?q=" + receipt_id, 303)
        self.assertEqual(headers["Location"], f"/tx/{tx_hash}?receipt={receipt_id}#receipt-{receipt_id}")
        self.get("/tx/" + receipt_id, 303)
        address = urllib.parse.quote(f"https://explorer.example/txns/{tx_hash}", safe="")
        self.assertEqual(self.get("/search?q=" + address, 303)[1]["Location"], "/tx/" + tx_hash)
        self.document("/search?q=nothing", 404)
        self.document("/tx/" + ABSENT, 404)
        self.document("/tx/nothing", 404)

    def test_files_are_asked_for_once(self):
        _, headers = self.get("/assets/script.js")
        self.get("/assets/script.js", 304, **{"If-None-Match": headers["ETag"]})
        versioned = re.search(r'/assets/script\.js\?v=\w+', self.get("/")[0])[0]
        self.assertIn("immutable", self.get(versioned)[1]["Cache-Control"])
        self.get("/assets/nothing.js", 404)


class ExecutedTwice(Served):
    def test_each_execution_of_a_hash_is_listed(self):
        ends = {"succeeded": None, "callback_failed": None}
        for verdict in ends:  # the tree of the second becomes the second execution of the first
            after = f"AND included_height > (SELECT max(block_height) FROM transactions WHERE tx_hash = '{ends['succeeded']}')"
            ends[verdict] = support.wait_until("such a transaction is there", lambda: self.value(
                f"SELECT tx_hash FROM transaction_results WHERE verdict = '{verdict}' {after if ends['succeeded'] else ''} "
                "ORDER BY included_height, tx_hash LIMIT 1"))
        tx_hash, other = ends.values()
        receipts = {each: [row[0] for row in self.query(f"SELECT receipt_id FROM receipts WHERE tree_id = '{each}' ORDER BY 1")]
                    for each in (tx_hash, other)}
        for table in ("transactions", "receipts", "data_receipts", "transaction_results"):
            self.query(f"UPDATE {table} SET tx_hash = '{tx_hash}', tree_id = '{tx_hash}' WHERE tree_id = '{other}'")
        for asked, shown, listed, verdict in ((tx_hash, tx_hash, other, "callback_failed"),
                                              (receipts[other][0], other, tx_hash, "succeeded")):
            told, _ = self.get(f"/tx/{tx_hash}" + (f"?receipt={asked}" if asked != tx_hash else ""))
            for receipt_id in receipts[shown]:
                self.assertIn(f'id="receipt-{receipt_id}"', told)
            for receipt_id in receipts[listed]:
                self.assertNotIn(f'id="receipt-{receipt_id}"', told)
            self.assertRegex(told, rf"<summary>Block [\d,\s]+: {verdict}</summary>")
            transaction = json.loads(self.get(f"/v1/transactions/{asked}")[0])
            self.assertEqual(sorted(set(re.findall(r'"receipt_id": ?"(\w+)"', json.dumps(transaction["tree"])))), receipts[shown])
            self.assertEqual([each["verdict"] for each in transaction["other_executions"]], [verdict])
            said, _ = self.receiptd("tx", "--config", self.configured, asked)
            self.assertRegex(said, rf"executed also in block \d+\n(?:.*\n)*?  verdict  {verdict}\n")
        self.assertEqual(self.value(f"SELECT count(*) FROM executed_again WHERE tx_hash = '{tx_hash}'"), "1")


if __name__ == "__main__":
    support.main()
