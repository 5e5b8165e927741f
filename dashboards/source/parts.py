"""What boards are made of: panels, columns, variables, links and annotations, as Grafana's JSON wants them (10.3 and newer).

A board says what it shows; how it looks and reads is decided here, once for all boards.
"""

import json
import urllib.parse
import zlib

PROMETHEUS = {"type": "prometheus", "uid": "${prometheus}"}
POSTGRES = {"type": "postgres", "uid": "${postgres}"}
# A daemon, or several.
HERE = 'instance=~"$instance"'
# The label of hosts, beside that of daemons.
HOST = f'upstream=~"$upstream", {HERE}'

GOOD, SOON, BAD, PLAIN = "green", "yellow", "red", "text"


# --- Links ------------------------------------------------------------------------------------------

SOURCES = "${prometheus:queryparam}&${postgres:queryparam}&${page:queryparam}&${instance:queryparam}"


def board_link(title, uid, **variables):
    """To another board, over the same time and the same sources; values of variables may name cells of the row."""
    chosen = "".join(f"&var-{name}={value}" for name, value in variables.items())
    return {"title": title, "url": f"/d/{uid}?${{__url_time_range}}&{SOURCES}{chosen}"}


def of_value(title, uid, variable):
    return board_link(title, uid, **{variable: "${__value.raw:percentencode}"})


def explored(source, query):
    """A question to a data source in Grafana's Explore, over the same time."""
    pane = {"datasource": source, "queries": [query | {"refId": "A", "datasource": {"type": "tempo", "uid": source}}],
            "range": {"from": "${__from}", "to": "${__to}"}}
    return "/explore?schemaVersion=1&panes=" + urllib.parse.quote(json.dumps({"trace": pane}, separators=(",", ":")), safe="${}:")


# A trace has its caller's id, or its own: the hash finds both.
TRACEQL = {"queryType": "traceql", "query": '{ span.near.tx_hash = "${__value.raw}" }'}
TRANSACTION = [
    {"title": "What happened to it", "url": "${page:raw}/tx/${__value.raw}", "targetBlank": True},
    {"title": "In an explorer", "url": "${explorer:raw}${__value.raw}", "targetBlank": True},
    {"title": "Its trace", "url": explored("${tempo:raw}", TRACEQL), "targetBlank": True},
]
ACCOUNT = [of_value("Its transactions", "receiptd-transactions", "account"),
           of_value("Its failures", "receiptd-failures", "account"),
           {"title": "Its page", "url": "${page:raw}/account/${__value.raw:percentencode}", "targetBlank": True}]
CONTRACT = [of_value("Its failures", "receiptd-failures", "contract"),
            of_value("Its transactions", "receiptd-transactions", "contract")]
METHOD = [of_value("Failures of this method", "receiptd-failures", "method")]


# --- Columns of tables: title, and what else Grafana shall know of them -----------------------------

def column(title, unit=None, width=None, links=None, **more):
    # What stands for "no row" in a table stands in each cell without a value, too, unless the column says otherwise.
    properties = {"displayName": title, "noValue": "–"} | ({"unit": unit} if unit else {}) | ({"links": links} if links else {})
    return properties | ({"custom.width": width} if width else {}) | more


def thresholds(*steps):
    return {"mode": "absolute", "steps": [{"color": color, "value": value} for color, value in steps]}


def cells_in_color(*steps):
    return {"thresholds": thresholds(*steps), "custom.cellOptions": {"type": "color-text"}, "color": {"mode": "thresholds"}}


def seconds(title):
    return column(title, "s", 90, decimals=2)


