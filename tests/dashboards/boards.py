"""Grafana's boards as this project keeps them: their questions, and what is wrong with their form. Among the rules are those of Grafana's
dashboard-linter that apply here: there is one job, named receiptd, so boards have no variable for it."""

import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
BOARDS = ROOT / "dashboards" / "grafana" / "boards"
PROMETHEUS = ROOT / "dashboards" / "prometheus"

# The units of Grafana that are used; a misspelt one is shown as text behind the number. `short` shortens (1.2 K), `locale`
# groups digits (1,234).
UNITS = {"none", "short", "locale", "string", "s", "reqps", "percentunit", "Bps", "bytes", "dtdurations", "dateTimeFromNow",
         "dateTimeAsIso"}
OWN_UNITS = re.compile(r"suffix:(NEAR|Tgas|cores|/s|/min|B/day)")
SOURCES = {"${prometheus}": "prometheus", "${postgres}": "postgres"}
# Partitioned by block time: a question without a time reads all of it.
HISTORY = re.compile(r"\b(?:FROM|JOIN) (blocks|chunks|transactions|receipts|data_receipts|events|transaction_results|findings"
                     r"|failed_callbacks|handled_failures|failed_receipts|skipped_heights)\b")
FILTER = re.compile(r"\$__timeFilter\((\w+\.)?block_time\)")
MOST_ROWS = 1000
# What a rate may be taken over; what moves every few minutes is counted over an hour.
RANGES = {"$__rate_interval", "$__range", "1h"}


def files():
    return sorted(BOARDS.glob("*.json"))


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


def expression_problems(where, expression):
    found = [] if expression.strip() else [f"{where}: an empty expression"]
    found += [f"{where}: a rate over [{each}] misses what is between two points, or shows it twice: $__rate_interval"
              for each in re.findall(r"\[([^]]+)\]", expression) if each not in RANGES]
    if re.search(r"\b(receiptd_|process_)\w+", expression) and 'instance=~"$instance"' not in expression:
        found.append(f"{where}: not limited to the daemons that are chosen")
    if re.search(r"\b\w+_total\b", expression) and not re.search(r"\b(rate|increase)\(", expression):
        found.append(f"{where}: a counter that is not turned into a rate")
    return found


def sql_problems(where, sql):
    found = [] if sql.strip() else [f"{where}: an empty question"]
    if HISTORY.search(sql) and not FILTER.search(sql):
        found.append(f"{where}: reads history without $__timeFilter(block_time)")
    if "NOT IN" in sql.upper():
        found.append(f"{where}: NOT IN reads each row of the time, where IN takes an index")
    found += [f"{where}: {each} is no literal: ${{{each.strip('${}').split(':')[0]}:sqlstring}}"
              for each in re.findall(r"\$(?!__)\{?\w+(?::\w+)?\}?", sql) if not re.fullmatch(r"\$\{\w+:sqlstring\}", each)]
    found += [f"{where}: {each} does not say what stands where there is nothing: NULL (a gap) or 0"
              for each in re.findall(r"\$__timeGroup(?:Alias)?\([^)]*\)", sql) if not re.search(r", (NULL|0)\)$", each)]
    return found


def row_problems(where, panel, target):
    """A panel counts in the database, not in the browser."""
    if panel["type"] == "stat":
        return []
    if target["format"] == "time_series":
        return [] if panel.get("maxDataPoints", MOST_ROWS) <= 200 else [f"{where}: as many points as the panel has pixels"]
    limit = re.search(r"\bLIMIT (\d+)$", target["rawSql"])
    return [] if limit and int(limit[1]) <= MOST_ROWS else [f"{where}: no LIMIT at its end, or one above {MOST_ROWS}"]


def query_problems(where, panel, target):
    if target["datasource"].get("type") == "prometheus":
        return expression_problems(where, target.get("expr", ""))
    found = sql_problems(where, target.get("rawSql", "")) + row_problems(where, panel, target)
    if not target.get("rawQuery") or target.get("format") not in ("table", "time_series"):
        found.append(f"{where}: neither a table nor a time series, or not raw SQL")
    return found


