"""A contract that a transaction deploys for everybody comes to one shard after the other: both sources tell the same of it."""

import re

import support
from handed_in import final_hash, key_of, nonce_of, send
from signer import Signed, deploy_global_contract
from watched import EVERYTHING

CODE = b"\0asm\x01\0\0\0"


class GlobalContracts(support.Scenario):
    def test_both_sources_tell_on_how_many_shards_a_contract_is(self):
        self.chain = self.sandbox("--block-time-ms", 50, command="run")
        genesis = self.chain.rpc("block", {"sync_checkpoint": "genesis"})["header"]["height"]
        databases = {"neardata": self.database, "rpc": self.make_database()}
        configs = {source: self.config(self.chain, source=source, start=genesis + 1, database=database, network="sandbox",
                                       patience="60s", extra=EVERYTHING) for source, database in databases.items()}
        daemons = {source: self.start("run", "--config", config) for source, config in configs.items()}
        deployed = [self.deploy(account, by_account) for account, by_account in (("alice.sandbox", True), ("bob.sandbox", False))]
        for source, database in databases.items():
            support.wait_until("the contracts are everywhere", lambda: daemons[source].poll() is not None or (
                self.value("SELECT to_regprocedure('global_contracts(timestamptz, timestamptz, text)')", database)
                and self.value("SELECT count(*) FROM global_contracts('-infinity') WHERE complete_height IS NOT NULL", database) == "2"))
            support.wait_until("their trees are over", lambda: daemons[source].poll() is not None or self.value(
                "SELECT count(*) FROM transaction_results WHERE verdict = 'succeeded'", database) == "2")
            self.assertIsNone(daemons[source].poll(), daemons[source].log()[-4000:])
        shards = len(self.chain.ask("/status")["shards"])
        self.assertGreater(shards, 1)
        views = [self.query("SELECT * FROM global_contracts('-infinity') ORDER BY deployer_id", database) for database in databases.values()]
        self.assertEqual(views[0], views[1])
        self.assertEqual(self.query("SELECT deployer_id, contract_account_id, shards_with_it, shards FROM global_contracts('-infinity') ORDER BY 1"),
                         [["alice.sandbox", "alice.sandbox", str(shards), str(shards)], ["bob.sandbox", None, str(shards), str(shards)]])
        for table in ("transactions", "receipts", "global_contract_distributions"):
            # Its place in the chunk is not always proven by what rpc tells; only fetched trees are confirmed one by one.
            told = [self.rows(table, database, ("index_in_chunk", "confirmed")) for database in databases.values()]
            self.assertEqual(told[0], told[1], table)
        contract_hash = self.value("SELECT contract_hash FROM global_contracts('-infinity') WHERE deployer_id = 'bob.sandbox'")
        for source, config in configs.items():
            for tx_hash, name in zip(deployed, ("alice.sandbox", contract_hash)):
                out, _ = self.receiptd("tx", tx_hash, "--config", config)
                self.assertRegex(out, rf"contract {re.escape(name)} distributed to {shards} of {shards} shards\n", source)

    def deploy(self, account, by_account):
        key = key_of(self.chain, account)
        sent = Signed(key, account, account, nonce_of(self.chain, account, key) + 1, final_hash(self.chain), 0,
                      action=deploy_global_contract(CODE, by_account))
        send(self.chain, sent)
        return sent.hash


if __name__ == "__main__":
    support.main()
