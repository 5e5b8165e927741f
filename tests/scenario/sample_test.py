"""The project's own sample chain, row for row, through both sources."""

import json

import support

FIRST, LAST = 100000000, 100000037
SKIPPED = [100000012, 100000027]
STATUS = {"SuccessValue": "success_value", "SuccessReceiptId": "success_receipt_id", "Failure": "failure",
          "Unknown": "unknown"}


def whole_blocks():
    return [json.loads(file.read_text()) for file in sorted((support.SAMPLE / "whole-block").glob("*.json"))]


def results():
    return [json.loads(file.read_text()) for file in sorted((support.SAMPLE / "rpc" / "tx").glob("*.json"))]


def status_of(outcome):
    return STATUS[next(iter(outcome["outcome"]["status"]))]


class Expected:
    """The rows of every history table, made from the JSON by the rules of the schema's comments."""

    def __init__(self):
        self.blocks, self.chunks, self.transactions = [], [], []
        self.receipts, self.data_receipts, self.events = [], [], []
        self.parents, self.tree_of_data, self.returned_by = {}, {}, {}
        wholes = whole_blocks()
        for whole in wholes:
            self.learn_parents(whole)
        for whole in wholes:
            self.add(whole)

    def learn_parents(self, whole):
        for shard in whole["shards"]:
            for item in (shard["chunk"] or {"transactions": []})["transactions"]:
                outcome = item["outcome"]["execution_outcome"]
                for child in outcome["outcome"]["receipt_ids"]:
                    self.parents[child] = (None, False)
            for item in shard["receipt_execution_outcomes"]:
                outcome, action = item["execution_outcome"], item["receipt"]["receipt"]["Action"]
                if returned := outcome["outcome"]["status"].get("SuccessReceiptId"):
                    self.returned_by[returned] = outcome["id"]
                deletes = any(isinstance(one, dict) and "DeleteAccount" in one for one in action["actions"])
                for child in outcome["outcome"]["receipt_ids"]:
                    self.parents[child] = (outcome["id"], deletes and status_of(outcome) != "failure")
                for data_id in action["input_data_ids"] + [one["data_id"] for one in action["output_data_receivers"]]:
                    self.tree_of_data[data_id] = item["tx_hash"]

    def add(self, whole):
        header = whole["block"]["header"]
        height = str(header["height"])
        self.blocks.append([height, header["hash"], header["prev_hash"], str(header["prev_height"]),
                            header["timestamp_nanosec"], whole["block"]["author"]])
        for chunk in whole["block"]["chunks"]:
            self.chunks.append([height, str(chunk["shard_id"]), chunk["chunk_hash"],
                                "f" if chunk["height_included"] == header["height"] else "t"])
        for shard in whole["shards"]:
            for index, item in enumerate((shard["chunk"] or {"transactions": []})["transactions"]):
                self.add_transaction(height, shard, index, item)
            for receipt in (shard["chunk"] or {"receipts": []})["receipts"]:
                if "Data" in receipt["receipt"]:
                    self.add_data(height, shard, receipt)
            for item in shard["receipt_execution_outcomes"]:
                self.add_receipt(height, shard, item)

    def add_transaction(self, height, shard, index, item):
        tx, outcome = item["transaction"], item["outcome"]["execution_outcome"]
        self.transactions.append([tx["hash"], tx["hash"], height, str(shard["shard_id"]), str(index), tx["signer_id"],
                                  tx["receiver_id"], str(tx["nonce"]), status_of(outcome),
                                  outcome["outcome"]["status"].get("SuccessReceiptId")])

    def add_data(self, height, shard, receipt):
        data = receipt["receipt"]["Data"]
        tree = self.tree_of_data[data["data_id"]]
        self.data_receipts.append([data["data_id"], receipt["receipt_id"], tree, tree, height, str(shard["shard_id"]),
                                   receipt["receiver_id"], data["data"]])

    def add_receipt(self, height, shard, item):
        receipt, outcome = item["receipt"], item["execution_outcome"]["outcome"]
        action = receipt["receipt"]["Action"]
        calls = [one["FunctionCall"]["method_name"] for one in action["actions"]
                 if isinstance(one, dict) and "FunctionCall" in one]
        logs = [log.replace("\0", "\u2400") for log in outcome["logs"]]
        self.receipts.append([receipt["receipt_id"], item["tx_hash"], item["tx_hash"], height,
                              self.parents[receipt["receipt_id"]][0], receipt["predecessor_id"], receipt["receiver_id"],
                              action["signer_id"], self.role(receipt), calls[0] if calls else None,
                              status_of(item["execution_outcome"]), str(outcome["gas_burnt"]), outcome["tokens_burnt"],
                              json.dumps(logs) if logs else None])
        for index, log in enumerate(outcome["logs"]):
            self.add_event(height, item, index, log)

    def role(self, receipt):
        parent, parent_deletes = self.parents[receipt["receipt_id"]]
        action = receipt["receipt"]["Action"]
        if receipt["predecessor_id"] == "system":
            return "payout" if parent_deletes and action["signer_id"] == "system" else "refund"
        if action["input_data_ids"]:
            return "callback"
        if parent is None:
            return "initial"
        if action["output_data_receivers"]:
            return "promise"
        maker = receipt["receipt_id"]
        while maker in self.returned_by:
            maker = self.returned_by[maker]
        return "returned" if self.parents[maker][0] is None else "detached"

    def add_event(self, height, item, index, log):
        if not log.startswith("EVENT_JSON:"):
            return
        try:
            event = json.loads(log[len("EVENT_JSON:"):])
        except ValueError:
            return
        self.events.append([item["receipt"]["receipt_id"], item["tx_hash"], height, str(index),
                            item["receipt"]["receiver_id"], event["standard"], event["version"], event["event"]])


