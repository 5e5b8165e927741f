"""Thousands of alerts stay bearable, and none of them is lost: silences, groups, caps."""

import json

import support
from receiver import Receiver, endpoint, secret_file


class Storms(support.Scenario):
    def setUp(self):
        super().setUp()
        self.receiver = Receiver()
        self.addCleanup(self.receiver.stop)
        self.chain = self.sandbox("--block-time-ms", 50, "--traffic", "failures", "--tps", 40, "--seed", 3,
                                  "--genesis-time", "now", command="run")
        genesis = self.chain.rpc("block", {"sync_checkpoint": "genesis"})["header"]["height"]
        extra = endpoint("ops", self.receiver.url, secret_file(self.folder))
        self.settings = self.config(self.chain, source="neardata", start=genesis + 1, network="sandbox", extra=extra)

    def count(self, condition):
        return int(self.value(f"SELECT count(*) FROM deliveries WHERE {condition}"))


class Silenced(Storms):
    def silences(self, *arguments, expect=0):
        return self.receiptd("silences", *arguments, "--config", self.settings, expect=expect)

    def test_what_a_silence_matches_is_kept_until_it_ends_and_can_be_sent_by_hand(self):
        self.receiptd("migrate", "--config", self.settings)
        made, _ = self.silences("add", "--rule", "every-*", "--for", "1h", "--reason", "a planned storm", "--by", "eve")
        self.assertRegex(made, r"1 active, .* by eve: a planned storm")
        self.start("run", "--config", self.settings)
        support.wait_until("some are silenced", lambda: self.count("state = 'silenced' AND silence_id = 1") > 5)
        self.assertEqual(self.receiver.count(), 0)
        one = self.value("SELECT alert_id FROM deliveries WHERE state = 'silenced' LIMIT 1")
        self.receiptd("alerts", "resend", one, "--config", self.settings)
        support.wait_until("it comes", lambda: self.receiver.count() > 0)
        self.assertEqual(list(self.receiver.accepted), [one])
        self.assertIn("ended by adam", self.silences("end", 1, "--by", "adam")[0])
        support.wait_until("what fails now is told", lambda: self.receiver.count() > 5)
        self.assertEqual(self.count("state = 'silenced' AND alert_id IN (SELECT alert_id FROM alerts WHERE created_at > "
                                    "(SELECT ends_at FROM silences))"), 0)
        self.assertEqual(self.silences("list")[0], "no silence\n")
        self.assertEqual(json.loads(self.silences("list", "--all", "--json")[0])[0]["matcher"], {"rule": ["every-*"]})

    def test_what_is_wrong_with_one_is_said(self):
        self.receiptd("migrate", "--config", self.settings)
        reason = ["--reason", "r", "--by", "eve"]
        for wrong, why in ((["--for", "1h"], "needs at least one of account"),
                           (["--rule", "a"], "--for or --until"),
                           (["--rule", "a", "--for", "soon"], "--for must be a duration"),
                           (["--rule", "a", "--until", "monday"], "must be times"),
                           (["--rule", "a", "--until", "2020-01-01T00:00:00Z"], "must end after its start")):
            self.assertIn(why, self.silences("add", *wrong, *reason, expect=2)[1])
        self.assertIn("there is no silence 7", self.silences("end", 7, "--by", "eve", expect=1)[1])


if __name__ == "__main__":
    support.main()
