"""draw.py FOLDER: asks each question of each board of a PostgreSQL and a Prometheus that a daemon on a failing sandbox fills, and has
tests/browser/boards draw the answers into FOLDER. ./dev boards runs it."""

import json
import math
import os
import pathlib
import subprocess
import sys

import boards
import grafana
import live_test

import libpq  # live_test has told where
import support

SHOWN = 240  # seconds
BLOCKS = 330
DRAWING = boards.ROOT / "tests" / "browser" / "boards" / "draw.mjs"


class Calm(live_test.LiveDashboards):
    """The chain's own pace, so that pictures show the daemon and not this machine."""

    block_time_ms, transactions_a_second = 600, 8


def of_prometheus(life, shown, panel):
    queries = []
    for target in panel["targets"]:
        expression = shown.promql(target["expr"], panel)
        if target["instant"]:
            series = [(each["metric"], [each["value"]]) for each in life.prometheus.ask("query", query=expression, time=shown.until)["result"]]
        else:
            told = life.prometheus.ask("query_range", query=expression, start=shown.since, end=shown.until, step=shown.step(panel))["result"]
            series = [(each["metric"], each["values"]) for each in told]
        number = lambda text: float(text) if math.isfinite(float(text)) else None
        queries.append({"refId": target["refId"], "legend": target["legendFormat"],
                        "series": [{"labels": labels, "values": [[float(at), number(value)] for at, value in values]} for labels, values in series]})
    return {"queries": queries}


def of_postgres(reader, shown, panel):
    columns, rows = reader.table(shown.sql(panel["targets"][0]["rawSql"], panel))
    return {"columns": columns, "rows": rows}


def answer(life, reader, shown, panel):
    return of_prometheus(life, shown, panel) if panel["datasource"] == {"type": "prometheus", "uid": "${prometheus}"} else of_postgres(reader, shown, panel)


def annotations(life, reader, shown, board):
    found = []
    for each in board["annotations"]["list"]:
        if "expr" in each:
            for series in life.prometheus.ask("query_range", query=shown.promql(each["expr"]), start=shown.since, end=shown.until, step=5)["result"]:
                values = {float(value) for _, value in series["values"]}
                found += [{"time": value, "color": each["iconColor"]} for value in values if "useValueForTime" in each]
        else:
            columns, rows = reader.table(shown.sql(each["target"]["rawSql"]))
            names = [name for name, _ in columns]
            for row in (dict(zip(names, row)) for row in rows):
                at, until = (1000 * float(reader.ask(f"SELECT extract(epoch FROM timestamptz '{row[name]}')")[0][0]) if row.get(name) else None
                             for name in ("time", "timeend"))
                found.append({"time": at, "until": until, "color": each["iconColor"]})
    return found


def main(folder):
    life = Calm("setUp")
    try:
        life.setUp()
        reader = libpq.Session(life.reader())
        support.wait_until("there is something to draw", lambda: int(support.value(life.database, "SELECT count(*) FROM blocks")) > BLOCKS, 3600)
        drawn = {}
        for path in boards.files():
            board = boards.load(path)
            until = int(float(support.value(life.database, "SELECT extract(epoch FROM now())")))
            shown = grafana.Shown(until - SHOWN, until, {"contract": "ft.sandbox"} if path.stem == "transactions" else {}, least=1, rate=15)
            drawn[path.stem] = {"board": board, "since": shown.since, "until": shown.until, "annotations": annotations(life, reader, shown, board),
                                "answers": {panel["id"]: answer(life, reader, shown, panel) for panel in boards.panels(board) if panel["type"] != "row"}}
        answers = life.folder / "answers.json"
        answers.write_text(json.dumps(drawn))
        if "RECEIPTD_KEEP_ANSWERS" in os.environ:
            pathlib.Path(os.environ["RECEIPTD_KEEP_ANSWERS"]).write_text(json.dumps(drawn))
        return subprocess.run(["node", DRAWING, answers, folder]).returncode
    finally:
        life.doCleanups()


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