COLUMNS = {
    "blocks": "block_height, block_hash, prev_hash, prev_height, timestamp_nanosec, author_id",
    "chunks": "block_height, shard_id, chunk_hash, missing",
    "transactions": "tx_hash, tree_id, block_height, shard_id, index_in_chunk, signer_id, receiver_id, nonce, status, "
                    "initial_receipt_id",
    "receipts": "receipt_id, tree_id, tx_hash, block_height, parent_receipt_id, predecessor_id, receiver_id, "
                "signer_id, role, method_name, status, gas_burnt, tokens_burnt, to_json(logs)::text",
    "data_receipts": "data_id, receipt_id, tree_id, tx_hash, block_height, shard_id, receiver_id, data",
    "events": 'receipt_id, tx_hash, block_height, "index", account_id, standard, version, event',
}
# A result of EXPERIMENTAL_tx_status tells no shard, and the sample has no shard layout and no Merkle paths.
# Only whole blocks have all outcomes of a chunk, and only trees that are fetched are confirmed one by one.
OF_ONE_SOURCE = {"receipts": ("shard_id", "index_in_chunk"), "chunks": ("executed_root",), "transactions": ("confirmed",)}


class Sample(support.Scenario):
    def ingest(self, source, **settings):
        kind = "rpc" if source == "rpc" else "whole-block"
        flag = "--rpc" if source == "rpc" else "--whole-blocks"
        sandbox = self.sandbox(flag, support.SAMPLE / kind)
        settings = {"patience": "30s", "start": FIRST, **settings}
        config = self.config(sandbox, source=source, **settings)
        self.receiptd("run", "--config", config, "--until", LAST)
        return config

    def rows(self, table, columns, database=None):
        found = self.query(f"SELECT {columns} FROM {table}", database)
        for row in found:
            if table == "receipts" and columns == COLUMNS["receipts"] and row[-1] is not None:
                row[-1] = json.dumps(json.loads(row[-1]))
        return sorted(found, key=repr)

    def assert_whole_chain(self):
        expected = Expected()
        for table, columns in COLUMNS.items():
            with self.subTest(table=table):
                self.assertEqual(self.rows(table, columns), sorted(getattr(expected, table), key=repr))
        self.assertEqual(self.value("SELECT count(*) FROM gaps"), "0")
        self.assertEqual([int(row[0]) for row in self.query("SELECT height FROM skipped_heights ORDER BY 1")], SKIPPED)
        self.assertEqual(self.query("SELECT block_height, shard_id FROM chunks WHERE missing"), [["100000018", "3"]])


