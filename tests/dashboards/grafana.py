"""What Grafana makes of the boards' questions before it sends them: variables, macros and intervals, as its PostgreSQL and Prometheus
sources do (10.3 to 13)."""

import datetime
import re

# rangeutil.roundInterval of @grafana/data: (below, becomes), in milliseconds.
ROUNDED = ((10, 1), (15, 10), (35, 20), (75, 50), (150, 100), (350, 200), (750, 500), (1500, 1000), (3500, 2000), (7500, 5000),
           (12500, 10000), (17500, 15000), (25000, 20000), (45000, 30000), (90000, 60000), (210000, 120000), (450000, 300000),
           (750000, 600000), (1050000, 900000), (1500000, 1200000), (2700000, 1800000), (5400000, 3600000), (9000000, 7200000),
           (16200000, 10800000), (32400000, 21600000), (64800000, 43200000), (604800000, 86400000))
PANEL_POINTS = 800  # of a panel that does not limit them: its width in pixels


def interval(seconds, points, least):
    """Seconds that one point stands for, where `seconds` are shown."""
    exact = 1000 * seconds / points
    return max(least, next(becomes for below, becomes in ROUNDED if exact < below) / 1000)


def literal(text):
    """As ${name:sqlstring} puts it."""
    return "'" + text.replace("'", "''") + "'"


class Shown:
    """A time range, in seconds since 1970, and what is chosen: {variable: value}."""

    def __init__(self, since, until, chosen=None, least=60, rate=60):
        self.since, self.until, self.least, self.rate = since, until, least, rate
        self.chosen = {"account": "", "contract": "", "method": "", "network": "sandbox", "page": "http://localhost:9464",
                       "explorer": "http://localhost:9464/tx/", "tempo": "tempo", "instance": ".*", "upstream": ".*"} | (chosen or {})

    def time(self, at):
        return "'" + datetime.datetime.fromtimestamp(at, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ") + "'"

    def step(self, panel):
        return interval(self.until - self.since, panel.get("maxDataPoints", PANEL_POINTS), self.least)

    def sql(self, question, panel=None):
        step = f"{self.step(panel or {}):g}"
        question = question.replace("$__interval", step + "s")
        question = re.sub(r"\$__timeFilter\(([^)]*)\)", rf"\1 BETWEEN {self.time(self.since)} AND {self.time(self.until)}", question)
        question = re.sub(r"\$__timeGroupAlias\(([^),]*),\s*[\d.]+s,\s*(?:NULL|0)\)", rf'floor(extract(epoch from \1)/{step})*{step} AS "time"',
                          question)
        question = question.replace("$__timeFrom()", self.time(self.since)).replace("$__timeTo()", self.time(self.until))
        return self._settled(re.sub(r"\$\{(\w+):sqlstring\}", lambda name: literal(self.chosen[name[1]]), question))

    def promql(self, expression, panel=None):
        step = self.step(panel or {})
        for name, seconds in (("$__rate_interval", max(self.rate, step)), ("$__interval", step), ("$__range", self.until - self.since)):
            expression = expression.replace(name, f"{1000 * seconds:.0f}ms")
        for name in ("instance", "upstream"):
            expression = expression.replace(f"${name}", self.chosen[name])
        return self._settled(expression)

    @staticmethod
    def _settled(text):
        assert "$" not in re.sub(r"'(?:[^']|'')*'", "", text), text
        return text
