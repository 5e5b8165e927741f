"""Chains recorded on real nodes, from every source: every outcome is stored as the node told it, each verdict is that of the node and of the
rules, the rows are the same, and stay so when they are judged again."""

import json
import pathlib
import tarfile

import support

RECORDED = support.RECORDED / "nearcore-84"
# Answers to `tx` tell no shard, the recording has no shard layout, and a path alone tells a place in the left half only.
# Only whole blocks have all outcomes of a chunk, and only trees that are fetched are confirmed one by one.
OF_ONE_SOURCE = {"receipts": ("shard_id", "index_in_chunk"), "chunks": ("executed_root",), "transactions": ("confirmed",)}
TABLES = ("blocks", "chunks", "transactions", "receipts", "data_receipts", "events", "transaction_results", "findings",
          "global_contract_distributions")


def load(path):
    answer = json.loads(path.read_text())
    return answer.get("result", answer)


class Recording:
    """A folder with shapes.json, whole-block/HEIGHT.json and, below `rpc`, block/HEIGHT.json, chunk/HASH.json and
    tx/HASH.json."""

    def __init__(self, folder):
        self.folder, self.rpc = folder, folder / "rpc"
        self.shapes = json.loads((folder / "shapes.json").read_text())
        self.blocks = {int(path.stem): load(path) for path in (folder / "whole-block").glob("[0-9]*.json")}
        self.first, self.last = min(self.blocks), max(self.blocks)
        self.skipped = [height for height in range(self.first, self.last) if height not in self.blocks]
        self.height_of = {block["block"]["header"]["hash"]: height for height, block in self.blocks.items()}

    def trees(self):
        """Answers whose outcomes are all in these blocks."""
        for path in sorted((self.rpc / "tx").glob("*.json")):
            answer = load(path)
            outcomes = [answer["transaction_outcome"], *answer["receipts_outcome"]]
            if all(one["block_hash"] in self.height_of for one in outcomes):
                yield answer

    def row(self, outcome):
        """The columns that a row must have for an outcome."""
        told = outcome["outcome"]
        status = next(iter(told["status"]))
        words = {"SuccessValue": "success_value", "SuccessReceiptId": "success_receipt_id", "Failure": "failure"}
        return [outcome["id"], str(self.height_of[outcome["block_hash"]]), words[status], str(told["gas_burnt"]),
                told["tokens_burnt"], "{" + ",".join(told["receipt_ids"]) + "}" if told["receipt_ids"] else None]


def sides_of_leaves(count):
    """The sides of the path of each leaf of a Merkle tree, from the leaf up (encoding.md 7.2)."""
    level, sides = [[leaf] for leaf in range(count)], [[] for _ in range(count)]
    while len(level) > 1:
        pairs = [level[i:i + 2] for i in range(0, len(level), 2)]
        for pair in pairs:
            for leaf in pair[0] if len(pair) == 2 else []:
                sides[leaf].append("Right")
            for leaf in pair[1] if len(pair) == 2 else []:
                sides[leaf].append("Left")
        level = [sum(pair, []) for pair in pairs]
    return sides


def places_in_chunks(recording):
    """[receipt id, place among the outcomes of its chunk], by the outcomes' own paths."""
    for block in recording.blocks.values():
        for shard in block["shards"]:
            converted = shard["chunk"]["transactions"] if shard["chunk"] else []
            executed = shard["receipt_execution_outcomes"]
            sides = sides_of_leaves(len(converted) + len(executed))
            for one in executed:
                path = [step["direction"] for step in one["execution_outcome"]["proof"]]
                yield [one["execution_outcome"]["id"], str(sides.index(path))]


def canonical(cell):
    """JSON with sorted keys, and so where it is stored as bytes (as it was given); anything else as it is."""
    text = bytes.fromhex(cell[2:]).decode() if cell and cell.startswith("\\x7b") else cell
    if text and text[0] in "{[":
        try:
            return json.dumps(json.loads(text), sort_keys=True)
        except ValueError:
            pass
    return cell


