"""Every SQL question of the boards, as Grafana sends it: to a reader, on an empty database and on one with the largest values, over a
month, with PostgreSQL in another time zone. Each reads the partitions of its time only, at most 1,000 rows, and no number leaves that a browser
would round."""

import os
import pathlib
import re
import secrets
import sys
import time
import unittest
from typing import NamedTuple

import boards
import grafana

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "scenario"))
import databases  # noqa: E402
import libpq  # noqa: E402
import support  # noqa: E402

HOUR, DAY = 3600, 86400
MOST_ROWS = 1000
LARGEST = 2**53  # whole numbers of a browser are exact up to here
BIGINT, NUMERIC, TIME, NUMBERS = 20, 1700, 1184, (20, 21, 23, 700, 701)
FLOATS = (700, 701)
FIXTURE = (pathlib.Path(__file__).parent / "largest_values.sql").read_text()
# Days before and after the time shown that are read, too: the blocks beside a gap tell when it was.
LOOKS_AROUND = {"receiptd-chain: annotation Gaps": (1, 7)}
NEVER_THERE = {"Statements that run"}
CHOICES = ({}, {"account": "1234567890"}, {"contract": "17"}, {"method": "o'b\\d"},
           {"account": "1234567890", "contract": "17", "method": "ft_on_transfer"})


class Question(NamedTuple):
    name: str
    sql: str
    panel: dict  # {}: of a variable or an annotation

    def is_over_time(self):
        return bool(self.panel) and self.panel["targets"][0]["format"] == "time_series"


def questions(board):
    for panel, target in boards.targets(board, "postgres"):
        yield Question(f"{board['uid']}: {panel['title']}", target["rawSql"], panel)
    for variable in boards.variables(board).values():
        if variable["type"] == "query" and variable["datasource"]["type"] == "postgres":
            yield Question(f"{board['uid']}: variable {variable['name']}", variable["query"], {})
    for each in board["annotations"]["list"]:
        if each["datasource"]["type"] == "postgres":
            yield Question(f"{board['uid']}: annotation {each['name']}", each["target"]["rawSql"], {})


def all_questions():
    """Each text once."""
    found = {}
    for path in boards.files():
        for question in questions(boards.load(path)):
            found.setdefault(question.sql, question)
    return list(found.values())


def unit_problems(question, columns):
    """What the panel says of its columns fits them."""
    if not question.panel or question.panel["type"] != "table":
        return []
    said = {each["matcher"]["options"]: {one["id"]: one["value"] for one in each["properties"]}
            for each in question.panel["fieldConfig"]["overrides"]}
    names = [name for name, _ in columns]
    found = [] if list(said) == names else [f"the columns are {names}, the panel knows {list(said)}"]
    for name, kind in columns:
        unit = said.get(name, {}).get("unit")
        if (kind == TIME) != (unit or "").startswith("dateTime"):
            found.append(f"{name}: a time and its unit belong together, not {unit!r}")
        if kind in FLOATS and unit in (None, "none", "string"):
            found.append(f"{name}: a fraction without a unit")
        if kind not in (*NUMBERS, TIME, NUMERIC) and unit:
            found.append(f"{name}: a text with the unit {unit!r}")
    return found


def number_problems(columns, rows):
    found = []
    for place, (name, kind) in enumerate(columns):
        if kind == NUMERIC and name != "time":
            found.append(f"{name}: a numeric: scale it and cast it to float8, or cast it to text")
        largest = max((abs(int(row[place])) for row in rows if row[place] is not None), default=0) if kind == BIGINT else 0
        if largest > LARGEST:
            found.append(f"{name}: {largest} loses digits in a browser")
    return found


