"""What happened while no daemon ran is a gap that is filled beside the head, and is told; unless an operator skips it."""

import time

import support
from receiver import Receiver, endpoint, secret_file
from truth import Judging

DAY = 86_400 * 10 ** 9  # ns


class Interrupted(Judging, support.Scenario):
    """A daemon before a chain that goes on only by advance()."""

    def begin(self, *chain):
        self.chain = self.sandbox("--traffic", "failures", "--seed", 9, *chain, command="run")
        self.chain.ask("/pause", {})

    def followed(self, source, start, url="https://127.0.0.1:9/", extra=""):
        """A daemon that has stored some blocks, and is killed. Its endpoint does not answer, if none is given."""
        database = self.make_database()
        config = self.config(self.chain, source=source, start=start, network="sandbox", database=database, patience="60s",
                             extra=endpoint("ops", url, secret_file(self.folder)) + extra)
        daemon = self.start("run", "--config", config)
        self.until_stored(database, self.final_height())
        self.kill(daemon)
        return database, config

    def final_height(self):
        return self.chain.ask("/status")["final_height"]

    def until_stored(self, database, height):
        support.wait_until(f"block {height} is stored", lambda: self.value("SELECT to_regclass('coverage')", database)
                           and self.value(f"SELECT EXISTS (SELECT FROM blocks WHERE block_height = {height})", database) == "t")

    def advance(self, blocks):
        self.chain.ask("/advance", {"blocks": blocks})

    def gaps(self, database):
        return self.query("SELECT from_height, to_height, reason FROM gaps", database)


class Missed(Interrupted):
    def setUp(self):
        super().setUp()
        self.begin("--block-time-ms", 50, "--tps", 20, "--genesis-time", "now")

    def test_each_failure_of_a_long_break_is_stored_and_told(self):
        self.advance(30)
        followed = {source: self.followed(source, '"head"') for source in ("neardata", "rpc")}
        first = self.final_height() + 1
        self.advance(300)  # more than is caught up with before the head
        last = self.final_height()
        self.chain.ask("/traffic", {"tps": 0})
        self.advance(60)
        truth = [t for t in self.chain.ask(f"/truth?from={first}&to={last}") if t["stage"] == "final"]
        failed = [t for t in truth if t["verdict"] == "callback_failed"]
        self.assertGreater(len(failed), 3)
        for source, (database, config) in followed.items():
            with self.subTest(source):
                daemon = self.start("run", "--config", config)
                self.until_stored(database, self.final_height())
                support.wait_until("nothing is missing", lambda: not self.gaps(database))
                hashes = ", ".join(f"'{t['tx_hash']}'" for t in truth)
                support.wait_until("all are judged", lambda: self.value(
                    f"SELECT count(*) FROM transaction_results WHERE tx_hash IN ({hashes})", database) == str(len(truth)))
                due = {row[0] for row in self.true_findings(failed)}
                told = lambda: {row[0] for row in self.query("SELECT alert_id FROM deliveries WHERE endpoint = 'ops'", database)}
                support.wait_until("all is told", lambda: due <= told())  # that a yield timed out shows when its data can be had
                self.kill(daemon)

    def test_an_operator_skips_it_and_takes_it_back(self):
        self.advance(30)
        database, config = self.followed("neardata", '"head"')
        first = self.final_height() + 1
        self.advance(300)
        head = self.final_height()
        said, _ = self.receiptd("skip", "--config", config, "--to", "head")
        self.assertIn(f"skipped: {{[{first},{head + 1})}}", said)
        self.assertEqual(self.gaps(database), [[str(first), str(head), "skipped by operator"]])
        self.advance(20)
        daemon = self.start("run", "--config", config)
        self.until_stored(database, self.final_height())
        support.wait_until("only that is missing", lambda: self.gaps(database)
                           == [[str(first), str(head), "skipped by operator"]])
        said, _ = self.receiptd("status", "--config", config, expect=None)
        self.assertIn(f"skipped     {first} to {head}, by an operator", said)
        self.assertIn(f"heights skipped by operator from {first}", self.page(daemon, "/")[1])
        self.kill(daemon)
        self.receiptd("skip", "--config", config, "--to", "head", expect=1)
        self.receiptd("skip", "--config", config, "--to", "heed", expect=2)
        self.receiptd("backfill", "--config", config, "--from", first, "--to", head)
        self.assertEqual(self.gaps(database), [])

    def test_a_backfill_is_cancelled_and_one_below_genesis_is_refused(self):
        self.advance(30)
        database, config = self.followed("neardata", self.final_height())
        below = 100, 109
        _, said = self.receiptd("backfill", "--config", config, "--from", below[0], "--to", below[1], expect=1)
        self.assertIn("height 100 is below the first block of the chain", said)
        self.assertEqual(self.gaps(database), [])
        self.query("UPDATE coverage SET wanted = wanted + '{[100,110)}'", database)  # as earlier versions did
        self.query("INSERT INTO backfills (from_height, to_height) VALUES (100, 109)", database)
        said, _ = self.receiptd("backfill", "--cancel", "--config", config, "--from", below[0], "--to", below[1])
        self.assertIn("skipped: {[100,110)}", said)
        self.assertEqual(self.gaps(database), [["100", "109", "skipped by operator"]])
        self.assertEqual(self.value("SELECT state FROM backfills", database), "finished")