class RecordedChain(support.Scenario):
    def unpacked(self, name):
        folder = pathlib.Path(self.folder) / name
        with tarfile.open(RECORDED / f"{name}.tar.xz") as archive:
            archive.extractall(folder, filter="data") if hasattr(tarfile, "data_filter") else archive.extractall(folder)
        return Recording(folder)

    def ingest(self, recording, source):
        database = self.make_database()
        flags = {"rpc": ["--rpc", recording.rpc], "neardata": ["--whole-blocks", recording.folder / "whole-block"]}
        flags["indexer"] = flags["rpc"] + flags["neardata"]  # heights by `block`, their contents from whole blocks
        flags = flags[source]
        config = self.config(self.sandbox(*flags), source=source, start=recording.first, patience="60s",
                             database=database)
        self.receiptd("run", "--config", config, "--until", recording.last)
        before = [self.rows(database, table) for table in TABLES]
        self.receiptd("rejudge", "--config", config, "--from", recording.first, "--to", recording.last)
        self.assertEqual([self.rows(database, table) for table in TABLES], before)
        return database

    def rows(self, database, table, hidden=OF_ONE_SOURCE):
        hidden = hidden.get(table, ())
        names = [row[0] for row in self.query("SELECT column_name FROM information_schema.columns WHERE table_name = "
                                              f"'{table}' AND table_schema = 'public' ORDER BY ordinal_position", database)
                 if row[0] not in hidden]
        found = self.query("SELECT " + ", ".join(f'"{name}"::text' for name in names) + f" FROM {table}", database)
        return names, sorted(([canonical(cell) for cell in row] for row in found), key=repr)

    def assert_outcomes(self, recording, database):
        transactions, receipts = [], []
        for tree in recording.trees():
            transactions.append(recording.row(tree["transaction_outcome"])[:5])
            receipts += [recording.row(one) for one in tree["receipts_outcome"]]
        stored = {row[0]: row for row in self.query(
            "SELECT tx_hash, block_height, status, gas_burnt, tokens_burnt FROM transactions", database)}
        self.assertEqual([stored.get(row[0]) for row in transactions], transactions)
        stored = {row[0]: row for row in self.query(
            "SELECT receipt_id, block_height, status, gas_burnt, tokens_burnt, receipt_ids::text FROM receipts", database)}
        self.assertEqual([stored.get(row[0]) for row in receipts], receipts)
        self.assertGreater(len(receipts), 10)

    def assert_verdicts(self, recording, database):
        """The status of each tree is the node's own; of each shape, verdict, roles and failures are those of shapes.json."""
        words = {"SuccessValue": "success", "Failure": "failure"}
        told = {tree["transaction"]["hash"]: words[next(iter(tree["status"]))] for tree in recording.trees()}
        stored = dict(self.query("SELECT tx_hash, near_status FROM transaction_results", database))
        self.assertEqual({tx_hash: stored.get(tx_hash) for tx_hash in told}, told)
        shapes = {row[0]: {"verdict": row[1], "roles": {}, "failed": [], "handled": []}
                  for row in self.query("SELECT tx_hash, verdict FROM transaction_results", database)}
        for tx_hash, receipt_id, role in self.query("SELECT tx_hash, receipt_id, role FROM receipts", database):
            shapes[tx_hash]["roles"][receipt_id] = role
        for tx_hash, receipt_id, handled in self.query(
                "SELECT tx_hash, receipt_id, handled FROM findings WHERE kind = 'failed_receipt' ORDER BY 2", database):
            shapes[tx_hash]["failed"].append(receipt_id)
            shapes[tx_hash]["handled"] += [receipt_id] if handled == "t" else []
        self.assertEqual(len({shape["tx_hash"] for shape in recording.shapes}), len(recording.shapes))
        for shape in recording.shapes:
            with self.subTest(shape=shape["name"], what=shape["what"]):
                self.assertEqual(shapes.get(shape["tx_hash"]),
                                 {"verdict": shape["verdict"], "roles": shape["roles"],
                                  "failed": sorted(shape["failed"]), "handled": sorted(shape["handled"])})

    def assert_same_rows(self, one, other, hidden=OF_ONE_SOURCE):
        for table in TABLES:
            with self.subTest(table=table):
                names, rows = self.rows(one, table, hidden)
                _, others = self.rows(other, table, hidden)
                self.assertEqual(len(rows), len(others))
                differing = [(name, x, y) for a, b in zip(rows, others) for name, x, y in zip(names, a, b) if x != y]
                self.assertEqual(differing, [])

    def assert_stored_as_told(self, recording):
        whole, rpc, own = (self.ingest(recording, source) for source in ("neardata", "rpc", "indexer"))
        for database in (whole, rpc, own):
            self.assert_outcomes(recording, database)
            self.assert_verdicts(recording, database)
            self.assertEqual([int(row[0]) for row in self.query("SELECT height FROM skipped_heights ORDER BY 1", database)],
                             recording.skipped)
            self.assertEqual(self.value("SELECT count(*) FROM gaps", database), "0")
        places = sorted(places_in_chunks(recording))
        self.assertEqual(sorted(self.query("SELECT receipt_id, index_in_chunk FROM receipts", whole)), places)
        proven = self.query("SELECT receipt_id, index_in_chunk FROM receipts WHERE index_in_chunk IS NOT NULL", rpc)
        self.assertGreater(len(proven), 0)
        self.assertEqual([place for place in proven if place not in places], [])
        self.assert_same_rows(whole, rpc)
        self.assert_same_rows(whole, own, hidden={})
        return whole, rpc, own


