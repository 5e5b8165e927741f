"""docs/gateway-conformance.md: every statement of the customer's specification has a test that is there. So has every
promise of docs/promises.md.

A row is `| 4.2 #3 | what it says | path/to/file::test, path::test |`: section, and the statement's number in
it. Numbers run from 1 without a hole. A test is a gtest `Suite.name`, a test of node's runner or a Python
`test_name`. Where ../shared/spec/gateway.md is there, the numbers are also compared with its statements:
each row of a table, each point of a list and each other paragraph is one."""
import pathlib
import re

import tree as trees

DOCUMENT = "docs/gateway-conformance.md"
PROMISES = "docs/promises.md"
SPECIFICATION = "../shared/spec/gateway.md"
ROW = re.compile(r"^\| ([\d.]+) #(\d+) \|(.*)\|([^|]*)\|$", re.M)
OTHER_ROW = re.compile(r"^\| (?![\d.]+ #)[^\n]*\|([^|\n]*::[^|\n]*)\|$", re.M)  # of another table: its tests are in the last column


def statements(specification):
    """{section: number of its statements}"""
    counts, section, in_paragraph, table_lines = {}, "0", False, 0
    for line in specification.split("\n"):
        heading = re.match(r"#+ (?:(\d+(?:\.\d+)?)\.? )?", line)
        if heading:
            section, in_paragraph, table_lines = heading.group(1) or section, False, 0
        elif not line.strip():
            in_paragraph, table_lines = False, 0
        elif line.startswith("|"):
            table_lines += 1
            counts[section] = counts.get(section, 0) + (table_lines > 2)
        else:
            starts = not in_paragraph or re.match(r"\s*([-*]|\d+\.) ", line)
            counts[section] = counts.get(section, 0) + bool(starts)
            in_paragraph = True
    return {section: count for section, count in counts.items() if count}


def has_test(text, path, name):
    if path.endswith(".cpp"):
        suite, _, test = name.partition(".")
        return re.search(rf"TEST(_F|_P)?\(\s*{re.escape(suite)},\s*{re.escape(test)}\s*\)", text) is not None
    if path.endswith(".py"):
        return re.search(rf"^\s*(async )?def {re.escape(name)}\(", text, re.M) is not None
    return re.search(rf"""\b(test|it)\((['"`]){re.escape(name)}\2""", text) is not None


def check_tests(tree, where, tests):
    if not tests:
        return [f"{where}: no test"]
    problems = []
    for test in tests:
        path, _, name = test.partition("::")
        if path not in tree:
            problems.append(f"{where}: {path} is not there")
        elif not has_test(tree[path], path, name):
            problems.append(f"{where}: {path} has no test {name}")
    return problems


def names(tests):
    return [test.strip(" `") for test in tests.split(",") if test.strip(" `")]


def check(tree, specification=None):
    text = tree.get(DOCUMENT)
    if text is None:
        return [f"{DOCUMENT}: is missing"]
    problems, numbers = [], {}
    for match in ROW.finditer(text):
        section, number, _, tests = match.groups()
        where = f"{DOCUMENT}:{trees.line_of(text, match.start())}"
        numbers.setdefault(section, []).append(int(number))
        problems += check_tests(tree, where, names(tests))
    for document in (DOCUMENT, PROMISES):
        rows = tree.get(document, "")
        for match in OTHER_ROW.finditer(rows):
            problems += check_tests(tree, f"{document}:{trees.line_of(rows, match.start())}", names(match.group(1)))
    for section, found in numbers.items():
        if found != list(range(1, len(found) + 1)):
            problems.append(f"{DOCUMENT}: the statements of {section} are numbered {found}")
    if specification:
        for section, count in statements(specification).items():
            if len(numbers.get(section, [])) != count:
                problems.append(f"{DOCUMENT}: {section} has {count} statements, here {len(numbers.get(section, []))}")
    if not numbers:
        problems.append(f"{DOCUMENT}: no statement")
    return problems


def check_with_specification(tree):
    root = pathlib.Path(__file__).resolve().parent.parent.parent
    specification = root / SPECIFICATION
    return check(tree, specification.read_text() if DOCUMENT in tree and specification.exists() else None)


def check_sample(sample):
    return check({path: text for path, text in sample.items() if path != "spec"}, sample.get("spec"))


TEST = {"a_test.cpp": "TEST(Keys, work) {"}
GOOD = {DOCUMENT: "| 1 #1 | Keys work. | `a_test.cpp::Keys.work` |\n", **TEST}
REFUSED = [
    {},
    {DOCUMENT: "nothing\n"},
    {DOCUMENT: "| 1 #1 | Keys work. | |\n", **TEST},
    {DOCUMENT: "| 1 #1 | Keys work. | `a_test.cpp::Keys.fail` |\n", **TEST},
    {DOCUMENT: "| 1 #1 | Keys work. | `b_test.cpp::Keys.work` |\n", **TEST},
    {DOCUMENT: "| 1 #2 | Keys work. | `a_test.cpp::Keys.work` |\n", **TEST},
    {**GOOD, DOCUMENT: GOOD[DOCUMENT] + "\n| keys | stay | `a_test.cpp::Keys.stay` |\n"},
    {**GOOD, PROMISES: "| keys | stay | `a_test.cpp::Keys.stay` |\n"},
    {**GOOD, "spec": "## 1. Keys\n\n1. Keys work.\n2. Always.\n"},
]
ACCEPTED = [
    GOOD,
    {**GOOD, "spec": "## 1. Keys\n\nKeys work.\nAlways.\n"},
    {DOCUMENT: "| 1 #1 | Keys. | `x.mjs::keys work`, `y.py::test_keys` |", "x.mjs": "test('keys work', ", "y.py": "    def test_keys(self"},
]

if __name__ == "__main__":
    import sys

    trees.main(check_sample if sys.argv[1:] == ["--self-test"] else check_with_specification, REFUSED, ACCEPTED)