class EndsOfWatches(Interrupted):
    def test_those_of_a_long_break_are_told(self):
        self.begin("--block-time-ms", 3_600_000, "--tps", 0.003, "--genesis-time", time.time_ns() - 3 * DAY)
        self.advance(5)
        ends = '[[rule]]\nname = "ends"\nkind = "stage"\nstages = ["final"]\n'
        database, config = self.followed("neardata", '"head"', extra=ends)
        config.write_text(config.read_text().replace('"every-finding"]', '"every-finding", "ends"]'))
        first = self.final_height() + 1
        self.advance(40)
        truth = [t for t in self.chain.ask(f"/truth?from={first}&to={first + 20}") if t["stage"] == "final"]
        self.assertGreater(len(truth), 10)
        for t in truth:
            self.receiptd("watch", t["tx_hash"], t["signer_id"], "--config", config)
        daemon = self.start("run", "--config", config)
        due = {f"final:{t['tx_hash']}" for t in truth}
        told = "SELECT split_part(alert_id, ':', 1) || ':' || tx_hash FROM alerts JOIN deliveries USING (alert_id) WHERE NOT withhold_late"
        support.wait_until("each end is told", lambda: due <= {row[0] for row in self.query(told, database)})
        self.kill(daemon)


class MoreThanAWeek(Interrupted):
    def test_what_is_older_than_a_week_is_kept_as_late_and_can_be_sent(self):
        begun = time.time_ns() - 10 * DAY
        self.begin("--block-time-ms", 3_600_000, "--tps", 0.001, "--genesis-time", begun)
        self.advance(5)
        receiver = Receiver()
        self.addCleanup(receiver.stop)
        database, config = self.followed("neardata", '"head"', receiver.url)
        support.sql(database, "UPDATE chain_identity SET created_at = created_at - interval '30 days'")  # before all of it happened
        last = self.final_height()
        self.advance(24 * 9)
        daemon = self.start("run", "--config", config)
        self.until_stored(database, self.final_height())
        support.wait_until("nothing is missing", lambda: not self.gaps(database))
        self.assertIn("blocks of more than a week are missing", daemon.log())
        head = self.final_height()
        self.advance(2)  # they confirm the outcomes below
        fates = ("SELECT f.block_time < b.newest - interval '7 days 3 hours' AS old, d.state, count(*) > 5 FROM findings f "
                 "JOIN deliveries d ON d.alert_id = f.finding_id, (SELECT max(block_time) AS newest FROM blocks) b "
                 f"WHERE f.block_height BETWEEN {last + 1} AND {head} AND abs(extract(epoch FROM b.newest - interval '7 days' - f.block_time)) > 3600 * 3 "
                 "GROUP BY 1, 2 ORDER BY 1")
        support.wait_until("each has its fate", lambda: self.query(fates, database) == [["f", "delivered", "t"], ["t", "late", "t"]])
        late = self.value("SELECT count(*) FROM deliveries WHERE state = 'late'", database)
        said, _ = self.receiptd("alerts", "resend", "--state", "late", "--config", config)
        self.assertIn(f"{late} deliveries are due now", said)
        support.wait_until("they are sent", lambda: self.value("SELECT EXISTS (SELECT FROM deliveries WHERE state IN ('late', 'pending'))", database) == "f")
        self.kill(daemon)
        self.bring_back_the_cause_of_forgotten_alerts(database, config, last + 1, head)

    def bring_back_the_cause_of_forgotten_alerts(self, database, config, first, last):
        """Alerts are forgotten after a month."""
        height = self.value(f"SELECT min(block_height) FROM findings WHERE block_height BETWEEN {first} AND {last} AND receipt_id IS NOT NULL",
                            database)
        self.query(f"DELETE FROM alerts a USING findings f WHERE a.alert_id = f.finding_id AND f.block_height = {height}", database)
        self.receiptd("repair", "--config", config, "--height", height)
        daemon = self.start("run", "--config", config)
        states = ("SELECT DISTINCT d.state FROM findings f JOIN deliveries d ON d.alert_id = f.finding_id "
                  f"WHERE f.block_height = {height} AND d.state <> 'pending'")
        support.wait_until("it is found again", lambda: self.query(states, database))
        self.assertEqual(self.query(states, database), [["late"]])
        self.kill(daemon)


if __name__ == "__main__":
    support.main()
