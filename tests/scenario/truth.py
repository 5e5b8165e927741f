"""Results and findings as the tables have them, against what the sandbox says truly happened."""


class Judging:
    """For a support.Scenario."""

    def assert_same(self, found, expected):
        missing, invented = expected - found, found - expected
        if missing or invented:
            self.fail(f"{len(missing)} missing, {len(invented)} not true of {len(expected)}; "
                      f"for example {sorted(missing)[:2]} against {sorted(invented)[:2]}")

    def true_results(self, truth):
        return {(t["tx_hash"], t["verdict"], str(t["heights"]["included"]), str(t["heights"]["completed"]),
                 str(t["heights"]["refunded"]), str(len(t["tree"])), str(len(t["failed_receipts"])))
                for t in truth}

    def stored_results(self, database):
        rows = self.query("SELECT tx_hash, verdict, included_height, completed_height, settled_height, receipts, "
                          "failed_receipts FROM transaction_results", database)
        self.assertEqual(len({row[0] for row in rows}), len(rows), "a transaction has two results")
        return {tuple(row) for row in rows}

    def true_findings(self, truth):
        return {("failed_receipt:" + f["receipt_id"], t["tx_hash"], f["role"], "t" if f["handled"] else "f")
                for t in truth for f in t["failed_receipts"]}

    def stored_findings(self, database):
        rows = self.query("SELECT finding_id, tx_hash, role, handled FROM findings WHERE kind = 'failed_receipt'",
                          database)
        self.assertEqual(len({row[0] for row in rows}), len(rows), "a cause is found twice")
        return {tuple(row) for row in rows}

    def assert_judged(self, database, settled, completed):
        """All of what is settled, and nothing that is not true of the rest."""
        self.assert_same(self.stored_results(database), self.true_results(settled))
        found = self.stored_findings(database)
        self.assert_same(found & self.true_findings(settled), self.true_findings(settled))
        self.assert_same(found, found & self.true_findings(completed))

    def settled_by(self, truth, last):
        return [t for t in truth if t["heights"]["refunded"] and t["heights"]["refunded"] <= last]
