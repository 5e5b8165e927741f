"""The museum (tests/museum): each row has its report, its symptom and tests that are there, or says what is not played; each test of
the museum belongs to a row; docs/museum.md is what exhibits.toml gives."""
import pathlib
import re
import sys
import tomllib

import tree as trees
from check_conformance import check_tests

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "museum"))
import catalogue

SOURCE, DOCUMENT = catalogue.SOURCE, catalogue.DOCUMENT
NEEDED = ("number", "reports", "symptom", "right")
TEST = re.compile(r"^TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\)", re.M)


def own_tests(tree):
    return {f"{path}::{match[1]}.{match[2]}" for path, text in trees.cpp(tree, catalogue.OWN_TESTS).items()
            for match in TEST.finditer(text)}


def check_row(tree, row):
    where = f"{SOURCE}: number {row.get('number')}"
    problems = [f"{where}: has no {member}" for member in NEEDED if not row.get(member)]
    tests = row.get("tests", [])
    return problems + (check_tests(tree, where, tests) if tests or "not_played" not in row else [])


def check(tree):
    text = tree.get(SOURCE, "")
    try:
        rows = catalogue.exhibits(tomllib.loads(text)["part"])
    except (tomllib.TOMLDecodeError, KeyError) as fault:
        return [f"{SOURCE}: cannot be read: {fault}"]
    problems = [problem for row in rows for problem in check_row(tree, row)]
    numbers = [row.get("number") for row in rows]
    problems += [f"{SOURCE}: number {number} is there twice" for number in set(numbers) if numbers.count(number) > 1]
    named = {test for row in rows for test in row.get("tests", [])}
    problems += [f"{test}: no row of {SOURCE} names it" for test in sorted(own_tests(tree) - named)]
    if not problems and tree.get(DOCUMENT) != catalogue.render(text):
        problems.append(f"{DOCUMENT}: is not what {SOURCE} gives: run ./dev docs")
    return problems


ROW = '[[part]]\ntitle = "Keys"\n[[part.exhibit]]\nnumber = "1"\nreports = ["a/b#1"]\nsymptom = "s"\nright = "r"\n'
NAMED = ROW + 'tests = ["tests/museum/a_test.cpp::Keys.Work"]\n'
TESTS = {"tests/museum/a_test.cpp": "TEST(Keys, Work) {"}


def museum(text, tests=TESTS):
    return {SOURCE: text, DOCUMENT: catalogue.render(text), **tests}


REFUSED = [
    {},
    {SOURCE: "part = ["},
    museum(ROW, {}),
    museum(NAMED, {"tests/museum/a_test.cpp": "TEST(Keys, Fail) {"}),
    museum(NAMED, {"tests/museum/a_test.cpp": "TEST(Keys, Work) {\n}\nTEST(Keys, Fail) {"}),
    museum(NAMED + NAMED),
    museum(NAMED.replace('symptom = "s"', 'symptom = ""')),
    museum(NAMED) | {DOCUMENT: "# Another page\n"},
]
ACCEPTED = [museum(NAMED), museum(ROW + 'not_played = "all of it"\n', {})]

if __name__ == "__main__":
    trees.main(check, REFUSED, ACCEPTED)