class Asked(unittest.TestCase):
    """A database for all tests of a class, which only read, and a reader as dashboards/README.md tells to make one."""

    content = ""  # SQL that fills it

    @classmethod
    def setUpClass(cls):
        if "RECEIPTD_TEST_DATABASE" not in os.environ:
            raise unittest.SkipTest("RECEIPTD_TEST_DATABASE is not set: ./dev test starts a cluster")
        maintenance = os.environ["RECEIPTD_TEST_DATABASE"]
        name = databases.make_migrated(maintenance, support.BUILD / "receiptd", support.database_url)
        cls.addClassCleanup(libpq.ask, maintenance, f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        libpq.Session(support.database_url(name)).ask(cls.content + "; ANALYZE")
        reader, password = "grafana_" + secrets.token_hex(6), secrets.token_hex(12)
        libpq.ask(maintenance, f"CREATE ROLE {reader} LOGIN PASSWORD '{password}' IN ROLE receiptd_readonly")
        cls.addClassCleanup(libpq.ask, maintenance, f"DROP ROLE {reader}")
        cls.reader = libpq.Session(re.sub(r"^(\w+)://[^@/]*@", rf"\1://{reader}:{password}@", support.database_url(name)))
        cls.until = int(time.time())

    def shown(self, seconds, chosen=None):
        return grafana.Shown(self.until - seconds, self.until, chosen)

    def none_has(self, problems, seconds):
        """`problems` of (question, what is shown) finds none, whatever of what the question names is chosen."""
        for question in all_questions():
            for chosen in CHOICES:
                if all(f"${{{name}:" in question.sql for name in chosen):
                    with self.subTest(question.name, **chosen):
                        self.assertEqual(problems(question, self.shown(seconds, chosen)), [])

    def problems(self, question, shown):
        columns, rows = self.reader.table(shown.sql(question.sql, question.panel))
        found = unit_problems(question, columns) + number_problems(columns, rows)
        if len(rows) > MOST_ROWS:
            found.append(f"{len(rows)} rows")
        if question.is_over_time() and columns[0][0] != "time":
            found.append("a time series that does not begin with its time")
        return found

    def read_days(self, question, shown):
        """The days of the partitions that it locks: those it reads, plans for, or reaches through functions."""
        self.reader.ask("BEGIN")
        try:
            self.reader.ask(shown.sql(question.sql, question.panel))
            return {day for day, in self.reader.ask(
                "SELECT DISTINCT substring(relname FROM 'p(\\d{8})') FROM pg_locks JOIN pg_class c ON c.oid = relation "
                "WHERE pid = pg_backend_pid() AND relnamespace = 'receiptd_partitions'::regnamespace AND relkind = 'r'")}
        finally:
            self.reader.ask("ROLLBACK")

    def days_too_many(self, question, shown):
        before, after = LOOKS_AROUND.get(question.name, (0, 0))
        since, until = shown.since - before * DAY, shown.until + after * DAY
        wanted = {time.strftime("%Y%m%d", time.gmtime(at)) for at in (*range(since, until, HOUR), until)}
        return sorted(self.read_days(question, shown) - wanted)


class OfAnEmptyDatabase(Asked):
    def test_questions_are_answered(self):
        self.none_has(self.problems, 30 * DAY)


class OfTheLargestValues(Asked):
    content = FIXTURE

    def test_are_few_and_exact_over_a_month_of_the_largest_values(self):
        self.assertEqual(len(self.reader.ask("SELECT DISTINCT date(block_time AT TIME ZONE 'UTC') FROM findings")), 31)
        self.none_has(self.problems, 30 * DAY)

    def test_find_what_is_there(self):
        for question in all_questions():
            if question.panel.get("title") not in NEVER_THERE:
                with self.subTest(question.name):
                    self.assertTrue(self.reader.ask(self.shown(30 * DAY, {"account": "1234567890"} if "nonce_gaps" in question.sql else {})
                                                    .sql(question.sql, question.panel)))

    def test_read_the_partitions_of_their_time_only(self):
        self.none_has(self.days_too_many, 2 * HOUR)

    def test_tell_the_same_wherever_postgresql_is(self):
        for question in all_questions():
            if "pg_stat_" in question.sql:
                continue  # what PostgreSQL does changes meanwhile
            with self.subTest(question.name):
                answers = []
                for zone in ("UTC", "Asia/Kathmandu"):
                    self.reader.ask(f"SET timezone = '{zone}'")
                    answers.append(self.instants(question))
                self.assertEqual(*answers)

    def instants(self, question):
        asked = self.shown(DAY).sql(question.sql, question.panel)
        columns, _ = self.reader.table(asked)
        # Age of something that goes on: not the same a moment later.
        shown = [f'extract(epoch FROM "{name}")' if kind == TIME else f'"{name}"' for name, kind in columns if name not in ("oldest", "running")]
        return self.reader.ask(f"SELECT {', '.join(shown)} FROM ({asked}) AS answer")


class Faults(Asked):
    """Put in by hand, and found."""

    content = FIXTURE

    def setUp(self):
        super().setUp()
        self.causes = next(each for each in all_questions() if each.name == "receiptd-failures: Causes")
        self.newest = next(each for each in all_questions() if each.name == "receiptd-transactions: Newest transactions")

    def test_a_lost_filter_is_found(self):
        lost = self.causes._replace(sql=self.causes.sql.replace("$__timeFilter(block_time) AND", ""))
        self.assertEqual(self.days_too_many(self.causes, self.shown(HOUR)), [])
        self.assertGreater(len(self.days_too_many(lost, self.shown(HOUR))), 25)

    def test_a_bigint_is_found(self):
        whole = self.newest._replace(sql=self.newest.sql.replace("(gas_burnt / 1e12)::float8", "gas_burnt"))
        self.assertRegex(" ".join(self.problems(whole, self.shown(DAY))), r"tgas: 9\d{18} loses digits")

    def test_a_numeric_is_found(self):
        exact = self.newest._replace(sql=self.newest.sql.replace("(tokens_burnt / 1e24)::float8", "tokens_burnt"))
        self.assertIn("fee: a numeric", " ".join(self.problems(exact, self.shown(DAY))))

    def test_a_unit_is_found(self):
        panel = {**self.newest.panel, "fieldConfig": {"defaults": {}, "overrides": [
            {**each, "properties": [one for one in each["properties"] if (each["matcher"]["options"], one["id"]) != ("taken", "unit")]}
            for each in self.newest.panel["fieldConfig"]["overrides"]]}}
        self.assertEqual(self.problems(self.newest._replace(panel=panel), self.shown(DAY)), ["taken: a fraction without a unit"])

    def test_too_many_rows_are_found(self):
        many = self.newest._replace(sql=self.newest.sql.replace("LIMIT 50", "LIMIT 5000"))
        self.assertIn("rows", " ".join(self.problems(many, self.shown(30 * DAY))))


if __name__ == "__main__":
    support.main()
