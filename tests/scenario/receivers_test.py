"""Every alert reaches receivers that fail in every way, while daemons and PostgreSQL die; where an endpoint asks for it, in
order. ./dev sweep receivers kills more often."""

import collections
import json
import os
import random
import signal

import support
from database_proxy import MOMENTS, Proxy, first_there
from receiver import EVERY_FINDING, SECRET, Receiver, endpoint, secret_file, signed
from truth import told_ids

MANY = support.count_of("receivers")
KILLS = MANY or 3
CRASHES = max(1, KILLS // 10)
SEED = int(os.environ.get("RECEIPTD_SEED") or (random.SystemRandom().randrange(10**6) if MANY else 1))
FAULTS = ("500", "reset", "hang", "429", "slow")
RULES = """
[[rule]]
name = "judged"
kind = "verdict"
account = "*"

[[rule]]
name = "stages"
kind = "stage"
stages = ["included", "executing", "completed", "final"]

[[watch]]
name = "everything"
signer = "*"
"""
TAKEN = (EVERY_FINDING, "judged", "stages")
# Thirty attempts: of those that count, all fail once in 10^15 alerts.
DELIVERY = 'connect_timeout = "1s"\nanswer_timeout = "1s"\nretry = [' + ", ".join(['"200ms"'] * 30) + "]\n"


# What a daemon commits when it takes deliveries, when a receiver has answered, and when blocks or watches give alerts.
KINDS = (("claimed AS (UPDATE deliveries",), ("WITH recorded AS (UPDATE deliveries",), ("COPY blocks",),
         ("UPDATE watches w SET stage",))


class Receivers(support.OwnCluster):
    def setUp(self):
        super().setUp()
        self.database = self.postgres("database", self.cluster, "receivers")
        self.chance = random.Random(SEED)
        self.receivers = {name: Receiver(failing=0.3, seed=SEED, faults=FAULTS, always=True)
                          for name in ("plain", "ordered")}
        for receiver in self.receivers.values():
            self.addCleanup(receiver.stop)
        self.chain = self.sandbox("--seed", SEED, "--block-time-ms", 100, "--traffic", "failures", "--tps", 10,
                                  "--genesis-time", "now", command="run")
        self.genesis = self.chain.rpc("block", {"sync_checkpoint": "genesis"})["header"]["height"]
        secret = secret_file(self.folder)
        sections = "".join(endpoint(name, receiver.url, secret, rules=TAKEN) + DELIVERY +
                           f"ordered = {str(name == 'ordered').lower()}\n"
                           for name, receiver in self.receivers.items())
        self.proxies = [Proxy(self.database) for _ in range(2)]  # of each daemon one
        for proxy in self.proxies:
            self.addCleanup(proxy.stop)
        self.settings = [self.config(self.chain, source="neardata", start=self.genesis + 1, network="sandbox",
                                     patience="60s", follow="batch_blocks = 2\n", extra=sections + RULES, database=proxy.url)
                         for proxy in self.proxies]

    def sent(self):
        return sum(receiver.count() for receiver in self.receivers.values())

    def more_is_sent(self):
        known = self.sent()
        support.wait_until("more is sent", lambda: self.sent() > known + 5)

    def daemon(self, number):
        return self.start("run", "--config", self.settings[number])

    def disturb(self):
        """Two daemons share the work; one of them dies at a time at a commit, and the database now and then."""
        daemons = [self.daemon(0), self.daemon(1)]
        for number in range(KILLS):
            self.more_is_sent()
            victim = first_there(self.proxies, self.chance.randint(1, 3), MOMENTS[number % len(MOMENTS)], KINDS[number % len(KINDS)])
            proxy, daemon = self.proxies[victim], daemons[victim]
            proxy.wait(daemon)
            if number % (KILLS // CRASHES) == 0:
                self.postgres("restart", self.cluster, "immediate")
            self.kill(daemon)
            proxy.cut_off()
            self.assertEqual(daemon.returncode, -signal.SIGKILL, daemon.log()[-4000:])
            daemons[victim] = self.daemon(victim)
        self.more_is_sent()
        return daemons

    def come_to_rest(self):
        self.chain.ask("/traffic", {"tps": 0})
        self.chain.ask("/advance", {"blocks": 250})  # a yield waits for 200
        last = self.chain.rpc("block", {"finality": "final"})["header"]["height"]
        support.wait_until("all is stored", lambda: self.value(
            f"SELECT int8range({self.genesis + 1}, {last}, '[]') <@ heights FROM coverage") == "t"
            and self.trees_are_whole())
        support.wait_until("all watches are over", lambda: self.value(
            "SELECT count(*) FROM watches WHERE stage <> 'final'") == "0")
        support.wait_until("all is delivered", lambda: self.value(
            "SELECT count(*) FROM deliveries WHERE state = 'pending'") == "0", deadline=900)
        return last

    def expected(self, last):
        """Ids of all alerts: findings as the chain tells them, the rest as the history has it."""
        truth = self.chain.ask(f"/truth?from={self.genesis}&to={last}")
        found = {row[0] for row in self.query("SELECT finding_id FROM findings WHERE expected IS NOT TRUE")}
        self.assertEqual(told_ids(truth) - found, set())
        return found | {row[0] for row in self.query(
            "SELECT 'verdict:' || tx_hash FROM transaction_results UNION ALL "
            "SELECT DISTINCT to_stage || ':' || tx_hash FROM watch_transitions WHERE from_stage <> to_stage "
            "AND to_stage IN ('included', 'executing', 'completed', 'final')")}

    def assert_repeats_are_the_same(self, receiver):
        bodies = collections.defaultdict(set)
        for alert, headers, body in receiver.requests:
            bodies[alert].add(body)
            self.assertTrue(signed(headers, body, SECRET), headers)
        self.assertEqual([alert for alert, sent in bodies.items() if len(sent) > 1], [])
        self.assertGreater(len(receiver.requests), len(bodies) * 1.2)

    def assert_in_order(self, receiver):
        """Nothing is tried before all that was made before it, of its transaction, has been taken."""
        before = collections.defaultdict(list)
        place = {alert: (tx_hash, int(at)) for alert, tx_hash, at in self.query(
            "SELECT alert_id, tx_hash, place FROM alerts WHERE tx_hash IS NOT NULL")}
        for alert, (tx_hash, at) in place.items():
            before[tx_hash].append((at, alert))
        taken, early = set(), []
        for alert, verdict in receiver.story:
            if alert not in taken:
                tx_hash, at = place[alert]
                early += [(alert, other) for made, other in before[tx_hash] if made < at and other not in taken]
            if verdict == "ok":
                taken.add(alert)
        self.assertEqual(early, [])
        self.assertGreater(max(map(len, before.values())), 4)

    def test_every_alert_arrives_and_in_order_where_that_is_asked_for(self):
        with self.subTest(seed=SEED):
            daemons = self.disturb()
            expected = self.expected(self.come_to_rest())
            for daemon in daemons:
                daemon.send_signal(signal.SIGTERM)
                self.assertEqual(support.ended(daemon), 0, daemon.log()[-4000:])
            for name, receiver in self.receivers.items():
                with self.subTest(name):
                    accepted = {alert for alert, times in receiver.accepted.items() if times}
                    self.assertEqual(accepted ^ expected, set())
                    self.assertEqual(set(receiver.attempts), expected, "none is unexpected")
                    self.assert_repeats_are_the_same(receiver)
                    verdicts = collections.Counter(verdict for _, verdict in receiver.story)
                    print(json.dumps({"endpoint": name, "kills": KILLS, "crashes": CRASHES, "alerts": len(expected),
                                      "requests": len(receiver.story), **verdicts}))
            self.assert_in_order(self.receivers["ordered"])


if __name__ == "__main__":
    support.main()
