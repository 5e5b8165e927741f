"""Lists of an account's transactions, page by page and as CSV, against what the sandbox says truly happened."""

import collections
import csv
import io
import json
import re
import urllib.parse

import support
from progress import Connection
from truth import finding_ids

BLOCKS = 60
ACCOUNTS = 12  # those with most transactions, of each role


class Lists(support.Scenario):
    def setUp(self):
        super().setUp()
        self.chain = self.sandbox("--block-time-ms", 50, "--traffic", "mixed", "--tps", 80, "--seed", 5, command="run")
        self.genesis = self.chain.rpc("block", {"sync_checkpoint": "genesis"})["header"]["height"]
        self.daemon = self.start("run", "--config", self.config(
            self.chain, source="neardata", start=self.genesis + 1, network="sandbox", patience="60s"))
        found = support.wait_until("the daemon listens", lambda: re.search(r"listen=(\S+)", self.daemon.log()))
        self.address = found[1]
        last = self.genesis + BLOCKS
        support.wait_until("blocks are stored", lambda: int(self.value(
            "SELECT coalesce(max(block_height), 0) FROM blocks")) > last)
        self.chain.ask("/pause", {})
        head = self.chain.rpc("block", {"finality": "final"})["header"]["height"]
        support.wait_until("all is stored", lambda: self.value(
            f"SELECT heights @> {head}::bigint FROM coverage") == "t")
        self.truth = [t for t in self.chain.ask(f"/truth?from={self.genesis}&to={last}")
                      if t["heights"]["refunded"] and t["heights"]["refunded"] <= last]
        self.ended = {t["tx_hash"] for t in self.truth}
        self.assertGreater(len(self.truth), 50)
        support.wait_until("all are judged", lambda: self.ended <= {
            row[0] for row in self.query("SELECT tx_hash FROM transaction_results")})

    def ask(self, path, status=200):
        connection = Connection(self.address)
        connection.request("GET", path)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        self.assertEqual(answer.status, status, f"{path}: {text}")
        return text

    def all_of(self, path, name="transactions", limit=7):
        items, cursor = [], ""
        while cursor is not None:
            page = json.loads(self.ask(f"{path}&limit={limit}" + (f"&cursor={cursor}" if cursor else "")))
            self.assertLessEqual(len(page[name]), limit)
            items += page[name]
            cursor = page["next_cursor"] and urllib.parse.quote(page["next_cursor"])
        return items

    def busiest(self, role):
        counts = collections.Counter(t[role + "_id"] for t in self.truth)
        return [account for account, _ in counts.most_common(ACCOUNTS)]

    def test_an_account_finds_all_of_its_transactions_and_no_others(self):
        relayed = False
        for role in ("user", "signer", "receiver"):
            for account in self.busiest(role):
                own = {t["tx_hash"]: t for t in self.truth if t[role + "_id"] == account}
                relayed = relayed or any(t["signer_id"] != account and role == "user" for t in own.values())
                told = self.all_of(f"/v1/transactions?account_id={account}&role={role}")
                hashes = [row["tx_hash"] for row in told]
                self.assertEqual(len(set(hashes)), len(hashes), "a transaction is listed twice")
                self.assertEqual({h for h in hashes if h in self.ended}, set(own), f"{role} {account}")
                for row in told:
                    if row["tx_hash"] in own:
                        t = own[row["tx_hash"]]
                        self.assertEqual([row[name] for name in ("signer_id", "user_id", "receiver_id", "verdict", "near_status")],
                                         [t[name] for name in ("signer_id", "user_id", "receiver_id", "verdict", "near_status")])
                if role == "signer":
                    newest_first = sorted(told, key=lambda row: (row["block_time"], row["tx_hash"]), reverse=True)
                    self.assertEqual(hashes, [row["tx_hash"] for row in newest_first])
        self.assertTrue(relayed, "nobody was relayed")

    def test_filters_choose_by_the_result(self):
        account = self.busiest("user")[0]
        own = [t for t in self.truth if t["user_id"] == account]
        for verdict in {t["verdict"] for t in own}:
            told = self.all_of(f"/v1/transactions?account_id={account}&verdict={verdict}")
            self.assertEqual({r["tx_hash"] for r in told} & self.ended, {t["tx_hash"] for t in own if t["verdict"] == verdict})
        for verdict in {t["verdict"] for t in self.truth} - {"succeeded"}:
            told = self.all_of(f"/v1/transactions?verdict={verdict}")
            self.assertEqual({r["tx_hash"] for r in told} & self.ended,
                             {t["tx_hash"] for t in self.truth if t["verdict"] == verdict})
        since, until = self.query("SELECT to_char(min(block_time), 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'), "
                                  "to_char(min(block_time) + interval '1 day', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') FROM blocks")[0]
        self.assertLessEqual(self.ended, {r["tx_hash"] for r in self.all_of(
            f"/v1/transactions?since={since}&until={until}", limit=100)})
        self.assertIn("since", json.loads(self.ask("/v1/transactions?near_status=failure", 422))["detail"])
        for role in ("user", "signer"):
            of_role = [t for t in self.truth if t[role + "_id"] == account]
            told = self.all_of(f"/v1/findings?{role}_id={account}", "findings")
            self.assertEqual({f["finding_id"] for f in told if f["tx_hash"] in self.ended}, finding_ids(of_role))

    def test_csv_has_the_rows_of_the_pages(self):
        account = self.busiest("signer")[0]
        for path, name in ((f"/v1/transactions?account_id={account}&role=signer", "transactions"),
                           (f"/v1/findings?signer_id={account}", "findings"), ("/v1/gaps?", "gaps"), ("/v1/backfills?", "backfills")):
            pages = self.all_of(path, name)
            rows = list(csv.DictReader(io.StringIO(self.ask(path + "&format=csv", 200), newline="")))
            self.assertEqual(len(rows), len(pages), path)
            for row, item in zip(rows, pages):
                self.assertEqual(list(row), list(item))
                for member, value in item.items():
                    text = value if isinstance(value, str) else "" if value is None else json.dumps(value, separators=(",", ":"))
                    self.assertIn(row[member], (text, "'" + text), member)

    def test_an_account_has_a_page_and_says_what_is_whole(self):
        account = self.busiest("user")[0]
        coverage = json.loads(self.ask(f"/v1/transactions?account_id={account}&limit=1"))["coverage"]
        heights = [[int(row[0]), int(row[1])] for row in self.query(
            "SELECT lower(r), upper(r) - 1 FROM coverage, unnest(heights) AS r ORDER BY 1 DESC")]
        self.assertTrue(coverage["followed"])
        self.assertEqual([[r["from_height"], r["to_height"]] for r in coverage["heights"]], heights)
        page = self.ask("/account/" + account)
        self.assertIn(f"Everything from block {heights[0][0]} to block {heights[0][1]} is stored", page)
        for link in set(re.findall(r'href="(/(?:tx|account|v1)/[^"]+)"', page)):
            self.ask(link.replace("&amp;", "&"))


if __name__ == "__main__":
    support.main()
