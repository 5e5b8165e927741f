"""`receiptd plan` beside what following then takes: ./dev bench plan does so for an hour, with the pace of a real chain."""

import json

import support

SETTLED, FOLLOWED = 60, 100  # heights until tables are measured, and then
SECONDS_A_DAY = 86_400
BYTES = """SELECT coalesce(parent.relname, own.relname), sum(pg_total_relation_size(own.oid))
FROM pg_class own LEFT JOIN pg_inherits ON inhrelid = own.oid LEFT JOIN pg_class parent ON parent.oid = inhparent
WHERE own.relkind = 'r' AND coalesce(parent.relnamespace, own.relnamespace) = 'public'::regnamespace GROUP BY 1"""


class Forecast(support.Scenario):
    def setUp(self):
        super().setUp()
        self.chain = self.sandbox("--block-time-ms", 0, "--traffic", "mixed", "--tps", 20, "--seed", 8, command="run")
        self.first = self.chain.ask("/status")["final_height"]
        self.chain.ask("/advance", {"blocks": SETTLED + FOLLOWED + 300})  # the newest are not sampled

    def followed(self, source):
        """Bytes by table that FOLLOWED heights took."""
        database = self.make_database()
        config = self.config(self.chain, source=source, start=self.first, network="sandbox", patience="60s", database=database)
        taken = []
        for last in (self.first + SETTLED - 1, self.first + SETTLED + FOLLOWED - 1):
            self.receiptd("run", "--config", config, "--until", last)
            # How often rows are replaced on the way depends on the machine's pace; what stays does not.
            self.query("VACUUM FULL", database)
            taken.append({name: int(size) for name, size in self.query(BYTES, database)})
        return {name: size - taken[0][name] for name, size in taken[1].items()}

    def test_the_disk_of_both_sources_is_forecast(self):
        config = self.config(self.chain, source="neardata", network="sandbox", database="postgresql://nobody@127.0.0.1:1/none")
        planned = json.loads(self.receiptd("plan", "--config", config, "--blocks", 480, "--trees", 3_000, "--json")[0])
        for plan in planned:
            with self.subTest(plan["source"]):
                grown = self.followed(plan["source"])
                share = FOLLOWED * plan["seconds_per_height"] / SECONDS_A_DAY
                self.assertAlmostEqual(plan["disk_bytes_a_day"] * share / sum(grown.values()), 1, delta=0.15, msg=str((plan, grown)))
                self.assertEqual(sum(plan["disk_bytes_a_day_by_table"].values()) // 100, plan["disk_bytes_a_day"] // 100)
                for table in ("receipts", "transactions", "transaction_results"):
                    self.assertAlmostEqual(plan["disk_bytes_a_day_by_table"][table] * share / grown[table], 1, delta=0.25, msg=table)


if __name__ == "__main__":
    support.main()