COUNT = {"decimals": 0}
COLUMNS = {
    "time": column("Time", "dateTimeAsIso", 170), "block_time": column("Block time", "dateTimeAsIso", 170),
    "first_seen": column("First", "dateTimeAsIso", 170), "last_seen": column("Last", "dateTimeFromNow", 150),
    "since": column("Since", "dateTimeFromNow", 130), "next_attempt": column("Next attempt", "dateTimeFromNow", 130),
    "tx_hash": column("Transaction", width=200, links=TRANSACTION),
    "contract": column("Contract", links=CONTRACT), "method": column("Method", links=METHOD),
    "account": column("Account", links=ACCOUNT), "receiver": column("Receiver", links=CONTRACT),
    "cause": column("Cause"), "text": column("Text"), "example": column("What it said"),
    "verdict": column("Verdict"), "kind": column("Kind", width=130), "stage": column("Stage"), "role": column("Role", width=90),
    "transactions": column("Transactions", "short", 110, **COUNT), "failures": column("Failures", "short", 90, **COUNT),
    "unhandled": column("Unhandled", "short", 100, **COUNT, **cells_in_color((GOOD, None), (BAD, 1))),
    "hidden": column("Hidden", "short", 90, **COUNT), "callbacks": column("Callbacks", "short", 100, **COUNT),
    "users": column("Users", "short", 80, **COUNT), "calls": column("Calls", "short", 90, **COUNT),
    "share_failed": column("Failed", "percentunit", 90, decimals=1, **cells_in_color((GOOD, None), (SOON, 0.05), (BAD, 0.2))),
    "effect": column("Effect", width=140), "lost": column("Lost", "suffix:NEAR", 140, decimals=4),
    "taken": seconds("Took"), "p50": seconds("p50"), "p95": seconds("p95"), "p99": seconds("p99"),
    "tgas": column("Gas", "suffix:Tgas", 110, decimals=1), "fee": column("Fee", "suffix:NEAR", 130, decimals=5),
    "receipts": column("Receipts", "none", 90, **COUNT), "height": column("Height", "none", 120, **COUNT),
    "from_height": column("From", "none", 120, **COUNT), "to_height": column("To", "none", 120, **COUNT),
    "heights": column("Heights", "locale", 100, **COUNT), "reason": column("Reason"), "attempts": column("Attempts", "none", 90, **COUNT),
    "watches": column("Watches", "locale", 80, **COUNT), "stuck": column("Stuck", "locale", 70, **COUNT, **cells_in_color((GOOD, None), (SOON, 1))),
    "oldest": column("Oldest", "s", 90, decimals=1), "origin": column("Origin", width=100), "rule": column("Rule"),
    "checks": column("Requests", "none", 90, **COUNT), "stays": column("Stays", "locale", 80, **COUNT),
    "endpoint": column("Endpoint"), "state": column("State", width=110), "status": column("HTTP", "none", 70, **COUNT),
    "alert": column("Alert"), "members": column("Alerts", "locale", 90, **COUNT), "author": column("Author", width=120),
    "ends": column("Ends", "dateTimeFromNow", 130), "severity": column("Severity", width=100), "instance": column("Daemon", width=170),
    "name": column("Name"), "bytes": column("Size", "bytes", 100, decimals=1), "table": column("Table"),
    "rows": column("Rows", "short", 90, decimals=1), "dead_rows": column("Dead rows", "short", 100, decimals=1),
    "scans": column("Seq. scans", "locale", 100, **COUNT), "partitions": column("Partitions", "locale", 100, **COUNT),
    "until": column("Until", "dateTimeAsIso", 170), "running": column("Running for", "dtdurations", 130), "whole": column("Whole", width=80),
    "source": column("Source", width=110), "started": column("Started", "dateTimeAsIso", 170), "leads": column("Leads", width=80),
    "process": column("Process", width=120), "key": column("Public key"), "from_nonce": column("From nonce", width=180),
    "to_nonce": column("To nonce", width=180), "nonces": column("Nonces", width=120),
    "delivered": column("Delivered", "locale", 100, **COUNT), "waiting": column("Waiting", "locale", 90, **COUNT),
    "dead": column("Given up", "locale", 90, **COUNT, **cells_in_color((GOOD, None), (BAD, 1))),
    "held_back": column("Held back", "locale", 100, **COUNT),
}


# --- Panels -----------------------------------------------------------------------------------------

def prometheus(*questions, instant=False, as_table=False):
    """Each: (expression, legend)."""
    return [{"datasource": PROMETHEUS, "refId": chr(ord("A") + place), "expr": expression, "legendFormat": legend, "editorMode": "code",
             "range": not instant, "instant": instant, "format": "table" if as_table else "time_series"}
            for place, (expression, legend) in enumerate(questions)]


def postgres(question, output="table"):
    return [{"datasource": POSTGRES, "refId": "A", "rawSql": question.strip(), "rawQuery": True, "editorMode": "code", "format": output}]


