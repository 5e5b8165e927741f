"""The project's claims on recorded mainnet data, counted independently from the JSON."""

import json

import support

SESSION = "rpc/mainnet-76538229"
FAILED = "4XXtr7JrRNaquPXe7RZ1PSgJ645dgSpsRyE6gmvhvQV4"


def complete_heights(folder):
    """Heights of a recorded session whose every new chunk was recorded."""
    complete = []
    for file in sorted(folder.glob("block/*.json")):
        block = json.loads(file.read_text())
        height = block["header"]["height"]
        fresh = [chunk["chunk_hash"] for chunk in block["chunks"] if chunk["height_included"] == height]
        if all((folder / "chunk" / f"{chunk}.json").exists() for chunk in fresh):
            complete.append((height, fresh))
    return complete


def events_of(outcomes):
    """Logs that are events by NEP-297: the prefix, then one JSON object."""
    found = 0
    for outcome in outcomes:
        for log in outcome["outcome"]["logs"]:
            if not log.startswith("EVENT_JSON:"):
                continue
            try:
                found += isinstance(json.loads(log[len("EVENT_JSON:"):]), dict)
            except ValueError:
                pass
    return found


def counts_of(whole):
    executed = [item for shard in whole["shards"] for item in shard["receipt_execution_outcomes"]]
    outcomes = [item["execution_outcome"] for item in executed]
    chunks = [shard["chunk"] for shard in whole["shards"] if shard["chunk"]]
    return {
        "transactions": sum(len(chunk["transactions"]) for chunk in chunks),
        "receipts": len(executed),
        "failures": sum("Failure" in outcome["outcome"]["status"] for outcome in outcomes),
        "data_receipts": sum("Data" in receipt["receipt"] for chunk in chunks for receipt in chunk["receipts"]),
        "events": events_of(outcomes),
    }


class RecordedSession(support.Scenario):
    """Blocks, chunks and transaction results of mainnet 76538229 to 236, source rpc."""

    def setUp(self):
        super().setUp()
        self.recorded = support.RECORDED / SESSION
        self.serving = self.sandbox("--rpc", self.recorded)

    def test_headers_are_complete_but_for_the_height_that_was_not_recorded(self):
        config = self.config(self.serving, scope="headers", start=76538229)
        self.receiptd("run", "--config", config, "--until", 76538236, expect=3)
        heights = [int(row[0]) for row in self.query("SELECT block_height FROM blocks ORDER BY 1")]
        self.assertEqual(heights, [76538229, 76538230, 76538231, 76538232, 76538233, 76538234, 76538236])
        self.assertEqual(self.query("SELECT from_height, to_height, reason FROM gaps"),
                         [["76538235", "76538235", "UNKNOWN_BLOCK"]])
        self.assertIn("76538236", self.value("SELECT detail FROM gaps"))  # the child that proves it
        self.assertEqual(self.query("SELECT height FROM skipped_heights"), [])
        self.assertEqual(self.query("SELECT block_height, shard_id FROM chunks WHERE missing"), [["76538236", "0"]])
        self.assertEqual(self.value("SELECT count(*) FROM chunks"), "28")

    def test_all_holds_every_receipt_of_the_recorded_results(self):
        # Hosts seem to track no shard whose chunks were not recorded: trees come between two looks, seconds apart.
        config = self.config(self.serving, start=76538229, patience="10s")
        run = ("run", "--config", config, "--until", 76538236)
        self.receiptd(*run, expect=3)
        if self.value("SELECT count(*) FROM transactions WHERE status IS NULL") != "0":
            self.receiptd(*run, expect=3)  # a run ends where trees stand still: on a busy machine before the last one came
        complete = [(height, chunks) for height, chunks in complete_heights(self.recorded) if height <= 76538236]
        self.assertEqual([height for height, _ in complete], [76538229, 76538231, 76538232])
        self.assertEqual(self.query("SELECT block_height FROM blocks ORDER BY 1"),
                         [[str(height)] for height, _ in complete])
        self.assertEqual(self.query("SELECT from_height, to_height, reason FROM gaps"),
                         [["76538230", "76538230", "UNKNOWN_CHUNK"], ["76538233", "76538234", "UNKNOWN_CHUNK"],
                          ["76538235", "76538235", "UNKNOWN_BLOCK"], ["76538236", "76538236", "UNKNOWN_CHUNK"]])
        self.assert_trees_as_recorded([chunk for _, chunks in complete for chunk in chunks])

    def assert_trees_as_recorded(self, chunks):
        hashes = [tx["hash"] for chunk in chunks
                  for tx in json.loads((self.recorded / "chunk" / f"{chunk}.json").read_text())["transactions"]]
        self.assertEqual(len(hashes), 9)
        self.assertEqual({row[0] for row in self.query("SELECT tx_hash FROM transactions")}, set(hashes))
        expected = set()
        for tx_hash in hashes:
            result = json.loads((self.recorded / "tx" / f"{tx_hash}.json").read_text())
            for outcome in result["receipts_outcome"]:
                expected.add((tx_hash, outcome["id"], outcome["outcome"]["executor_id"],
                              str(outcome["outcome"]["gas_burnt"]), outcome["outcome"]["tokens_burnt"],
                              "failure" if "Failure" in outcome["outcome"]["status"] else "success"))
        stored = self.query("SELECT tx_hash, receipt_id, receiver_id, gas_burnt, tokens_burnt, "
                            "regexp_replace(status, '_.*', '') FROM receipts")
        self.assertEqual({tuple(row) for row in stored}, expected)
        self.assertEqual(len(stored), len(expected))
        self.assertEqual(self.value("SELECT count(*) FROM transactions WHERE status IS NULL"), "0")

    def test_a_failed_transaction_is_shown_from_the_upstream(self):
        config = self.config(self.serving, start=76538229)
        self.receiptd("migrate", "--config", config)
        text, _ = self.receiptd("tx", "--config", config, FAILED, "vietnq77.near")
        result = json.loads((self.recorded / "tx" / f"{FAILED}.json").read_text())
        self.assertIn(FAILED, text)
        for outcome in result["receipts_outcome"]:
            self.assertIn(outcome["outcome"]["executor_id"], text)
        self.assertIn("✗", text)
        self.assertIn("from the upstream", text)
        self.assertEqual(self.value("SELECT count(*) FROM receipts"), "0")


