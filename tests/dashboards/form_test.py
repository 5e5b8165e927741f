"""The dashboards' form, the rules and their tests, without a running daemon."""

import copy
import json
import re
import subprocess
import unittest
import urllib.parse

import yaml

import boards
import promql

RULES_TESTS = [boards.PROMETHEUS / name for name in ("rules_test.yml", "rules_days_test.yml")]


class Dashboards(unittest.TestCase):
    def test_every_dashboard_is_well_formed(self):
        self.assertTrue(boards.files())
        for path in boards.files():
            with self.subTest(path.name):
                self.assertEqual(boards.problems(boards.load(path)), [])

    def test_uids_are_unique_and_data_sources_are_those_that_are_provisioned(self):
        all_boards = [boards.load(path) for path in boards.files()]
        self.assertEqual(boards.twice([board["uid"] for board in all_boards]), [])
        provisioned = (boards.BOARDS.parent / "provisioning/datasources/receiptd.yml").read_text()
        made = dict(zip(re.findall(r"^ +uid: (\S+)", provisioned, re.M), re.findall(r"^ +type: (\S+)", provisioned, re.M)))
        for board in all_boards:
            for name in ("prometheus", "postgres"):
                self.assertEqual(made.get(boards.variables(board)[name]["current"]["value"]), name)

    def test_links_lead_to_boards_and_variables_that_are_there(self):
        self.assertEqual(boards.link_problems([boards.load(path) for path in boards.files()]), [])

    def test_each_transaction_of_a_table_links_to_its_page_to_an_explorer_and_to_its_trace(self):
        for path in boards.files():
            for panel, target in boards.targets(boards.load(path), "postgres"):
                if panel["type"] != "table" or not re.search(r"\btx_hash(,| *\n)", target["rawSql"].split("FROM")[0]):
                    continue
                links = [one["url"] for override in panel["fieldConfig"]["overrides"]
                         if override["matcher"] == {"id": "byName", "options": "tx_hash"}
                         for changed in override["properties"] if changed["id"] == "links" for one in changed["value"]]
                self.assertEqual(links[:2], ["${page:raw}/tx/${__value.raw}", "${explorer:raw}${__value.raw}"], panel["title"])
                asked = urllib.parse.parse_qs(urllib.parse.urlsplit(links[2]).query)
                trace = json.loads(asked["panes"][0])["trace"]
                self.assertEqual(trace["queries"][0]["query"], '{ span.near.tx_hash = "${__value.raw}" }', panel["title"])
                self.assertEqual(trace["datasource"], "${tempo:raw}")

    def test_who_is_on_call_sees_twelve_panels_at_most(self):
        self.assertLessEqual(len(list(boards.panels(boards.load(boards.BOARDS / "overview.json")))), 12)

    def test_a_secret_stands_in_no_file(self):
        for path in (boards.ROOT / "dashboards").rglob("*.yml"):
            for line in re.findall(r".*password:.*", path.read_text()):
                self.assertRegex(line, r"password: \$__(env|file)\{[^}]+\}$", path)


