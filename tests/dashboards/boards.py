"""Grafana's dashboards as this project keeps them: their queries, and what is wrong with their form."""

import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
GRAFANA = ROOT / "dashboards" / "grafana"
PROMETHEUS = ROOT / "dashboards" / "prometheus"

# The units of Grafana that are used; a misspelt one is shown as text behind the number.
UNITS = {"none", "s", "cpm", "cps", "ops", "reqps", "percentunit", "Bps", "bytes", "dtdurations", "dateTimeFromNow",
         "dateTimeAsIso"}
SOURCES = {"${prometheus}": "prometheus", "${postgres}": "postgres"}
# Partitioned by block time: a question without a time reads all of it.
HISTORY = re.compile(r"\b(blocks|chunks|transactions|receipts|data_receipts|events|transaction_results|findings"
                     r"|failed_callbacks|handled_failures|failed_receipts|skipped_heights)\b")


def files():
    return sorted(GRAFANA.glob("*.json"))


def load(path):
    return json.loads(path.read_text())


def panels(board):
    """Every panel, also those folded away in rows."""
    for panel in board["panels"]:
        yield panel
        yield from panel.get("panels", [])


def targets(board, kind):
    """(panel, target) of every query of that kind."""
    for panel in panels(board):
        for target in panel.get("targets", []):
            if target["datasource"]["type"] == kind:
                yield panel, target


def variables(board):
    return {variable["name"]: variable for variable in board["templating"]["list"]}


def overlap(one, other):
    a, b = one["gridPos"], other["gridPos"]
    return a["x"] < b["x"] + b["w"] and b["x"] < a["x"] + a["w"] and a["y"] < b["y"] + b["h"] and b["y"] < a["y"] + a["h"]


def twice(values):
    return sorted({value for value in values if values.count(value) > 1})


def source_problems(where, source):
    if source.get("uid") not in SOURCES:
        return [f"{where}: data source {source.get('uid')!r} is none of {', '.join(SOURCES)}"]
    if source.get("type") != SOURCES[source["uid"]]:
        return [f"{where}: {source['uid']} is of type {source.get('type')!r}"]
    return []


def query_problems(where, target):
    if target["datasource"].get("type") == "prometheus":
        return [] if target.get("expr", "").strip() else [f"{where}: an empty expression"]
    sql = target.get("rawSql", "")
    found = [] if sql.strip() else [f"{where}: an empty question"]
    if not target.get("rawQuery") or target.get("format") not in ("table", "time_series"):
        found.append(f"{where}: neither a table nor a time series, or not raw SQL")
    if HISTORY.search(sql) and not re.search(r"\$__timeFilter\(block_time\)", sql):
        found.append(f"{where}: reads history without $__timeFilter(block_time)")
    if "NOT IN" in sql.upper():
        found.append(f"{where}: NOT IN reads each row of the time, where IN takes an index")
    return found


def panel_problems(panel):
    where = f"panel {panel['id']} {panel.get('title', '')!r}"
    found = [] if panel.get("title") else [f"{where}: has no title"]
    grid = panel["gridPos"]
    if grid["x"] < 0 or grid["y"] < 0 or grid["w"] < 1 or grid["h"] < 1 or grid["x"] + grid["w"] > 24:
        found.append(f"{where}: is not within 24 columns")
    if panel["type"] == "row":
        return found
    if len(panel.get("description", "")) < 10:
        found.append(f"{where}: has no description")
    defaults = panel["fieldConfig"]["defaults"]
    overridden = [each["value"] for override in panel["fieldConfig"]["overrides"]
                  for each in override["properties"] if each["id"] == "unit"]
    found += [f"{where}: unit {unit!r} is not one of UNITS" for unit in [defaults.get("unit"), *overridden]
              if unit not in UNITS]
    if "max" in defaults and not defaults["unit"].startswith("percent"):
        found.append(f"{where}: cuts off what is above {defaults['max']}")
    if "min" in defaults and defaults["unit"].startswith("dateTime"):
        found.append(f"{where}: an axis of dates from {defaults['min']}")
    found += source_problems(where, panel.get("datasource", {}))
    if not panel.get("targets"):
        found.append(f"{where}: asks for nothing")
    refs = [target["refId"] for target in panel.get("targets", [])]
    found += [f"{where}: two queries {ref}" for ref in twice(refs)]
    for target in panel.get("targets", []):
        found += source_problems(where, target["datasource"]) + query_problems(where, target)
        if target["datasource"] != panel["datasource"]:
            found.append(f"{where}: a query of another data source")
    return found


def problems(board):
    all_panels = list(panels(board))
    found = [f"two panels with id {each}" for each in twice([panel["id"] for panel in all_panels])]
    found += [f"two panels {each!r}" for each in twice([panel.get("title") for panel in all_panels])]
    for panel in all_panels:
        found += panel_problems(panel)
    for index, panel in enumerate(all_panels):
        found += [f"panels {panel['id']} and {other['id']} overlap" for other in all_panels[index + 1:]
                  if overlap(panel, other)]
    known = set(variables(board))
    for name in set(re.findall(r"\$\{?([A-Za-z]\w*)", json.dumps(board["panels"]))) - known:
        found.append(f"variable ${name} is not there")
    for name, kind in (("prometheus", "prometheus"), ("postgres", "postgres")):
        variable = variables(board).get(name, {})
        if variable.get("type") != "datasource" or variable.get("query") != kind:
            found.append(f"variable {name} does not choose a data source of type {kind}")
    if not board.get("uid") or not board.get("title") or board.get("id") is not None:
        found.append("the dashboard needs a uid and a title, and no id of somebody's Grafana")
    return found