class RecordedWholeBlocks(support.Scenario):
    """Each recorded whole block by a backfill of its own, all into one database."""

    def test_counts_are_those_of_the_json(self):
        self.assert_counts_of_the_json(support.RECORDED / "whole-block")

    def test_counts_of_the_larger_set_are_those_of_the_json(self):
        most = support.count_of("recordings")
        if not most:
            self.skipTest("./dev sweep recordings follows them")
        self.assert_counts_of_the_json(self.shared("whole-block"), most)

    def assert_counts_of_the_json(self, folder, most=None):
        config = self.config(self.sandbox("--whole-blocks", folder), source="neardata")
        total = dict.fromkeys(("transactions", "receipts", "failures", "data_receipts", "events"), 0)
        for file in sorted(folder.glob("*.json"))[:most]:
            with self.subTest(height=file.stem):
                expected = counts_of(json.loads(file.read_text()))
                self.receiptd("backfill", "--config", config, "--from", file.stem, "--to", file.stem)
                self.assertEqual(self.stored_at(file.stem), expected)
                total = {name: total[name] + count for name, count in expected.items()}
        self.assertEqual(self.value("SELECT count(*) FROM receipts WHERE status = 'failure'"), str(total["failures"]))
        self.assertEqual(self.value("SELECT count(*) FROM receipts"), str(total["receipts"]))
        self.assertEqual(self.value("SELECT count(*) FROM gaps"), "0")

    def stored_at(self, height):
        counts = {name: int(self.value(f"SELECT count(*) FROM {name} WHERE block_height = {height}"))
                  for name in ("transactions", "receipts", "data_receipts", "events")}
        counts["failures"] = int(self.value(
            f"SELECT count(*) FROM receipts WHERE status = 'failure' AND block_height = {height}"))
        return counts


if __name__ == "__main__":
    support.main()