class ChecksCanFail(unittest.TestCase):
    def setUp(self):
        self.board = boards.load(boards.BOARDS / "failures.json")
        self.panel = next(p for p in self.board["panels"] if p["type"] == "timeseries" and p["datasource"]["type"] == "prometheus")
        self.over_time = next(p for p in self.board["panels"] if p["type"] == "timeseries" and p["datasource"]["type"] == "postgres")
        self.table = next(p for p in self.board["panels"] if p["type"] == "table")

    def refused(self, words):
        found = boards.problems(self.board)
        self.assertTrue([each for each in found if words in each], found)

    def test_an_id_that_is_there_twice(self):
        self.panel["id"] = self.table["id"]
        self.refused("two panels with id")

    def test_a_title_that_is_there_twice(self):
        self.panel["title"] = self.table["title"]
        self.refused("two panels '")

    def test_panels_on_top_of_each_other(self):
        self.panel["gridPos"] = copy.copy(self.table["gridPos"])
        self.refused("overlap")

    def test_a_panel_beyond_the_edge(self):
        self.panel["gridPos"]["w"] = 25
        self.refused("24 columns")

    def test_no_title_no_description_no_unit(self):
        self.panel["title"] = ""
        self.refused("no title")
        self.panel["description"] = ""
        self.refused("no description")
        self.panel["fieldConfig"]["defaults"]["unit"] = "seconds"
        self.refused("'seconds' is not one of UNITS")

    def test_an_axis_that_hides_its_lines(self):
        self.panel["fieldConfig"]["defaults"] |= {"unit": "none", "max": 1}
        self.refused("cuts off what is above 1")
        self.panel["fieldConfig"]["defaults"] |= {"unit": "dateTimeAsIso", "min": 0}
        self.refused("an axis of dates from 0")

    def test_a_data_source_of_somebody_s_grafana(self):
        self.panel["datasource"] = {"type": "prometheus", "uid": "P1809F7CD0C75ACF3"}
        self.refused("is none of")

    def test_a_data_source_of_the_wrong_type(self):
        self.panel["targets"][0]["datasource"] = {"type": "postgres", "uid": "${prometheus}"}
        self.refused("is of type 'postgres'")

    def test_a_question_over_all_of_history(self):
        self.table["targets"][0]["rawSql"] = "SELECT count(*) FROM findings"
        self.refused("without $__timeFilter")

    def test_a_condition_that_no_index_serves(self):
        self.table["targets"][0]["rawSql"] += " AND kind NOT IN ('stuck')"
        self.refused("NOT IN reads each row")

    def test_a_variable_that_is_not_there(self):
        self.panel["targets"][0]["expr"] = 'up{instance="$machine"}'
        self.refused("$machine is not there")

    def test_a_unit_that_grafana_does_not_have(self):
        self.panel["fieldConfig"]["defaults"]["unit"] = "suffix:/sec"
        self.refused("'suffix:/sec' is not one of UNITS")

    def test_a_cell_that_says_what_an_empty_table_says(self):
        self.table["fieldConfig"]["overrides"][0]["properties"] = [{"id": "displayName", "value": "Contract"}]
        self.refused("contract: a cell without a value says 'Good: nothing failed'")

    def test_a_rate_over_a_time_that_the_panel_does_not_show(self):
        self.panel["targets"][0]["expr"] = 'sum(rate(receiptd_findings_total{instance=~"$instance"}[5m]))'
        self.refused("a rate over [5m]")

    def test_a_counter_as_it_stands(self):
        self.panel["targets"][0]["expr"] = 'sum(receiptd_findings_total{instance=~"$instance"})'
        self.refused("a counter that is not turned into a rate")

    def test_daemons_that_were_not_chosen(self):
        self.panel["targets"][0]["expr"] = "max(receiptd_leader)"
        self.refused("not limited to the daemons")

    def test_a_variable_that_is_no_literal(self):
        self.table["targets"][0]["rawSql"] = self.table["targets"][0]["rawSql"].replace("${account:sqlstring}", "'$account'", 1)
        self.refused("$account is no literal")

    def test_an_hour_without_rows_that_nobody_named(self):
        self.over_time["targets"][0]["rawSql"] = self.over_time["targets"][0]["rawSql"].replace(", 0) ", ") ").replace(", 0),", "),")
        self.refused("does not say what stands where there is nothing")

    def test_a_panel_that_counts_in_the_browser(self):
        self.table["targets"][0]["rawSql"] = self.table["targets"][0]["rawSql"].replace("LIMIT 50", "LIMIT 50000")
        self.refused("one above 1000")

    def test_a_link_to_a_board_or_a_variable_that_is_not_there(self):
        other = {**self.board, "links": [{"url": "/d/receiptd-failures?var-machine=a"}, {"url": "/d/receiptd-lost?a"}]}
        found = boards.link_problems([boards.load(path) for path in boards.files()][:-1] + [other])
        self.assertTrue([each for each in found if "gives machine to receiptd-failures" in each])
        self.assertTrue([each for each in found if "a link to receiptd-lost" in each])


