"""The boards of dashboards/grafana/boards are what dashboards/source makes; change them there, then ./dev docs."""
import pathlib
import sys

import tree as trees

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "dashboards" / "source"))
import build

FOLDER = "dashboards/grafana/boards/"


def check(tree):
    made = {FOLDER + name: text for name, text in build.rendered().items()}
    there = {path for path in tree if path.startswith(FOLDER) and path.endswith(".json")}
    return [f"{path}: is not what dashboards/source makes: run ./dev docs" for path in sorted(there | set(made)) if tree.get(path) != made.get(path)]


MADE = {FOLDER + name: text for name, text in build.rendered().items()}
REFUSED = [{}, MADE | {FOLDER + "overview.json": "{}"}, MADE | {FOLDER + "mine.json": "{}"}]
ACCEPTED = [MADE]

if __name__ == "__main__":
    trees.main(check, REFUSED, ACCEPTED)
