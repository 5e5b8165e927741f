"""Two daemons on one database change places for hours of chain time. The shipped rules of Prometheus see what both of
them show, minute by minute, and fire for what the failovers deserve alone. ./dev sweep pair HOURS lasts longer."""

import json
import re
import subprocess
import sys
import time

import support
from receiver import Receiver, endpoint, secret_file

sys.path.insert(0, str(support.ROOT / "tests" / "dashboards"))
import boards  # noqa: E402

MINUTES = 60 * support.count_of("pair", 2)
FAILOVER_EACH = 36 if MINUTES < 300 else 70  # minutes
AWAY = (1, 5, 2)  # so many samples are without the daemon that was killed
DOWN_FOR = 2  # minutes, as the rule ReceiptdDown has it
SECOND = 10**9
BLOCK_SECONDS = 5
# What the rules compare with the clock of the machine is moved to that of the chain.
TIMES = re.compile(r"_timestamp_seconds$")
# The daemon that waits asks for the head each ten seconds of the machine, and a minute of the chain is shorter here: it
# knows a head of ten seconds ago, as it would.
KNOWS_AFTER = 10
HEAD_TIME, HEAD_HEIGHT = "receiptd_head_timestamp_seconds", "receiptd_head_height"
# How old something is on the chain, by the clock of the machine.
AGES = {"receiptd_deliveries_oldest_cause_seconds"}
# As it was before: what is not known of the last day counts as a day without failures.
SURGE_BY_DAY = ("sum by (job, kind, error_class) (increase(receiptd_findings_total[10m])) > 20 and "
                "sum by (job, kind, error_class) (increase(receiptd_findings_total[10m])) > 3 * "
                "sum by (job, kind, error_class) (increase(receiptd_findings_total[1d] offset 10m)) / 144")


def names_in(rules):
    return set(re.findall(r"\b(?:receiptd|process)_\w+", rules))


class Series:
    """Samples once a minute, as promtool's tests write them."""

    def __init__(self):
        self.minutes = 0
        self.values = {}  # series -> {minute: value}

    def add(self, instance, samples):
        for series, value in samples.items():
            name, _, labels = series.partition("{")
            own = f'job="receiptd",instance="{instance}"'
            self.values.setdefault(f"{name}{{{own}{',' + labels if labels else '}'}", {})[self.minutes] = value

    def filled(self, names):
        """As if a daemon showed for ever what it has shown once, while it is up."""
        other = Series()
        other.minutes = self.minutes
        for series, values in self.values.items():
            instance = re.search(r'instance="(\w+)"', series)[1]
            up = self.values[f'up{{job="receiptd",instance="{instance}"}}']
            last, kept = None, {}
            for minute in range(self.minutes):
                last = values.get(minute, last)
                if minute in values or (series.partition("{")[0] in names and last is not None and up[minute] == 1):
                    kept[minute] = last
            other.values[series] = kept
        return other

    def words(self, values):
        words, had = [], False
        for minute in range(self.minutes):
            has = minute in values
            words.append(repr(float(values[minute])) if has else "stale" if had else "_")
            had = has
        return " ".join(words)

    def firing(self, rules, folder):
        """(rule, instance) of whatever fired at some minute, by promtool."""
        (folder / "rules.yml").write_text(rules)
        asked = "count by (alertname, instance) (count_over_time(ALERTS{alertstate=\"firing\"}[%dm]))" % (self.minutes + 1)
        test = {"rule_files": ["rules.yml"], "evaluation_interval": "1m", "tests": [{
            "interval": "1m",
            "input_series": [{"series": series, "values": self.words(values)} for series, values in self.values.items()],
            "promql_expr_test": [{"expr": asked, "eval_time": f"{self.minutes - 1}m", "exp_samples": []}]}]}
        (folder / "test.yml").write_text(json.dumps(test))
        done = subprocess.run(["promtool", "test", "rules", folder / "test.yml"], capture_output=True, text=True)
        said = done.stdout + done.stderr
        found = set()
        for labels in re.findall(r"\{([^{}]*alertname[^{}]*)\}", said.partition("got:")[2]):
            label = dict(re.findall(r'(\w+)=\\*"([^"\\]*)', labels))
            found.add((label["alertname"], label.get("instance", "")))
        if done.returncode != 0 and not found:
            raise AssertionError(said[-2000:])
        return found


