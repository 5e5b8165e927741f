"""A transaction that was over before anybody watched it is stored, judged and told like any other, whatever is followed."""

import support
from truth import Judging

SCOPES = {"headers": "", "accounts": 'accounts = ["nobody.sandbox"]', "all": ""}
NODE = ("receipt_id", "parent", "role", "predecessor_id", "receiver_id", "executed_height", "status")


class Kept(Judging, support.Scenario):
    def living_chain(self):
        self.chain = self.sandbox("--block-time-ms", 50, "--traffic", "failures", "--tps", 20, "--seed", 5,
                                  "--genesis-time", "now", command="run")
        self.genesis = self.chain.rpc("block", {"sync_checkpoint": "genesis"})["header"]["height"]
        found = support.wait_until("callbacks have failed", lambda: self.over("callback_failed", 2))
        self.chain.ask("/traffic", {"tps": 0})
        return found

    def final_height(self):
        return self.chain.ask("/status")["final_height"]

    def over(self, verdict, many):
        truth = self.chain.ask(f"/truth?from={self.genesis}&to={self.final_height()}")
        found = [t for t in truth if t["verdict"] == verdict and t["stage"] == "final"]
        return len(found) >= many and found[:many]

    def configured(self, source, scope, database):
        # Nothing is sent: what is to be sent is looked at.
        secret = self.folder / f"{source}-{scope}.secret"  # a daemon that starts may read it at any time
        secret.write_text("whsec_" + "A" * 44)
        secret.chmod(0o600)
        endpoint = f'[[endpoint]]\nname = "ops"\nurl = "https://127.0.0.1:9/"\nsecret_file = "{secret}"\n'
        return self.config(self.chain, source=source, scope=scope, start='"head"', network="sandbox",
                           database=database, patience="60s", follow=SCOPES[scope], extra=endpoint)

    def watch(self, transactions, database):
        for t in transactions:
            self.query(f"INSERT INTO watches (tx_hash, sender_id) VALUES ('{t['tx_hash']}', '{t['signer_id']}')", database)

    def stored(self, transactions, database):
        hashes = ", ".join(f"'{t['tx_hash']}'" for t in transactions)
        return int(self.value(f"SELECT count(*) FROM transaction_results WHERE tx_hash IN ({hashes})", database))

    def assert_stored(self, transactions, database):
        hashes = ", ".join(f"'{t['tx_hash']}'" for t in transactions)
        self.assert_same({row for row in self.stored_results(database) if row[0] in hashes},
                         self.true_results(transactions))
        self.assert_same({row for row in self.stored_findings(database) if row[1] in hashes},
                         self.true_findings(transactions))
        rows = self.query(f"SELECT receipt_id, parent_receipt_id, role, predecessor_id, receiver_id, block_height, status "
                          f"FROM receipts WHERE tx_hash IN ({hashes})", database)
        true = {tuple(None if node[name] is None else str(node[name]) for name in NODE)
                for t in transactions for node in t["tree"]}
        self.assertEqual(len(rows), len(true))
        self.assert_same({tuple(row) for row in rows}, true)

    def test_it_is_stored_found_and_told(self):
        transactions = self.living_chain()
        daemons, databases = {}, {}
        for source in ("neardata", "rpc"):
            for scope in SCOPES:
                database = databases[source, scope] = self.make_database()
                config = self.configured(source, scope, database)
                self.receiptd("migrate", "--config", config)
                self.watch(transactions, database)
                daemons[source, scope] = self.start("run", "--config", config)
        for what, database in databases.items():
            with self.subTest(what):
                support.wait_until("both are stored", lambda: daemons[what].poll() is not None
                                   or self.stored(transactions, database) == 2)
                self.assertIsNone(daemons[what].poll(), daemons[what].log()[-3000:])
                self.assert_stored(transactions, database)
                support.wait_until("the watches have ended", lambda: self.value(
                    "SELECT count(*) FROM watches WHERE stage = 'final' AND verdict = 'callback_failed'", database) == "2")
                findings = self.true_findings(transactions)
                told = self.query("SELECT alert_id FROM deliveries WHERE endpoint = 'ops'", database)
                self.assertLessEqual({row[0] for row in findings}, {row[0] for row in told})

    def test_its_blocks_may_come_later(self):
        transactions = self.living_chain()
        last = max(t["heights"]["refunded"] for t in transactions)
        for source in ("neardata", "rpc"):
            with self.subTest(source):
                database = self.make_database()
                config = self.configured(source, "all", database)
                self.receiptd("migrate", "--config", config)
                daemon = self.start("run", "--config", config)
                support.wait_until("it follows", lambda: daemon.poll() is not None or self.value(
                    "SELECT count(*) FROM blocks", database) != "0")
                self.watch(transactions, database)
                support.wait_until("both are stored", lambda: self.stored(transactions, database) == 2)
                middle = transactions[0]["heights"]["included"]
                for low, high in ((middle, middle), (middle + 1, last), (self.genesis + 1, middle - 1)):
                    if low <= high:
                        self.receiptd("backfill", "--config", config, "--from", low, "--to", high)
                        self.assert_stored(transactions, database)
                self.kill(daemon)
                truth = self.chain.ask(f"/truth?from={self.genesis}&to={last}")
                settled = self.settled_by(truth, last)
                results = self.stored_results(database)
                self.assert_same(results & self.true_results(settled), self.true_results(settled))


if __name__ == "__main__":
    support.main()
