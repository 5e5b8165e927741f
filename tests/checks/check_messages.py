"""Each type of message stands once in the table of docs/webhooks.md, as daemon/rule/messages.cpp has it, in the same order, and
has a schema; each schema is used and is JSON."""
import json
import posixpath
import re

import tree as trees

TABLE = "daemon/rule/messages.cpp"
SCHEMAS = "daemon/rule/schemas/"
DOCUMENT = "docs/webhooks.md"
TYPE = re.compile(r'MessageType\{"([^"]*)",\s*"([^"]*)",\s*"([^"]*)",\s*"([^"]*)"\}')
ROW = re.compile(r"^\| `([a-z_.]+)` \| ([^|]*) \| \[([a-z_]+)\]\(\.\./" + SCHEMAS + r"([a-z_]+)\.json\) \|$", re.M)


def check(tree):
    types = [match.groups() for match in TYPE.finditer(tree.get(TABLE, ""))]
    rows = [match.groups() for match in ROW.finditer(tree.get(DOCUMENT, ""))]
    wanted = [(name, meaning, data, data) for _, name, data, meaning in types]
    problems = [] if types else [f"{TABLE}: has no types"]
    problems += [f"{DOCUMENT}: has no row for {row[0]} as {TABLE} has it" for row in wanted if row not in rows]
    problems += [f"{DOCUMENT}: the row of {row[0]} is not in {TABLE}" for row in rows if row not in wanted]
    if not problems and rows != wanted:
        problems.append(f"{DOCUMENT}: has the types in another order than {TABLE}")
    for place in (0, 1):
        names = [each[place] for each in types]
        problems += [f"{TABLE}: {name} stands there twice" for name in set(names) if names.count(name) > 1]
    return problems + check_schemas(tree, {data for _, _, data, _ in types} | {"message"})


def check_schemas(tree, used):
    there = {posixpath.basename(path)[:-5]: path for path in tree if path.startswith(SCHEMAS) and path.endswith(".json")}
    problems = [f"{TABLE}: there is no {SCHEMAS}{name}.json" for name in used - set(there)]
    problems += [f"{there[name]}: no type uses it" for name in set(there) - used]
    for path in there.values():
        try:
            json.loads(tree[path])
        except ValueError as fault:
            problems.append(f"{path}: {fault}")
    return problems


GOOD = {
    TABLE: 'MessageType{"a", "x.a", "s",\n    "it is"}, MessageType{"b", "x.b", "s", "it was"}',
    DOCUMENT: f"| `x.a` | it is | [s](../{SCHEMAS}s.json) |\n| `x.b` | it was | [s](../{SCHEMAS}s.json) |\n",
    SCHEMAS + "s.json": "{}",
    SCHEMAS + "message.json": "{}",
}
REFUSED = [
    {},
    GOOD | {DOCUMENT: GOOD[DOCUMENT].replace("it was", "it will be")},
    GOOD | {DOCUMENT: GOOD[DOCUMENT] + f"| `x.c` | it is | [s](../{SCHEMAS}s.json) |\n"},
    GOOD | {DOCUMENT: "".join(reversed(GOOD[DOCUMENT].splitlines(True)))},
    GOOD | {SCHEMAS + "s.json": "{"},
    GOOD | {SCHEMAS + "more.json": "{}"},
    GOOD | {TABLE: GOOD[TABLE].replace('"s"', '"t"')},
    GOOD | {TABLE: GOOD[TABLE] + ', MessageType{"b", "x.b", "s", "it was"}'},
]
ACCEPTED = [GOOD]

if __name__ == "__main__":
    trees.main(check, REFUSED, ACCEPTED)
