"""A clock that is wrong is noted, whatever time the chain has: here all hosts tell a time twenty minutes ahead."""

import json

import support


class OwnClock(support.Scenario):
    def test_is_noted_until_it_agrees_with_the_hosts(self):
        chain = self.sandbox("--block-time-ms", 0, command="run")
        start = chain.ask("/status")["final_height"]
        daemon = self.start("run", "--config", self.config(chain, source="neardata", network="sandbox", start=start))

        def note():
            chain.ask("/advance", {})
            notes = json.loads(self.page(daemon, "/readyz")[1]).get("notes", [])
            return [each["detail"] for each in notes if each["reason"] == "clock"]
        support.wait_until("it serves", lambda: "serving" in daemon.log())
        self.assertEqual(note(), [])
        chain.ask("/faults", {"faults": [{"fault": "clock", "seconds": 1200}]})
        detail, = support.wait_until("it is noted", note)
        self.assertRegex(detail, "the clock of this machine is (1199|1200) s behind the time that hosts and blocks tell")
        self.assertRegex(self.page(daemon, "/metrics")[1], r"receiptd_clock_off_seconds -(1199|1200)\n")
        self.assertIn("the clock of this machine is wrong", daemon.log())
        chain.ask("/faults", {"faults": []})
        support.wait_until("it is not any more", lambda: not note())


if __name__ == "__main__":
    support.main()
