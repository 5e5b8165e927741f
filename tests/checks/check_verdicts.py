"""docs/verdicts.md: each drawn tree is followed by the test that judges it.

The line below the block is `path/to/file::Suite.Name`, of gtest; the test is there."""
import re

import tree as trees
from check_conformance import check_tests

DOCUMENT = "docs/verdicts.md"
DRAWN = re.compile(r"^```\n((?:.*\n)*?)^```\n(.*\n?)", re.M)
NAMED = re.compile(r"^Test: ((?:`[^`]+`(?:, )?)+)$")


def check(tree):
    text = tree.get(DOCUMENT, "")
    problems, drawn = [], 0
    for match in DRAWN.finditer(text):
        if "└─" not in match.group(1) and not match.group(1).startswith("tx "):
            continue
        drawn += 1
        where = f"{DOCUMENT}:{trees.line_of(text, match.start())}"
        named = NAMED.match(match.group(2).strip())
        tests = re.findall(r"`([^`]+)`", named.group(1)) if named else []
        problems += check_tests(tree, where, tests)
    return problems or ([] if drawn else [f"{DOCUMENT}: no tree is drawn"])


TEST = {"a_test.cpp": "TEST(Trees, fall) {"}
TREE = "```\ntx ✓\n└─ initial ✗\n```\n"
REFUSED = [
    {},
    {DOCUMENT: TREE, **TEST},
    {DOCUMENT: TREE + "Test: `a_test.cpp::Trees.grow`\n", **TEST},
    {DOCUMENT: TREE + "Test: `b_test.cpp::Trees.fall`\n", **TEST},
    {DOCUMENT: TREE + "Test: `a_test.cpp::Trees.fall`\n\n" + TREE, **TEST},
]
ACCEPTED = [{DOCUMENT: TREE + "Test: `a_test.cpp::Trees.fall`\n\n```\nSELECT 1\n```\n", **TEST}]

if __name__ == "__main__":
    trees.main(check, REFUSED, ACCEPTED)