def panel(kind, title, says, targets, w, h, options, defaults, overrides=(), **more):
    return {"id": 1 + zlib.crc32(title.encode()) % 9999, "type": kind, "title": title, "description": says, "w": w, "h": h,
            "datasource": targets[0]["datasource"], "targets": targets, "options": options,
            "fieldConfig": {"defaults": defaults, "overrides": list(overrides)}, **more}


def stat(title, says, targets, unit="none", steps=((PLAIN, None),), decimals=None, empty=None, link=None, w=4, h=4):
    """One number, coloured from each of `steps` (color, from) on."""
    defaults = {"unit": unit, "color": {"mode": "thresholds"}, "thresholds": thresholds(*steps), "mappings": []}
    defaults |= {} if decimals is None else {"decimals": decimals}
    defaults |= {"noValue": empty} if empty else {}
    options = {"reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False}, "colorMode": "value", "textMode": "auto",
               "graphMode": "area" if targets[0].get("range") else "none", "justifyMode": "auto", "orientation": "auto"}
    return panel("stat", title, says, targets, w, h, options, defaults, links=[link] if link else [])


# What the last word of a name means is its colour everywhere; other names take their turn.
MEANINGS = {
    "succeeded": "green", "succeeded_with_handled_failure": "blue", "failed": "orange", "callback_failed": "red", "receipt_failed": "dark-red",
    "delivered": "green", "dead": "red", "done": "green", "others": "gray", "p50": "green", "p95": "yellow", "p99": "red", "open": "blue", "to review": "yellow", "stuck": "red",
    "final": "green", "completed": "light-green", "rejected": "red", "forwarding_failed": "dark-red", "dropped": "orange", "expired": "dark-orange",
    "unknown": "purple",
}


def colored():
    return [{"matcher": {"id": "byRegexp", "options": f"/(^| ){name}$/"}, "properties": [{"id": "color", "value": {"mode": "fixed", "fixedColor": color}}]}
            for name, color in MEANINGS.items()]


def lines(title, says, targets, unit, stacked=False, bars=False, w=8, h=8, limit=None, link=None, right=None, minimum=0, empty=None, meant=False,
          points=200, **defaults):
    """Over time. `limit`: a line above which it is bad; `right`: the query with an axis (unit) of its own; None as `minimum`: free;
    `meant`: names of lines are those of MEANINGS; `points`: at most so many come from SQL."""
    # Nothing but zeroes would have an axis up to 100.
    soft = 2 * limit if limit and unit == "percentunit" else 1 if defaults.get("decimals") == 0 or unit in ("reqps", "suffix:/min", "suffix:/s") else None
    custom = {"drawStyle": "bars" if bars else "line", "lineWidth": 1, "fillOpacity": 80 if bars else 30 if stacked else 10,
              "showPoints": "auto", "spanNulls": False, "stacking": {"group": "A", "mode": "normal" if stacked else "none"}} | ({"axisSoftMax": soft} if soft else {})
    shown = {"unit": unit, "color": {"mode": "palette-classic"}, "custom": custom} | ({} if minimum is None else {"min": minimum}) | defaults
    shown |= {"noValue": empty} if empty else {}
    if limit is not None:
        custom["thresholdsStyle"] = {"mode": "dashed"}
        shown["thresholds"] = thresholds(("transparent", None), (BAD, limit))
    overrides = [{"matcher": {"id": "byFrameRefID", "options": right[0]},
                  "properties": [{"id": "custom.axisPlacement", "value": "right"}, {"id": "unit", "value": right[1]}]}] if right else []
    overrides += colored() if meant else []
    options = {"legend": {"displayMode": "list", "placement": "bottom", "showLegend": True, "calcs": []},
               "tooltip": {"mode": "multi", "sort": "desc"}}
    more = {"maxDataPoints": points} if targets[0]["datasource"] == POSTGRES else {}
    return panel("timeseries", title, says, targets, w, h, options, shown, overrides, links=[link] if link else [], **more)