class Pair(support.Scenario):
    def setUp(self):
        super().setUp()
        self.receiver = Receiver()
        self.addCleanup(self.receiver.stop)
        # The chain stands still between the minutes, and comes to the machine's time at the end.
        genesis = (int(time.time()) - 60 * (MINUTES + 30)) * SECOND
        self.chain = self.sandbox("--block-time-ms", 1000 * BLOCK_SECONDS, "--genesis-time", genesis, "--seed", 7,
                                  "--traffic", "mixed", "--tps", 1, "--validity-blocks", 2000, command="run")
        self.chain.ask("/pause", {})
        hook = endpoint("team", self.receiver.url, secret_file(self.folder))
        self.config_file = self.config(self.chain, source="neardata", network="sandbox", patience="60s", extra=hook)
        self.rules = (boards.PROMETHEUS / "rules.yml").read_text()
        self.names = names_in(self.rules)
        self.series = Series()
        self.daemons = {}  # by name; None: killed
        self.starts = {}  # the minute, by name
        self.deserved = set()

    def begin(self, name):
        self.daemons[name] = self.start("run", "--config", self.config_file)
        self.starts[name] = self.series.minutes

    def shown(self, name):
        return self.page(self.daemons[name], "/metrics")[1]

    def shows(self, name, text):
        return self.daemons[name] is not None and text in self.shown(name)

    def leader(self):
        return next((name for name in self.daemons if self.shows(name, "\nreceiptd_leader 1\n")), None)

    def chain_time(self):
        head = self.chain.rpc("block", {"finality": "final"})["header"]
        return head["height"], int(head["timestamp_nanosec"]) // SECOND

    def advance_to(self, moment):
        while (left := moment - self.chain_time()[1]) > 0:
            self.chain.ask("/advance", {"blocks": -(-left // BLOCK_SECONDS)})

    def height_of(self, name, metric):
        found = re.search(rf"^{metric} (\S+)$", self.shown(name), re.M)
        return int(float(found[1])) if found else 0

    def is_followed(self, height):
        leader = self.leader()
        return leader is not None and self.height_of(leader, "receiptd_committed_height") >= height

    def all_know(self, height):
        return all(self.height_of(name, "receiptd_head_height") >= height
                   for name, daemon in self.daemons.items() if daemon is not None)

    def samples_of(self, name, height, moved):
        if self.daemons[name] is None:
            return {"up": 0}
        samples = {"up": 1}
        for series, number in re.findall(r"^([a-z]\S*) (\S+)$", self.shown(name), re.M):
            metric = series.partition("{")[0]
            if metric not in self.names:
                continue
            value = float(number)
            if metric == "process_start_time_seconds":
                value = 60 * self.starts[name]
            elif TIMES.search(metric):
                value = max(value - self.begun_at, 60 * self.series.minutes - KNOWS_AFTER if metric == HEAD_TIME else 0)
            elif metric == HEAD_HEIGHT:
                value = max(value, height - KNOWS_AFTER // BLOCK_SECONDS)
            elif metric in AGES:
                value = max(0.0, value - moved)
            samples[series] = value
        return samples

    def sample(self):
        height, at = self.chain_time()
        moved = time.time() - at
        for name in self.daemons:
            self.series.add(name, self.samples_of(name, height, moved))
        self.series.minutes += 1

    def follow_a_minute(self, until=is_followed):
        self.advance_to(self.begun_at + 60 * self.series.minutes)
        height = self.chain_time()[0]
        support.wait_until("the chain is followed to its head", lambda: until(self, height))
        self.sample()

    def fail_over(self, away):
        name = self.leader()
        self.kill(self.daemons[name])
        self.daemons[name] = None
        if away > DOWN_FOR:
            self.deserved.add(("ReceiptdDown", name))
        self.follow_a_minute(until=Pair.all_know)
        for _ in range(away - 1):
            self.follow_a_minute()
        self.begin(name)

    def test_the_shipped_rules_fire_for_what_failovers_deserve_alone(self):
        failovers = 0
        self.advance_to(self.chain_time()[1] + 60)
        self.begun_at = self.chain_time()[1]
        for name in ("one", "two"):
            self.daemons[name] = None
            self.begin(name)
        while self.series.minutes < MINUTES:
            if self.series.minutes and self.series.minutes % FAILOVER_EACH == 0:
                self.fail_over(AWAY[failovers % len(AWAY)])
                failovers += 1
            self.follow_a_minute()
        self.assertGreaterEqual(failovers, 3)
        self.assertEqual(self.series.firing(self.rules, self.folder), self.deserved)
        # The same samples fire where a daemon goes on to show what it showed as the leader, or with the rule of before.
        frozen = self.series.filled({"receiptd_committed_height", "receiptd_gap_blocks"})
        self.assertIn("ReceiptdLagging", {rule for rule, _ in frozen.firing(self.rules, self.folder)})
        by_day = re.sub(r"(- alert: ReceiptdFindingsSurge\n\s+expr: )>-\n.*?(\n\s+for:)",
                        lambda found: found[1] + json.dumps(SURGE_BY_DAY) + found[2], self.rules, flags=re.S)
        self.assertNotEqual(by_day, self.rules)
        self.assertIn("ReceiptdFindingsSurge", {rule for rule, _ in self.series.firing(by_day, self.folder)})


if __name__ == "__main__":
    support.main()