class Expressions(unittest.TestCase):
    EXPOSED = {"a_total": {"x": {"1", "2"}, "instance": {"i"}}, "b": {"instance": {"i"}}, "c_bucket": {"le": {"1"}}}

    def test_what_is_there_is_found(self):
        for expression in ('sum by (x) (rate(a_total{x=~"1|2", instance=~".*"}[5m])) / 2', "b - b > 1e3",
                           "histogram_quantile(0.9, sum by (le) (rate(c_bucket[1m] offset 5m)))",
                           "b * on (instance) group_left (x) a_total unless b == bool 1", "time() - max(b)",
                           'a_total{x!="1"} and sum without (instance) (a_total{x!~"0.*"})'):
            self.assertEqual(promql.missing(expression, self.EXPOSED), [], expression)

    def test_what_is_not_there_is_named(self):
        for expression, words in (("rate(a[5m])", "no metric a"), ("max(c)", "no metric c"),
                                  ('a_total{y="1"}', "a_total has no label y"), ('b{x=~"1"}', "b has no label x"),
                                  ('a_total{x="3"}', 'a_total has no x="3"'), ('a_total{x=~"1|3"}', 'has no x="3"'),
                                  ("sum by (z) (a_total)", "no label z"), ("b + d", "no metric d")):
            self.assertTrue([each for each in promql.missing(expression, self.EXPOSED) if words in each], expression)


class Rules(unittest.TestCase):
    def promtool(self, *arguments):
        done = subprocess.run(["promtool", *map(str, arguments)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_prometheus_takes_the_configuration_and_the_rules(self):
        self.promtool("check", "config", boards.PROMETHEUS / "prometheus.yml")
        self.promtool("check", "rules", "--lint-fatal", boards.PROMETHEUS / "rules.yml")

    def test_the_rules_fire_when_they_should_and_only_then(self):
        self.promtool("test", "rules", *RULES_TESTS)

    def test_every_alert_has_its_section_in_the_runbook_and_every_section_its_alert(self):
        rules = (boards.PROMETHEUS / "rules.yml").read_text()
        linked = re.findall(r"- alert: (\w+)\n(?:(?!- alert).*\n)*? +runbook_url: file:///usr/share/doc/receiptd/docs/runbook.md#(\w+)\n", rules)
        sections = re.findall(r"^### (\w+)\n\n- \*\*Means:\*\* .*\n(?:.*\n)*?- \*\*Look:\*\* .*\n(?:.*\n)*?- \*\*Do:\*\* ",
                              (boards.ROOT / "docs" / "runbook.md").read_text(), re.M)
        self.assertEqual([link for _, link in linked], [alert.lower() for alert in re.findall(r"- alert: (\w+)", rules)])
        self.assertEqual(sorted(sections), sorted(alert for alert, _ in linked))

    def test_every_alert_has_a_severity_a_summary_and_says_how_long_it_waits(self):
        for group in yaml.safe_load((boards.PROMETHEUS / "rules.yml").read_text())["groups"]:
            for rule in (each for each in group["rules"] if "alert" in each):
                self.assertIn(rule["labels"]["severity"], ("critical", "warning", "info"), rule["alert"])
                self.assertTrue(rule["annotations"]["summary"] and rule["annotations"]["description"], rule["alert"])
                self.assertRegex(rule["for"], r"^\d+[smh]$", rule["alert"])

    def test_every_alert_is_tried_silent_and_firing(self):
        alerts = re.findall(r"- alert: (\w+)", (boards.PROMETHEUS / "rules.yml").read_text())
        tests = "".join(file.read_text() for file in RULES_TESTS)
        self.assertEqual(boards.twice(alerts), [])
        for alert in alerts:
            self.assertRegex(tests, rf"alertname: {alert}, eval_time: \w+, exp_alerts: \[\]", "never silent")
            self.assertRegex(tests, rf"alertname: {alert}\n +eval_time: \w+\n +exp_alerts:\n", "never firing")


if __name__ == "__main__":
    unittest.main()