def table(title, says, question, columns, w=24, h=9, empty=None, link=None, targets=None, **more):
    """`columns`: names of COLUMNS, in the order of the question; `empty`: what no row means, where that is good news."""
    defaults = {"custom": {"align": "auto", "cellOptions": {"type": "auto"}, "filterable": True}, "unit": "string"}
    defaults |= {"noValue": empty} if empty else {}
    overrides = [{"matcher": {"id": "byName", "options": name},
                  "properties": [{"id": key, "value": value} for key, value in COLUMNS[name].items()]} for name in columns]
    return panel("table", title, says, targets or postgres(question), w, h, {"showHeader": True, "cellHeight": "sm"}, defaults, overrides,
                 links=[link] if link else [], **more)


def quantiles(metric, by=(), of=(0.5, 0.95, 0.99), matchers=HERE):
    """(expression, legend) of a histogram."""
    names = ", ".join(("le", *by))
    legend = " ".join(f"{{{{{name}}}}}" for name in by)
    return [(f"histogram_quantile({part}, sum by ({names}) (rate({metric}_bucket{{{matchers}}}[$__rate_interval])))",
             f"{legend} p{round(part * 100)}".strip() if len(of) > 1 or not by else legend) for part in of]


# --- Boards -----------------------------------------------------------------------------------------

def source(name, label):
    uid = f"receiptd-{name}"
    return {"name": name, "label": label, "type": "datasource", "query": name, "refresh": 1, "regex": "", "hide": 0, "multi": False,
            "includeAll": False, "options": [], "current": {"selected": False, "text": uid, "value": uid}}


def labels(name, label, metric, of):
    query = f"label_values({metric}, {of})"
    return {"name": name, "label": label, "type": "query", "datasource": PROMETHEUS, "definition": query,
            "query": {"query": query, "refId": name}, "refresh": 2, "sort": 1, "multi": True, "includeAll": True, "allValue": ".*",
            "hide": 0, "options": [], "current": {"selected": True, "text": "All", "value": "$__all"}}


def asked(name, label, says, question, hide=0):
    return {"name": name, "label": label, "description": says, "type": "query", "datasource": POSTGRES, "definition": question,
            "query": question, "refresh": 1, "sort": 0, "multi": False, "includeAll": False, "hide": hide, "options": [], "current": {"text": "", "value": ""}}


def written(name, label, says, value=""):
    return {"name": name, "label": label, "description": says, "type": "textbox", "query": value, "hide": 0,
            "current": {"text": value, "value": value}}


EXPLORER = """SELECT CASE ${network:sqlstring} WHEN 'mainnet' THEN 'https://nearblocks.io/txns/' WHEN 'testnet' THEN 'https://testnet.nearblocks.io/txns/'
       ELSE ${page:sqlstring} || '/tx/' END"""
COMMON = [
    source("prometheus", "Prometheus"), source("postgres", "PostgreSQL"),
    labels("instance", "Daemon", "receiptd_build_info", "instance"),
    asked("network", "Network", "Of the database; it says which explorer transactions link to.", "SELECT network FROM chain_identity"),
    written("page", "Page of receiptd", "Where the daemon's page is reached from your browser; transactions link to it.", "http://localhost:9464"),
    written("tempo", "Traces", "The uid of the data source that has the traces of transactions, if receiptd sends them ([traces]).", "tempo"),
    asked("explorer", "Explorer", "What stands before the hash of a transaction in an explorer's address.", EXPLORER, hide=2),
]
UPSTREAM = labels("upstream", "Upstream", "receiptd_upstream_health", "upstream")
CHOSEN = {
    "account": written("account", "Account", "Only transactions that this account signed, or is the user of. Empty: all."),
    "contract": written("contract", "Contract", "Only this contract. Empty: all."),
    "method": written("method", "Method", "Only this method. Empty: all."),
}


def is_chosen(variable, *columns):
    """A condition that holds for all rows while nothing is chosen; a name of digits only stays a text."""
    value = f"${{{variable}:sqlstring}}"
    return f"({value} = '' OR {' OR '.join(f'{each} = {value}' for each in columns)})"