class Selection(RecordedChain):
    def test_scripted_and_random_trees(self):
        for database in self.assert_stored_as_told(self.unpacked("one_validator")):
            self.assertEqual(self.query("SELECT deployer_id, shards_with_it, shards, complete_height FROM global_contracts('-infinity')",
                                        database), [["app.run2.node0", "4", "4", "1249"]])

    def test_skipped_heights_and_missing_chunks(self):
        recording = self.unpacked("stopped_validators")
        self.assertGreater(len(recording.skipped), 15)
        self.assert_stored_as_told(recording)

    def test_a_tree_of_82_receipts_and_one_of_seven_contracts(self):
        self.assert_stored_as_told(self.unpacked("wide_and_deep"))


class Everything(RecordedChain):
    """The whole recordings, where they stand beside the clone."""

    def linked(self, name):
        """With nothing but the blocks among the whole blocks."""
        shared, folder = self.shared(name), pathlib.Path(self.folder) / name
        (folder / "whole-block").mkdir(parents=True)
        (folder / "rpc").symlink_to(shared)
        (folder / "shapes.json").symlink_to(shared / "shapes.json")
        for path in (shared / "whole-block").glob("[0-9]*.json"):
            (folder / "whole-block" / path.name).symlink_to(path)
        return Recording(folder)

    def test_one_validator(self):
        self.assert_stored_as_told(self.linked("nearcore-84"))

    def test_stopped_validators(self):
        self.assert_stored_as_told(self.linked("nearcore-84-faults"))

    def test_protocol_86(self):
        recording = self.linked("nearcore-86")
        instant = [receipt for block in recording.blocks.values() for shard in block["shards"] if shard["chunk"]
                   for receipt in shard["chunk"]["instant_receipts"]]
        self.assertEqual(len(instant), 4)  # chunks of `rpc` do not list them
        for database in self.assert_stored_as_told(recording):
            self.assertEqual(self.query("SELECT DISTINCT protocol_version FROM blocks", database), [["86"]])


if __name__ == "__main__":
    support.main()