def unit_problems(where, panel):
    defaults = panel["fieldConfig"]["defaults"]
    overridden = [each["value"] for override in panel["fieldConfig"]["overrides"]
                  for each in override["properties"] if each["id"] == "unit"]
    found = [f"{where}: unit {unit!r} is not one of UNITS" for unit in [defaults.get("unit"), *overridden]
             if unit not in UNITS and not OWN_UNITS.fullmatch(unit or "")]
    if "max" in defaults and not defaults["unit"].startswith("percent"):
        found.append(f"{where}: cuts off what is above {defaults['max']}")
    if "min" in defaults and defaults["unit"].startswith("dateTime"):
        found.append(f"{where}: an axis of dates from {defaults['min']}")
    if panel["type"] == "table" and "noValue" in defaults:
        found += [f"{where}: {override['matcher']['options']}: a cell without a value says {defaults['noValue']!r}"
                  for override in panel["fieldConfig"]["overrides"] if "noValue" not in {each["id"] for each in override["properties"]}]
    if panel["type"] == "stat" and defaults.get("thresholds", {}).get("steps", [{}])[0].get("value", 0) is not None:
        found.append(f"{where}: no colour for what is below the first threshold")
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
    found += unit_problems(where, panel)
    found += source_problems(where, panel.get("datasource", {}))
    if not panel.get("targets"):
        found.append(f"{where}: asks for nothing")
    refs = [target["refId"] for target in panel.get("targets", [])]
    found += [f"{where}: two queries {ref}" for ref in twice(refs)]
    for target in panel.get("targets", []):
        found += source_problems(where, target["datasource"]) + query_problems(where, panel, target)
        if target["datasource"] != panel["datasource"]:
            found.append(f"{where}: a query of another data source")
    return found


def variable_problems(board):
    found = []
    known = variables(board)
    for name in sorted(set(re.findall(r"\$\{?([A-Za-z]\w*)", json.dumps([board["panels"], board["annotations"]]))) - set(known)):
        found.append(f"variable ${name} is not there")
    for name, kind in (("prometheus", "prometheus"), ("postgres", "postgres")):
        variable = known.get(name, {})
        if variable.get("type") != "datasource" or variable.get("query") != kind:
            found.append(f"variable {name} does not choose a data source of type {kind}")
    for name, variable in known.items():
        if variable["type"] == "query":
            found += source_problems(f"variable {name}", variable["datasource"])
            if variable["datasource"].get("type") == "postgres":
                found += sql_problems(f"variable {name}", variable["query"])
            elif variable["refresh"] != 2:
                found.append(f"variable {name} does not follow the time that is shown")
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
    for each in board["annotations"]["list"]:
        where = f"annotation {each['name']}"
        found += source_problems(where, each["datasource"])
        found += sql_problems(where, each["target"]["rawSql"]) if "rawSql" in each["target"] else expression_problems(where, each["expr"])
    found += variable_problems(board)
    if not board.get("uid") or not board.get("title") or board.get("id") is not None:
        found.append("the dashboard needs a uid and a title, and no id of somebody's Grafana")
    if board.get("editable"):
        found.append("what is changed in Grafana is lost with the next version: not editable, people copy it")
    return found


def link_problems(every):
    """Whether links of all boards lead to boards that are there, and give them variables that they have."""
    known = {board["uid"]: set(variables(board)) for board in every}
    found = []
    for board in every:
        for uid, rest in re.findall(r'/d/([\w-]+)\?([^"]*)"', json.dumps(board)):
            if uid not in known:
                found.append(f"{board['uid']}: a link to {uid}, which is not there")
                continue
            given = set(re.findall(r"var-(\w+)=", rest))
            found += [f"{board['uid']}: a link gives {name} to {uid}, which does not have it" for name in sorted(given - known[uid])]
    return found