RESTARTS = f'process_start_time_seconds{{job="receiptd", {HERE}}} * 1000'
REFUSED = f"receiptd_config_last_reload_successful{{{HERE}}} == bool 0"
RELOADS = """SELECT loaded_at AS time, 'Rule ' || name || ', version ' || version AS text, 'reload' AS tags
FROM alert_rule_versions WHERE $__timeFilter(loaded_at) ORDER BY loaded_at DESC LIMIT 100"""
# Marks say near what time a gap is; only for those of the time shown is it looked up in the blocks beside them.
GAPS = """SELECT below.block_time AS time, coalesce(above.block_time, now()) AS timeend,
       'Heights ' || from_height || ' to ' || to_height || ': ' || reason AS text, 'gap' AS tags
FROM (SELECT gaps.* FROM gaps CROSS JOIN LATERAL times_of_heights(from_height, to_height)
      WHERE from_time <= $__timeTo() AND to_time >= $__timeFrom() ORDER BY to_height DESC LIMIT 50) AS gap
CROSS JOIN LATERAL (SELECT block_time FROM block_below(from_height)) AS below
LEFT JOIN LATERAL (SELECT block_time FROM block_above(to_height)) AS above ON true
WHERE below.block_time <= $__timeTo() AND coalesce(above.block_time, now()) >= $__timeFrom()"""
# Looks at 50 times of those shown, and at the newest block; exactly where two of them differ.
UPGRADES = """WITH looked AS (
    SELECT one.* FROM generate_series(0, 50) AS step CROSS JOIN LATERAL (
        SELECT block_time AS at, protocol_version AS now_is FROM blocks WHERE $__timeFilter(block_time)
        AND block_time >= $__timeFrom()::timestamptz + step * ($__timeTo()::timestamptz - $__timeFrom()::timestamptz) / 50
        ORDER BY block_time LIMIT 1) AS one
    UNION (SELECT block_time, protocol_version FROM blocks WHERE $__timeFilter(block_time) ORDER BY block_time DESC LIMIT 1)
), pairs AS (SELECT at, now_is, lag(now_is) OVER (ORDER BY at) AS was, lag(at) OVER (ORDER BY at) AS earlier FROM looked)
SELECT (SELECT min(block_time) FROM blocks WHERE $__timeFilter(block_time) AND block_time > earlier AND block_time <= at
        AND protocol_version = now_is) AS time, 'Protocol ' || was || ' to ' || now_is AS text, 'upgrade' AS tags
FROM pairs WHERE was <> now_is LIMIT 50"""


def by_prometheus(name, color, expression, title, **more):
    return {"name": name, "datasource": PROMETHEUS, "enable": True, "iconColor": color, "expr": expression, "titleFormat": title,
            "textFormat": "{{instance}}", "target": {"refId": name, "expr": expression}, **more}


def by_postgres(name, color, question):
    return {"name": name, "datasource": POSTGRES, "enable": True, "iconColor": color, "target": postgres(question)[0] | {"refId": name}}


ANNOTATIONS = [
    by_prometheus("Restarts", "blue", RESTARTS, "Started", useValueForTime="on"),
    by_prometheus("Reloads refused", "red", REFUSED, "Configuration refused"),
    by_postgres("Rules loaded", "purple", RELOADS), by_postgres("Gaps", "orange", GAPS), by_postgres("Protocol upgrades", "green", UPGRADES),
]
OTHER_BOARDS = {"type": "dashboards", "title": "receiptd", "tags": ["receiptd"], "asDropdown": False, "includeVars": True, "keepTime": True,
                "targetBlank": False, "icon": "external link", "tooltip": "", "url": ""}


def row(title):
    return [{"id": 1 + zlib.crc32(title.encode()) % 9999, "type": "row", "title": title, "w": 24, "h": 1, "collapsed": False, "panels": []}]


def placed(rows):
    """`rows`: lists of panels that stand beside each other."""
    y = 0
    for beside in rows:
        x = 0
        for each in beside:
            w, h = each.pop("w"), each.pop("h")
            yield each | {"gridPos": {"x": x, "y": y, "w": w, "h": h}}
            x += w
        y += h


def board(uid, title, says, rows, variables=(), time="now-1h"):
    return {
        "uid": uid, "title": title, "description": says, "tags": ["receiptd"], "schemaVersion": 38, "version": 1, "editable": False,
        "graphTooltip": 1, "refresh": "1m", "timezone": "utc", "time": {"from": time, "to": "now"}, "timepicker": {}, "weekStart": "",
        "fiscalYearStartMonth": 0, "links": [OTHER_BOARDS], "annotations": {"list": ANNOTATIONS},
        "templating": {"list": [*COMMON, *variables]}, "panels": list(placed(rows)),
    }