class Tables(Sample):
    def test_whole_blocks_row_for_row(self):
        self.ingest("neardata")
        self.assert_whole_chain()

    def test_blocks_and_trees_row_for_row(self):
        self.ingest("rpc")
        self.assert_whole_chain()

    def test_both_sources_agree_in_every_column(self):
        self.ingest("neardata")
        other = self.make_database()
        self.ingest("rpc", database=other)
        for table in COLUMNS:
            names = [row[0] for row in self.query("SELECT column_name FROM information_schema.columns WHERE table_name = "
                                                  f"'{table}' AND table_schema = 'public' ORDER BY ordinal_position")]
            names = [name for name in names if name not in OF_ONE_SOURCE.get(table, ())]
            columns = ", ".join(f'"{name}"::text' for name in names)
            with self.subTest(table=table):
                self.assertEqual(self.rows(table, columns), self.rows(table, columns, other))

    def test_each_failing_story_is_marked_down_to_the_failure(self):
        config = self.ingest("rpc")
        failing = 0
        for result in results():
            failed = [one for one in result["receipts_outcome"] if status_of(one) == "failure"]
            rejected = status_of(result["transaction_outcome"]) == "failure"
            if not failed and not rejected:
                continue
            failing += 1
            tx_hash = result["transaction"]["hash"]
            with self.subTest(tx=tx_hash):
                out, _ = self.receiptd("tx", "--config", config, tx_hash)
                self.assertIn("from the database", out)
                first = out.splitlines()[0]
                self.assertTrue(first.startswith("✗ " if rejected else "! "), out)
                marked = [line for line in out.splitlines() if line.startswith("✗ ") and "[failure]" in line]
                self.assertEqual(len(marked), len(failed), out)
                for one in failed:
                    self.assertTrue(any(one["id"] in line for line in marked), out)
                    self.assert_branch_leads_to(tx_hash, one["id"])
        self.assertEqual(failing, 8)
        self.assertEqual(self.value("SELECT count(*) FROM failed_receipts"), "7")

    def assert_branch_leads_to(self, tx_hash, receipt_id):
        rows = self.query(f"SELECT id, parent_receipt_id, failed, leads_to_failure FROM receipt_tree('{tx_hash}')")
        nodes = {row[0]: row for row in rows}
        self.assertEqual(nodes[receipt_id][2], "t")
        at = receipt_id
        while at is not None:
            self.assertEqual(nodes[at][3], "t", at)
            at = nodes[at][1]
        self.assertEqual(nodes[tx_hash][3], "t")

    def test_a_transaction_that_is_not_stored_comes_from_the_upstream(self):
        sandbox = self.sandbox("--rpc", support.SAMPLE / "rpc")
        config = self.config(sandbox)
        self.receiptd("migrate", "--config", config)
        tx = results()[0]["transaction"]
        out, _ = self.receiptd("tx", "--config", config, tx["hash"], tx["signer_id"])
        self.assertIn("from the upstream", out)
        _, err = self.receiptd("tx", "--config", config, tx["hash"], expect=1)
        self.assertIn("signer", err)
        _, err = self.receiptd("tx", "--config", config, "1" * 31 + "2", tx["signer_id"], expect=1)
        self.assertIn("no upstream knows", err)
        address = f"https://explorer.example/txns/{tx['hash']}?sender={tx['signer_id']}"
        picture, _ = self.receiptd("tx", "--config", config, address, "--svg", "-")
        self.assertIn(f'data-receipt="{tx["hash"]}"', picture)
        _, err = self.receiptd("tx", "--config", config, "nonsense", expect=1)
        self.assertIn("no hash of a transaction", err)


class Scopes(Sample):
    def test_headers_hold_no_receipts(self):
        self.ingest("rpc", scope="headers")
        expected = Expected()
        self.assertEqual(self.rows("blocks", COLUMNS["blocks"]), sorted(expected.blocks, key=repr))
        self.assertEqual(self.rows("chunks", COLUMNS["chunks"]), sorted(expected.chunks, key=repr))
        for table in ("transactions", "receipts", "data_receipts", "events"):
            self.assertEqual(self.value(f"SELECT count(*) FROM {table}"), "0")

    def test_accounts_keep_the_trees_that_touch_them_whole(self):
        account = "oracle.sample.near"
        touching = {one["transaction"]["hash"] for one in results()
                    if account in (one["transaction"]["signer_id"], one["transaction"]["receiver_id"])}
        self.assertEqual(len(touching), 2)
        expected = Expected()
        for source in ("rpc", "neardata"):
            with self.subTest(source=source):
                self.database = self.make_database()
                self.ingest(source, scope="accounts", follow=f'accounts = ["{account}"]\n')
                self.assertEqual(self.rows("receipts", COLUMNS["receipts"]),
                                 sorted((row for row in expected.receipts if row[1] in touching), key=repr))
                self.assertEqual({row[0] for row in self.query("SELECT tx_hash FROM transactions")}, touching)


class Retention(Sample):
    def test_old_heights_go_to_the_archival_host_by_themselves(self):
        sandbox = self.sandbox("--rpc", support.SAMPLE / "rpc", "--retention-blocks", 10)
        port = support.free_port()
        config = self.config(sandbox, start=FIRST, patience="30s")
        config.write_text(config.read_text().replace("127.0.0.1:0", f"127.0.0.1:{port}"))
        process = self.start("run", "--config", config)
        support.wait_until("all is stored", lambda: self.page(process, "/readyz")[0] == 200 and
                           self.value("SELECT count(*) FROM pending_trees") == "0")
        self.assertEqual(self.value("SELECT count(*) FROM receipts"), str(len(Expected().receipts)))
        status = json.loads(self.receiptd("status", "--json", "--config", config)[0])
        horizon = {one["name"]: one["horizon_height"] for one in status["daemon"]["upstreams"]}
        self.assertIsNotNone(horizon["regular"])
        self.assertGreater(horizon["regular"], FIRST)
        self.assertLessEqual(horizon["regular"], LAST - 9)
        self.assertRegex(self.receiptd("status", "--config", config)[0], rf"horizon {horizon['regular']}")
        self.assertIn(f'receiptd_upstream_horizon_height{{upstream="regular"}} {horizon["regular"]}\n',
                      self.page(process, "/metrics")[1])


if __name__ == "__main__":
    support.main()
