"""`receiptd rules test` on stored history gives, id by id, what the daemon queued when it followed that history.
./dev sweep rehearsal does it with more transactions."""

import json
import pathlib
import re
import tarfile
import time
import urllib.request

import support
from told import MORE_RULES, NAMES, Told

TRANSACTIONS = support.count_of("rehearsal", 240)
PER_BLOCK = 4
TOKEN = "the-token-of-the-rehearsal"
ALL_NAMES = [*NAMES, "callbacks", "handled", "large", "default"]
RULES_OF = """SELECT alert_id, (SELECT string_agg(split_part(rule, '@', 1), ' ' ORDER BY split_part(rule, '@', 1))
    FROM unnest(rules) AS rule) FROM deliveries"""


class Rehearsal(Told):
    def queued(self, database, last):
        """Without what lies above the last block, as history is what blocks prove: rpc tells whole trees."""
        above = set(self.column(f"SELECT receipt_id FROM receipts WHERE block_height > {last} UNION "
                                f"SELECT tx_hash FROM transaction_results WHERE completed_height > {last}", database))
        return {alert_id: rules for alert_id, rules in self.query(RULES_OF, database)
                if alert_id.split(":")[1] not in above}

    def assert_rehearsed(self, config, database, last):
        """Returns what was queued."""
        queued = self.queued(database, last)
        text, _ = self.receiptd("rules", "test", "--config", config, "--from", 0, "--to", last + 10_000, "--json")
        told = {alert["alert_id"]: " ".join(sorted(alert["rules"])) for alert in json.loads(text)["alerts"]}
        self.assertEqual(set(told) ^ set(queued), set())
        self.assertEqual(told, queued)
        return queued


    def assert_served(self, config, last):
        """A daemon answers as the command does."""
        token = self.folder / "token"
        token.write_text(TOKEN)
        token.chmod(0o600)
        config.write_text(config.read_text().replace("[http]\n", f'[http]\ntoken_file = "{token}"\n'))
        daemon = self.start("run", "--config", config)
        self.page(daemon, "/livez")
        address = re.search(r"listen=(\S+)", daemon.log())[1]
        body = json.dumps({"from": self.genesis, "to": last, "rule": "callbacks"}).encode()
        headers = {"Content-Type": "application/json", "Authorization": "Bearer " + TOKEN}

        def is_the_same():  # as soon as both see one state of the database
            asked = urllib.request.Request(f"http://{address}/v1/rules/test", body, headers)
            with urllib.request.urlopen(asked) as answer:
                served = json.load(answer)
            text, _ = self.receiptd("rules", "test", "--config", config, "--from", self.genesis, "--to", last,
                                    "--rule", "callbacks", "--json")
            self.assertTrue(served["alerts"])
            return served == json.loads(text)

        support.wait_until("the daemon tells the same", is_the_same)


class OfTheSandbox(Rehearsal):
    def test_a_rehearsal_on_history_gives_what_was_queued(self):
        chain = self.lively_chain(tps=PER_BLOCK * 20)
        last = self.genesis + TRANSACTIONS // PER_BLOCK
        self.come_to(chain, last + 40)
        for source in ("neardata", "rpc"):
            with self.subTest(source):
                database = self.make_database()
                config = self.configured(chain, source, database, ALL_NAMES, MORE_RULES, network="sandbox")
                self.follow(config, last, deadline=support.DEADLINE + TRANSACTIONS * 0.05)
                queued = self.assert_rehearsed(config, database, last)
                self.assertGreater(len(queued), TRANSACTIONS * 2)
                self.assertEqual({rule for rules in queued.values() for rule in rules.split()}, set(ALL_NAMES),
                                 "each has matched")
                said, _ = self.receiptd("rules", "test", "--config", config, "--from", 0, "--to", last + 10_000,
                                        "--rule", "large")
                large = sum("large" in rules.split() for rules in queued.values())
                self.assertIn(f"rule large: {large}\n", said)
                said, _ = self.receiptd("rules", "test", "--config", config, "--from", 0, "--to", 0)
                for rule in set(ALL_NAMES) - {"default"}:
                    self.assertIn(f"  rule {rule}: 0\n", said)
        self.assert_served(config, last)


def shifted(block, nanoseconds):
    """A block that is younger."""
    header = block.get("block", block)["header"]
    time_of = int(header["timestamp_nanosec"]) + nanoseconds
    header["timestamp_nanosec"], header["timestamp"] = str(time_of), time_of
    return block


class OfRecordedBlocks(Rehearsal):
    def recorded(self):
        """The blocks of a real node, the last of them a minute old."""
        folder = pathlib.Path(self.folder) / "recorded"
        with tarfile.open(support.RECORDED / "nearcore-84" / "one_validator.tar.xz") as archive:
            archive.extractall(folder, filter="data") if hasattr(tarfile, "data_filter") else archive.extractall(folder)
        paths = sorted(folder.glob("whole-block/[0-9]*.json"), key=lambda path: int(path.stem))
        blocks = {path: json.loads(path.read_text()) for path in paths}
        newest = max(int(block["block"]["header"]["timestamp_nanosec"]) for block in blocks.values())
        for path, block in blocks.items():
            path.write_text(json.dumps(shifted(block, time.time_ns() - newest - 60 * 10**9)))
        return folder / "whole-block", int(paths[0].stem), int(paths[-1].stem)

    def test_of_a_real_node_gives_what_was_queued(self):
        folder, first, last = self.recorded()
        database = self.make_database()
        config = self.configured(self.sandbox("--whole-blocks", folder), "neardata", database, ALL_NAMES, MORE_RULES, first)
        self.follow(config, last)
        queued = self.assert_rehearsed(config, database, last)
        self.assertGreater(len(queued), 100)


if __name__ == "__main__":
    support.main()
